from __future__ import annotations

import pytest

from tests.conversations import Chat, assistant, calls, result, user
from tiered_memory.chat.turns import turns, units
from tiered_memory.model import Message


def stored(*payloads: Chat) -> list[Message]:
    turn = 0
    messages: list[Message] = []
    for seq, payload in enumerate(payloads, start=1):
        turn += payload["role"] == "user"
        messages.append(
            Message(
                seq=seq,
                turn=turn,
                role=payload["role"],
                payload=payload,
                tokens=10,
                short={**payload, "content": "…"} if payload["role"] == "tool" else None,
                short_tokens=4 if payload["role"] == "tool" else 10,
                revision=1,
            )
        )
    return messages


def call(*ids: str) -> Chat:
    return calls(*((call_id, "find_parcel", {}) for call_id in ids))


@pytest.mark.parametrize(
    ("payloads", "sizes"),
    [
        ([user("x"), assistant("y"), user("z")], [1, 1, 1]),
        (
            [
                user("x"),
                call("a", "b"),
                result("a", "1"),
                result("b", "2"),
                assistant("y"),
            ],
            [1, 3, 1],
        ),
        (
            [user("x"), call("a"), assistant("wait"), result("a", "1"), assistant("y")],
            [1, 3, 1],
        ),
        (
            [
                user("x"),
                call("a"),
                call("b"),
                result("a", "1"),
                result("b", "2"),
                assistant("y"),
            ],
            [1, 4, 1],
        ),
        ([user("x"), call("a"), user("y"), result("a", "1")], [1, 1, 1, 1]),
        ([user("x"), call("a"), assistant("y")], [1, 1, 1]),
        ([result("a", "1"), user("x")], [1, 1]),
        ([], []),
    ],
)
def test_a_call_and_its_results_are_one_unit(
    payloads: list[Chat], sizes: list[int]
) -> None:
    messages = stored(*payloads)
    found = units(messages)
    assert [len(unit) for unit in found] == sizes
    assert [message for unit in found for message in unit] == messages


def test_turns_begin_with_user_messages_and_lose_nothing() -> None:
    messages = stored(
        assistant("welcome"),
        user("x"),
        call("a"),
        result("a", "1"),
        assistant("y"),
        user("z"),
        user("and"),
    )
    found = turns(messages)
    assert [turn.number for turn in found] == [0, 1, 2, 3]
    assert [(turn.first_seq, turn.last_seq) for turn in found] == [
        (1, 1),
        (2, 5),
        (6, 6),
        (7, 7),
    ]
    assert [message for turn in found for message in turn.messages] == messages
    assert (found[1].tokens, found[1].short_tokens) == (40, 34)
    assert not any(turn.is_open for turn in found)


def test_a_turn_is_open_while_a_call_waits() -> None:
    (turn,) = turns(stored(user("x"), call("a", "b"), result("b", "2")))
    assert turn.is_open
    assert turn.open_calls == ("a",)


def test_a_late_result_closes_the_turn_of_its_call_and_says_how_far_it_reaches() -> None:
    first, second = turns(stored(user("x"), call("a"), user("y"), result("a", "1")))
    assert not first.is_open
    assert (first.last_seq, first.closes_seq) == (2, 4)
    assert second.closes_seq == second.last_seq == 4
