"""Takes a conversation through the engine as an application would, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tiered_memory.chat.grammar import validate
from tiered_memory.cli.records import BadLine
from tiered_memory.errors import BudgetError, GrammarError, MessageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from tiered_memory.cli.records import Conversation, Step
    from tiered_memory.engine import MemoryEngine
    from tiered_memory.model import CompactionRecord, Fact, Message, Prompt, Receipt
    from tiered_memory.session import Session

__all__ = ["Added", "Built", "Happening", "Player", "Refused", "TurnOver", "Unbuilt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A message was stored; ``stored`` is what the log has of it (empty for a head)."""

    receipt: Receipt
    stored: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A prompt was built.

    ``whole_tokens`` is what the whole history would have cost in its place, and
    ``faults`` what is wrong with the prompt: none, unless the engine has a fault.
    """

    prompt: Prompt
    whole_tokens: int
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unbuilt:
    """A prompt could not be built."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A step was no chat message; the rest goes on."""

    bad: BadLine


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOver:
    """A turn is over and its background work done.

    ``facts`` are the rows that came or ended since the last turn, ``compactions`` the
    tries at compaction since then.
    """

    facts: tuple[Fact, ...]
    compactions: tuple[CompactionRecord, ...]


Happening = Added | Built | Unbuilt | Refused | TurnOver


class Player:
    """Plays ``conversation`` into a session of its own.

    A prompt is built after each user message and wherever a model was called: before
    an assistant message, or where the file says so. Background work has time between
    two turns, as it has while a customer reads.
    """

    def __init__(
        self,
        memory: MemoryEngine,
        conversation: Conversation,
        *,
        subject: str | None = None,
    ) -> None:
        self.session: Session = memory.session(conversation.id, subject=subject)
        self._memory = memory
        self._conversation = conversation
        self._system = _SystemPrompt()
        self._newest_user: Message | None = None
        self._tokens = 0
        self._fresh = False
        self._facts: dict[int, Fact] = {}
        self._compactions = 0

    async def known(self) -> bool:
        """Tell whether the database already has messages of this session."""
        async for _ in self.session.history(limit=1):
            return True
        return False

    async def play(self) -> AsyncIterator[Happening]:
        """Give what happens, in order.

        Raises:
            StoreError: the database refused; what was told before is stored.
        """
        for number, step in enumerate(self._conversation.steps):
            role = _role(step.message)
            if role == "user" and self._newest_user is not None:
                yield await self._turn_over()
            if role in {"assistant", "request"} and self._due():
                yield await self._build()
            if role == "request":
                continue
            yield await self._add(step, number)
            if role == "user" and self._due():
                yield await self._build()
        yield await self._turn_over()

    def _due(self) -> bool:
        return self._fresh and self._newest_user is not None

    async def _add(self, step: Step, number: int) -> Happening:
        try:
            receipt = await self.session.add(step.message)
        except MessageError as exc:
            what = str(exc).removeprefix("message 0: ")
            reason = f"message {number} of its conversation (from 0): {what}"
            return Refused(bad=BadLine(file=step.file, line=step.line, reason=reason))
        count = receipt.last_seq - receipt.first_seq + 1
        stored: tuple[Message, ...] = ()
        if count > 0:
            history = self.session.history(start=receipt.first_seq, limit=count)
            stored = tuple([message async for message in history])
            self._fresh = True
        elif self._newest_user is None:
            self._system.take(step.message, self._memory)
        for message in stored:
            if message.role == "user":
                self._newest_user = message
        self._tokens += receipt.tokens
        return Added(receipt=receipt, stored=stored)

    async def _build(self) -> Happening:
        self._fresh = False
        try:
            prompt = await self.session.build()
        except (GrammarError, BudgetError) as exc:
            return Unbuilt(reason=f"{type(exc).__name__}: {exc}")
        whole = prompt.tiers.get("system", 0) + prompt.tiers.get("examples", 0)
        return Built(
            prompt=prompt, whole_tokens=whole + self._tokens, faults=self._faults(prompt)
        )

    def _faults(self, prompt: Prompt) -> tuple[str, ...]:
        messages: Sequence[Any] = prompt.messages
        faults: list[str] = [problem.kind for problem in validate(messages)]
        if not self._system.leads(messages):
            faults.append("system_prompt_not_first_and_whole")
        users = [message for message in messages if message["role"] == "user"]
        newest = self._newest_user
        if newest is not None and (
            not users or users[-1].get("content") != newest.payload.get("content")
        ):
            faults.append("newest_user_message_not_whole")
        return tuple(faults)

    async def _turn_over(self) -> TurnOver:
        await self.session.settled()
        changed: list[Fact] = []
        for fact in await self.session.facts(owner=None, history=True):
            known = self._facts.get(fact.fact_id)
            if known is None or known.status is not fact.status:
                changed.append(fact)
                self._facts[fact.fact_id] = fact
        records = await self.session.compactions()
        new, self._compactions = records[self._compactions :], len(records)
        return TurnOver(facts=tuple(changed), compactions=tuple(new))


class _SystemPrompt:
    """The system messages before the first user message, as they are stored."""

    def __init__(self) -> None:
        self._contents: list[object] = []

    def take(self, message: object, memory: MemoryEngine) -> None:
        content = _field(message, "content")
        if isinstance(content, str):
            content = memory.extract(content, role="system").masked
        self._contents.append(content)

    def leads(self, messages: Sequence[Any]) -> bool:
        """Tell whether the prompt begins with them, each whole."""
        first = messages[: len(self._contents)]
        return len(first) == len(self._contents) and all(
            message["role"] in {"system", "developer"} and message.get("content") == content
            for message, content in zip(first, self._contents, strict=True)
        )


def _role(message: object) -> str:
    if message is None:
        return "request"
    role = _field(message, "role")
    return role if isinstance(role, str) else ""


def _field(message: object, name: str) -> object:
    return (
        cast("dict[str, object]", message).get(name) if isinstance(message, dict) else None
    )
