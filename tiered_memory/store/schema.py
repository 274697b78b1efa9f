"""The tables. ``migrations/`` creates them; a test holds the two together.

Every key begins with ``session_id``, so that one session lives in one place of a
sharded database. Rows are stamped with the revision that brought them and, where they
can end, the one that ended them: the state at any revision can be read.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

__all__ = [
    "VERSION_TABLE",
    "compaction",
    "fact",
    "fact_seen",
    "head",
    "mention",
    "message",
    "metadata",
    "model_call",
    "model_task",
    "proposal",
    "reference",
    "segment",
    "session",
    "settings_version",
    "vault",
]

VERSION_TABLE = "tiered_memory_version"

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


def _int(name: str, **options: object) -> Column[int]:
    return Column(
        name,
        BigInteger().with_variant(Integer, "sqlite"),
        nullable=bool(options.pop("nullable", False)),
        **options,  # type: ignore[arg-type]
    )


def _key(name: str = "session_id") -> Column[str]:
    return Column(name, String(255), primary_key=True)


session = Table(
    "tm_session",
    metadata,
    _key(),
    Column("subject", String(255)),
    _int("next_seq"),
    _int("revision"),
    _int("generation"),
    _int("boundary_seq"),
    _int("pinned_seq", nullable=True),
    _int("entities_seq"),
    _int("epoch_revision"),
    _int("next_reference"),
    _int("next_fact"),
    _int("turns"),
    _int("folded_turns"),
    Column("lease_owner", String(64)),
    Column("lease_until", Float),
    Column("hold_reason", String(255)),
    _int("hold_until_turn", nullable=True),
    _int("failures"),
    Column("retry_at", Float),
    Column("last_error", String(255)),
    Column("created_at", String(32), nullable=False),
    Column("updated_at", String(32), nullable=False),
    Column("expires_at", String(32)),
    Index("ix_tm_session_subject", "subject", "session_id"),
    Index("ix_tm_session_expires_at", "expires_at"),
)

message = Table(
    "tm_message",
    metadata,
    _key(),
    _int("seq", primary_key=True),
    _int("revision"),
    _int("turn"),
    Column("role", String(32), nullable=False),
    Column("payload", Text, nullable=False),
    _int("tokens"),
    Column("counter", String(64), nullable=False),
    Column("short", Text),
    _int("short_tokens"),
    Column("message_id", String(255)),
    _int("batch"),
    Column("settings_hash", String(64), nullable=False),
    Column("created_at", String(32), nullable=False),
    _int("ended_revision", nullable=True),
    Column("ended_why", String(32)),
    UniqueConstraint("session_id", "message_id"),
)

head = Table(
    "tm_head",
    metadata,
    _key(),
    _int("revision", primary_key=True),
    Column("payloads", Text, nullable=False),
    _int("tokens"),
    Column("counter", String(64), nullable=False),
    _int("ended_revision", nullable=True),
)

fact = Table(
    "tm_fact",
    metadata,
    _key(),
    _int("fact_id", primary_key=True),
    _int("number"),
    Column("type", String(64), nullable=False),
    Column("key", String(128), nullable=False),
    Column("owner", String(128), nullable=False),
    Column("value", Text, nullable=False),
    Column("normalized", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("source", String(16), nullable=False),
    Column("pattern", String(128), nullable=False),
    Column("cardinality", String(8), nullable=False),
    Column("masked", Boolean, nullable=False),
    Column("identifier", Boolean, nullable=False),
    _int("seq", nullable=True),
    Column("part", String(255)),
    _int("start_at", nullable=True),
    _int("end_at", nullable=True),
    Column("first_seen", String(32), nullable=False),
    Column("last_seen", String(32), nullable=False),
    _int("last_seq", nullable=True),
    _int("last_start", nullable=True),
    Column("why", JSON, nullable=False),
    _int("revision"),
    _int("ended_revision", nullable=True),
    Column("ended_at", String(32)),
    Column("ended_why", String(16)),
    _int("superseded_by", nullable=True),
    Index("ix_tm_fact_session_id_key", "session_id", "key"),
    Index("ix_tm_fact_key_normalized", "key", "normalized"),
)

# What of a fact changes while it is current, each time it is stated again: the newest
# row holds, and ``last_*`` and ``confidence`` of the fact where there is none.
fact_seen = Table(
    "tm_fact_seen",
    metadata,
    _key(),
    _int("fact_id", primary_key=True),
    _int("revision", primary_key=True),
    Column("last_seen", String(32), nullable=False),
    _int("last_seq", nullable=True),
    _int("last_start", nullable=True),
    Column("confidence", Float, nullable=False),
)

reference = Table(
    "tm_reference",
    metadata,
    _key(),
    _int("number", primary_key=True),
    Column("owner", String(128), nullable=False),
    Column("key", String(128), nullable=False),
    Column("type", String(64), nullable=False),
    Column("normalized", Text, nullable=False),
    Column("value", Text, nullable=False),
    _int("revision"),
    UniqueConstraint("session_id", "owner", "key", "normalized"),
)

segment = Table(
    "tm_segment",
    metadata,
    _key(),
    _int("segment_id", primary_key=True),
    _int("level"),
    _int("from_seq"),
    _int("to_seq"),
    Column("text", Text, nullable=False),
    _int("tokens"),
    Column("counter", String(64), nullable=False),
    Column("language", String(8), nullable=False),
    Column("method", String(32), nullable=False),
    Column("model", String(128)),
    Column("degraded", Boolean, nullable=False),
    Column("created_at", String(32), nullable=False),
    _int("revision"),
    _int("ended_revision", nullable=True),
    Column("ended_why", String(16)),
)

mention = Table(
    "tm_mention",
    metadata,
    _key(),
    _int("segment_id", primary_key=True),
    _int("number", primary_key=True),
    _int("seq"),
    Column("role", String(32), nullable=False),
    _int("revision"),
)

compaction = Table(
    "tm_compaction",
    metadata,
    _key(),
    _int("compaction_id", primary_key=True),
    _int("revision"),
    _int("generation"),
    _int("from_seq"),
    _int("to_seq"),
    _int("pinned_seq", nullable=True),
    _int("tokens_before"),
    _int("tokens_after"),
    Column("method", String(32), nullable=False),
    Column("model", String(128)),
    Column("prompt_version", String(32), nullable=False),
    Column("usage", JSON, nullable=False),
    _int("attempts"),
    _int("duration_ms"),
    Column("outcome", String(32), nullable=False),
    Column("error", String(255)),
    Column("reason", String(255), nullable=False),
    Column("dropped", JSON, nullable=False),
    Column("survival", JSON, nullable=False),
    Column("created_at", String(32), nullable=False),
)

model_task = Table(
    "tm_model_task",
    metadata,
    _key(),
    _int("seq", primary_key=True),
)

model_call = Table(
    "tm_model_call",
    metadata,
    _key(),
    Column("day", String(10), primary_key=True),
    _int("calls"),
    Index("ix_tm_model_call_day", "day", "calls"),
)

proposal = Table(
    "tm_proposal",
    metadata,
    _key(),
    _int("seq", primary_key=True),
    _int("number", primary_key=True),
    Column("owner", String(128), nullable=False),
    Column("key", String(128), nullable=False),
    Column("normalized", Text, nullable=False),
    Column("candidate", JSON, nullable=False),
    Column("created_at", String(32), nullable=False),
)
vault = Table(
    "tm_vault",
    metadata,
    _key(),
    Column("pseudonym", String(80), primary_key=True),
    Column("key_id", String(16), nullable=False),
    Column("nonce", LargeBinary(12), nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    _int("revision"),
)
"""Real values of pseudonyms, sealed; the key is the user's and never in here."""

settings_version = Table(
    "tm_settings",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("document", Text, nullable=False),
    Column("created_at", String(32), nullable=False),
)
