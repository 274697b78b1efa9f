"""Normal forms of quantities, measures, languages and time zones."""

from __future__ import annotations

import ipaddress
from types import MappingProxyType
from typing import TYPE_CHECKING

from tiered_memory.facts.expressions import expression
from tiered_memory.facts.numbers import parse_number, plain
from tiered_memory.facts.trade_checks import decimal_octets

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

__all__ = [
    "compact",
    "count",
    "ip",
    "language",
    "measure",
    "percent",
    "text",
    "time_zone",
]

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


def count(value: str) -> str | None:
    """Give a number and its unit, ``3 件``; ``两台`` is ``2 台``. None where it is vague."""
    found = _number_and_unit(value)
    return None if found is None else f"{plain(found[0])} {found[1]}"


def measure(value: str) -> str | None:
    """Give a number and an agreed unit: ``2.5公斤`` is ``2.5 kg``, ``三年`` ``3 year``."""
    found = _number_and_unit(value)
    if found is None:
        return None
    unit = _UNITS.get(found[1])
    return None if unit is None else f"{plain(found[0])} {unit}"


def percent(value: str) -> str | None:
    """Give a rate without superfluous digits: ``4.50 %`` is ``4.5%``."""
    number = parse_number(value.strip().removesuffix("%").strip())
    return None if number is None else f"{plain(number)}%"


def _number_and_unit(value: str) -> tuple[Decimal, str] | None:
    match = _NUMBER_UNIT.match(" ".join(value.lower().split()))
    number = None if match is None else parse_number(match.group(1))
    if match is None or number is None:
        return None
    return number, match.group(2).strip()


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
