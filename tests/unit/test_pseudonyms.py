from __future__ import annotations

import hashlib
import json

import pytest

from tiered_memory.errors import SettingsError
from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.masking import Masker
from tiered_memory.facts.packs import load_patterns
from tiered_memory.facts.pseudonyms import Hidden, Pseudonyms
from tiered_memory.model import Candidate
from tiered_memory.settings import FactSettings, MaskAction

ACTIONS: dict[str, MaskAction] = {
    "phone": "pseudonym",
    "order_id": "pseudonym",
    "person_name": "pseudonym",
}


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    patterns = load_patterns(FactSettings(), ACTIONS, entity_types={"person_name", "place"})
    return Extractor(patterns, max_chars=32_768)


def code(type_name: str, normalized: str) -> str:
    digest = hashlib.sha256(f"{type_name} {normalized}".encode()).digest()
    return "".join("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[byte % 32] for byte in digest)


def entity(text: str, value: str, type_name: str = "person_name") -> Candidate:
    start = text.index(value)
    return Candidate(
        type=type_name,
        key="mentioned_person",
        value=value,
        normalized=value.lower(),
        part="content",
        start=start,
        end=start + len(value),
        source="ner",
        cardinality="many",
    )


def test_spellings_of_one_normal_form_have_one_pseudonym(extractor: Extractor) -> None:
    session = Pseudonyms(code)
    texts = [
        "电话139 0000 8642",
        "call +86-139-0000-8642",
        "１３９００００８６４２",
        '["13900008642"]',
    ]
    found = {extractor.mask(text, pseudonyms=session)[0] for text in texts}
    tokens = {text[text.index("[phone-") :].strip('"]') for text in found}
    assert len(tokens) == 1
    assert [(h.value, h.normalized) for h in session.new] == [
        ("139 0000 8642", "+8613900008642")
    ]


def test_masking_again_changes_nothing_and_brings_nothing_new(extractor: Extractor) -> None:
    session = Pseudonyms(code)
    once, counts = extractor.mask("order A8801, phone 13900008642", pseudonyms=session)
    new = session.new
    assert counts == {"phone": 1, "order_id": 1}
    assert extractor.mask(once, pseudonyms=session) == (once, {})
    assert extractor.mask(once, pseudonyms=Pseudonyms(code)) == (once, {})
    assert session.new == new


def test_without_a_session_the_type_is_shown(extractor: Extractor) -> None:
    assert extractor.mask("电话13900008642")[0] == "电话[phone]"


def test_no_pattern_reads_a_pseudonym(extractor: Extractor) -> None:
    session = Pseudonyms(lambda *_: "A2345677")
    found = extractor.extract(
        "我的订单号A8801，电话13900008642", role="user", pseudonyms=session
    )
    assert [(c.key, c.value) for c in found.facts] == [
        ("order_id", "[order_id-A2345677]"),
        ("phone", "[phone-A2345677]"),
    ]
    assert all(found.masked[c.start : c.end] == c.value for c in found.facts)
    assert all(c.masked and c.identifier for c in found.facts)


def test_pseudonyms_are_identifiers_in_any_text(extractor: Extractor) -> None:
    text = json.dumps({"phone": "[phone-A2345677]", "note": "see [order_id-ABCDEFGH]"})
    for given in (text, text.replace("{", "").replace("}", "")):
        found = extractor.identifiers(given)
        assert [(i.key, i.value) for i in found] == [
            ("phone", "[phone-A2345677]"),
            ("order_id", "[order_id-ABCDEFGH]"),
        ]
        assert all(given[i.start : i.end] == i.value for i in found)


def test_a_known_value_is_hidden_as_a_word_and_not_in_one() -> None:
    known = Hidden(pseudonym="[x-AAAAAAAA]", type="x", value="94103", normalized="94103")
    masker = Masker(load_patterns(FactSettings(), {}))
    session = Pseudonyms(code, [known])
    text = "zip 94103, 941035, A94103, 邮编94103吗"
    found = masker.mask(text, pseudonyms=session)
    assert found.text == "zip [x-AAAAAAAA], 941035, A94103, 邮编[x-AAAAAAAA]吗"
    assert [m.type for m in found.marks] == ["x", "x"]


def test_a_secret_is_never_kept_under_a_pseudonym() -> None:
    patterns = load_patterns(FactSettings(), {"phone": "pseudonym"})
    session = Pseudonyms(code)
    found = Masker(patterns).mask("密码是13900008642", pseudonyms=session)
    assert found.text == "密码是[password]"
    assert session.new == ()


def test_a_value_with_a_stronger_cue_of_another_type_is_not_hidden() -> None:
    patterns = load_patterns(FactSettings(), {"phone": "pseudonym"})
    session = Pseudonyms(code)
    text = "order number 13900008642 is late"
    assert Masker(patterns).mask(text, pseudonyms=session).text == text


def test_what_recognizers_found_is_masked_with_the_rest(extractor: Extractor) -> None:
    session = Pseudonyms(code)
    text = "李明 and 李明 live in 杭州, 电话13900008642"
    found = extractor.extract(
        text,
        role="user",
        entities=[entity(text, "李明"), entity(text, "杭州", "place")],
        pseudonyms=session,
    )
    name = session.name("person_name", "李明", "李明")
    assert found.masked.startswith(f"{name} and {name} live in 杭州, ")
    facts = {c.key: c for c in found.facts}
    assert facts["mentioned_person"].value == name
    assert facts["mentioned_person"].source == "ner"
    assert found.masked[: len(name)] == name


def test_an_entity_in_pasted_json_is_masked_whatever_its_escapes(
    extractor: Extractor,
) -> None:
    session = Pseudonyms(code)
    text = '{"a": "for \\u674e\\u660e", "b": "李明"}'
    escaped = entity(text, "\\u674e\\u660e")
    found, _ = extractor.mask(
        text, entities=[escaped, entity(text, "李明")], pseudonyms=session
    )
    assert json.loads(found)["b"].startswith("[person_name")
    assert json.loads(found)["a"].startswith("[person_name")


@pytest.mark.parametrize(
    ("masking", "hint"), [({"fone": "mask"}, "'phone'"), ({"plaice": "mask"}, "'place'")]
)
def test_a_wrong_type_is_refused_with_what_it_may_be(
    masking: dict[str, MaskAction], hint: str
) -> None:
    with pytest.raises(SettingsError, match=f"did you mean {hint}"):
        load_patterns(FactSettings(), masking, entity_types={"place"})
