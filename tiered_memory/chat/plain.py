"""Any value → a deep copy of what JSON and UTF-8 can hold, or an error that says where."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from tiered_memory.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["canonical_json", "plain_value", "refused", "well_formed"]

MAX_DEPTH = 100
"""JSON deeper than this is no message of a person or a tool (and cycles end here)."""


def plain_value(value: object, *, position: int, field: str = "") -> object:
    """Copy ``value`` deeply as dicts, lists, strings, numbers, booleans and None.

    Tuples become lists, string and number subclasses (enums) their plain values,
    objects with ``model_dump()`` dicts, lone surrogates U+FFFD.

    Raises:
        MessageError: a value is not JSON (NaN, bytes, a date …), too deep, or a
            key is no string; names ``position`` and the dotted field.
    """
    return _copy(value, position, field, MAX_DEPTH)


SLICE_CHARS = 8_192


def well_formed(text: str) -> str:
    """Give ``text`` with surrogate pairs joined and lone surrogates as U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(map(_mended, _slices(text)))
    return text


def _slices(text: str) -> Iterator[str]:
    """Part a text without parting a pair; a slice is mended in some milliseconds.

    One call on all of it would hold the interpreter for as long as that takes.
    """
    place = 0
    while place < len(text):
        end = min(len(text), place + SLICE_CHARS)
        if "\ud800" <= text[end - 1 : end] <= "\udbff":
            end += 1
        yield text[place:end]
        place = end


def _mended(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def canonical_json(value: object) -> str:
    """Give the one JSON text of a value: its own order, no spaces, no Unicode escapes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _copy(value: object, position: int, field: str, depth: int) -> object:
    if isinstance(value, str):
        return well_formed(str.__str__(value))
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)
        raise refused(position, field, f"is {value}, which JSON cannot hold")
    if depth == 0:
        raise refused(position, field, f"is nested more than {MAX_DEPTH} deep")
    dump = getattr(value, "model_dump", None)
    inner = dump() if callable(dump) else value
    if isinstance(inner, Mapping):
        members = cast("Mapping[object, object]", inner).items()
        return {
            _key(key, position, field): _copy(
                item, position, f"{field}.{key}" if field else str(key), depth - 1
            )
            for key, item in members
        }
    if isinstance(inner, list | tuple):
        items = enumerate(cast("list[object]", inner))
        return [
            _copy(item, position, f"{field}.{i}" if field else str(i), depth - 1)
            for i, item in items
        ]
    kind = type(value).__name__
    raise refused(position, field, f"is of type {kind}, which JSON cannot hold: convert it")


def _key(key: object, position: int, field: str) -> str:
    if isinstance(key, str):
        return well_formed(str.__str__(key))
    kind = type(key).__name__
    raise refused(position, field, f"has a key of type {kind}; keys must be strings")


def refused(position: int, field: str, what: str) -> MessageError:
    """Make the error that names the message's place, the field and what is wrong."""
    where = f"message {position}" + (f": {field}" if field else "")
    return MessageError(f"{where} {what}", position=position, field=field)
