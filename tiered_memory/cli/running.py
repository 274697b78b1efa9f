"""Runs a command: the event loop, settings, errors and exit codes."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from tiered_memory.errors import (
    PackError,
    SettingsError,
    StoreError,
    TieredMemoryError,
)
from tiered_memory.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

__all__ = [
    "BAD_DATA",
    "BAD_STORE",
    "BAD_USAGE",
    "DbOption",
    "JsonOption",
    "SettingsOption",
    "complain",
    "existing",
    "finish",
    "load_settings",
    "scratch",
]

BAD_DATA = 1
BAD_USAGE = 2
BAD_STORE = 3
INTERRUPTED = 130

T = TypeVar("T")

DbOption = Annotated[
    str, typer.Option("--db", metavar="PATH|URL", help="The database: a file or a URL.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document, for machines.")
]
SettingsOption = Annotated[
    Path | None,
    typer.Option(
        "--settings",
        metavar="FILE",
        help="Settings in TOML or YAML; TIERED_MEMORY_* variables override them.",
    ),
]


def finish(work: Callable[[], Coroutine[Any, Any, int]]) -> None:
    """Run ``work`` and exit with its code, or with the one of the error it raises."""
    try:
        code = asyncio.run(work())
    except (SettingsError, PackError) as exc:
        complain(str(exc))
        code = BAD_USAGE
    except StoreError as exc:
        complain(str(exc))
        code = BAD_STORE
    except TieredMemoryError as exc:
        complain(str(exc))
        code = BAD_DATA
    except KeyboardInterrupt:
        complain("interrupted; what was added is stored")
        code = INTERRUPTED
    raise typer.Exit(code)


def complain(text: str) -> None:
    """Say on stderr what is wrong."""
    sys.stderr.write(f"tiered-memory: {text}\n")


def load_settings(file: Path | None, **changes: object) -> Settings:
    """Give the settings of ``file`` (or the environment's), with ``changes`` on top.

    Raises:
        SettingsError: the file or a value is wrong.
    """
    settings = Settings.from_environment() if file is None else Settings.load(file)
    wanted = {name: value for name, value in changes.items() if value is not None}
    if not wanted:
        return settings
    return Settings(**{**settings.model_dump(exclude_unset=True), **wanted})


def scratch(folder: str, settings: Settings) -> tuple[str, Settings]:
    """Give a database in ``folder`` for one command alone, and settings that say so."""
    storage = settings.storage.model_copy(update={"shared": False})
    return str(Path(folder) / "scratch.db"), settings.model_copy(
        update={"storage": storage}
    )


def existing(target: str) -> str:
    """Give ``target`` if it is there: a command that only looks creates no database.

    Raises:
        StoreError: there is no such file.
    """
    if "://" not in target and not Path(target).is_file():
        raise StoreError(f"there is no database {target}", target=target)
    return target
