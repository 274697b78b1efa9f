"""What is known of models: window, tokenizer, the name of the output limit."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from tiered_memory.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tiered_memory.settings import ModelSettings

__all__ = ["FALLBACK_ENCODING", "FALLBACK_WINDOW", "ModelInfo", "ModelTable"]

FALLBACK_WINDOW = 32_768
FALLBACK_ENCODING = "o200k_base"
"""What an unknown model is taken for: a small window of today's, the newest tokenizer."""

CACHEABLE_TOKENS = 1_024
"""OpenAI's shortest cached prefix; also taken where a provider states none."""

MaxTokensParameter = Literal["max_completion_tokens", "max_tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """One model.

    Attributes:
        name: as it was asked for.
        context_window: tokens of prompt and reply together.
        encoding: for ``chat.vocabulary.load_counter``; an approximation for models
            that are not OpenAI's.
        max_tokens_parameter: the request's name for the limit of the reply.
        cacheable_tokens: shortest prefix that the provider's cache serves.
        known: False where all is the stated fallback.
    """

    name: str
    context_window: int
    encoding: str
    max_tokens_parameter: MaxTokensParameter
    cacheable_tokens: int
    known: bool


_OPENAI: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "gpt-5": (400_000, "o200k_base"),
        "gpt-5-chat": (128_000, "o200k_base"),
        "gpt-5.1-chat": (128_000, "o200k_base"),
        "gpt-5.2-chat": (128_000, "o200k_base"),
        "gpt-4.5": (128_000, "o200k_base"),
        "gpt-4.1": (1_047_576, "o200k_base"),
        "gpt-4o": (128_000, "o200k_base"),
        "chatgpt-4o": (128_000, "o200k_base"),
        "codex-mini": (200_000, "o200k_base"),
        "o1": (200_000, "o200k_base"),
        "o1-mini": (128_000, "o200k_base"),
        "o1-preview": (128_000, "o200k_base"),
        "o3": (200_000, "o200k_base"),
        "o4-mini": (200_000, "o200k_base"),
        "gpt-4": (8_192, "cl100k_base"),
        "gpt-4-32k": (32_768, "cl100k_base"),
        "gpt-4-turbo": (128_000, "cl100k_base"),
        "gpt-4-1106": (128_000, "cl100k_base"),
        "gpt-4-0125": (128_000, "cl100k_base"),
        "gpt-4-vision": (128_000, "cl100k_base"),
        "gpt-3.5-turbo": (16_385, "cl100k_base"),
        "gpt-35-turbo": (16_385, "cl100k_base"),
        "gpt-3.5-turbo-0613": (4_096, "cl100k_base"),
        "gpt-3.5-turbo-0301": (4_096, "cl100k_base"),
        "gpt-3.5-turbo-instruct": (4_096, "cl100k_base"),
    }
)
"""Source: OpenAI's model pages and tiktoken's model table."""

_COMPATIBLE: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "gpt-oss": (131_072, CACHEABLE_TOKENS),
        "qwen": (32_768, 256),
        "qwen-max": (32_768, 256),
        "qwen-plus": (131_072, 256),
        "qwen-turbo": (131_072, 256),
        "qwen-flash": (131_072, 256),
        "qwen-long": (131_072, 256),
        "qwen3": (32_768, 256),
        "qwen3-max": (262_144, 256),
        "qwen3-next": (262_144, 256),
        "qwen3-coder": (262_144, 256),
        "deepseek": (65_536, 64),
        "deepseek-chat": (131_072, 64),
        "deepseek-reasoner": (131_072, 64),
        "deepseek-v3": (131_072, 64),
        "deepseek-r1": (131_072, 64),
        "glm-4": (131_072, CACHEABLE_TOKENS),
        "glm-4.6": (200_000, CACHEABLE_TOKENS),
        "glm-4v": (8_192, CACHEABLE_TOKENS),
        "chatglm": (8_192, CACHEABLE_TOKENS),
        "moonshot-v1": (8_192, CACHEABLE_TOKENS),
        "moonshot-v1-8k": (8_192, CACHEABLE_TOKENS),
        "moonshot-v1-32k": (32_768, CACHEABLE_TOKENS),
        "moonshot-v1-128k": (131_072, CACHEABLE_TOKENS),
        "kimi": (131_072, CACHEABLE_TOKENS),
        "kimi-k2": (131_072, CACHEABLE_TOKENS),
        "kimi-k2-0905": (262_144, CACHEABLE_TOKENS),
        "llama-3": (8_192, CACHEABLE_TOKENS),
        "llama-3.1": (131_072, CACHEABLE_TOKENS),
        "llama-3.2": (131_072, CACHEABLE_TOKENS),
        "llama-3.3": (131_072, CACHEABLE_TOKENS),
        "llama-4": (131_072, CACHEABLE_TOKENS),
        "llama3": (8_192, CACHEABLE_TOKENS),
        "llama3.1": (131_072, CACHEABLE_TOKENS),
        "llama3.2": (131_072, CACHEABLE_TOKENS),
        "llama3.3": (131_072, CACHEABLE_TOKENS),
        "mistral": (32_768, CACHEABLE_TOKENS),
        "mistral-large": (131_072, CACHEABLE_TOKENS),
        "mistral-medium": (131_072, CACHEABLE_TOKENS),
        "mixtral": (32_768, CACHEABLE_TOKENS),
        "ministral": (131_072, CACHEABLE_TOKENS),
        "codestral": (32_768, CACHEABLE_TOKENS),
        "gemma-3": (131_072, CACHEABLE_TOKENS),
        "gemma3": (131_072, CACHEABLE_TOKENS),
        "gemini-1.5": (1_048_576, 4_096),
        "gemini-2": (1_048_576, 2_048),
        "claude": (200_000, CACHEABLE_TOKENS),
        "grok": (131_072, CACHEABLE_TOKENS),
        "yi": (32_768, CACHEABLE_TOKENS),
        "doubao": (32_768, CACHEABLE_TOKENS),
        "hunyuan": (32_768, CACHEABLE_TOKENS),
        "ernie": (8_192, CACHEABLE_TOKENS),
        "baichuan": (32_768, CACHEABLE_TOKENS),
        "minimax": (204_800, CACHEABLE_TOKENS),
        "phi-4": (16_384, CACHEABLE_TOKENS),
    }
)
"""Window and shortest cached prefix of models behind OpenAI-compatible servers.

Source: the providers' model pages; where versions of a name differ, the smallest.
"""

_BORDERS = "-.:@_"


class ModelTable:
    """Looks models up: the user's own entries, then the ones known here."""

    def __init__(self, models: Mapping[str, ModelSettings]) -> None:
        self._models = _known() | {
            _plain(name): ModelInfo(
                name=name,
                context_window=entry.context_window,
                encoding=entry.encoding,
                max_tokens_parameter=entry.max_tokens_parameter,
                cacheable_tokens=entry.cacheable_tokens,
                known=True,
            )
            for name, entry in models.items()
        }

    def lookup(self, name: str) -> ModelInfo:
        """Give what is known of a model.

        A dated or fine-tuned name (``ft:base:…``), one with a version or tag behind
        and one with a provider before (``azure/``, ``openrouter/qwen/``) is its
        base's: the longest name in the table that it begins with, up to a border.
        Any other is unknown: 32,768 tokens, ``o200k_base``.

        Raises:
            SettingsError: ``name`` is empty.
        """
        plain = _plain(name)
        if not plain:
            raise SettingsError("model must not be empty", field="model", value=name)
        provider, slash, model = plain.rpartition("/")
        for prefix in {provider + slash: None, "": None}:
            for base in _bases(model.removeprefix("ft:")):
                if prefix + base in self._models:
                    return _named(self._models[prefix + base], name)
        return _named(_info(FALLBACK_WINDOW, known=False), name)


def _plain(name: str) -> str:
    return name.strip().lower().removeprefix("ft:")


def _bases(model: str) -> Iterator[str]:
    """Give a name and what it begins with, longest first, cut at borders."""
    while model:
        yield model
        family = model.rstrip("0123456789")
        cut = max(model.rfind(border) for border in _BORDERS)
        model = family if cut < len(family) < len(model) else model[: max(cut, 0)]


def _known() -> dict[str, ModelInfo]:
    table = {
        name: _info(window, encoding=encoding, parameter="max_completion_tokens")
        for name, (window, encoding) in _OPENAI.items()
    }
    for name, (window, cacheable) in _COMPATIBLE.items():
        table[name] = _info(window, cacheable=cacheable)
    return table


def _info(
    window: int,
    *,
    encoding: str = FALLBACK_ENCODING,
    parameter: MaxTokensParameter = "max_tokens",
    cacheable: int = CACHEABLE_TOKENS,
    known: bool = True,
) -> ModelInfo:
    return ModelInfo(
        name="",
        context_window=window,
        encoding=encoding,
        max_tokens_parameter=parameter,
        cacheable_tokens=cacheable,
        known=known,
    )


def _named(info: ModelInfo, name: str) -> ModelInfo:
    return ModelInfo(
        name=name,
        context_window=info.context_window,
        encoding=info.encoding,
        max_tokens_parameter=info.max_tokens_parameter,
        cacheable_tokens=info.cacheable_tokens,
        known=info.known,
    )
