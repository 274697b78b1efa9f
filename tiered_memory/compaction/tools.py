"""What folds need of the rest of the engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import anyio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tiered_memory.breaker import Breaker
    from tiered_memory.chat.tokens import MessageCounter
    from tiered_memory.model import (
        CompactionRecord,
        Event,
        FoldCommit,
        Identifier,
        Message,
        Reference,
    )
    from tiered_memory.ports import Clock, Summarizer
    from tiered_memory.settings import Settings
    from tiered_memory.state import SessionState

__all__ = ["CompactionStore", "Tools"]

READERS = 2
"""Threads that read turns for a summarizer."""


class CompactionStore(Protocol):
    """What a fold needs of the store; each method is one transaction."""

    async def load(self, session_id: str) -> SessionState | None:
        """Give the session's state, or None."""
        ...

    async def history(self, session_id: str, *, after: int, limit: int) -> list[Message]:
        """Give the messages behind seq ``after``, oldest first."""
        ...

    async def claim(
        self,
        session_id: str,
        *,
        owner: str,
        ttl_s: float,
        boundary_seq: int,
        generation: int,
    ) -> bool:
        """Lease the session to ``owner``; False where another has it or it moved."""
        ...

    async def renew(self, session_id: str, *, owner: str, ttl_s: float) -> bool:
        """Lengthen the lease; False where it is lost."""
        ...

    async def release(self, session_id: str, *, owner: str) -> None:
        """Give the lease back."""
        ...

    async def reserve_references(
        self, session_id: str, identifiers: Sequence[Identifier]
    ) -> list[Reference]:
        """Give each identifier's reference, in order."""
        ...

    async def commit_fold(self, commit: FoldCommit) -> int:
        """Install a fold and give the new revision, or raise StaleCompactionError."""
        ...

    async def record_compaction(
        self,
        session_id: str,
        record: CompactionRecord,
        *,
        failures: int,
        retry_at: float | None,
    ) -> None:
        """Keep the record of a try that changed nothing."""
        ...


@dataclass(slots=True, kw_only=True)
class Tools:
    """What all folds of a compactor share.

    ``hopeless`` are segments, by session and id, that the model could not better.
    """

    store: CompactionStore
    settings: Settings
    counter: MessageCounter
    summarizer: Summarizer
    method: str
    find_identifiers: Callable[[str], list[Identifier]]
    entities_reached: Callable[[str, int], Awaitable[None]]
    clock: Clock
    owner: str
    on_event: Callable[[Event], None]
    folded: Callable[[str, int], Awaitable[None] | None]
    breaker: Breaker
    due: Callable[[SessionState], str | None]
    hopeless: dict[tuple[str, int], None] = field(
        default_factory=dict[tuple[str, int], None]
    )
    threads: anyio.CapacityLimiter = field(
        default_factory=lambda: anyio.CapacityLimiter(READERS)
    )
