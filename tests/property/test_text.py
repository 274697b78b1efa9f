from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tiered_memory.text.folding import fold
from tiered_memory.text.language import sentences
from tiered_memory.text.references import (
    escape,
    find,
    find_loose,
    reference,
    render,
    unescape,
)
from tiered_memory.text.shortening import shorten_json, shorten_text

TYPED = st.text(
    st.one_of(
        st.sampled_from(
            "ABc019 -—ＡＢ１２３：￥¥\u3000\u00a0\u200b\u200d\ufeff\u00ad٣好。①"
        ),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=60,
)
BRACKETED = st.text(st.sampled_from("[]【】［］:：~ \n`*_#0123aé好"), max_size=40)
PIECES = st.lists(
    st.sampled_from(
        ["[", "[[", "]", "]]", "【", "】", "~", " ", "order_id:3", "a：1", "x", "`", "**"]
    ),
    max_size=14,
).map("".join)
KEYS = st.from_regex(r"[a-z_][a-z0-9_.\-]{0,20}", fullmatch=True)
JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=12),
        st.dictionaries(st.text(max_size=8), inner, max_size=8),
    ),
    max_leaves=60,
)


def thirds(text: str) -> int:
    return -(-len(text) // 3)


@given(TYPED)
def test_each_folded_character_leads_back_to_its_own(raw: str) -> None:
    folded = fold(raw)
    places = [folded.raw_index(index) for index in range(len(folded.text))]
    assert places == sorted(set(places))
    assert [fold(raw[place]).text for place in places] == list(folded.text)
    assert len(raw) - len(places) == len(folded.deleted)


@given(TYPED, st.data())
def test_a_raw_slice_folds_to_the_folded_slice(raw: str, data: st.DataObject) -> None:
    folded = fold(raw)
    start = data.draw(st.integers(0, len(folded.text)))
    end = data.draw(st.integers(start, len(folded.text)))
    first, last = folded.raw_span(start, end)
    assert fold(raw[first:last]).text == folded.text[start:end]
    if start < end:
        assert folded.folded_span(first, last) == (start, end)


@given(TYPED)
def test_folding_twice_changes_nothing(raw: str) -> None:
    once = fold(raw).text
    assert fold(once).text == once


@given(st.lists(st.tuples(KEYS, st.integers(1, 10**9 - 1)), max_size=6), PIECES)
def test_references_are_found_between_whatever_a_customer_typed(
    refs: list[tuple[str, int]], typed: str
) -> None:
    between = escape(typed)
    text = between + between.join(reference(key, number) for key, number in refs) + between
    assert [(ref.key, ref.number) for ref in find(text)] == refs
    seen: list[tuple[str, int]] = []

    def value(number: int, key: str) -> str:
        seen.append((key, number))
        return "v"

    rendered = render(text, value)
    assert seen == refs
    assert rendered == between + between.join("v" for _ in refs) + between


@settings(max_examples=400)
@given(st.one_of(PIECES, BRACKETED))
def test_nothing_typed_is_a_reference_once_escaped(typed: str) -> None:
    escaped = escape(typed)
    assert find(escaped) == []
    assert find_loose(escaped) == []
    assert unescape(escaped) == typed


@settings(max_examples=400)
@given(st.one_of(PIECES, BRACKETED))
def test_near_spellings_do_not_overlap_and_lie_in_the_text(text: str) -> None:
    end = 0
    for loose in find_loose(text):
        assert end <= loose.start < loose.end <= len(text)
        end = loose.end


@given(st.text(st.sampled_from('ab.!? \n。！？"”)3Mr'), max_size=60))
def test_sentences_cover_all_that_is_visible(text: str) -> None:
    spans = sentences(text)
    assert spans == sorted(spans)
    covered = {place for start, end in spans for place in range(start, end)}
    assert sum(end - start for start, end in spans) == len(covered)
    assert {i for i, char in enumerate(text) if not char.isspace()} <= covered


@settings(max_examples=200)
@given(JSON, st.integers(1, 80))
def test_shortened_json_is_json_of_its_kind_within_the_limit(
    value: object, limit: int
) -> None:
    text = json.dumps(value, ensure_ascii=False)
    short = shorten_json(text, limit_tokens=limit, head=10, tail=5, count=thirds)
    assert (short is None) == (thirds(text) <= limit)
    if short is None:
        return
    assert thirds(short) <= limit
    if isinstance(value, dict | list):
        assert isinstance(json.loads(short), type(value))
    again = shorten_json(text, limit_tokens=limit, head=10, tail=5, count=thirds)
    assert again == short


@given(
    st.text(st.sampled_from("abc12 .\n。好，-"), max_size=400),
    st.integers(1, 60),
    st.integers(0, 60),
    st.integers(0, 60),
)
def test_a_shortened_text_is_its_ends_around_a_mark(
    text: str, limit: int, head: int, tail: int
) -> None:
    short = shorten_text(text, limit_tokens=limit, head=head, tail=tail, count=thirds)
    if short is None:
        assert thirds(text) <= limit
        return
    assert thirds(short) <= limit
    lines = short.split("\n")
    (mark,) = (i for i, line in enumerate(lines) if "…" in line)
    first, last = "\n".join(lines[:mark]), "\n".join(lines[mark + 1 :])
    assert text.startswith(first)
    assert text.endswith(last)
