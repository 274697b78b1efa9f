"""Messages in, a ``Draft`` out: the whole of ``add`` but the database; pure."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, cast

from tiered_memory.arguments import check_name
from tiered_memory.chat.leaves import replace_leaves, text_leaves
from tiered_memory.chat.messages import normalise, plain_text
from tiered_memory.dialogue import Dialogue
from tiered_memory.errors import MessageError
from tiered_memory.facts.known import mentionable
from tiered_memory.model import Draft, Head, NewMessage
from tiered_memory.sealing import sealed, spanned
from tiered_memory.text.shortening import shorten_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from tiered_memory.chat.tokens import MessageCounter
    from tiered_memory.facts.extraction import Extractor
    from tiered_memory.facts.given import GivenValues
    from tiered_memory.facts.model_stage import ModelGate
    from tiered_memory.facts.pseudonyms import Pseudonyms
    from tiered_memory.model import Candidate, Fact, Message, Payload, VaultEntry
    from tiered_memory.settings import Settings
    from tiered_memory.state import SessionState
    from tiered_memory.vault import Vault

__all__ = ["Intake", "as_payloads", "is_long"]

HEAD_ROLES = frozenset({"system", "developer"})
RESULT_ROLES = frozenset({"tool", "function"})
READ_BACK_PARTS = 4
"""Of a reply in more content parts the last are looked at for what it puts to the customer."""


def as_payloads(messages: object) -> tuple[Payload, ...]:
    """Normalise one message or a list of them; the input is not changed.

    Raises:
        MessageError: naming the position in the list and the field.
    """
    if isinstance(messages, list | tuple):
        items = cast("Sequence[object]", messages)
        if not items:
            raise MessageError("add() got an empty list; give at least one message")
        return tuple(normalise(item, position) for position, item in enumerate(items))
    return (normalise(messages),)


def is_long(message: object, *, limit: int) -> bool:
    """Tell whether a message as it was given holds more than ``limit`` characters.

    Looks into dicts, lists and objects; stops once it knows.
    """
    left = limit
    waiting: list[object] = [message]
    while waiting and left >= 0:
        value = waiting.pop()
        if isinstance(value, str):
            left -= len(value)
        elif isinstance(value, dict):
            waiting += cast("dict[object, object]", value).values()
        elif isinstance(value, list | tuple):
            waiting += cast("Sequence[object]", value)
        elif hasattr(value, "model_dump"):
            waiting += vars(value).values()
        left -= 1
    return left < 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A masked message with what was read from it."""

    payload: Payload
    candidates: tuple[Candidate, ...]
    masked: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What the texts of one draft are masked with.

    Attributes:
        pseudonyms: of the session; None without a vault.
        entities: by the identity of a payload and the part of its text.
    """

    pseudonyms: Pseudonyms | None = None
    entities: Mapping[tuple[int, str], Sequence[Candidate]] = field(
        default_factory=dict[tuple[int, str], "Sequence[Candidate]"]
    )

    @classmethod
    def of(
        cls,
        payloads: Sequence[Payload],
        entities: Sequence[Sequence[Candidate]],
        pseudonyms: Pseudonyms | None,
    ) -> Scope:
        """Take in what recognizers found in each payload."""
        placed: dict[tuple[int, str], list[Candidate]] = {}
        for payload, found in zip(payloads, entities, strict=False):
            for entity in found:
                placed.setdefault((id(payload), entity.part), []).append(entity)
        return cls(pseudonyms=pseudonyms, entities=placed)


class Intake:
    """Masks, reads, counts and shortens messages; knows no database.

    Safe to call from any thread; linear in the size of the text. Callers take it
    off the event loop where ``is_long`` says so.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        extractor: Extractor,
        counter: MessageCounter,
        gate: ModelGate | None = None,
        vault: Vault | None = None,
    ) -> None:
        self._vault = vault
        self._settings = settings
        self._digest = settings.digest()
        self._extractor = extractor
        self._counter = counter
        self._gate = gate

    @property
    def given(self) -> GivenValues:
        """Reads values that the application gives."""
        return self._extractor.given

    def reading_with(self, extractor: Extractor) -> Intake:
        """Give an intake like this one with other patterns; this one stays as it is."""
        other = copy.copy(self)
        other._extractor = extractor
        return other

    def draft(
        self,
        state: SessionState,
        payloads: Sequence[Payload],
        *,
        subject: str | None,
        system_prompt: str | None,
        message_id: str | None,
        now: datetime,
        entities: Sequence[Sequence[Candidate]] = (),
    ) -> Draft:
        """Make the draft that takes ``payloads`` into the session at ``state``.

        What the assistant said last, in the window or in ``payloads``, is the context
        in which a user's bare value or yes is read. ``messages`` is empty where all
        that came is the head as it stands. ``entities`` are, for each of ``payloads``,
        what recognizers found in its texts as they came: those of types that may not be
        stored are masked with the rest.
        """
        self._check_id(message_id)
        hidden = self.pseudonyms(state)
        scope = Scope.of(payloads, entities, hidden)
        heads, body = self._split_head(state, payloads, scope)
        dialogue = self._dialogue(state, body)
        known = mentionable(state.current_facts())
        messages: list[NewMessage] = []
        candidates: list[Candidate] = []
        masked: dict[str, int] = {}
        asks: list[int] = []
        for payload in body:
            index = len(messages)
            read = self._read(payload, dialogue, known, index=index, now=now, scope=scope)
            candidates += read.candidates
            for kind, count in read.masked.items():
                masked[kind] = masked.get(kind, 0) + count
            if not read.candidates and self._asks(read.payload):
                asks.append(len(messages))
            messages.append(self._new_message(read.payload))
            if payload["role"] == "assistant":
                dialogue.assistant(read.payload, index)
            elif payload["role"] == "user":
                told = bool(read.candidates or read.masked)
                dialogue.user(read.payload, told=told)
        return Draft(
            session_id=state.session_id,
            subject=subject,
            next_seq=state.next_seq,
            revision=state.revision,
            facts=state.current_facts(),
            messages=tuple(messages),
            candidates=tuple(candidates),
            head=self._head(state, heads, system_prompt, masked, scope),
            message_id=message_id,
            counter=self._counter.name,
            settings_hash=self._digest,
            created_at=now,
            masked_counts=masked,
            asks=tuple(asks),
            vault=self.new_values(state.session_id, hidden),
        )

    def _asks(self, payload: Payload) -> bool:
        """Tell whether a model is to be asked about a message without a fact."""
        if self._gate is None or payload["role"] != "user":
            return False
        return self._gate.opens(
            [leaf.text for leaf in text_leaves(payload) if not leaf.extra]
        )

    @property
    def has_vault(self) -> bool:
        """Whether values can have pseudonyms."""
        return self._vault is not None

    def pseudonyms(self, state: SessionState) -> Pseudonyms | None:
        """Give the session's pseudonyms to mask with; None without a vault."""
        return None if self._vault is None else self._vault.pseudonyms(state)

    def new_values(
        self, session_id: str, hidden: Pseudonyms | None
    ) -> tuple[VaultEntry, ...]:
        """Seal the values that ``hidden`` took in."""
        if self._vault is None or hidden is None:
            return ()
        return self._vault.seal(session_id, hidden.new)

    def counted(self, state: SessionState) -> SessionState:
        """Give ``state`` with all tokens by this counter, counting where it must.

        What another counter counted (a setting changed) is counted again, whenever it
        is read; the rows stay as they are.
        """
        name, count = self._counter.name, self._counter.message

        def message(old: Message) -> Message:
            if old.counter == name:
                return old
            tokens = count(old.payload)
            return replace(
                old,
                tokens=tokens,
                short_tokens=tokens if old.short is None else count(old.short),
                counter=name,
            )

        head = state.head
        if head is not None and head.counter != name:
            head = replace(head, tokens=sum(map(count, head.payloads)), counter=name)
        segments = tuple(
            segment
            if segment.counter == name
            else replace(segment, tokens=self._counter.text(shown.text), counter=name)
            for segment, shown in zip(
                state.segments, state.rendered_segments(), strict=True
            )
        )
        return replace(
            state,
            head=head,
            segments=segments,
            window=tuple(map(message, state.window)),
            pinned=None if state.pinned is None else message(state.pinned),
        )

    def _check_id(self, message_id: str | None) -> None:
        """Refuse a ``message_id`` that cannot be stored, or is a secret itself."""
        if message_id is None:
            return
        check_name("message_id", message_id)
        if self._extractor.mask(message_id)[1]:
            raise MessageError(
                "message_id holds a secret (a card number, a key …), which is never "
                "stored; make it of something else",
                field="message_id",
            )

    def oversized(self, payload: Payload) -> bool:
        """Tell whether facts were read only from the beginning of a text of it."""
        limit = self._settings.facts.max_chars
        return any(len(leaf.text) > limit for leaf in text_leaves(payload))

    def _split_head(
        self, state: SessionState, payloads: Sequence[Payload], scope: Scope
    ) -> tuple[list[Payload], list[Payload]]:
        """Part what belongs to the head from what goes into the log.

        A system message that repeats the head as it stands is in neither.
        """
        known: tuple[Payload, ...] = (
            ({"role": "system", "content": self._settings.system_prompt},)
            if state.head is None
            else state.head.payloads
        )
        heads: list[Payload] = []
        body: list[Payload] = []
        begun = state.turns > 0
        for payload in payloads:
            begun = begun or payload["role"] == "user"
            if payload["role"] not in HEAD_ROLES:
                body.append(payload)
            elif self._masked(payload, {}, scope) in known:
                continue
            elif begun:
                body.append(payload)
            else:
                heads.append(payload)
        return heads, body

    def _head(
        self,
        state: SessionState,
        heads: Sequence[Payload],
        system_prompt: str | None,
        masked: dict[str, int],
        scope: Scope,
    ) -> Head | None:
        """Give the new head, or None where the one that stands is right."""
        old = () if state.head is None else state.head.payloads
        if system_prompt is not None and not heads:
            given: Payload = {"role": "system", "content": system_prompt}
            payloads: tuple[Payload, ...] = (self._masked(given, masked, scope),)
        elif heads:
            new = (self._masked(payload, masked, scope) for payload in heads)
            payloads = (*old, *new)
        else:
            return None
        if payloads == old:
            return None
        return Head(
            payloads=payloads,
            tokens=sum(self._counter.message(payload) for payload in payloads),
            counter=self._counter.name,
        )

    def _dialogue(self, state: SessionState, body: Sequence[Payload]) -> Dialogue:
        """Follow the conversation as far as a user's message among ``body`` needs it."""

        def asks(text: str) -> bool:
            return bool(self._extractor.expected_types(text))

        if any(payload["role"] == "user" for payload in body):
            return Dialogue.of(state, asks)
        return Dialogue(asks)

    def _confirmed(
        self, payload: Payload, dialogue: Dialogue, now: datetime
    ) -> list[Candidate]:
        """Give what the assistant read back where the customer's message says yes."""
        said = dialogue.said
        if said is None or not self._extractor.confirms(plain_text(payload)):
            return []
        return [
            candidate
            for leaf in said.leaves[-READ_BACK_PARTS:]
            for candidate in self._extractor.read_back(
                leaf.text, part=leaf.part, index=said.index, when=now
            )
        ]

    def _read(
        self,
        payload: Payload,
        dialogue: Dialogue,
        known: Sequence[Fact],
        *,
        index: int,
        now: datetime,
        scope: Scope,
    ) -> Read:
        """Mask a message and read a user's; nothing else is read for facts.

        ``known`` are facts that it may speak of. What is told in passing is
        left out.
        """
        masked: dict[str, int] = {}
        if payload["role"] != "user":
            hidden = self._masked(payload, masked, scope)
            return Read(payload=hidden, candidates=(), masked=masked)
        given = id(payload)
        payload = self._spanned(payload, masked)
        texts: dict[str, str] = {}
        found = self._confirmed(payload, dialogue, now)
        for leaf in text_leaves(payload):
            entities = scope.entities.get((given, leaf.part), ())
            if leaf.extra:
                text, counts = self._extractor.mask(
                    leaf.text, entities=entities, pseudonyms=scope.pseudonyms
                )
                _add(masked, counts)
                if text != leaf.text:
                    texts[leaf.part] = text
                continue
            extraction = self._extractor.extract(
                leaf.text,
                role="user",
                question=dialogue.question,
                part=leaf.part,
                index=index,
                when=now,
                entities=entities,
                pseudonyms=scope.pseudonyms,
            )
            found += extraction.facts
            found += self._extractor.forgotten(
                extraction.masked, part=leaf.part, index=index
            )
            if known:
                found += self._extractor.mentions(
                    extraction.masked,
                    known,
                    extraction.facts,
                    part=leaf.part,
                    index=index,
                )
            _add(masked, extraction.masked_counts)
            if extraction.masked != leaf.text:
                texts[leaf.part] = extraction.masked
        payload = replace_leaves(payload, texts) if texts else payload
        return Read(
            payload=self._sealed(payload, masked, scope),
            candidates=tuple(c for c in found if not c.passing),
            masked=masked,
        )

    def _masked(self, payload: Payload, counts: dict[str, int], scope: Scope) -> Payload:
        """Mask every text of ``payload`` and its structure; adds to ``counts`` by type."""
        given = id(payload)
        payload = self._spanned(payload, counts)
        texts: dict[str, str] = {}
        for leaf in text_leaves(payload):
            data = leaf.part.startswith(("tool_calls", "function_call"))
            as_json = data or payload["role"] in RESULT_ROLES
            mask = self._extractor.mask_json if as_json else self._extractor.mask
            entities = scope.entities.get((given, leaf.part), ())
            masked, found = mask(leaf.text, entities=entities, pseudonyms=scope.pseudonyms)
            _add(counts, found)
            if masked != leaf.text:
                texts[leaf.part] = masked
        payload = replace_leaves(payload, texts) if texts else payload
        return self._sealed(payload, counts, scope)

    def _spanned(self, payload: Payload, counts: dict[str, int]) -> Payload:
        """Mask what spans several content parts; adds to ``counts`` by type."""
        payload, found = spanned(payload, mask_parts=self._extractor.mask_parts)
        _add(counts, found)
        return payload

    def _sealed(self, payload: Payload, counts: dict[str, int], scope: Scope) -> Payload:
        """Mask what is no text of ``payload``; adds to ``counts`` by type."""
        payload, found = sealed(
            payload,
            mask=partial(self._extractor.mask, pseudonyms=scope.pseudonyms),
            mask_json=partial(self._extractor.mask_json, pseudonyms=scope.pseudonyms),
        )
        _add(counts, found)
        return payload

    def _new_message(self, payload: Payload) -> NewMessage:
        tokens = self._counter.message(payload)
        message = NewMessage(
            payload=payload,
            tokens=tokens,
            short_tokens=tokens,
            opens_turn=payload["role"] == "user",
        )
        limits = self._settings.tool_results
        content = payload.get("content")
        if (
            payload["role"] not in RESULT_ROLES
            or tokens <= limits.max_tokens
            or not isinstance(content, str)
        ):
            return message
        text = shorten_json(
            content,
            limit_tokens=limits.max_tokens,
            head=limits.head,
            tail=limits.tail,
            count=self._counter.text,
        )
        if text is None:
            return message
        short = replace_leaves(payload, {"content": text})
        return replace(message, short=short, short_tokens=self._counter.message(short))


def _add(counts: dict[str, int], more: Mapping[str, int]) -> None:
    for kind, count in more.items():
        counts[kind] = counts.get(kind, 0) + count
