"""Facts: what a text may hold, what is known, and what changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

__all__ = [
    "Candidate",
    "Cardinality",
    "Extraction",
    "Fact",
    "FactChanges",
    "FactStatus",
    "Identifier",
    "Polarity",
    "Reason",
    "Reference",
    "Source",
    "VaultEntry",
]

Source = Literal["regex", "ner", "llm", "api", "tool", "confirmed"]
Polarity = Literal["assert", "negate", "mention"]
Cardinality = Literal["one", "many"]


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
