"""Tiered conversation memory for customer-service chat agents.

``MemoryEngine.open(target)`` gives the engine, ``memory.session(id)`` a conversation;
``session.add`` takes messages in, ``session.build`` gives the prompt to send.
"""

from __future__ import annotations

from tiered_memory.engine import MemoryEngine
from tiered_memory.errors import (
    BudgetError,
    ClosedError,
    GrammarError,
    MessageError,
    PackError,
    SchemaVersionError,
    SettingsError,
    StaleCompactionError,
    StoreBusyError,
    StoreError,
    SummarizerError,
    TieredMemoryError,
)
from tiered_memory.model import (
    Budget,
    CompactionRecord,
    CompactionResult,
    CompactionStatus,
    Event,
    Extraction,
    Fact,
    FactStatus,
    Message,
    Metrics,
    Omission,
    Prompt,
    Reason,
    Receipt,
    Repair,
    Segment,
    SessionInfo,
)
from tiered_memory.ports import (
    Clock,
    Entity,
    EntityRecognizer,
    Summarizer,
    SummaryReply,
    SummaryRequest,
    TokenCounter,
)
from tiered_memory.session import Session
from tiered_memory.settings import Settings

__all__ = [
    "Budget",
    "BudgetError",
    "Clock",
    "ClosedError",
    "CompactionRecord",
    "CompactionResult",
    "CompactionStatus",
    "Entity",
    "EntityRecognizer",
    "Event",
    "Extraction",
    "Fact",
    "FactStatus",
    "GrammarError",
    "MemoryEngine",
    "Message",
    "MessageError",
    "Metrics",
    "Omission",
    "PackError",
    "Prompt",
    "Reason",
    "Receipt",
    "Repair",
    "SchemaVersionError",
    "Segment",
    "Session",
    "SessionInfo",
    "Settings",
    "SettingsError",
    "StaleCompactionError",
    "StoreBusyError",
    "StoreError",
    "Summarizer",
    "SummarizerError",
    "SummaryReply",
    "SummaryRequest",
    "TieredMemoryError",
    "TokenCounter",
]
