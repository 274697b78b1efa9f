"""Pattern packs: found, read, joined to one set, and compared with the set before."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiered_memory.errors import PackError, SettingsError
from tiered_memory.facts.pack_files import RawPack, read_pack
from tiered_memory.facts.pack_sources import INLINE, Problem, like, refused, sources
from tiered_memory.facts.patterns import PatternSet
from tiered_memory.facts.plugged import FailureCount
from tiered_memory.facts.proving import PatternReader
from tiered_memory.model import PatternReload

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tiered_memory.facts.pack_sources import Source
    from tiered_memory.facts.patterns import Pattern
    from tiered_memory.settings import FactSettings, MaskAction

__all__ = [
    "PatternSet",
    "compare",
    "load_patterns",
    "raw_packs",
    "shipped_pack",
    "shipped_packs",
    "slow_warning",
]


def load_patterns(
    facts: FactSettings,
    masking: Mapping[str, MaskAction],
    *,
    entity_types: Collection[str] = (),
) -> PatternSet:
    """Read, check and compile all packs that ``facts`` names.

    Shipped packs first, then files, then inline patterns; a pattern with ``override``
    takes the place of an earlier one of its id. ``entity_types`` are those that
    recognizers name, which need no pattern. Examples run, but for those of the shipped
    packs, which cannot have changed. 0.1 to 0.5 s for the shipped packs.

    Raises:
        PackError: a pack is broken or one of its examples fails; tells all faults.
        SettingsError: no such shipped pack, ``disabled`` names no pattern, or masking
            names a type without one.
    """
    raws, problems = raw_packs(facts)
    failures = FailureCount()
    reader = PatternReader(masking, failures)
    joined = _Joined(problems=problems)
    for raw in raws:
        found, wrong = sources(raw)
        problems += wrong
        for source in found:
            pattern, wrong = reader.read(source, prove=not raw.shipped)
            problems += wrong
            joined.add(source, pattern)
    if problems:
        raise refused(problems)
    joined.disable(facts.disabled)
    patterns = [one for one in joined.patterns.values() if one.spec.enabled]
    _check_masking(masking, {one.spec.type for one in patterns}.union(entity_types))
    _check_secrets(masking, patterns)
    warnings = [text for pattern in patterns if (text := slow_warning(pattern))]
    return PatternSet.of(
        patterns,
        warnings=(*warnings, *joined.warnings),
        masking=masking,
        failures=failures,
    )


def shipped_packs() -> Path:
    """Give the folder of the shipped packs: in the installed package, else beside it."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_data" / "patterns"
    return installed if installed.is_dir() else package.parent / "patterns"


def shipped_pack(name: str) -> Path:
    """Give the file of a shipped pack.

    Raises:
        SettingsError: there is none of that name.
    """
    folder = shipped_packs()
    known = sorted(path.stem for path in folder.glob("*.yaml"))
    if name not in known:
        raise SettingsError(
            f"facts.packs: there is no shipped pack {name!r}{like(name, known)}; there are "
            f"{', '.join(known)} (a file of your own goes into facts.files)",
            field="facts.packs",
            value=name,
        )
    return folder / f"{name}.yaml"


def raw_packs(facts: FactSettings) -> tuple[list[RawPack], list[Problem]]:
    """Read the packs of ``facts`` in their order; a file that is no YAML is a problem.

    Raises:
        SettingsError: no such shipped pack.
    """
    raws: list[RawPack] = []
    problems: list[Problem] = []
    shipped = [shipped_pack(name) for name in facts.packs]
    for number, file in enumerate((*shipped, *facts.files)):
        try:
            raws.append(replace(read_pack(file), shipped=number < len(shipped)))
        except PackError as exc:
            line = exc.facts.get("line")
            problems.append(
                Problem(
                    file=str(file),
                    line=line if isinstance(line, int) else None,
                    pattern=None,
                    text=str(exc),
                )
            )
    if facts.patterns:
        values: dict[str, Any] = {"version": 1}
        values["patterns"] = [dict(pattern) for pattern in facts.patterns]
        raws.append(RawPack(file=INLINE, values=values))
    return raws, problems


def slow_warning(pattern: Pattern) -> str | None:
    """Say which construct keeps a pattern out of RE2, or None."""
    reasons = sorted({e.reason for e in pattern.all_expressions if e.lane == "regex"})
    if not reasons:
        return None
    return (
        f"{pattern.origin}: pattern {pattern.id!r} runs outside RE2, slower and with a time "
        f"limit, for its {'; '.join(reasons)}"
    )


