"""Sums of money as customers write them: Arabic and Chinese numerals, units, currency."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tiered_memory.facts.expressions import expression

__all__ = ["Amount", "parse_amount", "parse_number"]

_DIGITS = {
    char: value
    for row in (
        "零一二三四五六七八九",
        "〇壹贰叁肆伍陆柒捌玖",
        "〇壹貳參肆伍陸柒捌玖",
        "〇俩两",
        "〇俩兩",
    )
    for value, char in enumerate(row)
} | {"俩": 2}
_SMALL = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1_000, "仟": 1_000}
_LARGE = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
_ENGLISH = {
    "k": 1_000,
    "m": 1_000_000,
    "hundred": 100,
    "grand": 1_000,
    "thousand": 1_000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
}

_BEFORE = {
    "us$": "USD", "hk$": "HKD", "nt$": "TWD", "a$": "AUD", "au$": "AUD", "c$": "CAD",
    "ca$": "CAD", "s$": "SGD", "nz$": "NZD", "r$": "BRL", "$": "USD", "¥": "CNY",
    "€": "EUR", "£": "GBP", "₩": "KRW", "₹": "INR", "₽": "RUB", "rmb": "CNY",
    "cny": "CNY", "usd": "USD", "eur": "EUR", "gbp": "GBP", "hkd": "HKD", "jpy": "JPY",
    "inr": "INR", "aud": "AUD", "cad": "CAD", "sgd": "SGD", "twd": "TWD", "人民币": "CNY",
}  # fmt: skip
"""Marks before a number; ``¥`` is read as yuan and ``$`` as US dollars."""

_AFTER = {
    "人民币": "CNY", "元人民币": "CNY", "块人民币": "CNY", "元整": "CNY", "元钱": "CNY",
    "元": "CNY", "圆": "CNY", "块钱": "CNY", "块": "CNY", "塊": "CNY", "rmb": "CNY",
    "cny": "CNY", "yuan": "CNY", "kuai": "CNY", "美元": "USD", "美金": "USD", "刀": "USD",
    "usd": "USD", "us dollars": "USD", "dollars": "USD", "dollar": "USD", "bucks": "USD",
    "buck": "USD", "$": "USD", "欧元": "EUR", "eur": "EUR", "euros": "EUR", "euro": "EUR",
    "€": "EUR", "英镑": "GBP", "gbp": "GBP", "pounds": "GBP", "pound": "GBP", "£": "GBP",
    "港币": "HKD", "港元": "HKD", "hkd": "HKD", "日元": "JPY", "円": "JPY", "jpy": "JPY",
    "yen": "JPY", "台币": "TWD", "韩元": "KRW", "inr": "INR", "rupees": "INR",
    "aud": "AUD", "cad": "CAD", "sgd": "SGD", "cents": "USD/100", "cent": "USD/100",
    "角": "CNY/10", "毛": "CNY/10", "毛钱": "CNY/10", "分": "CNY/100", "分钱": "CNY/100",
}  # fmt: skip
_AFTER_BY_LENGTH = tuple(sorted(_AFTER, key=len, reverse=True))
_BEFORE_BY_LENGTH = tuple(sorted(_BEFORE, key=len, reverse=True))

_RANGE = expression(r"^(.*?[^-~]) ?(?:-|~|到|至|\bto\b) ?(.+)$")
_ARABIC = expression(r"^(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?$")
_CONTINENTAL = expression(r"^[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{2}$")
_SPOKEN = expression(
    r"^(?P<whole>.+?)(?:块|塊|元)(?:(?P<tenths>[0-9零一二两三四五六七八九])(?:毛|角)?)"
    r"(?:(?P<hundredths>[0-9一二两三四五六七八九])分?)?(?:钱)?$"
)
_SMALL_SPOKEN = expression(
    r"^(?P<tenths>[0-9一二两三四五六七八九])(?:毛|角)(?P<hundredths>[0-9一二两三四五六七八九])分?$"
)
_TOKENS = expression(r"[0-9][0-9,]*(?:\.[0-9]+)?|.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A sum, or the two ends of a range; ``currency`` is ISO 4217 or None."""

    low: Decimal
    high: Decimal | None = None
    currency: str | None = None

    def text(self) -> str:
        """Give ``1299.00 CNY``, ``100.00-200.00 CNY`` or, without currency, ``1299.00``."""
        number = _plain(self.low)
        if self.high is not None:
            number += f"-{_plain(self.high)}"
        return f"{number} {self.currency}" if self.currency else number


