"""What an engine tells of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Event",
    "Metrics",
    "PatternReload",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that the engine did by itself, told to ``on_event``.

    ``kind``: ``folded``, ``fold_failed``, ``healed``, ``background_error``, ``warning``,
    ``patterns_reloaded``, ``patterns_refused``.
    ``details`` holds numbers and codes, never text of a message or a value.
    """

    kind: str
    session_id: str | None
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternReload:
    """What ``memory.reload_patterns()`` did.

    Attributes:
        patterns: how many are in use now.
        added, removed, changed: their ids, sorted.
        unmasked: types of which values are stored now, at least some, that were masked
            or dropped before.
        warnings: what to tell people, these types included.
    """

    patterns: int
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unmasked: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Counts since the engine was opened.

    Attributes:
        messages, prompts: stored, and built.
        repairs: mends made in prompts.
        folds, fold_failures: runs of the compactor that ended so.
        entity_batches: batches that the recognizers read; ``entity_backlog`` texts wait.
        model_calls: calls of the model that proposes facts; ``model_failures`` gave no
            usable reply, ``model_skipped`` messages were not asked about for want of budget.
        model_refused: proposals that were not in the customer's words, or not stated.
        model_backlog: messages that wait for it.
        entity_dropped: messages that left the full queue, to be read once it is empty.
        entity_time_outs: batches beyond ``ner.batch_timeout_s``.
        entity_restarts: of the recognizers' process.
        pattern_time_outs: of patterns in the lane with a time limit; one that timed out
            three times is left out.
        background_errors: failures caught and logged at a background task's edge.
        sessions_cached: session states in memory.
        warnings: what was said at open, e.g. a recognizer that is not installed.
        pattern_reloads, pattern_refusals: calls of ``reload_patterns`` that replaced the
            patterns, and that found a broken pack.
        validator_failures: of validators of the application's own, which raised or gave
            no answer.
    """

    messages: int
    prompts: int
    repairs: int
    folds: int
    fold_failures: int
    entity_batches: int
    entity_backlog: int
    model_calls: int
    model_failures: int
    model_skipped: int
    model_refused: int
    model_backlog: int
    entity_dropped: int
    entity_time_outs: int
    entity_restarts: int
    pattern_time_outs: int
    background_errors: int
    sessions_cached: int
    warnings: tuple[str, ...]
    pattern_reloads: int = 0
    pattern_refusals: int = 0
    validator_failures: int = 0