@dataclass(slots=True)
class _Joined:
    """Patterns by id while the packs are put together."""

    problems: list[Problem]
    patterns: dict[str, Pattern] = field(default_factory=dict[str, "Pattern"])
    warnings: list[str] = field(default_factory=list[str])
    seen: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, source: Source, pattern: Pattern | None) -> None:
        """Take a pattern in; its id is new, or it says that it overrides."""
        name = source.name
        if name is None:
            return
        overrides = source.values.get("override") is True
        if name in self.seen and not overrides:
            self.problems.append(
                source.problem(
                    f"id: already used at {self.seen[name]}; say 'override: true' to "
                    "replace that pattern",
                    ("id",),
                )
            )
        elif overrides and name not in self.seen:
            self.problems.append(
                source.problem(
                    f"override: no earlier pattern has the id {name!r}"
                    f"{like(name, self.seen)}",
                    ("override",),
                )
            )
        self.seen[name] = source.origin
        if pattern is None:
            return
        earlier = self.patterns.get(name)
        if earlier is not None and earlier.sensitive and not _masks(pattern):
            self.warnings.append(
                f"{source.origin}: pattern {name!r} no longer masks: values of type "
                f"{earlier.spec.type!r} that it found are stored"
            )
        self.patterns[name] = pattern

    def disable(self, names: Sequence[str]) -> None:
        """Leave patterns out by id.

        Raises:
            SettingsError: no pattern has an id.
        """
        for name in names:
            pattern = self.patterns.pop(name, None)
            if pattern is None:
                raise SettingsError(
                    f"facts.disabled: no pattern has the id {name!r}"
                    f"{like(name, self.patterns)}",
                    field="facts.disabled",
                    value=name,
                )
            if pattern.sensitive:
                self.warnings.append(
                    f"facts.disabled: without {name!r}, values of type "
                    f"{pattern.spec.type!r} that only it finds are stored unmasked"
                )


def _masks(pattern: Pattern) -> bool:
    return pattern.spec.enabled and pattern.sensitive


def _check_masking(masking: Mapping[str, MaskAction], known: Collection[str]) -> None:
    for name in masking:
        if name not in known:
            raise SettingsError(
                f"masking.{name}: no enabled pattern has this type{like(name, sorted(known))}; use "
                f"one of {', '.join(sorted(known))}",
                field=f"masking.{name}",
                value=masking[name],
            )


def _check_secrets(masking: Mapping[str, MaskAction], patterns: Iterable[Pattern]) -> None:
    """Refuse to keep what the shipped secrets drop: passwords, codes, keys, tokens."""
    origin = f"{shipped_pack('secrets')}:"
    secret = {
        one.spec.type
        for one in patterns
        if one.spec.sensitivity == "drop" and one.origin.startswith(origin)
    }
    for name, action in masking.items():
        if action in {"store", "pseudonym"} and name in secret:
            raise SettingsError(
                f"masking.{name}: a secret is never kept, so {action!r} is not possible; leave "
                "the setting out",
                field=f"masking.{name}",
                value=action,
            )


def compare(old: PatternSet, new: PatternSet) -> PatternReload:
    """Tell what a new set changes; a mask that is gone or weaker is said."""
    before = {pattern.id: pattern for pattern in old.patterns}
    after = {pattern.id: pattern for pattern in new.patterns}
    weaker = [
        pattern
        for pattern in old.patterns
        if pattern.sensitive and not (pattern.id in after and after[pattern.id].sensitive)
    ]
    said = [
        f"pattern {pattern.id!r} no longer masks: values of type {pattern.spec.type!r} that "
        "only it found are stored from now on"
        for pattern in weaker
    ]
    return PatternReload(
        patterns=len(after),
        added=tuple(sorted(after.keys() - before.keys())),
        removed=tuple(sorted(before.keys() - after.keys())),
        changed=tuple(
            sorted(
                name
                for name in after.keys() & before.keys()
                if (before[name].spec, before[name].action)
                != (after[name].spec, after[name].action)
            )
        ),
        unmasked=tuple(sorted({pattern.spec.type for pattern in weaker})),
        warnings=(*new.warnings, *said),
    )
