"""Makes the parts of an engine in order, and takes them down in the reverse one."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from tiered_memory.cache import StateCache
from tiered_memory.chat.models import ModelTable
from tiered_memory.chat.tokens import MessageCounter
from tiered_memory.chat.vocabulary import load_counter
from tiered_memory.compaction.compactor import Compactor
from tiered_memory.compaction.extractive import ExtractiveSummarizer
from tiered_memory.compaction.openai_summarizer import OpenAISummarizer
from tiered_memory.entity_guard import EntityGuard
from tiered_memory.entity_worker import EntityWorker
from tiered_memory.fact_worker import FactWorker
from tiered_memory.facts.entity_reader import EntityReader
from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.model_stage import ModelGate
from tiered_memory.facts.openai_facts import OpenAIFactModel
from tiered_memory.facts.packs import load_patterns
from tiered_memory.facts.resolve import resolve
from tiered_memory.intake import Intake
from tiered_memory.parts import Counts, Parts
from tiered_memory.prompt.budget import check_settings
from tiered_memory.prompt.builder import PromptBuilder
from tiered_memory.recognition import closed, entity_types, find_stage, recognizer_process
from tiered_memory.reloading import PatternsInUse
from tiered_memory.revealing import Revealer
from tiered_memory.store.store import Store
from tiered_memory.vault import Vault, open_vault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from sqlalchemy import URL
    from sqlalchemy.ext.asyncio import AsyncEngine

    from tiered_memory.facts.entity_process import RecognizerProcess
    from tiered_memory.model import Candidate, Event
    from tiered_memory.ports import (
        Clock,
        EntityRecognizer,
        FactModel,
        Summarizer,
        TokenCounter,
    )
    from tiered_memory.recognition import Recognition
    from tiered_memory.settings import Settings

__all__ = ["Plan", "Resources", "SystemClock", "open_parts"]

logger = logging.getLogger(__name__)

READERS = 4
"""Threads for long texts: few, so that the host's own threads keep the processor."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Give the current time, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What ``MemoryEngine.open`` was asked for."""

    target: str | Path | URL | AsyncEngine
    settings: Settings
    summarizer: Summarizer | None
    recognizers: Mapping[str, EntityRecognizer] | None
    fact_model: FactModel | None
    token_counter: TokenCounter | None
    clock: Clock
    on_event: Callable[[Event], None] | None


@dataclass(slots=True, kw_only=True)
class Resources:
    """What an open engine owns beside its parts."""

    patterns: PatternsInUse
    exits: AsyncExitStack
    warnings: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class _Loaded:
    """What takes seconds to load and no event loop."""

    counter: MessageCounter
    models: ModelTable
    extractor: Extractor
    vault: Vault | None
    recognition: Recognition
    warnings: list[str] = field(default_factory=list[str])


async def open_parts(plan: Plan) -> tuple[Parts, Resources]:
    """Load, open and start everything; what was opened is closed on failure."""
    counts = Counts()
    tell = _teller(plan, counts)
    cache = StateCache(limit_bytes=plan.settings.storage.cache_mb << 20)
    async with AsyncExitStack() as exits:
        process = recognizer_process(plan.settings, plan.recognizers)
        if process is not None:
            exits.push_async_callback(closed, process)
        loaded = await to_thread.run_sync(_load, plan, process)
        for warning in loaded.warnings:
            logger.warning("%s", warning)
        store = await Store.open(plan.target, settings=plan.settings.storage)
        exits.push_async_callback(store.aclose)
        await store.save_settings(
            plan.settings.digest(), plan.settings.canonical_json(), plan.clock.now()
        )
        in_use = PatternsInUse(
            loaded.extractor,
            plan.settings,
            recognition=loaded.recognition,
            vault=loaded.vault,
            tell=tell,
        )
        entities = _entity_worker(plan, loaded, in_use, store, cache)
        if entities is not None:
            exits.push_async_callback(entities.aclose)
            entities.start()
        facts = await _fact_worker(plan, in_use, store, cache, entities, tell, exits)
        compactor = _compactor(plan, loaded, in_use, store, cache, entities, tell, exits)
        exits.push_async_callback(compactor.aclose)
        parts = Parts(
            store=store,
            intake=Intake(
                settings=plan.settings,
                extractor=in_use.extractor,
                counter=loaded.counter,
                gate=None if facts is None else ModelGate(),
                vault=loaded.vault,
            ),
            revealer=Revealer(loaded.vault),
            builder=PromptBuilder(plan.settings, loaded.counter, loaded.models),
            compactor=compactor,
            entities=entities,
            guard=_guard(plan, in_use, entities),
            facts=facts,
            cache=cache,
            clock=plan.clock,
            resolve=resolve,
            readers=anyio.CapacityLimiter(READERS),
            tell=tell,
            shared=plan.settings.storage.shared,
            loop=asyncio.get_running_loop(),
            pid=os.getpid(),
            counts=counts,
        )

        def swap(extractor: Extractor) -> None:
            parts.intake = parts.intake.reading_with(extractor)
            parts.guard = _guard(plan, in_use, entities)
            if entities is not None:
                entities.mask(in_use.masked_types)
            if facts is not None:
                facts.use(extractor)

        in_use.on_swap(swap)
        resources = Resources(
            patterns=in_use,
            exits=exits.pop_all(),
            warnings=tuple(loaded.warnings),
        )
        return parts, resources
    raise AssertionError  # the stack swallows nothing


