"""Asks a summarizer for a segment's text: verified, asked once again, or made without it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

import anyio

from tiered_memory.chat.plain import well_formed
from tiered_memory.compaction.briefing import again
from tiered_memory.compaction.clipping import clip
from tiered_memory.compaction.extractive import ExtractiveSummarizer
from tiered_memory.compaction.verify import Witness, bind_literals, cost_shown, verify
from tiered_memory.errors import SummarizerError
from tiered_memory.ports import SummaryReply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tiered_memory.compaction.transcript import References
    from tiered_memory.model import Identifier
    from tiered_memory.ports import Summarizer, SummaryRequest
    from tiered_memory.settings import LLMSettings

__all__ = ["Attempts", "Summary", "Writer", "summarizer_seconds"]

SPARE_S = 30.0
"""What retries wait for between their tries, at most, beside the tries' own time."""


def summarizer_seconds(llm: LLMSettings) -> float:
    """Give how long a summarizer may take: all its tries, and the waits between."""
    return llm.timeout_s * (1 + llm.max_retries) + SPARE_S * llm.max_retries


@dataclass(slots=True)
class Attempts:
    """What a fold has cost so far, failed calls included."""

    calls: int = 0
    usage: Counter[str] = field(default_factory=Counter[str])
    refused: list[str] = field(default_factory=list[str])
    model: str | None = None

    def note(self, reply: SummaryReply) -> None:
        """Add a reply's usage."""
        self.usage.update(reply.usage or {})
        self.model = reply.model or self.model


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A segment's text with references; ``degraded`` where the digest stands in."""

    text: str
    degraded: bool


class Writer:
    """Turns requests into a segment's text.

    Args:
        summarizer: a ``Summarizer``, or a plain coroutine function of the same shape.
        find_identifiers, count: as in ``verify``.
        limit_s: seconds that a call may take, whoever made the summarizer.
    """

    def __init__(
        self,
        summarizer: Summarizer,
        find_identifiers: Callable[[str], list[Identifier]],
        count: Callable[[str], int],
        *,
        limit_s: float,
    ) -> None:
        self._limit_s = limit_s
        plugged: object = getattr(summarizer, "summarize", summarizer)
        self._summarize = cast("Callable[[SummaryRequest], Awaitable[object]]", plugged)
        self._find = find_identifiers
        self._count = count
        self._extractive = ExtractiveSummarizer(count)

    async def write(
        self,
        requests: Sequence[SummaryRequest],
        references: References,
        attempts: Attempts,
    ) -> Summary:
        """Ask for each request in turn and join what comes; at most two calls each.

        Raises:
            SummarizerError: a call failed; nothing of the others is kept.
        """
        texts: list[str] = []
        degraded = False
        for request in requests:
            text = await self._asked(request, references, attempts)
            if text is None:
                degraded = True
                text = await self.digest(request, references)
            texts.append(text)
        return Summary(text="\n".join(texts), degraded=degraded)

    async def digest(self, request: SummaryRequest, references: References) -> str:
        """Give the extractive digest of a request; it has passed no model."""
        text = (await self._extractive.summarize(request)).text
        text = bind_literals(text, references.by_number, self._find)
        return clip(text, request.max_tokens, self._cost(references))

    async def _asked(
        self, request: SummaryRequest, references: References, attempts: Attempts
    ) -> str | None:
        """Give a reply that holds, asked for at most twice; None where none does."""
        witness = self._witness(request, references)
        current = request
        for final in (False, True):
            reply = await self._call(current, attempts)
            verdict = verify(
                reply.text,
                witness,
                find_identifiers=self._find,
                count=self._count,
                max_tokens=request.max_tokens,
                final=final,
            )
            if verdict.reason is None:
                return verdict.text
            attempts.refused.append(verdict.reason)
            current = again(request, verdict.reason)
        return None

    async def _call(self, request: SummaryRequest, attempts: Attempts) -> SummaryReply:
        attempts.calls += 1
        try:
            with anyio.fail_after(self._limit_s):
                reply = await self._summarize(request)
        except SummarizerError:
            raise
        except Exception as exc:  # a plugged-in summarizer may raise anything
            raise SummarizerError(
                f"the summarizer raised {type(exc).__qualname__}",
                retryable=True,
                retry_after_s=None,
                status=None,
                reason=type(exc).__qualname__,
            ) from exc
        if isinstance(reply, str):
            reply = SummaryReply(text=reply)
        if not isinstance(reply, SummaryReply):
            raise SummarizerError(
                f"the summarizer gave a {type(reply).__qualname__}, not a SummaryReply",
                retryable=False,
                retry_after_s=None,
                status=None,
                reason="no_reply",
            )
        attempts.note(reply)
        text = cast("object", reply.text)  # a summarizer that nobody type-checked
        return replace(reply, text=well_formed(text) if isinstance(text, str) else "")

    def _witness(self, request: SummaryRequest, references: References) -> Witness:
        numbers = {int(name.rpartition(":")[2]) for name in request.references}
        return Witness(
            transcript=request.transcript,
            context="\n".join(str(message["content"]) for message in request.messages[1:]),
            known={n: references.by_number[n] for n in numbers},
            previous=request.previous,
            language="zh" if request.language == "zh" else "en",
        )

    def _cost(self, references: References) -> Callable[[str], int]:
        return lambda text: cost_shown(text, references.by_number, self._count)
