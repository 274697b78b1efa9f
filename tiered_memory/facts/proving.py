"""One pattern of a pack: checked, compiled, and proved on its own examples."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from pydantic import ValidationError

from tiered_memory.facts.compiling import ExpressionError, compile_expression
from tiered_memory.facts.lanes import PATTERN_SECONDS, TextView, Timer
from tiered_memory.facts.matches import pattern_matches
from tiered_memory.facts.normal_forms import NORMALIZERS, RESOLVERS
from tiered_memory.facts.pack_schema import PatternSpec
from tiered_memory.facts.pack_sources import faults, like
from tiered_memory.facts.patterns import Pattern
from tiered_memory.facts.plugged import PREFIX, PluggedValidator, load_function
from tiered_memory.facts.questions import expected_types
from tiered_memory.facts.readers import READERS
from tiered_memory.facts.validators import VALIDATORS
from tiered_memory.facts.windows import Announcer
from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tiered_memory.facts.lanes import Expression
    from tiered_memory.facts.pack_files import Place
    from tiered_memory.facts.pack_schema import Example
    from tiered_memory.facts.pack_sources import Problem, Source
    from tiered_memory.facts.plugged import FailureCount
    from tiered_memory.settings import MaskAction

__all__ = ["PatternReader"]

PROBE_CHARS = 2_000
PROBE_LETTERS = 12
"""So many of an expression's own characters are tried in long runs."""


class PatternReader:
    """Makes patterns from their sources; what is wrong is collected, not raised."""

    def __init__(self, masking: Mapping[str, MaskAction], failures: FailureCount) -> None:
        self._masking = masking
        self._failures = failures

    def read(
        self, source: Source, *, prove: bool = True
    ) -> tuple[Pattern | None, list[Problem]]:
        """Check and compile one pattern; None where there is a problem.

        ``prove``: run its examples too.
        """
        try:
            spec = PatternSpec.model_validate(source.values)
        except ValidationError as exc:
            return None, [
                source.problem(text, place) for place, text in faults(exc, PatternSpec)
            ]
        problems: list[Problem] = []
        expressions: list[Expression] = []
        for number, text in enumerate(spec.regex):
            expressions += self._compiled(source, spec, text, ("regex", number), problems)
        bare: list[Expression] = []
        if spec.slot is not None and spec.slot.bare is not None:
            bare = self._compiled(source, spec, spec.slot.bare, ("slot", "bare"), problems)
        action = self._masking.get(spec.type, spec.sensitivity)
        validator = self._validator(source, spec, action, problems)
        normalizer = NORMALIZERS.get(spec.normalize)
        if normalizer is None:
            said = _unknown("normal form", spec.normalize, NORMALIZERS)
            problems.append(source.problem(f"normalize: {said}", ("normalize",)))
        reader = None if spec.reader is None else READERS.get(spec.reader)
        if spec.reader is not None and reader is None:
            said = _unknown("reader", spec.reader, READERS)
            problems.append(source.problem(f"reader: {said}", ("reader",)))
        problems += _missing_examples(source, spec)
        if problems or normalizer is None:
            return None, problems
        pattern = Pattern(
            spec=spec,
            action=action,
            expressions=tuple(expressions),
            bare=bare[0] if bare else None,
            validator=validator,
            normalizer=normalizer,
            origin=source.origin,
            reader=reader,
            announcer=None if spec.context is None else Announcer(spec.context.words),
            resolver=RESOLVERS.get(spec.normalize),
        )
        if prove and spec.enabled:
            problems += _proved(source, pattern)
        return (None if problems else pattern), problems

    def _compiled(
        self,
        source: Source,
        spec: PatternSpec,
        text: str,
        place: Place,
        problems: list[Problem],
    ) -> list[Expression]:
        """Give the expression, or none and a problem."""
        key = "regex" if place[0] == "regex" else "slot.bare"
        try:
            made = compile_expression(
                text, boundary=spec.boundary, ignore_case=spec.ignore_case
            )
        except ExpressionError as exc:
            problems.append(source.problem(f"{key}: {exc}", place))
            return []
        if made.lane == "regex" and _slow(made, spec):
            problems.append(
                source.problem(
                    f"{key}: with its {made.reason} it runs outside RE2, and there it takes "
                    "too long on plain text; write it without",
                    place,
                )
            )
        return [made]

    def _validator(
        self,
        source: Source,
        spec: PatternSpec,
        action: MaskAction,
        problems: list[Problem],
    ) -> Callable[[str], bool | None] | None:
        name = spec.validator
        if name is None:
            return None
        if not name.startswith(PREFIX):
            if name not in VALIDATORS:
                said = _unknown("validator", name, VALIDATORS)
                problems.append(source.problem(f"validator: {said}", ("validator",)))
            return VALIDATORS.get(name)
        try:
            function = load_function(name)
        except ValueError as exc:
            problems.append(source.problem(f"validator: {exc}", ("validator",)))
            return None
        return PluggedValidator(
            function,
            pattern=spec.id,
            sensitive=action != "store",
            failures=self._failures,
        )


