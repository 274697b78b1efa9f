"""Times of day as customers write them, to ISO 8601."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from tiered_memory.facts.expressions import expression
from tiered_memory.facts.numbers import parse_number

if TYPE_CHECKING:
    from datetime import datetime

    from tiered_memory.facts.calendar_steps import Reference

__all__ = ["clock"]

_RANGE = expression(r"^(.+?) ?(?:-|~|到|至|\bto\b|\band\b) ?(.+)$")
_DIGITAL = expression(
    r"^([0-9]{1,2})[:.]([0-9]{2})(?::([0-9]{2}))? ?([ap])?\.? ?(?:m\.?)?$"
)
_HOURS = expression(r"^([0-9]{1,2}) ?([ap])\.? ?m?\.?$")
_HAN = expression(
    r"^(今晚|明晚|昨晚|今早|明早|凌晨|清晨|早上|早晨|早|上午|中午|下午|傍晚|晚上|夜里|半夜|晚)?"
    r"([0-9]{1,2}|[一二两三四五六七八九十]{1,3}|零)(?:点|點|时|:)钟?"
    r"(?:(半)|(一刻)|(三刻)|(整)|([0-9]{1,2}|[零一二两三四五六七八九十]{1,3})分?)?$"
)
_AFTERNOON = frozenset({"下午", "傍晚", "晚上", "今晚", "明晚", "昨晚", "晚"})
_MIDNIGHT = frozenset({"凌晨", "半夜", "夜里", "晚上", "今晚", "明晚", "昨晚", "晚"})
_DAYS = {"今晚": 0, "今早": 0, "明晚": 1, "明早": 1, "昨晚": -1}
_NUMBER_EN = r"[0-9]{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_SAID = expression(
    rf"^(?:(?P<before>morning|afternoon|evening|night) )?"
    rf"(?:(?P<part>half past|quarter past|quarter to) )?"
    rf"(?P<hour>{_NUMBER_EN})(?:[:.](?P<minute>[0-9]{{2}}))?(?: ?o[^0-9a-z ]?clock)?"
    rf"(?: ?(?P<half>[ap])\.? ?m\.?)?"
    rf"(?: (?:in the (?P<after>morning|afternoon|evening|night)|at (?P<night>night)))?$"
)
_AWAY_EN = expression(
    r"^(?:in )?(?P<count>an?|[0-9]{1,3}|half an|one|two|three|four|five|six|ten) "
    r"(?P<unit>hour|minute|min)s?(?: (?P<way>ago|later|from now))?$"
)
_AWAY_ZH = expression(
    r"^(?P<count>[0-9]{1,3}|[一二两三四五六七八九十]{1,3}|半)个?(?P<unit>小时|钟头|分钟)"
    r"(?:以|之)?(?P<way>前|后|後)$"
)


def clock(value: str, at: Reference | None = None) -> str | None:
    """Give ``15:30``, a range as ``14:00/16:00``; what has no half of the day as written.

    ``下午3点半`` and ``3:30 pm`` are ``15:30``; ``3点半`` may be either and stays. With
    ``at``, what is told from then has its day: ``今晚8点`` and ``in two hours`` are
    ``2026-05-12T20:00``. Source: ISO 8601-1:2019, 5.3 to 5.5.
    """
    plain = " ".join(value.lower().split())
    single = _single(plain, at)
    if single is not None:
        return single
    match = _RANGE.match(plain)
    if match is None:
        return None
    left, right = match.group(1), match.group(2)
    if left[-1:].isdigit() and right[-1:] == "m":
        left = f"{left}{right.rstrip('m')[-1:]}m"
    elif _half(left) and not _half(right):
        right = _half(left) + right
    first, last = _clock(left), _clock(right)
    if first is None or last is None:
        return None
    if first == left and last[:2] > "12":
        first = f"{first:0>5}"
    return f"{first}/{last}"


def _single(plain: str, at: Reference | None) -> str | None:
    found = _moment(plain)
    if found is not None:
        return found
    if at is not None:
        found = _away(plain, at.when)
        if found is not None:
            return found
    elif _AWAY_EN.match(plain) or _AWAY_ZH.match(plain):
        return plain
    found = _clock(plain)
    if at is None or found is None or plain[:2] not in _DAYS:
        return found
    try:
        day = at.day + timedelta(days=_DAYS[plain[:2]])
    except OverflowError:
        return None
    return f"{day.isoformat()}T{found}"


_MOMENT = expression(r"^([0-9]{4}-[0-9]{2}-[0-9]{2})t((?:[01][0-9]|2[0-3]):[0-5][0-9])$")


def _moment(plain: str) -> str | None:
    """Keep a moment that is in its normal form."""
    match = _MOMENT.match(plain)
    return None if match is None else f"{match.group(1)}T{match.group(2)}"


def _away(plain: str, when: datetime) -> str | None:
    """Read ``in two hours``, ``10分钟前``; a bare ``two hours`` is a length of time."""
    match = _AWAY_EN.match(plain)
    groups = {} if match is None else match.groupdict()
    if match is not None and not groups["way"] and not plain.startswith("in "):
        return None
    if match is None:
        match = _AWAY_ZH.match(plain)
        groups = {} if match is None else match.groupdict()
    if match is None:
        return None
    words, unit = groups["count"] or "", groups["unit"] or ""
    half = words in {"半", "half an"}
    number = {"a": 1, "an": 1}.get(words) or (1 if half else parse_number(words))
    minutes = int(number or 0) * (60 if unit in {"hour", "小时", "钟头"} else 1)
    if half:
        minutes //= 2
    sign = -1 if groups["way"] in {"ago", "前"} else 1
    try:
        moment = when + timedelta(minutes=sign * minutes)
    except OverflowError:
        return None
    return moment.replace(tzinfo=None).isoformat(timespec="minutes")


def _half(plain: str) -> str:
    match = _HAN.match(plain)
    return (match.group(1) or "") if match is not None else ""


def _clock(plain: str) -> str | None:
    if plain in {"noon", "midday", "正午"}:
        return "12:00"
    match = _DIGITAL.match(plain)
    if match is not None:
        seconds = match.group(3)
        return _written(
            int(match.group(1)), int(match.group(2)), match.group(4), seconds, plain
        )
    match = _HOURS.match(plain)
    if match is not None:
        return _written(int(match.group(1)), 0, match.group(2), None, plain)
    match = _HAN.match(plain)
    if match is not None:
        return _spoken(match.groups(), plain)
    match = _SAID.match(plain)
    return None if match is None else _said(match.groupdict(), plain)


def _said(groups: dict[str, str | None], plain: str) -> str | None:
    """Read ``half past 3 in the afternoon``, ``evening 5``, ``three pm``."""
    hour, minute = parse_number(groups["hour"] or ""), int(groups["minute"] or 0)
    part = groups["before"] or groups["after"] or groups["night"] or groups["half"]
    if hour is None or hour > 12 or hour < 1 or minute > 59:
        return None
    if part is None:
        return plain if groups["part"] or "clock" in plain else None
    whole = int(hour)
    late = part in {"afternoon", "evening", "night", "p"}
    if part == "night" and whole in {12, 1, 2, 3, 4}:
        late = False
    whole = whole % 12 + (12 if late else 0)
    minute = {"half past": 30, "quarter past": 15}.get(groups["part"] or "", minute)
    if groups["part"] == "quarter to":
        whole, minute = (whole - 1) % 24, 45
    return f"{whole:02d}:{minute:02d}"


def _written(
    hour: int, minute: int, half: str | None, seconds: str | None, plain: str
) -> str | None:
    if half is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    elif 1 <= hour <= 12 and not plain.startswith("0") and len(plain) < 5:
        return plain if minute < 60 else None
    if hour > 23 or minute > 59 or int(seconds or 0) > 59:
        return None
    return f"{hour:02d}:{minute:02d}" + (f":{seconds}" if seconds else "")


def _spoken(groups: tuple[str | None, ...], plain: str) -> str | None:
    half, hours, by_half, quarter, three, _, minutes = groups
    hour = parse_number(hours or "")
    minute = parse_number(minutes or "0")
    if hour is None or minute is None or hour > 24 or minute > 59:
        return None
    whole, parts = int(hour), int(minute)
    if by_half:
        parts = 30
    elif quarter or three:
        parts = 15 if quarter else 45
    if half is None and whole <= 12:
        return plain
    return f"{_of_the_day(half, whole) % 24:02d}:{parts:02d}"


def _of_the_day(half: str | None, hour: int) -> int:
    """Give the hour from 0 to 24 of one that is said with its part of the day."""
    if hour == 12:
        return 0 if half in _MIDNIGHT else 12
    first_of_second_half = {"中午": (1, 2), "夜里": (6, 11), "半夜": (6, 11)}
    low, high = first_of_second_half.get(half or "", (1, 11 if half in _AFTERNOON else 0))
    return hour + 12 if low <= hour <= high else hour
