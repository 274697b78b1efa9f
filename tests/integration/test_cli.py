"""The command line as a process: what it prints, and the codes it ends with."""

from __future__ import annotations

import gzip
import json
import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.conversations import conversation
from tiered_memory.cli.app import app
from tiered_memory.cli.demo_check import CORRECTED, SECRETS, VALUES
from tiered_memory.store.schema import VERSION_TABLE

WITHOUT_RECOGNIZERS = {"TIERED_MEMORY_NER__MODE": "off"}
WIDE = WITHOUT_RECOGNIZERS | {"COLUMNS": "240"}


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def cli(*arguments: object, cwd: Path, **environment: str) -> Ended:
    """Run a command in ``cwd``; recognizers are off unless ``environment`` says else."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("TIERED_MEMORY_")
    }
    ran = subprocess.run(
        [sys.executable, "-m", "tiered_memory.cli", *map(str, arguments)],
        cwd=cwd,
        env={**kept, "COLUMNS": "120", **(environment or WITHOUT_RECOGNIZERS)},
        capture_output=True,
        encoding="utf-8",
        timeout=55,
        check=False,
    )
    return Ended(ran.returncode, ran.stdout, ran.stderr)


def write(file: Path, *lines: object) -> Path:
    text = "".join(
        (line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)) + "\n"
        for line in lines
    )
    file.write_text(text, encoding="utf-8")
    return file


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """The demo as people get it: recognizers on, kept in a database."""
    folder = tmp_path_factory.mktemp("demo")
    ended = cli(
        "demo", "--json", "--db", "d.db", cwd=folder, TIERED_MEMORY_NER__MODE="thread"
    )
    return folder, ended


# -- demo ---------------------------------------------------------------------


def test_the_demo_reaches_every_stage(demo: tuple[Path, Ended]) -> None:
    _, ended = demo
    assert ended.code == 0, ended.err
    (played,) = ended.json["conversations"]
    figures = played["figures"]
    assert figures["turns"] >= 40
    assert figures["compactions"]["compacted"] >= 2
    assert figures["shortened"] > 0
    assert {"moved_result", "missing_result"} <= set(figures["repairs"])
    assert figures["masked"]
    assert figures["fact_sources"]["regex"] > 0
    assert figures["fact_sources"]["ner"] > 0
    assert figures["invalid"] == {}
    assert figures["over_budget"] == 0
    assert figures["tokens_sent"] < 0.6 * figures["tokens_whole"]


def test_the_demo_s_facts_are_the_corrected_ones(demo: tuple[Path, Ended]) -> None:
    _, ended = demo
    facts = ended.json["conversations"][0]["facts"]
    current = {(f["key"], f["value"]) for f in facts if f["status"] == "current"}
    assert set(VALUES.items()) <= current
    ended_values = {f["value"] for f in facts if f["status"] != "current"}
    assert set(CORRECTED) <= ended_values
    assert not {value for _, value in current}.intersection(CORRECTED)


def test_the_demo_s_last_prompt_is_right_about_what_left_the_window(
    demo: tuple[Path, Ended],
) -> None:
    _, ended = demo
    played = ended.json["conversations"][0]
    messages = played["prompt"]["messages"]
    left = max(segment["to_seq"] for segment in played["summary"])
    stated = {f["value"]: f["seq"] for f in played["facts"] if f["status"] == "current"}
    (block,) = (m["content"] for m in messages if "<customer_facts" in (m["content"] or ""))
    for key, value in VALUES.items():
        assert stated[value] < left
        assert f"{key}: {value}" in block
    assert not any(value in block for value in CORRECTED)


def test_the_demo_s_secrets_are_neither_printed_nor_stored(
    demo: tuple[Path, Ended],
) -> None:
    folder, ended = demo
    files = [path.read_bytes() for path in folder.iterdir()]
    for secret in SECRETS:
        assert secret not in ended.out + ended.err
        assert not any(secret.encode() in data for data in files)


def test_the_demo_for_people_tells_the_whole_story(tmp_path: Path) -> None:
    ended = cli("demo", cwd=tmp_path)
    assert ended.code == 0, ended.err
    for told in (
        "order_id HL-204817",
        "masked before it was stored: password 1",
        "healed in the prompt: missing_result",
        "once the turn is over",
        "compacted",
        "Facts, with their history",
        "superseded",
        "Prompt for gpt-4o-mini by tier",
        "against sending the whole history",
    ):
        assert told in ended.out
    assert not any(secret in ended.out for secret in SECRETS)
    assert list(tmp_path.iterdir()) == []


def test_the_demo_says_so_when_a_stage_did_nothing(tmp_path: Path) -> None:
    settings = write(
        tmp_path / "s.toml",
        "[tool_results]",
        'after_turn = "keep"',
        "[ner]",
        'mode = "off"',
    )
    ended = cli("demo", "--json", "--settings", settings, cwd=tmp_path)
    assert ended.code == 1
    assert "no tool result was shown shortened" in ended.err
    assert ended.err.count("did not show") == 1


def test_the_demo_runs_on_any_file(tmp_path: Path) -> None:
    file = write(
        tmp_path / "own.jsonl", user("my order is HL-300111"), assistant("Thanks.")
    )
    ended = cli("demo", file, cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert "HL-300111" in ended.out


# -- looking into a database ----------------------------------------------------


def test_what_was_stored_can_be_looked_at(demo: tuple[Path, Ended]) -> None:
    folder, ended = demo
    played = ended.json["conversations"][0]
    listed = cli("sessions", "--db", "d.db", "--json", cwd=folder)
    assert [row["session_id"] for row in listed.json] == ["demo"]
    facts = cli("facts", "demo", "--db", "d.db", "--history", "--json", cwd=folder)
    assert facts.json == played["facts"]
    orders = cli("facts", "demo", "--db", "d.db", "--key", "order_id", cwd=folder)
    assert "HL-204817" in orders.out
    assert "HL-204871" not in orders.out
    history = cli(
        "history", "demo", "--db", "d.db", "--start", 2, "--limit", 3, "--json", cwd=folder
    )
    assert [row["seq"] for row in history.json] == [2, 3, 4]
    prompt = cli("prompt", "demo", "--db", "d.db", "--json", cwd=folder)
    assert prompt.json["messages"][0]["role"] == "system"
    assert sum(prompt.json["tiers"].values()) == prompt.json["tokens"]
    again = cli("prompt", "demo", "--db", "d.db", "--json", cwd=folder)
    assert again.json["fingerprint"] == prompt.json["fingerprint"]
    shown = cli("prompt", "demo", "--db", "d.db", cwd=folder)
    assert "by tier" in shown.out
    assert [e.code for e in (listed, facts, orders, history, prompt, shown)] == [0] * 6


def test_facts_are_shown_as_they_were_known(demo: tuple[Path, Ended]) -> None:
    folder, _ = demo
    (name,) = [
        row["session_id"]
        for row in cli("sessions", "--db", "d.db", "--json", cwd=folder).json
    ][:1]
    look = ("facts", name, "--db", "d.db", "--json")
    history = cli(*look, "--history", cwd=folder).json
    ended = next(row for row in history if row["ended_at"] is not None)
    then = cli(*look, "--as-of", ended["first_seen"], cwd=folder).json
    now = cli(*look, cwd=folder).json

    assert ended["fact_id"] in [row["fact_id"] for row in then]
    assert ended["fact_id"] not in [row["fact_id"] for row in now]
    for wrong in ("yesterday", "2026-05-12T15:30"):
        refused = cli(*look, "--as-of", wrong, cwd=folder)
        assert refused.code == 2
        assert "--as-of" in refused.err


def test_nothing_found_is_said_in_words_and_is_an_empty_list_for_machines(
    demo: tuple[Path, Ended],
) -> None:
    folder, _ = demo
    look = ("facts", "demo", "--db", "d.db")
    nothing = cli(*look, "--key", "fone", cwd=folder)
    early = cli(*look, "--as-of", "2020-01-01T00:00Z", cwd=folder)
    strangers = cli("sessions", "--db", "d.db", "--subject", "nobody", cwd=folder)

    assert [e.code for e in (nothing, early, strangers)] == [0, 0, 0]
    assert nothing.out.strip() == "no facts of 'demo' are known under the key 'fone'"
    assert early.out.strip() == "no facts of 'demo' are known as of 2020-01-01T00:00Z"
    assert strangers.out.strip() == "no sessions of subject 'nobody' in d.db"
    assert cli(*look, "--key", "fone", "--json", cwd=folder).json == []


def test_compact_folds_what_may_be_folded_and_then_has_nothing_to_do(
    tmp_path: Path,
) -> None:
    messages = [m for n in range(12) for m in (user(f"question {n}"), assistant(f"re {n}"))]
    file = write(tmp_path / "talk.jsonl", {"id": "talk", "messages": messages})
    assert cli("run", file, "--db", "m.db", cwd=tmp_path).code == 0
    forced = cli("compact", "talk", "--db", "m.db", "--force", "--json", cwd=tmp_path)
    assert forced.code == 0
    assert forced.json["status"] in {"compacted", "not_worth_it"}
    rest = cli("compact", "talk", "--db", "m.db", cwd=tmp_path)
    assert rest.code == 0
    assert "nothing_to_do" in rest.out


def test_a_database_or_session_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    ended = cli("facts", "x", "--db", "none.db", cwd=tmp_path)
    assert (ended.code, ended.out) == (3, "")
    assert "there is no database none.db" in ended.err
    assert list(tmp_path.iterdir()) == []
    file = write(tmp_path / "a.jsonl", user("hello"))
    assert cli("run", file, "--db", "m.db", cwd=tmp_path).code == 0
    ended = cli("prompt", "x", "--db", "m.db", cwd=tmp_path)
    assert ended.code == 1
    assert "there is no session 'x'" in ended.err


# -- run ------------------------------------------------------------------------


def test_run_counts_and_checks_what_it_sends(tmp_path: Path) -> None:
    one = write(
        tmp_path / "one.jsonl",
        {"id": "a.0", "messages": conversation(20)},
        {"id": "a.1", "messages": conversation(20)},
    )
    ended = cli("run", one, "--effective-window", 8000, "--json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert [row["id"] for row in ended.json["conversations"]] == ["a.0", "a.1"]
    total = ended.json["total"]
    assert total["turns"] == 40
    assert total["facts"]["order_id"] > 0
    assert total["invalid"] == {}
    assert total["over_budget"] == 0
    assert 0 < total["tokens_sent"] < total["tokens_whole"]
    joined = cli("run", one, "--join", "--json", cwd=tmp_path)
    assert [row["id"] for row in joined.json["conversations"]] == ["a"]
    assert joined.json["total"]["compactions"]["compacted"] >= 2


def test_run_shows_tables_to_people(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", user("my order is HL-300111"), assistant("Thanks."))
    ended = cli("run", file, cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert "facts by type       order_id 1" in ended.out
    assert "wrong prompts       –" in ended.out


def test_run_builds_where_a_model_was_called(tmp_path: Path) -> None:
    call = {"name": "look", "arguments": "{}"}
    calls = [{"id": "c1", "type": "function", "function": call}]
    file = write(
        tmp_path / "a.jsonl",
        user("where is it?"),
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "on its way"},
        {"kind": "request"},
        assistant("On its way."),
        user("thanks"),
    )
    ended = cli("run", file, "--json", cwd=tmp_path)
    assert ended.json["total"]["prompts"] == 3
    assert ended.json["total"]["repairs"] == {}


def test_one_broken_line_is_named_and_costs_only_itself(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl.gz"
    lines = [
        json.dumps({"id": "x", "messages": [user("order HL-300111")]}),
        '{"id": "y", "messages": [',
        json.dumps({"id": "z", "messages": [user("order HL-300222")]}),
    ]
    file.write_bytes(gzip.compress("\n".join(lines).encode()))
    ended = cli("run", file, "--json", cwd=tmp_path)
    assert ended.code == 1
    assert f"{file}:2: not JSON" in ended.err
    assert [row["id"] for row in ended.json["conversations"]] == ["x", "z"]
    assert ended.json["total"]["facts"] == {"order_id": 2}
    assert [row["line"] for row in ended.json["bad_lines"]] == [2]


def test_what_is_no_chat_message_is_named_and_costs_only_itself(tmp_path: Path) -> None:
    file = write(
        tmp_path / "a.jsonl",
        user("order HL-300111"),
        {"role": "customer", "content": "hello"},
        user("order HL-300222"),
    )
    ended = cli("run", file, "--json", cwd=tmp_path)
    assert ended.code == 1
    assert f"{file}:2: " in ended.err
    assert "role" in ended.err
    assert ended.json["total"]["messages"] == 2
    assert ended.json["total"]["facts"] == {"order_id": 2}


def test_a_session_is_not_added_twice(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", user("hello"))
    assert cli("run", file, "--db", "m.db", cwd=tmp_path).code == 0
    ended = cli("run", file, "--db", "m.db", cwd=tmp_path)
    assert ended.code == 1
    assert "not added again" in ended.err
    history = cli("history", "a", "--db", "m.db", "--json", cwd=tmp_path)
    assert len(history.json) == 1


def test_planted_values_are_looked_for_to_the_letter(tmp_path: Path) -> None:
    planted = {"kind": "planted", "type": "order_id", "said_by": "user"}
    file = write(
        tmp_path / "a.jsonl",
        user("my order is HL-300111"),
        {**planted, "key": "order_id_1", "value": "HL-300111"},
        {**planted, "key": "order_id_2", "value": "HL-999999"},
    )
    total = cli("run", file, "--json", cwd=tmp_path).json["total"]
    assert (total["planted"], total["planted_stored"], total["planted_current"]) == (
        2,
        1,
        1,
    )


# -- what is wrong is said, and where -------------------------------------------


def test_an_unknown_setting_is_named(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", user("hello"))
    settings = write(tmp_path / "s.toml", "[window]", "keep_turn = 3")
    ended = cli("run", file, "--settings", settings, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "window.keep_turn: no such setting" in ended.err
    assert str(settings) in ended.err


def test_wrong_usage_has_its_own_code(tmp_path: Path) -> None:
    assert cli("run", "none.jsonl", cwd=tmp_path).code == 2
    assert cli("nonsense", cwd=tmp_path).code == 2
    assert cli("patterns", "check", cwd=tmp_path).code == 2


GOOD_PACK = """\
version: 1
patterns:
  - id: lamps.ticket
    type: ticket_no
    regex: ['LT[0-9]{5}']
    boundary: token
    score: 0.9
    examples:
      match: {'my ticket LT12345': LT12345, 'LT00001, please': LT00001}
      no_match: ['ALT12345', 'LT123456']
