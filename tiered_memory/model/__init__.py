"""The values that travel between the stages: frozen, keyword-only, without decisions."""

from __future__ import annotations

from tiered_memory.model.drafts import (
    AppendResult,
    Draft,
    FactDraft,
    MissingSession,
    ProposalDraft,
    Receipt,
)
from tiered_memory.model.facts import (
    Candidate,
    Cardinality,
    Extraction,
    Fact,
    FactChanges,
    FactStatus,
    Identifier,
    Polarity,
    Reason,
    Reference,
    Source,
    VaultEntry,
)
from tiered_memory.model.folds import (
    CompactionRecord,
    CompactionResult,
    CompactionStatus,
    FoldCommit,
    Segment,
)
from tiered_memory.model.messages import (
    Head,
    Message,
    NewMessage,
    Payload,
    SessionInfo,
)
from tiered_memory.model.prompts import (
    Budget,
    Omission,
    Prompt,
    Repair,
    RequestOptions,
)
from tiered_memory.model.reports import (
    Event,
    Metrics,
    PatternReload,
)

__all__ = [
    "AppendResult",
    "Budget",
    "Candidate",
    "Cardinality",
    "CompactionRecord",
    "CompactionResult",
    "CompactionStatus",
    "Draft",
    "Event",
    "Extraction",
    "Fact",
    "FactChanges",
    "FactDraft",
    "FactStatus",
    "FoldCommit",
    "Head",
    "Identifier",
    "Message",
    "Metrics",
    "MissingSession",
    "NewMessage",
    "Omission",
    "PatternReload",
    "Payload",
    "Polarity",
    "Prompt",
    "ProposalDraft",
    "Reason",
    "Receipt",
    "Reference",
    "Repair",
    "RequestOptions",
    "Segment",
    "SessionInfo",
    "Source",
    "VaultEntry",
]
