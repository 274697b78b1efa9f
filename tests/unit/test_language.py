from __future__ import annotations

import pytest

from tiered_memory.text.language import dominant_language, has_han, sentences


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("我的包裹还没有到，麻烦查一下。", "zh"),
        ("Where is my parcel?", "en"),
        ("我要退 Nimbus Air Purifier Pro", "zh"),
        ("My name is 林小雨 and I would like a refund", "en"),
        ("单号 ZX-2031-00418812 没更新", "zh"),
        ("12345", "en"),
        ("", "en"),
    ],
)
def test_the_language_is_that_of_the_words(text: str, language: str) -> None:
    assert dominant_language(text) == language


@pytest.mark.parametrize(
    ("text", "has"), [("abc", False), ("ａｂｃ，", False), ("ok 好", True), ("𠮷", True)]
)
def test_han_is_seen_in_any_plane(text: str, has: bool) -> None:
    assert has_han(text) is has


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("您好。订单没到！怎么办？", ["您好。", "订单没到！", "怎么办？"]),
        ("Hi. It costs $3.50. Why?", ["Hi.", "It costs $3.50.", "Why?"]),
        ("Mr. Lee called. Call J. Doe.", ["Mr. Lee called.", "Call J. Doe."]),
        ("first line\nsecond line\n", ["first line", "second line"]),
        ("他说：“好的。”然后走了", ["他说：“好的。”", "然后走了"]),
        ("Really?! Yes", ["Really?!", "Yes"]),
        ("It is version 2.1.3", ["It is version 2.1.3"]),
        ("退款OK.谢谢", ["退款OK.", "谢谢"]),
        ("  \n ", []),
    ],
)
def test_sentences_end_where_people_end_them(text: str, parts: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == parts


def test_a_long_run_of_stops_is_read_once() -> None:
    text = "!" * 300_000 + "x" + ")" * 300_000
    assert sentences(text) == [(0, len(text))]
