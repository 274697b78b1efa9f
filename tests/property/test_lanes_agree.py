from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tiered_memory.facts import lanes
from tiered_memory.facts.compiling import ExpressionError, compile_expression
from tiered_memory.facts.dialect import outside_re2
from tiered_memory.facts.lanes import TextView, Timer

SOURCES = (
    "A[0-9]{2}", "[0-9]{4}", r"\p{Han}{2}", r"\d{2,3}", "no (?P<value>[0-9]{2,3})",
    r"[\p{Han}A]+", r"[^\p{Han} ]{2}", r"\P{Han}{3}", r"[\P{Han}]{2}", r"\w+", r"\W{2}",
    r"[\W0]{2}", r"[\s,，]+", r"\bsk\b", r"é+k", r"[[:alpha:]]{2}", r"[[:^digit:]]{2}",
    r"[a-cé]+", r"单$", r"(?m)^[0-9]+$", r"\x{5355}", r"\u5355.", r"[\x{5355}-\x{5356}]", "[[a]+",
    r"[+--]+", r"\Q.-\E", "A0|A00", "(?:A|号)(?P<value>[0-9]*)", r"\pL{2}", "[&~|^]+",
)  # fmt: skip
WITH_MARKS = {r"[^\p{Han} ]{2}", r"\P{Han}{3}", r"[\P{Han}]{2}", r"\W{2}", r"[\W0]{2}",
              r"[[:^digit:]]{2}", r"[\s,，]+", "[+--]+", r"\u5355."}  # fmt: skip
"""Values that may end in a dash or dot, which is no number's: ``digits`` is not for them."""

TEXTS = st.text(alphabet="Aak01 23.-,，订单号々〇no\nsKéÉ１Ａ😀\u200d𠀀ﾊ+[&^_", max_size=24)


def both(source: str, boundary: Any, ignore_case: bool) -> tuple[Any, Any]:
    look = f"{source}(?!\\x01)"
    made = [
        compile_expression(one, boundary=boundary, ignore_case=ignore_case)
        for one in (source, look)
    ]
    assert [one.lane for one in made] == ["re2", "regex"]
    return made[0], made[1]


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that stalls for 20 ms is no difference between the lanes."""
    monkeypatch.setattr(lanes, "PATTERN_SECONDS", 60.0)


@given(
    source=st.sampled_from(SOURCES),
    boundary=st.sampled_from(("token", "digits", "loose")),
    ignore_case=st.booleans(),
    text=TEXTS,
)
@settings(
    max_examples=1_500,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_both_lanes_give_the_same_spans(
    source: str, boundary: Any, ignore_case: bool, text: str
) -> None:
    assume(boundary != "digits" or source not in WITH_MARKS)
    here, there = both(source, boundary, ignore_case)
    view = TextView(text)
    assert here.spans(view, Timer()) == there.spans(view, Timer(left=10.0))


def test_han_is_the_same_set_of_characters_in_both_lanes() -> None:
    here, there = both(r"\p{Han}", "loose", False)
    points = [chr(n) for n in range(0x110000) if not 0xD800 <= n < 0xE000]
    for start in range(0, len(points), 256):
        view = TextView("".join(points[start : start + 256]))
        assert here.spans(view, Timer()) == there.spans(view, Timer(left=60.0))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (r"(?<!no )[0-9]", ["negative lookbehind (?<! at position 0"]),
        (r"a(?=b)(?!c)", ["lookahead (?= at position 1", "negative lookahead (?! at position 6"]),
        (r"(a)\1", [r"backreference \1 at position 3"]),
        (r"(?P<q>['\"])x(?P=q)", ["backreference (?P=q) at position 13"]),
        (r"(?>a)b", ["atomic group (?> at position 0"]),
        (r"[0-9]++x{2}+", ["possessive quantifier ++ at position 5",
                           "possessive quantifier {2}+ at position 8"]),
        (r"\(?=a[(?=]\+++", ["possessive quantifier ++ at position 12"]),
        (r"[0-9]+?(?:a|b)\\1", []),
    ],
)  # fmt: skip
def test_a_construct_outside_re2_is_named_with_its_place(
    source: str, said: list[str]
) -> None:
    assert [str(construct) for construct in outside_re2(source)] == said


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("HL-[0-9", "missing ]: [0-9 at position 3"),
        ("HL-(ab", "missing ) at position 6"),
        ("HL)ab", "unexpected ) at position 2"),
        ("a)|(b", "unexpected ) at position 1"),
        ("ab**", "bad repetition operator: ** at position 2"),
        (r"a\q", r"invalid escape sequence: \q at position 1"),
        (r"a\p{Xx}", r"invalid character class range: \p{Xx} at position 1"),
        ("a{1001}", "invalid repetition size: {1001} at position 1"),
        ("(?:a{500}){500}", "invalid repetition size: {500}"),
        ("(?<=x)(?:a{500}){500}", "invalid repetition size: {500}"),
        (r"(?:\p{Han}{1,90}x){1,9}", "too large"),
        (r"(?!y)(?:\p{Han}{1,90}x){1,9}", "too large"),
        ("(?<=a*)(", "missing )"),
        ("a" * 10_001, "longer than 10,000 characters"),
        ("(?P<tm_whole>a)", "tm_whole"),
        ("a(?P<value>b)|c(?P<value>d)", "two groups are named 'value'"),
    ],
)  # fmt: skip
def test_a_broken_expression_is_told_in_the_words_of_its_author(
    source: str, said: str
) -> None:
    with pytest.raises(ExpressionError) as caught:
        compile_expression(source, boundary="digits", ignore_case=True)
    assert said in str(caught.value)
    assert "0-9A-Za-z" not in str(caught.value)


def test_a_value_is_looked_for_once_where_values_touch() -> None:
    expression = compile_expression(r"[\p{Han}A]+", boundary="token", ignore_case=True)
    spans = expression.spans(TextView("A订，A号"), Timer())
    assert [(span.start, span.end) for span in spans] == [(0, 2), (3, 5)]
