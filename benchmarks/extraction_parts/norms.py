"""Normal forms against Recognizers-Text's own resolutions."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

import re2

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extraction_parts.data import Row, Span

MODELS: Mapping[str, str] = {
    "CurrencyModel": "amount",
    "PhoneNumberModel": "phone",
    "URLModel": "url",
    "IpAddressModel": "ip",
    "EmailModel": "email",
    "DateTimeModel": "date",
}
"""The type that a row is about: a row says nothing of other types."""

CURRENCIES: Mapping[str, tuple[str, int]] = {
    "Dollar": ("USD", 1), "United States dollar": ("USD", 1), "Cent": ("USD", 100),
    "Euro": ("EUR", 1), "Chinese yuan": ("CNY", 1), "Jiao": ("CNY", 10), "Fen": ("CNY", 100),
    "Pound": ("GBP", 1), "British pound": ("GBP", 1), "Pence": ("GBP", 100),
    "Penny": ("GBP", 100), "Japanese yen": ("JPY", 1), "Canadian dollar": ("CAD", 1),
    "Australian dollar": ("AUD", 1), "Hong Kong dollar": ("HKD", 1),
    "New Zealand dollar": ("NZD", 1), "Singapore dollar": ("SGD", 1),
    "New Taiwan dollar": ("TWD", 1), "Swiss franc": ("CHF", 1), "Rupee": ("INR", 1),
    "Indian rupee": ("INR", 1), "South Korean won": ("KRW", 1), "Mexican peso": ("MXN", 1),
    "Russian ruble": ("RUB", 1), "Turkish lira": ("TRY", 1), "Thai baht": ("THB", 1),
    "Brazilian Real": ("BRL", 1), "Bitcoin": ("BTC", 1),
}  # fmt: skip
"""Units by name: ISO 4217 code, and how many of the unit make one of it."""

_DIGITAL = re2.compile(r"[0-9]")
_MONTH = re2.compile(
    r"(?i)(?:^|[^a-z])(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
)
_NUMERIC = re2.compile(r"[0-9]{1,4} ?[-/.] ?[0-9]{1,2}|^[0-9 ]{8,10}$")
_WEEKDAY = re2.compile(
    r"(?i)(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?(?:[^a-z]|$)|"
    r"周[一二三四五六日天末]|星期|週|礼拜|禮拜"
)
_RELATIVE_DAY = re2.compile(
    r"(?i)today|tomorrow|tmrw|yesterday|(?:day|week)s? (?:ago|later|from|after|before)|"
    r"in (?:a|[a-z]+|[0-9]+) (?:day|week)s?|the (?:next )?day(?: before| after)?$|"
    r"[今昨明后後前]日|[今昨明后後前]天|天[前后後]"
)
_EXOTIC = re2.compile(
    r"(?i)农历|大年|正月|初[一二三四五六七八九十]|easter|christmas|new year|independence|"
    r"earth day|friday [0-9]{4}$|patrick|八月十五|[神雍]"
)
_FULL = re2.compile(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
_MONTH_DAY = re2.compile(r"^XXXX-[0-9]{2}-[0-9]{2}$")
_WEEK_DAY = re2.compile(r"^XXXX-WXX-[1-7]$")


def row_type(row: Row) -> str | None:
    """Give the type that a row of the set is about."""
    return next((MODELS[p] for p in row.id.split("/") if p in MODELS), None)


def date_kind(span: Span) -> str:
    """Give ``absolute``, ``month_day``, ``weekday``, ``relative_day`` or ``other``."""
    values = _values(span)
    if span.slot != "datetimeV2.date" or not values:
        return "other"
    if all(value.get("value") == "not resolved" for value in values):
        return "other"
    timex, text = str(values[0].get("timex", "")), span.value
    if _EXOTIC.search(text):
        return "other"
    month = _MONTH.search(text) or "月" in text or _NUMERIC.search(text)
    if _MONTH_DAY.match(timex):
        return "month_day" if month else "other"
    if _WEEK_DAY.match(timex):
        return "weekday"
    if not _FULL.match(timex):
        return "other"
    if _RELATIVE_DAY.search(text):
        return "relative_day"
    if _WEEKDAY.search(text) and not month:
        return "weekday"
    return "absolute" if month else "other"


def has_number(span: Span) -> bool:
    """Tell whether a marked amount is one: ``dollars`` alone has no value."""
    return isinstance(span.norm, dict) and span.norm.get("value") is not None


def same(type_name: str, normalized: str, span: Span) -> bool:
    """Tell whether our normal form says what the oracle says."""
    if type_name == "date":
        return _same_date(normalized, span)
    if not isinstance(span.norm, dict):
        return False
    value = str(span.norm.get("value") or "")
    if type_name == "amount":
        return _same_amount(normalized, value, str(span.norm.get("unit")))
    if type_name == "phone":
        return _same_phone(normalized, value)
    if type_name == "ip":
        return _same_ip(normalized, value)
    return normalized.lower() == value.lower()


def _same_ip(normalized: str, value: str) -> bool:
    """Compare addresses: RFC 5952 shortens what the oracle gives as written."""
    try:
        return ip_address(normalized) == ip_address(value)
    except ValueError:
        return False


def _values(span: Span) -> list[dict[str, Any]]:
    return list(span.norm.get("values", ())) if isinstance(span.norm, dict) else []


def _same_date(normalized: str, span: Span) -> bool:
    """Compare the day; without a year or week ISO's shorter forms say the same."""
    text = normalized.split("T")[0]
    right: set[str] = set()
    for value in _values(span):
        timex = str(value.get("timex", ""))
        right |= {timex, str(value.get("value", ""))}
        if _MONTH_DAY.match(timex):
            right.add("-" + timex.removeprefix("XXXX"))
        if _WEEK_DAY.match(timex):
            right |= {f"-W-{timex[-1]}", f"--W-{timex[-1]}"}
    return text in right


def _same_amount(normalized: str, value: str, unit: str) -> bool:
    number, _, currency = normalized.partition(" ")
    code, parts = CURRENCIES.get(unit, ("", 1))
    try:
        same_sum = Decimal(number) * parts == Decimal(value.replace(",", ""))
    except InvalidOperation:
        return False
    return same_sum and (not code or currency == code)


def _same_phone(normalized: str, value: str) -> bool:
    """Compare national digits: the oracle gives the number as written.

    It keeps the trunk prefix after a country's code (``0086 020``), which E.164 has not.
    """
    number, _, extension = normalized.partition(";ext=")
    ours = _digits(number)
    text = value.lower().replace("(0)", "")
    for mark in ("ext", "x", "转", "#"):
        text = text.split(mark)[0]
    theirs = _digits(text)
    theirs = theirs.removeprefix("00").lstrip("0")
    if not theirs:
        return False
    forms = [
        theirs,
        *(theirs[:n] + theirs[n + 1 :] for n in (2, 3) if theirs[n : n + 1] == "0"),
    ]
    return any(
        ours.endswith(form)
        or form.endswith((ours.lstrip("0"), ours.lstrip("0") + extension))
        for form in forms
    )


def _digits(text: str) -> str:
    return "".join(_DIGITAL.findall(text))
