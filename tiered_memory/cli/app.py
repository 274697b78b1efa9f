"""Puts the commands together."""

from __future__ import annotations

from inspect import cleandoc
from typing import TYPE_CHECKING, Annotated

import typer

from tiered_memory.cli import databases, demo, inspecting, packs, run

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["app", "run_app"]

app = typer.Typer(
    name="tiered-memory",
    help=(
        "Tiered conversation memory for customer-service chat agents.\n\n"
        "Start with: tiered-memory demo\n\n"
        "Exit codes: 0 fine; 1 the data or the check is bad; 2 usage, settings or pattern "
        "pack; 3 database."
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("tiered-memory"))
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    del version


def _help(command: Callable[..., None]) -> str:
    """Give the docstring with each paragraph on one line, to be wrapped anew."""
    paragraphs = cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(
        text if text.startswith(" ") else " ".join(text.split()) for text in paragraphs
    )


def _register(parent: typer.Typer, *commands: Callable[..., None]) -> None:
    for command in commands:
        parent.command(help=_help(command))(command)


_register(app, demo.demo, run.run)
_register(app, inspecting.sessions, inspecting.facts, inspecting.prompt)
_register(app, inspecting.history, inspecting.compact)

patterns = typer.Typer(no_args_is_help=True, help="Check pattern packs.")
_register(patterns, packs.check)
app.add_typer(patterns, name="patterns")

db = typer.Typer(no_args_is_help=True, help="The schema of a database.")
_register(db, databases.upgrade, databases.current)
app.add_typer(db, name="db")


def run_app() -> None:
    """Run the command that ``sys.argv`` names; ends the process."""
    app()
