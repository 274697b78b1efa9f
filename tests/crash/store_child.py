"""A process that writes to a store and dies just before its n-th step in the database.

A step is a statement or a commit, counted from when the store is open.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from tests.store_drafts import (
    NOW,
    candidate,
    draft,
    entry,
    fold,
    identifier,
    newest_wins,
)
from tiered_memory.facts.resolve import resolve
from tiered_memory.model import Candidate, Fact, FactDraft, ProposalDraft
from tiered_memory.settings import StorageSettings
from tiered_memory.store.store import Store

SETTINGS = StorageSettings(shared=False)

Stage = Callable[[Store], Awaitable[object]]


def given(value: str, **more: Any) -> FactDraft:
    """What ``set_fact`` and ``retract_fact`` of a session write, which may be new."""
    new = replace(candidate(value, key="tier"), source="api", **more)
    return FactDraft(
        session_id="b",
        subject="c-7",
        candidates=((None, new),),
        created_at=NOW,
        missing="create",
    )


def stages() -> list[Stage]:
    """Each is one acknowledged write; times and values are fixed."""
    named = FactDraft(
        session_id="a",
        candidates=((1, candidate("Ann", key="name")),),
        created_at=NOW,
        read=(1, 2),
    )
    first = draft(
        "a", 1, "A-1", "more", candidates=[candidate("A-1")], vault=[entry("AAAAAAAA")]
    )
    second = draft("a", 3, "A-2", candidates=[candidate("A-2")], revision=-1)
    return [
        lambda store: store.append(first, newest_wins),
        lambda store: store.append(second, newest_wins),
        lambda store: store.change_facts(named, newest_wins),
        lambda store: store.change_facts(given("X-1"), resolve),
        lambda store: store.change_facts(given("X-1"), resolve),
        lambda store: store.change_facts(given("X-2"), resolve),
        lambda store: store.change_facts(given("", polarity="negate"), resolve),
        lambda store: store.reserve_references("a", [identifier("P-7")]),
        lambda store: store.commit_fold(fold("a", 1, text="[[order_id:1]]")),
        lambda store: store.commit_fold(
            fold("a", 2, boundary_seq=1, generation=1, merged=(1,))
        ),
    ]


def all_of(
    pairs: list[tuple[int, Candidate]], current: Sequence[Fact]
) -> list[tuple[int, Candidate]]:
    """Nothing known stands against a proposal here."""
    return sorted(pairs, key=lambda pair: pair[0])


def model_stages() -> list[Stage]:
    """Messages that a model is asked about: what waits of the first comes with the second."""
    asked = replace(draft("m", 1, "x", "y"), asks=(0, 1))
    waits = ProposalDraft(
        session_id="m", seq=1, created_at=NOW, waiting=(candidate("B-1", key="boat"),)
    )
    found = replace(waits, seq=2, stored=(candidate("C-1", key="cat"),))
    limits = {"day": "2026-03-01", "per_day": 9, "per_session": 9}
    return [
        lambda store: store.append(asked, newest_wins),
        lambda store: store.model_tasks.begin("m", 1, **limits),
        lambda store: store.model_tasks.end(waits, newest_wins, all_of),
        lambda store: store.model_tasks.end(found, newest_wins, all_of),
    ]


def die_before(step: int) -> None:
    """Kill this process just before its ``step``-th step from here."""
    left = [step]

    def count(*_: object) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", count)
    event.listen(Engine, "commit", count)


STAGES = {"store": stages, "model": model_stages}


async def main(path: Path, step: int, name: str) -> None:
    store = await Store.open(path, settings=SETTINGS)
    die_before(step)
    for stage in STAGES[name]():
        await stage(store)
        print("done", flush=True)
    await store.aclose()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
