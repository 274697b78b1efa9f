"""What waits for the recognizers: messages to read, and sessions to catch up with."""

from __future__ import annotations

import heapq
from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.facts.entities import EntityText

__all__ = ["EntityJob", "EntityQueue", "Gaps", "in_batches"]

BATCH_CHARS = 16_384
"""A batch holds no more, but for a single longer message: below a second of work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityJob:
    """A stored user message to be read."""

    session_id: str
    seq: int
    texts: tuple[EntityText, ...]

    @property
    def chars(self) -> int:
        """Characters of its texts."""
        return sum(len(text.text) for text in self.texts)


class EntityQueue:
    """Jobs in order of arrival, bounded by texts and by characters."""

    def __init__(self, *, texts: int, chars: int) -> None:
        self._limits = (texts, chars)
        self._jobs: deque[EntityJob] = deque()
        self._waiting: dict[str, int] = {}
        self.texts = 0
        self.chars = 0

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def holds(self, session_id: str) -> bool:
        """Tell whether a message of the session waits."""
        return session_id in self._waiting

    def push(self, job: EntityJob) -> list[EntityJob]:
        """Take ``job`` in; give those that had to leave for it, oldest first."""
        self._jobs.append(job)
        self._waiting[job.session_id] = self._waiting.get(job.session_id, 0) + 1
        self.texts += len(job.texts)
        self.chars += job.chars
        dropped: list[EntityJob] = []
        while len(self._jobs) > 1 and (
            self.texts > self._limits[0] or self.chars > self._limits[1]
        ):
            dropped.append(self._pop())
        return dropped

    def take(self, texts: int) -> list[EntityJob]:
        """Give the next batch: at least one job, up to ``texts`` and ``BATCH_CHARS``."""
        taken = [self._pop()]
        room, chars = texts - len(taken[0].texts), BATCH_CHARS - taken[0].chars
        while self._jobs:
            job = self._jobs[0]
            room, chars = room - len(job.texts), chars - job.chars
            if room < 0 or chars < 0:
                break
            taken.append(self._pop())
        return taken

    def _pop(self) -> EntityJob:
        job = self._jobs.popleft()
        self.texts -= len(job.texts)
        self.chars -= job.chars
        left = self._waiting.pop(job.session_id) - 1
        if left:
            self._waiting[job.session_id] = left
        return job


def in_batches(jobs: Sequence[EntityJob], texts: int) -> list[list[EntityJob]]:
    """Cut ``jobs`` into batches as a queue would."""
    queue = EntityQueue(texts=1 << 62, chars=1 << 62)
    for job in jobs:
        queue.push(job)
    batches: list[list[EntityJob]] = []
    while queue:
        batches.append(queue.take(texts))
    return batches


class Gaps:
    """Sessions with messages that were stored and not read; put off after failures.

    Each holds its name and a number: some hundred bytes.
    """

    def __init__(self, *, tries: int, pause_s: float) -> None:
        self._tries = tries
        self._pause_s = pause_s
        self._ready: OrderedDict[str, None] = OrderedDict()
        self._later: list[tuple[float, str]] = []
        self._failures: dict[str, int] = {}

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._ready

    def add(self, session_id: str, *, first: bool = False) -> None:
        """Note that the session is to be read again; ``first`` puts it before others."""
        self._ready.setdefault(session_id, None)
        if first:
            self._ready.move_to_end(session_id, last=False)

    def failed(self, session_id: str, now: float) -> bool:
        """Put the session off, longer each time; False once it is left to the next open."""
        self._ready.pop(session_id, None)
        failures = self._failures.get(session_id, 0) + 1
        self._failures[session_id] = failures
        if failures >= self._tries:
            return False
        if all(name != session_id for _, name in self._later):
            pause = self._pause_s * 4 ** (failures - 1)
            heapq.heappush(self._later, (now + pause, session_id))
        return True

    def done(self, session_id: str) -> None:
        """Forget the session: all of it is read."""
        self._ready.pop(session_id, None)
        self._failures.pop(session_id, None)

    def next(self, now: float) -> str | None:
        """Give the session to be read next; it stays until ``done`` or ``failed``."""
        while self._later and self._later[0][0] <= now:
            self.add(heapq.heappop(self._later)[1])
        return next(iter(self._ready), None)

    def due(self) -> float | None:
        """Give when the next session that was put off is due, on the caller's clock."""
        return self._later[0][0] if self._later else None