def _plain(value: Decimal) -> str:
    exponent = value.normalize().as_tuple().exponent
    places = max(2, -exponent) if isinstance(exponent, int) else 2
    return f"{value:.{places}f}"


def parse_amount(value: str) -> Amount | None:
    """Read a folded amount; None for vague ones (``四十几万元``) and for no amount.

    ``99块9`` is 99.90, ``三千五`` 3500, ``2,300万元`` 23000000, ``100-200元`` a range.
    """
    text = value.strip().lower().replace(" 块", "块").replace("块 ", "块")
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
    for unit, factor in _LARGE.items():
        if unit in right and unit not in left and low * factor <= high:
            return low * factor, high
    return low, high


def _single(text: str) -> Amount | None:
    spoken = _SPOKEN.match(text) or _SMALL_SPOKEN.match(text)
    if spoken is not None:
        found = _from_spoken(spoken.groupdict())
        if found is not None:
            return found
    currency: str | None = None
    for mark in _BEFORE_BY_LENGTH:
        if text.startswith(mark):
            text, currency = text[len(mark) :].strip(), _BEFORE[mark]
            break
    for mark in _AFTER_BY_LENGTH:
        if text.endswith(mark):
            text, currency = text[: -len(mark)].strip(), _AFTER[mark]
            break
    number = parse_number(text)
    if number is None:
        return None
    if currency and "/" in currency:
        currency, _, parts = currency.partition("/")
        number /= int(parts)
    return Amount(low=number, currency=currency)


def _from_spoken(groups: dict[str, str | None]) -> Amount | None:
    whole = groups.get("whole")
    number = Decimal(0)
    if whole is not None:
        for mark in _BEFORE_BY_LENGTH:
            whole = whole.removeprefix(mark)
        parsed = parse_number(whole.strip())
        if parsed is None:
            return None
        number = parsed
    for name, parts in (("tenths", 10), ("hundredths", 100)):
        digit = groups.get(name)
        if digit is not None:
            number += Decimal(_DIGITS[digit] if digit in _DIGITS else int(digit)) / parts
    return Amount(low=number, currency="CNY")


def parse_number(text: str) -> Decimal | None:
    """Read a number without currency; None where it is vague or no number.

    Commas only as thousands separators (``1,299.00``) or, in the continental form
    ``1.299,00``, the other way round. A digit after 万, 千 or 百 is in the next lower
    unit (``一万二`` 12000) unless 零 stands before it.
    """
    compact = text.replace(" ", "")
    if not compact:
        return None
    if _ARABIC.match(compact):
        return Decimal(compact.replace(",", ""))
    if _CONTINENTAL.match(compact):
        return Decimal(compact.replace(".", "").replace(",", "."))
    for word, factor in _ENGLISH.items():
        if compact.endswith(word) and _ARABIC.match(compact[: -len(word)]):
            return Decimal(compact[: -len(word)].replace(",", "")) * factor
    if all(c in _DIGITS for c in compact):
        return Decimal("".join(str(_DIGITS[c]) for c in compact))
    return _mixed(_TOKENS.findall(compact))


def _mixed(tokens: list[str]) -> Decimal | None:
    total = section = Decimal(0)
    number: Decimal | None = None
    unit = 1
    for token in tokens:
        if token in _DIGITS or _ARABIC.match(token):
            if number is not None and number != 0:
                return None
            unit = 1 if number is not None else unit
            number = (
                Decimal(_DIGITS[token])
                if token in _DIGITS
                else Decimal(token.replace(",", ""))
            )
        elif token in _SMALL:
            if number is None and token not in "十拾":
                return None
            unit = _SMALL[token]
            section += (Decimal(1) if number is None else number) * unit
            number = None
        elif token in _LARGE:
            section += number or 0
            if section == 0:
                return None
            unit = _LARGE[token]
            total = (total + section) * unit if unit > 10_000 else total + section * unit
            section, number = Decimal(0), None
        else:
            return None
    return total + section + _tail(number, unit)


def _tail(number: Decimal | None, unit: int) -> Decimal:
    if number is None:
        return Decimal(0)
    if unit >= 100 and 0 < number < 10:
        return number * unit / 10
    return number
