from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from tiered_memory.errors import SettingsError
from tiered_memory.facts.json_leaves import json_leaves, key_words, raw_offsets
from tiered_memory.facts.masking import Masker
from tiered_memory.facts.packs import load_patterns
from tiered_memory.settings import FactSettings, MaskAction

CARD = "4012888888881881"


@pytest.fixture(scope="module")
def masker() -> Masker:
    return Masker(load_patterns(FactSettings(), {}))


def with_masking(**actions: MaskAction) -> Masker:
    return Masker(load_patterns(FactSettings(), actions))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"卡号{CARD}，谢谢", "卡号[card_number ****1881]，谢谢"),
        ("卡号４０１２８８８８８８８８１８８１", "卡号[card_number ****1881]"),
        ("card 4012\u200b8888 8888 1881", "card [card_number ****1881]"),
        ("我的密码是Blue-Sky7，登录不了", "我的密码是[password]，登录不了"),
        ("it is 536-90-4399 ok", "it is [national_id ****4399] ok"),
        ("身份证11010519491231002X", "身份证[national_id ****002X]"),
        ("just a lamp, 3 of them", "just a lamp, 3 of them"),
    ],
)
def test_what_may_not_be_stored_is_replaced_in_place(
    masker: Masker, text: str, masked: str
) -> None:
    found = masker.mask(text)
    assert found.text == masked
    assert masker.mask(found.text).text == masked
    assert all(found.text[m.start : m.end] == m.shown for m in found.marks)


def test_every_value_is_counted_by_type(masker: Masker) -> None:
    found = masker.mask(f"cards {CARD} and 378282246310005, PIN is 4821")
    assert found.counts() == {"card_number": 2, "verification_code": 1}
    assert [m.type for m in found.marks] == [
        "card_number",
        "card_number",
        "verification_code",
    ]


def test_a_secret_behind_any_length_of_text_is_masked(masker: Masker) -> None:
    text = "很长的一段话。" * 20_000 + f"卡号{CARD}"
    assert masker.mask(text).text.endswith("卡号[card_number ****1881]")


def test_an_answer_to_a_question_for_a_secret_is_masked(masker: Masker) -> None:
    assert masker.mask("6456", ("national_id",)).text == "[national_id]"
    assert masker.mask("6456").text == "6456"


def test_a_value_with_a_cue_of_its_own_is_no_answer(masker: Masker) -> None:
    text = "my order number is 7300215000012"
    assert masker.mask(text, ("card_number",)).text == text


def test_settings_stand_above_the_pack() -> None:
    masker = with_masking(phone="mask", card_number="drop", email="drop", order_id="store")
    assert masker.mask("电话13900008642").text == "电话[phone ****8642]"
    assert masker.mask(CARD).text == "[card_number]"
    assert masker.mask("to mei@example.com.").text == "to [email]."


def test_a_type_that_is_to_be_stored_is_not_masked() -> None:
    assert with_masking(card_number="store").mask(CARD).text == CARD


@pytest.mark.parametrize("action", ["store", "pseudonym"])
@pytest.mark.parametrize("secret", ["password", "verification_code", "api_key", "token"])
def test_no_setting_keeps_a_secret(secret: str, action: MaskAction) -> None:
    with pytest.raises(SettingsError, match=rf"masking\.{secret}: a secret is never kept"):
        load_patterns(FactSettings(), {secret: action})


def test_what_a_customer_types_as_a_marker_stays(masker: Masker) -> None:
    text = "you wrote [card_number ****1881], why?"
    assert masker.mask(text).text == text


def test_a_secret_around_a_marker_is_masked_too() -> None:
    inline: dict[str, Any] = {
        "id": "lamps.secret",
        "type": "lamp_secret",
        "regex": ["lamp=[^ ]+"],
        "boundary": "loose",
        "sensitivity": "drop",
    }
    masker = Masker(load_patterns(FactSettings(packs=(), patterns=(inline,)), {}))
    found = masker.mask("x lamp=ab[lamp_secret]cd y").text
    assert found == "x [lamp_secret][lamp_secret][lamp_secret] y"
    assert masker.mask(found).text == found


