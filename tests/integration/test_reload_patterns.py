"""New patterns in a running engine: swapped at once, never half, never silently weaker."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest

from tiered_memory import Event, MemoryEngine, PackError, Settings, SettingsError
from tiered_memory.facts import pack_files, packs
from tiered_memory.testing import TableRecognizer

PACK = """\
version: 1
patterns:
  - id: lamps.ticket
    type: ticket_no
    regex: ['%s[0-9]{5}']
    sensitivity: %s
    examples: {match: {'my %s12345': %s12345}, no_match: ['A%s12345']}
"""


def write(file: Path, letters: str, sensitivity: str = "store") -> None:
    text = PACK % (letters, sensitivity, letters, letters, letters)
    file.write_text(text, encoding="utf-8")


def settings(file: Path, **facts: Any) -> Settings:
    return Settings(facts={"files": (file,), **facts}, ner={"mode": "off"})


def values(memory: MemoryEngine, text: str) -> list[str]:
    return [fact.value for fact in memory.extract(text).facts]


async def test_a_changed_file_is_used_from_the_next_call_on(tmp_path: Path) -> None:
    file = tmp_path / "shop.yaml"
    write(file, "LT")
    async with MemoryEngine.open(":memory:", settings=settings(file)) as memory:
        session = memory.session("a")
        await session.add({"role": "user", "content": "ticket LT12345"})
        write(file, "QT")
        assert values(memory, "LT12345 QT12345") == ["LT12345"]
        done = await memory.reload_patterns()
        assert (done.added, done.removed, done.changed) == ((), (), ("lamps.ticket",))
        assert values(memory, "LT12345 QT12345") == ["QT12345"]
        await session.add({"role": "user", "content": "and QT00001, not LT00001"})
        facts = await session.facts(key="ticket_no", history=True)
        assert [fact.value for fact in facts] == ["LT12345", "QT00001"]
        assert memory.metrics().pattern_reloads == 1


async def test_a_broken_pack_leaves_the_old_patterns_and_is_told(tmp_path: Path) -> None:
    file = tmp_path / "shop.yaml"
    write(file, "LT")
    events: list[Event] = []
    opened = MemoryEngine.open(":memory:", settings=settings(file), on_event=events.append)
    async with opened as memory:
        write(file, "(LT")
        with pytest.raises(PackError) as caught:
            await memory.reload_patterns()
        assert caught.value.facts["pattern"] == "lamps.ticket"
        assert values(memory, "LT12345") == ["LT12345"]
        assert memory.metrics().pattern_refusals == 1
        write(file, "QT")
        await memory.reload_patterns()
        assert values(memory, "QT12345") == ["QT12345"]
    kinds = [event.kind for event in events if event.kind.startswith("patterns_")]
    assert kinds == ["patterns_refused", "patterns_reloaded"]
    refusal = next(event for event in events if event.kind == "patterns_refused")
    assert refusal.details == {"file": str(file), "line": 5, "pattern": "lamps.ticket"}


async def test_a_mask_that_is_gone_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "shop.yaml"
    write(file, "LT", "drop")
    async with MemoryEngine.open(":memory:", settings=settings(file)) as memory:
        assert memory.extract("LT12345").masked == "[ticket_no]"
        write(file, "LT", "store")
        with caplog.at_level(logging.WARNING, "tiered_memory"):
            done = await memory.reload_patterns()
        assert done.unmasked == ("ticket_no",)
        assert "'lamps.ticket' no longer masks" in caplog.text
        assert memory.extract("LT12345").masked == "LT12345"
        again = await memory.reload_patterns()
        assert (again.unmasked, again.warnings, again.changed) == ((), (), ())


async def test_what_is_being_added_ends_with_the_patterns_it_began_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "shop.yaml"
    write(file, "LT")
    async with MemoryEngine.open(":memory:", settings=settings(file)) as memory:
        began, go_on = threading.Event(), threading.Event()
        extractor = memory._resources.patterns.extractor
        extract = type(extractor).extract

        def held(self: Any, text: str, **more: Any) -> Any:
            if self is extractor and text.startswith("first"):
                began.set()
                assert go_on.wait(30)
            return extract(self, text, **more)

        monkeypatch.setattr(type(extractor), "extract", held)
        parts = [
            {"type": "text", "text": "first LT00001 " + "x " * 5_000},
            {"type": "text", "text": "second LT00002 QT00002"},
        ]
        session = memory.session("a")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(session.add, {"role": "user", "content": parts})
            await anyio.to_thread.run_sync(began.wait)
            write(file, "QT")
            await memory.reload_patterns()
            go_on.set()
        found = await session.facts(key="ticket_no", history=True)
        assert [fact.value for fact in found][-1:] == ["LT00002"]


async def test_the_loop_runs_on_while_patterns_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "shop.yaml"
    write(file, "LT")
    async with MemoryEngine.open(":memory:", settings=settings(file)) as memory:
        go_on = threading.Event()
        read_pack = pack_files.read_pack

        def held(path: Path) -> Any:
            assert go_on.wait(30)
            return read_pack(path)

        monkeypatch.setattr(packs, "read_pack", held)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(memory.reload_patterns)
            tasks.start_soon(memory.reload_patterns)
            await memory.session("a").add({"role": "user", "content": "LT12345"})
            assert values(memory, "LT12345") == ["LT12345"]
            go_on.set()
        assert memory.metrics().pattern_reloads == 2


async def test_pseudonyms_without_a_vault_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TIERED_MEMORY_VAULT_KEY", raising=False)
    file = tmp_path / "shop.yaml"
    write(file, "LT")
    async with MemoryEngine.open(":memory:", settings=settings(file)) as memory:
        write(file, "QT", "pseudonym")
        with pytest.raises(SettingsError, match="'ticket_no' are to have pseudonyms"):
            await memory.reload_patterns()
        assert values(memory, "LT12345 QT12345") == ["LT12345"]
        assert memory.metrics().pattern_refusals == 1


NICKNAME = """\
version: 1
patterns:
  - id: lamps.nickname
    type: person_name
    regex: ['nick(?P<value>[a-z]{3})']
    sensitivity: %s
    examples: {match: {nickabc: abc}, no_match: [nick]}
"""


async def test_recognizers_mask_from_now_on_what_a_pack_no_longer_stores(
    tmp_path: Path,
) -> None:
    file = tmp_path / "shop.yaml"
    file.write_text(NICKNAME % "store", encoding="utf-8")
    chosen = Settings(facts={"files": (file,)})
    table = {"en": TableRecognizer({"Vexley": "person_name"})}
    opened = MemoryEngine.open(":memory:", settings=chosen, recognizers=table)
    async with opened as memory:
        session = memory.session("a")
        text = "the parcel went to Vexley last week"
        await session.add({"role": "user", "content": text})
        file.write_text(NICKNAME % "drop", encoding="utf-8")
        await memory.reload_patterns()
        await session.add({"role": "user", "content": text})
        shown = [m.payload["content"] async for m in session.history()]
        assert shown == [text, text.replace("Vexley", "[person_name]")]


async def test_a_mask_whose_recognizers_are_missing_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "shop.yaml"
    file.write_text(NICKNAME % "store", encoding="utf-8")
    chosen = Settings(facts={"files": (file,)})
    async with MemoryEngine.open(":memory:", settings=chosen, recognizers={}) as memory:
        file.write_text(NICKNAME % "drop", encoding="utf-8")
        with pytest.raises(SettingsError, match="masking of person_name needs recognizers"):
            await memory.reload_patterns()
        assert memory.extract("nickabc").masked == "nickabc"
