"""What docs/notes.md says of notes is what comes of them; its settings are settings."""

from __future__ import annotations

from pathlib import Path

from tiered_memory import Settings
from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.packs import load_patterns
from tiered_memory.settings import FactSettings

PAGE = (Path(__file__).parents[2] / "docs" / "notes.md").read_text(encoding="utf-8")


def test_the_table_of_notes_is_true() -> None:
    lines = PAGE.split("|---|---|---|\n")[1].split("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    extractor = Extractor(load_patterns(FactSettings(), {}), max_chars=32_768)
    assert len(rows) >= 5
    for text, key, value in rows:
        (note,) = extractor.extract(text, role="user").facts
        assert note.key == key.strip("`")
        if value == "taken back":
            assert note.polarity == "negate"
        else:
            assert (note.polarity, note.value) == ("assert", value)


def test_the_settings_are_settings(tmp_path: Path) -> None:
    file = tmp_path / "memory.toml"
    file.write_text(PAGE.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    llm = Settings.load(file, environ={}).facts.llm
    assert llm.model == "gpt-4o-mini"
    defaults = type(llm)()
    assert (llm.calls_per_day, llm.calls_per_session) == (
        defaults.calls_per_day,
        defaults.calls_per_session,
    )
