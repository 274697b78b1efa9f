"""Counts what was found against what was marked."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from extraction_parts.data import accepted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from extraction_parts.data import Row, Span
    from extraction_parts.reading import Found, Reading


@dataclass(slots=True)
class Tally:
    """Counts of one type in one set.

    Attributes:
        hit: marked and found; by the exact span unless the set is scored otherwise.
        miss: marked and not so found; of these ``near`` with another border or normal
            form, ``other`` as another type.
        extra: found where nothing of the type is marked; of these ``hole`` with a value
            that the set marks with this type in another row, and ``unmarked`` in a row
            that marks nothing of the type, on characters that it marks as nothing else:
            sets leave such values out (a reference in capitals, a second address).
    """

    hit: int = 0
    miss: int = 0
    near: int = 0
    other: int = 0
    extra: int = 0
    hole: int = 0
    unmarked: int = 0

    @property
    def precision(self) -> float:
        """Share of what was found that is marked; 1 where nothing was found."""
        return self.hit / (self.hit + self.extra) if self.hit + self.extra else 1.0

    @property
    def recall(self) -> float:
        """Share of what is marked that was found; 1 where nothing is marked."""
        return self.hit / (self.hit + self.miss) if self.hit + self.miss else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = 2 * self.hit + self.extra + self.miss
        return 2 * self.hit / both if both else 1.0

    @property
    def marked_f1(self) -> float:
        """F1 without what was found in unmarked places."""
        both = 2 * self.hit + self.extra - self.unmarked + self.miss
        return 2 * self.hit / both if both else 1.0

    def plus(self, other: Tally) -> Tally:
        """Add two up."""
        names = self.__slots__
        return Tally(**{n: getattr(self, n) + getattr(other, n) for n in names})


@dataclass(slots=True)
class Figure:
    """One measured number; ``bound`` is what it has to reach, from below or above."""

    group: str
    name: str
    value: float
    count: int
    bound: float | None = None
    most: bool = False

    @property
    def passed(self) -> bool | None:
        """Tell whether the bound is kept; None where there is none or nothing to count."""
        if self.bound is None or not self.count:
            return None
        return self.value <= self.bound if self.most else self.value >= self.bound


@dataclass(slots=True)
class Score:
    """Tallies by type, and the faults behind them."""

    set: str
    mode: str
    tallies: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    faults: list[dict[str, Any]] = field(default_factory=list)
    values: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def know(self, rows: Iterable[Row]) -> None:
        """Note the values that a set marks, to tell its holes."""
        for row in rows:
            for span in row.spans:
                for name in accepted(span.type):
                    self.values[name].add(span.value.lower())

    def add(
        self,
        row: Row,
        found: Iterable[Found],
        types: Collection[str],
        *,
        same: Callable[[Found, Span], bool] | None = None,
        counts: Callable[[Span], bool] | None = None,
        question: str | None = None,
    ) -> None:
        """Count a row; spans that ``counts`` refuses are neither wanted nor wrong."""
        same = same or exact
        ours = [f for f in found if not any(overlap(f, s) for s in row.unscored)]
        used: set[int] = set()
        for span in row.spans:
            if span.type not in types:
                continue
            right = [n for n, f in enumerate(ours) if f.type in accepted(span.type)]
            if counts is not None and not counts(span):
                used |= {n for n in right if overlap(ours[n], span)}
                continue
            hits = [n for n in right if same(ours[n], span)]
            used |= set(hits)
            if hits:
                self.tallies[span.type].hit += 1
                continue
            self._missed(row, span, ours, right, question)
        for number, item in enumerate(ours):
            if number not in used:
                self._extra(row, item, types, question)

    def _missed(
        self,
        row: Row,
        span: Span,
        ours: list[Found],
        right: list[int],
        question: str | None,
    ) -> None:
        tally = self.tallies[span.type]
        tally.miss += 1
        near = [ours[n] for n in right if overlap(ours[n], span)]
        other = [f for f in ours if overlap(f, span)]
        tally.near += bool(near)
        tally.other += bool(other) and not near
        kind = "near" if near else "other type" if other else "missed"
        self._fault(row, kind, span.type, span.value, near or other, question)

    def _extra(
        self, row: Row, item: Found, types: Collection[str], question: str | None
    ) -> None:
        for name in types:
            if item.type in accepted(name):
                tally = self.tallies[name]
                tally.extra += 1
                hole = item.value.lower() in self.values.get(item.type, ())
                tally.hole += hole
                open_row = all(s.type != name for s in row.spans)
                unmarked = open_row and not any(overlap(item, s) for s in row.spans)
                tally.unmarked += unmarked
                kind = "extra, marked elsewhere" if hole else "extra"
                kind += ", unmarked row" if unmarked else ""
                self._fault(row, kind, name, None, [item], question)
                return

    def _fault(
        self,
        row: Row,
        kind: str,
        type_name: str,
        gold: str | None,
        found: Iterable[Found],
        question: str | None,
    ) -> None:
        self.faults.append(
            {
                "set": self.set,
                "mode": self.mode,
                "kind": kind,
                "type": type_name,
                "id": row.id,
                "text": row.text,
                "question": question,
                "gold": gold,
                "found": [(f.type, row.text[f.start : f.end], f.normalized) for f in found],
            }
        )


def exact(item: Found, span: Span) -> bool:
    """Tell whether a value has the marked span."""
    return (item.start, item.end) == (span.start, span.end)


def contained(item: Found, span: Span) -> bool:
    """Tell whether one span contains the other: marks may leave out an area code."""
    return (item.start <= span.start and span.end <= item.end) or (
        span.start <= item.start and item.end <= span.end
    )


def overlap(item: Found, span: Span) -> bool:
    """Tell whether the two share a character."""
    return item.start < span.end and item.end > span.start


def everything(reading: Reading) -> list[Found]:
    """Give facts and, once, what was masked."""
    places = {(m.start, m.end) for m in reading.masks}
    stored = [f for f in reading.facts if (f.start, f.end) not in places]
    return [*stored, *reading.masks]


def covered(reading: Reading, span: Span, text: str) -> bool:
    """Tell whether every letter and digit of a marked value was masked."""
    hidden = {n for m in reading.masks for n in range(m.start, m.end)}
    return all(n in hidden for n in range(span.start, span.end) if text[n].isalnum())
