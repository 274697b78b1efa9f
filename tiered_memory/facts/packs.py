"""Pattern packs: found, checked, compiled, and proved on their own examples."""

from __future__ import annotations

import difflib
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from tiered_memory.errors import PackError, SettingsError
from tiered_memory.facts.lanes import (
    PATTERN_SECONDS,
    Expression,
    ExpressionError,
    TextView,
    Timer,
    compile_expression,
)
from tiered_memory.facts.matches import pattern_matches
from tiered_memory.facts.normal_forms import NORMALIZERS, RESOLVERS
from tiered_memory.facts.pack_files import Place, RawPack, read_pack
from tiered_memory.facts.pack_schema import Example, PackSpec, PatternSpec
from tiered_memory.facts.patterns import Pattern, PatternSet
from tiered_memory.facts.questions import expected_types
from tiered_memory.facts.readers import READERS
from tiered_memory.facts.validators import VALIDATORS
from tiered_memory.facts.windows import announcing
from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from tiered_memory.settings import FactSettings, MaskAction

__all__ = ["PatternCheck", "check_file", "load_patterns", "shipped_packs"]

INLINE = "facts.patterns"
"""Where patterns in the settings say that they come from."""

_PROBES = ("a" * 2_000, "1" * 2_000, "你" * 2_000, "a-" * 1_000, "a" * 40 + "!")


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternCheck:
    """What came of one pattern of a file.

    Attributes:
        lane: ``re2``, or ``regex`` where any of its expressions is outside RE2.
        examples: how many examples were run.
        problem: why the file would be refused, or None.
        warning: what is allowed and worth knowing, or None.
    """

    file: str
    line: int | None
    pattern: str | None
    type: str | None = None
    lane: str | None = None
    examples: int = 0
    problem: str | None = None
    warning: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """One pattern of a file: its place, and the file it is in."""

    raw: RawPack
    index: int
    values: Mapping[str, Any]

    def line(self, place: Place = ()) -> int | None:
        return self.raw.line(("patterns", self.index, *self._written(place)))

    def _written(self, place: Place) -> Place:
        """Give the text of an example for its number where texts are the keys."""
        if place[:1] != ("examples",) or len(place) < 3:
            return place
        examples: object = self.values["examples"]
        given: object = cast("dict[str, object]", examples).get(str(place[1]))
        if not isinstance(given, dict) or not isinstance(place[2], int):
            return place
        texts = list(cast("dict[str, object]", given))
        return (*place[:2], texts[place[2]])

    @property
    def name(self) -> str | None:
        given = self.values.get("id")
        return given if isinstance(given, str) else None

    def error(self, problem: str, place: Place = ()) -> PackError:
        line = self.line(place)
        where = self.raw.file if line is None else f"{self.raw.file}:{line}"
        named = f" pattern {self.name!r}" if self.name else f" pattern {self.index + 1}"
        return PackError(
            f"{where}:{named}: {problem}",
            file=self.raw.file,
            line=line,
            pattern=self.name,
        )


def load_patterns(
    facts: FactSettings,
    masking: Mapping[str, MaskAction],
    *,
    entity_types: Collection[str] = (),
) -> PatternSet:
    """Read, check and compile all packs that ``facts`` names.

    Shipped packs first, then files, then inline patterns; a pattern with ``override``
    takes the place of an earlier one of its id. ``entity_types`` are those that
    recognizers name, which need no pattern. 0.1 to 0.3 s for the shipped packs.

    Raises:
        PackError: a pack is broken or one of its examples fails.
        SettingsError: no such shipped pack, or masking names a type without a pattern.
    """
    found: dict[str, tuple[_Source, Pattern]] = {}
    shipped = _shipped(facts.packs)
    for raw in (*shipped, *map(read_pack, facts.files), *_inline(facts.patterns)):
        for source in _sources(raw):
            pattern = _ready(source, masking)
            _join(found, source, pattern)
    patterns = [pattern for _, pattern in found.values() if pattern.spec.enabled]
    known = {pattern.spec.type for pattern in patterns}.union(entity_types)
    for name in masking:
        if name not in known:
            near = difflib.get_close_matches(name, sorted(known), n=1)
            hint = f"did you mean {near[0]!r}? There are" if near else "use one of"
            raise SettingsError(
                f"masking.{name}: no enabled pattern has this type; {hint} "
                f"{', '.join(sorted(known))}",
                field=f"masking.{name}",
                value=masking[name],
            )
    warnings = [text for pattern in patterns if (text := _warning(pattern))]
    return PatternSet.of(patterns, warnings=warnings, masking=masking)


