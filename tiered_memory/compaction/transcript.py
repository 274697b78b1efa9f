"""Turns → text for a summarizer: a line a message, identifiers as references."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from tiered_memory.chat.messages import failed_result, plain_text
from tiered_memory.compaction.noise import noise_turns
from tiered_memory.compaction.spots import apart, literals
from tiered_memory.compaction.wording import LABELS
from tiered_memory.model import Identifier, Reference
from tiered_memory.text.references import escape, reference
from tiered_memory.text.shortening import shorten_json, shorten_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tiered_memory.compaction.policy import FoldPlan
    from tiered_memory.model import Fact, Message, Payload
    from tiered_memory.text.language import Language

__all__ = ["BLOCKS", "Line", "Reader", "References", "Transcript", "harmless"]

RESULT_TOKENS = 120
ARGUMENT_TOKENS = 80
AGENT_TOKENS = 400
CUSTOMER_TOKENS = 4_000
"""What is shown of a result, a call's arguments, an agent's or system's text and a
customer's; a longer one is shortened, with a mark."""

RARE = 3
"""A result with more identifiers of a kind is a list: those left out of it stay out."""

HEAD = 0.6
"""Share of a shortened text that is its beginning."""

BLOCKS = ("transcript", "earlier_summary", "superseded")
"""Names of the blocks that a request holds; no text in them can open or close one."""

