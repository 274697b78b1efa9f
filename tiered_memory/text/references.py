"""References ``[[order_id:3]]``: what stands for a value where a model reads and writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "MISSING",
    "LooseRef",
    "Ref",
    "escape",
    "find",
    "find_loose",
    "reference",
    "render",
    "unescape",
]

MISSING = "[[?]]"
"""Shown where a reference's row was retracted or erased; means the same in any language."""

KEY_CHARS = 64
NUMBER_DIGITS = 9
_REACH = KEY_CHARS + NUMBER_DIGITS + 3
_LOOSE_REACH = _REACH + 24

OPENING = "[【［"
CLOSING = "]】］"
_COLONS = ":：﹕∶"
_MARKUP = "`*_"
_PADDING = " \t\r\n\u3000\u00a0`*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ref:
    """A reference in a text: half-open span in code points, key and number."""

    start: int
    end: int
    key: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseRef:
    """A near spelling of a reference: half-open span in code points.

    ``key`` is folded, in lower case, inner spaces as ``_``: compare it so.
    """

    start: int
    end: int
    key: str
    number: int


def reference(key: str, number: int) -> str:
    """Give the exact spelling.

    Raises:
        ValueError: ``key`` is not 1 to 64 letters, digits, ``_``, ``.`` or ``-`` that
            begin with a letter or ``_``, or ``number`` is not 1 to 999,999,999.
    """
    if not _is_key(key):
        raise ValueError("a reference's key is a word of letters, digits, '_', '.', '-'")
    if not 0 < number < 10**NUMBER_DIGITS:
        raise ValueError(f"a reference's number is from 1 up, not {number}")
    return f"[[{key}:{number}]]"


def find(text: str) -> list[Ref]:
    """Give the references in their exact spelling, left to right; linear."""
    return list(_exact(text))


def render(text: str, lookup: Callable[[int, str], str | None]) -> str:
    """Put a value in the place of each reference.

    Args:
        text: with references in their exact spelling; near spellings stay.
        lookup: gives the value for number and key, None where there is none.
    """
    pieces: list[str] = []
    done = 0
    for ref in _exact(text):
        value = lookup(ref.number, ref.key)
        pieces += (text[done : ref.start], MISSING if value is None else value)
        done = ref.end
    return "".join((*pieces, text[done:]))


def find_loose(text: str) -> list[LooseRef]:
    """Give what a model may have meant as references, left to right; exact ones are not in it.

    Read are full-width brackets, a bracket missing on either side or on both, spaces
    and line breaks inside, other case, a full-width colon, an escaped ``_``, and emphasis or
    backticks inside or balanced around (those belong to the span). With one bracket
    on each side the key must be ASCII: ``【验证码:1234】`` is a text message's word.
    """
    if not any(char in text for char in OPENING):
        return []
    found: list[LooseRef] = []
    done = 0
    for place, char in enumerate(text):
        if char not in OPENING or place < done:
            continue
        body = _body_at(text, place + 1)
        if body is None:
            continue
        key, number, close = body
        start = _outer(text, place, -1, OPENING)
        end = _outer(text, close, 1, CLOSING) + 1
        if start == place and end == close + 1 and not key.isascii():
            continue
        start, end = _with_markup(text, start, end)
        if text[start:end] != reference(key, number):
            found.append(LooseRef(start=start, end=end, key=key, number=number))
        done = end
    return found


def escape(text: str) -> str:
    """Give ``text`` in a visible form in which no reference is found, exact or near.

    Adjacent opening brackets are put apart by one space, and a ``~`` goes before what
    would read as a reference's key. ``unescape`` takes both back exactly.
    """
    if not any(char in text for char in OPENING):
        return text
    return _spaced(_tilded(text, 1), 1)


def unescape(text: str) -> str:
    """Give the text that ``escape`` was given."""
    if not any(char in text for char in OPENING):
        return text
    return _tilded(_spaced(text, -1), -1)


def _body_at(text: str, start: int) -> tuple[str, int, int] | None:
    """Read key, number and the place of the closing bracket of a loose spelling."""
    window = text[start : start + _LOOSE_REACH]
    size = next((i for i, char in enumerate(window) if char in CLOSING), -1)
    colon = next(
        (i for i, char in enumerate(window[: max(size, 0)]) if char in _COLONS), -1
    )
    if colon < 0:
        return None
    key = _loose_key(window[:colon])
    digits = fold(window[colon + 1 : size].strip(_PADDING)).text.lstrip("#")
    if not _is_key(key) or not _is_number(digits):
        return None
    return (key, int(digits), start + size)


def _outer(text: str, place: int, step: int, brackets: str) -> int:
    """Give the place of a second bracket next to ``place``, else ``place``."""
    other = place + step
    while 0 <= other < len(text) and text[other].isspace() and abs(other - place) < 8:
        other += step
    return other if 0 <= other < len(text) and text[other] in brackets else place


def _exact(text: str) -> Iterator[Ref]:
    start = text.find("[[")
    while start >= 0:
        end = text.find("]]", start + 2, start + 2 + _REACH)
        key, colon, number = text[start + 2 : max(end, 0)].partition(":")
        if end > 0 and colon and _is_key(key) and _is_number(number):
            yield Ref(start=start, end=end + 2, key=key, number=int(number))
            start = text.find("[[", end + 2)
        else:
            start = text.find("[[", start + 1)


def _is_key(key: str) -> bool:
    return (
        0 < len(key) <= KEY_CHARS
        and (key[0].isalpha() or key[0] == "_")
        and all(char.isalnum() or char in "_.-" for char in key)
    )


def _is_number(number: str) -> bool:
    return (
        0 < len(number) <= NUMBER_DIGITS
        and number.isascii()
        and number.isdigit()
        and number[0] != "0"
    )


def _loose_key(key: str) -> str:
    plain = fold(key.strip(_PADDING)).text.replace("\\_", "_")
    return "_".join(plain.split()).lower()


def _with_markup(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and end < len(text) and text[start - 1] == text[end]:
        if text[end] not in _MARKUP:
            break
        start, end = start - 1, end + 1
    return start, end


def _tilded(text: str, step: int) -> str:
    """Add (1) or take (-1) one ``~`` after each bracket before a reference's body."""
    pieces: list[str] = []
    done = 0
    for place, char in enumerate(text):
        if char not in OPENING:
            continue
        rest = place + 1
        while rest < len(text) and text[rest] == "~":
            rest += 1
        if _body_at(text, rest) is None:
            continue
        pieces.append(text[done : place + 1])
        done = place + 1 if step > 0 else min(place + 2, rest)
        if step > 0:
            pieces.append("~")
    return "".join((*pieces, text[done:]))


def _spaced(text: str, step: int) -> str:
    """Add (1) or take (-1) one space between brackets with nothing but spaces between."""
    pieces: list[str] = []
    done = 0
    for place, char in enumerate(text):
        if char not in OPENING:
            continue
        rest = place + 1
        while rest < len(text) and text[rest] == " ":
            rest += 1
        if rest >= len(text) or text[rest] not in OPENING:
            continue
        pieces.append(text[done : place + 1])
        done = place + 1 if step > 0 else min(place + 2, rest)
        if step > 0:
            pieces.append(" ")
    return "".join((*pieces, text[done:]))
