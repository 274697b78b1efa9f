"""The values in a JSON text with their places, so that one can change and the rest stay."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tiered_memory.chat.plain import well_formed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = [
    "Leaf",
    "LeafText",
    "json_keys",
    "json_leaves",
    "key_words",
    "leaf_text",
    "raw_offsets",
]

_NUMBER = frozenset("0123456789+-.eE")
_SPACE = " \t\r\n"

NAME_KEYS = frozenset({"name", "key", "field", "label", "id", "parameter", "param", "type"})
VALUE_KEYS = frozenset({"value", "val", "content", "data", "answer", "text", "input"})
"""Members of an object that is a pair of name and value."""

NUMBER_KEYS = frozenset({"number", "no", "num", "code", "digits"})
NAME_CHARS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A string or number: ``start`` and ``end`` are of its token in the JSON text.

    In ``value`` half a surrogate pair is U+FFFD, as in any other text.

    Attributes:
        key: the last key before it, so the key of its list for an item of one.
        owner: the key of the object that it is a member of; "" at the top.
        group: number of that object in the text, from 0.
    """

    key: str
    value: str
    start: int
    end: int
    quoted: bool
    owner: str = ""
    group: int = 0


@dataclass(slots=True)
class _Place:
    """Where the reader is: the objects around it, and the last key."""

    key: str = ""
    owner: str = ""
    group: int = 0
    groups: int = 0
    around: list[tuple[str, str, int]] = field(default_factory=list[tuple[str, str, int]])

    def pass_over(self, text: str, start: int, end: int) -> None:
        """Note the objects that begin and end in a stretch without a string."""
        for char in text[start:end]:
            if char in "{[":
                self.around.append((self.key, self.owner, self.group))
                if char == "{":
                    self.groups += 1
                    self.owner, self.group = self.key, self.groups
            elif char in "}]" and self.around:
                self.key, self.owner, self.group = self.around.pop()

    def leaf(self, value: str, start: int, end: int, *, quoted: bool) -> Leaf:
        return Leaf(
            key=self.key,
            value=value,
            start=start,
            end=end,
            quoted=quoted,
            owner=self.owner,
            group=self.group,
        )


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


def json_keys(text: str) -> list[Leaf]:
    """Give the keys of a JSON text's objects, left to right; ``text`` has leaves."""
    return list(_leaves(text, keys=True))


def _leaves(text: str, *, keys: bool = False) -> Iterator[Leaf]:
    """Give the values, or the keys in their place."""
    at = _Place()
    place = 0
    size = len(text)
    decode: Callable[[str, int], tuple[str, int]] = json.JSONDecoder().raw_decode
    while place < size:
        quote = text.find('"', place)
        numbers = _numbers(text, place, size if quote < 0 else quote, at)
        yield from (leaf for leaf in numbers if not keys)
        if quote < 0:
            return
        value, place = decode(text, quote)
        value = well_formed(value)
        after = place
        while after < size and text[after] in _SPACE:
            after += 1
        if after < size and text[after] == ":":
            at.key = value
            if keys:
                yield at.leaf(value, quote, place, quoted=True)
            place = after + 1
        elif not keys:
            yield at.leaf(value, quote, place, quoted=True)


def _numbers(text: str, start: int, end: int, at: _Place) -> Iterator[Leaf]:
    place = done = start
    while place < end:
        if text[place] not in "-0123456789":
            place += 1
            continue
        at.pass_over(text, done, place)
        stop = place
        while stop < end and text[stop] in _NUMBER:
            stop += 1
        yield at.leaf(text[place:stop], place, stop, quoted=False)
        place = done = stop
    at.pass_over(text, done, end)


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
    """Lay leaves out so that a key is the cue of its value.

    A key that only says that a value comes (``value``, ``number``) takes the name that
    stands beside it, or the key of its object.
    """
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    names = {
        leaf.group: key_words(leaf.value)
        for leaf in leaves
        if leaf.key.lower() in NAME_KEYS and leaf.quoted and len(leaf.value) <= NAME_CHARS
    }
    words: dict[tuple[str, str, int], str] = {}
    size = 0
    for leaf in leaves:
        spot = (leaf.key, leaf.owner, leaf.group)
        label = words.get(spot)
        if label is None:
            label = words[spot] = f"{_label(leaf, names)}: "
        size += len(label)
        starts.append(size)
        size += len(leaf.value)
        ends.append(size)
        pieces += (label, leaf.value, "\n\n")
        size += 2
    return LeafText(
        text="".join(pieces), leaves=tuple(leaves), starts=tuple(starts), ends=tuple(ends)
    )


def _label(leaf: Leaf, names: Mapping[int, str]) -> str:
    words = key_words(leaf.key)
    if words in VALUE_KEYS:
        return names.get(leaf.group) or key_words(leaf.owner) or words
    if words in NUMBER_KEYS and leaf.owner and leaf.owner != leaf.key:
        return f"{key_words(leaf.owner)} {words}"
    return words


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
