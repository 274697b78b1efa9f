from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tiered_memory.cli.records import Conversation, join, read_files

HELLO = {"role": "user", "content": "hello"}
SYSTEM = {"role": "system", "content": "be brief"}


def write(file: Path, *lines: object) -> Path:
    text = "".join(
        (line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)) + "\n"
        for line in lines
    )
    data = text.encode("utf-8")
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)
    return file


def texts(conversation: Conversation) -> list[Any]:
    return [step.message for step in conversation.steps]


def test_a_line_may_be_a_conversation(tmp_path: Path) -> None:
    file = write(
        tmp_path / "a.jsonl",
        {"id": "one", "messages": [SYSTEM, HELLO]},
        {"id": "two", "messages": [HELLO]},
    )
    found, bad = read_files([file])
    assert bad == []
    assert [(one.id, texts(one)) for one in found] == [
        ("one", [SYSTEM, HELLO]),
        ("two", [HELLO]),
    ]


def test_bare_messages_and_records_are_one_conversation_named_after_the_file(
    tmp_path: Path,
) -> None:
    file = write(
        tmp_path / "calls.jsonl.gz",
        {"kind": "system", "message": SYSTEM},
        {"kind": "message", "turn": 1, "message": HELLO},
        {"kind": "request", "turn": 1},
        "",
        {"role": "assistant", "content": "hi"},
        {"kind": "planted", "key": "order_1", "value": "A-1", "said_by": "user"},
    )
    (found,), bad = read_files([file])
    assert bad == []
    assert found.id == "calls"
    assert texts(found) == [SYSTEM, HELLO, None, {"role": "assistant", "content": "hi"}]
    assert [step.line for step in found.steps] == [1, 2, 3, 5]
    assert [(item.key, item.value) for item in found.planted] == [("order_1", "A-1")]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"role": "user", ', "not JSON"),
        ("[1, 2]", "a JSON object is wanted"),
        ('{"text": "hello"}', "neither a conversation"),
        ('{"kind": "note", "message": {}}', 'no such "kind"'),
        ('{"kind": "message"}', 'needs a "message"'),
        ('{"kind": "planted", "key": "k"}', '"said_by"'),
        ('{"messages": [{"role": "user", "content": "x"}]}', '"id"'),
        ('{"id": "x", "messages": []}', '"messages" must be a list'),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_is_read(
    tmp_path: Path, line: str, says: str
) -> None:
    file = write(tmp_path / "a.jsonl", HELLO, line, HELLO)
    (found,), (bad,) = read_files([file])
    assert texts(found) == [HELLO, HELLO]
    assert (bad.file, bad.line) == (str(file), 2)
    assert says in bad.reason
    assert str(bad).startswith(f"{file}:2: ")


def test_a_line_that_is_not_utf_8_is_a_bad_line(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"role": "user", "content": "\xff"}\n' + json.dumps(HELLO).encode())
    (found,), (bad,) = read_files([file])
    assert texts(found) == [HELLO]
    assert (bad.line, bad.reason) == (1, "not JSON: byte 30 is not UTF-8")


def test_what_a_cut_archive_still_holds_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl.gz"
    lines = "".join(
        json.dumps({"role": "user", "content": f"message {number * 7919}"}) + "\n"
        for number in range(5_000)
    )
    whole = gzip.compress(lines.encode())
    file.write_bytes(whole[: len(whole) // 2])
    found, (bad,) = read_files([file])
    read = len(found[0].steps)
    assert 1_000 < read < 5_000
    assert bad.line == read + 1
    assert "cannot be read on" in bad.reason


def test_a_file_that_is_no_archive_is_one_bad_line(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl.gz"
    file.write_text(json.dumps(HELLO), encoding="utf-8")
    found, (bad,) = read_files([file])
    assert found == []
    assert bad.line == 1


def test_joining_keeps_order_and_says_the_system_prompt_once(tmp_path: Path) -> None:
    other = {"role": "system", "content": "be kind"}
    file = write(
        tmp_path / "a.jsonl",
        {"id": "7.0", "messages": [SYSTEM, {**HELLO, "content": "one"}]},
        {"id": "8.0", "messages": [SYSTEM, HELLO]},
        {"id": "7.1", "messages": [SYSTEM, other, {**HELLO, "content": "two"}]},
    )
    found, _ = read_files([file])
    first, second = join(found)
    assert (first.id, second.id) == ("7", "8")
    assert [message["content"] for message in texts(first)] == [
        "be brief",
        "one",
        "be kind",
        "two",
    ]
