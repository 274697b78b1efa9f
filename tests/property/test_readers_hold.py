from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tiered_memory.facts.common_words import is_common
from tiered_memory.facts.readers import READERS

PIECES = (
    "my name is ", "greta", "lindholm ", "J. ", "van ", "12 ", "oak ", "street", " st. ", ", ",
    "Portland", " OR 97201", "po box 9", "apt 4 ", "and ", "phone ", "555 214 0101 ", "\n", "hi ",
    "我叫", "周雨桐", "买买提·艾力", "苏州市", "姑苏区", "十梓街1号", "2栋301室", "谢谢", "，", "·",
    "'s", ".", "is ", "the ", "no ", "a ", "LS1 4AB", "é", "😀", "13900008642", "女士", "姓",
)  # fmt: skip

TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=14).map(
    "".join
)
READER_NAMES = st.sampled_from(sorted(READERS))


@given(
    name=READER_NAMES,
    text=TEXTS,
    asked=st.sets(st.sampled_from(("person_name", "postcode"))),
)
@settings(max_examples=500, deadline=None)
def test_replies_give_disjoint_slices_without_outer_spaces(
    name: str, text: str, asked: set[str]
) -> None:
    last = 0
    for reading in READERS[name].answers(text, asked):
        assert last <= reading.start < reading.end <= len(text)
        value = text[reading.start : reading.end]
        assert value == value.strip()
        last = reading.end


@given(name=READER_NAMES, text=TEXTS, data=st.data())
@settings(max_examples=500, deadline=None)
def test_borders_stay_in_the_text(name: str, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = READERS[name].extent(text, start, end, ())
    if found is not None:
        assert start <= found[0] < found[1] <= len(text)


@given(st.text(max_size=40))
def test_any_word_can_be_looked_up(word: str) -> None:
    assert is_common(word.lower()) in {True, False}
