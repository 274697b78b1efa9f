"""A summarizer that asks a chat model through the OpenAI SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.errors import SummarizerError
from tiered_memory.openai_chat import OpenAIChat
from tiered_memory.ports import SummaryReply

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from tiered_memory.ports import SummaryRequest
    from tiered_memory.settings import LLMSettings

__all__ = ["OpenAISummarizer"]


class OpenAISummarizer:
    """Asks ``llm.model`` at ``llm.base_url``, with the SDK's own retries and timeout.

    The client is made at the first call and closed by ``aclose``; one that was given
    is borrowed.

    Raises:
        SettingsError: on construction, where no key is set and ``base_url`` is the
            provider's own.
    """

    def __init__(self, settings: LLMSettings, *, client: AsyncOpenAI | None = None) -> None:
        self._chat = OpenAIChat(
            settings,
            field="llm",
            role="the summarizer",
            error=SummarizerError,
            retries=settings.max_retries,
            client=client,
        )

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """Ask the model.

        Raises:
            SummarizerError: no usable reply; ``reason`` says why, ``retryable`` whether
                it may help to ask later, ``retry_after_s`` what the server asked for.
        """
        reply = await self._chat.complete(request.messages, max_tokens=request.max_tokens)
        return SummaryReply(text=reply.text, usage=reply.usage, model=reply.model)

    async def aclose(self) -> None:
        """Close the client, unless it was borrowed."""
        await self._chat.aclose()
