"""Reads texts with ``memory.extract`` and finds the raw place of what was found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import re2

if TYPE_CHECKING:
    from tiered_memory import MemoryEngine
    from tiered_memory.model import Extraction


@dataclass(frozen=True, slots=True)
class Found:
    """A fact of ours: half-open span in the raw text; ``masked`` ones show a marker.

    ``passing`` ones are reported by ``extract`` and never stored.
    """

    type: str
    start: int
    end: int
    value: str
    normalized: str
    masked: bool = False
    stated: bool = True
    passing: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of a text.

    Attributes:
        facts: candidates that state something, masked ones included.
        masks: raw spans that were masked, by type; with or without a fact.
        inexact: values stored that are no slice of the text.
    """

    facts: tuple[Found, ...]
    masks: tuple[Found, ...]
    inexact: int


class Reader:
    """``memory.extract`` with raw spans; ``role`` overrules that of a row."""

    def __init__(self, memory: MemoryEngine, role: str | None = None) -> None:
        self._memory = memory
        self._role = role

    def read(
        self, text: str, *, role: str, question: str | None, ref_time: str | None = None
    ) -> Reading:
        """Read one text."""
        when = datetime.fromisoformat(f"{ref_time}+00:00") if ref_time else None
        taken = self._memory.extract(
            text, role=self._role or role, question=question, when=when
        )
        return _reading(text, taken)


def _reading(text: str, taken: Extraction) -> Reading:
    masked = taken.masked
    marks = _marks(text, masked, tuple(taken.masked_counts))
    facts: list[Found] = []
    inexact = 0
    for item in taken.facts:
        if item.masked:
            place = next((m for m in marks if (m[0], m[1]) == (item.start, item.end)), None)
            span = place[2:4] if place else (-1, -1)
        else:
            shift = sum((m[3] - m[2]) - (m[1] - m[0]) for m in marks if m[1] <= item.start)
            span = (item.start + shift, item.end + shift)
            inexact += text[span[0] : span[1]] != item.value
        inexact += masked[item.start : item.end] != item.value
        facts.append(
            Found(
                item.type,
                *span,
                item.value,
                item.normalized,
                item.masked,
                item.polarity == "assert",
                item.passing,
            )
        )
    masks = tuple(Found(m[4], m[2], m[3], text[m[2] : m[3]], "", True) for m in marks)
    return Reading(tuple(f for f in facts if f.stated), masks, inexact)


def _marks(
    text: str, masked: str, types: tuple[str, ...]
) -> list[tuple[int, int, int, int, str]]:
    """Give new markers: span in the masked text, span in the raw text, type."""
    if text == masked or not types:
        return []
    marker = _marker(types)
    pieces: list[str] = []
    where: list[tuple[int, int, str]] = []
    done = 0
    for hit in marker.finditer(masked):
        pieces.append(_literal(masked[done : hit.start()]))
        where.append((hit.start(), hit.end(), hit.group(1)))
        pieces.append(_hidden(hit.group(2) or ""))
        done = hit.end()
    pieces.append(_literal(masked[done:]))
    whole = re2.fullmatch("(?s)" + "".join(pieces), text)
    if whole is None:
        return [(s, e, 0, len(text), name) for s, e, name in where]
    return [
        (s, e, *cast("tuple[int, int]", whole.span(n)), name)
        for n, (s, e, name) in enumerate(where, 1)
    ]


def _literal(text: str) -> str:
    return str(re2.escape(text))


def _hidden(shown: str) -> str:
    """Give an expression for what a marker hides, which ends in the characters shown."""
    if not shown:
        return "(.+?)"
    return "(.*?" + "[^0-9A-Za-z]*".join(_literal(c) for c in shown) + ")"


@lru_cache(maxsize=256)
def _marker(types: tuple[str, ...]) -> Any:
    names = "|".join(_literal(name) for name in sorted(types, key=len, reverse=True))
    return re2.compile(rf"\[({names})(?: \*\*\*\*([^\s\[\]*]{{1,8}}))?\]")