def test_a_check_out_of_time_hides_the_whole_text() -> None:
    inline: dict[str, Any] = {
        "id": "lamps.secret",
        "type": "lamp_secret",
        "regex": ["(?=b)b(?:a|aa)+$"],
        "boundary": "loose",
        "sensitivity": "drop",
    }
    masker = Masker(load_patterns(FactSettings(packs=(), patterns=(inline,)), {}))
    hostile = "order 7300215 is late b" + "a" * 40 + "!"
    for _ in range(5):
        found = masker.mask(hostile)
        assert found.text == "[hidden]"
        assert not found.complete


def test_json_stays_json_and_keeps_what_needs_no_mask(masker: Masker) -> None:
    text = '{ "note" : "caf\\u00e9",\n "card":"4012 8888 8888 1881", "n": 1.50 }'
    masked = masker.mask_json(text).text
    assert masked == (
        '{ "note" : "caf\\u00e9",\n "card":"[card_number ****1881]", "n": 1.50 }'
    )
    assert masker.mask_json(masked).text == masked


def test_a_key_is_the_cue_of_its_value(masker: Masker) -> None:
    text = json.dumps(
        {"user": {"password": "hunter2", "apiKey": "a1b2c3d4e5"}, "n": "hunter2"}
    )
    assert json.loads(masker.mask_json(text).text) == {
        "user": {"password": "[password]", "apiKey": "[api_key]"},
        "n": "hunter2",
    }


def test_a_number_in_json_is_masked_whole_as_a_text(masker: Masker) -> None:
    found = masker.mask_json(f'{{"pan": {CARD}, "ratio": 0.{CARD}, "at": 1735700000003}}')
    assert json.loads(found.text) == {
        "pan": "[card_number ****1881]",
        "ratio": float(f"0.{CARD}"),
        "at": 1735700000003,
    }
    assert found.counts() == {"card_number": 1}


def test_escapes_in_json_do_not_hide_a_secret(masker: Masker) -> None:
    text = '["\\u5361\\u53f7 4012\\u0038888\\u00388881881"]'
    assert CARD in json.loads(text)[0]
    masked = masker.mask_json(text).text
    assert json.loads(masked) == ["卡号 [card_number ****1881]"]
    assert masked.isascii()


@pytest.mark.parametrize(
    "key",
    [
        "secret", "client_secret", "clientSecret", "token", "access_token", "refreshToken",
        "authorization", "Authorization", "api_key", "password", "pass", "otp", "密码",
    ],
)  # fmt: skip
def test_a_short_value_of_a_secret_key_is_masked(masker: Masker, key: str) -> None:
    value = "4821" if key == "otp" else "ab12"
    for text in (
        json.dumps({"a": [{key: value}], "b": value}),
        json.dumps({key: value, "b": value}, ensure_ascii=False, indent=2),
    ):
        for masked in (masker.mask_json(text).text, masker.mask(text).text):
            read = json.loads(masked)
            assert read["b"] == value
            assert value not in json.dumps({**read, "b": ""})


def test_a_secret_of_several_words_is_masked_whole_by_its_key(masker: Masker) -> None:
    text = '{"password": "Zq9 kTr \\u00e9", "headers": {"Authorization": "Basic Zq9 x"}}'
    assert json.loads(masker.mask_json(text).text) == {
        "password": "[password]",
        "headers": {"Authorization": "[token]"},
    }


def test_a_key_that_names_no_secret_keeps_its_value(masker: Masker) -> None:
    text = json.dumps(
        {
            "next_page_token": "abc123", "token_type": "bearer", "max_tokens": 2000,
            "token": None, "secret": "none", "authorization": "approved", "pass": True,
            "password": "required", "zip_code": "839201",
        }
    )  # fmt: skip
    assert masker.mask_json(text).text == text
    assert masker.mask(text).text == text


def test_json_that_a_user_pastes_is_read_as_json(masker: Masker) -> None:
    text = f'{{"é": "\\u00e9 caf\u00e9 {CARD} x", "cvv": 839201, "pan": {CARD}, "n": 1.0}}'
    found = masker.mask(text)
    assert json.loads(found.text) == {
        "é": "é café [card_number ****1881] x",
        "cvv": "[verification_code]",
        "pan": "[card_number ****1881]",
        "n": 1.0,
    }
    assert [found.text[m.start : m.end] for m in found.marks] == [
        "[card_number ****1881]",
        "[verification_code]",
        "[card_number ****1881]",
    ]
    assert all(found.text[m.start : m.end] == m.shown for m in found.marks)
    assert masker.mask(found.text).text == found.text


