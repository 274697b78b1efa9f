from __future__ import annotations

import string
from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from tiered_memory.facts.amounts import parse_amount
from tiered_memory.facts.normal_forms import NORMALIZERS
from tiered_memory.facts.numbers import parse_number
from tiered_memory.facts.validators import VALIDATORS

odd = st.text(
    alphabet=string.ascii_letters
    + string.digits
    + " .,-+/@#()$¥年月日号元块毛分万千百十零一二两几",
    max_size=30,
)
days = st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 12, 31))


@given(odd)
def test_every_text_has_a_normal_form_or_none(text: str) -> None:
    for normalize in NORMALIZERS.values():
        assert normalize(text) != ""


@given(odd)
def test_a_validator_answers_in_three_ways(text: str) -> None:
    for check in VALIDATORS.values():
        assert check(text) in (True, False, None)


@given(odd)
def test_an_identifier_is_its_own_normal_form(text: str) -> None:
    for name in ("identifier", "upper", "lower", "digits", "none"):
        once = NORMALIZERS[name](text)
        assert once is None or NORMALIZERS[name](once) == once


@given(days)
def test_a_day_is_the_same_in_every_spelling(day: date) -> None:
    spellings = [
        f"{day.year}-{day.month}-{day.day}",
        f"{day.year}/{day.month:02}/{day.day:02}",
        f"{day.year}年{day.month}月{day.day}号",
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%b} {day.year}",
    ]
    assert {NORMALIZERS["date"](text) for text in spellings} == {day.isoformat()}


@given(st.decimals(min_value=0, max_value=10**9, places=2))
def test_an_amount_keeps_its_value(number: Decimal) -> None:
    for text in (f"¥{number}", f"{number:,}元", f"${number:,}"):
        found = parse_amount(text)
        assert found is not None
        assert found.low == number


def _in_words(number: int) -> str:
    """Write a number below 10 000 the Chinese way; the test's own, plain one."""
    digits, out, gap = "零一二三四五六七八九", "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // unit % 10
        if digit:
            out += ("零" if gap and out else "") + digits[digit] + name
            gap = False
        else:
            gap = True
    return out


@given(st.integers(min_value=1, max_value=9_999), st.integers(min_value=0, max_value=9_999))
def test_a_chinese_number_is_read_back(high: int, low: int) -> None:
    text = _in_words(high) + "万"
    if low:
        text += ("零" if low < 1_000 else "") + _in_words(low)
    assert parse_number(text) == high * 10_000 + low


@given(st.integers(min_value=0, max_value=10**15 - 1))
def test_one_luhn_digit_in_ten_is_right(number: int) -> None:
    body = f"4{number:014d}"[:15]
    right = [d for d in "0123456789" if VALIDATORS["card"](body + d)]
    assert len(right) == 1
