"""Bare answers: which of the types asked for each value has, or none of them.

An answer that a customer types is often the value alone. It is taken for what was asked
unless its own words, or the pattern of another type, say that it is something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.facts.choosing import touches
from tiered_memory.facts.labels import Labels, beside, counted, within
from tiered_memory.facts.matches import (
    WHOLE_ANSWER_PRIORITY,
    answered,
    slot_matches,
)
from tiered_memory.facts.re2_engine import compile_re2

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tiered_memory.facts.labels import Label
    from tiered_memory.facts.lanes import TextView, Timer
    from tiered_memory.facts.matches import Match
    from tiered_memory.facts.patterns import Pattern

__all__ = ["AnswerReader", "claims"]

SHAPE_PRIORITY = 40
"""From here up a shape of its own (a day, a sum, an address) outranks part of an answer."""

LEAST_DIGITS = 4
"""Fewer digits inside a sentence count something; alone they may be an answer."""

GROUP_DIGITS = 4
"""Groups of at most so many digits beside each other are one number."""

_YEAR = compile_re2(
    r"(?:^|[^a-z])(?:since|in|from|until|till|during|year|back in) (?:19|20)[0-9]{2}$"
)
"""When something was, not what was asked for: ``since 2019``."""

LONG_DIGITS = 9
"""A telephone number beside an address; house numbers and postcodes are shorter."""


def claims(matches: Iterable[Match]) -> list[Match]:
    """Give the matches that stand by themselves, whatever was asked."""
    return [
        match
        for match in matches
        if not match.answer and (match.cued or match.priority >= SHAPE_PRIORITY)
    ]


@dataclass(frozen=True, slots=True)
class _Choice:
    """Answers that share characters, and the types that they may have."""

    start: int
    matches: tuple[Match, ...]

    def types(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(match.pattern.spec.type for match in self.matches))

    def of(self, name: str) -> list[Match]:
        return [match for match in self.matches if match.pattern.spec.type == name]


@dataclass(frozen=True, slots=True)
class _Blocked:
    """Where no answer can be: markers, and by type what else stands there by itself.

    ``strong`` holds against a message that is nothing but the value, too.
    """

    markers: Sequence[tuple[int, int]]
    strong: Mapping[str, Sequence[tuple[int, int]]]
    every: Mapping[str, Sequence[tuple[int, int]]]

    @classmethod
    def of(cls, taken: Iterable[Match], markers: Sequence[tuple[int, int]]) -> _Blocked:
        strong: dict[str, list[tuple[int, int]]] = {}
        every: dict[str, list[tuple[int, int]]] = {}
        for match in sorted(taken, key=lambda m: m.start):
            name = match.pattern.spec.type
            _join(every.setdefault(name, []), match.start, match.end)
            if match.cued or name in {"url", "email"}:
                _join(strong.setdefault(name, []), match.start, match.end)
        return cls(markers, strong, every)

    def holds(self, match: Match, *, whole: bool) -> bool:
        if touches(self.markers, match.start, match.end):
            return True
        return any(
            name != match.pattern.spec.type and touches(spans, match.start, match.end)
            for name, spans in (self.strong if whole else self.every).items()
        )


def _join(spans: list[tuple[int, int]], start: int, end: int) -> None:
    if spans and start < spans[-1][1]:
        spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
    else:
        spans.append((start, end))


class AnswerReader:
    """Reads bare answers; made once for the slots of a pattern set."""

    def __init__(self, slots: Sequence[Pattern]) -> None:
        self._slots = tuple(slots)
        self._labels = Labels(slots)

    def read(
        self,
        view: TextView,
        timer: Timer,
        expected: Collection[str],
        *,
        taken: Sequence[Match] = (),
        markers: Sequence[tuple[int, int]] = (),
    ) -> list[Match]:
        """Give the answers in ``view``, of stored and of sensitive types.

        Args:
            view: the folded text.
            timer: what is left of the message's time.
            expected: types asked for, in the order of the question.
            taken: what stands in the text by itself; see ``claims``.
            markers: sorted spans of what was masked before; each answered its type.
        """
        found = slot_matches(self._slots, view, timer, expected)
        if not found:
            return []
        labels = self._labels.find(view.lower)
        blocked = _Blocked.of(taken, markers)
        fit = [m for m in found if _fits(m, view, labels, blocked)]
        if not fit:
            return []
        told = {m.pattern.spec.type for m in taken if m.cued}
        shown = [view.text[start + 1 : end - 1] for start, end in markers]
        told.update(n for n in expected if any(_stands_for(text, n) for text in shown))
        return list(_assigned(_choices(_cut(fit, view), view, labels), expected, told))


def _fits(
    match: Match,
    view: TextView,
    labels: Sequence[Label],
    blocked: _Blocked,
) -> bool:
    whole = match.priority >= WHOLE_ANSWER_PRIORITY
    if blocked.holds(match, whole=whole):
        return False
    if not _coded(match):
        return True
    label = beside(labels, view.lower, match.start)
    named = [*within(labels, match.start, match.end), *([label] if label else ())]
    if not all(_agrees(label, match) for label in named):
        return False
    if not whole and _YEAR.search(view.lower[max(0, match.start - 12) : match.end]):
        return False
    return whole or not (_part_of_more(match, view) or counted(view.lower, match.end))


def _agrees(label: Label, match: Match) -> bool:
    kind = match.pattern.spec.type
    return kind in label.types or (kind == "postcode" and "address" in label.types)


def _coded(match: Match) -> bool:
    """Tell a number or code, which has no meaning of its own, from a sum or an address."""
    spec = match.pattern.spec
    if spec.type in {"address", "amount", "date", "person_name"}:
        return False
    return spec.identifier or match.pattern.sensitive


def _part_of_more(match: Match, view: TextView) -> bool:
    """Tell a count (``20 of them``) or a group out of a longer number."""
    value, text = match.value, view.text
    digits = sum("0" <= char <= "9" for char in value)
    if value.isdigit() and digits < LEAST_DIGITS and match.pattern.action != "drop":
        return True
    if not 0 < digits < LONG_DIGITS or not all(
        "0" <= c <= "9" or c in " -.()/+" for c in value
    ):
        return False
    before = _group(text[max(0, match.start - 12) : match.start][::-1])
    after = _group(text[match.end : match.end + 12])
    own = value.replace("-", " ").replace(".", " ").split()
    return (1 < before <= GROUP_DIGITS and len(own[0]) <= GROUP_DIGITS) or (
        1 < after <= GROUP_DIGITS and len(own[-1]) <= GROUP_DIGITS
    )


def _group(near: str) -> int:
    """Count the digits that stand one space, dot or hyphen away; 0 beside anything else."""
    if near[:1] not in {" ", "-", "."}:
        return 0
    count = 1
    while count < len(near) and "0" <= near[count] <= "9":
        count += 1
    bounded = count == len(near) or not near[count].isalnum()
    return count - 1 if bounded else 0


def _stands_for(shown: str, name: str) -> bool:
    """Tell whether a marker's inner text is of a type: ``card_number ****1881``."""
    return shown == name or shown.startswith((f"{name} ", f"{name}-"))


