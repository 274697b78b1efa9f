"""A model may lie: what is stored is a slice of the customer's words, or nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.store_drafts import NOW
from tests.store_drafts import candidate as stated
from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.model_replies import ReplyReader, Verdict, withstood
from tiered_memory.facts.model_words import PartText
from tiered_memory.facts.packs import load_patterns
from tiered_memory.facts.resolve import resolve
from tiered_memory.model import Candidate, Fact, FactStatus, Source
from tiered_memory.settings import FactSettings

BOAT = "Hi, my boat is called Calypso."


@pytest.fixture(scope="module")
def reader() -> ReplyReader:
    extractor = Extractor(load_patterns(FactSettings(), {}), max_chars=32_768)
    return ReplyReader(extractor)


def proposal(**more: Any) -> dict[str, Any]:
    return {
        "type": "note.boat",
        "quote": "my boat is called Calypso",
        "value": "Calypso",
        "confidence": 0.9,
    } | more


def read(reader: ReplyReader, text: str, *items: Any, masked: str | None = None) -> Verdict:
    part = PartText(text=masked or text, part="content")
    verdict = reader.read(json.dumps({"facts": items}), [part], model="tiny")
    for candidate in (*verdict.stored, *verdict.waiting):
        assert part.text[candidate.start : candidate.end] == candidate.value
    return verdict


def test_a_verbatim_value_is_stored_with_its_place(reader: ReplyReader) -> None:
    (found,) = read(reader, BOAT, proposal()).stored
    assert (found.key, found.type, found.value) == ("note.boat", "note", "Calypso")
    assert (found.source, found.confidence, found.cardinality) == ("llm", 0.7, "one")
    assert (found.start, found.end, found.part) == (22, 29, "content")
    assert found.why == {"model": "tiny", "sure": 0.9}
    assert not found.identifier


def test_the_slice_is_of_the_stored_text_where_forms_differ(reader: ReplyReader) -> None:
    text = "我的项目叫Ｋｅｓ\u200bｔｒｅｌ。"
    given = proposal(type="note.项目", quote="项目叫Kestrel", value="Kestrel")
    (found,) = read(reader, text, given).stored
    assert found.value == "Ｋｅｓ\u200bｔｒｅｌ"
    assert found.normalized == "kestrel"


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"value": "Calypso II"}, "value"),
        ({"value": "calypso"}, "value"),
        ({"value": "Caly"}, "value"),
        ({"value": "boat of Ann"}, "value"),
        ({"value": " . "}, "value"),
        ({"quote": "my boat is named Calypso"}, "quote"),
        ({"quote": "my yacht is called Calypso"}, "quote"),
        ({"type": "boat"}, "type"),
        ({"type": "note."}, "type"),
        ({"type": "note"}, "type"),
        ({"type": "note.my boat!"}, "type"),
        ({"type": "note." + "x" * 33}, "type"),
        ({"type": "note.[[order_id:1]]"}, "type"),
        ({"type": "password"}, "secret"),
        ({"type": "card_number"}, "secret"),
        ({"type": "note.password"}, "secret"),
        ({"type": "note.wifi_password"}, "secret"),
        ({"type": "note.验证码"}, "secret"),
        ({"type": "note.card_number"}, "secret"),
        ({"type": "email"}, "value"),
        ({"type": "phone"}, "value"),
        ({"type": "order_id"}, "value"),
        ({"type": "date"}, "value"),
        ({"type": "amount"}, "value"),
        ({"confidence": 0.39}, "unsure"),
        ({"confidence": 1.01}, "form"),
        ({"confidence": True}, "form"),
        ({"confidence": "0.9"}, "form"),
        ({"value": ""}, "form"),
        ({"value": 7}, "form"),
        ({"quote": "x" * 401}, "form"),
        ({"quote": None}, "form"),
    ],
)
def test_a_lie_is_refused_and_counted(
    reader: ReplyReader, more: dict[str, Any], reason: str
) -> None:
    assert read(reader, BOAT, proposal(**more)) == Verdict(refused={reason: 1})


@pytest.mark.parametrize(
    "text",
    [
        "Is my boat is called Calypso?",
        "my boat is called Calypso?",
        "What if my boat is called Calypso",
        "Suppose my boat is called Calypso.",
        "I wish my boat is called Calypso",
        "Maybe my boat is called Calypso.",
        "For example: my boat is called Calypso.",
        "I never said my boat is called Calypso",
        "> my boat is called Calypso",
    ],
)
def test_what_is_asked_supposed_or_denied_is_refused(
    reader: ReplyReader, text: str
) -> None:
    assert read(reader, text, proposal()) == Verdict(refused={"standing": 1})


@pytest.mark.parametrize(
    "text",
    [
        "我的项目不叫鲸鱼",
        "我的项目叫鲸鱼吗",
        "如果我的项目叫鲸鱼",
        "比如我的项目叫鲸鱼",
        "我的项目叫鲸鱼？",
    ],
)
def test_chinese_questions_and_denials_too(reader: ReplyReader, text: str) -> None:
    given = proposal(type="note.项目", quote="鲸鱼", value="鲸鱼")
    assert read(reader, text, given) == Verdict(refused={"standing": 1})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("我特别喜欢的项目叫鲸鱼", "鲸鱼"),
        ("不好意思，我的项目叫鲸鱼", "鲸鱼"),
        ("我的项目叫鲸鱼，能查到吗？", "鲸鱼"),
        ("No problem, my boat is called Calypso", "Calypso"),
        ("My boat is called Calypso, can you find it?", "Calypso"),
        ("Is that all? My boat is called Calypso.", "Calypso"),
    ],
)
def test_what_is_stated_beside_them_is_taken(
    reader: ReplyReader, text: str, value: str
) -> None:
    verdict = read(reader, text, proposal(type="note.name", quote=value, value=value))
    assert [c.value for c in verdict.stored] == [value]


def test_a_value_under_a_denial_would_say_the_opposite(reader: ReplyReader) -> None:
    text = "I do not eat pork"
    half = proposal(type="note.diet", quote=text, value="pork")
    whole = proposal(type="note.diet", quote=text, value="do not eat pork")
    assert read(reader, text, half).refused == {"standing": 1}
    assert [c.value for c in read(reader, text, whole).stored] == ["do not eat pork"]


def test_somebody_else_s_words_are_less_sure(reader: ReplyReader) -> None:
    text = "The agent said my boat is called Calypso"
    verdict = read(reader, text, proposal())
    assert verdict.stored == ()
    assert [c.confidence for c in verdict.waiting] == [0.6]


def test_masked_values_are_out_of_reach(reader: ReplyReader) -> None:
    masked = "my card is called [card_number ****1881]"
    given = proposal(type="note.card", quote=masked, value="1881")
    assert read(reader, masked, given).refused == {"masked": 1}
    given = proposal(type="note.card", quote=masked, value="[card_number ****1881]")
    assert read(reader, masked, given).refused == {"masked": 1}


def test_a_type_s_own_checks_and_form_hold(reader: ReplyReader) -> None:
    text = "my contact is called mei.chen@Mail.Example.cn I think"
    given = proposal(type="email", quote=text, value="mei.chen@Mail.Example.cn")
    (found,) = read(reader, text, given).stored
    assert (found.key, found.normalized) == ("email", "mei.chen@mail.example.cn")
    assert found.identifier


def test_whose_it_is_comes_from_the_words_around(reader: ReplyReader) -> None:
    text = "My wife's boat is called Calypso."
    given = proposal(quote="boat is called Calypso")
    assert [c.owner for c in read(reader, text, given).stored] == ["contact.wife"]


def test_below_the_threshold_it_waits(reader: ReplyReader) -> None:
    verdict = read(reader, BOAT, proposal(confidence=0.5))
    assert verdict.stored == ()
    assert [c.confidence for c in verdict.waiting] == [0.5]


def test_of_many_proposals_the_first_are_read(reader: ReplyReader) -> None:
    items = [proposal(type=f"note.a{n}", confidence=0.9) for n in range(100)]
    verdict = read(reader, BOAT, *items)
    assert len(verdict.stored) == 1  # one fact for one place
    assert verdict.refused == {"many": 92}


def test_of_rival_values_the_surest_is_kept(reader: ReplyReader) -> None:
    text = "my boat is called Calypso or Kestrel"
    one = proposal(quote=text, confidence=0.8)
    other = proposal(quote=text, value="Kestrel", confidence=0.9)
    assert [c.value for c in read(reader, text, one, other).stored] == ["Kestrel"]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Sure! Here you go",
        "{",
        "null",
        '{"facts": {}}',
        '"x"',
        "[" * 9_000,
        "x" * 20_000,
    ],
)
def test_a_reply_of_another_form_is_no_reply(reader: ReplyReader, reply: str) -> None:
    with pytest.raises(ValueError, match=r"reply|JSON|Expecting"):
        reader.read(reply, [PartText(text=BOAT, part="content")], model=None)


def test_a_list_and_a_fence_are_understood(reader: ReplyReader) -> None:
    part = PartText(text=BOAT, part="content")
    bare = json.dumps([proposal()])
    fenced = f"```json\n{bare}\n```"
    for reply in (bare, fenced):
        assert len(reader.read(reply, [part], model=None).stored) == 1
    assert reader.read('{"facts": [1, null, []]}', [part], model=None).refused == {
        "form": 3
    }


def test_a_value_is_found_in_its_own_part(reader: ReplyReader) -> None:
    parts = [
        PartText(text="hello", part="content.0.text"),
        PartText(text=BOAT, part="content.1.text"),
    ]
    verdict = reader.read(json.dumps([proposal()]), parts, model=None)
    assert [c.part for c in verdict.stored] == ["content.1.text"]


def boat(value: str, *, source: Source, seq: int) -> Fact:
    return Fact(
        fact_id=1, number=1, type="note", key="note.boat", owner="self", value=value,
        normalized=value.lower(), status=FactStatus.CURRENT, confidence=0.5, source=source,
        pattern="", cardinality="one", masked=False, identifier=False, seq=seq,
        part="content", start=0, end=1, first_seen=NOW, last_seen=NOW, last_seq=seq,
        revision=1,
    )  # fmt: skip


def calypso() -> Candidate:
    return Candidate(
        type="note", key="note.boat", value="Calypso", normalized="calypso",
        part="content", start=0, end=7, source="llm", identifier=False,
    )  # fmt: skip


@pytest.mark.parametrize("source", ["regex", "ner", "api", "confirmed"])
def test_nothing_but_a_model_s_word_gives_way(source: Source) -> None:
    assert withstood([(9, calypso())], [boat("Kestrel", source=source, seq=1)]) == []
    known = boat("Calypso", source=source, seq=1)
    ((_, same),) = withstood([(9, calypso())], [known])
    changes = resolve((same,), (known,))
    assert (changes.added, changes.ended) == ((), {})


def test_the_later_message_stands_whatever_reply_comes_first() -> None:
    earlier, later = (
        boat("Kestrel", source="llm", seq=3),
        boat("Kestrel", source="llm", seq=7),
    )
    assert withstood([(5, calypso())], [earlier]) == [(5, calypso())]
    assert withstood([(5, calypso())], [later]) == []
    assert withstood([(5, calypso())], []) == [(5, calypso())]
    many = stated("A-1")
    assert len(withstood([(9, many), (1, stated("A-2"))], [])) == 2
