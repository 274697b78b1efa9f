from __future__ import annotations

import pytest

from tiered_memory.chat.models import FALLBACK_ENCODING, FALLBACK_WINDOW, ModelTable
from tiered_memory.errors import SettingsError
from tiered_memory.settings import ModelSettings

TABLE = ModelTable({})


@pytest.mark.parametrize(
    ("name", "window", "encoding", "parameter"),
    [
        ("gpt-4o-mini", 128_000, "o200k_base", "max_completion_tokens"),
        ("gpt-4o-2024-08-06", 128_000, "o200k_base", "max_completion_tokens"),
        ("GPT-4o", 128_000, "o200k_base", "max_completion_tokens"),
        (
            "ft:gpt-4o-mini-2024-07-18:shop::x1",
            128_000,
            "o200k_base",
            "max_completion_tokens",
        ),
        ("azure/gpt-35-turbo", 16_385, "cl100k_base", "max_completion_tokens"),
        ("gpt-4-turbo-2024-04-09", 128_000, "cl100k_base", "max_completion_tokens"),
        ("gpt-4", 8_192, "cl100k_base", "max_completion_tokens"),
        ("gpt-5-mini", 400_000, "o200k_base", "max_completion_tokens"),
        ("gpt-5.1", 400_000, "o200k_base", "max_completion_tokens"),
        ("o3-mini", 200_000, "o200k_base", "max_completion_tokens"),
        ("openrouter/qwen/qwen-plus", 131_072, "o200k_base", "max_tokens"),
        ("qwen2.5-7b-instruct", 32_768, "o200k_base", "max_tokens"),
        ("qwen2.5:14b", 32_768, "o200k_base", "max_tokens"),
        ("deepseek-chat", 131_072, "o200k_base", "max_tokens"),
        ("deepseek/deepseek-chat", 131_072, "o200k_base", "max_tokens"),
        ("glm-4.6", 200_000, "o200k_base", "max_tokens"),
        ("glm-4-flash", 131_072, "o200k_base", "max_tokens"),
        ("kimi-k2-0905-preview", 262_144, "o200k_base", "max_tokens"),
        ("meta-llama/Llama-3.1-70B-Instruct", 131_072, "o200k_base", "max_tokens"),
        ("mistral-large-latest", 131_072, "o200k_base", "max_tokens"),
    ],
)
def test_a_name_is_found_by_its_base(
    name: str, window: int, encoding: str, parameter: str
) -> None:
    info = TABLE.lookup(name)
    assert info.known
    assert info.name == name
    assert (info.context_window, info.encoding) == (window, encoding)
    assert info.max_tokens_parameter == parameter


@pytest.mark.parametrize("name", ["azure/shop-chat", "gpt-35-helpdesk", "my-model", "gpt"])
def test_an_unknown_name_is_the_stated_fallback(name: str) -> None:
    info = TABLE.lookup(name)
    assert not info.known
    assert (info.context_window, info.encoding) == (FALLBACK_WINDOW, FALLBACK_ENCODING)


@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_name_is_an_error_that_says_which_field(name: str) -> None:
    with pytest.raises(SettingsError) as caught:
        TABLE.lookup(name)
    assert caught.value.field == "model"


def test_entries_of_ones_own_come_first() -> None:
    table = ModelTable(
        {
            "gpt-4o": ModelSettings(context_window=64_000, encoding="cl100k_base"),
            "azure/Shop-Chat": ModelSettings(context_window=9_000, cacheable_tokens=7),
        }
    )
    assert table.lookup("gpt-4o-2024-08-06").context_window == 64_000
    assert table.lookup("gpt-4o-mini").context_window == 64_000
    assert table.lookup("azure/shop-chat").cacheable_tokens == 7
    assert table.lookup("azure/shop-chat").known
