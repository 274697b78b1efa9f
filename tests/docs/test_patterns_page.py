from __future__ import annotations

import sys
from pathlib import Path

import pytest
from anyio import to_thread
from pydantic import BaseModel

from tests.docs.readme import ROOT
from tiered_memory import MemoryEngine, Settings
from tiered_memory.facts.pack_schema import (
    ContextSpec,
    Example,
    Examples,
    MaskSpec,
    PackSpec,
    PatternSpec,
    SlotSpec,
)
from tiered_memory.settings import NerSettings

PAGE = (ROOT / "docs" / "patterns.md").read_text(encoding="utf-8")
SPOKEN_OF_OTHERWISE = {"values"}
"""``values`` is written as ``value``."""


def _code_words() -> set[str]:
    """Give the words that stand in code, in the text or in the example."""
    code = " ".join(PAGE.replace("```", "`").split("`")[1::2])
    return set("".join(c if c.isalnum() or c == "_" else " " for c in code).split())


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    file = tmp_path / "shop.yaml"
    file.write_text(PAGE.split("```yaml\n")[1].split("```")[0], encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "part", [PatternSpec, ContextSpec, Example, Examples, MaskSpec, PackSpec, SlotSpec]
)
def test_every_key_of_a_pack_is_documented(part: type[BaseModel]) -> None:
    names = set(part.model_fields) - SPOKEN_OF_OTHERWISE
    assert names - _code_words() == set()


def test_the_table_has_a_row_for_each_key_of_a_pattern() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert {row.split("`")[1] for row in rows} == set(PatternSpec.model_fields)


async def test_the_page_s_pack_finds_what_its_examples_say(pack: Path) -> None:
    settings = Settings(facts={"files": (pack,)}, ner={"mode": "off"})
    async with MemoryEngine.open(":memory:", settings=settings) as memory:
        found = memory.extract("订单HL-204817还没到").facts
    assert [(one.type, one.value) for one in found] == [("order_id", "HL-204817")]


def _blocks(kind: str) -> list[str]:
    return [part.split("```")[0] for part in PAGE.split(f"```{kind}\n")[1:]]


def _settings(folder: Path, text: str) -> Settings:
    file = folder / "memory.toml"
    file.write_text(text, encoding="utf-8")
    loaded = Settings.load(file, environ={})
    return loaded.model_copy(update={"ner": NerSettings(mode="off")})


async def test_the_page_s_settings_are_read_with_its_files(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = next(block for block in _blocks("python") if "def serial" in block)
    (tmp_path / "shop_checks.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "shop_checks", raising=False)
    blocks = _blocks("toml")
    assert len(blocks) == 4
    for block in blocks:
        settings = await to_thread.run_sync(_settings, pack.parent, block)
        async with MemoryEngine.open(":memory:", settings=settings) as memory:
            found = {fact.type for fact in memory.extract("LS00000007, 212-555-0142").facts}
        assert ("lamp_serial" in found) == ("lamps.serial" in block)
        assert ("phone" in found) == ("disabled" not in block)


async def test_the_page_s_calls_run(pack: Path) -> None:
    settings = Settings(facts={"files": (pack,)}, ner={"mode": "off"})
    calls = [block for block in _blocks("python") if "memory." in block]
    assert len(calls) == 2
    async with MemoryEngine.open(":memory:", settings=settings) as memory:
        done = await memory.reload_patterns()
        assert (done.added, done.removed, done.changed, done.unmasked) == ((), (), (), ())
        (reason,) = memory.extract("订单HL-204817还没到").why[:1]
        assert (reason.outcome, reason.value) == ("fact", "HL-204817")
        for name in ("outcome", "pattern", "value", "context", "lost_to"):
            assert f"reason.{name}" in calls[1]
            assert hasattr(reason, name)
