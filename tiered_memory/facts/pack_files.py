"""YAML read with the line of every key, so that an error can say where it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import yaml

from tiered_memory.errors import PackError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Place", "RawPack", "read_pack"]

Place = tuple[str | int, ...]
"""Keys and indexes from the top of a file down to a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawPack:
    """A pack's values before they are checked, and the 1-based line of each place.

    ``shipped``: it travels with the package, whose tests have run its examples.
    """

    file: str
    values: Mapping[str, Any]
    lines: Mapping[Place, int] = field(default_factory=dict[Place, int])
    shipped: bool = False

    def line(self, place: Place) -> int | None:
        """Give the line of ``place``, or of the nearest place above it that has one."""
        for size in range(len(place), -1, -1):
            found = self.lines.get(place[:size])
            if found is not None:
                return found
        return None


def read_pack(path: Path) -> RawPack:
    """Read a YAML file of keys and values.

    Raises:
        PackError: the file cannot be read, is no YAML, or gives a key twice.
    """
    name = str(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise PackError(
            f"{name}: cannot be read: {exc}", file=name, line=None, pattern=None
        ) from exc
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        node = loader.get_single_node()
        lines: dict[Place, int] = {}
        if node is not None:
            _note(node, (), lines, name)
        loaded: object = None if node is None else loader.construct_document(node)
    except yaml.YAMLError as exc:
        line = _line_of(exc)
        what = getattr(exc, "problem", None) or "not valid"
        raise PackError(
            f"{name}:{line or 1}: no valid YAML: {what}", file=name, line=line, pattern=None
        ) from exc
    finally:
        loader.dispose()
    if not isinstance(loaded, dict):
        raise PackError(
            f"{name}:1: a pack holds the keys 'version' and 'patterns'",
            file=name,
            line=1,
            pattern=None,
        )
    return RawPack(file=name, values=cast("dict[str, Any]", loaded), lines=lines)


def _line_of(exc: yaml.YAMLError) -> int | None:
    mark = getattr(exc, "problem_mark", None)
    return None if mark is None else int(mark.line) + 1


def _note(node: yaml.Node, place: Place, lines: dict[Place, int], file: str) -> None:
    """Note the line of ``node`` and of all below it; refuse a key given twice."""
    lines.setdefault(place, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _note(item, (*place, index), lines, file)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*place, str(key.value))
            if inner in lines:
                line = int(key.start_mark.line) + 1
                raise PackError(
                    f"{file}:{line}: the key {key.value!r} is there twice",
                    file=file,
                    line=line,
                    pattern=None,
                )
            lines[inner] = int(key.start_mark.line) + 1
            _note(value, inner, lines, file)
