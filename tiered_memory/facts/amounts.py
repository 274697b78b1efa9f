"""Sums of money as customers write them: numerals, units, currency, bounds."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tiered_memory.facts.currencies import AFTER, BEFORE, mark_before, units_after
from tiered_memory.facts.expressions import expression
from tiered_memory.facts.numbers import HAN_DIGITS, LARGE, parse_number

__all__ = ["Amount", "parse_amount"]

_RANGE = expression(r"^(.*?[^-~\s]) ?(?:-|~|到|至|\bto\b|\band\b) ?(.+)$")
_CODED = expression(
    r"^(?P<bound>[<>]=)?(?P<low>[0-9]+\.[0-9]{2,})(?:-(?P<high>[0-9]+\.[0-9]{2,}))?"
    r"(?: (?P<code>[a-z]{3}))?$"
)
"""The normal form itself."""
_BOUND = expression(
    r"^(?P<sum>.*?) ?(?:及|或)?(?P<bound>以上|以下|以内|之内|起|or more|or less|and above|"
    r"and up|or above|or below|or under)$"
)
_BOUNDS = (
    "以上",
    "以下",
    "以内",
    "之内",
    "起",
    "more",
    "less",
    "above",
    "up",
    "below",
    "under",
)
_LEAST = frozenset({"以上", "起", "or more", "and above", "and up", "or above"})
_SPOKEN = expression(
    r"^(?P<whole>.+?)(?:块|塊|元|kuai)(?: and)? ?"
    r"(?:(?P<tenths>[0-9零一二两三四五六七八九])(?:毛|角)?)"
    r"(?:(?P<hundredths>[0-9一二两三四五六七八九])分?)?(?:钱)?$"
)
_SMALL_SPOKEN = expression(
    r"^(?P<tenths>[0-9一二两三四五六七八九])(?:毛|角)(?P<hundredths>[0-9一二两三四五六七八九])分?$"
)
_WITH_CENTS = expression(
    r"^(?P<whole>.+?(?:dollars?|bucks?|euros?|pounds?|usd|eur|gbp|cad|aud|[$€£]))"
    r"(?: and)? (?P<parts>[a-z0-9-]+(?: [a-z]+)?)$"
)
_ISO = frozenset({"", *AFTER.values()})
_SPOKEN_UNITS = ("块", "塊", "元", "毛", "角", "kuai")
_CENTS = ("cents", "cent", "pence", "penny")


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A sum, or the two ends of a range.

    Attributes:
        currency: ISO 4217, or None.
        bound: ``>=`` for ``以上``, ``<=`` for ``以下``, else "".
    """

    low: Decimal
    high: Decimal | None = None
    currency: str | None = None
    bound: str = ""

    def text(self) -> str:
        """Give ``1299.00 CNY``, ``100.00-200.00 CNY``, ``<=50.00 CNY``, ``1299.00``."""
        number = f"{self.bound}{_plain(self.low)}"
        if self.high is not None:
            number += f"-{_plain(self.high)}"
        return f"{number} {self.currency}" if self.currency else number


def _plain(value: Decimal) -> str:
    exponent = value.normalize().as_tuple().exponent
    places = max(2, -exponent) if isinstance(exponent, int) else 2
    return f"{value:.{places}f}"


def parse_amount(value: str) -> Amount | None:
    """Read a folded amount; None for vague ones (``四十几万元``) and for no amount.

    ``99块9`` is 99.90, ``三千五`` 3500, ``2,300万元`` 23000000, ``100-200元`` a range,
    ``50元以下`` at most 50: 以上, 以下 and 以内 include the number (Civil Code of the
    PRC, article 1259).
    """
    text = " ".join(value.lower().split()).replace(" 块", "块").replace("块 ", "块")
    if text[:1].isalpha():
        text = text.replace(" $", "$", 1)
    coded = _CODED.match(text) if text[:1] in "0123456789<>" and text.isascii() else None
    if coded is not None and (coded.groupdict()["code"] or "").upper() in _ISO:
        return _from_code(coded.groupdict())
    bounded = _BOUND.match(text) if text.endswith(_BOUNDS) else None
    if bounded is not None:
        found = _within(bounded.group("sum"))
        if found is None or found.high is not None:
            return None
        sign = ">=" if bounded.group("bound") in _LEAST else "<="
        return Amount(low=found.low, currency=found.currency, bound=sign)
    return _within(text)


