"""What an open engine hands to its sessions."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tiered_memory.errors import ClosedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import anyio

    from tiered_memory.cache import StateCache
    from tiered_memory.compaction.compactor import Compactor
    from tiered_memory.entity_guard import EntityGuard
    from tiered_memory.entity_worker import EntityWorker
    from tiered_memory.fact_worker import FactWorker
    from tiered_memory.intake import Intake
    from tiered_memory.model import Candidate, Event, Fact, FactChanges
    from tiered_memory.ports import Clock
    from tiered_memory.prompt.builder import PromptBuilder
    from tiered_memory.revealing import Revealer
    from tiered_memory.store.store import Store

__all__ = ["Counts", "Parts"]


@dataclass(slots=True)
class Counts:
    """Running counts behind ``memory.metrics()``."""

    messages: int = 0
    prompts: int = 0
    repairs: int = 0
    folds: int = 0
    fold_failures: int = 0
    background_errors: int = 0


@dataclass(slots=True, kw_only=True)
class Parts:
    """The open engine's parts.

    ``closed`` changes, and with new patterns ``intake`` and ``guard``.
    """

    store: Store
    intake: Intake
    revealer: Revealer
    builder: PromptBuilder
    compactor: Compactor
    entities: EntityWorker | None
    facts: FactWorker | None
    guard: EntityGuard | None
    cache: StateCache
    clock: Clock
    resolve: Callable[[Sequence[Candidate], Sequence[Fact]], FactChanges]
    readers: anyio.CapacityLimiter
    tell: Callable[[Event], None]
    shared: bool
    loop: asyncio.AbstractEventLoop
    pid: int
    counts: Counts = field(default_factory=Counts)
    closed: bool = False

    def check(self) -> None:
        """Refuse calls that cannot work.

        Raises:
            ClosedError: closed, another event loop, or a forked process.
        """
        if self.closed:
            raise ClosedError("the engine is closed; open a new one")
        if os.getpid() != self.pid:
            raise ClosedError(
                "the engine was opened before a fork; open one in each process"
            )
        if asyncio.get_running_loop() is not self.loop:
            raise ClosedError(
                "the engine belongs to another event loop; open one in each loop"
            )
