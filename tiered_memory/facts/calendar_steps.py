"""Steps in the calendar from the day of a message."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from tiered_memory.facts.numbers import parse_number
from tiered_memory.facts.weekdays import direction, on_weekday

if TYPE_CHECKING:
    from datetime import datetime

__all__ = [
    "Reference",
    "add_months",
    "day_of",
    "last_day",
    "month_of",
    "moved",
    "near_day",
    "week_of",
    "weekend_of",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a relative date is told from.

    Attributes:
        when: the customer's local time of the message.
        left, right: the text beside the value, lower-case; a bare weekday is the past
            one where it says that something happened.
    """

    when: datetime
    left: str = ""
    right: str = ""

    @property
    def day(self) -> date:
        """The customer's day."""
        return self.when.date()


def add_months(day: date, months: int) -> date:
    """Give the same day of another month, its last one where it is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def week_of(day: date, shift: int) -> str:
    """Give the ISO week ``shift`` weeks from the one of ``day``."""
    year, week, _ = (day + timedelta(weeks=shift)).isocalendar()
    return f"{year:04d}-W{week:02d}"


def weekend_of(day: date, shift: int) -> str:
    """Give Saturday and Sunday of an ISO week as an interval."""
    saturday = on_weekday(day + timedelta(weeks=shift), 6)
    return f"{saturday.isoformat()}/{(saturday + timedelta(days=1)).isoformat()}"


def month_of(day: date, shift: int) -> str:
    """Give the month ``shift`` months from the one of ``day``."""
    return add_months(day, shift).isoformat()[:7]


def moved(day: date, parts: list[tuple[int, str]], *, exact: bool) -> str | None:
    """Move ``day``; a month's or year's distance alone is no more exact than that."""
    units = {unit for _, unit in parts}
    try:
        for count, unit in parts:
            if unit in {"month", "year"}:
                day = add_months(day, count * (12 if unit == "year" else 1))
            else:
                day += timedelta(days=count * (7 if unit == "week" else 1))
    except (OverflowError, ValueError):
        return None
    if exact or units & {"day", "week"}:
        return day.isoformat()
    return day.isoformat()[: 7 if "month" in units else 4]


def day_of(first: date, day: str) -> str | None:
    """Give that day of the month of ``first``; None where it has none."""
    number = parse_number(day.replace("廿", "二十"))
    last = calendar.monthrange(first.year, first.month)[1]
    if number is None or not 1 <= number <= last:
        return None
    return first.replace(day=int(number)).isoformat()


def near_day(day: str, at: Reference) -> str | None:
    """Give the coming day of that number, or the last one where it is past."""
    number = parse_number(day.replace("廿", "二十"))
    if number is None or not 1 <= number <= 31:
        return None
    past = direction(at.left, at.right) < 0
    for shift in range(13):
        first = add_months(at.day.replace(day=1), -shift if past else shift)
        if number <= calendar.monthrange(first.year, first.month)[1]:
            found = first.replace(day=int(number))
            if (found <= at.day) if past else (found >= at.day):
                return found.isoformat()
    return None


def last_day(first: date) -> str:
    """Give the last day of the month of ``first``."""
    return first.replace(day=calendar.monthrange(first.year, first.month)[1]).isoformat()
