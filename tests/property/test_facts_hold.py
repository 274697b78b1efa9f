from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tiered_memory.facts.context import ContextReader, Surroundings
from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.lanes import TextView
from tiered_memory.facts.packs import load_patterns
from tiered_memory.facts.resolve import resolve
from tiered_memory.model import Candidate, Fact, FactChanges, FactStatus
from tiered_memory.settings import FactSettings

PIECES = (
    "订单A8801", "order B-2077", "4012888888881881", "4012 8888 8888 1881", "卡号", "card ",
    "password is hunter2", "密码是", "13900008642", "１３９００００８６４２", "mei@example.cn",
    "https://a.example/A8801?x=1", "[password]", "[card_number ****1881]", "[", "]", "****",
    "不是A8801，是A8802", "。", "，", " ", "\n", "?", "吗", "我老婆的", "my wife's ", "if ",
    "110105", "19491231002X", "536-90-4399", "¥1,299.00", "\u200b", "😀", "é", "\\", '"',
    "sk-abcdefgh12345678", "PIN is 4821", "是您的验证码", "7", "a", "actually it's ", ": ",
    "<password>", "</password>", "{\"token\": \"ab12\"}", "{", "}", "otp=", "token: ab1\n",
    "pass: ", "4111.1111.1111.1111", "secret=",
)  # fmt: skip

TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=12).map(
    lambda pieces: "".join(pieces).encode("utf-8", "replace").decode()
)
QUESTIONS = st.sampled_from(
    (None, "May I have your order number?", "您的卡号和手机号？", "Your password please?")
)


@cache
def extractor() -> Extractor:
    return Extractor(load_patterns(FactSettings(), {}), max_chars=120)


@given(text=TEXTS, question=QUESTIONS)
@settings(max_examples=300, deadline=None)
def test_masking_twice_is_masking_once_and_values_are_slices(
    text: str, question: str | None
) -> None:
    found = extractor().extract(text, role="user", question=question)
    again = extractor().extract(found.masked, role="user", question=question)
    assert again.masked == found.masked
    last = 0
    for candidate in found.facts:
        assert found.masked[candidate.start : candidate.end] == candidate.value
        assert candidate.start >= last or candidate.key == "correction"
        last = candidate.start
    once, _ = extractor().mask(text)
    assert extractor().mask(once)[0] == once


WORDS = (
    "不是", "别用", "A8801", "是", "吗", "？", "如果", "比如", "正确的是", "改成", "客服说", "我老婆的",
    "not ", "don't use ", "if ", "my order is ", "is it ", "for example ", "actually it's ",
    "sorry, ", "they said ", "my wife's ", "old ", "\n> ", ". ", "，", "?", " is wrong", "不对",
    "instead of ", "say ", "Say, ", "IF ", "Not ", "no, it's ", "the correct one is ",
    "no wait, ", "scratch that, ", "no, sorry, ", "sorry, wrong one: ", "等等，", "哦不，",
    "her number is ", "call him at ", "她的电话", "the assistant said ", "\n \"> ",
)  # fmt: skip


