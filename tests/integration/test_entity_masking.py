"""What recognizers alone find and must not be stored is in no file and no prompt."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.conversations import assistant, calls, result, user
from tiered_memory import Entity, MemoryEngine, RecognizerError, Settings
from tiered_memory.testing import TableRecognizer

NAMES = {"周雨桐": "person_name", "青岛": "place"}


class Held(TableRecognizer):
    def __init__(self) -> None:
        super().__init__(NAMES)
        self.gate = threading.Event()

    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        self.gate.wait()
        return super().entities(texts)


class Fails(TableRecognizer):
    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        raise KeyError(texts[0])


@pytest.fixture
def held() -> Iterator[Held]:
    recognizer = Held()
    yield recognizer
    recognizer.gate.set()


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    key = base64.b64encode(bytes(range(32))).decode()
    monkeypatch.setenv("TIERED_MEMORY_VAULT_KEY", key)


def bytes_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


@pytest.mark.parametrize("action", ["mask", "drop", "pseudonym"])
async def test_a_name_in_any_role_is_stored_nowhere(tmp_path: Path, action: str) -> None:
    settings = Settings(
        masking={"person_name": action}, ner={"deadline_ms": 30_000}, facts={"packs": ()}
    )
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings, recognizers={"zh": TableRecognizer(NAMES)}
    ) as memory:
        session = memory.session("s")
        await session.add(user("麻烦联系周雨桐，她在青岛。周雨桐说过了"))
        await session.add(
            [
                calls(("c", "find", {"who": "周雨桐"})),
                result("c", '{"name":"周雨桐","n":1,"by_name":{"周雨桐":2}}'),
            ]
        )
        await session.add(user('{"周雨桐": "周雨桐"}'))
        await session.add(assistant("已联系周雨桐"))
        facts = await session.facts()
        prompt = await session.build()
        shown = await session.reveal(str(prompt.messages[-1]["content"]))

    everything = str(prompt.messages) + str(facts)
    assert "周雨桐" not in everything
    assert "青岛" in everything
    assert "周雨桐".encode() not in bytes_of(tmp_path)
    assert ("周雨桐" in shown) == (action == "pseudonym")
    assert [f.value for f in facts if f.key == "place"] == ["青岛"]


async def test_no_answer_in_time_means_nothing_is_stored(
    tmp_path: Path, held: Held
) -> None:
    settings = Settings(masking={"person_name": "mask"}, ner={"deadline_ms": 50})
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings, recognizers={"zh": held}
    ) as memory:
        session = memory.session("s")
        with pytest.raises(RecognizerError, match="nothing was stored") as caught:
            await session.add(user("麻烦联系周雨桐"))
        held.gate.set()
        stored = [m async for m in session.history()]

    assert caught.value.reason == "time"
    assert stored == []
    assert "周雨桐".encode() not in bytes_of(tmp_path)


async def test_a_recognizer_that_fails_means_nothing_is_stored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(masking={"person_name": "drop"}, ner={"deadline_ms": 30_000})
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings, recognizers={"zh": Fails(NAMES)}
    ) as memory:
        session = memory.session("s")
        with pytest.raises(RecognizerError, match="KeyError") as caught:
            await session.add(user("麻烦联系周雨桐"))
        stored = [m async for m in session.history()]

    assert stored == []
    assert "周雨桐" not in str(caught.value) + caplog.text


async def test_what_was_stored_before_a_type_was_masked_gives_no_fact_now(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.db"
    off = Settings(ner={"mode": "off"})
    async with MemoryEngine.open(path, settings=off) as memory:
        await memory.session("s").add(user("麻烦联系周雨桐，她在青岛"))
    settings = Settings(masking={"person_name": "mask"}, ner={"deadline_ms": 30_000})
    async with MemoryEngine.open(
        path, settings=settings, recognizers={"zh": TableRecognizer(NAMES)}
    ) as memory:
        facts = await memory.session("s").facts()

    assert [f.value for f in facts] == ["青岛"]
