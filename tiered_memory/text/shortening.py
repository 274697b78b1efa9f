"""Long texts and long JSON made short: what is left is whole, and says what is missing."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, cast

from tiered_memory.text.excerpts import (
    WORD_CHARS,
    is_word,
    longest,
    shorten_text,
    word_start,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["shorten_json", "shorten_text"]

PLAIN_CHARS = 48
"""Strings up to so long, and identifiers up to ``WORD_CHARS``, are never cut in JSON."""


class _Number(str):
    """A number as it was spelt: ``1.10`` and 30 digits stay what they are."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class _Limits:
    """How much of each kind is kept; ``least`` list items make a step good enough."""

    keys: int
    chars: int
    depth: int
    least: int
    items: int = 0


_STEPS = (
    _Limits(64, 400, 12, 3),
    _Limits(40, 160, 6, 3),
    _Limits(24, 80, 4, 2),
    _Limits(24, 56, 4, 1),
    _Limits(12, 56, 3, 1),
    _Limits(8, 48, 2, 0),
    _Limits(4, 48, 1, 0),
    _Limits(0, 48, 1, 0),
)
MAX_ITEMS = 200

SLACK = 1.5
"""Texts this much longer than the limit's usual length are not worth a count."""


def shorten_json(
    text: str, *, limit_tokens: int, head: int, tail: int, count: Callable[[str], int]
) -> str | None:
    """Give ``text`` shortened as JSON where it is an object or a list, else as text.

    The result is valid JSON within ``limit_tokens``: long lists end with
    ``"… N more"``, long strings are cut, deep values become ``"{… N keys}"``; where
    keys must go, lists and objects go before scalars. Numbers keep their spelling.
    ``head`` and ``tail`` are for text.

    Returns:
        None where ``text`` costs no more than ``limit_tokens``. Deterministic, linear,
        with some 10 counts of short texts.
    """
    total = count(text)
    if total <= limit_tokens:
        return None
    value = _parsed(text)
    if value is None:
        return shorten_text(
            text, limit_tokens=limit_tokens, head=head, tail=tail, count=count
        )
    chars = int(limit_tokens * SLACK * max(len(text) / total, 1.0)) + 16
    for step in _STEPS:
        best = _fitting(value, step, limit_tokens, chars, count)
        if best is not None:
            return best
    return "{}" if isinstance(value, dict) else "[]"


def _parsed(text: str) -> dict[str, Any] | list[Any] | None:
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value: object = json.loads(
            text, parse_float=_Number, parse_int=_Number, parse_constant=_refuse
        )
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any] | list[Any]", value)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _fitting(
    value: dict[str, Any] | list[Any],
    step: _Limits,
    limit_tokens: int,
    chars: int,
    count: Callable[[str], int],
) -> str | None:
    """Give the text with most list items that fits, or None where too few do."""
    shown: dict[int, str] = {}

    def fits(items: int) -> bool:
        shown[items] = _dumped(_cut(value, replace(step, items=items), step.depth))
        return len(shown[items]) <= chars and count(shown[items]) <= limit_tokens

    most = min(MAX_ITEMS, _longest_list(value, step.depth))
    least = min(step.least, most)
    if not fits(least):
        return None
    return shown[least + longest(most - least, lambda more: fits(least + more))]


def _longest_list(value: object, depth: int) -> int:
    own = 0
    if isinstance(value, dict):
        children = list(cast("dict[str, object]", value).values())
    elif isinstance(value, list):
        children = cast("list[object]", value)
        own = len(children)
    else:
        return 0
    if depth <= 0:
        return own
    return max([own, *(_longest_list(child, depth - 1) for child in children[:64])])


def _cut(value: object, limits: _Limits, depth: int) -> object:
    if isinstance(value, _Number):
        return value if len(value) <= WORD_CHARS else _cut_string(value, limits.chars)
    if isinstance(value, str):
        return _cut_string(value, limits.chars)
    if isinstance(value, list):
        return _cut_list(cast("list[object]", value), limits, depth)
    if isinstance(value, dict):
        return _cut_object(cast("dict[str, object]", value), limits, depth)
    return value


def _cut_list(items: Sequence[object], limits: _Limits, depth: int) -> object:
    shallow = depth <= 1 and any(isinstance(item, dict | list) for item in items)
    if items and (depth <= 0 or shallow):
        return f"[… {len(items)} items]"
    kept = [_cut(item, limits, depth - 1) for item in items[: limits.items]]
    more = len(items) - len(kept)
    return [*kept, f"… {more} more"] if more else kept


def _cut_object(value: dict[str, object], limits: _Limits, depth: int) -> object:
    if value and depth <= 0:
        return f"{{… {len(value)} keys}}"
    names = list(value)
    if len(names) > limits.keys:
        scalars = [name for name in names if not isinstance(value[name], dict | list)]
        deep = [name for name in names if isinstance(value[name], dict | list)]
        kept = frozenset((scalars + deep)[: limits.keys])
        names = [name for name in names if name in kept]
    shown = {
        _cut_string(name, WORD_CHARS): _cut(value[name], limits, depth - 1)
        for name in names
    }
    more = len(value) - len(names)
    return {**shown, "…": f"{more} more keys"} if more else shown


def _cut_string(text: str, chars: int) -> str:
    if len(text) <= max(chars, PLAIN_CHARS):
        return str(text)
    if len(text) <= WORD_CHARS and all(map(is_word, text)):
        return str(text)
    end = word_start(text, chars) or chars
    return f"{text[:end]}… {len(text) - end} more"


def _dumped(value: object) -> str:
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value).items()
        return "{" + ",".join(f"{_quoted(k)}:{_dumped(v)}" for k, v in pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_dumped, cast("list[object]", value))) + "]"
    if isinstance(value, str):
        return _quoted(value)
    return json.dumps(value)


def _quoted(text: str) -> str:
    quoted = encode_basestring(text)
    return quoted.encode("utf-8", "replace").decode() if not quoted.isascii() else quoted
