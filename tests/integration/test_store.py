"""The store on a real file: what is written, in which order, and what is refused."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.store_drafts import (
    NOW,
    broken,
    candidate,
    draft,
    fold,
    identifier,
    newest_wins,
    record,
)
from tiered_memory.errors import StaleCompactionError, StoreBusyError, StoreError
from tiered_memory.model import FactDraft, FactStatus
from tiered_memory.settings import StorageSettings
from tiered_memory.store.store import Store

SETTINGS = StorageSettings(shared=False)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(tmp_path / "m.db", settings=SETTINGS)
    yield opened
    await opened.aclose()


async def say(store: Store, session_id: str, *texts: str) -> None:
    state = await store.load(session_id)
    made = draft(session_id, 1 if state is None else state.next_seq, *texts)
    assert await store.append(made, newest_wins) is not None


async def test_messages_come_back_in_order_with_their_turns(store: Store) -> None:
    await say(store, "a", "订单 A-1", "second")
    await say(store, "a", "nul \0 inside")

    found = await store.history("a")

    assert [m.seq for m in found] == [1, 2, 3]
    assert [m.turn for m in found] == [1, 2, 3]
    assert found[2].payload["content"] == "nul \0 inside"
    assert [m.seq for m in await store.history("a", after=1, limit=1)] == [2]


async def test_session_ids_are_only_data(store: Store) -> None:
    ids = ["a", "a ", "A", "a%", "a'b", "用户1", "x" * 4000]
    for session_id in ids:
        await say(store, session_id, session_id)

    assert sorted(i.session_id for i in await store.sessions()) == sorted(ids)
    for session_id in ids:
        found = await store.history(session_id)
        assert [m.payload["content"] for m in found] == [session_id]


async def test_a_draft_of_a_moved_session_comes_back(store: Store) -> None:
    await say(store, "a", "one")

    assert await store.append(draft("a", 1, "late"), newest_wins) is None
    assert await store.append(draft("a", 7, "early"), newest_wins) is None
    assert len(await store.history("a")) == 1
    assert await store.revision("a") == 1


async def test_of_drafts_made_at_once_for_one_session_one_is_written(store: Store) -> None:
    results = await asyncio.gather(
        *(store.append(draft("a", 1, f"m{n}"), newest_wins) for n in range(5))
    )

    assert sum(result is not None for result in results) == 1
    assert [m.payload["content"] for m in await store.history("a")] == ["m0"]


async def test_a_known_message_id_writes_nothing_and_gives_the_first_seqs(
    store: Store,
) -> None:
    await store.append(draft("a", 1, "x", "y", message_id="k"), newest_wins)
    await say(store, "a", "z")

    again = await store.append(draft("a", 4, "x", "y", message_id="k"), newest_wins)
    other = await store.append(draft("b", 1, "x", message_id="k"), newest_wins)

    assert again is not None
    assert (again.repeated, again.first_seq, again.last_seq) == (True, 1, 2)
    assert other is not None
    assert not other.repeated
    assert await store.revision("a") == 2


async def test_another_subject_is_refused_and_the_first_one_given_stays(
    store: Store,
) -> None:
    await store.append(draft("a", 1, "x"), newest_wins)
    await store.append(draft("a", 2, "x", subject="customer-1"), newest_wins)

    with pytest.raises(StoreError, match="another subject") as caught:
        await store.append(draft("a", 3, "x", subject="customer-2"), newest_wins)

    assert "customer" not in str(caught.value)
    assert [i.session_id for i in await store.sessions(subject="customer-1")] == ["a"]


async def test_a_value_supersedes_and_the_ended_row_stays_in_the_history(
    store: Store,
) -> None:
    await store.append(draft("a", 1, "A-1", candidates=[candidate("A-1")]), newest_wins)
    await store.append(draft("a", 2, "A-2", candidates=[candidate("A-2")]), newest_wins)

    now = await store.facts("a")
    old, new = await store.facts("a", history=True)

    assert [f.value for f in now] == ["A-2"]
    assert old.status is FactStatus.SUPERSEDED
    assert (old.superseded_by, old.ended_revision) == (new.fact_id, 2)
    assert (new.seq, new.number, old.number) == (2, 2, 1)


async def test_a_number_is_given_once_for_each_value(store: Store) -> None:
    for seq, value in enumerate(["A-1", "A-2", "A-1"], start=1):
        made = draft("a", seq, value, candidates=[candidate(value)])
        await store.append(made, newest_wins)

    assert [f.number for f in await store.facts("a", history=True)] == [1, 2, 1]


async def test_a_failing_resolve_fails_its_draft_alone(store: Store) -> None:
    drafts = [
        store.append(
            draft(f"s{n}", 1, "A-1", candidates=[candidate("A-1")]),
            broken if n == 3 else newest_wins,
        )
        for n in range(8)
    ]

    results = await asyncio.gather(*drafts, return_exceptions=True)

    assert [isinstance(r, LookupError) for r in results] == [n == 3 for n in range(8)]
    assert await store.load("s3") is None
    assert len(await store.sessions()) == 7


async def test_a_row_that_the_database_refuses_fails_alone_with_our_error(
    store: Store, tmp_path: Path
) -> None:
    with sqlite3.connect(tmp_path / "m.db") as raw:
        raw.execute(
            "CREATE TRIGGER poison BEFORE INSERT ON tm_message WHEN NEW.session_id = 's2' "
            "BEGIN SELECT RAISE(ABORT, 'poisoned'); END"
        )
        raw.execute(
            "CREATE TRIGGER poison_settings BEFORE INSERT ON tm_settings "
            "BEGIN SELECT RAISE(ABORT, 'poisoned'); END"
        )
    raw.close()

    results = await asyncio.gather(
        *(store.append(draft(f"s{n}", 1, "x"), newest_wins) for n in range(5)),
        store.save_settings("digest", "{}", NOW),
        return_exceptions=True,
    )

    assert [type(r) is StoreError for r in results] == [n in {2, 5} for n in range(6)]
    assert len(await store.sessions()) == 4


async def test_sixty_four_sessions_share_few_transactions(
    store: Store, tmp_path: Path
) -> None:
    async def talk(session_id: str) -> None:
        for seq in range(1, 6):
            assert await store.append(draft(session_id, seq, "hi"), newest_wins)

    await asyncio.gather(*(talk(f"s{n:02}") for n in range(64)))

    assert {i.messages for i in await store.sessions()} == {5}
    assert len(await store.sessions()) == 64


async def test_callers_wait_while_the_queue_is_full(tmp_path: Path) -> None:
    settings = StorageSettings(shared=False, queue=2)
    store = await Store.open(tmp_path / "m.db", settings=settings)

    results = await asyncio.gather(
        *(store.append(draft(f"s{n}", 1, "x"), newest_wins) for n in range(40))
    )

    assert all(results)
    await store.aclose()


async def test_reads_do_not_wait_for_a_writer_elsewhere(
    store: Store, tmp_path: Path
) -> None:
    await say(store, "a", "x")
    with sqlite3.connect(tmp_path / "m.db", isolation_level=None) as raw:
        raw.execute("BEGIN IMMEDIATE")
        assert await store.revision("a") == 1
        assert await store.load("a") is not None
        raw.execute("ROLLBACK")
    raw.close()


async def test_a_locked_database_fails_all_that_waited_in_one_time_limit(
    tmp_path: Path,
) -> None:
    settings = StorageSettings(shared=False, busy_timeout_ms=150)
    store = await Store.open(tmp_path / "m.db", settings=settings)
    loop = asyncio.get_running_loop()
    with sqlite3.connect(tmp_path / "m.db", isolation_level=None) as raw:
        raw.execute("BEGIN IMMEDIATE")
        start = loop.time()
        results = await asyncio.gather(
            *(store.append(draft(f"s{n}", 1, "x"), newest_wins) for n in range(40)),
            return_exceptions=True,
        )
        took = loop.time() - start
        raw.execute("ROLLBACK")
    raw.close()

    assert all(isinstance(result, StoreBusyError) for result in results)
    assert took < 3
    assert await store.append(draft("s0", 1, "x"), newest_wins) is not None
    await store.aclose()


async def test_entities_are_read_ever_further(store: Store) -> None:
    await say(store, "a", "x", "y")
    assert await store.unread_entities(limit=5) == [("a", 0, 2)]

    def read(*seqs: int) -> FactDraft:
        return FactDraft(
            session_id="a",
            candidates=((2, candidate("Ann", key="name")),),
            created_at=NOW,
            read=seqs,
        )

    behind = await store.change_facts(read(2), newest_wins)
    assert await store.unread_entities(limit=5) == [("a", 0, 2)]
    first = await store.change_facts(read(1), newest_wins)
    both = await store.change_facts(read(2), newest_wins)
    again = await store.change_facts(read(1), newest_wins)

    found = [result.entities_seq for result in (behind, first, both, again)]
    assert found == [0, 1, 2, 2]
    assert await store.unread_entities(limit=5) == []
    assert await store.entities_seq("a") == 2
    assert [(f.value, f.seq) for f in await store.facts("a")] == [("Ann", 2)]


async def test_unread_sessions_come_in_pages(store: Store) -> None:
    for name in ("a", "b", "c"):
        await say(store, name, "x")

    first = await store.unread_entities(limit=2)
    rest = await store.unread_entities(after="b", limit=2)

    assert [row[0] for row in (*first, *rest)] == ["a", "b", "c"]


async def test_facts_of_an_unknown_session_are_refused(store: Store) -> None:
    made = FactDraft(session_id="?", candidates=(), created_at=NOW, read=(1,))
    with pytest.raises(StoreError, match="no such session"):
        await store.change_facts(made, newest_wins)


async def test_a_claim_is_one_owners_until_released(store: Store) -> None:
    await say(store, "a", "x")

    async def take(owner: str, ttl_s: float = 60, generation: int = 0) -> bool:
        return await store.claim(
            "a", owner=owner, ttl_s=ttl_s, boundary_seq=0, generation=generation
        )

    assert not await take("p", generation=1)
    assert await take("p")
    assert not await take("q")
    assert not await store.renew("a", owner="q", ttl_s=60)
    await store.release("a", owner="q")
    assert not await take("q")
    await store.release("a", owner="p")
    assert await take("q", ttl_s=-1)
    assert await take("p"), "a lease that ran out is free"


async def test_a_fold_moves_the_boundary_and_is_installed_once(store: Store) -> None:
    await store.append(draft("a", 1, "A-1", candidates=[candidate("A-1")]), newest_wins)
    await say(store, "a", "y", "z")

    revision = await store.commit_fold(fold("a", 2, text="asked for [[order_id:1]]"))
    await say(store, "a", "after")
    with pytest.raises(StaleCompactionError):
        await store.commit_fold(fold("a", 2))

    state = await store.load("a")
    assert state is not None
    assert (state.boundary_seq, state.generation, state.epoch_revision) == (2, 1, revision)
    assert (state.folded_turns, state.turns) == (2, 4)
    assert [m.seq for m in state.window] == [3, 4]
    assert state.rendered_segments()[0].text == "asked for A-1"
    assert len(await store.compactions("a")) == 1


async def test_a_merge_ends_its_segments_or_nothing_happens(store: Store) -> None:
    await say(store, "a", *"abcdef")
    await store.commit_fold(fold("a", 2))
    await store.commit_fold(fold("a", 4, boundary_seq=2, generation=1))

    with pytest.raises(StaleCompactionError):
        await store.commit_fold(fold("a", 5, boundary_seq=4, generation=2, merged=(1, 9)))
    untouched = await store.load("a")
    await store.commit_fold(fold("a", 5, boundary_seq=4, generation=2, merged=(1, 2)))

    assert untouched is not None
    assert [s.segment_id for s in untouched.segments] == [1, 2]
    state = await store.load("a")
    assert state is not None
    assert [(s.segment_id, s.level) for s in state.segments] == [(3, 1)]


async def test_a_fold_beyond_the_log_is_refused(store: Store) -> None:
    await say(store, "a", "x")
    for to_seq in (2, -1):
        with pytest.raises(StoreError):
            await store.commit_fold(fold("a", to_seq))
    assert await store.revision("a") == 1


async def test_the_user_message_of_a_partly_folded_turn_stays_pinned(store: Store) -> None:
    await say(store, "a", "x", "y")
    await store.commit_fold(fold("a", 2, pinned_seq=2))

    state = await store.load("a")
    assert state is not None
    assert state.pinned is not None
    assert (state.pinned.seq, state.folded_turns, state.window) == (2, 1, ())


async def test_identifiers_get_known_numbers_a_facts_first(store: Store) -> None:
    await say(store, "a", "x")
    first = await store.reserve_references("a", [identifier("P-1"), identifier("P-2")])
    made = draft("a", 2, "P-1", candidates=[candidate("P-1", owner="contact.wife")])
    await store.append(made, newest_wins)

    again = await store.reserve_references(
        "a", [identifier("P-2"), identifier("P-1"), identifier("P-3"), identifier("P-3")]
    )

    assert [r.number for r in first] == [1, 2]
    assert [r.number for r in again] == [2, 3, 4, 4]
    assert again[1].owner == "contact.wife"
    assert [r.number for r in await store.references("a", [4, 9, 1])] == [1, 4]


async def test_a_failed_compaction_leaves_its_record(store: Store) -> None:
    await say(store, "a", "x")
    await store.record_compaction("a", record(1, 1), failures=2, retry_at=5.0)

    assert [r.reason for r in await store.compactions("a")] == ["marks"]
    assert await store.revision("a") == 1


async def test_what_is_stored_can_be_read_after_opening_again(tmp_path: Path) -> None:
    first = await Store.open(tmp_path / "m.db", settings=SETTINGS)
    await first.append(draft("a", 1, "A-1", candidates=[candidate("A-1")]), newest_wins)
    before = await first.load("a")
    await first.aclose()
    second = await Store.open(tmp_path / "m.db", settings=SETTINGS)

    assert await second.load("a") == before
    await second.aclose()
