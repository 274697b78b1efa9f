"""Packs checked without being used: every pattern of a file, with what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tiered_memory.errors import PackError
from tiered_memory.facts.pack_files import read_pack
from tiered_memory.facts.pack_sources import like, sources
from tiered_memory.facts.packs import raw_packs, shipped_packs, slow_warning
from tiered_memory.facts.plugged import FailureCount
from tiered_memory.facts.proving import PatternReader
from tiered_memory.settings import FactSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tiered_memory.facts.pack_files import RawPack
    from tiered_memory.facts.pack_sources import Problem, Source
    from tiered_memory.facts.patterns import Pattern

__all__ = ["PatternCheck", "check_file", "check_files"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternCheck:
    """What came of one pattern of a file.

    Attributes:
        lane: ``re2``, or ``regex`` where any of its expressions is outside RE2.
        examples: how many examples were run.
        problem: why the file would be refused, all that is known, or None.
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


def check_file(path: Path) -> list[PatternCheck]:
    """Check every pattern of a file, in its order, as if no pack were in use."""
    return check_files([path], FactSettings(packs=()))


def check_files(paths: Sequence[Path], facts: FactSettings) -> list[PatternCheck]:
    """Check files as if they were read behind the packs of ``facts``, clashes included.

    A file that is no pack is one finding. An id of a shipped pack that is not in use is
    a warning.

    Raises:
        SettingsError: no such shipped pack.
    """
    here = {path.resolve() for path in paths}
    others = tuple(file for file in facts.files if file.resolve() not in here)
    raws, _ = raw_packs(facts.model_copy(update={"files": others}))
    used = dict(_ids(raw for raw in raws if not _is_one_of(raw, here)))
    shipped = map(read_pack, sorted(shipped_packs().glob("*.yaml")))
    ids = dict(_ids(raw for raw in shipped if not _is_one_of(raw, here)))
    unused = {name: origin for name, origin in ids.items() if name not in used}
    checker = _Checker(used, unused)
    found: list[PatternCheck] = []
    for path in paths:
        try:
            found += checker.check(read_pack(path))
        except PackError as exc:
            line = exc.facts.get("line")
            place = line if isinstance(line, int) else None
            found.append(
                PatternCheck(file=str(path), line=place, pattern=None, problem=str(exc))
            )
    return found


def _is_one_of(raw: RawPack, files: set[Path]) -> bool:
    return Path(raw.file).resolve() in files


def _ids(raws: Iterator[RawPack]) -> Iterator[tuple[str, str]]:
    for raw in raws:
        for source in sources(raw)[0]:
            if source.name is not None:
                yield source.name, source.origin


class _Checker:
    """Checks files one after another; remembers ids with where they were used."""

    def __init__(self, used: dict[str, str], unused: dict[str, str]) -> None:
        self._used = used
        self._unused = unused
        self._reader = PatternReader({}, FailureCount())

    def check(self, raw: RawPack) -> list[PatternCheck]:
        found, wrong = sources(raw)
        if wrong:
            return [_refused(wrong)]
        return [self._one(source) for source in found]

    def _one(self, source: Source) -> PatternCheck:
        pattern, problems = self._reader.read(source)
        problems += self._clash(source)
        if source.name is not None:
            self._used[source.name] = source.origin
        if pattern is None or problems:
            return _refused(problems)
        return _passed(source, pattern, self._note(source, pattern))

    def _clash(self, source: Source) -> Iterator[Problem]:
        name, overrides = source.name, source.values.get("override") is True
        if name is None:
            return
        if name in self._used and not overrides:
            yield source.problem(
                f"id: already used at {self._used[name]}; say 'override: true' to replace "
                "that pattern",
                ("id",),
            )
        if overrides and name not in self._used and name not in self._unused:
            near = like(name, (*self._used, *self._unused))
            yield source.problem(
                f"override: no earlier pattern has the id {name!r}{near}", ("override",)
            )

    def _note(self, source: Source, pattern: Pattern) -> str | None:
        notes = [slow_warning(pattern)]
        if source.name in self._unused:
            notes.append(
                f"the id is also used at {self._unused[source.name]}, which the settings "
                "do not read"
            )
        return "; ".join(note for note in notes if note) or None


def _refused(problems: Sequence[Problem]) -> PatternCheck:
    first = problems[0]
    return PatternCheck(
        file=first.file,
        line=first.line,
        pattern=first.pattern,
        problem="\n".join(map(str, problems)),
    )


def _passed(source: Source, pattern: Pattern, warning: str | None) -> PatternCheck:
    examples = pattern.spec.examples
    slow = any(expression.lane == "regex" for expression in pattern.all_expressions)
    return PatternCheck(
        file=source.raw.file,
        line=source.line(),
        pattern=pattern.id,
        type=pattern.spec.type,
        lane="regex" if slow else "re2",
        examples=len(examples.match) + len(examples.no_match),
        warning=warning,
    )