Spot = tuple[str, str]
"""Key and normal form: what a reference number is given for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What one message is to a summarizer: text and identifiers in turn.

    Attributes:
        seq, role: of the message.
        label: what the line begins with.
        pieces: strings (escaped, without line breaks) and identifiers.
    """

    seq: int
    role: str
    label: str
    pieces: tuple[str | Identifier, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """The folded turns as they are told, before identifiers have their numbers.

    Attributes:
        lines: one or more a message, oldest first.
        dropped: what is left out as noise: ``{"from", "to", "rule"}`` by seq.
        standing: texts of system messages, to be kept word for word.
        language: of what the customer wrote.
    """

    lines: tuple[Line, ...]
    dropped: tuple[dict[str, Any], ...] = ()
    standing: tuple[str, ...] = ()
    language: Language = "en"

    def identifiers(self) -> list[Identifier]:
        """Give the identifiers, each key and normal form once, in order of mention."""
        found: dict[Spot, Identifier] = {}
        for line in self.lines:
            for piece in line.pieces:
                if isinstance(piece, Identifier):
                    found.setdefault((piece.key, piece.normalized), piece)
        return list(found.values())


@dataclass(slots=True, kw_only=True)
class References:
    """The numbers that a fold may use: by key and normal form, and by number."""

    by_spot: dict[Spot, Reference] = field(default_factory=dict[Spot, Reference])
    by_number: dict[int, Reference] = field(default_factory=dict[int, Reference])

    @classmethod
    def of_facts(cls, facts: Iterable[Fact]) -> References:
        """Give those of facts that are identifiers; the newest of a kind wins."""
        known = cls()
        for fact in facts:
            if fact.identifier:
                known.add(
                    Reference(
                        number=fact.number,
                        owner=fact.owner,
                        key=fact.key,
                        normalized=fact.normalized,
                        value=fact.value,
                        type=fact.type,
                    )
                )
        return known

    def add(self, ref: Reference) -> None:
        """Take one in."""
        self.by_number[ref.number] = ref
        self.by_spot[ref.key, ref.normalized] = ref

    def value(self, number: int, key: str) -> str | None:
        """Give what a reference is rendered as; None where it is none of these."""
        ref = self.by_number.get(number)
        return ref.value if ref is not None and ref.key == key else None

    def text(self, line: Line) -> str:
        """Give a line with its references in place."""
        parts = [f"{line.label}: "]
        for piece in line.pieces:
            if isinstance(piece, str):
                parts.append(piece)
            else:
                ref = self.by_spot[piece.key, piece.normalized]
                parts.append(reference(ref.key, ref.number))
        return "".join(parts).rstrip()


def harmless(text: str) -> str:
    """Give ``text`` on one line, without a tag of a block and without references."""
    flat = " ".join(text.split())
    lowered = flat.lower()
    if "<" in flat and any(name in lowered for name in BLOCKS):
        flat = _without_tags(flat)
    return escape(flat)


class Reader:
    """Reads messages into lines. Pure and safe in threads where its parts are.

    Args:
        find_identifiers: gives the identifiers of a text.
        count: tokens of a text.
    """

    def __init__(
        self,
        find_identifiers: Callable[[str], list[Identifier]],
        count: Callable[[str], int],
    ) -> None:
        self._find = find_identifiers
        self._count = count

    def read(self, fold: FoldPlan, facts: Sequence[Fact], language: Language) -> Transcript:
        """Tell the turns of ``fold``; linear in their text, some counts a message."""
        noise = noise_turns(fold.messages)
        silent = {seq for turn in noise for seq in range(turn["from"], turn["to"] + 1)}
        told = [] if fold.context is None else [fold.context]
        told += [message for message in fold.messages if message.seq not in silent]
        names = _call_names(told)
        known = [fact for fact in facts if fact.identifier and not fact.masked]
        lines: list[Line] = []
        for message in told:
            lines += self._lines(message, names, known, LABELS[language])
        return Transcript(
            lines=tuple(lines),
            dropped=tuple(noise),
            standing=tuple(
                harmless(plain_text(message.payload))
                for message in told
                if message.role in {"system", "developer"}
            ),
            language=language,
        )

    def _lines(
        self,
        message: Message,
        names: Mapping[int, str],
        facts: Sequence[Fact],
        labels: Mapping[str, str],
    ) -> list[Line]:
        told: list[tuple[str, str]] = []
        payload = message.payload
        if message.role in {"tool", "function"}:
            label = labels["failed" if failed_result(payload) else "result"]
            name = names.get(message.seq, "")
            short = message.payload if message.short is None else message.short
            text = self._short(plain_text(short), RESULT_TOKENS, data=True)
            text += self._left_out(plain_text(payload), text)
            told.append((f"{label} {_word(name)}".strip(), text or "-"))
        else:
            role = "system" if message.role == "developer" else message.role
            limit = CUSTOMER_TOKENS if role == "user" else AGENT_TOKENS
            text = self._short(plain_text(payload), limit)
            if text.strip():
                told.append((labels[role], text))
            for name, given in _calls(payload):
                arguments = self._short(given, ARGUMENT_TOKENS, data=True)
                told.append((f"{labels['call']} {_word(name)}".strip(), arguments))
        return [
            Line(
                seq=message.seq,
                role=message.role,
                label=label,
                pieces=self._pieces(text, facts),
            )
            for label, text in told
        ]

    def _short(self, text: str, limit: int, *, data: bool = False) -> str:
        if len(text) <= limit // 2:
            return text
        shorten = shorten_json if data else shorten_text
        short = shorten(
            text,
            limit_tokens=limit,
            head=int(limit * HEAD),
            tail=int(limit * (1 - HEAD)),
            count=self._count,
        )
        return text if short is None else short

    def _left_out(self, whole: str, short: str) -> str:
        """Give the rare identifiers of a result that its short form does not show."""
        if whole == short:
            return ""
        kinds: dict[str, dict[str, str]] = {}
        for one in self._find(whole):
            kinds.setdefault(one.key, {}).setdefault(one.normalized, one.value)
        missing = [
            value
            for values in kinds.values()
            if len(values) <= RARE
            for value in values.values()
            if value not in short
        ]
        return "".join(f" … {value}" for value in missing)

    def _pieces(self, text: str, facts: Sequence[Fact]) -> tuple[str | Identifier, ...]:
        pieces: list[str | Identifier] = []
        done = 0
        for spot in apart([*literals(text, facts), *self._find(text)]):
            if spot.start > done:
                pieces.append(_joint(text[done : spot.start]))
            pieces.append(spot)
            done = spot.end
        if done < len(text):
            pieces.append(_joint(text[done:]))
        return tuple(pieces)


def _joint(text: str) -> str:
    """Make a piece harmless and keep the spaces by which it stands apart."""
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and text.strip() else ""
    return before + harmless(text) + after


def _without_tags(text: str) -> str:
    out: list[str] = []
    for place, char in enumerate(text):
        if char == "<":
            rest = text[place + 1 : place + 40].lstrip(" /\\").lower()
            if rest.startswith(BLOCKS):
                char = "‹"
        out.append(char)
    return "".join(out)


def _word(name: str) -> str:
    """Give a tool's name as one harmless word."""
    return harmless(name).replace(" ", "_").replace(":", "_")[:64]


def _calls(payload: Payload) -> list[tuple[str, str]]:
    """Give name and arguments of a message's calls, in order."""
    told: list[tuple[str, str]] = []
    for call in cast("list[dict[str, Any]]", payload.get("tool_calls") or []):
        custom = call.get("type") == "custom"
        inner: dict[str, Any] = call.get("custom" if custom else "function") or {}
        text = inner.get("input" if custom else "arguments")
        told.append((str(inner.get("name", "")), text if isinstance(text, str) else ""))
    legacy: dict[str, Any] | None = payload.get("function_call")
    if legacy:
        told.append((str(legacy.get("name", "")), str(legacy.get("arguments", ""))))
    return told


def _call_names(messages: Sequence[Message]) -> dict[int, str]:
    """Give, by seq of a result, the name of the tool that gave it."""
    called: dict[str, str] = {}
    names: dict[int, str] = {}
    for message in messages:
        payload = message.payload
        for call in cast("list[dict[str, Any]]", payload.get("tool_calls") or []):
            inner: dict[str, Any] = call.get("function") or call.get("custom") or {}
            called[str(call.get("id"))] = str(inner.get("name", ""))
        if message.role == "tool":
            names[message.seq] = called.get(str(payload.get("tool_call_id")), "")
        elif message.role == "function":
            names[message.seq] = str(payload.get("name", ""))
    return names
