"""The values that travel between the stages: frozen, keyword-only, without decisions."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from openai.types.chat import ChatCompletionMessageParam

__all__ = [
    "AppendResult",
    "Budget",
    "Candidate",
    "CompactionRecord",
    "CompactionResult",
    "CompactionStatus",
    "Draft",
    "Event",
    "Extraction",
    "Fact",
    "FactChanges",
    "FactDraft",
    "FactStatus",
    "FoldCommit",
    "Head",
    "Identifier",
    "Message",
    "Metrics",
    "NewMessage",
    "Omission",
    "PatternReload",
    "Payload",
    "Prompt",
    "ProposalDraft",
    "Reason",
    "Receipt",
    "Reference",
    "Repair",
    "RequestOptions",
    "Segment",
    "SessionInfo",
    "Source",
    "VaultEntry",
]

Payload = Mapping[str, Any]
"""A chat message as the API takes it, normalised and masked; never changed in place."""

Source = Literal["regex", "ner", "llm", "api", "tool", "confirmed"]
Polarity = Literal["assert", "negate", "mention"]
Cardinality = Literal["one", "many"]
MissingSession = Literal["error", "ignore", "create"]


# -- messages ---------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message on its way into the log: normalised, masked, counted.

    Attributes:
        payload: the chat dict to store.
        tokens: its cost in a request, overhead included.
        short: the shortened payload of a long tool result, else None.
        short_tokens: cost of ``short`` (equal to ``tokens`` where None).
        opens_turn: whether it is a user message.
    """

    payload: Payload
    tokens: int
    short: Payload | None = None
    short_tokens: int = 0
    opens_turn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A stored message.

    Attributes:
        seq: place in the session, from 1, without gaps.
        turn: number of its turn, from 1; 0 before the first user message.
        revision: the session's revision that brought it.
        tokens, short, short_tokens: as in ``NewMessage``.
        counter: name of the token counter that counted.
    """

    seq: int
    turn: int
    role: str
    payload: Payload
    tokens: int
    revision: int
    short: Payload | None = None
    short_tokens: int = 0
    counter: str = ""
    created_at: datetime | None = None
    message_id: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give a fresh chat dict that the caller may change."""
        return copy.deepcopy(dict(self.payload))


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A session's own system messages, in place of ``settings.system_prompt``."""

    payloads: tuple[Payload, ...]
    tokens: int
    revision: int = 0
    counter: str = ""


# -- facts ------------------------------------------------------------------