def _cut(matches: Sequence[Match], view: TextView) -> list[Match]:
    """Leave to an address what a long number at its beginning or end leaves of it."""
    if not any(match.pattern.spec.type == "address" for match in matches):
        return list(matches)
    numbers = [
        match
        for match in matches
        if _coded(match) and sum("0" <= c <= "9" for c in match.value) >= LONG_DIGITS
    ]
    kept: list[Match] = []
    for match in matches:
        inner = [
            number
            for number in numbers
            if match.pattern.spec.type == "address"
            and match.start <= number.start
            and number.end <= match.end
        ]
        if not inner:
            kept.append(match)
            continue
        before = (match.start, min(number.start for number in inner))
        after = (max(number.end for number in inner), match.end)
        longer = max(before, after, key=lambda span: span[1] - span[0])
        rest = answered(match.pattern, view, *longer)
        if rest is not None:
            kept.append(rest)
    return kept


def _choices(
    matches: Iterable[Match], view: TextView, labels: Sequence[Label]
) -> list[_Choice]:
    """Group answers that share characters; a label leaves its own types."""
    ordered = sorted(matches, key=lambda m: (m.start, -m.end))
    groups: list[list[Match]] = []
    end = -1
    for match in ordered:
        if groups and match.start < end:
            groups[-1].append(match)
        else:
            groups.append([match])
        end = max(end, match.end)
    choices: list[_Choice] = []
    for group in groups:
        label = beside(labels, view.lower, group[0].start)
        named = [m for m in group if label and m.pattern.spec.type in label.types]
        choices.append(_Choice(group[0].start, tuple(named or group)))
    return choices


def _assigned(
    choices: Sequence[_Choice], expected: Collection[str], told: set[str]
) -> Iterable[Match]:
    """Give each value one type: the only one it fits, else in the order of the question.

    Where fewer values came than were asked for, a sensitive type goes first: what may
    be secret is not stored.
    """
    single = {
        name for choice in choices if len(names := choice.types()) == 1 for name in names
    }
    still = [name for name in expected if name not in single and name not in told]
    unclear = [choice for choice in choices if len(choice.types()) > 1]
    wanted = sum(any(name in choice.types() for choice in unclear) for name in still)
    for choice in choices:
        names = choice.types()
        free = [name for name in still if name in names] or list(names)
        if len(unclear) < wanted or free[0] not in still:
            free.sort(key=lambda name: not _secret(choice, name))
        name = free[0]
        if name in still:
            still.remove(name)
        yield from choice.of(name)


def _secret(choice: _Choice, name: str) -> bool:
    return any(match.pattern.sensitive for match in choice.of(name))
