"""Tables of the command line."""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from tests.prompt_states import fact
from tiered_memory.cli.output import fact_table


def test_a_fact_of_the_application_has_no_message_until_it_is_said() -> None:
    given = replace(
        fact(1, "loyalty", "gold", revision=1, source="api"),
        seq=None, part=None, start=None, end=None, last_seq=3, last_start=None,
    )  # fmt: skip
    said = replace(given, key="tier", last_seq=5, last_start=2)
    console = Console(width=90)
    with console.capture() as shown:
        console.print(fact_table([given, said], "Facts"))
    rows = [line.split() for line in shown.get().splitlines()]
    assert [row[-1] for row in rows if row and row[0] in {"loyalty", "tier"}] == [
        "–",
        "–…5",
    ]
