"""Why each match of a text became a fact, was masked, or was not taken."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tiered_memory.facts.choosing import touches
from tiered_memory.facts.lanes import Timer
from tiered_memory.facts.matches import Match, judgements
from tiered_memory.model import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from tiered_memory.facts.context import Standing
    from tiered_memory.facts.lanes import TextView
    from tiered_memory.facts.marks import Mark
    from tiered_memory.facts.matches import Refusal
    from tiered_memory.facts.patterns import Hit, ScanSet
    from tiered_memory.model import Candidate
    from tiered_memory.text.folding import Folded

__all__ = ["Explainer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explainer:
    """One text that was read, to be told why.

    Attributes:
        kept: matches that won where several overlapped.
        blocked: folded spans of markers, left to right.
        cut: where the text was cut off, or None.
        standing: how the value of a pattern stands at a folded span.
    """

    scan: ScanSet
    view: TextView
    folded: Folded
    expected: Collection[str]
    kept: Sequence[Match]
    blocked: Sequence[tuple[int, int]]
    cut: int | None
    standing: Callable[[Match], Standing]

    def reasons(
        self, facts: Iterable[Candidate], marks: Iterable[Mark]
    ) -> tuple[Reason, ...]:
        """Give a reason for each fact, marker and other hit, left to right."""
        told = {
            (fact.start, fact.end, fact.pattern): _of_fact(fact)
            for fact in facts
            if not fact.masked
        }
        others: list[Reason] = [_of_mark(mark) for mark in marks]
        for hit, found in judgements(self.scan, self.view, Timer(), self.expected):
            reason = self._of_hit(hit, found)
            place = (reason.start, reason.end, reason.pattern)
            if place not in told:
                others.append(reason)
            elif told[place].context is None:
                told[place] = replace(told[place], context=self._cue(hit))
        return tuple(sorted((*told.values(), *others), key=lambda r: (r.start, r.end)))

    def _of_hit(self, hit: Hit, found: Match | Refusal) -> Reason:
        spec = hit.pattern.spec
        if not isinstance(found, Match):
            start, end = self.folded.raw_span(hit.span.start, hit.span.end)
            return Reason(
                outcome=found,
                type=spec.type,
                pattern=spec.id,
                value=self.folded.raw[start:end],
                start=start,
                end=end,
                score=spec.score,
                context=self._cue(hit),
            )
        start, end = self.folded.raw_span(found.start, found.end)
        outcome, winner = self._lost(found)
        return Reason(
            outcome=outcome,
            type=spec.type,
            pattern=spec.id,
            value=self.folded.raw[start:end],
            start=start,
            end=end,
            score=round(found.score, 3),
            context=found.why.get("context") or self._cue(hit),
            validator=found.why.get("validator"),
            standing=self.standing(found).reason or None,
            slot=found.why.get("slot"),
            lost_to=winner,
        )

    def _lost(self, match: Match) -> tuple[str, str | None]:
        """Tell what kept a match from being a fact, and who took its place."""
        if touches(self.blocked, match.start, match.end):
            return "masked_span", None
        if match.end == self.cut:
            return "cut", None
        for other in self.kept:
            if other.start < match.end and match.start < other.end:
                if (other.start, other.end) == (match.start, match.end) and (
                    other.pattern is match.pattern
                ):
                    break
                url = other.pattern.spec.type == "url" and not match.pattern.spec.in_url
                return ("url" if url else "overlap"), other.pattern.id
        standing = self.standing(match)
        return standing.reason or "overlap", None

    def _cue(self, hit: Hit) -> str | None:
        """Give what the expression itself holds beside its value."""
        span, text = hit.span, self.view.text
        beside = f"{text[span.left : span.start]} {text[span.end : span.right]}"
        return beside.strip(" :,，。") or None


def _of_fact(fact: Candidate) -> Reason:
    why = fact.why
    return Reason(
        outcome="passing" if fact.passing else "fact",
        type=fact.type,
        pattern=fact.pattern,
        value=fact.value,
        start=fact.start,
        end=fact.end,
        score=fact.confidence,
        context=why.get("context"),
        validator=why.get("validator"),
        standing=why.get("standing"),
        slot=why.get("slot"),
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
