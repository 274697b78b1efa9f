"""The schema's migrations, run by alembic on a connection of the store's own."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from tiered_memory.errors import SchemaVersionError
from tiered_memory.store.schema import VERSION_TABLE, metadata

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from sqlalchemy import Connection

__all__ = [
    "at_head",
    "current",
    "downgrade",
    "revisions",
    "script_folder",
    "upgrade",
    "version_error",
]

_ONE_AT_A_TIME = threading.Lock()
"""alembic keeps its context in module globals."""


def script_folder() -> Path:
    """Give the folder of the migrations: in the wheel, else beside the package."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_data" / "migrations", package.parent / "migrations"):
        if (folder / "env.py").is_file():
            return folder
    raise SchemaVersionError("the package came without its migrations; install it anew")


def revisions() -> tuple[str, ...]:
    """Give the revisions that the code knows, newest first; reads files."""
    return tuple(script.revision for script in _scripts().walk_revisions())


def current(connection: Connection) -> str | None:
    """Give the database's revision, or None where it has no tables of ours."""
    from alembic.runtime.migration import MigrationContext

    context = MigrationContext.configure(
        connection, opts={"version_table": VERSION_TABLE, "target_metadata": metadata}
    )
    return context.get_current_revision()


def at_head(found: str | None, known: Sequence[str]) -> bool:
    """Tell whether a database's revision is the newest of ``known``.

    Raises:
        SchemaVersionError: the schema is newer than the code.
    """
    if found is not None and found not in known:
        raise version_error(found, known)
    return found == known[0]


def version_error(found: str | None, known: Sequence[str]) -> SchemaVersionError:
    """Give the error for a schema that is not the code's."""
    if found is None:
        what = (
            "the file is empty or another program's; if it is the right one, "
            "'tiered-memory db upgrade' adds the tables"
        )
    elif found in known:
        what = "older; run 'tiered-memory db upgrade' or set storage.migrate"
    else:
        what = "newer than this version of the package; upgrade the package"
    return SchemaVersionError(
        f"the database's schema is {found or 'absent'}, the code's is {known[0]}: {what}",
        found=found,
        expected=known[0],
    )


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the schema up to ``revision`` in the connection's transaction.

    Reads files. On the store's own connections that is off the event loop; through a
    borrowed engine it is on it, some 50 ms, once: migrate there before, or at start.
    """
    from alembic import command

    with _ONE_AT_A_TIME:
        command.upgrade(_config(connection), revision)


def downgrade(connection: Connection, revision: str) -> None:
    """Take the schema back to ``revision``; the data of later tables is lost."""
    from alembic import command

    with _ONE_AT_A_TIME:
        command.downgrade(_config(connection), revision)


def _config(connection: Connection | None = None) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(script_folder()).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    if connection is not None:
        config.attributes["connection"] = connection
    return config


def _scripts() -> ScriptDirectory:
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(_config())