@given(pieces=st.lists(st.sampled_from(WORDS), max_size=8), one=st.booleans())
@settings(max_examples=400, deadline=None)
def test_looking_for_words_first_changes_no_judgement(pieces: list[str], one: bool) -> None:
    reader = context_reader()
    left = "".join(pieces[: len(pieces) // 2])
    view = TextView(left + "B7700" + "".join(pieces[len(pieces) // 2 :]))
    every = Surroundings(view.text, frozenset(reader._names), reader._rules, reader._owners)
    start, end = len(left), len(left) + 5
    gated = reader.open(view).standing(start, end, type_name="phone", one=one)
    assert gated == every.standing(start, end, type_name="phone", one=one)


@cache
def context_reader() -> ContextReader:
    return ContextReader()


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(("order_id", "password", "phone", "note", "cardNumber", "n")),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=6,
).filter(lambda value: isinstance(value, dict | list))


@given(value=JSON, ascii_only=st.booleans(), spaced=st.booleans())
@settings(max_examples=200, deadline=None)
def test_masked_json_is_json_of_the_same_shape(
    value: Any, ascii_only: bool, spaced: bool
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=1 if spaced else None)
    masked, counts = extractor().mask_json(text)
    assert shape(json.loads(masked)) == shape(value)
    assert (masked == text) == (not counts)
    assert extractor().mask_json(masked)[0] == masked
    for found in extractor().identifiers(masked):
        token = masked[found.start : found.end]
        assert found.value in {token, json.loads(f'"{token}"') if "\\" in token else token}


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    return [shape(inner) for inner in value] if isinstance(value, list) else None


KEYS = st.sampled_from(("phone", "order_id", "phone.alternate", "correction"))
VALUES = st.sampled_from(("A1", "A2", "A3", "7"))


@st.composite
def candidates(draw: st.DrawFn) -> Candidate:
    key, value = draw(KEYS), draw(VALUES)
    why: dict[str, str] = {}
    if draw(st.booleans()):
        why["corrects"] = draw(st.one_of(VALUES, st.just("*")))
    if draw(st.integers(0, 5)) == 0:
        why["quoted"] = "yes"
    return Candidate(
        type=key,
        key=key,
        value=value,
        normalized=value,
        part="content",
        start=0,
        end=2,
        owner=draw(st.sampled_from(("self", "contact.wife"))),
        source=draw(st.sampled_from(("regex", "regex", "ner"))),
        polarity=draw(st.sampled_from(("assert", "assert", "negate"))),
        cardinality="one" if key == "phone" else "many",
        why=why,
    )


def fact(number: int, candidate: Candidate) -> Fact:
    then = datetime(2026, 1, 1, tzinfo=UTC)
    return Fact(
        fact_id=number,
        number=number,
        type=candidate.type,
        key=candidate.key,
        owner=candidate.owner,
        value=candidate.value,
        normalized=candidate.normalized,
        status=FactStatus.CURRENT,
        confidence=0.9,
        source=candidate.source,
        pattern="",
        cardinality=candidate.cardinality,
        masked=False,
        identifier=True,
        seq=1,
        part="content",
        start=0,
        end=2,
        first_seen=then,
        last_seen=then,
        last_seq=1,
        revision=1,
        why=candidate.why,
    )


@given(batches=st.lists(st.lists(candidates(), max_size=6), max_size=4), data=st.data())
@settings(max_examples=300, deadline=None)
def test_facts_stay_consistent_whatever_is_said(
    batches: list[list[Candidate]], data: st.DataObject
) -> None:
    current: dict[int, Fact] = {}
    number = 0
    for batch in batches:
        facts = list(current.values())
        changes = resolve(batch, facts)
        assert changes == resolve(batch, data.draw(st.permutations(facts)))
        new = {-place for place in range(len(changes.added))}
        assert set(changes.ended) <= set(current) | new
        assert set(changes.seen) <= (set(current) | new) - set(changes.ended)
        for row, (status, by) in changes.ended.items():
            assert by is None or status is FactStatus.SUPERSEDED
            assert by is None or (by != row and by in set(current) | new)
        current = {k: v for k, v in current.items() if k not in changes.ended}
        for place, candidate in enumerate(changes.added):
            assert candidate.polarity == "assert"
            assert candidate.key != "correction"
            number += 1
            if -place not in changes.ended:
                current[number] = fact(number, candidate)
        slots = [(f.owner, f.key) for f in current.values() if f.cardinality == "one"]
        assert len(slots) == len(set(slots))
        forms = [(f.owner, f.key, f.normalized) for f in current.values()]
        assert len(forms) == len(set(forms))


@given(batch=st.lists(candidates(), max_size=6), known=st.lists(candidates(), max_size=4))
@settings(max_examples=200, deadline=None)
def test_owners_and_keys_do_not_touch_one_another(
    batch: list[Candidate], known: list[Candidate]
) -> None:
    batch = [c for c in batch if c.key in {"phone", "order_id"}]
    facts = [fact(n, c) for n, c in enumerate(known, 1) if c.key in {"phone", "order_id"}]
    slots = sorted({(c.owner, c.key) for c in batch})
    by_slot = [c for slot in slots for c in batch if (c.owner, c.key) == slot]
    assert outcome(resolve(batch, facts)) == outcome(resolve(by_slot, facts))


Row = int | tuple[str, str, str, int]
"""A stored row, or one of the batch by what it is and how often it was before."""


def outcome(changes: FactChanges) -> tuple[object, ...]:
    """What changed, whatever the order in which slots came."""
    names: dict[int, Row] = {}
    for place, c in enumerate(changes.added):
        name = (c.owner, c.key, c.normalized)
        before = sum((a.owner, a.key, a.normalized) == name for a in changes.added[:place])
        names[-place] = (*name, before)

    def named(row: int | None) -> Row | None:
        return row if row is None else names.get(row, row)

    return (
        {(names[-place], repr(c)) for place, c in enumerate(changes.added)},
        {named(row): (status, named(by)) for row, (status, by) in changes.ended.items()},
        {named(row): candidate for row, candidate in changes.seen.items()},
    )


WEAK = ("ner", "llm")


@given(
    rules=st.lists(candidates(), max_size=5),
    guesses=st.lists(candidates(), max_size=5),
    known=st.lists(candidates(), max_size=3),
)
@settings(max_examples=300, deadline=None)
def test_what_was_stated_stands_whether_guesses_come_before_or_after(
    rules: list[Candidate], guesses: list[Candidate], known: list[Candidate]
) -> None:
    rules = [replace(c, source="regex", why={}) for c in rules if c.key != "correction"]
    guesses = [replace(c, source="ner", why={}) for c in guesses if c.key != "correction"]
    facts = after({}, resolve([replace(c, why={}) for c in known], [])).values()

    def sure(batches: list[list[Candidate]]) -> set[tuple[str, str, str]]:
        current = {f.fact_id: f for f in facts}
        for batch in batches:
            current = after(current, resolve(batch, list(current.values())))
        return {
            (f.owner, f.key, f.normalized) for f in current.values() if f.source not in WEAK
        }

    alone = sure([rules])
    assert sure([guesses, rules]) == alone
    assert sure([rules, guesses]) == alone


@given(batch=st.lists(candidates(), max_size=6), known=st.lists(candidates(), max_size=3))
@settings(max_examples=300, deadline=None)
def test_statements_one_by_one_or_at_once_leave_the_same_values(
    batch: list[Candidate], known: list[Candidate]
) -> None:
    batch = [c for c in batch if c.polarity == "assert" and c.key != "correction"]
    start = after({}, resolve(known, []))
    at_once = after(start, resolve(batch, list(start.values())))
    one_by_one = dict(start)
    for candidate in batch:
        one_by_one = after(one_by_one, resolve([candidate], list(one_by_one.values())))
    assert {(f.owner, f.key, f.normalized) for f in at_once.values()} == {
        (f.owner, f.key, f.normalized) for f in one_by_one.values()
    }


def after(current: dict[int, Fact], changes: FactChanges) -> dict[int, Fact]:
    """The rows that are current when the changes were made."""
    first = max(current, default=100) + 1
    rows = {-place: fact(first + place, c) for place, c in enumerate(changes.added)}
    left = {row: f for row, f in {**current, **rows}.items() if row not in changes.ended}
    return {f.fact_id: f for f in left.values()}
