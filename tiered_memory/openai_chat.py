"""A chat model behind the OpenAI SDK: one call, its reply, and what went wrong, typed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import anyio
from anyio import to_thread

from tiered_memory.chat.models import ModelTable
from tiered_memory.errors import ModelReplyError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from openai import AsyncOpenAI, OpenAIError

    from tiered_memory.settings import EndpointSettings

__all__ = ["Completion", "OpenAIChat"]

HEADROOM = 2
HEADROOM_TOKENS = 256
"""A reply may use so many times its cap and so many tokens more before the server stops
it: the server's tokens are not ours, and models that think spend some on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A reply's text; ``usage`` in tokens (``input``, ``cached``, ``output``) or None."""

    text: str
    usage: Mapping[str, int] | None
    model: str | None


class OpenAIChat:
    """Asks the model of ``settings``, with the SDK's timeout and ``retries`` of its own.

    The client is made at the first call and closed by ``aclose``; one that was given
    is borrowed.

    Args:
        settings: where the model is.
        field: dotted name of ``settings``, for errors.
        role: who the model is, for errors: ``"the summarizer"``.
        error: what its failures are raised as.

    Raises:
        SettingsError: on construction, where no model is set, or no key and
            ``base_url`` is the provider's own.
    """

    def __init__(
        self,
        settings: EndpointSettings,
        *,
        field: str,
        role: str,
        error: type[ModelReplyError],
        retries: int,
        client: AsyncOpenAI | None = None,
    ) -> None:
        if settings.model is None:
            raise SettingsError(f"{field}.model is not set", field=f"{field}.model")
        self._settings = settings
        self._model = settings.model
        self._role = role
        self._kind = error
        self._retries = retries
        self._client = client
        self._owned = client is None
        self._opening = anyio.Lock()
        self._key = os.environ.get(settings.api_key_env)
        self._limit_name = ModelTable({}).lookup(self._model).max_tokens_parameter
        if client is None and not self._key and settings.base_url is None:
            raise SettingsError(
                f"the environment variable {settings.api_key_env} ({field}.api_key_env) "
                f"holds no key for {role}; set it, or {field}.base_url for a server "
                "without",
                field=f"{field}.api_key_env",
                value=settings.api_key_env,
            )

    async def complete(
        self, messages: Sequence[Mapping[str, Any]], *, max_tokens: int, **options: Any
    ) -> Completion:
        """Ask the model; ``options`` go into the request as they are.

        Raises:
            ModelReplyError: (of the kind given) no usable reply; ``reason`` says why,
                ``retryable`` whether it may help to ask later, ``retry_after_s`` what the
                server asked for.
        """
        client = await self._opened()
        import openai

        limit = {self._limit_name: HEADROOM * max_tokens + HEADROOM_TOKENS}
        try:
            completion: object = await cast("Any", client.chat.completions).create(
                model=self._model, messages=list(messages), **limit, **options
            )
        except openai.OpenAIError as exc:
            raise self._translated(exc) from exc
        except ValueError as exc:
            raise self._error("invalid_body", retryable=True) from exc
        return self._reply(completion)

    async def aclose(self) -> None:
        """Close the client, unless it was borrowed."""
        client, self._client = self._client, None
        if client is not None and self._owned:
            await client.close()

    async def _opened(self) -> AsyncOpenAI:
        async with self._opening:
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
            max_retries=self._retries,
        )

    def _reply(self, completion: object) -> Completion:
        """Give the text and usage of a completion of any server."""
        choices = cast("list[Any] | None", getattr(completion, "choices", None))
        if not choices or getattr(choices[0], "message", None) is None:
            raise self._error("no_choice", retryable=True)
        message = choices[0].message
        if getattr(message, "refusal", None):
            raise self._error("refusal", retryable=False)
        stop: object = getattr(choices[0], "finish_reason", None)
        if stop == "content_filter":
            raise self._error("content_filter", retryable=False)
        if stop == "length":
            raise self._error("length", retryable=True)
        text: object = getattr(message, "content", None)
        if not isinstance(text, str) or not text.strip():
            raise self._error("empty", retryable=True)
        model: object = getattr(completion, "model", None)
        return Completion(
            text=text,
            usage=_usage(getattr(completion, "usage", None)),
            model=model if isinstance(model, str) else None,
        )

    def _translated(self, exc: OpenAIError) -> ModelReplyError:
        """Give the typed error of what the SDK raised."""
        import openai

        if isinstance(exc, openai.APITimeoutError):
            return self._error("timeout", retryable=True)
        if isinstance(exc, openai.APIResponseValidationError):
            return self._error("invalid_body", retryable=True)
        if isinstance(exc, openai.APIConnectionError):
            return self._error("connection", retryable=True)
        if isinstance(exc, openai.APIStatusError):
            status = exc.status_code
            return self._error(
                f"http_{status}",
                retryable=status in {408, 409, 425, 429} or status >= 500,
                status=status,
                retry_after_s=_retry_after(exc.response.headers.get("retry-after")),
            )
        return self._error(type(exc).__name__, retryable=False)

    def _error(
        self,
        reason: str,
        *,
        retryable: bool,
        status: int | None = None,
        retry_after_s: float | None = None,
    ) -> ModelReplyError:
        return self._kind(
            f"{self._role}'s model gave no usable reply: {reason}",
            retryable=retryable,
            retry_after_s=retry_after_s,
            status=status,
            reason=reason,
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


def _retry_after(value: str | None) -> float | None:
    """Give the seconds of a ``Retry-After`` header; its form with a date is left to us."""
    try:
        seconds = float(value or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < 86_400 else None
