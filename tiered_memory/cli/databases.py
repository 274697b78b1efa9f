"""``tiered-memory db``: the schema of a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.cli.output import print_json, stdout
from tiered_memory.cli.running import (
    BAD_STORE,
    DbOption,
    JsonOption,
    SettingsOption,
    complain,
    existing,
    finish,
    load_settings,
)
from tiered_memory.errors import SchemaVersionError
from tiered_memory.store.database import Database
from tiered_memory.store.migrate import revisions

if TYPE_CHECKING:
    from tiered_memory.settings import StorageSettings

__all__ = ["current", "upgrade"]


def upgrade(
    db: DbOption, settings: SettingsOption = None, as_json: JsonOption = False
) -> None:
    """Bring a database's schema up to the newest version; makes the file where it is new.

    For deployments that set storage.migrate to false, so that no server changes a schema
    at its start. Several processes may run it at once.

    For example:

      tiered-memory db upgrade --db memory.db
    """

    async def work() -> int:
        storage = load_settings(settings).storage.model_copy(update={"migrate": True})
        await _open(db, storage)
        _tell(revisions()[0], as_json=as_json)
        return 0

    finish(work)


def current(
    db: DbOption, settings: SettingsOption = None, as_json: JsonOption = False
) -> None:
    """Show a database's schema version and the one that the code wants; never migrates.

    Exit code: 0 they are the same; 3 they are not.

    For example:

      tiered-memory db current --db memory.db --json
    """

    async def work() -> int:
        storage = load_settings(settings).storage.model_copy(update={"migrate": False})
        try:
            await _open(existing(db), storage)
        except SchemaVersionError as exc:
            _tell(exc.facts.get("found"), as_json=as_json)
            complain(str(exc))
            return BAD_STORE
        _tell(revisions()[0], as_json=as_json)
        return 0

    finish(work)


async def _open(target: str, storage: StorageSettings) -> None:
    database = await Database.open(target, settings=storage)
    await database.aclose()


def _tell(found: object, *, as_json: bool) -> None:
    if as_json:
        print_json({"found": found, "expected": revisions()[0]})
    else:
        stdout().print(f"found {found or 'none'}, expected {revisions()[0]}")
