from __future__ import annotations

import pytest

from tiered_memory.text.references import (
    MISSING,
    escape,
    find,
    find_loose,
    reference,
    render,
    unescape,
)


def test_a_reference_is_found_where_it_stands() -> None:
    text = f"Refund for {reference('order_id', 3)} and {reference('phone', 12)}."
    assert [(text[r.start : r.end], r.key, r.number) for r in find(text)] == [
        ("[[order_id:3]]", "order_id", 3),
        ("[[phone:12]]", "phone", 12),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[[order_id:03]]",
        "[[order_id: 3]]",
        "[[order_id:3]",
        "[[:3]]",
        "[[3:3]]",
        "[[order id:3]]",
        "[[order_id:-1]]",
        "[[order_id:3",
        "[[1,2],[3,4]]",
        "[[order_id:1234567890]]",
    ],
)
def test_only_the_exact_spelling_is_a_reference(text: str) -> None:
    assert find(text) == []


def test_a_reference_inside_more_brackets_is_found() -> None:
    assert [(r.start, r.end) for r in find("[[[[a:1]]]]")] == [(2, 9)]


@pytest.mark.parametrize(
    ("key", "number"),
    [("", 1), ("a b", 1), ("1a", 1), ("a]", 1), ("a" * 65, 1), ("a", 0), ("a", 10**9)],
)
def test_a_key_or_number_that_could_not_be_found_again_is_refused(
    key: str, number: int
) -> None:
    with pytest.raises(ValueError, match="reference's"):
        reference(key, number)


def test_rendering_puts_values_in_and_marks_what_is_gone() -> None:
    values = {(1, "order_id"): "AB-77", (2, "phone"): None}
    text = "订单[[order_id:1]]，电话[[phone:2]]，[[order_id:2]]"
    rendered = render(text, lambda number, key: values.get((number, key)))
    assert rendered == f"订单AB-77，电话{MISSING}，{MISSING}"


def test_a_rendered_value_is_not_rendered_again() -> None:
    assert render("[[a:1]]", lambda number, key: "[[a:1]]") == "[[a:1]]"


@pytest.mark.parametrize(
    "spelling",
    [
        "【【order_id:3】】",
        "［［order_id：３］］",
        "[[order_id:3]",
        "[order_id:3]]",
        "[order_id:3]",
        "[[ order_id : 3 ]]",
        "[[Order_ID:3]]",
        "[[order id:3]]",
        "[[order\\_id:3]]",
        "[[order_id:\n3]]",
        "[[order_id:#3]]",
        "[[**order_id:3**]]",
        "**[[order_id:3]]**",
        "`[[order_id:3]]`",
        "[[order_id:3] ]",
    ],
)
def test_what_a_model_makes_of_a_reference_is_read(spelling: str) -> None:
    text = f"订单{spelling}已退款。"
    (loose,) = find_loose(text)
    assert text[loose.start : loose.end] == spelling
    assert (loose.key, loose.number) == ("order_id", 3)


@pytest.mark.parametrize(
    "text",
    [
        "[[order_id:3]]",
        "【验证码:1234】",
        "[1:30]",
        "[order_id]",
        "at [10:30] sharp",
        "[a:0]",
    ],
)
def test_exact_references_and_other_brackets_are_no_near_spelling(text: str) -> None:
    assert find_loose(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "[[order_id:9]]",
        "[[[order_id:9]]]",
        "【【order_id：9】】",
        "[order_id:9]",
        "`[[ order_id : 9 ]]`",
        "[[order_id:9]] [[phone:1]]",
    ],
)
def test_what_a_customer_types_is_no_reference_once_escaped(text: str) -> None:
    escaped = escape(text)
    assert find(escaped) == []
    assert find_loose(escaped) == []
    assert unescape(escaped) == text


def test_escaping_leaves_text_without_brackets_and_json_readable() -> None:
    assert escape("no brackets: 你好") == "no brackets: 你好"
    assert escape("[图片]") == "[图片]"
    assert escape("[[1,2],[3]]") == "[ [1,2],[3]]"
