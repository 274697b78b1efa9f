"""Opens and closes everything, and hands out sessions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from tiered_memory.arguments import (
    MAX_VALUE,
    check_count,
    check_moment,
    check_name,
    check_text,
)
from tiered_memory.facts.corrections import ALTERNATE
from tiered_memory.model import Metrics
from tiered_memory.opening import Plan, SystemClock, open_parts
from tiered_memory.session import Session
from tiered_memory.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType

    from sqlalchemy import URL
    from sqlalchemy.ext.asyncio import AsyncEngine

    from tiered_memory.model import Event, Extraction, PatternReload, SessionInfo
    from tiered_memory.opening import Resources
    from tiered_memory.parts import Parts
    from tiered_memory.ports import (
        Clock,
        EntityRecognizer,
        FactModel,
        Summarizer,
        TokenCounter,
    )

__all__ = ["MemoryEngine"]


class MemoryEngine:
    """The memory of many conversations in one database.

    Make one with ``MemoryEngine.open(...)``, one for each event loop; it is cheap to
    share and expensive to open (vocabulary, patterns, recognizers).
    """

    def __init__(self, parts: Parts, resources: Resources) -> None:
        self._parts = parts
        self._resources = resources
        self._sessions: WeakValueDictionary[str, Session] = WeakValueDictionary()
        self._closing: asyncio.Task[None] | None = None

    @staticmethod
    def open(
        target: str | Path | URL | AsyncEngine,
        *,
        settings: Settings | None = None,
        summarizer: Summarizer | None = None,
        recognizers: Mapping[str, EntityRecognizer] | None = None,
        fact_model: FactModel | None = None,
        token_counter: TokenCounter | None = None,
        clock: Clock | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> _Opening:
        """Open the database at ``target`` and start the background tasks.

        Use as ``async with MemoryEngine.open(...) as memory`` or
        ``memory = await MemoryEngine.open(...)`` and later ``await memory.aclose()``.

        Args:
            target: a path, ``":memory:"``, an SQLAlchemy async URL, or an
                ``AsyncEngine`` (borrowed: not closed).
            settings: defaults, overridden by ``TIERED_MEMORY_*``, when None.
            summarizer: in place of the one that ``settings.llm`` says.
            recognizers: by language (``"zh"``, ``"en"``), in place of ``settings.ner``;
                their labels are fact types.
            fact_model: in place of the one that ``settings.facts.llm`` says; it is asked
                about messages that neither patterns nor recognizers found a fact in.
            token_counter: in place of the model's tokenizer.
            clock: in place of the machine's.
            on_event: hears folds, repairs and failures of background work; called on
                the event loop, must not block.

        Raises:
            SettingsError, PackError, SchemaVersionError, StoreError: on ``await``.
        """
        return _Opening(
            Plan(
                target=target,
                settings=settings or Settings.from_environment(),
                summarizer=summarizer,
                recognizers=recognizers,
                fact_model=fact_model,
                token_counter=token_counter,
                clock=clock or SystemClock(),
                on_event=on_event,
            )
        )

    def session(
        self,
        session_id: str,
        *,
        subject: str | None = None,
        system_prompt: str | None = None,
    ) -> Session:
        """Give the conversation of that name; no I/O, made in the store at first ``add``.

        Args:
            session_id: any text of 1 to 255 characters.
            subject: the person behind it; fixed by the first ``add``.
            system_prompt: in place of ``settings.system_prompt``, for this session.

        Raises:
            MessageError: an id is empty, too long, or holds what no database stores; or
                ``system_prompt`` is no text.
        """
        self._parts.check()
        check_name("session_id", session_id)
        if subject is not None:
            check_name("subject", subject)
        if system_prompt is not None:
            check_text("system_prompt", system_prompt)
        known = self._sessions.get(session_id)
        if (
            known is not None
            and known.subject == subject
            and known.system_prompt == system_prompt
        ):
            return known
        session = Session(
            self._parts,
            session_id,
            subject=subject,
            system_prompt=system_prompt,
            lock=None if known is None else known.lock,
        )
        self._sessions[session_id] = session
        return session

    async def sessions(
        self, *, subject: str | None = None, limit: int = 100, after: str | None = None
    ) -> list[SessionInfo]:
        """Give stored sessions by id, those behind ``after`` first; one read."""
        self._parts.check()
        check_count("limit", limit, least=1)
        for field, value in (("subject", subject), ("after", after)):
            if value is not None:
                check_name(field, value)
        return await self._parts.store.sessions(subject=subject, limit=limit, after=after)

    async def find_sessions(
        self, key: str, value: str, *, limit: int = 100, after: str | None = None
    ) -> list[SessionInfo]:
        """Give sessions where ``value`` is a current fact of ``key``, anybody's, by id.

        Spelling does not count: values are compared in their normal form. One indexed
        read. A masked value is stored, and so found, by what its marker shows: a card
        number gives every session with a card of the same last digits; a type of which
        nothing is shown, or nothing is stored, is not found.
        """
        self._parts.check()
        check_count("limit", limit, least=1)
        check_name("key", key)
        check_name("value", value, most=MAX_VALUE)
        if after is not None:
            check_name("after", after)
        return await self._parts.store.sessions_with(
            (key, key + ALTERNATE),
            self._parts.intake.given.forms(key, value),
            limit=limit,
            after=after,
        )

    def extract(
        self,
        text: str,
        *,
        question: str | None = None,
        role: str = "user",
        when: datetime | None = None,
    ) -> Extraction:
        """Read facts from ``text`` by the patterns, and mask it; stores nothing.

        Runs where it is called, linear in the text.

        Args:
            text: as a customer would write it.
            question: what the assistant had asked.
            role: of its message.
            when: when it was said, with its time zone; the engine's clock when None.
                Relative dates are read from it.

        Raises:
            MessageError: ``text``, ``question`` or ``role`` is no text.
            SettingsError: ``when`` has no time zone.
        """
        self._parts.check()
        check_text("text", text)
        check_text("role", role)
        if question is not None:
            check_text("question", question)
        if when is None:
            when = self._parts.clock.now()
        else:
            check_moment("when", when)
        return self._resources.patterns.extractor.extract(
            text, role=role, question=question, when=when
        )

    async def reload_patterns(self) -> PatternReload:
        """Read all packs of the settings again and use them from the next call on.

        Files are read in a thread, about half a second. What runs meanwhile ends with
        the patterns it began with. Messages that are stored are not read again. A type
        that loses a mask is named in the result, logged, and told to ``on_event``.

        Raises:
            PackError: a pack is broken; the patterns stay as they are.
            SettingsError: ``facts.disabled`` or ``masking`` names what is gone; a type
                gets pseudonyms and no vault is open, or a mask that needs recognizers
                which are missing; the same.
        """
        self._parts.check()
        return await self._resources.patterns.reload()

    def metrics(self) -> Metrics:
        """Give the counts since the engine was opened; no I/O."""
        parts = self._parts
        entities, facts = parts.entities, parts.facts
        return Metrics(
            messages=parts.counts.messages,
            prompts=parts.counts.prompts,
            repairs=parts.counts.repairs,
            folds=parts.counts.folds,
            fold_failures=parts.counts.fold_failures,
            entity_batches=0 if entities is None else entities.batches,
            entity_backlog=0 if entities is None else entities.backlog,
            model_calls=0 if facts is None else facts.calls,
            model_failures=0 if facts is None else facts.failures,
            model_skipped=0 if facts is None else facts.skipped,
            model_refused=0 if facts is None else facts.refused,
            model_backlog=0 if facts is None else facts.backlog,
            entity_dropped=0 if entities is None else entities.dropped,
            entity_time_outs=0 if entities is None else entities.time_outs,
            entity_restarts=0 if entities is None else entities.restarts,
            pattern_time_outs=self._resources.patterns.time_outs(),
            background_errors=parts.counts.background_errors
            + (0 if entities is None else entities.errors),
            sessions_cached=len(parts.cache),
            warnings=self._resources.warnings,
            pattern_reloads=self._resources.patterns.reloads,
            pattern_refusals=self._resources.patterns.refusals,
            validator_failures=self._resources.patterns.validator_failures(),
        )

    async def aclose(self) -> None:
        """Stop the background tasks and close the database; may be called again.

        Returns only when all is done, whatever cancels it meanwhile; the cancellation
        is raised then.
        """
        self._parts.closed = True
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(
                self._resources.exits.aclose(), name="tiered-memory close"
            )
        cancelled: asyncio.CancelledError | None = None
        while not self._closing.done():
            try:
                await asyncio.wait({self._closing})
            except asyncio.CancelledError as exc:
                cancelled = exc
        self._closing.result()
        if cancelled is not None:
            raise cancelled


class _Opening:
    """An engine about to be opened: awaitable, and an async context manager."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._engine: MemoryEngine | None = None

    def __getattr__(self, name: str) -> object:
        raise AttributeError(
            f"the engine is not open yet, so it has no {name!r}: use "
            "'async with MemoryEngine.open(…) as memory' or await it first"
        )

    def __await__(self) -> Generator[object, None, MemoryEngine]:
        return self._open().__await__()

    async def __aenter__(self) -> MemoryEngine:
        self._engine = await self._open()
        return self._engine

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._engine is not None:
            await self._engine.aclose()

    async def _open(self) -> MemoryEngine:
        return MemoryEngine(*await open_parts(self._plan))
