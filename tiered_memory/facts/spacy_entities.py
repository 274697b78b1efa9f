"""Entities from an installed spaCy pipeline: its recognizer and nothing else of it."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tiered_memory.errors import SettingsError
from tiered_memory.ports import Entity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from spacy.language import Language

__all__ = ["SpacyEntities", "load_spacy"]

_NOT_NEEDED = (
    "tagger", "parser", "lemmatizer", "attribute_ruler", "senter", "morphologizer",
    "textcat", "textcat_multilabel", "entity_linker", "trainable_lemmatizer",
)  # fmt: skip
_BATCH = 32
"""2.6 ms a message in batches of 32 against 7 ms one by one."""


def load_spacy(name: str) -> SpacyEntities | None:
    """Load a pipeline by folder or package name; None where it is not installed.

    The package's own ``load`` is asked and not ``spacy.load``, which wants distribution
    and module to bear one name. Never downloads. Takes 1 to 4 s.

    Raises:
        SettingsError: it is there but cannot be loaded, or recognizes no entities.
    """
    if Path(name).is_dir():
        return SpacyEntities(_loaded(name, package=None))
    package = name.replace("-", "_")
    if not package.isidentifier() or find_spec(package) is None:
        return None
    return SpacyEntities(_loaded(name, package=package))


def _loaded(name: str, *, package: str | None) -> Language:
    try:
        if package is None:
            import spacy

            return spacy.load(name, exclude=_NOT_NEEDED)
        return cast("Language", import_module(package).load(exclude=_NOT_NEEDED))
    except (ImportError, AttributeError, OSError, TypeError, ValueError) as exc:
        raise SettingsError(
            f"the spaCy pipeline {name!r} is installed but cannot be loaded: {exc}",
            field="ner.models",
            value=name,
        ) from exc


class SpacyEntities:
    """A pipeline's ``ner`` and what it listens to; for one thread at a time.

    Two threads inside ``memory_zone`` of one pipeline fail, so the caller has one worker.

    Raises:
        SettingsError: the pipeline has no component ``ner``.
    """

    def __init__(self, pipeline: Language) -> None:
        if "ner" not in pipeline.pipe_names:
            raise SettingsError(
                "the spaCy pipeline has no component 'ner'", field="ner.models"
            )
        config = cast("Mapping[str, Any]", pipeline.config)
        ner = config["components"]["ner"].get("model", {}).get("tok2vec", {})
        needed = {"ner"}
        if "Listener" in ner.get("@architectures", ""):
            needed |= {"tok2vec", "transformer", "curated_transformer"}
        pipeline.select_pipes(enable=[n for n in pipeline.pipe_names if n in needed])
        self._pipeline = pipeline

    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        """Give the entities of each text with the pipeline's labels, score 0.5.

        Strings that the texts bring are let go after the call (``memory_zone``).
        """
        zone: AbstractContextManager[object] = cast("Any", self._pipeline).memory_zone()
        with zone:
            return [
                [
                    Entity(start=e.start_char, end=e.end_char, label=e.label_)
                    for e in document.ents
                ]
                for document in self._pipeline.pipe(texts, batch_size=_BATCH)
            ]

    def strings(self) -> int:
        """Give how many strings the pipeline keeps; for watching memory."""
        return len(self._pipeline.vocab.strings)
