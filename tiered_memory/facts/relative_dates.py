"""Days told from the day of the message: ``明天``, ``上周五``, ``in two weeks``."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import TYPE_CHECKING

from tiered_memory.facts.calendar_steps import (
    Reference,
    add_months,
    day_of,
    last_day,
    month_of,
    moved,
    near_day,
    week_of,
    weekend_of,
)
from tiered_memory.facts.expressions import expression
from tiered_memory.facts.numbers import parse_number
from tiered_memory.facts.weekdays import (
    WEEKDAY,
    bare_weekday,
    on_weekday,
    weekday_number,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["is_day_word", "relative_date"]


_DAYS = {
    "大前天": -3, "前天": -2, "前日": -2, "昨天": -1, "昨日": -1, "昨儿": -1, "昨晚": -1,
    "昨夜": -1, "今天": 0, "今日": 0, "今儿": 0, "今早": 0, "今晨": 0, "今晚": 0, "今夜": 0,
    "当天": 0, "明天": 1, "明日": 1, "明儿": 1, "明早": 1, "明晚": 1, "后天": 2, "後天": 2,
    "后日": 2, "大后天": 3, "大後天": 3, "today": 0, "later today": 0, "tonight": 0,
    "this morning": 0, "this afternoon": 0, "this evening": 0, "tomorrow": 1, "tmrw": 1,
    "tmr": 1, "yesterday": -1, "last night": -1, "the day after tomorrow": 2,
    "day after tomorrow": 2, "the day before yesterday": -2, "day before yesterday": -2,
}  # fmt: skip
_SHIFT_ZH = {"上上上": -3, "上上": -2, "上": -1, "这": 0, "這": 0, "本": 0, "下": 1,
             "下下": 2, "下下下": 3}  # fmt: skip
_SHIFT_EN = {"last": -1, "previous": -1, "this": 0, "the": 0, "next": 1, "following": 1,
             "the following": 1}  # fmt: skip
_YEAR_ZH = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}

_NUMBER_EN = (
    r"[0-9]{1,3}|an?|a couple of|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|"
    r"forty|fifty|sixty|seventy|eighty|ninety)(?:[ -](?:one|two|three|four|five|six|seven|"
    r"eight|nine))?"
)
_PART_EN = rf"(?:{_NUMBER_EN}) (?:days?|weeks?|months?|years?)"
_AGO = expression(
    rf"^(?P<span>{_PART_EN}(?:(?:,? and |, | ){_PART_EN}){{0,3}}) "
    r"(?P<way>ago|later|from now|hence)$"
)
_IN = expression(rf"^(?:in|within) (?P<span>{_PART_EN}(?: and {_PART_EN})?)(?: from now)?$")
_FROM = expression(
    rf"^(?:in )?(?P<span>{_PART_EN}(?: and {_PART_EN})?) (?P<way>from|after|before) "
    r"(?P<base>.+)$"
)
_WITH_DAY = expression(
    rf"^(?:(?P<first>{WEEKDAY}),? )?(?P<rest>.+?)(?: on (?P<last>{WEEKDAY}))?$"
)
_SPAN_EN = expression(rf"(?:{_NUMBER_EN}) (?:day|week|month|year)")
_SPAN_ZH = expression(
    r"^(?P<count>[0-9]{1,3}|[一二两三四五六七八九十]{1,3}|半)个?"
    r"(?P<unit>天|日|周|星期|礼拜|月|年)(?:以|之)?(?P<way>前|后|後)$"
)
_WEEK_ZH = expression(
    r"^(?P<shift>上上上|上上|上|这|這|本|下下下|下下|下)[个個]?(?:周|週|星期|礼拜|禮拜)"
    r"(?P<day>[一二三四五六日天末])?$"
)
_MONTH_ZH = expression(
    r"^(?P<shift>上上|上|这|這|本|下下|下)?[个個]?月(?P<part>[底末]|"
    r"(?P<day>[0-9]{1,2}|[一二三四五六七八九十]{1,3})[日号號])?$"
)
_END_OF_YEAR_ZH = expression(r"^(?P<year>去年|今年|明年)?年?[底末]$")
_IN_YEAR_ZH = expression(r"^(?P<year>前年|去年|今年|明年|后年)(?P<rest>.+)?$")
_DAY_ZH = expression(r"^(?P<day>[0-9]{1,2}|[一二三四五六七八九十廿]{1,3})[日号號]$")
_PERIOD_EN = expression(
    r"^(?P<shift>last|previous|this|next|following|the following) "
    r"(?P<unit>week|weekend|month|year)$"
)
_END_EN = expression(
    r"^(?:the )?end of (?P<shift>the|this|next|last) (?P<unit>month|year)$|^month[- ]end$"
)
_DAY_EN = expression(
    r"^(?:the )?(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?(?: day)?"
    r"(?: (?:of )?(?P<shift>this|next|last) month)?$"
)


def relative_date(
    text: str, at: Reference, absolute: Callable[[str], str | None]
) -> str | None:
    """Give the ISO form of a relative date, "" where ``text`` is none.

    ``2026-05-12`` a day, ``2026-W20`` a week, ``2026-05`` a month, ``2026`` a year,
    ``2026-05-16/2026-05-17`` a weekend. ``absolute`` reads a date inside another
    (``two weeks after May 3``). None where the calendar has no such day. Source of the
    forms: ISO 8601-1:2019, 5.2 and 5.5.
    """
    if text in _DAYS:
        return (at.day + timedelta(days=_DAYS[text])).isoformat()
    simple, nested = (_WORDS_EN, _span_en) if text.isascii() else (_WORDS_ZH, _in_year)
    for read in simple:
        found = read(text, at)
        if found != "":
            return found
    return nested(text, at, absolute)


def is_day_word(text: str) -> bool:
    """Tell whether ``text`` is one of the plain words: ``today``, ``昨天``."""
    return text in _DAYS


def _week_zh(text: str, at: Reference) -> str | None:
    match = _WEEK_ZH.match(text)
    if match is None:
        return weekend_of(at.day, 0) if text in {"周末", "週末"} else ""
    groups = match.groupdict()
    shift, day = _SHIFT_ZH[groups["shift"] or "本"], groups["day"]
    if day is None:
        return week_of(at.day, shift)
    if day == "末":
        return weekend_of(at.day, shift)
    return on_weekday(at.day + timedelta(weeks=shift), weekday_number(day)).isoformat()


def _span_zh(text: str, at: Reference) -> str | None:
    match = _SPAN_ZH.match(text)
    if match is None:
        return ""
    groups = match.groupdict()
    count = parse_number(groups["count"] or "") if groups["count"] != "半" else None
    if count is None:
        return None
    unit = {"天": "day", "日": "day", "月": "month", "年": "year"}.get(
        groups["unit"] or "", "week"
    )
    sign = -1 if groups["way"] == "前" else 1
    return moved(at.day, [(sign * int(count), unit)], exact=False)


def _month_zh(text: str, at: Reference) -> str | None:
    if _END_OF_YEAR_ZH.match(text):
        year = at.day.year + _YEAR_ZH.get(text[:2], 0)
        return f"{year:04d}-12-31"
    match = _MONTH_ZH.match(text)
    if match is not None:
        groups = match.groupdict()
        shift = _SHIFT_ZH[groups["shift"] or "本"]
        if groups["part"] is None:
            return "" if groups["shift"] is None else month_of(at.day, shift)
        if groups["day"] is None:
            return last_day(add_months(at.day.replace(day=1), shift))
        return day_of(add_months(at.day.replace(day=1), shift), groups["day"])
    match = _DAY_ZH.match(text)
    return "" if match is None else near_day(match.group("day"), at)


def _weekday(text: str, at: Reference) -> str | None:
    return bare_weekday(text, at.day, at.left, at.right)


def _period(text: str, at: Reference) -> str | None:
    end = _END_EN.match(text)
    if end is not None:
        shift = _SHIFT_EN[end.group("shift") or "this"]
        if end.group("unit") == "year":
            return f"{at.day.year + shift:04d}-12-31"
        return last_day(add_months(at.day.replace(day=1), shift))
    match = _PERIOD_EN.match(text)
    if match is None:
        return ""
    shift, unit = _SHIFT_EN[match.group("shift")], match.group("unit")
    if unit == "week":
        return week_of(at.day, shift)
    if unit == "weekend":
        return weekend_of(at.day, shift)
    return month_of(at.day, shift) if unit == "month" else f"{at.day.year + shift:04d}"


def _month_day_en(text: str, at: Reference) -> str | None:
    match = _DAY_EN.match(text)
    if match is None or text.isdigit():
        return ""
    groups = match.groupdict()
    if groups["shift"] is None:
        return near_day(groups["day"] or "", at)
    first = add_months(at.day.replace(day=1), _SHIFT_EN[groups["shift"]])
    return day_of(first, groups["day"] or "")


def _parts(span: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for part in _SPAN_EN.findall(span):
        words, _, unit = part.rpartition(" ")
        count = {"a": 1, "an": 1, "a couple of": 2}.get(words)
        number = parse_number(words) if count is None else count
        found.append((int(number or 0), unit))
    return found


def _span_en(text: str, at: Reference, absolute: Callable[[str], str | None]) -> str | None:
    match = _WITH_DAY.match(text)
    groups = {} if match is None else match.groupdict()
    weekday = groups.get("first") or groups.get("last")
    if weekday is not None:
        day = _span_en(groups["rest"] or "", at, absolute)
        if not day or len(day) != len("2026-05-12"):
            return ""
        found = on_weekday(date.fromisoformat(day), weekday_number(weekday))
        return found.isoformat()
    match = _AGO.match(text)
    if match is not None:
        parts = _parts(match.group("span"))
        sign = -1 if match.group("way") == "ago" else 1
        return moved(at.day, [(sign * n, unit) for n, unit in parts], exact=False)
    match = _IN.match(text)
    if match is not None:
        return moved(at.day, _parts(match.group("span")), exact=False)
    match = _FROM.match(text)
    if match is None:
        return ""
    base = _base(match.group("base"), at, absolute)
    if base is None:
        return None
    sign = -1 if match.group("way") == "before" else 1
    parts = [(sign * n, unit) for n, unit in _parts(match.group("span"))]
    return moved(base, parts, exact=True)


def _base(text: str, at: Reference, absolute: Callable[[str], str | None]) -> date | None:
    iso = absolute(text)
    if iso is None:
        return None
    if iso.startswith("--") and len(iso) == 7:
        month, day = int(iso[2:4]), int(iso[5:7])
        for year in range(at.day.year, at.day.year + 9):
            if day <= calendar.monthrange(year, month)[1]:
                found = date(year, month, day)
                if found >= at.day:
                    return found
        return None
    try:
        return date.fromisoformat(iso) if len(iso) == 10 else None
    except ValueError:
        return None


def _in_year(text: str, at: Reference, absolute: Callable[[str], str | None]) -> str | None:
    match = _IN_YEAR_ZH.match(text)
    if match is None:
        return ""
    groups = match.groupdict()
    year = at.day.year + _YEAR_ZH[groups["year"] or "今年"]
    if groups["rest"] is None:
        return f"{year:04d}"
    return absolute(f"{year:04d}年{groups['rest']}")


_WORDS_ZH = (_week_zh, _span_zh, _month_zh, _weekday)
_WORDS_EN = (_weekday, _period, _month_day_en)
