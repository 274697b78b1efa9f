"""How long something rests after a failure, by name; in memory, one a process."""

from __future__ import annotations

import random
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["Breaker", "Rest"]

FIRST_S = 2.0
LONGEST_S = 300.0
"""Rest after the first failure, doubled with each, and at most; half of it by chance,
so that sessions that failed together do not come back together."""

KEPT = 10_000
"""Sessions whose failures are remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """Failures in a row, and the time (seconds since 1970) before which none is tried."""

    failures: int
    retry_at: float


class Breaker:
    """Counts failures in a row by session and says when the next try may come."""

    def __init__(self, *, seed: int | None = None) -> None:
        self._rests: OrderedDict[str, Rest] = OrderedDict()
        self._random = random.Random(seed)

    def failures(self, session_id: str) -> int:
        """Give the failures in a row."""
        rest = self._rests.get(session_id)
        return 0 if rest is None else rest.failures

    def rests(self, session_id: str, now: datetime) -> bool:
        """Tell whether the session's next try must still wait."""
        rest = self._rests.get(session_id)
        return rest is not None and now.timestamp() < rest.retry_at

    def left(self, session_id: str, now: datetime) -> float:
        """Give the seconds that the session's next try must still wait; 0 for none."""
        rest = self._rests.get(session_id)
        return 0.0 if rest is None else max(0.0, rest.retry_at - now.timestamp())

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._rests

    def failed(
        self, session_id: str, now: datetime, *, retry_after_s: float | None = None
    ) -> Rest:
        """Count a failure; the rest is no shorter than what the server asked for."""
        failures = self.failures(session_id) + 1
        wait = min(LONGEST_S, FIRST_S * 2.0 ** min(failures - 1, 16))
        wait *= 0.5 + 0.5 * self._random.random()
        rest = Rest(
            failures=failures,
            retry_at=now.timestamp() + max(wait, retry_after_s or 0.0),
        )
        self._rests[session_id] = rest
        self._rests.move_to_end(session_id)
        if len(self._rests) > KEPT:
            self._rests.popitem(last=False)
        return rest

    def worked(self, session_id: str) -> None:
        """Forget the session's failures."""
        self._rests.pop(session_id, None)
