"""The cache never brings back what a session no longer is."""

from __future__ import annotations

from dataclasses import replace

from tiered_memory.cache import StateCache
from tiered_memory.model import AppendResult, Message
from tiered_memory.state import SessionState


def state(session_id: str, revision: int) -> SessionState:
    return replace(SessionState.empty(session_id), revision=revision, next_seq=revision + 1)


def step(session_id: str, base: int) -> AppendResult:
    seq = base + 1
    message = Message(
        seq=seq,
        turn=seq,
        role="user",
        payload={"role": "user", "content": "x"},
        tokens=5,
        short_tokens=5,
        revision=seq,
    )
    return AppendResult(
        session_id=session_id,
        base_revision=base,
        revision=base + 1,
        next_seq=seq + 1,
        first_seq=seq,
        last_seq=seq,
        messages=(message,),
    )


def test_a_step_that_follows_brings_the_state_up_to_date() -> None:
    cache = StateCache(limit_bytes=1 << 20)
    cache.put(state("a", 1))

    cache.advance(step("a", 1))

    found = cache.get("a")
    assert found is not None
    assert (found.revision, found.next_seq, found.turns) == (2, 3, 1)
    assert [m.seq for m in found.window] == [2]


def test_a_step_after_a_gap_drops_the_state_and_older_reads_stay_out() -> None:
    cache = StateCache(limit_bytes=1 << 20)
    cache.put(state("a", 1))

    cache.advance(step("a", 2))
    cache.put(state("a", 1))

    assert cache.get("a") is None
    cache.put(state("a", 3))
    assert cache.get("a") is not None


def test_an_older_state_does_not_replace_a_newer_one() -> None:
    cache = StateCache(limit_bytes=1 << 20)
    cache.put(state("a", 5))
    cache.put(state("a", 4))

    found = cache.get("a")
    assert found is not None
    assert found.revision == 5


def test_the_least_recently_used_state_goes_first() -> None:
    cache = StateCache(limit_bytes=2_000)
    cache.put(state("a", 1))
    cache.put(state("b", 1))
    cache.get("a")
    cache.put(state("c", 1))

    assert cache.get("b") is None
    assert cache.get("a") is not None
    assert cache.get("c") is not None


def test_one_state_above_the_limit_is_still_kept() -> None:
    cache = StateCache(limit_bytes=1)
    cache.put(state("a", 1))

    assert cache.get("a") is not None
