"""Numbers as customers write them: digits, Chinese numerals, English words."""

from __future__ import annotations

from decimal import Decimal

from tiered_memory.facts.expressions import expression

__all__ = ["HAN_DIGITS", "LARGE", "parse_number", "plain"]

HAN_DIGITS = {
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
LARGE = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}

_UNITS = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
        start=2,
    )
}
_SCALES = {
    "hundred": 100, "thousand": 1_000, "grand": 1_000, "k": 1_000, "lakh": 100_000,
    "lakhs": 100_000, "million": 1_000_000, "mn": 1_000_000, "m": 1_000_000,
    "crore": 10_000_000, "crores": 10_000_000, "billion": 1_000_000_000,
    "bn": 1_000_000_000, "trillion": 1_000_000_000_000,
}  # fmt: skip
_PARTS = {"half": Decimal("0.5"), "quarter": Decimal("0.25"), "quarters": Decimal("0.25")}

_ARABIC = expression(
    r"^(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}|[0-9]+)(?:\.[0-9]+)?$"
)
"""Thousands by commas, or lakhs and crores (``12,34,567``)."""
_CONTINENTAL = expression(r"^[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{2}$")
_TOKENS = expression(r"[0-9][0-9,]*(?:\.[0-9]+)?|.")
_SCALED = expression(r"^([0-9][0-9,]*(?:\.[0-9]+)?) ?([a-z]+)$")


def parse_number(text: str) -> Decimal | None:
    """Read a number without currency; None where it is vague or no number.

    Commas only as thousands separators (``1,299.00``), Indian ones too, or in the
    continental form ``1.299,00`` the other way round. A digit after 万, 千 or 百 is in
    the next lower unit (``一万二`` 12000) unless 零 stands before it. English words:
    ``one hundred and five``, ``2.5 million``, ``half a million``.
    """
    compact = text.replace(" ", "")
    if not compact:
        return None
    if _ARABIC.match(compact):
        return _decimal(compact)
    if _CONTINENTAL.match(compact):
        return Decimal(compact.replace(".", "").replace(",", "."))
    if compact.isascii():
        return _english(text)
    if all(c in HAN_DIGITS for c in compact):
        return Decimal("".join(str(HAN_DIGITS[c]) for c in compact))
    return _mixed(_TOKENS.findall(compact))


def plain(number: Decimal) -> str:
    """Give the number without exponent and superfluous zeros."""
    return f"{number.normalize():f}"


def _decimal(text: str) -> Decimal:
    return Decimal(text.replace(",", ""))


def _english(text: str) -> Decimal | None:
    scaled = _SCALED.match(text.strip().lower())
    if scaled is not None:
        number, word = scaled.groups()
        if number is None or word not in _SCALES or not _ARABIC.match(number):
            return None
        return _decimal(number) * _SCALES[word]
    words = text.lower().replace("-", " ").split()
    if not words or words[0] == "and" or words[-1] == "and":
        return None
    return _in_words([w for w in words if w != "and"])


def _in_words(words: list[str]) -> Decimal | None:
    """Read ``three thousand two hundred ten``: each scale once, from high to low."""
    total = Decimal(0)
    ceiling: int | None = None
    group: list[str] = []
    for word in words:
        scale = _SCALES.get(word, 100)
        if scale == 100:
            group.append(word)
            continue
        value = _group(group, scaled=True)
        if value is None or (ceiling is not None and scale >= ceiling):
            return None
        total, ceiling, group = total + value * scale, scale, []
    if not group:
        return total
    value = _group(group, scaled=False)
    if value is None or (ceiling is not None and value >= ceiling):
        return None
    return total + value


def _group(words: list[str], *, scaled: bool) -> Decimal | None:
    """Read what stands before a scale, or behind the last one."""
    core = [w for w in words if w not in {"a", "an", "of"}]
    if not core:
        return Decimal(1) if words and scaled else None
    if core[-1] in _PARTS and scaled:
        count = _below_hundred(core[:-1]) if core[:-1] else Decimal(1)
        return None if count is None else count * _PARTS[core[-1]]
    if "hundred" not in core:
        return _below_hundred(core) if len(core) == len(words) else None
    place = core.index("hundred")
    hundreds = _below_hundred(core[:place]) if place else Decimal(1)
    rest = _below_hundred(core[place + 1 :]) if core[place + 1 :] else Decimal(0)
    if hundreds is None or rest is None or (not place and len(core) == len(words)):
        return None
    return hundreds * 100 + rest


def _below_hundred(words: list[str]) -> Decimal | None:
    first = words[0]
    if len(words) == 2 and first in _TENS and 0 < _UNITS.get(words[1], 10) < 10:
        return Decimal(_TENS[first] + _UNITS[words[1]])
    if len(words) != 1:
        return None
    if _ARABIC.match(first):
        return _decimal(first)
    value = _UNITS.get(first, _TENS.get(first))
    return None if value is None else Decimal(value)


def _mixed(tokens: list[str]) -> Decimal | None:
    total = section = Decimal(0)
    number: Decimal | None = None
    unit = 1
    for token in tokens:
        if token in HAN_DIGITS or _ARABIC.match(token):
            if number is not None and number != 0:
                return None
            unit = 1 if number is not None else unit
            number = Decimal(HAN_DIGITS[token]) if token in HAN_DIGITS else _decimal(token)
        elif token in _SMALL:
            if number is None and token not in "十拾":
                return None
            unit = _SMALL[token]
            section += (Decimal(1) if number is None else number) * unit
            number = None
        elif token in LARGE:
            section += number or 0
            if section == 0:
                return None
            unit = LARGE[token]
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
