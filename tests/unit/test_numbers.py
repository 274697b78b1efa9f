from __future__ import annotations

from decimal import Decimal

import pytest

from tiered_memory.facts.numbers import parse_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("seven", "7"),
        ("forty-two", "42"),
        ("one hundred and five", "105"),
        ("a hundred", "100"),
        ("two thousand three hundred and ten", "2310"),
        ("two thousand and thirty two", "2032"),
        ("nineteen hundred ninety three", "1993"),
        ("five million", "5000000"),
        ("half a million", "500000"),
        ("three quarters of a million", "750000"),
        ("35 lakh", "3500000"),
        ("2.5 million", "2500000"),
        ("50k", "50000"),
        ("12,34,567.89", "1234567.89"),
        ("1,299.00", "1299.00"),
        ("1.299,00", "1299.00"),
        ("三千零五", "3005"),
        ("一万二", "12000"),
        ("两百", "200"),
    ],
)
def test_a_number_is_read(text: str, number: str) -> None:
    assert parse_number(text) == Decimal(number)


@pytest.mark.parametrize(
    "text",
    ["", "a", "and five", "ten five", "million thousand", "one and", "five hundred hundred",
     "twenty twelve", "half", "几百", "四十几万", "1,23", "apples"],
)  # fmt: skip
def test_what_is_vague_or_broken_is_no_number(text: str) -> None:
    assert parse_number(text) is None
