"""Kinds of secrets by how they are told: brackets, arrows, keys of JSON, escapes, parts."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tiered_memory.chat.messages import canonical_json
from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.packs import load_patterns
from tiered_memory.model import Payload
from tiered_memory.sealing import sealed, spanned
from tiered_memory.settings import FactSettings

CARD = "4012888888881881"
WORD = "Zq9kTr7xW"


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor(load_patterns(FactSettings(), {}), max_chars=32_768)


def masked(extractor: Extractor, payload: Payload) -> Payload:
    """As an ``add`` masks what is no single text of a message."""
    payload, _ = spanned(payload, mask_parts=extractor.mask_parts)
    return sealed(payload, mask=extractor.mask, mask_json=extractor.mask_json)[0]


@pytest.mark.parametrize(
    "text",
    [
        f"password ({WORD})", f"密码（{WORD}）", f"password -> {WORD}", f"密码 → {WORD}",
        f"login => mei, password => {WORD}", f"password - {WORD}", "my pin: 8392\n",
        "the code I got: 839201", "code I got was 839201", "here's the code 839201",
        "the code from your sms is 839201", "我收到的码：839201", "短信说839201",
    ],
)  # fmt: skip
def test_a_secret_is_masked_however_it_is_told(extractor: Extractor, text: str) -> None:
    found, counts = extractor.mask(text)
    assert sum(counts.values()) == 1
    assert WORD not in found
    assert "8392" not in found
    assert extractor.mask(found)[0] == found


@pytest.mark.parametrize(
    "text",
    [
        "password (required)", "Account -> Password -> Reset", "the error code I got: 50012",
        "promo code: SAVE20", "密码(8位以上)", "card: visa", "otp: sent", "pin: 5",
        "the 4 digit number was 4164", "the order (A1234) -> shipped",
    ],
)  # fmt: skip
def test_what_is_said_about_a_secret_is_kept(extractor: Extractor, text: str) -> None:
    assert extractor.mask(text) == (text, {})


@pytest.mark.parametrize(
    "value",
    [
        {"card": WORD}, {"otp": WORD}, {"ssn": WORD}, {"user": {"cvv": WORD}},
        {"otp": 839201}, {"otp": {"value": 839201}}, {"otp": [839201]},
        {"name": "password", "value": WORD}, {"value": WORD, "name": "password"},
        [{"field": "size", "value": "XL"}, {"field": "otp", "content": "839201"}],
        {"label": "密码", "answer": "sunflower"}, {"card": {"number": "5891236589152367"}},
    ],
)  # fmt: skip
def test_a_key_or_a_name_beside_it_tells_what_a_value_is(
    extractor: Extractor, value: Any
) -> None:
    text = canonical_json(value)
    found, counts = extractor.mask_json(text)
    assert sum(counts.values()) == 1
    for secret in (WORD, "839201", "sunflower", "5891236589152367"):
        assert secret not in found
    assert "XL" in found or "XL" not in text
    json.loads(found)
    assert extractor.mask_json(found)[0] == found


def test_a_name_counts_in_its_own_object_alone(extractor: Extractor) -> None:
    text = canonical_json([{"name": "password"}, {"value": "sunflower"}])
    assert extractor.mask_json(text) == (text, {})


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"https://shop.example/?q=my%20card%20is%20{CARD}&p=2", "&p=2"),
        ("https://shop.example/?q=password+is+Zq9kTr7xW&p=2", "&p=2"),
        ("?q=%E5%AF%86%E7%A0%81%E6%98%AFZq9kTr7xW", "?q=%E5%AF%86"),
        ("?q=password%3A%5A%71%39%6b%54%72&p=2", "&p=2"),
    ],
)
def test_percent_escapes_hide_no_cue(extractor: Extractor, text: str, left: str) -> None:
    found, counts = extractor.mask(text)
    assert sum(counts.values()) == 1
    assert left in found
    for secret in (CARD, "Zq9kTr7xW", "%5A%71"):
        assert secret not in found
    assert extractor.mask(found)[0] == found


@pytest.mark.parametrize("cut", [4, 6, 8, 10, 12])
def test_a_card_is_one_wherever_its_line_breaks(extractor: Extractor, cut: int) -> None:
    text = f"pay by {CARD[:cut]}\n{CARD[cut:]} ok"
    assert extractor.mask(text)[0] == "pay by [card_number ****1881] ok"


@pytest.mark.parametrize("cut", [3, 12, 25])
def test_a_key_cut_in_two_content_parts_is_masked(extractor: Extractor, cut: int) -> None:
    key = "sk-proj-Ab3dEfGh1jKlMn0pQrStUv"
    parts = [f"see {key[:cut]}", f"{key[cut:]} fails"]
    content = [{"type": "text", "text": part} for part in parts]
    found = masked(extractor, {"role": "user", "content": content})["content"]
    shown = "".join(part["text"] for part in found)
    assert shown.startswith("see ")
    assert shown.endswith(" fails")
    assert key[:cut] not in shown.removeprefix("see ").removesuffix(" fails")
    assert key[cut : cut + 5] not in shown


def test_a_cue_in_one_part_announces_the_next(extractor: Extractor) -> None:
    content = [
        {"type": "text", "text": "my password is:"},
        {"type": "image_url", "image_url": {"url": "https://shop.example/a.png"}},
        {"type": "text", "text": "sunflower"},
    ]
    found = masked(extractor, {"role": "user", "content": content})["content"]
    assert [part.get("text") for part in found] == ["my password is:", None, "[password]"]


def test_parts_without_a_secret_stay_as_they_are(extractor: Extractor) -> None:
    content = [{"type": "text", "text": text} for text in ("order A1234", "is late")]
    payload: Payload = {"role": "user", "content": content}
    assert masked(extractor, payload) == payload


@pytest.mark.parametrize(
    "data",
    [
        f"my password is {WORD}",
        base64.b64encode(f"password: {WORD}\n".encode()).decode(),
        "data:text/plain;base64," + base64.b64encode(f"pwd is {WORD}".encode()).decode(),
        f"data:text/plain,password%20is%20{WORD}",
    ],
)
def test_text_in_the_place_of_a_files_bytes_is_masked(
    extractor: Extractor, data: str
) -> None:
    part = {"type": "file", "file": {"filename": "a.txt", "file_data": data}}
    found = masked(extractor, {"role": "user", "content": [part]})
    shown = found["content"][0]["file"]["file_data"]
    head, comma, body = shown.rpartition(",")
    if "base64" in data or not data.startswith(("my", "data:")):
        body = base64.b64decode(body).decode()
    assert "[password]" in body
    assert WORD not in shown + body
    assert data.startswith(head + comma)


@pytest.mark.parametrize("text", ['{"t": "\\ud83d [x"}', '{"\\udc81 [k": "pin is 4821 ["}'])
def test_half_a_surrogate_pair_in_json_stops_no_check(
    extractor: Extractor, text: str
) -> None:
    found, counts = extractor.mask_json(text)
    assert json.loads(found).keys() == json.loads(text).keys()
    assert ("4821" in text) == bool(counts)
    assert "4821" not in found
    assert extractor.identifiers(text) == []
    function = {"name": "f", "arguments": text}
    calls = [{"id": "c", "type": "function", "function": function}]
    payload: Payload = {"role": "assistant", "content": None, "tool_calls": calls}
    assert masked(extractor, payload) == payload


def test_bytes_of_files_stay_as_they_are(extractor: Extractor) -> None:
    data = base64.b64encode(bytes(range(256)) * 4).decode()
    part = {"type": "file", "file": {"file_data": "data:application/pdf;base64," + data}}
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + data}}
    payload: Payload = {"role": "user", "content": [part, image]}
    assert masked(extractor, payload) == payload


@pytest.mark.parametrize(
    "key",
    [
        "4111111111111111",
        "AKIAQ7XK2M4N6P8R1T3V",
        "DE89370400440532013000",
        "postgres://u:hunter2pass@db.example.com/x",
    ],
)
@pytest.mark.parametrize("shape", ['{{"{}": 1}}', '{{"a": [{{"{}": {{"ok": true}}}}]}}'])
def test_a_secret_that_is_a_key_of_json_is_masked(
    extractor: Extractor, key: str, shape: str
) -> None:
    text = shape.format(key)
    masked, counts = extractor.mask_json(text)
    assert key not in masked
    assert "hunter2pass" not in masked
    assert sum(counts.values()) == 1
    assert len(list(json.loads(masked))) == 1
    assert extractor.mask_json(masked) == (masked, {})


def test_keys_that_hold_no_secret_keep_their_bytes(extractor: Extractor) -> None:
    text = (
        '{"password_hint": null, "address2": "x", "code": true, "card\\u0020type": "visa"}'
    )
    assert extractor.mask_json(text) == (text, {})
