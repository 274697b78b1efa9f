"""Text in the one form that patterns are matched on, with the way back to what was typed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Folded", "fold"]

SLICE_CHARS = 65_536
"""``str.translate`` holds the interpreter ~0.1 µs a character: ~7 ms a slice."""

FEW = 8
"""Up to so many distinct characters, one ``str.replace`` each beats ``translate``."""

DELETED = "\u200b\u200c\u200d\u2060\ufeff\u00ad"

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d\ufe63"

_ZEROS = (
    *(0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66),
    *(0x0CE6, 0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810),
    *(0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0),
    *(0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x10D40),
    *(0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0),
    *(0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950, 0x11BF0, 0x11C50, 0x11D50, 0x11DA0),
    *(0x11F50, 0x16130, 0x16A60, 0x16AC0, 0x16B50, 0x1CCF0, 0x1D7CE, 0x1D7D8, 0x1D7E2),
    *(0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E5F1, 0x1E950, 0x1FBF0),
)
"""The zero of each row of decimal digits (category Nd), Unicode 16.0."""


def _table() -> Mapping[int, str]:
    table = {0xFEE0 + code: chr(code) for code in range(0x21, 0x7F)}
    table |= {zero + digit: str(digit) for zero in _ZEROS for digit in range(10)}
    table |= dict.fromkeys(map(ord, _DASHES), "-")
    table |= {0x3000: " ", 0x00A0: " ", 0xFFE5: "\u00a5"}
    table |= dict.fromkeys(map(ord, DELETED), "")
    return MappingProxyType(table)


_TABLE = _table()
_FOLDED = frozenset(map(chr, _TABLE))


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A text and its folded form; offsets are in code points.

    Attributes:
        raw: the text as it was given.
        text: the folded form, never longer than ``raw``.
        deleted: positions in ``raw`` of characters that have no folded one, ascending.
    """

    raw: str
    text: str
    deleted: tuple[int, ...] = ()
    _shifts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        shifts = tuple(place - count for count, place in enumerate(self.deleted))
        object.__setattr__(self, "_shifts", shifts)

    def raw_index(self, index: int) -> int:
        """Give where the folded character ``index`` stands in ``raw``; logarithmic."""
        return index + bisect_right(self._shifts, index)

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """Give the half-open raw span of a half-open folded one.

        Deleted characters before its first and after its last character are not in it.
        """
        first = self.raw_index(start)
        return (first, first if end <= start else self.raw_index(end - 1) + 1)

    def folded_span(self, start: int, end: int) -> tuple[int, int]:
        """Give the half-open folded span of what is left of a half-open raw one."""
        return (
            start - bisect_left(self.deleted, start),
            end - bisect_left(self.deleted, end),
        )


def fold(text: str) -> Folded:
    """Give ``text`` with its typing variants made one.

    Full-width forms become ASCII, decimal digits of any script ASCII digits, the
    ideographic and the no-break space a space, dashes ``-``, ``￥`` ``¥``; zero-width
    characters and soft hyphens go. Case, circled digits and ligatures stay: ids are
    case-sensitive, and NFKC would change lengths. Linear; works in slices, so that
    other threads get their turn.
    """
    if text.isascii():
        return Folded(raw=text, text=text)
    pieces: list[str] = []
    deleted: list[int] = []
    for start in range(0, len(text), SLICE_CHARS):
        piece = text[start : start + SLICE_CHARS]
        found = _FOLDED.intersection(piece)
        if not found.isdisjoint(DELETED):
            deleted += (start + i for i, char in enumerate(piece) if char in DELETED)
        if len(found) > FEW:
            piece = piece.translate(_TABLE)
        else:
            for char in found:
                piece = piece.replace(char, _TABLE[ord(char)])
        pieces.append(piece)
    return Folded(raw=text, text="".join(pieces), deleted=tuple(deleted))
