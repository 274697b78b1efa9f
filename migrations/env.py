"""Runs the migrations on the connection that the store hands over."""

from __future__ import annotations

from alembic import context

from tiered_memory.store.schema import VERSION_TABLE, metadata

OWN = frozenset(metadata.tables) | {VERSION_TABLE}


def include_name(name: str | None, kind: str, parents: object) -> bool:
    return kind != "table" or name in OWN


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    include_name=include_name,
    render_as_batch=True,
    transactional_ddl=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
