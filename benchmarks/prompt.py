"""Microseconds of one build, by messages in the window; each after one more message.

Run: ``python benchmarks/prompt.py``. A state with a summary of four segments, 24 facts
and a tool call in every third turn. ``next`` builds after a message was added, as a
session does; ``again`` builds the same state; ``cold`` is a builder's first build.
"""

from __future__ import annotations

import statistics
import sys
from dataclasses import replace
from datetime import UTC, datetime
from time import perf_counter_ns

from tiered_memory.chat.models import ModelTable
from tiered_memory.chat.tokens import MessageCounter
from tiered_memory.chat.vocabulary import load_counter
from tiered_memory.model import Fact, FactStatus, Message, Payload, Reference, Segment
from tiered_memory.prompt.builder import PromptBuilder
from tiered_memory.settings import Settings
from tiered_memory.state import SessionState

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ROUNDS = 300
FACTS = 24
SEGMENTS = 4
SYSTEM = "You help the customers of a lamp shop. Be brief, be kind, promise nothing. " * 20


def payloads(turn: int) -> list[Payload]:
    """Give the messages of a turn: a call and its result in every third one."""
    asked: Payload = {
        "role": "user",
        "content": f"我的订单 LMP-{turn:04} 现在到哪里了？ " * 3,
    }
    said: Payload = {"role": "assistant", "content": "It left our store this morning. " * 5}
    if turn % 3:
        return [asked, said]
    function = {"name": "find_order", "arguments": f'{{"order_id":"LMP-{turn:04}"}}'}
    call = {"id": f"c{turn}", "type": "function", "function": function}
    return [
        asked,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{turn}", "content": '{"state":"sent"}' * 10},
        said,
    ]


def fact(number: int, revision: int) -> Fact:
    """Give one current fact."""
    value = f"LMP-{number:04}"
    return Fact(
        fact_id=number,
        number=number,
        type="order_id",
        key="order_id",
        owner="self",
        value=value,
        normalized=value,
        status=FactStatus.CURRENT,
        confidence=0.9,
        source="regex",
        pattern="order",
        cardinality="many",
        masked=False,
        identifier=True,
        seq=1,
        part="content",
        start=0,
        end=8,
        first_seen=NOW,
        last_seen=NOW,
        last_seq=1,
        revision=revision,
    )


def growing(window: int, counter: MessageCounter) -> list[SessionState]:
    """Give states of one epoch, each a message longer, up to ``window`` messages."""
    messages: list[Message] = []
    turn = 0
    while len(messages) < window:
        turn += 1
        for payload in payloads(turn):
            tokens = counter.message(payload)
            seq = len(messages) + 1
            messages.append(
                Message(
                    seq=seq,
                    turn=turn,
                    role=payload["role"],
                    payload=payload,
                    tokens=tokens,
                    short_tokens=tokens,
                    revision=100 + seq,
                )
            )
    base = with_memory()
    return [
        replace(
            base,
            window=tuple(messages[:size]),
            facts=tuple(fact for fact in base.facts),
            revision=100 + size,
            next_seq=size + 1,
        )
        for size in range(max(1, window - 8), window + 1)
    ]


def with_memory() -> SessionState:
    """Give a state with a summary and facts, half of them newer than its epoch."""
    segment = Segment(
        segment_id=1,
        level=0,
        from_seq=1,
        to_seq=1,
        text="- The customer asked about [[order_id:1]] and wants it before Friday.\n" * 4,
        tokens=80,
        language="zh",
        method="benchmark",
        degraded=False,
        revision=50,
    )
    order = Reference(
        number=1,
        owner="self",
        key="order_id",
        normalized="LMP-0001",
        value="LMP-0001",
        type="order_id",
    )
    return SessionState(
        session_id="benchmark",
        revision=100,
        epoch_revision=50,
        segments=tuple(replace(segment, segment_id=n) for n in range(SEGMENTS)),
        references={1: order},
        facts=tuple(fact(n, 40 if n <= FACTS // 2 else 60) for n in range(1, FACTS + 1)),
    )


def timed(window: int) -> dict[str, float]:
    """Give medians in microseconds."""
    settings = Settings(system_prompt=SYSTEM)
    counter = MessageCounter(load_counter("o200k_base").counter, name="o200k_base")
    models = ModelTable({})
    grown = growing(window, counter)
    cold: list[int] = []
    fresh: list[int] = []
    again: list[int] = []
    for _ in range(ROUNDS // len(grown) + 1):
        builder = PromptBuilder(settings, counter, models)
        started = perf_counter_ns()
        _, trace = builder.build(grown[0])
        cold.append(perf_counter_ns() - started)
        for state in grown[1:]:
            started = perf_counter_ns()
            _, trace = builder.build(state, previous=trace)
            fresh.append(perf_counter_ns() - started)
            started = perf_counter_ns()
            _, trace = builder.build(state, previous=trace)
            again.append(perf_counter_ns() - started)
    return {
        name: statistics.median(taken) / 1_000
        for name, taken in (("cold", cold), ("next", fresh), ("again", again))
    }


def main() -> int:
    """Print a line for each size of window."""
    for window in (16, 64):
        times = "  ".join(f"{name} {us:7.0f} µs" for name, us in timed(window).items())
        print(f"window of {window:3} messages: {times}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
