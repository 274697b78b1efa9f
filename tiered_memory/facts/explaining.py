"""Why each match of a text became a fact, was masked, or was not taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.model import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tiered_memory.facts.marks import Mark
    from tiered_memory.model import Candidate

__all__ = ["reasons"]


def reasons(facts: Iterable[Candidate], marks: Iterable[Mark]) -> tuple[Reason, ...]:
    """Give the reasons for facts and for markers, left to right."""
    found = [_of_fact(fact) for fact in facts if not fact.masked]
    found += [_of_mark(mark) for mark in marks]
    return tuple(sorted(found, key=lambda reason: (reason.start, reason.end)))


def _of_fact(fact: Candidate) -> Reason:
    return Reason(
        outcome="fact",
        type=fact.type,
        pattern=fact.pattern,
        value=fact.value,
        start=fact.start,
        end=fact.end,
        score=fact.confidence,
        context=fact.why.get("context"),
        validator=fact.why.get("validator"),
        standing=fact.why.get("standing"),
        slot=fact.why.get("slot"),
    )


def _of_mark(mark: Mark) -> Reason:
    return Reason(
        outcome="masked",
        type=mark.type,
        pattern="" if mark.pattern is None else mark.pattern.spec.id,
        value=mark.shown,
        start=mark.start,
        end=mark.end,
        score=mark.score,
    )
