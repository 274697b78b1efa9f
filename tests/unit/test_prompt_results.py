from __future__ import annotations

import json
from typing import Any

import pytest

from tests.prompt_states import LetterCounter
from tiered_memory.chat.tokens import MessageCounter
from tiered_memory.prompt.memo import Memo
from tiered_memory.prompt.results import ResultShortener

MEGABYTE = "2026-01-01 12:00:00 INFO the order was moved to the next station\n" * 16_000


class CountingCounter(LetterCounter):
    """Adds up how many characters it was asked to count."""

    def __init__(self) -> None:
        self.chars = 0

    def count(self, text: str) -> int:
        self.chars += len(text)
        return super().count(text)


def result(content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "c1", "content": content}


@pytest.mark.parametrize("cap", [40, 60, 200, 3000])
@pytest.mark.parametrize(
    "text",
    [
        MEGABYTE,
        "订单已经从仓库发出。" * 9000,
        "a" * 60_000,
        "a b\n" * 200,
        json.dumps([{"id": n, "state": "moved on"} for n in range(4000)]),
        "x" * 30_000 + " 0" * 9000,
    ],
)
def test_result_costs_at_most_its_cap_and_what_is_said(text: str, cap: int) -> None:
    counter = MessageCounter(LetterCounter(), name="letters")
    shown = ResultShortener(counter).shorten(result(text), cap)
    assert shown.tokens <= cap
    assert shown.tokens == counter.message(shown.payload)
    assert shown.payload["tool_call_id"] == "c1"


def test_megabyte_is_not_counted_whole() -> None:
    asked = CountingCounter()
    shown = ResultShortener(MessageCounter(asked, name="c")).shorten(result(MEGABYTE), 2000)
    assert 1500 < shown.tokens <= 2000
    assert asked.chars < 50_000


def test_result_is_shortened_once() -> None:
    asked = CountingCounter()
    shortener = ResultShortener(MessageCounter(asked, name="c"))
    payload = result(MEGABYTE)
    first = shortener.shorten(payload, 500)
    before = asked.chars
    assert shortener.shorten(payload, 500) is first
    assert asked.chars == before
    assert payload == result(MEGABYTE)


def test_parts_of_a_result_share_its_cap() -> None:
    parts = [{"type": "text", "text": text} for text in (MEGABYTE, "ok", MEGABYTE)]
    counter = MessageCounter(LetterCounter(), name="letters")
    shown = ResultShortener(counter).shorten(result(parts), 900)
    assert shown.tokens <= 900
    texts = [part["text"] for part in shown.payload["content"]]
    assert texts[1] == "ok"
    assert min(len(texts[0]), len(texts[2])) > 300


def test_memo_keeps_to_its_size_and_drops_what_was_used_least_lately() -> None:
    memo: Memo[str] = Memo(10)
    made: list[str] = []

    def make(key: str) -> str:
        def fresh() -> str:
            made.append(key)
            return key

        return memo.get(key, 4, fresh)

    for key in ("a", "b", "a", "c", "a", "b"):
        assert make(key) == key
    assert made == ["a", "b", "c", "b"]
    assert memo.get("huge", 11, lambda: "huge") == "huge"
    assert len(memo) == 2