class FactStatus(StrEnum):
    """Where a fact stands."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A fact read from one text, before it meets the facts that are known.

    Attributes:
        type: the pack's type, e.g. ``order_id``.
        key: what it is stored under; the type unless the pattern says another.
        owner: ``"self"`` or ``"contact.<relation>"``.
        value: the slice of the stored text (masked types: the shown form).
        normalized: comparison form (E.164, ISO date, Decimal text, upper case …).
        part: where in the message: ``content``, ``content.2.text`` …
        start, end: half-open, in code points of the *stored* text of ``part``.
        index: place of its message in the draft, from 0; below 0 one stored before: its
            seq is that much less than the draft's ``next_seq``.
        polarity: ``negate`` takes the value back where it is current; ``mention`` speaks
            of it where it is current, and states nothing.
        cardinality: whether a new value supersedes (``one``) or joins (``many``).
        passing: told in passing, with nothing arranged or asked; never stored.
        why: pattern, context words, validator, as short codes; no text.
    """

    type: str
    key: str
    value: str
    normalized: str
    part: str
    start: int
    end: int
    index: int = 0
    owner: str = "self"
    confidence: float = 0.9
    source: Source = "regex"
    pattern: str = ""
    polarity: Polarity = "assert"
    cardinality: Cardinality = "one"
    masked: bool = False
    identifier: bool = True
    passing: bool = False
    why: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifier:
    """A value of an identifier type found in any role's text.

    ``start`` and ``end`` are half-open, in code points of the scanned text.
    """

    type: str
    key: str
    value: str
    normalized: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a match became a fact, was masked, or was not taken.

    Attributes:
        outcome: ``fact``, ``passing`` (a fact that is told in passing, which is not
            stored) or ``masked``; else what kept it from being one: the key of its
            pattern that spoke against it (``reader``, ``context``, ``unless``, ``deny``,
            ``validator``, ``threshold``, ``normalize``), ``overlap`` with ``lost_to``,
            ``url``, ``masked_span``, ``cut``, or its ``standing``.
        pattern: id of the pattern that matched.
        value: the slice of ``Extraction.masked``.
        start, end: half-open, in code points of ``Extraction.masked``.
        score: of the match after context, question and validator.
        context: the words that announced it, in the expression or near it.
        validator: by name, where there is one that passed it.
        standing: what its sentence says of it, where that is not a plain statement.
        slot: ``asked`` or ``bare``, where the assistant had asked for its type.
        lost_to: id of the pattern that took its place.
    """

    outcome: str
    type: str
    pattern: str
    value: str
    start: int
    end: int
    score: float
    context: str | None = None
    validator: str | None = None
    standing: str | None = None
    slot: str | None = None
    lost_to: str | None = None


def _nothing() -> tuple[Reason, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What one text gave: facts, the text to store, and what was masked.

    Attributes:
        masked: the text as it may be stored; spans of ``facts`` are in it.
        facts: left to right; ``memory.extract`` stores none of them.
        masked_counts: values masked, by type.
        complete: False where the lane with a time limit ran out of it.
        explain: gives ``why``.
    """

    masked: str
    facts: tuple[Candidate, ...] = ()
    masked_counts: Mapping[str, int] = field(default_factory=dict[str, int])
    complete: bool = True
    explain: Callable[[], tuple[Reason, ...]] = field(
        default=_nothing, repr=False, compare=False
    )

    @property
    def why(self) -> tuple[Reason, ...]:
        """Give the reasons for all matches, left to right; reads the text again."""
        return self.explain()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A stored fact; see ``Candidate`` for the shared fields.

    Attributes:
        fact_id: running number of the row in its session.
        number: the session's reference number for owner, key and normal form.
        seq: message that stated it; None for values set by the application.
        first_seen: when the row was stored; ``ended_at`` when it ended.
        last_seen: when the value was stated last, in message ``last_seq`` at
            ``last_start``; where the application set it, the newest message then, and None.
        superseded_by: ``fact_id`` of the row that took its place.
        revision, ended_revision: the revisions that brought and ended the row.
    """

    fact_id: int
    number: int
    type: str
    key: str
    owner: str
    value: str
    normalized: str
    status: FactStatus
    confidence: float
    source: Source
    pattern: str
    cardinality: Cardinality
    masked: bool
    identifier: bool
    seq: int | None
    part: str | None
    start: int | None
    end: int | None
    first_seen: datetime
    last_seen: datetime
    last_seq: int | None
    revision: int
    last_start: int | None = None
    ended_revision: int | None = None
    ended_at: datetime | None = None
    superseded_by: int | None = None
    why: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChanges:
    """What a batch of candidates does to the current facts.

    A stored row is named by its ``fact_id``, which is 1 or more; the row of
    ``added[n]`` by ``-n``.

    Attributes:
        added: candidates that become rows, in order.
        ended: row → (status, the row that took its place or None).
        seen: row → candidate that stated or mentioned the value again.
    """

    added: tuple[Candidate, ...] = ()
    ended: Mapping[int, tuple[FactStatus, int | None]] = field(
        default_factory=dict[int, tuple[FactStatus, int | None]]
    )
    seen: Mapping[int, Candidate] = field(default_factory=dict[int, Candidate])


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a reference number stands for; the number is given once, for ever."""

    number: int
    owner: str
    key: str
    normalized: str
    value: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultEntry:
    """A value under a pseudonym, sealed: what the vault's table holds of it.

    Attributes:
        pseudonym: what stands for the value, brackets included.
        key_id: which of the user's keys sealed it.
        nonce: 12 random bytes.
        sealed: ciphertext and tag of AES-256-GCM.
    """

    pseudonym: str
    key_id: str
    nonce: bytes
    sealed: bytes


