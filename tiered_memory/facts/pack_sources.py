"""Patterns as they stand in their files, and what is wrong with them, with its place."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel, ValidationError

from tiered_memory.errors import PackError
from tiered_memory.facts.pack_schema import (
    ContextSpec,
    Example,
    Examples,
    MaskSpec,
    PackSpec,
    SlotSpec,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tiered_memory.facts.pack_files import Place, RawPack

__all__ = ["INLINE", "Problem", "Source", "faults", "like", "refused", "sources"]

INLINE = "facts.patterns"
"""Where patterns in the settings say that they come from."""

_PARTS: Mapping[str, type[BaseModel]] = {
    "context": ContextSpec,
    "mask": MaskSpec,
    "slot": SlotSpec,
    "examples": Examples,
    "match": Example,
    "no_match": Example,
}

_WANTED: Mapping[str, str] = {
    "missing": "this key is missing",
    "string_type": "a text is wanted; put it in quotes",
    "string_pattern_mismatch": "a name of letters, digits, '_', '.' and '-' is wanted",
    "tuple_type": "a text in quotes or a list of them is wanted",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a pattern, or with ``pattern`` None its file, cannot be used."""

    file: str
    line: int | None
    pattern: str | None
    text: str

    def __str__(self) -> str:
        """Give the line for people."""
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One pattern of a file: its place, and the file it is in."""

    raw: RawPack
    index: int
    values: Mapping[str, Any]

    @property
    def name(self) -> str | None:
        """Its id, where it has one."""
        given = self.values.get("id")
        return given if isinstance(given, str) else None

    @property
    def inline(self) -> bool:
        """Whether it stands in the settings."""
        return self.raw.file == INLINE

    @property
    def origin(self) -> str:
        """File and line, or the place in the settings."""
        if self.inline:
            return f"{INLINE}[{self.index}]"
        return f"{self.raw.file}:{self.line()}"

    def line(self, place: Place = ()) -> int | None:
        """Give the line of a place in the pattern, from 1."""
        return self.raw.line(("patterns", self.index, *self._written(place)))

    def problem(self, text: str, place: Place = ()) -> Problem:
        """Say what is wrong at a place of the pattern."""
        line = self.line(place)
        if self.inline:
            where = f"{INLINE}[{self.index}]" + (f" ({self.name})" if self.name else "")
        else:
            named = repr(self.name) if self.name else str(self.index + 1)
            where = f"{self.raw.file}:{line}: pattern {named}"
        return Problem(
            file=self.raw.file, line=line, pattern=self.name, text=f"{where}: {text}"
        )

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


def sources(raw: RawPack) -> tuple[list[Source], list[Problem]]:
    """Give the patterns of a pack, or what is wrong with the pack as a whole."""
    try:
        pack = PackSpec.model_validate(raw.values)
    except ValidationError as exc:
        return [], [_of_pack(raw, *fault) for fault in faults(exc, PackSpec)]
    found = [
        Source(raw=raw, index=index, values=values)
        for index, values in enumerate(pack.patterns)
    ]
    return found, []


def _of_pack(raw: RawPack, place: Place, text: str) -> Problem:
    line = raw.line(place)
    where = raw.file if raw.file == INLINE else f"{raw.file}:{line or 1}"
    return Problem(file=raw.file, line=line, pattern=None, text=f"{where}: {text}")


def faults(exc: ValidationError, model: type[BaseModel]) -> list[tuple[Place, str]]:
    """Give the place and text of each fault that the schema ``model`` found."""
    found: list[tuple[Place, str]] = []
    for error in exc.errors(include_url=False, include_context=False, include_input=False):
        place: Place = error["loc"]
        named = ".".join(str(part) for part in place)
        what = _WANTED.get(error["type"], error["msg"].removeprefix("Value error, "))
        if error["type"] == "extra_forbidden":
            what = "there is no such key" + like(str(place[-1]), _keys(place, model))
        found.append((place, f"{named}: {what}" if named else what))
    return found


def _keys(place: Place, model: type[BaseModel]) -> Iterable[str]:
    """Give the keys there are where ``place`` stands."""
    for part in place[:-1]:
        model = _PARTS.get(part, model) if isinstance(part, str) else model
    return model.model_fields


def like(name: str, known: Iterable[str]) -> str:
    """Give ``; did you mean 'x'?`` where something known is spelled like ``name``."""
    close = get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def refused(problems: Sequence[Problem]) -> PackError:
    """Give the error that tells them all, a line each; its facts are the first one's."""
    first = problems[0]
    return PackError(
        "\n".join(map(str, problems)),
        file=first.file,
        line=first.line,
        pattern=first.pattern,
        problems=tuple(map(str, problems)),
    )