def _load(plan: Plan, process: RecognizerProcess | None) -> _Loaded:
    settings = plan.settings
    models = ModelTable(settings.models)
    info = models.lookup(settings.model)
    warnings: list[str] = []
    if not info.known:
        warnings.append(
            f"model {settings.model!r} is not in the table: taken as one of "
            f"{info.context_window} tokens with encoding {info.encoding}; "
            "name it in settings.models to say otherwise"
        )
    if plan.token_counter is None:
        named = load_counter(info.encoding)
        counter = MessageCounter(named.counter, name=named.name)
        if named.warning is not None:
            warnings.append(named.warning)
    else:
        counter = MessageCounter(
            plan.token_counter, name=type(plan.token_counter).__qualname__
        )
    check_settings(settings, counter, models)
    patterns = load_patterns(
        settings.facts, settings.masking.actions, entity_types=entity_types(settings.ner)
    )
    hidden = patterns.types_with("pseudonym")
    vault = open_vault(
        settings.masking.vault_key_env,
        os.environ,
        wanted_by=f"masking of {hidden[0]}" if hidden else "",
    )
    warnings += patterns.warnings
    found = find_stage(plan.settings, plan.recognizers, process, patterns)
    warnings += found.warnings
    return _Loaded(
        counter=counter,
        models=models,
        extractor=Extractor.of(patterns, settings.facts),
        vault=vault,
        recognition=found,
        warnings=warnings,
    )


def _teller(plan: Plan, counts: Counts) -> Callable[[Event], None]:
    """Give what counts an event and passes it to ``on_event``."""

    def tell(event: Event) -> None:
        if event.kind == "folded":
            counts.folds += 1
        elif event.kind == "fold_failed":
            counts.fold_failures += 1
        elif event.kind == "background_error":
            counts.background_errors += 1
        if plan.on_event is None:
            return
        try:
            plan.on_event(event)
        except Exception as exc:  # noqa: BLE001 (the application's hook, at our edge)
            counts.background_errors += 1
            logger.error("on_event raised %s", type(exc).__qualname__)

    return tell


def _entity_worker(
    plan: Plan, loaded: _Loaded, in_use: PatternsInUse, store: Store, cache: StateCache
) -> EntityWorker | None:
    found = loaded.recognition
    if found.stage is None:
        return None
    settings = plan.settings

    def rules(text: str, question: str | None, part: str) -> Sequence[Candidate]:
        read = in_use.extractor.extract(text, role="user", question=question, part=part)
        return read.facts

    return EntityWorker(
        reader=EntityReader(
            found.stage, found.process, limit_s=settings.ner.batch_timeout_s
        ),
        store=store,
        clock=plan.clock,
        settings=settings.ner,
        max_chars=settings.facts.max_chars,
        rules=rules,
        masked_types=found.masked_types,
        changed=cache.advance,
    )


async def _fact_worker(
    plan: Plan,
    in_use: PatternsInUse,
    store: Store,
    cache: StateCache,
    entities: EntityWorker | None,
    tell: Callable[[Event], None],
    exits: AsyncExitStack,
) -> FactWorker | None:
    """Start stage 3 where a model is plugged in or set."""
    settings = plan.settings.facts.llm
    if plan.fact_model is not None:
        model = plan.fact_model
    elif settings.model is not None:
        remote = OpenAIFactModel(settings)
        exits.push_async_callback(remote.aclose)
        model = remote
    else:
        return None

    async def entities_reached(session_id: str) -> None:
        if entities is not None:
            await entities.reached(session_id)

    worker = FactWorker(
        model=model,
        extractor=in_use.extractor,
        store=store,
        clock=plan.clock,
        settings=settings,
        entities_reached=entities_reached,
        changed=cache.advance,
        tell=tell,
    )
    exits.push_async_callback(worker.aclose)
    worker.start()
    await worker.catch_up()
    return worker


def _guard(
    plan: Plan, in_use: PatternsInUse, entities: EntityWorker | None
) -> EntityGuard | None:
    types = in_use.masked_types
    if entities is None or not types:
        return None
    return EntityGuard(entities, types, deadline_ms=plan.settings.ner.deadline_ms)


def _compactor(
    plan: Plan,
    loaded: _Loaded,
    in_use: PatternsInUse,
    store: Store,
    cache: StateCache,
    entities: EntityWorker | None,
    tell: Callable[[Event], None],
    exits: AsyncExitStack,
) -> Compactor:
    llm = plan.settings.llm
    if plan.summarizer is not None:
        summarizer, method = plan.summarizer, "custom"
    elif llm.model is not None:
        remote = OpenAISummarizer(llm)
        exits.push_async_callback(remote.aclose)
        summarizer, method = remote, "openai"
    else:
        summarizer = ExtractiveSummarizer(loaded.counter.text)
        method = "extractive"

    async def entities_reached(session_id: str, seq: int) -> None:
        del seq
        if entities is not None:
            await entities.reached(session_id)

    return Compactor(
        store=store,
        settings=plan.settings,
        counter=loaded.counter,
        summarizer=summarizer,
        method=method,
        find_identifiers=lambda text: in_use.extractor.identifiers(text),
        entities_reached=entities_reached,
        clock=plan.clock,
        owner=f"{os.getpid()}-{secrets.token_hex(8)}",
        on_event=tell,
        folded=lambda session_id, revision: cache.drop(session_id, floor=revision),
    )
