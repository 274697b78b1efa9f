"""Commands that look load no recognizer and ask no model."""

from __future__ import annotations

from pathlib import Path

from tiered_memory.cli.inspecting import _looking


def test_a_command_that_looks_asks_no_model(tmp_path: Path) -> None:
    file = tmp_path / "memory.toml"
    file.write_text(
        '[facts]\nnotes = false\n[facts.llm]\nmodel = "tiny"\n', encoding="utf-8"
    )
    chosen = _looking(file)
    assert chosen.facts.llm.model is None
    assert chosen.facts.notes is False
    assert chosen.ner.mode == "off"
    assert chosen.storage.migrate is False