def _from_code(groups: dict[str, str | None]) -> Amount:
    high, code = groups["high"], groups["code"]
    return Amount(
        low=Decimal(groups["low"] or 0),
        high=None if high is None else Decimal(high),
        currency=None if code is None else code.upper(),
        bound=groups["bound"] or "",
    )


def _within(text: str) -> Amount | None:
    single = _single(text)
    if single is not None:
        return single
    match = _RANGE.match(text)
    if match is None:
        return None
    low, high = _single(match.group(1)), _single(match.group(2))
    if low is None or high is None:
        return None
    if low.currency and high.currency and low.currency != high.currency:
        return None
    first, second = _shared_unit(match.group(1), match.group(2), low.low, high.low)
    if first > second:
        return None
    return Amount(low=first, high=second, currency=high.currency or low.currency)


def _shared_unit(
    left: str, right: str, low: Decimal, high: Decimal
) -> tuple[Decimal, Decimal]:
    """Let ``2-3万元`` be 20000 to 30000: a large unit at the end counts for both."""
    for unit, factor in LARGE.items():
        if unit in right and unit not in left and low * factor <= high:
            return low * factor, high
    return low, high


def _single(text: str) -> Amount | None:
    spoken = None
    if any(unit in text for unit in _SPOKEN_UNITS):
        spoken = _SPOKEN.match(text) or _SMALL_SPOKEN.match(text)
    if spoken is not None:
        found = _from_spoken(spoken.groupdict())
        if found is not None:
            return found
    return (_with_cents(text) if " " in text else None) or _whole(text)


def _whole(text: str) -> Amount | None:
    before = mark_before(text)
    text = text[len(before) :].strip()
    number, after = _number(text), ""
    if number is None:
        number, after = _number_and_unit(text)
    if number is None:
        return None
    first, second = BEFORE.get(before, ""), AFTER.get(after, "")
    code = first or second
    if first and second and first != second:
        return None
    currency, times, factor = code.partition("*")
    if times:
        number *= int(factor)
    currency, parts, factor = currency.partition("/")
    if parts:
        number /= int(factor)
    return Amount(low=number, currency=currency or None)


def _number_and_unit(text: str) -> tuple[Decimal | None, str]:
    """Give the number and its unit, the longest that leaves a number before it."""
    for mark in units_after(text):
        number = _number(text[: -len(mark)].strip().removesuffix("-"))
        if number is not None:
            return number, mark
    head, _, scale = text.rpartition(" ")
    if scale in {"thousand", "million", "billion"} and head.endswith(("usd", "eur", "gbp")):
        return _number(f"{head[:-3].strip()} {scale}"), head[-3:]
    return None, ""


def _number(text: str) -> Decimal | None:
    return parse_number(text) if text else None


def _with_cents(text: str) -> Amount | None:
    """Read ``3 dollars 50 cents``, ``thirteen dollars and forty-five``, ``15 usd 50``."""
    match = _WITH_CENTS.match(text)
    if match is None:
        return None
    whole, parts = _whole(match.group("whole")), match.group("parts")
    named = next((c for c in _CENTS if parts.endswith(c)), "")
    number = parse_number(parts.removesuffix(named).strip())
    if whole is None or number is None or not 0 < number < 100 or number % 1:
        return None
    if whole.low % 1:
        return None
    return Amount(low=whole.low + number / 100, currency=whole.currency)


def _from_spoken(groups: dict[str, str | None]) -> Amount | None:
    whole = groups.get("whole")
    number = Decimal(0)
    if whole is not None:
        parsed = parse_number(whole.removeprefix(mark_before(whole)).strip())
        if parsed is None:
            return None
        number = parsed
    for name, parts in (("tenths", 10), ("hundredths", 100)):
        digit = groups.get(name)
        if digit is not None:
            value = HAN_DIGITS[digit] if digit in HAN_DIGITS else int(digit)
            number += Decimal(value) / parts
    return Amount(low=number, currency="CNY")
