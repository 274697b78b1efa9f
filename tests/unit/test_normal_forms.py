from __future__ import annotations

from decimal import Decimal

import pytest

from tiered_memory.facts.normal_forms import NORMALIZERS
from tiered_memory.facts.numbers import parse_number


@pytest.mark.parametrize(
    ("value", "normal"),
    [
        ("¥1,299.00", "1299.00 CNY"),
        ("1299元", "1299.00 CNY"),
        ("$1,234.50", "1234.50 USD"),
        ("US$ 5", "5.00 USD"),
        ("HK$88", "88.00 HKD"),
        ("99块9", "99.90 CNY"),
        ("3 块 5", "3.50 CNY"),
        ("三块五毛", "3.50 CNY"),
        ("两毛五", "0.25 CNY"),
        ("两百块", "200.00 CNY"),
        ("三千五百块", "3500.00 CNY"),
        ("三千五", "3500.00"),
        ("三千零五元", "3005.00 CNY"),
        ("一千二百元整", "1200.00 CNY"),
        ("壹仟贰佰元整", "1200.00 CNY"),
        ("两万三块钱", "23000.00 CNY"),
        ("3万元", "30000.00 CNY"),
        ("1万2元", "12000.00 CNY"),
        ("2,300万元", "23000000.00 CNY"),
        ("1.5亿元", "150000000.00 CNY"),
        ("100-200元", "100.00-200.00 CNY"),
        ("2-3万元", "20000.00-30000.00 CNY"),
        ("$100 to $200", "100.00-200.00 USD"),
        ("7 dollars", "7.00 USD"),
        ("2 thousand euros", "2000.00 EUR"),
        ("50 cents", "0.50 USD"),
        ("1.299,00€", "1299.00 EUR"),
        ("7.125", "7.125"),
        ("65.4", "65.40"),
    ],
)
def test_an_amount_is_a_decimal_with_its_currency(value: str, normal: str) -> None:
    assert NORMALIZERS["amount"](value) == normal


@pytest.mark.parametrize(
    "value",
    ["四十几万元", "几百块", "多元", "元", "", "200-100元", "$5-6元", "1,2,3元", "百元"],
)
def test_a_vague_or_broken_amount_is_no_value(value: str) -> None:
    assert NORMALIZERS["amount"](value) is None


@pytest.mark.parametrize(
    ("value", "normal"),
    [
        ("2026-05-12", "2026-05-12"),
        ("2026/5/12", "2026-05-12"),
        ("2026.05.12", "2026-05-12"),
        ("20260512", "2026-05-12"),
        ("2026年5月12日", "2026-05-12"),
        ("26年5月12号", "2026-05-12"),
        ("二〇二六年五月十二日", "2026-05-12"),
        ("十二月二十五号", "--12-25"),
        ("5月12", "--05-12"),
        ("5月份", "--05"),
        ("2026年5月", "2026-05"),
        ("May 12th, 2026", "2026-05-12"),
        ("the 12th of May 2026", "2026-05-12"),
        ("Sept 3", "--09-03"),
        ("May 2026", "2026-05"),
        ("8/14", "--08-14"),
        ("14/8", "--08-14"),
        ("13/05/2026", "2026-05-13"),
        ("05/05/2026", "2026-05-05"),
        ("2月29日", "--02-29"),
    ],
)
def test_a_date_is_iso_with_its_grain(value: str, normal: str) -> None:
    assert NORMALIZERS["date"](value) == normal


@pytest.mark.parametrize("value", ["03/04", "3/4/2026", "06/07/18", "昨天", "next friday"])
def test_a_date_that_can_be_read_two_ways_stays_as_written(value: str) -> None:
    assert NORMALIZERS["date"](value) == value


@pytest.mark.parametrize(
    "value",
    ["2026-02-30", "2026-13-01", "2月30日", "32/13", "2025-02-29", "1234", "", "2026-5/12"],
)
def test_a_day_that_no_calendar_has_is_no_value(value: str) -> None:
    assert NORMALIZERS["date"](value) is None


@pytest.mark.parametrize(
    ("value", "normal"),
    [
        ("13900008642", "+8613900008642"),
        ("139 0000 8642", "+8613900008642"),
        ("(+86)139-0000-8642", "+8613900008642"),
        ("008613900008642", "+8613900008642"),
        ("8613900008642", "+8613900008642"),
        ("010-62345678转801", "+861062345678;ext=801"),
        ("(0755) 23456789", "+8675523456789"),
        ("+86 10 6234 5678", "+861062345678"),
        ("400-123-4567", "+864001234567"),
        ("800-123-4567", "8001234567"),
        ("(415) 255-5132 ext. 12", "+14152555132;ext=12"),
        ("1-415-255-5132", "+14152555132"),
        ("+44 20 7946 0321", "+442079460321"),
        ("+852 2345 6789", "+85223456789"),
        ("62345678", "62345678"),
        ("555-0142", "5550142"),
    ],
)
def test_a_phone_number_is_e164_where_its_country_is_known(value: str, normal: str) -> None:
    assert NORMALIZERS["e164"](value) == normal


@pytest.mark.parametrize("value", ["95555", "call", "", "+999", "12345678901234567890"])
def test_what_no_plan_holds_is_no_phone_number(value: str) -> None:
    assert NORMALIZERS["e164"](value) is None


@pytest.mark.parametrize(
    ("name", "value", "normal"),
    [
        ("identifier", "#w 441-00", "W441-00"),
        ("identifier", " # ", None),
        ("upper", " sf123 ", "SF123"),
        ("lower", " AbC ", "abc"),
        ("digits", "4012 8888", "40128888"),
        ("digits", "none", None),
        ("none", " lena_brandt_2041 ", "lena_brandt_2041"),
        ("none", "  ", None),
        ("email", "Mei.Chen@Mail.Example.CN", "Mei.Chen@mail.example.cn"),
        ("email", "mei at example dot com", "mei@example.com"),
        ("email", "tom(at)example(dot)org", "tom@example.org"),
        ("email", "nobody", None),
        ("person_name", "Mr. Walter  Holt", "walter holt"),
        ("person_name", "周小帆先生", "周小帆"),
        ("person_name", "Sure", None),
        ("address", " 上海市 徐汇区\n漕溪路18弄 ", "上海市徐汇区漕溪路18弄"),
        ("address", "742  Maple Grove\tRoad,", "742 maple grove road"),
        ("address", " , ", None),
    ],
)
def test_two_spellings_of_one_value_meet(name: str, value: str, normal: str | None) -> None:
    assert NORMALIZERS[name](value) == normal


def test_a_number_in_words_of_both_kinds_is_read() -> None:
    assert parse_number("一百二") == 120
    assert parse_number("一百零二") == 102
    assert parse_number("二十五") == 25
    assert parse_number("3万5000") == 35_000
    assert parse_number("1.2万") == Decimal(12_000)
    assert parse_number("50k") == 50_000
    assert parse_number("五五") == 55
    assert parse_number("一百百x") is None


def test_no_normal_form_fails_on_odd_text() -> None:
    texts = [
        "",
        " ",
        "@",
        "+",
        "-",
        "--",
        "²",
        "٣٤٥",
        "百",
        "块5",
        "年月",
        "\U0001f600",
        "1" * 400,
    ]
    for normalize in NORMALIZERS.values():
        for text in texts:
            assert normalize(text) is None or isinstance(normalize(text), str)