def test_a_secret_that_is_a_key_is_masked_for_users(masker: Masker) -> None:
    assert masker.mask(f'{{"{CARD}": 1}}').text == '{"[card_number ****1881]": 1}'


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("<password>Zq9kTr7xW</password>", "<password>[password]</password>"),
        ("<u><Pwd x='1'> Zq9 kTr </Pwd></u>", "<u><Pwd x='1'> [password] </Pwd></u>"),
        ("<a><![CDATA[1]]></a><otp>4821</otp>", "<a><![CDATA[1]]></a><otp>[verification_code]</otp>"),
        ("<pwd><![CDATA[Zq9k]]></pwd>", "<pwd><![CDATA[[password]]]></pwd>"),
        ("<accessToken>ab12</accessToken>", "<accessToken>[token]</accessToken>"),
        ("<ns:secret>ab12</ns:secret>", "<ns:secret>[api_key]</ns:secret>"),
        ("<td>Password</td><td>Zq9k</td>", "<td>Password</td><td>[password]</td>"),
        ('<u password="Zq9k"/>', '<u password="[password]"/>'),
        ("<password>required</password>", "<password>required</password>"),
        ("<spin>4821</spin>", "<spin>4821</spin>"),
    ],
)  # fmt: skip
def test_a_tag_is_the_cue_of_its_text(masker: Masker, text: str, masked: str) -> None:
    for found in (masker.mask_json(text).text, masker.mask(text).text):
        assert found == masked
        assert masker.mask(found).text == masked
    inside = json.dumps({"body": text})
    assert json.loads(masker.mask_json(inside).text) == {"body": masked}


@pytest.mark.parametrize(
    "number",
    [
        "4111.1111.1111.1111", "4111_1111_1111_1111", "4111\n1111\n1111\n1111",
        "4111\r\n1111\r\n1111\r\n1111",
    ],
)  # fmt: skip
def test_a_card_is_one_however_its_groups_stand_apart(masker: Masker, number: str) -> None:
    assert masker.mask(f"pay by {number} ok").text == "pay by [card_number ****1111] ok"
    wrong = number[:-1] + "2"
    assert masker.mask(f"pay by {wrong} ok").text == f"pay by {wrong} ok"


@pytest.mark.parametrize("length", range(12, 22))
def test_an_answer_of_any_length_to_a_card_question_is_masked(
    masker: Masker, length: int
) -> None:
    number = "589123658915236758911"[:length]
    assert masker.mask(number, ("card_number",)).text.startswith("[card_number")


@pytest.mark.parametrize(
    "text", [f"[{CARD}", f"{{'a': '{CARD}'}}", f'"{CARD}"', "[" * 9_000]
)
def test_what_is_no_json_is_masked_as_text(masker: Masker, text: str) -> None:
    assert masker.mask_json(text).text == text.replace(CARD, "[card_number ****1881]")


def test_leaves_have_their_keys_and_places() -> None:
    text = '{"a": "x\\"y", "b": [1, -2.5e3, {"c": "z"}], "d": true, "e": null}'
    leaves = json_leaves(text) or []
    assert [(leaf.key, leaf.value, leaf.quoted) for leaf in leaves] == [
        ("a", 'x"y', True),
        ("b", "1", False),
        ("b", "-2.5e3", False),
        ("c", "z", True),
    ]
    for leaf in leaves:
        token = text[leaf.start : leaf.end]
        assert str(json.loads(token)) in {leaf.value, "-2500.0"}


def test_offsets_lead_from_a_value_back_into_its_token() -> None:
    token = json.dumps('a"é😀z')
    value = json.loads(token)
    offsets = raw_offsets(token)
    assert len(offsets) == len(value) + 1
    pieces = [token[a:b] for a, b in pairwise(offsets)]
    assert [json.loads(f'"{piece}"') for piece in pieces] == list(value)


@pytest.mark.parametrize("key", ["orderId", "order_id", "order-id", "Order Id", "order.id"])
def test_the_words_of_a_key_do_not_depend_on_its_style(key: str) -> None:
    assert key_words(key) == "order id"
