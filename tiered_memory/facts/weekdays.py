"""Weekdays in Chinese and English, to the day that is meant."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

from tiered_memory.facts.english_dates import day_number
from tiered_memory.facts.expressions import expression

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["WEEKDAY", "bare_weekday", "direction", "on_weekday", "weekday_number"]

WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:rs?|rsday)?|fri(?:day)?|"
    r"sat(?:urday)?|sun(?:day)?)"
)
_NUMBERS: Mapping[str, int] = MappingProxyType(
    {name: n for n, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun"), 1)}
    | {name: n for n, name in enumerate("一二三四五六日", 1)}
    | {"天": 7}
)

_ZH = expression(r"^(?:周|週|星期|礼拜|禮拜)([一二三四五六日天])$")
_SHIFTED = expression(
    rf"^(?P<shift>this coming|this upcoming|this past|this|next|last|previous|coming|"
    rf"upcoming|following|past)? ?(?P<day>{WEEKDAY})\.?$"
)
_OF_WEEK = expression(
    rf"^(?:on )?(?P<day>{WEEKDAY})(?: of)? (?P<shift>this|next|last|previous|"
    rf"the following|following) week$"
)
_IN_WEEK = expression(
    rf"^(?P<shift>this|next|last|previous|the following|following) week,?(?: on| -)? ?"
    rf"(?P<day>{WEEKDAY})$"
)
_NUMBERED = expression(
    rf"^(?P<day>{WEEKDAY}),? (?:the )?(?P<number>[0-9]{{1,2}}(?:st|nd|rd|th)?|[a-z -]+)$"
)
_SHIFTS = {
    "last": -1, "previous": -1, "this": 0, "next": 1, "following": 1, "the following": 1,
}  # fmt: skip
_HAPPENED = expression(
    r"(?s).*(?:了|过|下的?单|买的|订的|付的|发的|收到|"
    r"(?:^|[^a-z])(?:was|were|did|had|since|bought|paid|sent|came|told|got|went|left|"
    r"[a-z]{2,12}(?:ered|ased|ived|arged|alled|ipped|aced|uested|ened|urned|eted|unded))"
    r"(?:[^a-z]|$)).*"
)
_EVERY = ("every ", "each ", "每", "每个", "每逢")


def weekday_number(name: str) -> int:
    """Give 1 for Monday to 7 for Sunday."""
    return _NUMBERS[name if name in _NUMBERS else name[:3]]


def on_weekday(day: date, number: int) -> date:
    """Give the day with that weekday in the ISO week of ``day``."""
    return day + timedelta(days=number - day.isoweekday())


def direction(left: str, right: str) -> int:
    """Give -1 where the text beside a day says that it is past, else 1."""
    return -1 if _HAPPENED.match(left) or _HAPPENED.match(right) else 1


def bare_weekday(text: str, day: date, left: str, right: str) -> str | None:
    """Give the day that a weekday means; "" where ``text`` is none, None if recurring.

    ``next`` and ``last`` count ISO weeks from the one of ``day``; ``coming`` and ``past``
    are the nearest one. A bare weekday is the coming one, today included, or the last
    one where the text beside it says that it is past.
    """
    for expression_ in (_OF_WEEK, _IN_WEEK):
        match = expression_.match(text)
        if match is not None:
            shifted = day + timedelta(weeks=_SHIFTS[str(match.group("shift"))])
            return on_weekday(shifted, weekday_number(match.group("day"))).isoformat()
    match = _NUMBERED.match(text)
    number = None if match is None else _day_of_month(match.group("number"))
    if match is not None and number is not None:
        return _numbered(match.group("day"), number, day, left, right)
    match = _ZH.match(text)
    shift = ""
    if match is None:
        match = _SHIFTED.match(text)
        if match is None:
            return ""
        shift, name = match.groupdict()["shift"] or "", match.group("day")
    else:
        name = match.group(1)
    if not shift and left.rstrip("（(").endswith(_EVERY):
        return None
    return _near(weekday_number(name), shift, day, direction(left, right)).isoformat()


def _day_of_month(written: str) -> int | None:
    return day_number(
        written.rstrip("stndrh").split()
        if written[0].isdigit()
        else written.replace("-", " ").split()
    )


def _near(number: int, shift: str, day: date, way: int) -> date:
    if shift in _SHIFTS:
        return on_weekday(day + timedelta(weeks=_SHIFTS[shift]), number)
    ahead = (number - day.isoweekday()) % 7
    if shift in {"past", "this past"} or (not shift and way < 0):
        return day - timedelta(days=(7 - ahead) % 7 or 7)
    if shift:
        return day + timedelta(days=ahead or 7)
    return day + timedelta(days=ahead)


def _numbered(name: str, number: int, day: date, left: str, right: str) -> str | None:
    """Give the nearest ``Friday 13th`` ahead, or behind where it is past."""
    weekday, way = weekday_number(name), direction(left, right)
    year, month = day.year, day.month
    for _ in range(48):
        if number <= calendar.monthrange(year, month)[1]:
            found = date(year, month, number)
            if found.isoweekday() == weekday and (found - day).days * way >= 0:
                return found.isoformat()
        year, month = divmod(year * 12 + month - 1 + way, 12)
        month += 1
    return None
