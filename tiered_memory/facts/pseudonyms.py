"""Pseudonyms ``[phone-K3F9TQ2A]``: what stands for a value wherever it is stored or shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["NAME_CHARS", "PSEUDONYM", "Hidden", "Pseudonyms", "pseudonym"]

NAME_CHARS = 8
"""Of base32, 40 bits: among a thousand values of a session two are alike once in two
million sessions."""

PSEUDONYM = rf"\[[A-Za-z_][A-Za-z0-9_.-]{{0,63}}-[A-Z2-7]{{{NAME_CHARS}}}\]"
"""RE2; the type is as a pack may name it."""

LEAST_DIGITS = 4
LEAST_LETTERS = 3
LEAST_OTHERS = 2
"""Shorter values stand in too many words to be looked for: with a digit, of ASCII letters,
of Chinese and other characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """A value under a pseudonym: as it was first written, and its normal form."""

    pseudonym: str
    type: str
    value: str
    normalized: str


def pseudonym(type_name: str, code: str) -> str:
    """Give what stands for a value; ``code`` is at least ``NAME_CHARS`` of base32."""
    return f"[{type_name}-{code[:NAME_CHARS]}]"


class Pseudonyms:
    """The pseudonyms of one session while messages are read; for one thread at a time.

    ``code`` gives the base32 code of a type and normal form: the same in every process,
    another in every session.
    """

    def __init__(
        self, code: Callable[[str, str], str], known: Iterable[Hidden] = ()
    ) -> None:
        self._code = code
        self._by_form: dict[tuple[str, str], Hidden] = {}
        self._by_text: dict[str, Hidden] = {}
        self._new: list[Hidden] = []
        for hidden in known:
            self._take(hidden)

    @property
    def new(self) -> tuple[Hidden, ...]:
        """Values that were not known before, in order."""
        return tuple(self._new)

    def name(self, type_name: str, normalized: str, value: str) -> str:
        """Give the pseudonym of a value: of its normal form, else of its spelling.

        A spelling that is known under another type keeps its pseudonym.
        """
        known = self._by_form.get((type_name, normalized))
        known = known or self._by_text.get(fold(value).text)
        if known is None:
            known = Hidden(
                pseudonym=pseudonym(type_name, self._code(type_name, normalized)),
                type=type_name,
                value=value,
                normalized=normalized,
            )
            self._new.append(known)
            self._take(known)
        return known.pseudonym

    def literals(self, text: str) -> Iterator[tuple[int, int, Hidden]]:
        """Give where known values stand in a folded text, as words of their own.

        Every spelling is looked for by itself: linear in the text for each.
        """
        for needle, hidden in self._by_text.items():
            start = text.find(needle)
            while start >= 0:
                end = start + len(needle)
                if not _joins(text, start) and not _joins(text, end):
                    yield start, end, hidden
                start = text.find(needle, end)

    def _take(self, hidden: Hidden) -> None:
        self._by_form.setdefault((hidden.type, hidden.normalized), hidden)
        folded = fold(hidden.value).text
        for text in (folded, hidden.normalized, _digits(folded)):
            if _is_telling(text):
                self._by_text.setdefault(text, hidden)


def _digits(text: str) -> str:
    """Give a number without what parts its digits; "" where there are letters too."""
    if any(char.isalpha() for char in text):
        return ""
    return "".join(char for char in text if char.isdigit())


def _is_telling(text: str) -> bool:
    if not text.isascii():
        return len(text) >= LEAST_OTHERS
    least = LEAST_DIGITS if any(char.isdigit() for char in text) else LEAST_LETTERS
    return len(text) >= least and any(char.isalnum() for char in text)


def _joins(text: str, place: int) -> bool:
    """Tell whether a word of ASCII letters and digits goes on across ``place``."""
    left, right = text[place - 1 : place], text[place : place + 1]
    return left.isascii() and right.isascii() and left.isalnum() and right.isalnum()