def check_file(path: Path) -> list[PatternCheck]:
    """Check every pattern of a file, in its order; problems do not stop at the first.

    Raises:
        PackError: the file as a whole cannot be read as a pack.
    """
    raw = read_pack(path)
    seen: set[str] = set()
    checks: list[PatternCheck] = []
    for source in _sources(raw):
        try:
            pattern = _ready(source, {})
            if pattern.id in seen:
                raise source.error("this id is there twice", ("id",))
        except PackError as exc:
            line = exc.facts["line"]
            checks.append(
                PatternCheck(
                    file=raw.file,
                    line=line if isinstance(line, int) else None,
                    pattern=source.name,
                    problem=str(exc),
                )
            )
            continue
        seen.add(pattern.id)
        checks.append(_check(source, pattern))
    return checks


def shipped_packs() -> Path:
    """Give the folder of the shipped packs: in the installed package, else beside it."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_data" / "patterns"
    return installed if installed.is_dir() else package.parent / "patterns"


def _check(source: _Source, pattern: Pattern) -> PatternCheck:
    examples = pattern.spec.examples
    slow = any(expression.lane == "regex" for expression in pattern.expressions)
    return PatternCheck(
        file=source.raw.file,
        line=source.line(),
        pattern=pattern.id,
        type=pattern.spec.type,
        lane="regex" if slow else "re2",
        examples=len(examples.match) + len(examples.no_match),
        warning=_warning(pattern),
    )


def _shipped(names: Sequence[str]) -> list[RawPack]:
    folder = shipped_packs()
    packs: list[RawPack] = []
    for name in names:
        file = folder / f"{name}.yaml"
        known = sorted(path.stem for path in folder.glob("*.yaml"))
        if name not in known:
            raise SettingsError(
                f"facts.packs: there is no shipped pack {name!r}; there are "
                f"{', '.join(known)} (a file of your own goes into facts.files)",
                field="facts.packs",
                value=name,
            )
        packs.append(read_pack(file))
    return packs


def _inline(patterns: Sequence[Mapping[str, Any]]) -> list[RawPack]:
    if not patterns:
        return []
    values = {"version": 1, "patterns": [dict(pattern) for pattern in patterns]}
    return [RawPack(file=INLINE, values=values)]


def _sources(raw: RawPack) -> Iterator[_Source]:
    try:
        pack = PackSpec.model_validate(raw.values)
    except ValidationError as exc:
        place, problem = _first(exc)
        line = raw.line(place)
        raise PackError(
            f"{raw.file}:{line or 1}: {problem}", file=raw.file, line=line, pattern=None
        ) from exc
    for index, values in enumerate(pack.patterns):
        yield _Source(raw=raw, index=index, values=values)


def _ready(source: _Source, masking: Mapping[str, MaskAction]) -> Pattern:
    """Check, compile and prove one pattern."""
    try:
        spec = PatternSpec.model_validate(source.values)
    except ValidationError as exc:
        place, problem = _first(exc)
        raise source.error(problem, place) from exc
    pattern = _compiled(source, spec, masking)
    for expression in pattern.expressions:
        _probe(source, expression)
    if spec.enabled:
        _prove(source, pattern)
    return pattern


def _first(exc: ValidationError) -> tuple[Place, str]:
    error = exc.errors(include_url=False, include_context=False, include_input=False)[0]
    place: Place = error["loc"]
    named = ".".join(str(part) for part in place)
    what = error["msg"].removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        what = "there is no such key"
    elif error["type"] == "missing":
        what = "this key is missing"
    elif error["type"] == "string_type":
        what = "a text is wanted; put it in quotes"
    elif error["type"] == "tuple_type":
        what = "a text in quotes or a list of them is wanted"
    return place, f"{named}: {what}" if named else what


def _compiled(
    source: _Source, spec: PatternSpec, masking: Mapping[str, MaskAction]
) -> Pattern:
    if spec.validator is not None and spec.validator not in VALIDATORS:
        known = ", ".join(sorted(VALIDATORS))
        raise source.error(
            f"validator: there is no {spec.validator!r}; there are {known}", ("validator",)
        )
    if spec.reader is not None and spec.reader not in READERS:
        known = ", ".join(sorted(READERS))
        raise source.error(
            f"reader: there is no {spec.reader!r}; there are {known}", ("reader",)
        )
    if spec.normalize not in NORMALIZERS:
        known = ", ".join(sorted(NORMALIZERS))
        raise source.error(
            f"normalize: there is no {spec.normalize!r}; there are {known}", ("normalize",)
        )
    bare: Expression | None = None
    if spec.slot is not None and spec.slot.bare is not None:
        bare = _expression(source, spec, spec.slot.bare, ("slot", "bare"))
    return Pattern(
        spec=spec,
        action=masking.get(spec.type, spec.sensitivity),
        expressions=tuple(
            _expression(source, spec, text, ("regex", number))
            for number, text in enumerate(spec.regex)
        ),
        bare=bare,
        validator=None if spec.validator is None else VALIDATORS[spec.validator],
        normalizer=NORMALIZERS[spec.normalize],
        origin=f"{source.raw.file}:{source.line()}",
        reader=None if spec.reader is None else READERS[spec.reader],
        announced=None if spec.context is None else announcing(spec.context.words),
        resolver=RESOLVERS.get(spec.normalize),
    )


def _expression(source: _Source, spec: PatternSpec, text: str, place: Place) -> Expression:
    try:
        return compile_expression(
            text, boundary=spec.boundary, ignore_case=spec.ignore_case
        )
    except ExpressionError as exc:
        raise source.error(f"regex: {exc}", place) from exc


def _probe(source: _Source, expression: Expression) -> None:
    """Refuse an expression outside RE2 that is slow on plain texts, three times in a row."""
    if expression.lane == "re2":
        return
    for probe in _PROBES:
        view = TextView(probe)
        for _ in range(3):
            begun = time.thread_time()
            try:
                expression.spans(view, Timer())
            except TimeoutError:
                continue
            if time.thread_time() - begun <= PATTERN_SECONDS:
                break
        else:
            raise source.error(
                f"regex: {expression.reason} is outside RE2, and without it the expression "
                "takes too long on plain text; write it without lookaround",
                ("regex",),
            )


def _prove(source: _Source, pattern: Pattern) -> None:
    examples = pattern.spec.examples
    for number, example in enumerate(examples.match):
        found = _values(pattern, example)
        if found != list(example.values):
            raise source.error(
                f"examples.match: {example.text!r} gives {found or 'nothing'}, "
                f"not {list(example.values)}",
                ("examples", "match", number),
            )
    for number, example in enumerate(examples.no_match):
        found = _values(pattern, example)
        if found:
            raise source.error(
                f"examples.no_match: {example.text!r} gives {found}",
                ("examples", "no_match", number),
            )


def _values(pattern: Pattern, example: Example) -> list[str]:
    folded = fold(example.text)
    expected = expected_types(example.question or "", (pattern,))
    timer = Timer(left=sys.float_info.max)
    found = pattern_matches(pattern, TextView(folded.text), timer, expected)
    spans = (folded.raw_span(match.start, match.end) for match in found)
    return [example.text[start:end] for start, end in spans]


def _join(
    found: dict[str, tuple[_Source, Pattern]], source: _Source, pattern: Pattern
) -> None:
    earlier = found.get(pattern.id)
    if earlier is not None and not pattern.spec.override:
        raise source.error(
            f"id: already used at {earlier[1].origin}; say 'override: true' to replace it",
            ("id",),
        )
    found[pattern.id] = (source, pattern)


def _warning(pattern: Pattern) -> str | None:
    reasons = sorted({e.reason for e in pattern.expressions if e.lane == "regex"})
    if not reasons:
        return None
    return (
        f"{pattern.origin}: pattern {pattern.id!r} is outside RE2 ({'; '.join(reasons)}) "
        "and runs with a time limit"
    )
