"""Settings are checked once, with errors that name the field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tiered_memory.errors import SettingsError
from tiered_memory.settings import Settings


@pytest.mark.parametrize(
    ("values", "field", "said"),
    [
        ({"windw": 1}, "windw", "no such setting"),
        ({"window": {"keep_turn": 1}}, "window.keep_turn", "no such setting"),
        ({"effective_window": -1}, "effective_window", "greater than 0"),
        ({"effective_window": True}, "effective_window", "not true or false"),
        ({"effective_window": float("nan")}, "effective_window", "finite"),
        ({"window": {"keep_turns": 2.5}}, "window.keep_turns", "fractional"),
        ({"summary": {"max_tokens": 0}}, "summary.max_tokens", "greater than 0"),
        ({"model": ""}, "model", "at least 1 character"),
        (
            {"window": {"keep_tokens": 5_000}},
            "window",
            "window.keep_tokens (5000) must be below window.fold_tokens (4000)",
        ),
        (
            {"budget": {"fixed": 0.9, "history": 0.5, "recent": 0.3}},
            "budget",
            "must be 1, not 1.7",
        ),
    ],
)
def test_a_wrong_setting_is_refused_by_name(
    values: dict[str, Any], field: str, said: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings(**values)

    assert caught.value.facts["field"] == field
    assert said in str(caught.value)


def test_a_number_given_as_text_becomes_a_number() -> None:
    assert Settings(effective_window="4096").effective_window == 4_096


def test_a_file_is_read_and_the_environment_overrides_it(tmp_path: Path) -> None:
    file = tmp_path / "memory.toml"
    file.write_text(
        'model = "gpt-4o"\n[facts]\nfiles = ["own.yaml"]\n[window]\nkeep_turns = 5\n'
    )

    loaded = Settings.load(
        file, environ={"TIERED_MEMORY_WINDOW__KEEP_TURNS": "6", "OTHER": "1"}
    )

    assert loaded.model == "gpt-4o"
    assert loaded.window.keep_turns == 6
    assert loaded.facts.files == (tmp_path / "own.yaml",)


def test_yaml_reads_as_toml_does(tmp_path: Path) -> None:
    file = tmp_path / "memory.yaml"
    file.write_text("model: gpt-4o\nwindow:\n  keep_turns: 5\n")

    assert Settings.load(file, environ={}) == Settings(
        model="gpt-4o", window={"keep_turns": 5}
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.toml", "model = "),
        ("m.yaml", "a: [1"),
        ("m.yaml", "- 1"),
        ("m.ini", "x"),
        ("m.toml", "wat = 1"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text)

    with pytest.raises(SettingsError) as caught:
        Settings.load(file, environ={})

    assert str(file) in str(caught.value)
    assert caught.value.facts["file"] == str(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"nowhere\.toml"):
        Settings.load(tmp_path / "nowhere.toml", environ={})


def test_equal_settings_have_equal_digests_and_others_do_not() -> None:
    assert Settings().digest() == Settings().digest()
    assert Settings().digest() != Settings(model="gpt-4o").digest()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("WINDOW__KEEPTURNS", "6", "did you mean 'keep_turns'?"),
        ("WINDOW", "6", "window: must be a table"),
        ("FACTS__PACKS", "common,telecom", '["a", "b"]'),
        ("SYSTEM_PROMPT", "123", "double quotes"),
        ("MASKING__PHONE", "hide", "must be one of store"),
        ("WINDOW__KEEP_TURNS", "2", "must not pass"),
    ],
)
def test_a_wrong_variable_is_named_and_not_the_file(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    file = tmp_path / "memory.toml"
    file.write_text("[window]\nmin_turns = 4\n")
    variable = f"TIERED_MEMORY_{name}"

    with pytest.raises(SettingsError) as caught:
        Settings.load(file, environ={variable: text})

    assert variable in str(caught.value)
    assert said in str(caught.value)
    assert "memory.toml" not in str(caught.value)


def test_of_two_wrong_settings_each_is_told_with_where_it_came_from(tmp_path: Path) -> None:
    file = tmp_path / "memory.toml"
    file.write_text("[llm]\ntimeout = 4\n")

    with pytest.raises(SettingsError) as caught:
        Settings.load(file, environ={"TIERED_MEMORY_MODLE": "x"})

    in_file, in_variable = str(caught.value).split("; TIERED")
    assert in_file == f"{file}: llm.timeout: no such setting; did you mean 'timeout_s'?"
    assert in_variable == "_MEMORY_MODLE: modle: no such setting; did you mean 'model'?"


@pytest.mark.parametrize("part", ["llm", "facts.llm"])
def test_a_server_is_named_by_its_address(part: str) -> None:
    values: dict[str, Any] = {"base_url": "localhost:8000/v1", "model": "m"}
    for name in reversed(part.split(".")):
        values = {name: values}

    with pytest.raises(SettingsError, match="http://"):
        Settings(**values)


def test_a_pack_that_is_named_twice_is_read_once() -> None:
    assert Settings(facts={"packs": ["common", "common"]}).facts.packs == (
        "secrets",
        "common",
    )
