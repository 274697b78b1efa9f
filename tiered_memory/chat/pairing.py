"""Which result answers which call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tiered_memory.model import Payload
    from tiered_memory.text.language import Language

__all__ = [
    "HEAD_ROLES",
    "RESULT_ROLES",
    "Pairing",
    "call_ids",
    "interrupted",
    "is_placeholder",
    "pair",
    "result_id",
]

HEAD_ROLES = frozenset({"system", "developer"})
RESULT_ROLES = frozenset({"tool", "function"})

_INTERRUPTED: Mapping[str, str] = {
    "en": "[no result: the call was interrupted]",
    "zh": "[无结果：调用被中断]",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Which result answers which call, by places in the list.

    Attributes:
        answers: place of the assistant message → its call's slot → the result's place.
        duplicates: results of calls that have one already.
        orphans: results that answer no call before them.
        adopted: results without an id that were given to a call.
    """

    answers: dict[int, dict[int, int]] = field(default_factory=dict[int, dict[int, int]])
    duplicates: set[int] = field(default_factory=set[int])
    orphans: set[int] = field(default_factory=set[int])
    adopted: set[int] = field(default_factory=set[int])


def interrupted(language: Language) -> str:
    """Give the content of the result that closes an interrupted call."""
    return _INTERRUPTED[language]


def call_ids(payload: Payload) -> list[str]:
    """Give the ids of a message's calls in order; a legacy call's id is its name."""
    calls = payload.get("tool_calls")
    if calls:
        return [str(call["id"]) for call in cast("list[dict[str, Any]]", calls)]
    legacy = payload.get("function_call")
    if payload.get("role") == "assistant" and legacy is not None:
        return [str(cast("dict[str, Any]", legacy)["name"])]
    return []


def pair(payloads: Sequence[Payload]) -> Pairing:
    """Find for each result its call: the nearest before it that still lacks one.

    Ids are scoped to their assistant message, so that one used again later is a new
    call. A placeholder of ``heal`` that was stored gives way to a real result. A
    result without an id goes to the nearest message that lacks one.
    """
    pairing = Pairing()
    callers: dict[tuple[str, str], list[tuple[int, int]]] = {}
    open_slots: list[tuple[int, int]] = []
    for place, payload in enumerate(payloads):
        if payload["role"] in RESULT_ROLES:
            _assign(pairing, callers, open_slots, payloads, place)
            continue
        kind = "tool" if payload.get("tool_calls") else "function"
        slots: list[tuple[int, int]] = []
        for slot, call_id in enumerate(call_ids(payload)):
            callers.setdefault((kind, call_id), []).append((place, slot))
            slots.append((place, slot))
        open_slots = slots or open_slots
    return pairing


def _assign(
    pairing: Pairing,
    callers: Mapping[tuple[str, str], list[tuple[int, int]]],
    open_slots: list[tuple[int, int]],
    payloads: Sequence[Payload],
    place: int,
) -> None:
    payload = payloads[place]
    call_id = result_id(payload)
    if call_id is None:
        for at, slot in open_slots:
            if slot not in pairing.answers.setdefault(at, {}):
                pairing.answers[at][slot] = place
                pairing.adopted.add(place)
                return
        pairing.orphans.add(place)
        return
    calls = callers.get((str(payload["role"]), call_id), [])
    free = _free(pairing, calls, payloads, payload)
    if free is None:
        (pairing.duplicates if calls else pairing.orphans).add(place)
        return
    at, slot = free
    answers = pairing.answers.setdefault(at, {})
    if slot in answers:
        pairing.duplicates.add(answers[slot])
    answers[slot] = place


def _free(
    pairing: Pairing,
    calls: list[tuple[int, int]],
    payloads: Sequence[Payload],
    payload: Payload,
) -> tuple[int, int] | None:
    """Give the call that a result answers: message from the nearest back, slots in order."""
    best: tuple[int, int] | None = None
    real = not is_placeholder(payload)
    for at, slot in reversed(calls):
        if best is not None and at != best[0]:
            break
        held = pairing.answers.get(at, {}).get(slot)
        if held is None or (real and is_placeholder(payloads[held])):
            best = (at, slot)
    return best


def result_id(payload: Payload) -> str | None:
    """Give the id that a result names (a legacy one its function), None where none."""
    key = "tool_call_id" if payload["role"] == "tool" else "name"
    value = payload.get(key)
    return value if isinstance(value, str) and value else None


def is_placeholder(payload: Payload) -> bool:
    """Tell whether a result is one that ``heal`` wrote."""
    return payload.get("content") in _INTERRUPTED.values()
