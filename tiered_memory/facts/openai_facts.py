"""A model that proposes facts, asked through the OpenAI SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiered_memory.errors import FactModelError
from tiered_memory.openai_chat import OpenAIChat
from tiered_memory.ports import FactReply

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from tiered_memory.ports import FactRequest
    from tiered_memory.settings import FactModelSettings

__all__ = ["OpenAIFactModel"]

NO_SCHEMA = frozenset({400, 404, 415, 422, 501})
"""How servers say that they do not know ``response_format``."""


class OpenAIFactModel:
    """Asks ``facts.llm.model`` for JSON of a schema, plainly where the server has none.

    The client is made at the first call and closed by ``aclose``; one that was given
    is borrowed. It does not retry: each call counts against the budget of the stage.

    Raises:
        SettingsError: on construction, where no key is set and ``base_url`` is the
            provider's own.
    """

    def __init__(
        self, settings: FactModelSettings, *, client: AsyncOpenAI | None = None
    ) -> None:
        self._chat = OpenAIChat(
            settings,
            field="facts.llm",
            role="fact extraction",
            error=FactModelError,
            retries=0,
            client=client,
        )
        self._plain = False

    async def propose(self, request: FactRequest) -> FactReply:
        """Ask the model; a server that refuses the schema is asked again without, for good.

        Raises:
            FactModelError: no usable reply; ``reason`` says why.
        """
        if not self._plain:
            try:
                return await self._asked(request, response_format=_format(request))
            except FactModelError as exc:
                if exc.facts["status"] not in NO_SCHEMA:
                    raise
        reply = await self._asked(request)
        self._plain = True
        return reply

    async def aclose(self) -> None:
        """Close the client, unless it was borrowed."""
        await self._chat.aclose()

    async def _asked(self, request: FactRequest, **options: Any) -> FactReply:
        reply = await self._chat.complete(
            request.messages, max_tokens=request.max_tokens, **options
        )
        return FactReply(text=reply.text, usage=reply.usage, model=reply.model)


def _format(request: FactRequest) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "json_schema": {"name": "facts", "strict": True, "schema": dict(request.schema)},
    }