def _unknown(what: str, name: str, known: Mapping[str, object]) -> str:
    close = like(name, known)
    rest = close or f"; there are {', '.join(sorted(known))}"
    return f"there is no {what} {name!r}{rest}"


def _missing_examples(source: Source, spec: PatternSpec) -> Iterator[Problem]:
    """A pattern of a file is proved both ways; in the settings it may go without."""
    if source.inline or not spec.enabled:
        return
    for name, given in (
        ("match", spec.examples.match),
        ("no_match", spec.examples.no_match),
    ):
        if not given:
            yield source.problem(
                f"examples.{name}: there is none; give at least one text that matches and "
                "one that looks like it and does not",
                ("examples", name),
            )


def _slow(expression: Expression, spec: PatternSpec) -> bool:
    """Tell whether it runs out of time on a plain text, three times in a row."""
    letters = dict.fromkeys(c for c in expression.source if c.isalnum())
    probes = [char * PROBE_CHARS for char in (*"a1你", *list(letters)[:PROBE_LETTERS])]
    probes += [f"{char * 40}!" for char in list(letters)[:PROBE_LETTERS]]
    probes.append("a-" * (PROBE_CHARS // 2))
    for example in (*spec.examples.match, *spec.examples.no_match):
        text = fold(example.text).text
        probes.append((text * (1 + PROBE_CHARS // max(1, len(text))))[:PROBE_CHARS] + "!")
    return any(_times_out(expression, TextView(probe)) for probe in probes)


def _times_out(expression: Expression, view: TextView) -> bool:
    for _ in range(3):
        begun = time.thread_time()
        try:
            expression.spans(view, Timer())
        except TimeoutError:
            continue
        if time.thread_time() - begun <= PATTERN_SECONDS:
            return False
    return True


def _proved(source: Source, pattern: Pattern) -> Iterator[Problem]:
    """Run the examples; give those that do not come out as they say."""
    examples = pattern.spec.examples
    plugged = pattern.validator if isinstance(pattern.validator, PluggedValidator) else None
    for name, given in (("match", examples.match), ("no_match", examples.no_match)):
        for number, example in enumerate(given):
            wanted = list(example.values) if name == "match" else []
            found = _values(pattern, example)
            place: Place = ("examples", name, number)
            if plugged is not None and plugged.raised is not None:
                yield source.problem(f"validator: {plugged.raised} on an example", place)
                return
            if found != wanted:
                expected = f", not {wanted}" if wanted else ", not nothing"
                yield source.problem(
                    f"examples.{name}: {example.text!r} gives {found or 'nothing'}"
                    f"{expected if name == 'match' or found else ''}",
                    place,
                )


def _values(pattern: Pattern, example: Example) -> list[str]:
    folded = fold(example.text)
    expected = expected_types(example.question or "", (pattern,))
    timer = Timer(left=sys.float_info.max)
    found = pattern_matches(pattern, TextView(folded.text), timer, expected)
    spans = (folded.raw_span(match.start, match.end) for match in found)
    return [example.text[start:end] for start, end in spans]
