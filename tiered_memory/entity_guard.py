"""What recognizers alone can find and must not be stored: found before anything is written."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio
from anyio import to_thread

from tiered_memory.chat.leaves import text_leaves
from tiered_memory.errors import RecognizerError
from tiered_memory.facts.entities import EntityText
from tiered_memory.facts.json_leaves import json_leaves, leaf_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from tiered_memory.chat.leaves import Leaf
    from tiered_memory.entity_worker import EntityWorker
    from tiered_memory.model import Candidate, Payload

__all__ = ["EntityGuard", "everywhere"]

T = TypeVar("T")

HEAD_ROLES = frozenset({"system", "developer"})
"""The application's own words."""

SLICE = 4_096
"""Characters given to the recognizers at once: a tenth of a second, after which others that
wait have their turn."""
OVERLAP = 100
_ENDS = "\n。！？!?;；"
INLINE_CHARS = 8_192


class EntityGuard:
    """Finds entities of types that may not be stored, in messages about to be stored.

    Fails closed: no answer in time, no message. All texts are read to their end, those of
    tools and of the assistant too; not the application's instructions.
    """

    def __init__(
        self, worker: EntityWorker, types: Collection[str], *, deadline_ms: int
    ) -> None:
        self._worker = worker
        self._types = frozenset(types)
        self._deadline_ms = deadline_ms

    async def entities(
        self, payloads: Sequence[Payload]
    ) -> tuple[tuple[Candidate, ...], ...]:
        """Give what is named in each payload, ``part`` being its text's place.

        Spans are in the text as it came; of a JSON text they are in the text of its
        values. About 7 ms a text where nobody else waits, and 30 ms for 1,000 characters.

        Raises:
            RecognizerError: the recognizers failed, or ``ner.deadline_ms`` passed.
        """
        try:
            with anyio.fail_after(self._deadline_ms / 1_000):
                return tuple([await self._named(payload) for payload in payloads])
        except TimeoutError:
            raise RecognizerError(
                f"the recognizers did not read the message within ner.deadline_ms = "
                f"{self._deadline_ms}, and {', '.join(sorted(self._types))} must be masked: "
                "nothing was stored; try again, or raise ner.deadline_ms",
                reason="time",
                deadline_ms=self._deadline_ms,
            ) from None

    async def _named(self, payload: Payload) -> tuple[Candidate, ...]:
        if payload["role"] in HEAD_ROLES:
            return ()
        named: list[Candidate] = []
        for leaf in text_leaves(payload):
            text = await _worked(len(leaf.text), partial(_read_as, leaf))
            found: list[Candidate] = []
            for start, piece in _slices(text):
                (candidates,) = await self._worker.mentions([piece])
                found += [_moved(c, start) for c in candidates if c.type in self._types]
            if found:
                named += await _worked(len(text.text), partial(everywhere, text, found))
        return tuple(named)


def _read_as(leaf: Leaf) -> EntityText:
    """Give a text as recognizers read it: a JSON text without its quotes and escapes."""
    leaves = json_leaves(leaf.text)
    text = leaf.text if leaves is None else leaf_text(leaves).text
    return EntityText(text=text, part=leaf.part)


def _slices(text: EntityText) -> Iterator[tuple[int, EntityText]]:
    """Cut a long text where a sentence ends; else the pieces overlap."""
    start, whole = 0, text.text
    while start < len(whole):
        end = min(len(whole), start + SLICE)
        overlap = 0
        if end < len(whole):
            cut = max(whole.rfind(mark, start + SLICE // 2, end) for mark in _ENDS)
            end, overlap = (cut + 1, 0) if cut >= 0 else (end, OVERLAP)
        yield start, EntityText(text=whole[start:end], part=text.part)
        start = end - overlap


def everywhere(text: EntityText, found: Sequence[Candidate]) -> list[Candidate]:
    """Give every place in ``text`` where a found value stands, left to right.

    A recognizer may see a name once and miss it a line later. Latin values are whole words.
    """
    placed = {(c.start, c.end): c for c in found}
    for candidate in {c.value: c for c in found}.values():
        value = candidate.value
        start = text.text.find(value)
        while start >= 0:
            end = start + len(value)
            if (start, end) not in placed and _whole(text.text, start, end):
                placed[start, end] = replace(candidate, start=start, end=end)
            start = text.text.find(value, end)
    return [placed[span] for span in sorted(placed)]


def _whole(text: str, start: int, end: int) -> bool:
    def joined(left: str, right: str) -> bool:
        return left.isascii() and right.isascii() and left.isalnum() and right.isalnum()

    return not (
        joined(text[start - 1 : start] or " ", text[start])
        or joined(text[end - 1], text[end : end + 1] or " ")
    )


def _moved(candidate: Candidate, by: int) -> Candidate:
    return replace(candidate, start=candidate.start + by, end=candidate.end + by)


async def _worked(chars: int, work: Callable[[], T]) -> T:
    """Do work here, or off the loop where it may take long."""
    return work() if chars <= INLINE_CHARS else await to_thread.run_sync(work)
