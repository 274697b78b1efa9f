"""The schema's migrations, run by alembic on a connection of the store's own."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from tiered_memory.errors import SchemaVersionError
from tiered_memory.store.schema import VERSION_TABLE, metadata

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from sqlalchemy import Connection

__all__ = [
    "at_head",
    "current",
    "downgrade",
    "head",
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


def head() -> str:
    """Give the newest revision that the code knows."""
    return str(_scripts().get_current_head())


def current(connection: Connection) -> str | None:
    """Give the database's revision, or None where it has no tables of ours."""
    from alembic.migration import MigrationContext

    context = MigrationContext.configure(
        connection, opts={"version_table": VERSION_TABLE, "target_metadata": metadata}
    )
    return context.get_current_revision()


def at_head(connection: Connection) -> bool:
    """Tell whether the schema is the code's; two small reads.

    Raises:
        SchemaVersionError: the schema is newer than the code.
    """
    found = current(connection)
    if found == head():
        return True
    if found is not None and found not in _known():
        raise version_error(connection)
    return False


def version_error(connection: Connection) -> SchemaVersionError:
    """Give the error for a schema that is not the code's."""
    found, expected = current(connection), head()
    if found is not None and found not in _known():
        what = "newer than this version of the package; upgrade the package"
    elif found is None:
        what = (
            "the file is empty or another program's; if it is the right one, "
            "'tiered-memory db upgrade' adds the tables"
        )
    else:
        what = "older; run 'tiered-memory db upgrade' or set storage.migrate"
    return SchemaVersionError(
        f"the database's schema is {found or 'absent'}, the code's is {expected}: {what}",
        found=found,
        expected=expected,
    )


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the schema up to ``revision`` in the connection's transaction."""
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


def _known() -> set[str]:
    return {script.revision for script in _scripts().walk_revisions()}
