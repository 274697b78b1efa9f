from __future__ import annotations

import json

import pytest

from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.packs import load_patterns
from tiered_memory.settings import FactSettings


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor(load_patterns(FactSettings(), {}), max_chars=32_768)


def keys(extractor: Extractor, text: str) -> list[tuple[str, str]]:
    found = extractor.identifiers(text)
    assert [i.start for i in found] == sorted(i.start for i in found)
    return [(i.key, i.value) for i in found]


def test_identifiers_are_found_in_plain_text_of_any_role(extractor: Extractor) -> None:
    text = "Your order A8801 goes to lena@example.org, 13900008642, for $25 on May 3rd."
    assert keys(extractor, text) == [
        ("order_id", "A8801"),
        ("email", "lena@example.org"),
        ("phone", "13900008642"),
    ]
    for found in extractor.identifiers(text):
        assert text[found.start : found.end] == found.value


def test_in_json_the_key_types_a_value(extractor: Extractor) -> None:
    data = {
        "order_id": "8801-22",
        "trackingNo": "ABC99887766",
        "items": [{"sku": "LAMP-7", "item_number": 4410098, "price": 12.5, "note": "r2d2"}],
        "id": "ch_3Nabc123",
        "status_code": "shipped",
        "count_no": 3,
    }
    assert keys(extractor, json.dumps(data)) == [
        ("order_id", "8801-22"),
        ("tracking_no", "ABC99887766"),
        ("item_number", "4410098"),
        ("id", "ch_3Nabc123"),
    ]


def test_a_key_and_a_cue_give_the_same_form(extractor: Extractor) -> None:
    (by_key,) = extractor.identifiers('{"orderNumber": "a8801"}')
    (by_cue,) = extractor.identifiers("order a8801")
    assert (by_key.key, by_key.normalized) == (by_cue.key, by_cue.normalized)


def test_spans_in_json_are_in_the_json_text(extractor: Extractor) -> None:
    text = '{"note": "say \\"hi\\" to mei@example.cn", "order_id" : "A8801", "n": 1}'
    found = extractor.identifiers(text)
    assert [text[i.start : i.end] for i in found] == ["mei@example.cn", "A8801"]


def test_escaped_characters_do_not_shift_spans(extractor: Extractor) -> None:
    text = json.dumps({"note": "订单A8801没到😀 电话13900008642"})
    assert text.isascii()
    assert [text[i.start : i.end] for i in extractor.identifiers(text)] == [
        "A8801",
        "13900008642",
    ]


def test_a_phone_under_its_own_key_stays_a_phone(extractor: Extractor) -> None:
    assert keys(extractor, '{"phone_number": "13900008642"}') == [("phone", "13900008642")]


def test_a_number_under_an_id_key_is_no_phone(extractor: Extractor) -> None:
    assert keys(extractor, '{"locker_no": "13900008642"}') == [("locker_no", "13900008642")]


def test_markers_of_masked_values_are_no_identifiers(extractor: Extractor) -> None:
    assert keys(extractor, '{"card_number": "[card_number ****1881]"}') == []


@pytest.mark.parametrize("text", ["", "{}", "[]", "{", "no ids here", '{"id": "x y"}'])
def test_texts_without_identifiers_give_none(extractor: Extractor, text: str) -> None:
    assert extractor.identifiers(text) == []
