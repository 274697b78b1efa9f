"""Reads conversations from JSON-lines files; a bad line costs only itself."""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["BadLine", "Conversation", "Planted", "Step", "join", "read_files"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BadLine:
    """A line that could not be used, and why; ``line`` is 1-based."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A message to add, or the place where a model was called (``message`` None)."""

    file: str
    line: int
    message: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A value that the file says is in the conversation; a later one corrects it."""

    key: str
    value: str
    said_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What one session gets, in order."""

    id: str
    steps: tuple[Step, ...]
    planted: tuple[Planted, ...] = ()


@dataclass(slots=True)
class _Loose:
    """The lines of a file that are messages, not conversations."""

    steps: list[Step] = field(default_factory=list[Step])
    planted: list[Planted] = field(default_factory=list[Planted])


def read_files(files: Iterable[Path]) -> tuple[list[Conversation], list[BadLine]]:
    """Read every file: conversations in file order, and the lines that are none.

    A line is a conversation (``{"id", "messages"}``), a record (``{"kind": "system" |
    "message", "message"}``, ``{"kind": "request"}``, ``{"kind": "planted", …}``) or a
    bare chat message; the records and messages of a file are one conversation with
    the file's name. Files that end in ``.gz`` are unpacked.
    """
    conversations: list[Conversation] = []
    bad: list[BadLine] = []
    for file in files:
        loose = _Loose()
        for line, item in _lines(file, bad):
            reason = _sort_in(item, str(file), line, conversations, loose)
            if reason is not None:
                bad.append(BadLine(file=str(file), line=line, reason=reason))
        if loose.steps:
            conversations.append(
                Conversation(
                    id=_stem(file),
                    steps=tuple(loose.steps),
                    planted=tuple(loose.planted),
                )
            )
    return conversations, bad


def join(conversations: Iterable[Conversation]) -> list[Conversation]:
    """Join those whose ids share the part before the first dot, in order.

    A system message that repeats the first conversation's is left out, as a returning
    customer's session has one.
    """
    joined: dict[str, Conversation] = {}
    for conversation in conversations:
        name = conversation.id.split(".", 1)[0]
        known = joined.get(name)
        if known is None:
            joined[name] = replace(conversation, id=name)
            continue
        head = [_system_text(step) for step in known.steps if _system_text(step)]
        steps = (step for step in conversation.steps if _system_text(step) not in head)
        joined[name] = replace(
            known,
            steps=(*known.steps, *steps),
            planted=known.planted + conversation.planted,
        )
    return list(joined.values())


def _system_text(step: Step) -> str | None:
    given = step.message
    message = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    if message.get("role") not in {"system", "developer"}:
        return None
    return json.dumps(message.get("content"), ensure_ascii=False)


def _stem(file: Path) -> str:
    name = file.name
    for suffix in (".gz", ".jsonl", ".json"):
        name = name.removesuffix(suffix)
    return name


def _lines(file: Path, bad: list[BadLine]) -> Iterator[tuple[int, object]]:
    """Give (line, JSON value) of each line that is JSON; note the others."""
    line = 0
    opener = gzip.open if file.suffix == ".gz" else open
    try:
        with opener(file, "rb") as stream:
            for raw in stream:
                line += 1
                if not raw.strip():
                    continue
                try:
                    yield (
                        line,
                        json.loads(raw.decode("utf-8-sig" if line == 1 else "utf-8")),
                    )
                except (ValueError, RecursionError) as exc:
                    reason = f"not JSON: {_short(exc)}"
                    bad.append(BadLine(file=str(file), line=line, reason=reason))
    except (OSError, EOFError, zlib.error) as exc:
        reason = f"cannot be read on: {_short(exc)}"
        bad.append(BadLine(file=str(file), line=line + 1, reason=reason))


def _short(exc: Exception) -> str:
    """Say what is wrong without a word of the line itself."""
    if isinstance(exc, json.JSONDecodeError):
        return f"{exc.msg} at column {exc.colno}"
    if isinstance(exc, UnicodeDecodeError):
        return f"byte {exc.start + 1} is not UTF-8"
    if isinstance(exc, RecursionError):
        return "nested too deeply"
    return str(exc) or type(exc).__name__


def _sort_in(
    item: object, file: str, line: int, found: list[Conversation], loose: _Loose
) -> str | None:
    """Put ``item`` where it belongs, or say why it belongs nowhere."""
    if not isinstance(item, dict):
        return "neither a conversation nor a message: a JSON object is wanted"
    record = cast("dict[str, Any]", item)
    if "messages" in record:
        return _conversation(record, file, line, found)
    if "kind" in record:
        return _record(record, file, line, loose)
    if "role" in record:
        loose.steps.append(Step(file=file, line=line, message=record))
        return None
    return 'neither a conversation ("messages"), a record ("kind") nor a message ("role")'


def _conversation(
    record: dict[str, Any], file: str, line: int, found: list[Conversation]
) -> str | None:
    name, messages = record.get("id"), record["messages"]
    if not isinstance(name, str) or not name:
        return 'a conversation needs an "id" of its own, a text'
    if not isinstance(messages, list) or not messages:
        return '"messages" must be a list of chat messages'
    items = cast("list[object]", messages)
    steps = tuple(Step(file=file, line=line, message=message) for message in items)
    found.append(Conversation(id=name, steps=steps))
    return None


def _record(record: dict[str, Any], file: str, line: int, loose: _Loose) -> str | None:
    kind: object = record["kind"]
    if kind == "request":
        loose.steps.append(Step(file=file, line=line))
    elif kind in {"system", "message"}:
        if record.get("message") is None:
            return f'a record of kind "{kind}" needs a "message"'
        loose.steps.append(Step(file=file, line=line, message=record["message"]))
    elif kind == "planted":
        values = [record.get(name) for name in ("key", "value", "said_by")]
        if not all(isinstance(value, str) for value in values):
            return 'a record of kind "planted" needs the texts "key", "value", "said_by"'
        key, value, said_by = (str(value) for value in values)
        loose.planted.append(Planted(key=key, value=value, said_by=said_by))
    else:
        return 'no such "kind": system, message, request and planted are known'
    return None
