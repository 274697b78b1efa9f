"""Session states at their latest known revision, least recently used dropped first."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiered_memory.model import AppendResult
    from tiered_memory.state import SessionState

__all__ = ["StateCache"]

BYTES_PER_TOKEN = 6
"""Memory of a cached message per token of it: text, dict and object, measured."""
BYTES_PER_ROW = 900
"""Memory of a cached fact, segment or message beside its text, measured."""
FLOORS = 10_000
"""Sessions whose floor is remembered; far more than reads can be under way."""


class StateCache:
    """States by session under a byte limit; never the only home of anything."""

    def __init__(self, *, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._states: OrderedDict[str, tuple[SessionState, int]] = OrderedDict()
        self._bytes = 0
        self._floors: OrderedDict[str, int] = OrderedDict()

    def __len__(self) -> int:
        return len(self._states)

    def get(self, session_id: str) -> SessionState | None:
        """Give the cached state, or None."""
        entry = self._states.get(session_id)
        if entry is None:
            return None
        self._states.move_to_end(session_id)
        return entry[0]

    def put(self, state: SessionState) -> None:
        """Keep ``state``, unless a newer one of the session is or was here."""
        if state.revision < self._floors.get(state.session_id, 0):
            return
        self._floors.pop(state.session_id, None)
        known = self._states.get(state.session_id)
        if known is not None:
            if known[0].revision > state.revision:
                return
            self._bytes -= known[1]
        size = state_bytes(state)
        self._states[state.session_id] = (state, size)
        self._states.move_to_end(state.session_id)
        self._bytes += size
        while self._bytes > self._limit and len(self._states) > 1:
            _, (_, freed) = self._states.popitem(last=False)
            self._bytes -= freed

    def advance(self, result: AppendResult) -> None:
        """Bring the session's state up to date, or drop it where a step is missing.

        And where an epoch began: it is read from the store.
        """
        if result.repeated:
            return
        state = self.get(result.session_id)
        if state is None:
            return
        if state.revision == result.base_revision and result.epoch_revision is None:
            self.put(state.advanced(result))
        elif state.revision < result.revision:
            self.drop(result.session_id, floor=result.revision)

    def drop(self, session_id: str, *, floor: int) -> None:
        """Forget the session's state; one below revision ``floor`` is not taken again.

        So a read that was under way while the session changed cannot bring back what
        it saw.
        """
        self._floors[session_id] = max(floor, self._floors.get(session_id, 0))
        if len(self._floors) > FLOORS:
            self._floors.popitem(last=False)
        entry = self._states.pop(session_id, None)
        if entry is not None:
            self._bytes -= entry[1]


def state_bytes(state: SessionState) -> int:
    """Estimate the memory that ``state`` holds."""
    rows = len(state.window) + len(state.facts) + len(state.segments) + len(state.vault) + 1
    tokens = sum(m.tokens + m.short_tokens for m in state.window)
    tokens += sum(segment.tokens for segment in state.segments)
    return rows * BYTES_PER_ROW + tokens * BYTES_PER_TOKEN
