"""The values in a JSON text with their places, so that one can change and the rest stay."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Leaf", "LeafText", "json_leaves", "key_words", "leaf_text", "raw_offsets"]

_NUMBER = frozenset("0123456789+-.eE")
_SPACE = " \t\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A string or number: ``start`` and ``end`` are of its token in the JSON text.

    ``key`` is the last key before it, so the key of its list for an item of one.
    """

    key: str
    value: str
    start: int
    end: int
    quoted: bool


def json_leaves(text: str) -> list[Leaf] | None:
    """Give the leaves of a JSON object or array, left to right; None where it is none.

    Linear. Numbers are given as they are written.
    """
    if text.lstrip(_SPACE)[:1] not in {"{", "["}:
        return None
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    return list(_leaves(text))


def _leaves(text: str) -> Iterator[Leaf]:
    key = ""
    place = 0
    size = len(text)
    decode: Callable[[str, int], tuple[str, int]] = json.JSONDecoder().raw_decode
    while place < size:
        quote = text.find('"', place)
        yield from _numbers(text, place, size if quote < 0 else quote, key)
        if quote < 0:
            return
        value, place = decode(text, quote)
        after = place
        while after < size and text[after] in _SPACE:
            after += 1
        if after < size and text[after] == ":":
            key = value
            place = after + 1
        else:
            yield Leaf(key=key, value=value, start=quote, end=place, quoted=True)


def _numbers(text: str, start: int, end: int, key: str) -> Iterator[Leaf]:
    place = start
    while place < end:
        if text[place] not in "-0123456789":
            place += 1
            continue
        stop = place
        while stop < end and text[stop] in _NUMBER:
            stop += 1
        yield Leaf(key=key, value=text[place:stop], start=place, end=stop, quoted=False)
        place = stop


def raw_offsets(token: str) -> list[int]:
    """Give, for each character of a quoted token's value and its end, its place in it."""
    offsets: list[int] = []
    place = 1
    end = len(token) - 1
    while place < end:
        offsets.append(place)
        if token[place] != "\\":
            place += 1
        elif token[place + 1] != "u":
            place += 2
        else:
            place += 12 if _is_pair(token, place) else 6
    offsets.append(end)
    return offsets


def _is_pair(token: str, place: int) -> bool:
    high = int(token[place + 2 : place + 6], 16)
    if not 0xD800 <= high < 0xDC00 or token[place + 6 : place + 8] != "\\u":
        return False
    return 0xDC00 <= int(token[place + 8 : place + 12], 16) < 0xE000


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafText:
    """Leaves as lines ``key words: value``; ``starts`` and ``ends`` are of the values."""

    text: str
    leaves: tuple[Leaf, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def leaf_text(leaves: Sequence[Leaf]) -> LeafText:
    """Lay leaves out so that a key is the cue of its value."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    words: dict[str, str] = {}
    size = 0
    for leaf in leaves:
        label = words.get(leaf.key)
        if label is None:
            label = words[leaf.key] = f"{key_words(leaf.key)}: "
        size += len(label)
        starts.append(size)
        size += len(leaf.value)
        ends.append(size)
        pieces += (label, leaf.value, "\n\n")
        size += 2
    return LeafText(
        text="".join(pieces), leaves=tuple(leaves), starts=tuple(starts), ends=tuple(ends)
    )


def key_words(key: str) -> str:
    """Give ``orderId``, ``order_id`` and ``order-id`` as ``order id``."""
    pieces: list[str] = []
    for place, char in enumerate(key):
        if char in "_-. ":
            pieces.append(" ")
            continue
        after_small = place > 0 and (key[place - 1].islower() or key[place - 1].isdigit())
        if char.isupper() and after_small:
            pieces.append(" ")
        pieces.append(char.lower())
    return " ".join("".join(pieces).split())
