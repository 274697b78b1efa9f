from __future__ import annotations

import sys
import unicodedata

import pytest

from tiered_memory.text.folding import SLICE_CHARS, fold


@pytest.mark.parametrize(
    ("raw", "folded"),
    [
        pytest.param("ＡＢＣ－１２３４", "ABC-1234", id="full-width"),
        pytest.param("電話：１３９ ０００", "電話:139 000", id="colon and digits"),
        pytest.param("AB\u200bC\ufeff12", "ABC12", id="zero-width"),
        pytest.param("so\u00adft", "soft", id="soft hyphen"),
        pytest.param("A—B–C‑D−E", "A-B-C-D-E", id="dashes"),
        pytest.param("￥９９\u3000元\u00a0ok", "¥99 元 ok", id="yen and spaces"),
        pytest.param("٣٤ ४५", "34 45", id="other scripts' digits"),
        pytest.param("①½ﬁ№ Ünï", "①½ﬁ№ Ünï", id="what would change length stays"),
        pytest.param("plain ascii", "plain ascii", id="ascii"),
        pytest.param("", "", id="empty"),
    ],
)
def test_typing_variants_become_one(raw: str, folded: str) -> None:
    assert fold(raw).text == folded


def test_every_decimal_digit_of_this_unicode_becomes_ascii() -> None:
    digits = [
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) == "Nd"
    ]
    expected = "".join(str(unicodedata.decimal(digit)) for digit in digits)
    assert fold("".join(digits)).text == expected


def test_case_is_kept_since_ids_are_case_sensitive() -> None:
    assert fold("ａｂＣ").text == "abC"


def test_a_span_ends_before_the_deleted_characters_that_follow() -> None:
    folded = fold("订单A\u200b8\u200b8\u200b01\u200b！")
    start = folded.text.index("A8801")
    first, last = folded.raw_span(start, start + 5)
    assert folded.raw[first:last] == "A\u200b8\u200b8\u200b01"


def test_an_empty_span_stays_empty() -> None:
    folded = fold("a\u200bb")
    assert folded.raw_span(1, 1) == (2, 2)


def test_a_raw_span_gives_its_folded_one() -> None:
    folded = fold("x\u200b\u200b１２y")
    assert folded.folded_span(3, 5) == (1, 3)
    assert folded.folded_span(0, 6) == (0, 4)


def test_slices_join_where_one_ends() -> None:
    raw = "１\u200b" * SLICE_CHARS
    folded = fold(raw)
    assert folded.text == "1" * SLICE_CHARS
    assert folded.raw_span(SLICE_CHARS - 1, SLICE_CHARS) == (
        2 * SLICE_CHARS - 2,
        2 * SLICE_CHARS - 1,
    )