# -- what travels to the store and back --------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """All that one ``add`` brings; made without the database.

    Attributes:
        next_seq: the session's next seq that the draft was made against (1 for
            a new session); the store sends the draft back when it moved.
        revision: revision whose facts are in ``facts``.
        facts: the facts that were current at ``revision``.
        candidates: from all messages; ``index`` tells which.
        head: a new head, or None when unchanged.
        message_id: makes a repeat harmless.
        counter: name of the token counter that counted.
        asks: places of messages that a model is to be asked about.
        vault: values under pseudonyms that the session did not have yet.
    """

    session_id: str
    subject: str | None
    next_seq: int
    revision: int
    facts: tuple[Fact, ...]
    messages: tuple[NewMessage, ...]
    candidates: tuple[Candidate, ...]
    head: Head | None
    message_id: str | None
    counter: str
    settings_hash: str
    created_at: datetime
    masked_counts: Mapping[str, int] = field(default_factory=dict[str, int])
    asks: tuple[int, ...] = ()
    vault: tuple[VaultEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalDraft:
    """What a model's reply about the message ``seq`` came to.

    ``stored`` become facts; ``waiting`` once another message has given the same.
    """

    session_id: str
    seq: int
    created_at: datetime
    stored: tuple[Candidate, ...] = ()
    waiting: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDraft:
    """Fact candidates that come without a new message.

    Attributes:
        candidates: (seq of the message, candidate), spans in the stored text; a
            seq of None is a value set by the application, without a span.
        read: seqs of the user messages that recognizers have now read. The session's
            ``entities_seq`` goes up to the last before the first that is still unread.
        missing: what a session that is not stored is: an error, nothing to change, or
            made, with ``subject``.
        vault: values under pseudonyms that the session did not have yet.
    """

    session_id: str
    candidates: tuple[tuple[int | None, Candidate], ...]
    created_at: datetime
    read: tuple[int, ...] = ()
    missing: MissingSession = "error"
    subject: str | None = None
    vault: tuple[VaultEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendResult:
    """What a transaction did to a session; enough to bring a cached state up to date.

    Attributes:
        base_revision: revision before; a cached state of another revision is stale.
        messages: the stored messages, oldest first (empty for entity drafts).
        added: new fact rows, in order.
        changed: fact rows that were ended or seen again, as they are now.
        repeated: the ``message_id`` was known; nothing was written.
        head: the new head, or None.
        epoch_revision: an epoch began, since an identifier was taken back; else None.
        vault: rows that the vault was given.
    """

    session_id: str
    base_revision: int
    revision: int
    next_seq: int
    first_seq: int
    last_seq: int
    messages: tuple[Message, ...] = ()
    added: tuple[Fact, ...] = ()
    changed: tuple[Fact, ...] = ()
    head: Head | None = None
    epoch_revision: int | None = None
    entities_seq: int | None = None
    repeated: bool = False
    vault: tuple[VaultEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What ``add`` returns once the messages are durable.

    Attributes:
        facts: rows that these messages brought or stated again.
        masked: how many values were masked, by type.
        tokens: cost of the messages in a request.
        oversized: seqs whose text passed ``facts.max_chars`` (kept whole; facts
            were read from the first ``max_chars`` characters only).
        repeated: a message with this ``message_id`` was there; nothing was written.
    """

    first_seq: int
    last_seq: int
    facts: tuple[Fact, ...]
    masked: Mapping[str, int]
    tokens: int
    oversized: tuple[int, ...] = ()
    repeated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """A line of ``memory.sessions()``."""

    session_id: str
    subject: str | None
    messages: int
    turns: int
    created_at: datetime
    updated_at: datetime


