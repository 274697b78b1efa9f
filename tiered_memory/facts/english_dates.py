"""Dates with an English month: ``May 12th, 2026``, ``second of Aug``, ``05-Aug-2026``."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from tiered_memory.facts.expressions import expression
from tiered_memory.facts.numbers import parse_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["day_number", "parse_english"]

_MONTHS: Mapping[str, int] = MappingProxyType(
    {
        name: index
        for index, names in enumerate(
            [
                "jan january",
                "feb february",
                "mar march",
                "apr april",
                "may",
                "jun june",
                "jul july",
                "aug august",
                "sep sept september",
                "oct october",
                "nov november",
                "dec december",
            ],
            1,
        )
        for name in names.split()
    }
)
_ORDINALS: Mapping[str, int] = MappingProxyType(
    {
        name: index
        for index, name in enumerate(
            [
                "first",
                "second",
                "third",
                "fourth",
                "fifth",
                "sixth",
                "seventh",
                "eighth",
                "ninth",
                "tenth",
                "eleventh",
                "twelfth",
                "thirteenth",
                "fourteenth",
                "fifteenth",
                "sixteenth",
                "seventeenth",
                "eighteenth",
                "nineteenth",
                "twentieth",
            ],
            1,
        )
    }
    | {"thirtieth": 30}
)
_TENS: Mapping[str, int] = MappingProxyType({"twenty": 20, "thirty": 30})
_TOKENS = expression(r"[a-z]+|[0-9]+")
_GLUE = frozenset({"the", "of", "in", "day", "and", "on", "this", "next", "last"})
_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_WEEKDAYS = frozenset({"mon", "tue", "wed", "thu", "fri", "sat", "sun"})
_WORDS = 9


def parse_english(text: str) -> tuple[int | None, int, int | None] | None:
    """Give year, month and day; None where ``text`` is not one date with a month's name.

    A day or a year must stand beside the month. Years have four digits or are words
    (``nineteen eighty six``). Whether the calendar has the day is not asked.
    """
    tokens = [t for t in _TOKENS.findall(text) if t not in _GLUE]
    if not 2 <= len(tokens) <= _WORDS:
        return None
    kept = [t for n, t in enumerate(tokens) if not (n and _is_ending(tokens[n - 1], t))]
    if kept[0][:3] in _WEEKDAYS and kept[0] not in _MONTHS:
        kept = kept[1:]
    months = [n for n, t in enumerate(kept) if t in _MONTHS]
    if len(months) != 1:
        return None
    place = months[0]
    rest = [*kept[:place], *kept[place + 1 :]]
    found = _numbers(rest)
    if found is None or found == (None, None):
        return None
    year, day = found
    return year, _MONTHS[kept[place]], day


def _is_ending(before: str, token: str) -> bool:
    return token in _ENDINGS and before.isdigit()


def _numbers(rest: Sequence[str]) -> tuple[int | None, int | None] | None:
    """Give year and day from the tokens beside the month, each at most once."""
    year: int | None = None
    day: int | None = None
    words: list[str] = []
    for token in rest:
        if not token.isdigit():
            words.append(token)
        elif len(token) == 4 and year is None:
            year = int(token)
        elif len(token) <= 2 and day is None:
            day = int(token)
        else:
            return None
    if not words:
        return year, day
    if day is None:
        for count in (2, 1):
            said = day_number(words[:count])
            if said is not None and len(words) >= count:
                day, words = said, words[count:]
                break
    if words and year is None:
        year = _year(words)
        return None if year is None else (year, day)
    return None if words else (year, day)


def day_number(words: Sequence[str]) -> int | None:
    """Give the day of a month said in one or two words, ordinal or not."""
    if len(words) == 2 and words[0] in _TENS and words[1] in _ORDINALS:
        ones = _ORDINALS[words[1]]
        return _TENS[words[0]] + ones if ones < 10 else None
    if len(words) == 1 and words[0] in _ORDINALS:
        return _ORDINALS[words[0]]
    number = parse_number(" ".join(words))
    return int(number) if number is not None and 1 <= number <= 31 else None


def _year(words: Sequence[str]) -> int | None:
    whole = parse_number(" ".join(words))
    if whole is not None and 1000 <= whole <= 9999:
        return int(whole)
    for count in (1, 2):
        century = parse_number(" ".join(words[:count]))
        years = parse_number(" ".join(words[count:]))
        if century is None or years is None:
            continue
        if 10 <= century <= 99 and 10 <= years <= 99:
            return int(century * 100 + years)
    return None
