"""What the customer asks to remember is a fact; what is merely told, asked or denied is none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.notes import note_key, tells_secret
from tiered_memory.facts.packs import load_patterns
from tiered_memory.facts.resolve import resolve
from tiered_memory.model import Candidate
from tiered_memory.settings import FactSettings


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor(load_patterns(FactSettings(), {}), max_chars=32_768)


def notes(extractor: Extractor, text: str, role: str = "user") -> list[Candidate]:
    extraction = extractor.extract(text, role=role)
    for candidate in extraction.facts:
        assert extraction.masked[candidate.start : candidate.end] == candidate.value
    return [c for c in extraction.facts if c.type == "note"]


def current(candidates: Sequence[Candidate]) -> list[str]:
    """Values that hold at the end of a batch."""
    changes = resolve(candidates, ())
    return [c.value for n, c in enumerate(changes.added) if -n not in changes.ended]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("记住我的项目叫鲸鱼", "note.项目", "鲸鱼"),
        ("请记住我们的项目名字叫“鲸鱼”，好吗？", "note.项目", "鲸鱼"),
        ("麻烦帮我记一下，我家的猫叫团子哦", "note.猫", "团子"),
        ("你好，另外请记住：我的幸运色是墨绿", "note.幸运色", "墨绿"),
        ("Please remember that my boat is called Calypso.", "note.boat", "Calypso"),
        ("remember that my gate code word is heron", "note.gate_code_word", "heron"),
        ("Also, keep in mind that our cat's name is Miso, thanks", "note.cat", "Miso"),
        ("please remember my dog is named Rex and he bites", "note.dog", "Rex"),
        ("Don't forget that my Build Server goes by Osprey", "note.build_server", "Osprey"),
        (
            "ｒｅｍｅｍｂｅｒ that my boat is called Ｃａｌｙｐｓｏ",
            "note.boat",
            "Ｃａｌｙｐｓｏ",
        ),
    ],
)
def test_a_value_with_a_name_stands_under_it(
    extractor: Extractor, text: str, key: str, value: str
) -> None:
    (note,) = notes(extractor, text)
    assert (note.key, note.value, note.cardinality) == (key, value, "one")
    assert (note.source, note.polarity, note.identifier) == ("regex", "assert", False)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("请记住：门铃坏了", "门铃坏了"),
        ("别忘了我周三不在家！", "我周三不在家"),
        ("请记得把伞也带上", "把伞也带上"),
        ("记住我的项目不叫鲸鱼", "我的项目不叫鲸鱼"),
        ("Remember: the bell is broken, please", "the bell is broken"),
        ("Could you remember that I sleep until ten?", "I sleep until ten"),
        ("Remember, my boat isn't called Calypso", "my boat isn't called Calypso"),
        ("make a note that the lift is out of order", "the lift is out of order"),
        ("please remember I moved to the second floor", "I moved to the second floor"),
    ],
)
def test_a_clause_without_a_name_is_kept_whole(
    extractor: Extractor, text: str, value: str
) -> None:
    (note,) = notes(extractor, text)
    assert (note.key, note.value, note.cardinality) == ("note", value, "many")


@pytest.mark.parametrize(
    "text",
    [
        "my boat is called Calypso",
        "我的项目叫鲸鱼",
        "do you remember that my boat is called Calypso?",
        "Do you remember that I sleep until ten?",
        "你还记得我的项目叫鲸鱼吗？",
        "你记住我的项目叫鲸鱼了吗",
        "I remember that the bell was broken",
        "I can't remember my name",
        "我记住了",
        "记住了吗？",
        "can you remember what I said?",
        "Remember me?",
        "remember that parcel, it never came",
        "remember to call me",
        "别忘了发货",
        "例如：记住我的项目叫鲸鱼",
        "客服说：记住您的等级是金卡",
        "> please remember that my boat is called Calypso",
        "if you remember that I called yesterday",
        "如果你能记住我的项目叫鲸鱼就好了",
        "she told me to remember that the door is blue",
        "please remember",
        "请记住",
        "remember that " + "many words without any end " * 6,
    ],
)
def test_what_is_told_asked_supposed_or_quoted_is_no_note(
    extractor: Extractor, text: str
) -> None:
    assert notes(extractor, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Remember that my password is Heron-99x",
        "记住我的密码是 Heron-99x",
        "请记住：卡号4012888888881881",
        "remember that my wifi password is on the fridge",
        "请记住我的口令是在门后面的那张纸上",
    ],
)
def test_a_secret_is_masked_and_nothing_is_noted(extractor: Extractor, text: str) -> None:
    assert notes(extractor, text) == []
    assert "Heron" not in extractor.extract(text, role="user").masked


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("remember my phone number is 415-555-0132", "phone"),
        ("记住我的手机号是13900008642", "phone"),
        ("请记住我对花生过敏", "allergy"),
        ("记住，我的邮箱是mei@example.com", "email"),
    ],
)
def test_what_a_pattern_says_is_not_said_twice(
    extractor: Extractor, text: str, key: str
) -> None:
    extraction = extractor.extract(text, role="user")
    assert [c.key for c in extraction.facts] == [key]


def test_a_fact_inside_a_longer_clause_does_not_hide_it(extractor: Extractor) -> None:
    text = "remember that my neighbour at 415-555-0132 takes parcels"
    assert [n.value for n in notes(extractor, text)] == [
        "my neighbour at 415-555-0132 takes parcels"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "forget that my boat is called Calypso",
        "please forget that my boat is called Calypso.",
        "you don't have to remember that my boat is called Calypso",
        "don't remember that my boat is called Calypso",
    ],
)
def test_what_is_not_to_be_remembered_takes_the_note_back(
    extractor: Extractor, text: str
) -> None:
    (taken_back,) = notes(extractor, text)
    assert taken_back.polarity == "negate"
    (stated,) = notes(extractor, "remember that my boat is called Calypso")
    assert current((stated, taken_back)) == []


def test_chinese_words_take_it_back_too(extractor: Extractor) -> None:
    for text in ("不用记住我的项目叫鲸鱼", "忘掉我的项目叫鲸鱼", "别记我的项目叫鲸鱼了"):
        (taken_back,) = notes(extractor, text)
        assert (taken_back.polarity, taken_back.key) == ("negate", "note.项目")


def test_a_new_value_takes_the_place_of_the_old(extractor: Extractor) -> None:
    text = "Remember that my boat is called Calypso. No, remember that my boat is called Kestrel."
    found = notes(extractor, text)
    assert [n.value for n in found] == ["Calypso", "Kestrel"]
    assert current(found) == ["Kestrel"]


def test_a_long_clause_ends_where_another_begins(extractor: Extractor) -> None:
    text = "remember that the blue gate sticks, " + "and so on and on " * 8
    (note,) = notes(extractor, text)
    assert note.value == "the blue gate sticks"


def test_only_a_customer_asks_to_remember(extractor: Extractor) -> None:
    text = "Please remember that our office closes at noon."
    assert notes(extractor, text, role="assistant") == []
    off = Extractor(load_patterns(FactSettings(), {}), max_chars=32_768, notes=False)
    assert notes(off, text) == []


def test_a_name_is_short_and_plain() -> None:
    assert note_key("Build  Server-2") == "note.build_server_2"
    assert note_key("项目") == "note.项目"
    for bad in ("", " ", "x" * 33, "a.b", "wife's dog", "[[order_id:1]]", "naïve"):
        assert note_key(bad) is None
    assert tells_secret("wifi_password")
    assert tells_secret("开机密码")
    assert not tells_secret("pinboard")
