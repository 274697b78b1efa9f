from __future__ import annotations

from typing import Any

import pytest

from tests.memory_store import fact
from tiered_memory.facts.context import ContextReader
from tiered_memory.facts.known import mentionable, mentions
from tiered_memory.model import Candidate

CONTEXT = ContextReader()
ORDER = fact(1, "A8801")
PHONE = fact(2, "555-0101", key="phone", type="phone", cardinality="one")


def found(text: str, *taken: Candidate) -> list[tuple[str, str, str]]:
    read = mentions(text, [ORDER, PHONE], taken, CONTEXT, part="content", index=0)
    for candidate in read:
        assert text[candidate.start : candidate.end] == candidate.value
    return [(c.key, c.value, c.polarity) for c in read]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A8801到哪了？", [("order_id", "A8801", "mention")]),
        ("is it a8801?", [("order_id", "a8801", "mention")]),
        ("Ａ８８０１呢，555-0101打不通", [
            ("order_id", "Ａ８８０１", "mention"),
            ("phone", "555-0101", "mention"),
        ]),
        ("A8801, A8801!", [("order_id", "A8801", "mention")] * 2),
        ("my phone is not 555-0101", [("phone", "555-0101", "negate")]),
        ("555-0101 is no longer mine", [("phone", "555-0101", "negate")]),
        ("I do not mean, not A8801", []),
        ("if it was A8801", []),
        ("BA8801 A88011 A8801-2 X_A8801", []),
        ("", []),
    ],
)  # fmt: skip
def test_a_known_value_is_spoken_of(text: str, expected: list[Any]) -> None:
    assert found(text) == expected


def test_what_was_read_already_is_not_read_again() -> None:
    read = Candidate(
        type="x", key="x", value="A8801", normalized="", part="content", start=6, end=11
    )
    assert found("order A8801 and A8801", read) == [("order_id", "A8801", "mention")]


def test_words_and_short_or_masked_values_are_not_looked_for() -> None:
    plain = [
        fact(1, "Hangzhou"),
        fact(2, "A12"),
        fact(3, "A8801", masked=True),
        fact(4, "A8801", identifier=False),
    ]
    assert mentionable(plain) == ()
    assert mentionable([ORDER]) == (ORDER,)
