"""What the chat API would refuse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tiered_memory.chat.pairing import HEAD_ROLES, RESULT_ROLES, call_ids, result_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tiered_memory.model import Payload

__all__ = ["Problem", "ProblemKind", "content_problems", "is_empty", "validate"]

ProblemKind = Literal[
    "leading_message",
    "empty_message",
    "empty_tool_calls",
    "missing_content",
    "duplicate_call",
    "missing_result",
    "orphan_result",
    "duplicate_result",
    "result_without_id",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What the API would refuse; ``position`` is the place in the list."""

    kind: ProblemKind
    position: int
    call_id: str | None = None


def validate(payloads: Sequence[Payload]) -> list[Problem]:
    """Give what OpenAI's endpoint would refuse, by position; empty for a sound list.

    Stricter than it in one rule of our own: what follows the leading system and
    developer messages begins with a user's (other servers refuse all else). Legacy
    ``function_call`` is held to the same rules as ``tool_calls``. Linear.
    """
    problems: list[Problem] = []
    waiting: dict[str, int] = {}
    answered: set[str] = set()
    caller = -1
    led = False
    for place, payload in enumerate(payloads):
        role = payload["role"]
        if role in RESULT_ROLES:
            _check_result(payload, place, waiting, answered, problems)
        else:
            if waiting:
                problems += _unanswered(waiting, caller)
            waiting, answered, caller = {}, set[str](), place
            if role == "assistant":
                _check_reply(payload, place, waiting, problems)
            elif not payload.get("content"):
                problems += content_problems(payload, place)
        if not led and role not in HEAD_ROLES:
            led = True
            if role != "user":
                problems.append(Problem(kind="leading_message", position=place))
    problems += _unanswered(waiting, caller)
    return sorted(problems, key=lambda problem: problem.position)


def _unanswered(waiting: Mapping[str, int], caller: int) -> list[Problem]:
    return [
        Problem(kind="missing_result", position=caller, call_id=key.partition(":")[2])
        for key in waiting
    ]


def _check_result(
    payload: Payload,
    place: int,
    waiting: dict[str, int],
    answered: set[str],
    problems: list[Problem],
) -> None:
    if not payload.get("content"):
        problems += content_problems(payload, place)
    call_id = result_id(payload)
    if call_id is None:
        problems.append(Problem(kind="result_without_id", position=place))
        return
    key = f"{payload['role']}:{call_id}"
    if key in waiting:
        del waiting[key]
        answered.add(key)
    else:
        kind: ProblemKind = "duplicate_result" if key in answered else "orphan_result"
        problems.append(Problem(kind=kind, position=place, call_id=call_id))


def _check_reply(
    payload: Payload, place: int, waiting: dict[str, int], problems: list[Problem]
) -> None:
    calls = payload.get("tool_calls", ())
    if not calls and payload.get("function_call") is None:
        if calls != ():
            problems.append(Problem(kind="empty_tool_calls", position=place))
        if is_empty(payload):
            problems.append(Problem(kind="empty_message", position=place))
        return
    if calls in ([], None):
        problems.append(Problem(kind="empty_tool_calls", position=place))
    kind = "tool" if calls else "function"
    for call_id in call_ids(payload):
        key = f"{kind}:{call_id}"
        if key in waiting:
            problems.append(Problem(kind="duplicate_call", position=place, call_id=call_id))
        waiting[key] = place


def content_problems(payload: Payload, place: int) -> list[Problem]:
    """Give the problem of a message that must have content and has none."""
    if payload.get("content") in (None, []):
        return [Problem(kind="missing_content", position=place)]
    return []


def is_empty(payload: Payload) -> bool:
    """Tell whether an assistant message says nothing and calls nothing."""
    return (
        payload.get("content") in (None, [])
        and not payload.get("tool_calls")
        and payload.get("function_call") is None
        and not isinstance(payload.get("refusal"), str)
        and not isinstance(payload.get("audio"), dict)
    )
