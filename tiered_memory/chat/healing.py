"""A damaged list of messages → the nearest one that the chat API takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tiered_memory.chat.pairing import (
    RESULT_ROLES,
    call_ids,
    interrupted,
    pair,
    result_id,
)
from tiered_memory.chat.validation import content_problems, is_empty, validate
from tiered_memory.model import Repair

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tiered_memory.model import Payload
    from tiered_memory.text.language import Language

__all__ = ["Healed", "heal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Healed:
    """A list that the API takes.

    Attributes:
        payloads: those that need no change are the very objects that came in.
        repairs: by position of what was mended.
        origins: for each payload its place in the list that came in; None for the
            result of a call that has none.
    """

    payloads: list[Payload]
    repairs: tuple[Repair, ...]
    origins: tuple[int | None, ...]


def heal(payloads: Sequence[Payload], *, language: Language = "en") -> Healed:
    """Give the nearest list that ``validate`` passes; a sound one comes back as it is.

    Results that came late move behind their call; where a call's results were not all
    in place they stand in the calls' order. A call without a result gets one that says
    so, in ``language``. Of two results of one call the first stays. Results without a
    call, assistant messages that say nothing, and whatever stands before the first
    user message are left out. No user message is ever left out or changed.

    Pure and idempotent; linear.
    """
    if not validate(payloads):
        return Healed(
            payloads=list(payloads), repairs=(), origins=tuple(range(len(payloads)))
        )
    return _Healing(payloads, language).run()


class _Healing:
    """One run of ``heal``."""

    def __init__(self, payloads: Sequence[Payload], language: Language) -> None:
        self._in = payloads
        self._language: Language = language
        self._pairing = pair(payloads)
        self._out: list[tuple[Payload, int | None]] = []
        self._repairs: list[Repair] = []
        self._led = False

    def run(self) -> Healed:
        self._report_unpaired()
        for place, payload in enumerate(self._in):
            role = payload["role"]
            if role in RESULT_ROLES:
                continue
            if role == "user":
                self._led = True
            if role == "assistant":
                self._assistant(payload, place)
            else:
                self._out.append((self._with_content(payload, place), place))
        return Healed(
            payloads=[payload for payload, _ in self._out],
            repairs=tuple(sorted(self._repairs, key=lambda repair: repair.position)),
            origins=tuple(origin for _, origin in self._out),
        )

    def _report_unpaired(self) -> None:
        for kind, places in (
            ("orphan_result", self._pairing.orphans),
            ("duplicate_result", self._pairing.duplicates),
        ):
            for place in places:
                self._note(kind, place, result_id(self._in[place]))

    def _assistant(self, payload: Payload, place: int) -> None:
        answers = self._pairing.answers.get(place, {})
        if not self._led:
            for position in (place, *answers.values()):
                self._note("leading_message", position)
            return
        if payload.get("tool_calls", ()) in ([], None):
            payload = {k: v for k, v in payload.items() if k != "tool_calls"}
            self._note("empty_tool_calls", place)
        if is_empty(payload):
            self._note("empty_message", place)
            return
        payload, names = self._with_own_ids(payload, place)
        self._out.append((payload, place))
        if names:
            self._results(payload, place, names, answers)

    def _results(
        self, payload: Payload, place: int, names: list[str], answers: Mapping[int, int]
    ) -> None:
        in_place = self._in_place(place, answers)
        if len(in_place) == len(names):
            order = sorted(answers, key=lambda slot: answers[slot])
        else:
            order = list(range(len(names)))
        legacy = not payload.get("tool_calls")
        for slot in order:
            name = names[slot]
            source = answers.get(slot)
            if source is None:
                self._note("missing_result", place, name)
                self._out.append((self._closing(name, legacy=legacy), None))
                continue
            if source in self._pairing.adopted:
                self._note("result_without_id", source, name)
            if source not in in_place:
                self._note("moved_result", source, name)
            self._out.append((self._result(source, name, legacy=legacy), source))

    def _in_place(self, place: int, answers: Mapping[int, int]) -> set[int]:
        """Give the places of the results that stand directly behind their call."""
        wanted = set(answers.values())
        found: set[int] = set()
        for other in range(place + 1, len(self._in)):
            if self._in[other]["role"] not in RESULT_ROLES:
                break
            if other in wanted:
                found.add(other)
        return found

    def _result(self, source: int, name: str, *, legacy: bool) -> Payload:
        payload = self._with_content(self._in[source], source)
        key = "name" if legacy else "tool_call_id"
        role = "function" if legacy else "tool"
        if payload.get(key) == name and payload["role"] == role:
            return payload
        return {**payload, "role": role, key: name}

    def _closing(self, name: str, *, legacy: bool) -> Payload:
        content = interrupted(self._language)
        if legacy:
            return {"role": "function", "name": name, "content": content}
        return {"role": "tool", "tool_call_id": name, "content": content}

    def _with_content(self, payload: Payload, place: int) -> Payload:
        if not content_problems(payload, place):
            return payload
        self._note("missing_content", place)
        return {**payload, "content": ""}

    def _with_own_ids(self, payload: Payload, place: int) -> tuple[Payload, list[str]]:
        """Give a second call of the same id one of its own."""
        ids = call_ids(payload)
        if len(set(ids)) == len(ids):
            return (payload, ids)
        own: list[str] = []
        for call_id in ids:
            fresh, number = call_id, 2
            while fresh in own or (fresh != call_id and fresh in ids):
                fresh, number = f"{call_id}_{number}", number + 1
            if fresh != call_id:
                self._note("duplicate_call", place, call_id)
            own.append(fresh)
        calls = cast("list[dict[str, Any]]", payload["tool_calls"])
        renamed = [{**call, "id": own[slot]} for slot, call in enumerate(calls)]
        return ({**payload, "tool_calls": renamed}, own)

    def _note(self, kind: str, position: int, call_id: str | None = None) -> None:
        self._repairs.append(Repair(kind=kind, position=position, call_id=call_id))
