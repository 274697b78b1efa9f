"""Stored user messages that no recognizer has read: found, and made into jobs again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyio import to_thread

from tiered_memory.chat.leaves import text_leaves
from tiered_memory.chat.messages import plain_text
from tiered_memory.entity_jobs import EntityJob, Gaps
from tiered_memory.facts.entities import EntityText

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from tiered_memory.model import Candidate, Message
    from tiered_memory.store.store import Store

    Rules = Callable[[str, str | None, str], Sequence[Candidate]]

__all__ = ["CatchUp", "job_of"]

PAGE = 256
TRIES = 6
"""A session whose messages failed so often is left to the next open."""
PAUSE_S = 5.0
"""Before it is tried again; four times as long after each failure."""


def job_of(
    session_id: str, message: Message, taken: Sequence[Candidate], *, max_chars: int
) -> EntityJob:
    """Give the job of a user message, of which ``taken`` is what rules found.

    Of a long text the beginning is read, as far as rules read it.
    """
    texts = tuple(
        EntityText(
            text=leaf.text[:max_chars],
            part=leaf.part,
            taken=tuple((c.start, c.end) for c in taken if c.part == leaf.part),
        )
        for leaf in text_leaves(message.payload)
        if not leaf.extra
    )
    return EntityJob(session_id=session_id, seq=message.seq, texts=texts)


class CatchUp:
    """Looks through the sessions once after the engine was opened, and wherever told.

    ``rules`` reads a text (with the assistant's question, and the text's part) as ``add``
    did, so that a recognizer takes nothing that rules hold.
    """

    def __init__(self, store: Store, rules: Rules, *, max_chars: int) -> None:
        self._store = store
        self._rules = rules
        self._max_chars = max_chars
        self._cursor = ""
        self._scanned = False
        self._sure: set[str] = set()
        self.gaps = Gaps(tries=TRIES, pause_s=PAUSE_S)

    @property
    def scanned(self) -> bool:
        """Whether every session was looked at since the engine was opened."""
        return self._scanned

    def ask_for(self, session_id: str) -> None:
        """See to it that the session is looked at next, if it was not yet."""
        unsure = not self._scanned and session_id > self._cursor
        if session_id in self.gaps or (unsure and session_id not in self._sure):
            self.gaps.add(session_id, first=True)

    async def scan(self) -> None:
        """Note the next sessions with unread messages; one query."""
        found = await self._store.unread_entities(after=self._cursor, limit=PAGE)
        for session_id, _, _ in found:
            if session_id not in self._sure:
                self.gaps.add(session_id)
        if len(found) == PAGE:
            self._cursor = found[-1][0]
        else:
            self._scanned = True
            self._sure.clear()

    async def jobs(self, session_id: str) -> AsyncIterator[list[EntityJob]]:
        """Give the session's unread user messages, oldest first, a page at a time."""
        after = await self._store.entities_seq(session_id)
        question: str | None = None
        while True:
            page = await self._store.history(session_id, after=after, limit=PAGE)
            jobs: list[EntityJob] = []
            for message in page:
                if message.role == "user":
                    taken = await to_thread.run_sync(self._taken, message, question)
                    jobs.append(
                        job_of(session_id, message, taken, max_chars=self._max_chars)
                    )
                    question = None if taken else question
                elif message.role == "assistant":
                    question = plain_text(message.payload) or question
            yield jobs
            if len(page) < PAGE:
                return
            after = page[-1].seq

    def done(self, session_id: str) -> None:
        """Note that all of the session was read."""
        self.gaps.done(session_id)
        if not self._scanned:
            self._sure.add(session_id)

    def _taken(self, message: Message, question: str | None) -> list[Candidate]:
        found: list[Candidate] = []
        for leaf in text_leaves(message.payload):
            if not leaf.extra:
                found += self._rules(leaf.text, question, leaf.part)
        return found
