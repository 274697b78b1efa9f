"""Every error that the engine raises.

Draw of the tree::

    TieredMemoryError
     ├─ SettingsError            a setting is unknown, impossible or contradicts another
     ├─ PackError                a pattern pack is broken; names file, line and pattern
     ├─ MessageError             what was added is no chat message
     ├─ GrammarError             a finished prompt breaks the chat API's grammar
     ├─ BudgetError              what must be in the prompt does not fit the model's window
     ├─ StoreError               the database refused or could not be reached
     │   ├─ StaleCompactionError   the summary is of turns that changed meanwhile
     │   ├─ SchemaVersionError     the database's schema is older or newer than the code
     │   └─ StoreBusyError         another process holds the database beyond the time limit
    ├─ RecognizerError          entity recognizers failed, or took too long
    ├─ ModelReplyError          a model gave no usable reply; says whether a retry can help
    │   ├─ SummarizerError        … the summarizer's
    │   └─ FactModelError         … the one that proposes facts
    ├─ VaultError               a pseudonym's value cannot be opened with the keys at hand
     └─ ClosedError              the engine is closed, or called from another loop or process

Each keeps its facts as attributes (the keyword arguments it was made with).
No message text and no fact value is ever part of an error.
"""

from __future__ import annotations

__all__ = [
    "BudgetError",
    "ClosedError",
    "FactModelError",
    "GrammarError",
    "MessageError",
    "ModelReplyError",
    "PackError",
    "RecognizerError",
    "SchemaVersionError",
    "SettingsError",
    "StaleCompactionError",
    "StoreBusyError",
    "StoreError",
    "SummarizerError",
    "TieredMemoryError",
    "VaultError",
]


class TieredMemoryError(Exception):
    """Base of all errors of the engine; ``facts`` holds the details by name."""

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.facts = facts

    def __getattr__(self, name: str) -> object:
        """Give a detail by its name, e.g. ``error.line``."""
        facts: dict[str, object] = self.__dict__.get("facts", {})
        try:
            return facts[name]
        except KeyError:
            raise AttributeError(name) from None


class SettingsError(TieredMemoryError):
    """A setting is unknown, of the wrong kind, impossible, or contradicts another.

    Facts: ``field`` (dotted), ``value``, ``file`` where one was read.
    """


class PackError(TieredMemoryError):
    """A pattern pack cannot be used; nothing of it was loaded.

    Facts: ``file``, ``line`` (1-based, or None), ``pattern`` (its id, or None).
    """


class MessageError(TieredMemoryError):
    """What was given is no chat message; nothing was stored.

    Facts: ``position`` (0-based place in the call's list), ``field``.
    """


class GrammarError(TieredMemoryError):
    """A finished prompt breaks the chat API's grammar. Facts: ``problems``."""


class BudgetError(TieredMemoryError):
    """System prompt and newest user message alone pass the model's window.

    Facts: ``needed``, ``available``, ``window``, ``output``, ``reserve``,
    ``tools``, ``system``, ``newest`` (all in tokens).
    """


class StoreError(TieredMemoryError):
    """The database refused a call or could not be reached. Facts: ``target``."""


class StaleCompactionError(StoreError):
    """A fold was not installed: its turns changed or another fold came first."""


class SchemaVersionError(StoreError):
    """The database's schema is not the code's. Facts: ``found``, ``expected``."""


class StoreBusyError(StoreError):
    """Another process holds the database beyond ``storage.busy_timeout_ms``."""


class RecognizerError(TieredMemoryError):
    """Entity recognizers failed, or took too long, where their answer was needed.

    Facts: ``reason`` (``time``, ``crash``, ``error`` or ``closed``), ``deadline_ms``
    where one passed.
    """


class ModelReplyError(TieredMemoryError):
    """A model gave no usable reply.

    Facts: ``retryable`` (bool), ``retry_after_s`` (float or None), ``status``
    (HTTP status or None), ``reason`` (a short code, never the reply's text).
    """


class SummarizerError(ModelReplyError):
    """A summarizer gave no usable reply."""


class FactModelError(ModelReplyError):
    """A model that proposes facts gave no usable reply."""


class VaultError(TieredMemoryError):
    """A pseudonym's value cannot be opened with the keys that there are.

    Facts: ``key_id`` of the key it was sealed with, ``env`` that holds the keys (None
    where none is set).
    """


class ClosedError(TieredMemoryError):
    """The engine is closed, or was called from another event loop or process."""
