"""The vault's rows: values under pseudonyms, sealed before they come here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from tiered_memory.model import VaultEntry
from tiered_memory.store import schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from tiered_memory.store.session_rows import SessionRow

__all__ = ["read", "write"]

_vault = schema.vault

_READ = (
    sa.select(_vault.c.pseudonym, _vault.c.key_id, _vault.c.nonce, _vault.c.sealed)
    .where(_vault.c.session_id == sa.bindparam("id"))
    .order_by(_vault.c.revision, _vault.c.pseudonym)
)
_KNOWN = sa.select(_vault.c.session_id, _vault.c.pseudonym).where(
    _vault.c.session_id.in_(sa.bindparam("ids", expanding=True)),
    _vault.c.pseudonym.in_(sa.bindparam("names", expanding=True)),
)
_INSERT = sa.insert(_vault)


def read(connection: Connection, session_id: str) -> tuple[VaultEntry, ...]:
    """Give the session's entries, oldest first; one statement."""
    return tuple(
        VaultEntry(pseudonym=row[0], key_id=row[1], nonce=row[2], sealed=row[3])
        for row in connection.execute(_READ, {"id": session_id})
    )


def write(
    connection: Connection, new: Mapping[str, tuple[Sequence[VaultEntry], SessionRow]]
) -> None:
    """Write entries by session, at its row's revision; what is there stays as it is.

    Another process may have written the same value: a pseudonym is made without
    asking, and the first spelling of a value is the one that is kept.
    """
    if not new:
        return
    names = {entry.pseudonym for entries, _ in new.values() for entry in entries}
    known = {
        (row[0], row[1])
        for row in connection.execute(_KNOWN, {"ids": sorted(new), "names": sorted(names)})
    }
    rows = [
        {
            "session_id": session_id,
            "pseudonym": entry.pseudonym,
            "key_id": entry.key_id,
            "nonce": entry.nonce,
            "sealed": entry.sealed,
            "revision": session.revision,
        }
        for session_id, (entries, session) in new.items()
        for entry in entries
        if (session_id, entry.pseudonym) not in known
    ]
    if rows:
        connection.execute(_INSERT, rows)