# -- compaction ---------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One piece of the rolling summary, of messages ``from_seq`` … ``to_seq``.

    ``text`` holds references; ``Session.summary()`` gives rendered ones.
    """

    segment_id: int
    level: int
    from_seq: int
    to_seq: int
    text: str
    tokens: int
    language: str
    method: str
    degraded: bool
    revision: int
    counter: str = ""
    model: str | None = None
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionRecord:
    """What a try at compaction did, kept for ever. Tokens are before and after."""

    from_seq: int
    to_seq: int
    tokens_before: int
    tokens_after: int
    method: str
    model: str | None
    prompt_version: str
    usage: Mapping[str, int]
    attempts: int
    duration_ms: int
    outcome: str
    error: str | None
    reason: str
    dropped: tuple[Mapping[str, Any], ...] = ()
    survival: Mapping[str, int] = field(default_factory=dict[str, int])
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldCommit:
    """A finished fold, to be installed if nothing moved (compare and swap).

    Attributes:
        boundary_seq, generation: what the session's row must still say.
        to_seq: the new boundary: everything up to it leaves the window.
        pinned_seq: user message of a partly folded newest turn, or None.
        segment: the new segment (``segment_id`` and ``revision`` are given by
            the store); None when only merges are installed.
        merged: ``segment_id`` of segments that end with this commit.
        mentions: number → (seq, role) of identifiers first met in this range.
    """

    session_id: str
    boundary_seq: int
    generation: int
    to_seq: int
    pinned_seq: int | None
    segment: Segment | None
    merged: tuple[int, ...]
    mentions: Mapping[int, tuple[int, str]]
    record: CompactionRecord
    created_at: datetime


class CompactionStatus(StrEnum):
    """How a call of ``compact`` ended."""

    COMPACTED = "compacted"
    NOTHING_TO_DO = "nothing_to_do"
    NOT_WORTH_IT = "not_worth_it"
    BUSY = "busy"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionResult:
    """What ``session.compact()`` gives; ``reason`` is for people."""

    status: CompactionStatus
    reason: str
    record: CompactionRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that the engine did by itself, told to ``on_event``.

    ``kind``: ``folded``, ``fold_failed``, ``healed``, ``background_error``, ``warning``,
    ``patterns_reloaded``, ``patterns_refused``.
    ``details`` holds numbers and codes, never text of a message or a value.
    """

    kind: str
    session_id: str | None
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternReload:
    """What ``memory.reload_patterns()`` did.

    Attributes:
        patterns: how many are in use now.
        added, removed, changed: their ids, sorted.
        unmasked: types of which values are stored now, at least some, that were masked
            or dropped before.
        warnings: what to tell people, these types included.
    """

    patterns: int
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unmasked: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Counts since the engine was opened.

    Attributes:
        messages, prompts: stored, and built.
        repairs: mends made in prompts.
        folds, fold_failures: runs of the compactor that ended so.
        entity_batches: batches that the recognizers read; ``entity_backlog`` texts wait.
        model_calls: calls of the model that proposes facts; ``model_failures`` gave no
            usable reply, ``model_skipped`` messages were not asked about for want of budget.
        model_refused: proposals that were not in the customer's words, or not stated.
        model_backlog: messages that wait for it.
        entity_dropped: messages that left the full queue, to be read once it is empty.
        entity_time_outs: batches beyond ``ner.batch_timeout_s``.
        entity_restarts: of the recognizers' process.
        pattern_time_outs: of patterns in the lane with a time limit; one that timed out
            three times is left out.
        background_errors: failures caught and logged at a background task's edge.
        sessions_cached: session states in memory.
        warnings: what was said at open, e.g. a recognizer that is not installed.
        pattern_reloads, pattern_refusals: calls of ``reload_patterns`` that replaced the
            patterns, and that found a broken pack.
        validator_failures: of validators of the application's own, which raised or gave
            no answer.
    """

    messages: int
    prompts: int
    repairs: int
    folds: int
    fold_failures: int
    entity_batches: int
    entity_backlog: int
    model_calls: int
    model_failures: int
    model_skipped: int
    model_refused: int
    model_backlog: int
    entity_dropped: int
    entity_time_outs: int
    entity_restarts: int
    pattern_time_outs: int
    background_errors: int
    sessions_cached: int
    warnings: tuple[str, ...]
    pattern_reloads: int = 0
    pattern_refusals: int = 0
    validator_failures: int = 0


# -- the prompt ---------------------------------------------------------------


class RequestOptions(TypedDict, total=False):
    """Options for ``client.chat.completions.create(**prompt.request_options)``."""

    max_completion_tokens: int
    max_tokens: int
    prompt_cache_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The sum behind a prompt, in tokens: ``limit`` is what is left for it."""

    window: int
    output: int
    reserve: int
    tools: int
    effective: int
    limit: int
    fixed: int
    history: int
    recent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission:
    """Something that the prompt leaves out or shows shortened.

    ``kind``: ``turns``, ``segment``, ``facts``, ``tool_result``, ``text``; last of all
    ``examples`` and ``steps`` (of the newest turn).
    ``count``: how many; ``tokens``: how many tokens were saved.
    """

    kind: str
    reason: str
    count: int
    tokens: int
    seqs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A mend that ``heal`` made in the prompt; the log is as it was.

    ``kind``: ``moved_result``, ``missing_result``, ``orphan_result``,
    ``duplicate_result``, ``empty_message``, ``leading_message`` …
    ``position``: index in the list that came in; ``call_id`` where it has one.
    """

    kind: str
    position: int
    call_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A request's messages and what is known about them.

    Attributes:
        messages: fresh list; the caller may change it.
        seq: last message of the session that it saw.
        fingerprint: SHA-256 of the messages' canonical JSON, in hex.
        tokens: cost of the messages in the request, overhead included.
        tiers: tokens by tier: system, examples, summary, facts, recall, recent.
        stable_tokens: leading tokens that equal the session's last build.
        over_budget: tokens above the effective window's limit, else 0.
    """

    messages: list[ChatCompletionMessageParam]
    seq: int
    revision: int
    fingerprint: str
    tokens: int
    budget: Budget
    tiers: Mapping[str, int]
    omitted: tuple[Omission, ...]
    repairs: tuple[Repair, ...]
    stable_tokens: int
    over_budget: int
    model: str
    request_options: RequestOptions
