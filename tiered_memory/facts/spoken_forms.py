"""Normal forms of times of day, quantities, measures, languages and time zones."""

from __future__ import annotations

import ipaddress
from types import MappingProxyType
from typing import TYPE_CHECKING

from tiered_memory.facts.amounts import parse_number
from tiered_memory.facts.expressions import expression
from tiered_memory.facts.trade_checks import decimal_octets

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

__all__ = [
    "clock",
    "compact",
    "count",
    "ip",
    "language",
    "measure",
    "percent",
    "text",
    "time_zone",
]

_RANGE = expression(r"^(.+?) ?(?:-|~|到|至|\bto\b) ?(.+)$")
_DIGITAL = expression(r"^([0-9]{1,2})[:.]([0-9]{2})(?::([0-9]{2}))? ?([ap])?\.?(?:m\.?)?$")
_HOURS = expression(r"^([0-9]{1,2}) ?([ap])\.?m\.?$")
_HAN = expression(
    r"^(凌晨|清晨|早上|早晨|早|上午|中午|下午|傍晚|晚上|夜里|半夜|今晚|明晚|晚)?"
    r"([0-9]{1,2}|[一二两三四五六七八九十]{1,3})(?:点|时|:)钟?"
    r"(?:(半)|(一刻)|(三刻)|(整)|([0-9]{1,2}|[零一二两三四五六七八九十]{1,3})分?)?$"
)
_AFTERNOON = frozenset({"下午", "傍晚", "晚上", "今晚", "明晚", "晚"})
_MIDNIGHT = frozenset({"凌晨", "半夜", "夜里", "晚上", "今晚", "明晚", "晚"})
_NUMBER_UNIT = expression(
    r"^([0-9][0-9,]*(?:\.[0-9]+)?|[零〇一二两三四五六七八九十百千万]+) ?(.+)$"
)

_UNITS: Mapping[str, str] = MappingProxyType(
    {
        spelling: unit
        for unit, spellings in {
            "kg": "公斤 千克 kilo kilos kilogram kilograms kgs kg",
            "g": "克 gram grams g",
            "t": "吨 tonne tonnes ton tons t",
            "jin": "斤 市斤",
            "lb": "磅 pound pounds lbs lb",
            "oz": "盎司 ounce ounces oz",
            "GB": "gb g流量 g兆 个g gigs gig",
            "MB": "mb m流量 兆流量",
            "TB": "tb",
            "Mbps": "mbps m兆 兆宽带 兆 m宽带 mb/s mbit/s",
            "Gbps": "gbps 千兆 g宽带",
            "month": "个月 月 month months",
            "year": "年 year years yr yrs",
            "period": "期 installments instalments installment instalment",
            "night": "晚 晚上 夜 night nights",
            "day": "天 day days",
        }.items()
        for spelling in spellings.split()
    }
)

_LANGUAGES: Mapping[str, str] = MappingProxyType(
    {
        name: code
        for code, names in {
            "zh": "中文 汉语 普通话 国语 简体中文 华语 chinese mandarin",
            "zh-Hant": "繁体中文 繁体",
            "yue": "粤语 广东话 cantonese",
            "en": "英文 英语 english",
            "ja": "日文 日语 japanese",
            "ko": "韩文 韩语 korean",
            "fr": "法文 法语 french",
            "de": "德文 德语 german",
            "es": "西班牙语 西班牙文 spanish",
            "pt": "葡萄牙语 葡语 portuguese",
            "ru": "俄文 俄语 russian",
            "it": "意大利语 italian",
            "ar": "阿拉伯语 arabic",
            "vi": "越南语 vietnamese",
            "th": "泰语 泰文 thai",
            "hi": "印地语 hindi",
            "id": "印尼语 indonesian",
            "ms": "马来语 malay",
            "tr": "土耳其语 turkish",
            "nl": "荷兰语 dutch",
            "pl": "波兰语 polish",
        }.items()
        for name in names.split()
    }
)
"""Names of languages to their tags of BCP 47."""


def text(value: str) -> str | None:
    """Give the text in lower case, one space between words, no outer punctuation."""
    return " ".join(value.lower().split()).strip(" .,;:!?\"'“”") or None


def compact(value: str) -> str | None:
    """Give letters (Chinese ones too) and digits alone, in upper case."""
    return "".join(c for c in value.upper() if c.isalnum()) or None


def ip(value: str) -> str | None:
    """Give the address in its shortest form (RFC 5952)."""
    try:
        return str(ipaddress.ip_address(decimal_octets(value)))
    except ValueError:
        return None


def clock(value: str) -> str | None:
    """Give ``15:30``, a range as ``14:00/16:00``; what has no half of the day as written.

    ``下午3点半`` and ``3:30 pm`` are ``15:30``; ``3点半`` may be either and stays. Source:
    ISO 8601-1:2019, 5.3 and 5.5.
    """
    plain = " ".join(value.lower().split())
    single = _clock(plain)
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
    return None if match is None else _spoken(match.groups(), plain)


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


def count(value: str) -> str | None:
    """Give a number and its unit, ``3 件``; ``两台`` is ``2 台``. None where it is vague."""
    found = _number_and_unit(value)
    return None if found is None else f"{_plain(found[0])} {found[1]}"


def measure(value: str) -> str | None:
    """Give a number and an agreed unit: ``2.5公斤`` is ``2.5 kg``, ``三年`` ``3 year``."""
    found = _number_and_unit(value)
    if found is None:
        return None
    unit = _UNITS.get(found[1])
    return None if unit is None else f"{_plain(found[0])} {unit}"


def percent(value: str) -> str | None:
    """Give a rate without superfluous digits: ``4.50 %`` is ``4.5%``."""
    number = parse_number(value.strip().removesuffix("%").strip())
    return None if number is None else f"{_plain(number)}%"


def _number_and_unit(value: str) -> tuple[Decimal, str] | None:
    match = _NUMBER_UNIT.match(" ".join(value.lower().split()))
    number = None if match is None else parse_number(match.group(1))
    if match is None or number is None:
        return None
    return number, match.group(2).strip()


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"


def language(value: str) -> str | None:
    """Give the language's tag: ``英文`` and ``English`` are ``en``. Source: BCP 47."""
    return _LANGUAGES.get(value.strip().lower())


_OFFSET = expression(r"^(?:utc|gmt) ?([+-]) ?([0-9]{1,2})(?::?([0-9]{2}))?$")


def time_zone(value: str) -> str | None:
    """Give ``+08:00`` for an offset, the name in upper case for one that is named.

    Names stay: most abbreviations stand for several zones.
    """
    plain = " ".join(value.lower().split())
    match = _OFFSET.match(plain)
    if match is None:
        named = {"北京时间": "+08:00", "utc": "+00:00"}.get(plain, plain.upper())
        return named or None
    hours, minutes = int(match.group(2)), int(match.group(3) or 0)
    if hours > 14 or minutes > 59:
        return None
    return f"{match.group(1)}{hours:02d}:{minutes:02d}"
