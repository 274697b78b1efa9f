"""Percent-encoded text (``?q=my%20card%20is…``) as a person means it, with the way back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tiered_memory.text.folding import Folded

__all__ = ["Decoded", "percent_decoded"]

_HEX = frozenset("0123456789abcdefABCDEF")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """A text with its escapes read and folded; spans lead back into ``raw``."""

    raw: str
    folded: Folded
    places: tuple[int, ...] = field(repr=False)

    @property
    def text(self) -> str:
        """What patterns read."""
        return self.folded.text

    def raw_index(self, index: int) -> int:
        """Give where the character stands, or its escape begins, in ``raw``."""
        return self.places[self.folded.raw_index(index)]

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """Give the half-open raw span of a half-open one, whole escapes in it."""
        first, last = self.folded.raw_span(start, end)
        return self.places[first], self.places[last]


def percent_decoded(text: str) -> Decoded | None:
    """Read ``%XX`` in a text; in a query also ``+`` as a space, ``&`` as a line's end.

    A query is what follows a ``=`` in a word. None where there is neither; linear. What is no UTF-8 becomes U+FFFD.
    """
    if "%" not in text and not ("+" in text and "=" in text):
        return None
    pieces: list[str] = []
    places: list[int] = []
    for piece, start, size in _pieces(text):
        pieces.append(piece)
        if size == len(piece):
            places += range(start, start + size)
        else:
            places += [start] * len(piece)
    decoded = "".join(pieces)
    if decoded == text:
        return None
    return Decoded(raw=text, folded=fold(decoded), places=(*places, len(text)))


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """Give what stands for each part of the text: it, where it begins, its raw size."""
    place = done = 0
    signs = _query_signs(text)
    while place < len(text):
        char = text[place]
        if char in "+&" and place in signs:
            yield text[done:place], done, place - done
            yield (" " if char == "+" else "\n"), place, 1
            place = done = place + 1
        elif char == "%" and _is_escape(text, place):
            yield text[done:place], done, place - done
            end = place
            while _is_escape(text, end):
                end += 3
            yield from _escaped(text, place, end)
            place = done = end
        else:
            place += 1
    yield text[done:], done, len(text) - done


def _escaped(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Read a run of escapes, character by character."""
    data = bytes.fromhex(text[start:end].replace("%", ""))
    for char in data.decode("utf-8", "replace"):
        size = 3 if char == "\ufffd" else 3 * len(char.encode())
        yield char, start, size
        start = min(end, start + size)


def _is_escape(text: str, place: int) -> bool:
    return (
        text[place : place + 1] == "%"
        and len(text) >= place + 3
        and text[place + 1] in _HEX
        and text[place + 2] in _HEX
    )


def _query_signs(text: str) -> frozenset[int]:
    """Give the places of ``+`` and ``&`` behind a ``=`` of the same word."""
    found: list[int] = []
    behind = False
    for place, char in enumerate(text):
        if char.isspace():
            behind = False
        elif char == "=":
            behind = True
        elif char in "+&" and behind:
            found.append(place)
    return frozenset(found)