"""


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (GOOD_PACK.replace("LT[0-9]{5}", "LT[0-9{5}"), "lamps.ticket"),
        (GOOD_PACK.replace("'ALT12345'", "'LT54321'"), "lamps.ticket"),
        (GOOD_PACK.replace("boundary", "boundry"), "boundry"),
    ],
)
def test_a_bad_pack_is_refused_with_its_place(
    tmp_path: Path, wrong: str, says: str
) -> None:
    pack = tmp_path / "shop.yaml"
    pack.write_text(wrong, encoding="utf-8")
    checked = cli("patterns", "check", pack, cwd=tmp_path)
    assert checked.code in {1, 2}
    assert says in checked.out + checked.err
    settings = write(tmp_path / "s.toml", "[facts]", 'files = ["shop.yaml"]')
    file = write(tmp_path / "a.jsonl", user("hello"))
    ended = cli("run", file, "--settings", settings, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "shop.yaml" in ended.err
    assert says in ended.err


def test_a_good_pack_passes_and_finds_its_values(tmp_path: Path) -> None:
    pack = tmp_path / "shop.yaml"
    pack.write_text(GOOD_PACK, encoding="utf-8")
    checked = cli("patterns", "check", pack, cwd=tmp_path)
    assert checked.code == 0, checked.err
    assert "lamps.ticket" in checked.out
    tried = cli(
        "patterns",
        "check",
        pack,
        "--text",
        "工单LT12345呢，密码是 hunter22",
        "--json",
        cwd=tmp_path,
    )
    assert tried.code == 0, tried.err
    found = tried.json["extraction"]
    assert [(c["type"], c["value"]) for c in found["facts"]] == [("ticket_no", "LT12345")]
    why = {(r["value"], r["pattern"]): r for r in found["why"]}
    assert why["LT12345", "lamps.ticket"]["outcome"] == "fact"
    assert (why["LT12345", "lamps.ticket"]["start"]) == 2
    assert [r["outcome"] for r in found["why"] if r["value"] == "[password]"] == ["masked"]
    assert "hunter22" not in tried.out


def test_a_text_in_a_file_is_read_and_every_match_explained(tmp_path: Path) -> None:
    pack = tmp_path / "shop.yaml"
    pack.write_text(GOOD_PACK, encoding="utf-8")
    text = tmp_path / "text.txt"
    text.write_text("工单LT12345，比如LT54321", encoding="utf-8")
    settings = write(tmp_path / "s.toml", "[facts]", 'files = ["shop.yaml"]')
    shown = cli(
        *("patterns", "check", pack, "--text-file", text, "--settings", settings),
        cwd=tmp_path,
    )
    assert shown.code == 0, shown.err
    assert "2–9" in shown.out
    assert "example" in shown.out
    both = cli(*("patterns", "check", "--text", "a", "--text-file", text), cwd=tmp_path)
    assert both.code == 2


def test_a_clash_with_a_shipped_pack_is_seen_by_the_check(tmp_path: Path) -> None:
    pack = tmp_path / "shop.yaml"
    pack.write_text(GOOD_PACK.replace("lamps.ticket", "order.shape"), encoding="utf-8")
    checked = cli("patterns", "check", pack, "--json", cwd=tmp_path)
    assert checked.code == 1
    assert "ecommerce.yaml" in checked.json["patterns"][0]["problem"]


def test_facts_say_why_they_are_facts(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", user("我的手机号是13900002222"))
    assert cli("run", file, "--db", "m.db", cwd=tmp_path).code == 0
    shown = cli("facts", "a", "--db", "m.db", "--why", cwd=tmp_path, **WIDE)
    assert shown.code == 0, shown.err
    assert "phone.by_cue" in shown.out
    assert "content 6–17" in shown.out
    assert "validator phone" in shown.out
    plain = cli("facts", "a", "--db", "m.db", cwd=tmp_path)
    assert "phone.by_cue" not in plain.out


def test_a_database_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", user("hello"))
    assert cli("run", file, "--db", "m.db", cwd=tmp_path).code == 0
    current = cli("db", "current", "--db", "m.db", "--json", cwd=tmp_path)
    assert current.code == 0
    assert current.json["found"] == current.json["expected"]
    with sqlite3.connect(tmp_path / "m.db") as connection:
        connection.execute(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    connection.close()
    for command in (
        ("run", file, "--db", "m.db"),
        ("facts", "a", "--db", "m.db"),
        ("db", "upgrade", "--db", "m.db"),
        ("db", "current", "--db", "m.db"),
    ):
        ended = cli(*command, cwd=tmp_path)
        assert ended.code == 3, command
        assert "9999" in ended.err


def test_upgrading_makes_a_new_database_current(tmp_path: Path) -> None:
    made = cli("db", "upgrade", "--db", "new.db", cwd=tmp_path)
    assert made.code == 0, made.err
    assert cli("db", "current", "--db", "new.db", cwd=tmp_path).code == 0
    assert cli("sessions", "--db", "new.db", "--json", cwd=tmp_path).json == []


def test_a_file_that_is_no_database_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "m.db").write_text("no database at all, " * 100, encoding="utf-8")
    ended = cli("sessions", "--db", "m.db", cwd=tmp_path)
    assert ended.code == 3
    assert "m.db" in ended.err


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_an_interrupted_run_keeps_what_was_added(tmp_path: Path) -> None:
    command = [sys.executable, "-u", "-m", "tiered_memory.cli", "demo", "--db", "m.db"]
    environment = {**os.environ, **WITHOUT_RECOGNIZERS, "PYTHONUTF8": "1"}
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            if "order_id HL-204871" in line:
                process.send_signal(signal.SIGINT)
                break
        errors = process.stderr.read()
        process.stdout.read()
        assert process.wait(timeout=30) == 130
    assert "interrupted; what was added is stored" in errors
    history = cli("history", "demo", "--db", "m.db", "--json", cwd=tmp_path)
    assert history.code == 0
    assert [row["seq"] for row in history.json] == list(range(1, len(history.json) + 1))
    assert len(history.json) >= 3


# -- help -------------------------------------------------------------------------


def _all(command: Any, *path: str) -> list[tuple[str, ...]]:
    inner: dict[str, Any] = getattr(command, "commands", {})
    found = [deep for name in inner for deep in _all(inner[name], *path, name)]
    return found or [path]


@pytest.mark.parametrize("path", _all(typer.main.get_command(app)), ids=" ".join)
def test_every_command_s_help_teaches_with_an_example(path: tuple[str, ...]) -> None:
    command: Any = typer.main.get_command(app)
    for name in path:
        command = command.commands[name]
    text = command.help or ""
    assert f"tiered-memory {' '.join(path)}" in text
    assert {parameter.name for parameter in command.params} >= {"as_json"}


def test_help_is_printed_without_opening_anything(tmp_path: Path) -> None:
    ended = cli("--help", cwd=tmp_path)
    assert ended.code == 0
    assert "tiered-memory demo" in ended.out
    assert list(tmp_path.iterdir()) == []
