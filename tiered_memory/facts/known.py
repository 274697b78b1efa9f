"""Known values that a text speaks of without a word that would type them: ``A8801到哪了``."""

from __future__ import annotations

from bisect import insort
from typing import TYPE_CHECKING

from tiered_memory.facts.choosing import touches
from tiered_memory.facts.lanes import TextView
from tiered_memory.model import Candidate
from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tiered_memory.facts.context import ContextReader
    from tiered_memory.model import Fact

__all__ = ["mentionable", "mentions"]

PATTERN = "known"
"""Stands where a candidate names its pattern."""

LEAST_CHARS = 4
"""A shorter value is anything: a floor, a quantity."""


def mentionable(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Give the facts whose value is a code with a digit: it means nothing else."""
    return tuple(
        fact
        for fact in facts
        if fact.identifier
        and not fact.masked
        and len(fact.normalized) >= LEAST_CHARS
        and any(char.isdigit() for char in fact.normalized)
    )


def mentions(
    text: str,
    facts: Sequence[Fact],
    taken: Iterable[Candidate],
    context: ContextReader,
    *,
    part: str,
    index: int,
) -> list[Candidate]:
    """Give candidates that point at ``facts`` or take them back, left to right.

    ``taken`` was read in ``text`` already. What is supposed or planned is not spoken of.
    The one value of a key that is denied is taken back; of many, ``not A8801`` may as
    well say that another one is meant. Linear in the text for each fact.
    """
    if not any(char.isdigit() for char in text):
        return []
    folded = fold(text)
    view = TextView(folded.text)
    spans = sorted(folded.folded_span(c.start, c.end) for c in taken if c.part == part)
    found: list[Candidate] = []
    around = None
    for fact in facts:
        for start, end in _places(view.lower, fact):
            if touches(spans, start, end):
                continue
            around = around or context.open(view)
            one = fact.cardinality == "one"
            standing = around.standing(start, end, type_name=fact.type, one=one)
            denied = standing.polarity == "negate"
            if (denied and not one) or not (standing.stated or standing.reason == "asked"):
                continue
            insort(spans, (start, end))
            first, last = folded.raw_span(start, end)
            found.append(
                Candidate(
                    type=fact.type,
                    key=fact.key,
                    owner=fact.owner,
                    value=text[first:last],
                    normalized=fact.normalized,
                    part=part,
                    start=first,
                    end=last,
                    index=index,
                    confidence=fact.confidence,
                    pattern=PATTERN,
                    polarity="negate" if denied else "mention",
                    cardinality=fact.cardinality,
                    why={"standing": "denied" if denied else "mentioned"},
                )
            )
    return sorted(found, key=lambda c: c.start)


def _places(lower: str, fact: Fact) -> Iterator[tuple[int, int]]:
    value = fact.value if fact.value.isascii() else fold(fact.value).text
    forms = [value.lower(), fact.normalized.lower()]
    if forms[0] == forms[1]:
        del forms[1]
    for form in forms:
        start = lower.find(form)
        while start >= 0:
            end = start + len(form)
            if not (_joins(lower[start - 1 : start]) or _joins(lower[end : end + 1])):
                yield (start, end)
            start = lower.find(form, end)


def _joins(char: str) -> bool:
    """Tell whether a neighbour makes the value part of a longer one."""
    return char.isascii() and (char.isalnum() or char in "_-") and bool(char)
