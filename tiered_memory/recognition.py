"""Which recognizers an engine has, where they run, and what must go through them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from anyio import CancelScope, to_thread

from tiered_memory.errors import SettingsError
from tiered_memory.facts.entities import EntityStage, load_recognizers
from tiered_memory.facts.entity_process import RecognizerProcess

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tiered_memory.facts.patterns import PatternSet
    from tiered_memory.ports import EntityRecognizer
    from tiered_memory.settings import NerSettings, Settings

__all__ = [
    "Recognition",
    "closed",
    "entity_types",
    "find_stage",
    "masking",
    "recognizer_process",
]

NAMED_TYPES = frozenset({"person_name", "address", "place"})
"""What the stage types by itself, beside the types that ``ner.models`` give to labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """What stage 2 of an engine is made of.

    Attributes:
        stage: None where there is no recognizer.
        process: where the recognizers run; None for a thread.
        missing: recognizers that the settings name and that are not there.
        masked_types: types that recognizers find and that must not be stored.
        warnings: what is missing, and what is not masked for it.
    """

    stage: EntityStage | None = None
    process: RecognizerProcess | None = None
    missing: tuple[str, ...] = ()
    masked_types: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()


def recognizer_process(
    settings: Settings, recognizers: Mapping[str, EntityRecognizer] | None
) -> RecognizerProcess | None:
    """Give the process that the settings want, not started; None for none.

    Raises:
        SettingsError: the recognizers are objects, which cannot go to another process.
    """
    if settings.ner.mode != "process":
        return None
    if recognizers is not None:
        raise SettingsError(
            "recognizers given to open() are objects of this process, and ner.mode is "
            "'process': name a function that makes one in ner.models (engine = 'factory', "
            "model = ['module:function']), or set ner.mode = 'thread'",
            field="ner.mode",
            value="process",
        )
    return RecognizerProcess(
        settings.ner,
        withheld=(
            settings.llm.api_key_env,
            settings.facts.llm.api_key_env,
            settings.masking.vault_key_env,
        ),
    )


async def closed(process: RecognizerProcess) -> None:
    """Close ``process``, whatever cancels this."""
    with CancelScope(shield=True):
        await to_thread.run_sync(process.close)


def find_stage(
    settings: Settings,
    recognizers: Mapping[str, EntityRecognizer] | None,
    process: RecognizerProcess | None,
    patterns: PatternSet,
) -> Recognition:
    """Load the recognizers; seconds, off the loop.

    ``patterns`` say what may be stored of a type.

    Raises:
        SettingsError: one cannot be loaded; one is missing and ``ner.missing`` is
            ``error``, or types that only recognizers find are to be masked.
    """
    missing: tuple[str, ...] = ()
    stage: EntityStage | None = None
    if recognizers is not None:
        plugged = {name: (found, _SameName()) for name, found in recognizers.items()}
        stage = EntityStage(plugged) if plugged else None
    elif process is not None:
        loaded, missing = process.load()
        stage = EntityStage(loaded) if loaded else None
    else:
        stage, missing = load_recognizers(settings.ner)
    found = Recognition(stage=stage, process=process, missing=missing)
    return masking(found, settings.ner, patterns)


def masking(found: Recognition, ner: NerSettings, patterns: PatternSet) -> Recognition:
    """Give the same recognizers with the types that must not be stored by ``patterns``.

    Those are what the settings' ``masking`` or a pack says of a type that recognizers
    name.

    Raises:
        SettingsError: there are such types, and a recognizer is missing.
    """
    alone = patterns.masking.keys() - patterns.types()
    masked = frozenset(
        name for name in entity_types(ner) | alone if patterns.action(name) != "store"
    )
    warnings = found.missing
    if masked and ner.mode != "off" and (found.missing or found.stage is None):
        raise SettingsError(
            f"masking of {', '.join(sorted(masked))} needs recognizers: "
            + ("; ".join(found.missing) or "none was given")
            + "; or set ner.mode = 'off' to mask what patterns alone find",
            field="masking",
        )
    if masked and found.stage is None:
        types = ", ".join(sorted(masked))
        warnings = (f"ner.mode is 'off': {types} is masked where patterns find it alone",)
    return replace(found, masked_types=masked, warnings=warnings)


def entity_types(ner: NerSettings) -> frozenset[str]:
    """Give the types that recognizers name."""
    return NAMED_TYPES.union(*(model.labels.values() for model in ner.models))


class _SameName(dict[str, str]):
    """The labels of a plugged recognizer, which are fact types already."""

    def __missing__(self, label: str) -> str:
        return label

    def get(self, key: str, default: Any = None, /) -> str:
        """Give the label itself."""
        return key
