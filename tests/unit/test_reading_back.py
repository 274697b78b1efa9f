"""What counts as a yes, and as a value put to the customer."""

from __future__ import annotations

import pytest

from tiered_memory.facts.reading_back import TAIL_CHARS, ReadBack, question_tail


@pytest.fixture(scope="module")
def reader() -> ReadBack:
    return ReadBack()


@pytest.mark.parametrize(
    "answer",
    [
        "yes",
        "Yes, that's right. Thanks!",
        "yep",
        "that is correct",
        "correct, when does it arrive?",
        "是的",
        "对，没错",
        "嗯，是的，麻烦快一点",
        "没错！",
        "是我的",
        "就是这个",
    ],
)
def test_a_yes(reader: ReadBack, answer: str) -> None:
    assert reader.confirms(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "no",
        "yes but the street is wrong",
        "right now I am busy",
        "yesterday",
        "是吗？",
        "对了，还有一件事",
        "是的，但是门牌号不对",
        "不是",
        "对不起，我没看清",
        "correct it to 12 please",
        "ok",
        "好的",
        "",
        "yes " + "and so on " * 40,
    ],
)
def test_no_yes(reader: ReadBack, answer: str) -> None:
    assert not reader.confirms(answer)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("So your order is A7731, right?", "A7731"),
        ("I have your phone as 555-0142. Is that correct?", "555-0142"),
        ("Please confirm your e-mail: mei@example.com", "mei@example.com"),
        ("您的订单号是A7731，对吗？", "A7731"),
        ("跟您核对一下，收货手机是13900008642。请问是否正确？", "13900008642"),
        ("Would you like it sent to 12 Oak Street?", "12 Oak Street"),
    ],
)
def test_a_value_put_to_the_customer(reader: ReadBack, text: str, value: str) -> None:
    start = text.index(value)
    assert reader.open(text)(start, start + len(value))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Your order is A7731. It left today.", "A7731"),
        ("You can call our hotline 555-0100, is that fine for you?", "555-0100"),
        ("Is your order A7731 or A7732?", "A7731"),
        ("Is your order A7731 or A7732?", "A7732"),
        ("您的订单是A7731还是A7732？", "A7731"),
        ("您的订单是A7731还是A7732？", "A7732"),
        ("您可以拨打客服热线400-123-4567，方便吗？", "400-123-4567"),
        ("For example 555-0199. What is your number?", "555-0199"),
    ],
)
def test_a_value_that_is_not(reader: ReadBack, text: str, value: str) -> None:
    start = text.index(value)
    assert not reader.open(text)(start, start + len(value))


def test_of_a_long_reply_the_end_is_looked_at_from_a_border_on() -> None:
    short = "Your order is A7731, right?"
    assert question_tail(short) == 0
    long = "We sent it. " * 1_000 + short
    cut = question_tail(long)
    assert 0 < len(long) - cut <= TAIL_CHARS
    assert long[cut - 1] in ". "
    assert question_tail("7" * 10_000) == 10_000
