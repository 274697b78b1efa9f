from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.conversations import assistant, calls, result, user
from tests.memory_store import MemoryStore
from tiered_memory.compaction.policy import (
    due,
    expected_tokens,
    plan,
    window_tokens,
    worth_it,
)
from tiered_memory.settings import Settings
from tiered_memory.state import SessionState


def state(*sizes: int, **more: Any) -> SessionState:
    """A state of turns, each of one user and one assistant message of ``size`` tokens."""
    store = MemoryStore()
    made = store.add("s", *(m for _ in sizes for m in (user("u"), assistant("a"))))
    window = tuple(
        replace(message, tokens=sizes[place // 2] // 2)
        for place, message in enumerate(made.window)
    )
    return replace(made, window=window, **more)


SETTINGS = Settings()


@pytest.mark.parametrize(
    ("sizes", "prompt", "reason"),
    [
        ((20,) * 15, 400, None),
        ((20,) * 16, 400, "turns"),
        ((800,) * 4, 4_000, None),
        ((800,) * 5, 4_000, "tokens"),
        ((20,) * 5, 22_500, None),
        ((900,) * 4, 23_000, "budget"),
    ],
)
def test_a_fold_is_due_at_the_first_mark(
    sizes: tuple[int, ...], prompt: int, reason: str | None
) -> None:
    assert due(state(*sizes), SETTINGS, prompt_tokens=prompt) == reason


@pytest.mark.parametrize(
    ("sizes", "kept"),
    [
        ((20,) * 16, 8),
        ((100,) * 20, 8),
        ((300,) * 16, 5),
        ((800,) * 6, 4),
        ((900,) * 6, 4),
        ((1_500,) * 6, 2),
        ((3_000,) * 3, 1),
        ((9_000,) * 3, 1),
    ],
)
def test_whole_turns_go_down_to_both_low_marks(sizes: tuple[int, ...], kept: int) -> None:
    fold = plan(state(*sizes), SETTINGS)

    assert fold is not None
    assert fold.turns == len(sizes) - kept
    assert fold.from_seq == 1
    assert fold.to_seq == 2 * (len(sizes) - kept)
    assert fold.tokens == sum(sizes[: len(sizes) - kept])
    assert fold.pinned_seq is None


def test_nothing_goes_where_the_window_is_within_its_low_marks() -> None:
    assert plan(state(*(20,) * 8), SETTINGS) is None
    assert plan(SessionState.empty("s"), SETTINGS) is None


def test_pressed_it_goes_down_to_the_least_turns() -> None:
    fold = plan(state(*(20,) * 8), SETTINGS, press=True)

    assert fold is not None
    assert fold.turns == 4
    assert plan(state(*(20,) * 4), SETTINGS, press=True) is None


def test_results_of_finished_turns_count_by_their_short_form() -> None:
    store = MemoryStore()
    made = store.add(
        "s",
        user("u"),
        calls(("c", "f", {})),
        result("c", "long"),
        assistant("a"),
        user("v"),
    )
    long = replace(
        made.window[2], tokens=900, short={"role": "tool", "content": "s"}, short_tokens=9
    )
    window = (*made.window[:2], long, *made.window[3:])
    rest = sum(m.tokens for m in window) - 900
    finished = replace(made, window=window)
    newest = replace(made, window=window[:4])

    assert window_tokens(finished, SETTINGS) == rest + 9
    assert window_tokens(newest, SETTINGS) == rest - window[4].tokens + 900
    keep = Settings(tool_results={"after_turn": "keep"})
    assert window_tokens(finished, keep) == rest + 900


def test_a_lost_call_holds_back_the_fold_for_some_turns_only() -> None:
    store = MemoryStore()
    store.add("s", user("u"), calls(("c", "f", {})))
    for _ in range(12):
        store.add("s", user("go on"), assistant("yes"))
    waiting = plan(store.states["s"], SETTINGS)
    for _ in range(4):
        store.add("s", user("go on"), assistant("yes"))
    lost = plan(store.states["s"], SETTINGS)

    assert waiting is None
    assert lost is not None
    assert lost.from_seq == 1


def test_a_call_and_its_late_result_go_together() -> None:
    store = MemoryStore()
    store.add("s", user("u"), assistant("a"), user("u"), calls(("c", "f", {})))
    for turn in range(11):
        late = [result("c", "late")] if turn == 6 else []
        store.add("s", user("go on"), *late, assistant("yes"))
    fold = plan(store.states["s"], SETTINGS)

    assert fold is not None
    assert fold.to_seq == 2


def test_an_overlong_newest_turn_keeps_its_last_steps_and_its_question() -> None:
    store = MemoryStore()
    store.add("s", user("do all of it"))
    for step in range(9):
        store.add("s", calls((f"c{step}", "f", {})), result(f"c{step}", "done"))
    made = store.states["s"]
    window = tuple(replace(m, tokens=600 if m.role == "tool" else 20) for m in made.window)
    fold = plan(replace(made, window=window), SETTINGS)

    assert fold is not None
    assert fold.pinned_seq == 1
    assert [m.seq for m in fold.messages] == list(range(1, 12))
    assert fold.tokens == 5 * 620


def test_a_pinned_turn_goes_on_shrinking_and_is_told_its_question() -> None:
    store = MemoryStore()
    store.add("s", user("do all of it"))
    for step in range(12):
        store.add("s", calls((f"c{step}", "f", {})), result(f"c{step}", "done"))
    made = store.states["s"]
    window = tuple(replace(m, tokens=600 if m.role == "tool" else 20) for m in made.window)
    later = replace(made, window=window[5:], boundary_seq=5, pinned_seq=1, pinned=window[0])
    fold = plan(later, SETTINGS)

    assert fold is not None
    assert fold.pinned_seq == 1
    assert fold.context is window[0]
    assert fold.from_seq == 6


def test_a_fold_must_save_more_than_its_segment_may_cost() -> None:
    small = plan(state(*(5,) * 16), SETTINGS)
    large = plan(state(*(60,) * 16), SETTINGS)

    assert small is not None
    assert large is not None
    assert not worth_it(small, SETTINGS, reason="turns")
    assert worth_it(large, SETTINGS, reason="turns")
    assert not worth_it(large, SETTINGS, reason="budget")
    assert expected_tokens(10_000, SETTINGS) == SETTINGS.summary.segment_tokens
