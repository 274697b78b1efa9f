"""Currencies as customers write them, to ISO 4217; parts of a unit as ``USD/100``."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AFTER", "BEFORE", "mark_before", "units_after"]

_CODES = ["usd", "eur", "gbp", "cny", "rmb", "hkd", "jpy", "krw", "inr", "aud", "cad", "sgd", "twd", "nzd", "chf", "mxn", "rub", "try", "thb", "brl", "zar", "sek", "nok", "dkk", "pln", "czk", "huf", "myr", "idr", "php", "vnd", "aed", "sar", "ils", "btc"]  # fmt: skip
_BY_CODE = {code: code.upper() for code in _CODES} | {"rmb": "CNY"}

_SYMBOLS = {
    "$": "USD", "¥": "CNY", "€": "EUR", "£": "GBP", "₩": "KRW", "₹": "INR", "₽": "RUB",
    "₺": "TRY", "฿": "THB", "₫": "VND", "₱": "PHP", "₪": "ILS", "₴": "UAH", "₦": "NGN",
    "₿": "BTC", "₡": "CRC", "₾": "GEL", "₭": "LAK", "₸": "KZT", "₮": "MNT", "ரூ": "LKR",
}  # fmt: skip
"""``¥`` is read as yuan and ``$`` as US dollars. Source: Unicode, currency symbols."""

_DOLLARS = {
    "us": "USD", "u.s": "USD", "u.s.": "USD", "hk": "HKD", "nt": "TWD", "a": "AUD",
    "au": "AUD", "c": "CAD", "ca": "CAD", "s": "SGD", "sg": "SGD", "nz": "NZD", "r": "BRL",
    "mx": "MXN", "mex": "MXN",
}  # fmt: skip

_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "USD": "us dollar|american dollar|united states dollar|dollar|buck",
        "AUD": "australian dollar|aussie dollar",
        "CAD": "canadian dollar",
        "HKD": "hong kong dollar",
        "SGD": "singapore dollar",
        "NZD": "new zealand dollar",
        "TWD": "new taiwan dollar|taiwan dollar",
        "EUR": "euro",
        "GBP": "pound sterling|british pound|pound|quid",
        "CNY": "yuan|chinese yuan|kuai|renminbi|chinese renminbi",
        "JPY": "yen|japanese yen",
        "KRW": "korean won|south korean won|won",
        "INR": "indian rupee|rupee",
        "CHF": "swiss franc",
        "MXN": "mexican peso",
        "PHP": "philippine peso",
        "RUB": "ruble|rouble|russian ruble|russian rouble",
        "TRY": "turkish lira",
        "THB": "baht|thai baht",
        "BRL": "brazilian real",
        "ZAR": "rand|south african rand",
        "SEK": "swedish krona|swedish kronor",
        "NOK": "norwegian krone|norwegian kroner",
        "DKK": "danish krone|danish kroner",
        "PLN": "zloty|polish zloty",
        "MYR": "ringgit|malaysian ringgit",
        "IDR": "rupiah|indonesian rupiah",
        "VND": "vietnamese dong",
        "AED": "dirham|uae dirham",
        "SAR": "saudi riyal",
        "ILS": "shekel|israeli shekel",
        "BTC": "bitcoin",
        "USD/100": "cent",
        "GBP/100": "pence|penny|penn",
        "CNY/10": "jiao",
        "": "franc|peso|krona|krone|kroner|kronor|lira|riyal|mark|markka|finnish markka|"
        "peseta|guilder|dutch guilder|satoshi",
    }
)
"""English names in the singular; the last are of several countries or gone: no code."""

_CHINESE = {
    "人民币": "CNY", "元人民币": "CNY", "块人民币": "CNY", "元整": "CNY", "元钱": "CNY",
    "元": "CNY", "圆": "CNY", "圆整": "CNY", "块钱": "CNY", "块": "CNY", "塊": "CNY",
    "塊錢": "CNY", "角": "CNY/10", "毛": "CNY/10", "毛钱": "CNY/10", "分": "CNY/100",
    "分钱": "CNY/100", "美元": "USD", "美金": "USD", "美刀": "USD", "刀": "USD",
    "美分": "USD/100", "欧元": "EUR", "歐元": "EUR", "英镑": "GBP", "英鎊": "GBP",
    "镑": "GBP", "便士": "GBP/100", "港币": "HKD", "港幣": "HKD", "港元": "HKD",
    "日元": "JPY", "日圆": "JPY", "日币": "JPY", "円": "JPY", "台币": "TWD", "新台币": "TWD",
    "韩元": "KRW", "韩币": "KRW", "澳元": "AUD", "澳币": "AUD", "加元": "CAD", "加币": "CAD",
    "新加坡元": "SGD", "新币": "SGD", "坡币": "SGD", "卢布": "RUB", "泰铢": "THB",
    "瑞士法郎": "CHF", "卢比": "INR", "比特币": "BTC",
}  # fmt: skip


def _before() -> dict[str, str]:
    found = (
        dict(_SYMBOLS)
        | _BY_CODE
        | {"人民币": "CNY", "dollar": "USD", "rs": "INR", "rs.": "INR"}
    )
    found |= {f"{mark}$": code for mark, code in _DOLLARS.items()}
    found |= {f"{code}$": name for code, name in _BY_CODE.items() if name.endswith("D")}
    found |= {"mxn$": "MXN"}
    return found | {f"m{code}": f"{name}*1000000" for code, name in _BY_CODE.items()}


def _after() -> dict[str, str]:
    found = dict(_SYMBOLS) | _BY_CODE | _CHINESE
    found |= {f"m{code}": f"{name}*1000000" for code, name in _BY_CODE.items()}
    for code, names in _NAMES.items():
        for name in names.split("|"):
            found |= {name: code, f"{name}s": code}
    return found | {"rupees": "INR", "pennies": "GBP/100"}


BEFORE: Mapping[str, str] = MappingProxyType(_before())
"""Marks before a number."""

AFTER: Mapping[str, str] = MappingProxyType(_after())
"""Units after a number; ``*1000000`` is the banker's ``30 MUSD``."""

_LENGTHS = range(max(map(len, (*BEFORE, *AFTER))), 0, -1)


def mark_before(text: str) -> str:
    """Give the longest mark that ``text`` begins with, or ""."""
    return next((text[:n] for n in _LENGTHS if text[:n] in BEFORE), "")


def units_after(text: str) -> list[str]:
    """Give the units that ``text`` ends with, the longest first."""
    return [text[-n:] for n in _LENGTHS if text[-n:] in AFTER]
