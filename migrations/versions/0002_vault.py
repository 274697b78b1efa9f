"""The vault of values under pseudonyms."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "tm_vault",
        sa.Column("session_id", sa.String(255), nullable=False),
        sa.Column("pseudonym", sa.String(80), nullable=False),
        sa.Column("key_id", sa.String(16), nullable=False),
        sa.Column("nonce", sa.LargeBinary(12), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.PrimaryKeyConstraint("session_id", "pseudonym", name="pk_tm_vault"),
    )


def downgrade() -> None:
    op.drop_table("tm_vault")
