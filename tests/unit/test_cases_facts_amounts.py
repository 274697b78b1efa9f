"""Failure reports about sums and about dates that are none, by their number."""

from __future__ import annotations

import pytest

from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.packs import load_patterns
from tiered_memory.model import Candidate
from tiered_memory.settings import FactSettings


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor(load_patterns(FactSettings(), {}), max_chars=32_768)


def found(extractor: Extractor, text: str, type_name: str) -> list[Candidate]:
    candidates = extractor.extract(text, role="user").facts
    return [c for c in candidates if c.type == type_name]


@pytest.mark.parametrize(
    ("text", "values", "normal"),
    [
        ("两个价格：$45，380元，哪个包邮？", ["$45", "380元"], ["45.00 USD", "380.00 CNY"]),
        ("合同金额2,300万元", ["2,300万元"], ["23000000.00 CNY"]),
        ("大概四十几万元", [], []),
        ("上百元的东西", [], []),
        (
            "I was charged $1,234.50 and then 7.125 per unit",
            ["$1,234.50"],
            ["1234.50 USD"],
        ),
    ],
)
def test_fe_07_a_sum_is_read_whole_or_not_at_all(
    extractor: Extractor, text: str, values: list[str], normal: list[str]
) -> None:
    amounts = found(extractor, text, "amount")
    assert [a.value for a in amounts] == values
    assert [a.normalized for a in amounts] == normal


@pytest.mark.parametrize(
    "text",
    [
        "7044218",
        "The second item is broken, this may take a while",
        "ops@ip-10-2-85-77.internal fails",
        "PIN is 4821, ticket 48213",
        "I may march on, the first of many",
        "model 2026, version 1.12",
    ],
)
def test_fe_17_numbers_ordinals_and_hosts_are_no_dates(
    extractor: Extractor, text: str
) -> None:
    assert found(extractor, text, "date") == []
    assert found(extractor, text, "time") == []


def test_fe_17_no_shorter_number_is_cut_out_of_a_longer_one(extractor: Extractor) -> None:
    taken = extractor.extract("PIN is 4821, ticket 48213", role="user")
    assert {c.value for c in taken.facts} == {"48213"}


@pytest.mark.parametrize(
    "text",
    [
        "在三元桥上车",
        "一元复始，万象更新",
        "大三元酒家怎么走",
        "多元文化",
        "红队 3 won 的比赛",
        "the parcel weighs 5 pounds",
    ],
)
def test_a_word_that_looks_like_a_sum_is_none(extractor: Extractor, text: str) -> None:
    assert found(extractor, text, "amount") == []


@pytest.mark.parametrize(
    ("text", "value", "normal"),
    [
        ("金额13812345678元", "13812345678元", "13812345678.00 CNY"),
        ("人均75元", "75元", "75.00 CNY"),
        ("退我35$就行", "35$", "35.00 USD"),
        ("only 20 €.", "20 €", "20.00 EUR"),
        ("it was hk $ 88 in all", "hk $ 88", "88.00 HKD"),
        ("it cost 3 dollars 50 cents", "3 dollars 50 cents", "3.50 USD"),
        ("send three hundred dollars", "three hundred dollars", "300.00 USD"),
        ("付了两百块。", "两百块", "200.00 CNY"),
        ("收了我3块5", "3块5", "3.50 CNY"),
        ("about $2.5 million", "$2.5 million", "2500000.00 USD"),
        ("票价50元以下的", "50元以下", "<=50.00 CNY"),
        ("押金200元以上", "200元以上", ">=200.00 CNY"),
        ("100-200元的", "100-200元", "100.00-200.00 CNY"),
        ("the fare is 12.40 pounds", "12.40 pounds", "12.40 GBP"),
    ],
)
def test_a_sum_keeps_its_words_and_has_its_currency(
    extractor: Extractor, text: str, value: str, normal: str
) -> None:
    amounts = found(extractor, text, "amount")
    assert [(a.value, a.normalized) for a in amounts] == [(value, normal)]
    assert text[amounts[0].start : amounts[0].end] == value


def test_digits_of_an_id_are_no_sum(extractor: Extractor) -> None:
    text = "订单ORD-2031-55510777，单号SF1390000864212"
    assert found(extractor, text, "amount") == []
