"""What travels to the store and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from tiered_memory.model.facts import Candidate, Fact, VaultEntry
    from tiered_memory.model.messages import Head, Message, NewMessage

__all__ = [
    "AppendResult",
    "Draft",
    "FactDraft",
    "MissingSession",
    "ProposalDraft",
    "Receipt",
]

MissingSession = Literal["error", "ignore", "create"]


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
