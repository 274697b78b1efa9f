"""What a session does with facts: reads them, and takes those that the application sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.arguments import (
    MAX_VALUE,
    check_choice,
    check_key,
    check_moment,
    check_name,
    check_share,
)
from tiered_memory.model import FactDraft, FactStatus
from tiered_memory.state import SessionState, in_focus

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from tiered_memory.facts.pseudonyms import Pseudonyms
    from tiered_memory.model import (
        AppendResult,
        Candidate,
        Cardinality,
        Fact,
        MissingSession,
    )
    from tiered_memory.parts import Parts

__all__ = ["FactCalls"]

CARDINALITIES = ("one", "many")


class FactCalls:
    """The facts of one session; ``Session`` says what each call gives."""

    def __init__(self, parts: Parts, session_id: str, subject: str | None) -> None:
        self._parts = parts
        self._id = session_id
        self._subject = subject

    async def all(
        self,
        *,
        key: str | None,
        owner: str | None,
        history: bool,
        as_of: datetime | None,
    ) -> list[Fact]:
        """Read facts, once the recognizers have read or the deadline has come."""
        for field, value in (("key", key), ("owner", owner)):
            if value is not None:
                check_name(field, value)
        if as_of is not None:
            check_moment("as_of", as_of)
        if self._parts.entities is not None:
            await self._parts.entities.reached(self._id)
        return await self._parts.store.facts(
            self._id, key=key, owner=owner, history=history, as_of=as_of
        )

    async def one(self, key: str, *, owner: str, as_of: datetime | None) -> Fact | None:
        """Read the fact of ``key`` that is in focus."""
        facts = await self.all(key=key, owner=owner, history=False, as_of=as_of)
        return in_focus(facts).get((owner, key))

    async def set(
        self,
        key: str,
        value: str,
        *,
        owner: str,
        type_name: str | None,
        cardinality: Cardinality | None,
        confidence: float,
    ) -> Fact:
        """Store a value; gives its row."""
        check_key("key", key)
        check_key("owner", owner)
        if type_name is not None:
            check_key("type", type_name)
        check_name("value", value, most=MAX_VALUE)
        value = value.strip()
        check_name("value", value, most=MAX_VALUE)
        if cardinality is not None:
            check_choice("cardinality", cardinality, CARDINALITIES)
        check_share("confidence", confidence)
        hidden = await self._pseudonyms()
        candidate = self._parts.intake.given.candidate(
            key,
            value,
            owner=owner,
            type_name=type_name,
            cardinality=cardinality,
            confidence=confidence,
            pseudonyms=hidden,
        )
        result = await self._change([candidate], missing="create", hidden=hidden)
        return next(
            fact
            for fact in (*result.added, *result.changed)
            if fact.status is FactStatus.CURRENT and fact.normalized == candidate.normalized
        )

    async def retract(self, key: str, value: str | None, *, owner: str) -> list[Fact]:
        """Take values back; gives the rows that ended."""
        check_name("key", key)
        check_name("owner", owner)
        if value is not None:
            check_name("value", value, most=MAX_VALUE)
        denials = self._parts.intake.given.denials(
            key, value, owner=owner, pseudonyms=await self._pseudonyms()
        )
        if not denials:
            return []
        result = await self._change(denials, missing="ignore")
        return [f for f in result.changed if f.status is FactStatus.RETRACTED]

    async def _pseudonyms(self) -> Pseudonyms | None:
        """Give the session's pseudonyms, where there is a vault."""
        if not self._parts.intake.has_vault:
            return None
        state = self._parts.cache.get(self._id) or await self._parts.store.load(self._id)
        return self._parts.intake.pseudonyms(state or SessionState.empty(self._id))

    async def _change(
        self,
        candidates: Iterable[Candidate],
        *,
        missing: MissingSession,
        hidden: Pseudonyms | None = None,
    ) -> AppendResult:
        draft = FactDraft(
            session_id=self._id,
            subject=self._subject,
            candidates=tuple((None, candidate) for candidate in candidates),
            created_at=self._parts.clock.now(),
            missing=missing,
            vault=self._parts.intake.new_values(self._id, hidden),
        )
        result = await self._parts.store.change_facts(draft, self._parts.resolve)
        self._parts.cache.advance(result)
        return result
