from __future__ import annotations

import pytest

from tiered_memory.facts.compiling import ExpressionError, compile_expression
from tiered_memory.facts.lanes import TextView, Timer
from tiered_memory.facts.pack_schema import Boundary
from tiered_memory.facts.re2_engine import compile_re2

LOOK = "(?=.)"
"""A lookahead that changes nothing: it sends an expression into the other lane."""


def found(source: str, text: str, boundary: Boundary = "token") -> list[str]:
    view = TextView(text)
    here = compile_expression(source, boundary=boundary, ignore_case=True)
    there = compile_expression(LOOK + source, boundary=boundary, ignore_case=True)
    if "(?P<value>" in source:
        there = compile_expression(
            source.replace("(?P<value>", f"(?P<value>{LOOK}"),
            boundary=boundary,
            ignore_case=True,
        )
    assert (here.lane, there.lane) == ("re2", "regex")
    spans = here.spans(view, Timer())
    assert spans == there.spans(view, Timer())
    return [text[span.start : span.end] for span in spans]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("订单A8801没到", ["A8801"]),
        ("A8801", ["A8801"]),
        ("A8801 A8802", ["A8801", "A8802"]),
        ("A8801和A8802", ["A8801", "A8802"]),
        ("BA8801", []),
        ("A88015", []),
        ("A8801b", []),
        ("_A8801_", ["A8801"]),
        ("😀A8801😀", ["A8801"]),
    ],
)
def test_a_token_has_no_letter_or_digit_beside_it(text: str, values: list[str]) -> None:
    assert found("A[0-9]{4}", text) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x1234567y", ["1234567"]),
        ("12345678", []),
        ("1234567-8", []),
        ("8.1234567", []),
        ("1234 1234567", []),
        ("1234567 1234", []),
        ("1234567 6楼", ["1234567"]),
        ("1234567 7654321", ["1234567", "7654321"]),
        ("1234567-", ["1234567"]),
        ("电话1234567。", ["1234567"]),
    ],
)
def test_digits_are_not_cut_out_of_a_longer_number(text: str, values: list[str]) -> None:
    assert found("[0-9]{7}", text, "digits") == values


def test_a_loose_expression_may_stand_anywhere() -> None:
    assert found("A[0-9]{4}", "xA88015", "loose") == ["A8801"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("pin 1234", ["1234"]),
        ("my pin 1234", ["1234"]),
        ("我的pin 1234", ["1234"]),
        ("shopping 1234", []),
    ],
)
def test_a_cue_is_bounded_like_a_word(text: str, values: list[str]) -> None:
    assert found("pin (?P<value>[0-9]{4})", text, "digits") == values


def test_the_value_is_inside_the_whole_match() -> None:
    expression = compile_expression(
        "订单[ :]{0,2}(?P<value>A[0-9]{4})", boundary="token", ignore_case=True
    )
    (span,) = expression.spans(TextView("我的订单: A8801"), Timer())
    assert (span.start, span.end, span.left, span.right) == (6, 11, 2, 11)


def test_other_ways_of_writing_are_translated() -> None:
    assert found(r"\u8ba2\u5355A[0-9]+", "订单A1", "loose") == ["订单A1"]
    assert found(r"A[0-9]+\Z", "A1 A2") == ["A2"]
    assert found(r"[\p{Han}A]{2}", "张A") == ["张A"]
    assert found(r"\p{Han}{2}", "ab张伟", "loose") == ["张伟"]


def test_classes_are_ascii_in_both_lanes() -> None:
    assert found(r"\d+", "1２3", "loose") == ["1", "3"]
    assert found(r"\w+", "张a", "loose") == ["a"]


def test_an_expression_that_neither_engine_takes_is_an_error() -> None:
    with pytest.raises(ExpressionError):
        compile_expression("(?<=a*)(", boundary="loose", ignore_case=True)


def test_the_other_lane_stops_in_time() -> None:
    expression = compile_expression("(?=b)b(?:a|aa)+$", boundary="loose", ignore_case=True)
    timer = Timer()
    with pytest.raises(TimeoutError):
        expression.spans(TextView("b" + "a" * 40 + "!"), timer)
    assert timer.left < 0.05


def test_a_lower_case_view_keeps_its_length() -> None:
    view = TextView("İstanbul ẞ A8801")
    assert len(view.lower) == len(view.text)
    assert view.lower.endswith("a8801")


def test_a_search_between_two_places_gives_places_of_the_whole_text() -> None:
    program = compile_re2("(?P<word>[a-z]+)$|^好")
    text = "你好ab好c"
    found = program.search(text, 1, 4)
    assert found is not None
    assert (found.span(), found.group()) == ((1, 2), "好")
    assert [m.span() for m in program.finditer(text, 2, 4)] == [(2, 4)]
    (last,) = program.finditer(text, 5)
    assert (last.span(last.number("word")), last.start(), last.end()) == ((5, 6), 5, 6)
    assert program.match(text, 0, 1) is None
