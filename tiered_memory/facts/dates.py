"""Dates as customers write them, to ISO 8601 with their grain; never a guessed year."""

from __future__ import annotations

import calendar

from tiered_memory.facts.expressions import expression

__all__ = ["parse_date"]

_MONTHS = {
    name: index + 1
    for index, names in enumerate(
        (
            ("jan", "january"),
            ("feb", "february"),
            ("mar", "march"),
            ("apr", "april"),
            ("may",),
            ("jun", "june"),
            ("jul", "july"),
            ("aug", "august"),
            ("sep", "sept", "september"),
            ("oct", "october"),
            ("nov", "november"),
            ("dec", "december"),
        )
    )
    for name in names
}
_HAN_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_NUMBER = "[0-9〇零一二三四五六七八九十廿卅]"

_YEAR_FIRST = expression(r"^([0-9]{4})([-/.])([0-9]{1,2})(?:([-/.])([0-9]{1,2}))?$")
_COMPACT = expression(r"^(?:19|20)[0-9]{6}$")
_YEAR_LAST = expression(r"^([0-9]{1,2})([-/.])([0-9]{1,2})([-/.])([0-9]{4}|[0-9]{2})$")
_NO_YEAR = expression(r"^([0-9]{1,2})/([0-9]{1,2})$")
_HAN = expression(
    rf"^(?:({_HAN_NUMBER}{{2,4}})年)?({_HAN_NUMBER}{{1,3}})月(?:份|({_HAN_NUMBER}{{1,3}})(?:日|号)?)?$"
)
_DAY_MONTH = expression(
    r"^(?:the )?([0-9]{1,2})(?:st|nd|rd|th)?(?: of)? ([a-z]{3,9})\.?(?:,? ([0-9]{4}))?$"
)
_MONTH_DAY = expression(
    r"^([a-z]{3,9})\.? (?:the )?([0-9]{1,2})(?:st|nd|rd|th)?(?:,? ([0-9]{4}))?$"
)
_MONTH_YEAR = expression(r"^([a-z]{3,9})\.?,? ([0-9]{4})$")

_FIRST_YEAR, _LAST_YEAR = 1900, 2100


def parse_date(value: str) -> str | None:
    """Give a folded date's ISO form; None where no calendar holds it.

    ``2026-05-12`` day, ``2026-05`` month, ``--05-12`` day without a year, ``--05`` month
    without a year. What day and month cannot be told apart in (``03/04``, ``3/4/2026``)
    and relative words (``昨天``, ``next friday``) come back as written, lower-case.
    """
    text = " ".join(value.lower().split()).strip(" .,")
    if not text:
        return None
    for read in (_year_first, _year_last, _no_year, _han, _english):
        matched, iso = read(text)
        if matched:
            return iso
    return None if any(c.isdigit() and c.isascii() for c in text) else text


def _iso(year: int | None, month: int, day: int | None) -> str | None:
    if not 1 <= month <= 12:
        return None
    if year is not None and not _FIRST_YEAR <= year <= _LAST_YEAR:
        return None
    prefix = "--" if year is None else f"{year:04d}-"
    if day is None:
        return f"{prefix}{month:02d}"
    last = calendar.monthrange(2024 if year is None else year, month)[1]
    return f"{prefix}{month:02d}-{day:02d}" if 1 <= day <= last else None


def _year_first(text: str) -> tuple[bool, str | None]:
    if _COMPACT.match(text):
        return True, _iso(int(text[:4]), int(text[4:6]), int(text[6:]))
    match = _YEAR_FIRST.match(text)
    if match is None:
        return False, None
    _, first, _, second, day = match.groups()
    if second is not None and second != first:
        return True, None
    return True, _iso(int(match.group(1)), int(match.group(3)), _number(day))


def _year_last(text: str) -> tuple[bool, str | None]:
    match = _YEAR_LAST.match(text)
    if match is None:
        return False, None
    one, two, written = match.group(1), match.group(3), match.group(5)
    if match.group(2) != match.group(4):
        return True, None
    if len(written) == 2:
        return True, None if _either(None, int(one), int(two)) is None else text
    iso = _either(int(written), int(one), int(two))
    return True, text if iso == "" else iso


def _no_year(text: str) -> tuple[bool, str | None]:
    match = _NO_YEAR.match(text)
    if match is None:
        return False, None
    iso = _either(None, int(match.group(1)), int(match.group(2)))
    return True, text if iso == "" else iso


def _either(year: int | None, one: int, two: int) -> str | None:
    """Give the one reading there is, ``""`` where both orders are dates, else None."""
    readings = {r for r in (_iso(year, one, two), _iso(year, two, one)) if r is not None}
    if len(readings) > 1:
        return ""
    return next(iter(readings), None)


def _han(text: str) -> tuple[bool, str | None]:
    match = _HAN.match(text.replace(" ", ""))
    if match is None:
        return False, None
    year, month, day = (None if g is None else _han_number(g) for g in match.groups())
    if year is not None and year < 100:
        year += 2000
    if month is None:
        return True, None
    return True, _iso(year, month, day)


def _han_number(text: str) -> int | None:
    if text.isascii():
        return int(text)
    digits = text.replace("廿", "二十").replace("卅", "三十")
    if "十" in digits:
        tens, _, ones = digits.partition("十")
        if len(tens) > 1 or len(ones) > 1:
            return None
        return 10 * (_one(tens) if tens else 1) + (_one(ones) if ones else 0)
    return int("".join(str(_one(c)) for c in digits))


def _one(char: str) -> int:
    return _HAN_DIGITS[char] if char in _HAN_DIGITS else int(char)


def _english(text: str) -> tuple[bool, str | None]:
    match = _DAY_MONTH.match(text)
    if match is not None and match.group(2) in _MONTHS:
        year = _number(match.groups()[2])
        return True, _iso(year, _MONTHS[match.group(2)], int(match.group(1)))
    match = _MONTH_DAY.match(text)
    if match is not None and match.group(1) in _MONTHS:
        year = _number(match.groups()[2])
        return True, _iso(year, _MONTHS[match.group(1)], int(match.group(2)))
    match = _MONTH_YEAR.match(text)
    if match is not None and match.group(1) in _MONTHS:
        return True, _iso(int(match.group(2)), _MONTHS[match.group(1)], None)
    return False, None


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)
