"""Messages that a model is still to be asked about, its calls, and what waits of its replies."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "tm_model_call",
        sa.Column("session_id", sa.String(255), nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("calls", BIG, nullable=False),
        sa.PrimaryKeyConstraint("session_id", "day", name="pk_tm_model_call"),
    )
    op.create_index("ix_tm_model_call_day", "tm_model_call", ["day", "calls"])
    op.create_table(
        "tm_model_task",
        sa.Column("session_id", sa.String(255), nullable=False),
        sa.Column("seq", BIG, nullable=False),
        sa.PrimaryKeyConstraint("session_id", "seq", name="pk_tm_model_task"),
    )
    op.create_table(
        "tm_proposal",
        sa.Column("session_id", sa.String(255), nullable=False),
        sa.Column("seq", BIG, nullable=False),
        sa.Column("number", BIG, nullable=False),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("key", sa.String(128), nullable=False),
        sa.Column("normalized", sa.Text(), nullable=False),
        sa.Column("candidate", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "seq", "number", name="pk_tm_proposal"),
    )


def downgrade() -> None:
    op.drop_table("tm_proposal")
    op.drop_table("tm_model_task")
    op.drop_table("tm_model_call")
