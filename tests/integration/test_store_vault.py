"""The vault's rows come and go with the messages that brought them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.store_drafts import broken, candidate, draft, entry, newest_wins
from tiered_memory.model import Head
from tiered_memory.settings import StorageSettings
from tiered_memory.state import SessionState
from tiered_memory.store.store import Store

SETTINGS = StorageSettings(shared=False)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(tmp_path / "m.db", settings=SETTINGS)
    yield opened
    await opened.aclose()


async def state_of(store: Store, session_id: str) -> SessionState:
    state = await store.load(session_id)
    assert state is not None
    return state


async def test_values_come_with_their_message_and_stay_with_their_session(
    store: Store,
) -> None:
    first = draft("a", 1, "x", vault=[entry("AAAAAAAA"), entry("BBBBBBBB")])
    result = await store.append(first, newest_wins)
    await store.append(draft("b", 1, "x"), newest_wins)

    assert result is not None
    assert (await state_of(store, "a")).vault == result.vault == first.vault
    assert (await state_of(store, "b")).vault == ()
    grown = SessionState.empty("a").advanced(result)
    assert grown.vault == first.vault


async def test_the_first_spelling_of_a_value_stays(store: Store) -> None:
    head = Head(payloads=({"role": "system", "content": "x"},), tokens=1)
    early = replace(draft("a", 1, vault=[entry("AAAAAAAA", b"first")]), head=head)
    late = draft("a", 1, "x", vault=[entry("AAAAAAAA", b"second"), entry("BBBBBBBB")])
    assert await store.append(early, newest_wins) is not None
    assert await store.append(late, newest_wins) is not None

    vault = (await state_of(store, "a")).vault
    assert [(e.pseudonym, e.sealed) for e in vault] == [
        ("[phone-AAAAAAAA]", b"first"),
        ("[phone-BBBBBBBB]", b"sealed"),
    ]


async def test_what_is_not_written_leaves_no_value(store: Store) -> None:
    await store.append(draft("a", 1, "x", message_id="m"), newest_wins)
    values = [entry("AAAAAAAA")]
    failing = draft("a", 2, "y", candidates=[candidate("v")], vault=values)
    with pytest.raises(LookupError):
        await store.append(failing, broken)
    assert await store.append(draft("a", 9, "y", vault=values), newest_wins) is None
    repeat = draft("a", 1, "x", message_id="m", vault=values)
    repeated = await store.append(repeat, newest_wins)

    assert repeated is not None
    assert repeated.repeated
    assert repeated.vault == ()
    assert (await state_of(store, "a")).vault == ()
