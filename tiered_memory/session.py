"""One conversation: messages in, prompts out, facts and summary to look at."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, overload

import anyio
from anyio import to_thread

from tiered_memory.arguments import check_build, check_count
from tiered_memory.fact_calls import FactCalls
from tiered_memory.intake import as_payloads, is_long
from tiered_memory.model import Event, Receipt
from tiered_memory.state import SessionState

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from datetime import datetime

    from tiered_memory.intake import Intake
    from tiered_memory.model import (
        AppendResult,
        Candidate,
        Cardinality,
        CompactionRecord,
        CompactionResult,
        Draft,
        Fact,
        Message,
        Payload,
        Prompt,
        Segment,
    )
    from tiered_memory.parts import Parts
    from tiered_memory.prompt.builder import BuildTrace
    from tiered_memory.revealing import Dumpable

__all__ = ["Session"]

T = TypeVar("T")

INLINE_CHARS = 4_096
"""Texts up to here are read on the loop: below 1 ms, where a thread hop costs 0.2."""
INLINE_TOKENS = 8_192
"""A message above it may have to be shortened, which takes milliseconds: off the loop."""
PAGE = 256


class Session:
    """A conversation of ``memory.session(id)``; making one costs nothing.

    Calls of one session run in order; sessions do not wait for one another. All
    methods raise ``ClosedError`` once the engine is closed.
    """

    def __init__(
        self,
        parts: Parts,
        session_id: str,
        *,
        subject: str | None,
        system_prompt: str | None,
        lock: anyio.Lock | None = None,
    ) -> None:
        self._parts = parts
        self._id = session_id
        self._subject = subject
        self._system_prompt = system_prompt
        self.lock = lock or anyio.Lock()
        self._trace: BuildTrace | None = None
        self._facts = FactCalls(parts, session_id, subject)

    @property
    def session_id(self) -> str:
        """The name that it was asked for by."""
        return self._id

    @property
    def subject(self) -> str | None:
        """The person behind it, as given to ``memory.session``."""
        return self._subject

    @property
    def system_prompt(self) -> str | None:
        """What stands in for ``settings.system_prompt`` here, if anything."""
        return self._system_prompt

    # -- in -------------------------------------------------------------------

    async def add(self, message: object, *, message_id: str | None = None) -> Receipt:
        """Store a message or a list of them; durable when this returns.

        Takes chat dicts and the SDK's objects, masks what is secret, reads facts from
        user text. A list is one transaction. Costs one transaction (shared with other
        sessions' messages); never waits for a model. Order that is damaged is stored
        as it comes and healed in prompts.

        A cancelled call may have been stored: give ``message_id`` to repeat it safely.

        Raises:
            MessageError: something is no chat message; nothing was stored.
            RecognizerError: types that recognizers find are to be masked, and they did
                not answer within ``ner.deadline_ms``; nothing was stored.
            StoreError: the database refused; nothing was stored.
        """
        self._parts.check()
        inline = not is_long(message, limit=INLINE_CHARS)
        payloads = await self._worked(inline, partial(as_payloads, message))
        async with self.lock:
            # Both of one set of patterns, to the end, whatever is reloaded meanwhile.
            guard, intake = self._parts.guard, self._parts.intake
            entities = () if guard is None else await guard.entities(payloads)
            state = await self._known()
            while True:
                draft = await self._worked(
                    inline,
                    partial(self._draft, intake, state, payloads, message_id, entities),
                )
                if not draft.messages and draft.head is None:
                    return _unchanged(state)
                result = await self._parts.store.append(draft, self._parts.resolve)
                if result is not None:
                    break
                state = await self._load()
            self._parts.cache.advance(result)
        self._after(draft, result)
        return self._receipt(draft, result)

    def _draft(
        self,
        intake: Intake,
        state: SessionState,
        payloads: Sequence[Payload],
        message_id: str | None,
        entities: Sequence[Sequence[Candidate]],
    ) -> Draft:
        return intake.draft(
            state,
            payloads,
            subject=self._subject,
            system_prompt=self._system_prompt if state.head is None else None,
            message_id=message_id,
            entities=entities,
            now=self._parts.clock.now(),
        )

    async def _worked(self, inline: bool, work: Callable[[], T]) -> T:
        """Do pure work here, or off the loop where it may take long."""
        if inline:
            return work()
        return await to_thread.run_sync(work, limiter=self._parts.readers)

    def _after(self, draft: Draft, result: AppendResult) -> None:
        """Set the background to work on what was stored; waits for nothing."""
        if result.repeated:
            return
        self._parts.counts.messages += len(result.messages)
        if self._parts.entities is not None:
            self._parts.entities.submit(self._id, result.messages, draft.candidates)
        if self._parts.facts is not None:
            seqs = (result.first_seq + place for place in draft.asks)
            self._parts.facts.submit(self._id, seqs)
        state = self._parts.cache.get(self._id)
        if state is not None:
            self._parts.compactor.nudge(state)

    def _receipt(self, draft: Draft, result: AppendResult) -> Receipt:
        touched = (*result.added, *result.changed)
        facts = tuple(fact for fact in touched if fact.ended_revision is None)
        return Receipt(
            first_seq=result.first_seq,
            last_seq=result.last_seq,
            facts=facts,
            masked={} if result.repeated else draft.masked_counts,
            tokens=sum(message.tokens for message in result.messages),
            oversized=tuple(
                message.seq
                for message in result.messages
                if self._parts.intake.oversized(message.payload)
            ),
            repeated=result.repeated,
        )

    # -- out ------------------------------------------------------------------

    async def build(
        self,
        *,
        system: str | None = None,
        model: str | None = None,
        max_output_tokens: int | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> Prompt:
        """Assemble the request's messages: system, examples, summary, facts, recent.

        ``system``, ``model`` and ``max_output_tokens`` stand in for the settings in
        this call. Costs one indexed read while ``storage.shared``, no model call and
        no waiting; the same state gives the same bytes.

        Raises:
            BudgetError: system prompt and newest user message pass the model's window.
            GrammarError: the finished list breaks the API's grammar (a fault here).
        """
        self._parts.check()
        check_build(
            system=system, model=model, max_output_tokens=max_output_tokens, tools=tools
        )
        state = await self._current()
        if system is None and state.head is None:
            system = self._system_prompt
        make = partial(
            self._parts.builder.build,
            state,
            system=system,
            model=model,
            max_output_tokens=max_output_tokens,
            tools=tools,
            previous=self._trace,
        )
        inline = all(message.tokens <= INLINE_TOKENS for message in state.window)
        prompt, self._trace = await self._worked(inline, make)
        self._parts.counts.prompts += 1
        if prompt.repairs:
            self._parts.counts.repairs += len(prompt.repairs)
            kinds = sorted({repair.kind for repair in prompt.repairs})
            self._parts.tell(
                Event(
                    kind="healed",
                    session_id=self._id,
                    details={"repairs": len(prompt.repairs), "kinds": kinds},
                )
            )
        return prompt

    @overload
    async def reveal(self, given: str) -> str: ...
    @overload
    async def reveal(self, given: Mapping[str, Any] | Dumpable) -> dict[str, Any]: ...
    async def reveal(
        self, given: str | Mapping[str, Any] | Dumpable
    ) -> str | dict[str, Any]:
        """Put the real values back where this session's pseudonyms stand.

        For what leaves the engine: a reply to show, a call's arguments to run. Takes a
        text (JSON text stays JSON, its escapes seen to), a message or any other dict, or
        the SDK's object; gives a copy. What is no pseudonym of this session stays as it
        is. Values are as the customer wrote them first. One read while ``storage.shared``.

        Raises:
            VaultError: a value cannot be opened with the keys that there are.
            MessageError: ``given`` is nothing of that kind.
        """
        self._parts.check()
        state = await self._current()
        inline = not is_long(given, limit=INLINE_CHARS)
        shown: str | dict[str, Any] = await self._worked(
            inline, partial(self._parts.revealer.reveal, state, given)
        )
        return shown

    # -- facts ------------------------------------------------------------------

    async def facts(
        self,
        *,
        key: str | None = None,
        owner: str | None = "self",
        history: bool = False,
        as_of: datetime | None = None,
    ) -> list[Fact]:
        """Give the stored facts, oldest first; current ones only without ``history``.

        ``owner=None`` gives everybody's. ``as_of``, a time with its zone, gives what was
        known then, each row as it stood. Waits for the recognizers to have read what was
        added, at most ``ner.deadline_ms``; one read, two with ``as_of``.

        Raises:
            SettingsError: ``as_of`` has no time zone.
        """
        self._parts.check()
        return await self._facts.all(key=key, owner=owner, history=history, as_of=as_of)

    async def fact(
        self, key: str, *, owner: str = "self", as_of: datetime | None = None
    ) -> Fact | None:
        """Give the current fact of ``key``; of many, the one in focus.

        That is the one that the customer stated or spoke of last ("where is my order
        A8801?"), or the application set since.
        """
        self._parts.check()
        return await self._facts.one(key, owner=owner, as_of=as_of)

    async def set_fact(
        self,
        key: str,
        value: str,
        *,
        owner: str = "self",
        type: str | None = None,
        cardinality: Cardinality | None = None,
        confidence: float = 1.0,
    ) -> Fact:
        """Store a value that the application knows; durable when this returns.

        It takes the place of the customer's value of that key, and gives way to what the
        customer says later. What it is stored as (normal form, cardinality, masking) is
        for the packs, where they know the key or the type; ``cardinality`` stands in for
        theirs. The same value again is only seen. A session that is not stored is made.
        One transaction; gives the row, with ``source`` ``"api"`` and no place.

        Raises:
            MessageError: key, value or owner cannot be stored, or the value holds a
                secret or is not of its type's form.
            StoreError: the database refused, or the session is another subject's.
        """
        self._parts.check()
        async with self.lock:
            return await self._facts.set(
                key,
                value,
                owner=owner,
                type_name=type,
                cardinality=cardinality,
                confidence=confidence,
            )

    async def retract_fact(
        self, key: str, value: str | None = None, *, owner: str = "self"
    ) -> list[Fact]:
        """Take a value back, or all current ones of ``key``; durable when this returns.

        Further values (``phone.alternate``) go with their key's. The rows stay in the
        history and messages as they are; in the summary a marker takes the value's place.
        One transaction; gives the rows that ended, none where there were none.
        """
        self._parts.check()
        async with self.lock:
            return await self._facts.retract(key, value, owner=owner)

    async def history(
        self, start: int | None = None, limit: int | None = None
    ) -> AsyncIterator[Message]:
        """Give the messages as stored (masked), oldest first, from seq ``start`` on.

        One read for each 256; nothing is held between them.
        """
        if start is not None:
            check_count("start", start, least=1)
        if limit is not None:
            check_count("limit", limit, least=0)
        after = (start or 1) - 1
        left = limit
        while left is None or left > 0:
            self._parts.check()
            size = PAGE if left is None else min(PAGE, left)
            page = await self._parts.store.history(self._id, after=after, limit=size)
            for message in page:
                yield message
            if len(page) < size:
                return
            after = page[-1].seq
            left = None if left is None else left - len(page)

    # -- summary ----------------------------------------------------------------

    async def compact(self, *, force: bool = False) -> CompactionResult:
        """Fold now what may leave the window; ``force`` does not wait for the marks.

        Waits for the summarizer. Any failure leaves everything as it was and is in
        the result.
        """
        self._parts.check()
        return await self._parts.compactor.compact(self._id, force=force)

    async def summary(self) -> list[Segment]:
        """Give the rolling summary's segments, oldest first, with values in place."""
        self._parts.check()
        state = await self._current()
        return list(state.rendered_segments())

    async def compactions(self) -> list[CompactionRecord]:
        """Give the record of every try at compaction, oldest first."""
        self._parts.check()
        return await self._parts.store.compactions(self._id)

    async def settled(self) -> None:
        """Wait for this session's background work: recognizers, model, compaction.

        Bounded: for recognizers by ``ner.deadline_ms``, for the model that proposes
        facts by the tries of one call (``facts.llm.timeout_s``).
        """
        self._parts.check()
        if self._parts.entities is not None:
            await self._parts.entities.reached(self._id)
        if self._parts.facts is not None:
            await self._parts.facts.reached(self._id)
        await self._parts.compactor.settled(self._id)

    # -- state --------------------------------------------------------------------

    async def _known(self) -> SessionState:
        """Give the cached state, which may be behind another process's writes."""
        return self._parts.cache.get(self._id) or await self._load()

    async def _current(self) -> SessionState:
        """Give the state of now; one read of the revision where others may write."""
        state = self._parts.cache.get(self._id)
        if state is None:
            return await self._load()
        if self._parts.shared and (
            await self._parts.store.revision(self._id) > state.revision
        ):
            return await self._load()
        return state

    async def _load(self) -> SessionState:
        state = await self._parts.store.load(self._id)
        if state is None:
            state = SessionState.empty(self._id, self._subject)
        else:
            state = self._parts.intake.counted(state)
            self._parts.cache.put(state)
        return state


def _unchanged(state: SessionState) -> Receipt:
    """Give the receipt of an ``add`` whose messages repeat the head as it stands."""
    return Receipt(
        first_seq=state.next_seq,
        last_seq=state.next_seq - 1,
        facts=(),
        masked={},
        tokens=0,
    )
