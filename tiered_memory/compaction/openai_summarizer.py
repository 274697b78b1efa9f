"""A summarizer that asks a chat model through the OpenAI SDK."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from anyio import to_thread

from tiered_memory.chat.models import ModelTable
from tiered_memory.errors import SettingsError, SummarizerError
from tiered_memory.ports import SummaryReply

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAIError

    from tiered_memory.ports import SummaryRequest
    from tiered_memory.settings import LLMSettings

__all__ = ["OpenAISummarizer"]

HEADROOM = 2
HEADROOM_TOKENS = 256
"""A reply may use so many times its cap and so many tokens more before the server stops
it: the server's tokens are not ours, and models that think spend some on it."""


class OpenAISummarizer:
    """Asks ``llm.model`` at ``llm.base_url``, with the SDK's own retries and timeout.

    The client is made at the first call and closed by ``aclose``; one that was given
    is borrowed.

    Raises:
        SettingsError: on construction, where no key is set and ``base_url`` is the
            provider's own.
    """

    def __init__(self, settings: LLMSettings, *, client: AsyncOpenAI | None = None) -> None:
        if settings.model is None:
            raise SettingsError("llm.model is not set", field="llm.model")
        self._settings = settings
        self._model = settings.model
        self._client = client
        self._owned = client is None
        self._key = os.environ.get(settings.api_key_env)
        self._limit_name = ModelTable({}).lookup(self._model).max_tokens_parameter
        if client is None and not self._key and settings.base_url is None:
            raise SettingsError(
                f"the environment variable {settings.api_key_env} (llm.api_key_env) holds "
                "no key for the summarizer; set it, or llm.base_url for a server without",
                field="llm.api_key_env",
                value=settings.api_key_env,
            )

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """Ask the model.

        Raises:
            SummarizerError: no usable reply; ``reason`` says why, ``retryable`` whether
                it may help to ask later, ``retry_after_s`` what the server asked for.
        """
        client = await self._opened()
        import openai

        limit = {self._limit_name: HEADROOM * request.max_tokens + HEADROOM_TOKENS}
        try:
            completion: object = await cast("Any", client.chat.completions).create(
                model=self._model, messages=list(request.messages), **limit
            )
        except openai.OpenAIError as exc:
            raise _translated(exc) from exc
        except ValueError as exc:
            raise _error("invalid_body", retryable=True) from exc
        return _reply(completion)

    async def aclose(self) -> None:
        """Close the client, unless it was borrowed."""
        client, self._client = self._client, None
        if client is not None and self._owned:
            await client.close()

    async def _opened(self) -> AsyncOpenAI:
        if self._client is None:
            self._client = await to_thread.run_sync(self._made)
        return self._client

    def _made(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        settings = self._settings
        return AsyncOpenAI(
            api_key=self._key or "unset",
            base_url=settings.base_url,
            timeout=settings.timeout_s,
            max_retries=settings.max_retries,
        )


def _reply(completion: object) -> SummaryReply:
    """Give the text and usage of a completion of any server."""
    choices = cast("list[Any] | None", getattr(completion, "choices", None))
    if not choices or getattr(choices[0], "message", None) is None:
        raise _error("no_choice", retryable=True)
    message = choices[0].message
    if getattr(message, "refusal", None):
        raise _error("refusal", retryable=False)
    stop: object = getattr(choices[0], "finish_reason", None)
    if stop == "content_filter":
        raise _error("content_filter", retryable=False)
    if stop == "length":
        raise _error("length", retryable=True)
    text: object = getattr(message, "content", None)
    if not isinstance(text, str) or not text.strip():
        raise _error("empty", retryable=True)
    model: object = getattr(completion, "model", None)
    return SummaryReply(
        text=text,
        usage=_usage(getattr(completion, "usage", None)),
        model=model if isinstance(model, str) else None,
    )


def _usage(usage: object) -> dict[str, int] | None:
    if usage is None:
        return None
    details = getattr(usage, "prompt_tokens_details", None)
    counts = {
        "input": getattr(usage, "prompt_tokens", None),
        "cached": getattr(details, "cached_tokens", None),
        "output": getattr(usage, "completion_tokens", None),
    }
    return {name: int(value or 0) for name, value in counts.items()}


def _translated(exc: OpenAIError) -> SummarizerError:
    """Give the typed error of what the SDK raised."""
    import openai

    if isinstance(exc, openai.APITimeoutError):
        return _error("timeout", retryable=True)
    if isinstance(exc, openai.APIResponseValidationError):
        return _error("invalid_body", retryable=True)
    if isinstance(exc, openai.APIConnectionError):
        return _error("connection", retryable=True)
    if isinstance(exc, openai.APIStatusError):
        status = exc.status_code
        return _error(
            f"http_{status}",
            retryable=status in {408, 409, 425, 429} or status >= 500,
            status=status,
            retry_after_s=_retry_after(exc.response.headers.get("retry-after")),
        )
    return _error(type(exc).__name__, retryable=False)


def _retry_after(value: str | None) -> float | None:
    """Give the seconds of a ``Retry-After`` header; its form with a date is left to us."""
    try:
        seconds = float(value or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < 86_400 else None


def _error(
    reason: str,
    *,
    retryable: bool,
    status: int | None = None,
    retry_after_s: float | None = None,
) -> SummarizerError:
    return SummarizerError(
        f"the summarizer's model gave no usable reply: {reason}",
        retryable=retryable,
        retry_after_s=retry_after_s,
        status=status,
        reason=reason,
    )
