"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "tm_compaction",
        sa.Column("session_id", sa.String(255), nullable=False),
        sa.Column("compaction_id", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("generation", BIG, nullable=False),
        sa.Column("from_seq", BIG, nullable=False),
        sa.Column("to_seq", BIG, nullable=False),
        sa.Column("pinned_seq", BIG, nullable=True),
        sa.Column("tokens_before", BIG, nullable=False),
        sa.Column("tokens_after", BIG, nullable=False),
        sa.Column("method", sa.String(32), nullable=False),
        sa.Column("model", sa.String(128), nullable=True),
        sa.Column("prompt_version", sa.String(32), nullable=False),
        sa.Column("usage", sa.JSON(), nullable=False),
        sa.Column("attempts", BIG, nullable=False),
        sa.Column("duration_ms", BIG, nullable=False),
        sa.Column("outcome", sa.String(32), nullable=False),
        sa.Column("error", sa.String(255), nullable=True),
        sa.Column("reason", sa.String(255), nullable=False),
        sa.Column("dropped", sa.JSON(), nullable=False),
        sa.Column("survival", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "compaction_id", name="pk_tm_compaction"),
    )
    op.create_table(
        "tm_fact",
        sa.Column("session_id", sa.String(255), nullable=False),
        sa.Column("fact_id", BIG, nullable=False),
        sa.Column("number", BIG, nullable=False),
        sa.Column("type", sa.String(64), nullable=False),
        sa.Column("key", sa.String(128), nullable=False),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("normalized", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("pattern", sa.String(128), nullable=False),
        sa.Column("cardinality", sa.String(8), nullable=False),
        sa.Column("masked", sa.Boolean(), nullable=False),
        sa.Column("identifier", sa.Boolean(), nullable=False),
        sa.Column("seq", BIG, nullable=True),
        sa.Column("part", sa.String(255), nullable=True),
        sa.Column("start_at", BIG, nullable=True),
        sa.Column("end_at", BIG, nullable=True),
        sa.Column("first_seen", sa.String(32), nullable=False),
        sa.Column("last_seen", sa.String(32), nullable=False),
        sa.Column("last_seq", BIG, nullable=True),
        sa.Column("why", sa.JSON(), nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("ended_revision", BIG, nullable=True),
        sa.Column("ended_why", sa.String(16), nullable=True),
        sa.Column("superseded_by", BIG, nullable=True),
        sa.PrimaryKeyConstraint("session_id", "fact_id", name="pk_tm_fact"),
    )
    op.create_index("ix_tm_fact_session_id_key", "tm_fact", ["session_id", "key"])
    op.create_table(
        "tm_head",
        sa.Column("session_id", sa.String(255), nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("payloads", sa.Text(), nullable=False),
        sa.Column("tokens", BIG, nullable=False),
        sa.Column("counter", sa.String(64), nullable=False),
        sa.Column("ended_revision", BIG, nullable=True),
        sa.PrimaryKeyConstraint("session_id", "revision", name="pk_tm_head"),
    )
    op.create_table(
        "tm_mention",
        sa.Column("session_id", sa.String(255), nullable=False),
        sa.Column("segment_id", BIG, nullable=False),
        sa.Column("number", BIG, nullable=False),
        sa.Column("seq", BIG, nullable=False),
        sa.Column("role", sa.String(32), nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.PrimaryKeyConstraint("session_id", "segment_id", "number", name="pk_tm_mention"),
    )
    op.create_table(
        "tm_message",
        sa.Column("session_id", sa.String(255), nullable=False),
        sa.Column("seq", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("turn", BIG, nullable=False),
        sa.Column("role", sa.String(32), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("tokens", BIG, nullable=False),
        sa.Column("counter", sa.String(64), nullable=False),
        sa.Column("short", sa.Text(), nullable=True),
        sa.Column("short_tokens", BIG, nullable=False),
        sa.Column("message_id", sa.String(255), nullable=True),
        sa.Column("batch", BIG, nullable=False),
        sa.Column("settings_hash", sa.String(64), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("ended_revision", BIG, nullable=True),
        sa.Column("ended_why", sa.String(32), nullable=True),
        sa.PrimaryKeyConstraint("session_id", "seq", name="pk_tm_message"),
        sa.UniqueConstraint(
            "session_id", "message_id", name="uq_tm_message_session_id_message_id"
        ),
    )
    op.create_table(
        "tm_reference",
        sa.Column("session_id", sa.String(255), nullable=False),
        sa.Column("number", BIG, nullable=False),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("key", sa.String(128), nullable=False),
        sa.Column("type", sa.String(64), nullable=False),
        sa.Column("normalized", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.PrimaryKeyConstraint("session_id", "number", name="pk_tm_reference"),
        sa.UniqueConstraint(
            "session_id",
            "owner",
            "key",
            "normalized",
            name="uq_tm_reference_session_id_owner_key_normalized",
        ),
    )
    op.create_table(
        "tm_segment",
        sa.Column("session_id", sa.String(255), nullable=False),
        sa.Column("segment_id", BIG, nullable=False),
        sa.Column("level", BIG, nullable=False),
        sa.Column("from_seq", BIG, nullable=False),
        sa.Column("to_seq", BIG, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("tokens", BIG, nullable=False),
        sa.Column("counter", sa.String(64), nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("method", sa.String(32), nullable=False),
        sa.Column("model", sa.String(128), nullable=True),
        sa.Column("degraded", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("ended_revision", BIG, nullable=True),
        sa.Column("ended_why", sa.String(16), nullable=True),
        sa.PrimaryKeyConstraint("session_id", "segment_id", name="pk_tm_segment"),
    )
    op.create_table(
        "tm_session",
        sa.Column("session_id", sa.String(255), nullable=False),
        sa.Column("subject", sa.String(255), nullable=True),
        sa.Column("next_seq", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("generation", BIG, nullable=False),
        sa.Column("boundary_seq", BIG, nullable=False),
        sa.Column("pinned_seq", BIG, nullable=True),
        sa.Column("entities_seq", BIG, nullable=False),
        sa.Column("epoch_revision", BIG, nullable=False),
        sa.Column("next_reference", BIG, nullable=False),
        sa.Column("next_fact", BIG, nullable=False),
        sa.Column("turns", BIG, nullable=False),
        sa.Column("folded_turns", BIG, nullable=False),
        sa.Column("lease_owner", sa.String(64), nullable=True),
        sa.Column("lease_until", sa.Float(), nullable=True),
        sa.Column("hold_reason", sa.String(255), nullable=True),
        sa.Column("hold_until_turn", BIG, nullable=True),
        sa.Column("failures", BIG, nullable=False),
        sa.Column("retry_at", sa.Float(), nullable=True),
        sa.Column("last_error", sa.String(255), nullable=True),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("updated_at", sa.String(32), nullable=False),
        sa.Column("expires_at", sa.String(32), nullable=True),
        sa.PrimaryKeyConstraint("session_id", name="pk_tm_session"),
    )
    op.create_index("ix_tm_session_expires_at", "tm_session", ["expires_at"])
    op.create_index("ix_tm_session_subject", "tm_session", ["subject", "session_id"])
    op.create_table(
        "tm_settings",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_tm_settings"),
    )


def downgrade() -> None:
    op.drop_table("tm_settings")
    op.drop_table("tm_session")
    op.drop_table("tm_segment")
    op.drop_table("tm_reference")
    op.drop_table("tm_message")
    op.drop_table("tm_mention")
    op.drop_table("tm_head")
    op.drop_table("tm_fact")
    op.drop_table("tm_compaction")
