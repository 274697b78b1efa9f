"""When facts ended, each time they were stated again, and an index to find them by."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")

# Rows that ended before this ended with a message or with another fact of the revision.
ENDED_AT = """
UPDATE tm_fact SET ended_at = COALESCE(
    (SELECT min(m.created_at) FROM tm_message m
     WHERE m.session_id = tm_fact.session_id AND m.revision = tm_fact.ended_revision),
    (SELECT min(f.first_seen) FROM tm_fact f
     WHERE f.session_id = tm_fact.session_id AND f.revision = tm_fact.ended_revision),
    last_seen)
WHERE ended_revision IS NOT NULL
"""

# What was last is kept in the fact again.
LAST = """
UPDATE tm_fact SET (last_seen, last_seq, confidence) = (
    SELECT s.last_seen, s.last_seq, s.confidence FROM tm_fact_seen s
    WHERE s.session_id = tm_fact.session_id AND s.fact_id = tm_fact.fact_id
    ORDER BY s.revision DESC LIMIT 1)
WHERE EXISTS (SELECT 1 FROM tm_fact_seen s
    WHERE s.session_id = tm_fact.session_id AND s.fact_id = tm_fact.fact_id)
"""


def upgrade() -> None:
    op.add_column("tm_fact", sa.Column("last_start", BIG, nullable=True))
    op.add_column("tm_fact", sa.Column("ended_at", sa.String(32), nullable=True))
    op.execute("UPDATE tm_fact SET last_start = start_at WHERE last_seq = seq")
    op.execute(ENDED_AT)
    op.create_index("ix_tm_fact_key_normalized", "tm_fact", ["key", "normalized"])
    op.create_table(
        "tm_fact_seen",
        sa.Column("session_id", sa.String(255), nullable=False),
        sa.Column("fact_id", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("last_seen", sa.String(32), nullable=False),
        sa.Column("last_seq", BIG, nullable=True),
        sa.Column("last_start", BIG, nullable=True),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint(
            "session_id", "fact_id", "revision", name="pk_tm_fact_seen"
        ),
    )


def downgrade() -> None:
    op.execute(LAST)
    op.drop_table("tm_fact_seen")
    op.drop_index("ix_tm_fact_key_normalized", "tm_fact")
    op.drop_column("tm_fact", "ended_at")
    op.drop_column("tm_fact", "last_start")
