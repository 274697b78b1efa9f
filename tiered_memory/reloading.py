"""New patterns for a running engine: read off the loop, put in place at once."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from anyio import to_thread

from tiered_memory.errors import PackError, SettingsError
from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.packs import compare, load_patterns
from tiered_memory.model import Event
from tiered_memory.recognition import entity_types, masking

if TYPE_CHECKING:
    from collections.abc import Callable

    from tiered_memory.model import PatternReload
    from tiered_memory.recognition import Recognition
    from tiered_memory.settings import Settings
    from tiered_memory.vault import Vault

__all__ = ["PatternsInUse"]

logger = logging.getLogger(__name__)


class PatternsInUse:
    """The extractor that new calls get; whoever has one already keeps it to the end.

    Attributes:
        extractor: of the newest patterns.
        masked_types: what recognizers must find before a message is stored.
        reloads, refusals: how often patterns were replaced, or were broken.
    """

    def __init__(
        self,
        extractor: Extractor,
        settings: Settings,
        *,
        recognition: Recognition,
        vault: Vault | None,
        tell: Callable[[Event], None],
    ) -> None:
        self.extractor = extractor
        self.masked_types = recognition.masked_types
        self.reloads = 0
        self.refusals = 0
        self._settings = settings
        self._recognition = recognition
        self._vault = vault
        self._tell = tell
        self._swapped: list[Callable[[Extractor], None]] = []
        self._past_time_outs = 0
        self._past_failures = 0
        self._turn = asyncio.Lock()

    def on_swap(self, call: Callable[[Extractor], None]) -> None:
        """Have ``call`` told of each new extractor, on the event loop."""
        self._swapped.append(call)

    def time_outs(self) -> int:
        """Give how often patterns ran out of time, those of earlier sets included."""
        return self._past_time_outs + sum(self.extractor.time_outs().values())

    def validator_failures(self) -> int:
        """Give how often plugged validators failed, those of earlier sets included."""
        return self._past_failures + sum(self.extractor.validator_failures().values())

    async def reload(self) -> PatternReload:
        """Read the packs again and swap; one at a time.

        Raises:
            PackError: a pack is broken; what was in use stays.
            SettingsError: ``facts.disabled`` or ``masking`` names what is gone; a type
                gets pseudonyms and no vault is open, or a mask that needs recognizers
                which are missing; the same.
        """
        async with self._turn:
            try:
                extractor, found = await to_thread.run_sync(self._load)
            except (PackError, SettingsError) as exc:
                self.refusals += 1
                names = ("file", "line", "pattern", "field")
                details = {name: exc.facts[name] for name in names if name in exc.facts}
                self._tell(Event(kind="patterns_refused", session_id=None, details=details))
                raise
            done = compare(self.extractor.patterns, extractor.patterns)
            self._past_time_outs = self.time_outs()
            self._past_failures = self.validator_failures()
            self.extractor = extractor
            self.masked_types = found.masked_types
            for call in self._swapped:
                call(extractor)
            self.reloads += 1
        for warning in done.warnings:
            logger.warning("%s", warning)
        details = {
            "patterns": done.patterns,
            "added": done.added,
            "removed": done.removed,
            "changed": done.changed,
            "unmasked": done.unmasked,
        }
        self._tell(Event(kind="patterns_reloaded", session_id=None, details=details))
        return done

    def _load(self) -> tuple[Extractor, Recognition]:
        settings = self._settings
        patterns = load_patterns(
            settings.facts,
            settings.masking.actions,
            entity_types=entity_types(settings.ner),
        )
        hidden = patterns.types_with("pseudonym")
        if hidden and self._vault is None:
            raise SettingsError(
                f"values of type {hidden[0]!r} are to have pseudonyms, and the engine was "
                "opened without a vault; put a key into the environment variable "
                f"{settings.masking.vault_key_env} and open it again",
                field="masking.vault_key_env",
                value=settings.masking.vault_key_env,
            )
        found = masking(self._recognition, settings.ner, patterns)
        return Extractor.of(patterns, settings.facts), found
