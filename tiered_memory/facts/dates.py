"""Dates as customers write them, to ISO 8601 with their grain; never a guessed year."""

from __future__ import annotations

import calendar
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from tiered_memory.facts.calendar_steps import Reference
from tiered_memory.facts.english_dates import parse_english
from tiered_memory.facts.expressions import expression
from tiered_memory.facts.relative_dates import is_day_word, relative_date
from tiered_memory.facts.weekdays import WEEKDAY, weekday_number

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["parse_date", "parse_month_first"]

_HAN_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_NUMBER = frozenset("0123456789〇零一二三四五六七八九十廿卅")

_YEAR_FIRST = expression(r"^([0-9]{4})([-/.])([0-9]{1,2})(?:([-/.])([0-9]{1,2}))?$")
_COMPACT = expression(r"^(?:19|20|21)[0-9]{6}$")
_YEAR_LAST = expression(r"^([0-9]{1,2})([-/.])([0-9]{1,2})([-/.])([0-9]{4}|[0-9]{2})$")
_NO_YEAR = expression(r"^([0-9]{1,2})/([0-9]{1,2})$")
_ON_WEEKDAY = expression(
    rf"^(?:this |next |last |on )?(?P<day>{WEEKDAY}),?[ -]?(?P<rest>[0-9].*)$"
)
_PAIR = expression(r"^([0-9]{1,2})[-/.]([0-9]{1,2})$")
_FORMS = expression(
    r"^(?:[0-9]{4}|[0-9]{4}-w(?:0[1-9]|[1-4][0-9]|5[0-3])|--(?:0[1-9]|1[0-2])(?:-[0-9]{2})?|"
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}/[0-9]{4}-[0-9]{2}-[0-9]{2})$"
)
"""Normal forms that are no spelling: year, week, day without a year, interval."""

_DAY_SIGNS = frozenset({"日", "号", "號", "份"})

_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_SOME_DAY = Reference(when=datetime(2024, 1, 31, tzinfo=UTC))
"""Any day with all its neighbours: tells whether words are a date at all."""
_NEAR_DAYS = 300
"""How far a ``Friday 7/6`` may be, which names no year."""


def parse_date(value: str, at: Reference | None = None) -> str | None:
    """Give a folded date's ISO form; None where no calendar holds it.

    ``2026-05-12`` day, ``2026-W20`` week, ``2026-05`` month, ``2026`` year, ``--05-12``
    day without a year, ``--05`` month without a year. Dots mean day first
    (``12.05.2026``). What day and month cannot be told apart in (``03/04``,
    ``3/4/2026``) comes back as written, lower-case, and so do relative words (``昨天``,
    ``next friday``) without ``at``.
    """
    text = " ".join(value.lower().split()).strip(" .,")
    if not text:
        return None
    if not is_day_word(text):
        for read in _readers(text):
            matched, iso = read(text)
            if matched:
                return iso
    iso = _told(text, at or _SOME_DAY)
    if iso != "":
        return iso if at is not None or iso is None else text
    return None if any(c.isdigit() and c.isascii() for c in text) else text


def parse_month_first(value: str, at: Reference | None = None) -> str | None:
    """Give a date's ISO form as ``parse_date`` does; ``3/4`` is March 4, as in Chinese."""
    text = value.strip()
    if not text.isascii():
        return parse_date(value, at)
    match = _NO_YEAR.match(text)
    if match is not None:
        return _iso(None, int(match.group(1)), int(match.group(2)))
    match = _YEAR_LAST.match(text)
    if match is not None and len(match.group(5)) == 4:
        return _iso(int(match.group(5)), int(match.group(1)), int(match.group(3)))
    return parse_date(value, at)


def _readers(text: str) -> tuple[Callable[[str], tuple[bool, str | None]], ...]:
    """Give those that can match, told from the characters alone."""
    if not text.isascii():
        return (_han,) if "月" in text else ()
    if any("a" <= c <= "z" and c != "w" for c in text):
        return (_english,)
    return (_form, _year_first, _year_last, _no_year)


def _told(text: str, at: Reference) -> str | None:
    """Read what is told from the day of the message; "" where it is not."""
    try:
        iso = _on_weekday(text, at)
        if iso == "":
            iso = relative_date(text, at, lambda inner: parse_date(inner, at))
    except (OverflowError, ValueError):
        return None  # beyond the years that datetime has
    if iso and iso[:4].isdigit() and not _FIRST_YEAR <= int(iso[:4]) <= _LAST_YEAR:
        return None
    return iso


def _form(text: str) -> tuple[bool, str | None]:
    if not _FORMS.match(text):
        return False, None
    if text.startswith("--"):
        return True, _iso(None, int(text[2:4]), int(text[5:]) if text[5:] else None)
    if not _FIRST_YEAR <= int(text[:4]) <= _LAST_YEAR:
        return True, None
    days = text.split("/") if "/" in text else []
    real = all(_iso(int(d[:4]), int(d[5:7]), int(d[8:])) for d in days)
    return True, text.upper() if real else None


def _on_weekday(text: str, at: Reference) -> str | None:
    """Read ``Friday 7/6`` by its weekday: the order of day and month that has it."""
    match = _ON_WEEKDAY.match(text)
    if match is None:
        return ""
    rest = match.group("rest")
    pair = _PAIR.match(rest)
    if pair is None:
        iso = _year_first(rest)[1]
        return "" if iso is None else iso
    weekday = weekday_number(match.group("day"))
    one, two = int(pair.group(1)), int(pair.group(2))
    found = [
        date.fromisoformat(iso)
        for year in range(at.day.year - 1, at.day.year + 2)
        for iso in {_iso(year, one, two), _iso(year, two, one)}
        if iso is not None and date.fromisoformat(iso).isoweekday() == weekday
    ]
    found = [day for day in found if abs((day - at.day).days) <= _NEAR_DAYS]
    if not found:
        return _no_year(f"{one}/{two}")[1]
    return min(found, key=lambda day: (abs(day - at.day), day)).isoformat()


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
    if match.group(2) == ".":
        return True, _iso(int(written), int(two), int(one)) or _iso(
            int(written), int(one), int(two)
        )
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
    head, _, tail = text.replace(" ", "").partition("月")
    written, _, month = head.rpartition("年")
    day = tail[:-1] if tail[-1:] in _DAY_SIGNS else tail
    if ("年" in head) != (2 <= len(written) <= 4) or not 1 <= len(month) <= 3:
        return False, None
    if len(day) > 3 or not _HAN_NUMBER.issuperset(written + month + day):
        return False, None
    if (tail[-1:] == "份" and day) or (tail[-1:] not in {"", "份"} and not day):
        return False, None
    year = _han_number(written) if written else None
    number = _han_number(month)
    if number is None or (written and year is None):
        return True, None
    if year is not None and year < 100:
        year += 2000
    if not day:
        return True, _iso(year, number, None)
    of_month = _han_number(day)
    return True, None if of_month is None else _iso(year, number, of_month)


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
    parts = parse_english(text)
    return (False, None) if parts is None else (True, _iso(*parts))


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)
