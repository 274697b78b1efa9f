from __future__ import annotations

import tomllib
from pathlib import Path

from tests.docs import settings_page
from tiered_memory import Settings


def test_every_setting_is_on_the_page_with_its_default() -> None:
    assert settings_page.PAGE.read_text(encoding="utf-8") == settings_page.page()


def test_no_meaning_is_left_of_a_setting_that_is_gone() -> None:
    assert {name for name, _, _ in settings_page.rows()} == set(settings_page.MEANINGS)


def test_the_page_s_example_is_a_settings_file(tmp_path: Path) -> None:
    text = settings_page.HEAD.split("```toml\n")[1].split("```")[0]
    file = tmp_path / "memory.toml"
    file.write_text(text, encoding="utf-8")
    settings = Settings.load(file, environ={})
    assert (
        settings.model_dump(exclude_unset=True)["window"] == tomllib.loads(text)["window"]
    )
    assert settings.facts.files == (tmp_path / "patterns" / "shop.yaml",)
