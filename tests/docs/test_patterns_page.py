from __future__ import annotations

from pathlib import Path

import pytest
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
