"""Stage 1: all patterns in one scan, then a search for each that hit."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tiered_memory.facts.plugged import FailureCount
from tiered_memory.facts.re2_engine import Gate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tiered_memory.facts.calendar_steps import Reference
    from tiered_memory.facts.lanes import Expression, Span, TextView, Timer
    from tiered_memory.facts.pack_schema import PatternSpec
    from tiered_memory.facts.readers import Reader
    from tiered_memory.facts.windows import Announcer
    from tiered_memory.settings import MaskAction

__all__ = ["Hit", "Pattern", "PatternSet", "Quarantine", "ScanSet"]

QUARANTINE_AFTER = 3

_STRICTEST: Sequence[MaskAction] = ("drop", "mask", "pseudonym", "store")

SET_INSTRUCTIONS = 64_000
"""Of one RE2 set: compiling it takes 40 ms and holds the interpreter; a pass 2 µs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A pattern ready to run.

    Attributes:
        action: the pack's sensitivity, or what ``settings.masking`` says of the type.
        bare: what a bare answer looks like, where the pattern has a slot.
        reader: finds the value's borders where the expressions cannot.
        origin: file and line, for people.
        announcer: finds the words of its context.
        resolver: in place of ``normalizer`` where the time of the message is known.
    """

    spec: PatternSpec
    action: MaskAction
    expressions: tuple[Expression, ...]
    bare: Expression | None
    validator: Callable[[str], bool | None] | None
    normalizer: Callable[[str], str | None]
    origin: str
    reader: Reader | None = None
    announcer: Announcer | None = None
    resolver: Callable[[str, Reference], str | None] | None = None

    @property
    def id(self) -> str:
        """The pack's name for it."""
        return self.spec.id

    @property
    def all_expressions(self) -> tuple[Expression, ...]:
        """Its expressions, that of a bare answer included."""
        return self.expressions if self.bare is None else (*self.expressions, self.bare)

    @property
    def sensitive(self) -> bool:
        """Whether its values may not be stored."""
        return self.action != "store"


class Hit(NamedTuple):
    """One match of a pattern, before its checks; a tuple for speed, as ``Span`` is."""

    pattern: Pattern
    span: Span


class Quarantine:
    """Counts time-outs by pattern id; one that reaches the limit is left out."""

    __slots__ = ("_counts", "_lock")

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def note(self, name: str) -> None:
        """Count a time-out."""
        with self._lock:
            self._counts[name] = self._counts.get(name, 0) + 1

    def holds(self, name: str) -> bool:
        """Tell whether the pattern is left out."""
        return self._counts.get(name, 0) >= QUARANTINE_AFTER

    def counts(self) -> dict[str, int]:
        """Give time-outs by pattern id."""
        with self._lock:
            return dict(self._counts)


class ScanSet:
    """Some patterns behind few RE2 sets; the ``regex`` lane runs beside it."""

    def __init__(self, patterns: Sequence[Pattern], quarantine: Quarantine) -> None:
        self.patterns = tuple(patterns)
        self._quarantine = quarantine
        self._entries: list[tuple[Pattern, Expression]] = []
        self._slow: list[tuple[Pattern, Expression]] = []
        for pattern in patterns:
            for expression in pattern.expressions:
                lane = self._slow if expression.lane == "regex" else self._entries
                lane.append((pattern, expression))
        self._gates = tuple(_gates([expression for _, expression in self._entries]))

    def hits(self, view: TextView, timer: Timer) -> Iterator[Hit]:
        """Give all matches, pattern by pattern; names those out of time in ``timer``."""
        if not view.text:
            return
        for number in self.matching(view.data):
            pattern, expression = self._entries[number]
            for span in expression.spans(view, timer):
                yield Hit(pattern, span)
        for pattern, expression in self._slow:
            yield from self._slow_hits(pattern, expression, view, timer)

    def matching(self, data: bytes) -> list[int]:
        """Give the numbers of the expressions in RE2 that match somewhere, ascending."""
        found: list[int] = []
        for first, gate in self._gates:
            found += [first + number for number in gate.matching(data)]
        return found

    def _slow_hits(
        self, pattern: Pattern, expression: Expression, view: TextView, timer: Timer
    ) -> Iterator[Hit]:
        if not pattern.sensitive and self._quarantine.holds(pattern.id):
            timer.timed_out.append(pattern.id)
            return
        try:
            spans = expression.spans(view, timer)
        except TimeoutError:
            self._quarantine.note(pattern.id)
            timer.timed_out.append(pattern.id)
            return
        for span in spans:
            yield Hit(pattern, span)


def _gates(expressions: Sequence[Expression]) -> Iterator[tuple[int, Gate]]:
    """Put expressions into sets, each with the number of its first one."""
    first = size = 0
    for number, expression in enumerate(expressions):
        size += expression.program.size
        if size > SET_INSTRUCTIONS and number > first:
            yield first, Gate(one.wrapped for one in expressions[first:number])
            first, size = number, expression.program.size
    if expressions:
        yield first, Gate(one.wrapped for one in expressions[first:])


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternSet:
    """All patterns of an engine; never changed, shared by threads.

    Attributes:
        secrets: what masks, in a set of its own.
        facts: what is stored.
        slots: those that a question can ask for.
        warnings: what to tell people, e.g. a pattern outside RE2.
        time_outs: counts of the lane with a time limit.
        masking: what the settings say, by type; recognizers' types too.
        failures: counts of validators of the user's own.
    """

    patterns: tuple[Pattern, ...]
    secrets: ScanSet
    facts: ScanSet
    slots: tuple[Pattern, ...]
    warnings: tuple[str, ...] = ()
    time_outs: Quarantine = field(default_factory=Quarantine)
    masking: Mapping[str, MaskAction] = field(default_factory=dict[str, "MaskAction"])
    failures: FailureCount = field(default_factory=FailureCount)

    @classmethod
    def of(
        cls,
        patterns: Sequence[Pattern],
        *,
        warnings: Sequence[str] = (),
        masking: Mapping[str, MaskAction] | None = None,
        failures: FailureCount | None = None,
    ) -> PatternSet:
        """Build the sets; a few ms.

        Raises:
            re2.error: the patterns together pass the memory of a set.
        """
        quarantine = Quarantine()
        return cls(
            patterns=tuple(patterns),
            secrets=ScanSet([p for p in patterns if p.sensitive], quarantine),
            facts=ScanSet([p for p in patterns if not p.sensitive], quarantine),
            slots=tuple(p for p in patterns if p.spec.slot is not None),
            warnings=tuple(warnings),
            time_outs=quarantine,
            masking=dict(masking or {}),
            failures=failures or FailureCount(),
        )

    def action(self, type_name: str) -> MaskAction:
        """Give what is done with values of a type that a recognizer names.

        The settings' word, else the strictest of the type's patterns.
        """
        given = self.masking.get(type_name)
        if given is not None:
            return given
        actions = {p.action for p in self.patterns if p.spec.type == type_name}
        for action in _STRICTEST:
            if action in actions:
                return action
        return "store"

    def types_with(self, action: MaskAction) -> list[str]:
        """Give the types of which any value is treated so, by name."""
        named = {name for name, given in self.masking.items() if given == action}
        return sorted(named.union(p.spec.type for p in self.patterns if p.action == action))

    def types(self) -> Mapping[str, Pattern]:
        """Give each type's first pattern."""
        found: dict[str, Pattern] = {}
        for pattern in self.patterns:
            found.setdefault(pattern.spec.type, pattern)
        return found
