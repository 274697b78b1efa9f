"""The chat API's grammar: what it would refuse, and the mended list that it takes."""

from __future__ import annotations

from tiered_memory.chat.healing import Healed, heal
from tiered_memory.chat.pairing import (
    HEAD_ROLES,
    RESULT_ROLES,
    Pairing,
    call_ids,
    interrupted,
    pair,
)
from tiered_memory.chat.validation import Problem, ProblemKind, validate

__all__ = [
    "HEAD_ROLES",
    "RESULT_ROLES",
    "Healed",
    "Pairing",
    "Problem",
    "ProblemKind",
    "call_ids",
    "heal",
    "interrupted",
    "pair",
    "validate",
]
