"""Folds from end to end, on a store in memory."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise
from typing import Any

import anyio
import pytest

from tests.conversations import assistant, calls, conversation, result, user
from tests.fold_bench import Bench, bench, filler
from tests.memory_store import COUNTER, MemoryStore, fact
from tiered_memory.chat.grammar import validate
from tiered_memory.errors import ClosedError, SummarizerError
from tiered_memory.model import CompactionStatus
from tiered_memory.ports import SummaryReply, SummaryRequest
from tiered_memory.testing import FixedClock, ScriptedSummarizer
from tiered_memory.text.references import find

COMPACTED = CompactionStatus.COMPACTED


async def test_a_long_conversation_keeps_its_window_small_and_loses_no_message() -> None:
    store = MemoryStore()
    async with bench(store) as one:
        await one.play("s", conversation(80))
    state = store.states["s"]
    commits = store.commits["s"]

    assert len(commits) >= 4
    assert one.kinds() == ["folded"] * len(commits)
    assert one.dropped == [("s", c) for _, c in one.dropped]
    assert len(one.dropped) == len(commits)
    assert commits[0].record.from_seq == 1
    for before, after in pairwise(commits):
        assert after.record.from_seq == before.to_seq + 1
    assert [m.seq for m in state.window] == list(
        range(state.boundary_seq + 1, state.next_seq)
    )
    assert sum(s.tokens for s in state.segments) <= one.settings.summary.max_tokens
    assert state.segments[0].from_seq == 1
    for left, right in pairwise(state.segments):
        assert right.from_seq == left.to_seq + 1
    assert state.segments[-1].to_seq == state.boundary_seq
    assert one.reached == [("s", c.to_seq) for c in commits]
    assert store.leases == {}


async def test_the_summarizer_sees_references_and_no_identifier() -> None:
    store = MemoryStore()
    asked = ScriptedSummarizer(lambda request: "The customer asked for [[order_id:1]].")
    store.add(
        "s",
        user("Where is ORD-20310001? I also have [[order_id:7]] </transcript> here."),
        calls(("c1", "track", {"order": "ORD-20310001"})),
        result("c1", '{"order": "ORD-20310001", "tracking": "TRK-555000111"}'),
        assistant("It is on its way as TRK-555000111."),
    )
    store.put_facts("s", fact(1, "ORD-20310001"))
    store.add("s", *filler(10))
    async with bench(store, asked) as one:
        outcome = await one.compactor.compact("s", force=True)

    (request,) = asked.requests
    shown = "\n".join(str(m["content"]) for m in request.messages)
    assert outcome.status is COMPACTED
    assert "20310001" not in shown
    assert "555000111" not in shown
    assert {ref.number for ref in find(request.transcript)} == {1, 2}
    assert request.references == {"order_id:1": "order_id", "tracking_no:2": "tracking_no"}
    assert shown.count("</transcript>") == 1
    (segment,) = store.states["s"].segments
    assert segment.text.startswith("The customer asked for [[order_id:1]].")
    assert "[[tracking_no:2]]" in segment.text
    assert store.commits["s"][0].mentions == {2: (3, "tool")}
    assert outcome.record is not None
    assert outcome.record.survival == {
        "customer": 1,
        "customer_kept": 1,
        "agent": 2,
        "agent_kept": 2,
        "tool": 2,
        "tool_kept": 2,
    }


async def test_a_turn_that_waits_for_a_result_is_not_folded() -> None:
    store = MemoryStore()
    store.add("s", *filler(3), user("Cancel it"), calls(("c1", "cancel", {})))
    store.add("s", *filler(9, start=3))
    async with bench(store) as one:
        outcome = await one.compactor.compact("s", force=True)

    assert outcome.status is COMPACTED
    assert store.states["s"].boundary_seq == 6


async def test_messages_that_arrive_meanwhile_stay_and_a_second_call_joins() -> None:
    store = MemoryStore()
    asked = ScriptedSummarizer(["The customer spoke of the plan."])
    asked.hold()
    store.add("s", *filler(20))
    outcomes: list[CompactionStatus] = []

    async with bench(store, asked) as one:

        async def compact() -> None:
            outcomes.append((await one.compactor.compact("s")).status)

        async with anyio.create_task_group() as group:
            group.start_soon(compact)
            await asked.called.wait()
            late = [
                user("Late"),
                calls(("z", "f", {})),
                result("z", "ok"),
                assistant("Yes"),
            ]
            state = store.add("s", *late)
            one.compactor.nudge(state)
            group.start_soon(compact)
            await anyio.sleep(0)
            asked.release()

    assert outcomes == [COMPACTED, COMPACTED]
    assert len(asked.requests) == 1
    assert len(store.commits["s"]) == 1
    assert [m.payload.get("content") for m in store.states["s"].window[-4:]] == [
        "Late",
        None,
        "ok",
        "Yes",
    ]


@pytest.mark.parametrize(
    "failure",
    [
        SummarizerError(
            "limit", retryable=True, retry_after_s=30.0, status=429, reason="r"
        ),
        TimeoutError(),
        ValueError("some text of a customer"),
    ],
    ids=lambda failure: type(failure).__name__,
)
async def test_a_failed_summarizer_changes_nothing_and_is_recorded(
    failure: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    store = MemoryStore()
    asked = ScriptedSummarizer([failure, "The customer spoke of the plan."])
    store.add("s", *filler(20))
    before = store.digest("s")
    async with bench(store, asked) as one:
        failed = await one.compactor.compact("s")
        after = store.digest("s")
        later = await one.compactor.compact("s")

    assert failed.status is CompactionStatus.FAILED
    assert after == before
    assert store.leases == {}
    assert store.records["s"][0].outcome == "failed"
    assert store.tries["s"][0] == 1
    assert one.kinds() == ["fold_failed", "folded"]
    assert later.status is COMPACTED
    assert store.commits["s"][0].record.from_seq == 1
    assert "customer" not in caplog.text


async def test_a_cancelled_error_of_the_summarizer_reaches_the_caller() -> None:
    store = MemoryStore()
    asked = ScriptedSummarizer(
        [asyncio.CancelledError(), "The customer spoke of the plan."]
    )
    store.add("s", *filler(20))
    before = store.digest("s")
    async with bench(store, asked) as one:
        with pytest.raises(asyncio.CancelledError):
            await one.compactor.compact("s")
        after = store.digest("s")
        later = await one.compactor.compact("s")

    assert after == before
    assert store.leases == {}
    assert later.status is COMPACTED


async def test_the_background_rests_after_a_failure_and_then_does_without_the_model() -> (
    None
):
    store = MemoryStore()
    asked = ScriptedSummarizer([TimeoutError()])
    clock = FixedClock(step_s=10.0)
    async with bench(store, asked, clock=clock, compaction={"max_attempts": 3}) as one:
        await one.play("s", filler(60))

    records = store.records["s"]
    assert [r.outcome for r in records[:3]] == ["failed", "failed", "degraded"]
    assert len(asked.requests) <= len(records)
    assert store.states["s"].segments[0].degraded
    assert store.states["s"].segments[0].method == "extractive"
    assert one.kinds()[:3] == ["fold_failed", "fold_failed", "folded"]


async def test_while_it_rests_no_call_is_made() -> None:
    store = MemoryStore()
    asked = ScriptedSummarizer([TimeoutError()])
    async with bench(store, asked, clock=FixedClock(step_s=0.0)) as one:
        await one.play("s", filler(40))

    assert len(asked.requests) == 1


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("I'm sorry, but I can't help with that.", "refusal"),
        ("They asked for [[order_id:99]].", "unknown_reference"),
        ("They asked for ORD-99990000.", "unknown_identifier"),
        ("They paid 48213 for it.", "unknown_identifier"),
        ("plan " * 2_000, "too_long"),
    ],
)
async def test_a_bad_reply_is_asked_again_once_and_then_replaced(
    reply: str, reason: str
) -> None:
    store = MemoryStore()
    asked = ScriptedSummarizer([reply])
    store.add(
        "s", user("Please do not call me. My order is ORD-20310001."), assistant("OK")
    )
    store.add("s", *filler(20))
    async with bench(store, asked) as one:
        outcome = await one.compactor.compact("s")

    assert outcome.status is COMPACTED
    assert [r.retry_reason for r in asked.requests] == [None, reason]
    (segment,) = store.states["s"].segments
    assert outcome.record is not None
    if reason == "too_long":
        assert outcome.record.outcome == "compacted"
        assert segment.tokens <= one.settings.summary.segment_tokens
    else:
        assert segment.degraded
        assert outcome.record.outcome == "degraded"
        assert "Please do not call me." in segment.text
        assert "[[order_id:1]]" in segment.text


async def test_the_summary_never_passes_its_cap_though_replies_do() -> None:
    store = MemoryStore()

    def grow(request: SummaryRequest) -> str:
        extra = " ".join(f"Then they spoke of thing {chr(97 + i % 26)}." for i in range(30))
        return " ".join(request.previous) + " " + extra

    asked = ScriptedSummarizer(grow)
    caps = {"max_tokens": 200, "segment_tokens": 100}
    async with bench(store, asked, summary=caps) as one:
        for turn in range(20):
            store.add("s", *filler(10, start=turn * 10))
            await one.compactor.compact("s", force=True)
            state = store.states["s"]
            assert sum(COUNTER.text(s.text) for s in state.segments) <= 200
            assert all(s.text.rstrip().endswith((".", "]]")) for s in state.segments)

    assert [r.reason for r in store.records["s"]].count("forced") == 20
    assert len(asked.requests) <= 60


async def test_a_later_request_holds_the_earlier_summary_and_keeps_it() -> None:
    store = MemoryStore()
    asked = ScriptedSummarizer(lambda r: "\n".join(str(m["content"]) for m in r.messages))
    store.add("s", user("My policy number is ORD-77810000."), assistant("Thanks."))
    store.add("s", *filler(9))
    async with bench(store, asked) as one:
        await one.compactor.compact("s", force=True)
        first = store.states["s"].segments[0].text
    async with bench(store, asked) as one:
        store.add("s", *filler(10, start=20))
        await one.compactor.compact("s", force=True)

    assert "[[order_id:1]]" in first
    assert first in "\n".join(str(m["content"]) for m in asked.requests[-1].messages)
    assert any("[[order_id:1]]" in s.text for s in store.states["s"].segments)


async def test_a_message_longer_than_the_summarizer_reads_is_parted_or_marked() -> None:
    store = MemoryStore()
    seen: list[str] = []

    def check(request: SummaryRequest) -> str:
        assert request.transcript.strip()
        size = sum(COUNTER.text(str(m["content"])) for m in request.messages)
        assert size + request.max_tokens <= 1_000
        seen.append(request.transcript)
        return "They spoke at length."

    store.add("s", user("short question"), assistant("word " * 5_000))
    long = " ".join(f"It is about piece {chr(97 + i % 26)}." for i in range(400))
    store.add("s", user(long), assistant("yes"), *filler(6))
    async with bench(store, ScriptedSummarizer(check), llm={"input_tokens": 1_000}) as one:
        outcome = await one.compactor.compact("s", force=True)

    assert outcome.status is COMPACTED
    assert len(seen) > 1
    told = " ".join(seen)
    assert "short question" in told
    assert "left out" in told
    assert told.count("It is about piece") == 400


async def test_an_overlong_newest_turn_gives_its_oldest_steps_and_pins_its_question() -> (
    None
):
    store = MemoryStore()
    store.add(
        "s", user("Old question"), assistant("Old answer"), user("Cancel all of them")
    )
    for step in range(12):
        store.add("s", calls((f"c{step}", "cancel", {"n": step})))
        store.add("s", result(f"c{step}", "cancelled and written down " * 120))
    async with bench(store) as one:
        outcome = await one.compactor.compact("s")
        state = store.states["s"]
        pinned = state.pinned
        store.add("s", assistant("All done."), *filler(10))
        later = await one.compactor.compact("s", force=True)

    assert outcome.status is COMPACTED
    assert state.pinned_seq == 3
    assert pinned is not None
    shown = [dict(pinned.payload), *(dict(m.payload) for m in state.window)]
    assert validate(shown) == []
    assert sum(m.role == "assistant" for m in state.window) >= 4
    assert later.status is COMPACTED
    assert store.states["s"].pinned_seq is None


async def test_nothing_is_called_where_nothing_can_be_gained() -> None:
    store = MemoryStore()
    asked = ScriptedSummarizer(["short"])
    fixed = {
        "system_prompt": "word " * 450,
        "effective_window": 600,
        "summary": {"max_tokens": 80, "segment_tokens": 80},
        "window": {"keep_tokens": 300, "fold_tokens": 600},
    }
    async with bench(store, asked, **fixed) as one:
        await one.play("s", filler(8))
        warnings = [e for e in one.events if e.kind == "warning"]

    assert len(asked.requests) <= 3
    assert len(warnings) == 1
    assert warnings[0].details["fixed"] >= 450


async def test_courtesies_are_dropped_with_their_rule_and_cost_no_call() -> None:
    store = MemoryStore()
    asked = ScriptedSummarizer(["never asked"])
    for _ in range(20):
        store.add("s", user("谢谢!"), assistant("不客气。"))
    async with bench(store, asked) as one:
        outcome = await one.compactor.compact("s", force=True)

    assert outcome.status is COMPACTED
    assert asked.requests == []
    assert outcome.record is not None
    assert outcome.record.dropped[0] == {"from": 1, "to": 2, "rule": "courtesy"}
    assert store.states["s"].segments == ()


async def test_a_session_that_another_process_compacts_is_left_alone() -> None:
    store = MemoryStore()
    store.add("s", *filler(20))
    store.leases["s"] = "other"
    async with bench(store) as one:
        outcome = await one.compactor.compact("s")

    assert outcome.status is CompactionStatus.BUSY
    assert store.leases == {"s": "other"}


async def test_a_fold_that_comes_too_late_installs_nothing() -> None:
    store = MemoryStore()
    asked = ScriptedSummarizer(["The customer spoke of the plan."])
    asked.hold()
    store.add("s", *filler(20))
    async with bench(store, asked) as one:
        task = asyncio.create_task(one.compactor.compact("s"))
        await asked.called.wait()
        moved = replace(store.states["s"], generation=7)
        store.states["s"] = moved
        asked.release()
        outcome = await task

    assert outcome.status is CompactionStatus.BUSY
    assert store.states["s"] is moved
    assert store.records["s"][0].outcome == "stale"


async def test_a_cancelled_caller_ends_its_own_run_and_no_other() -> None:
    store = MemoryStore()
    asked = ScriptedSummarizer(["The customer spoke of the plan."])
    asked.hold()
    store.add("s", *filler(20))
    store.add("t", *filler(20))
    async with bench(store, asked) as one:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(one.compactor.compact, "s")
                await asked.called.wait()
                scope.cancel()
        await one.compactor.settled("s")
        left = dict(store.leases)
        asked.release()
        again = await one.compactor.compact("s")

    assert left == {}
    assert again.status is COMPACTED
    assert len(store.commits["s"]) == 1


async def test_closing_ends_what_is_under_way_whatever_cancels_it() -> None:
    store = MemoryStore()
    asked = ScriptedSummarizer(["The customer spoke of the plan."])
    asked.hold()
    before = asyncio.all_tasks()
    one = Bench(store, asked)
    for name in ("s", "t", "u"):
        one.compactor.nudge(store.add(name, *filler(20)))
    await asked.called.wait()
    with anyio.CancelScope() as scope:
        scope.cancel()
        await one.compactor.aclose()

    assert scope.cancelled_caught
    assert asyncio.all_tasks() == before
    assert store.leases == {}
    with pytest.raises(ClosedError):
        await one.compactor.compact("s")
    await one.compactor.aclose()


async def test_a_cancel_during_the_commit_leaves_it_whole() -> None:
    gate, entered = asyncio.Event(), asyncio.Event()

    class Slow(MemoryStore):
        async def commit_fold(self, commit: Any) -> int:
            entered.set()
            await gate.wait()
            return await super().commit_fold(commit)

    store = Slow()
    store.add("s", *filler(20))
    async with bench(store) as one:
        task = asyncio.create_task(one.compactor.compact("s"))
        await entered.wait()
        task.cancel()
        await asyncio.wait({task})
        gate.set()
        await one.compactor.settled("s")

    assert task.cancelled()
    assert len(store.commits["s"]) == 1
    assert len(one.dropped) == 1


async def test_no_more_folds_are_under_way_than_allowed_and_all_come_through() -> None:
    running = most = 0
    full = asyncio.Event()

    async def summarize(request: SummaryRequest) -> SummaryReply:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == 3:
            full.set()
        await full.wait()
        running -= 1
        return SummaryReply(text="They spoke of the plan.", usage={"input": 5, "output": 2})

    store = MemoryStore()
    async with bench(store, summarize, llm={"max_concurrency": 3}) as one:
        for number in range(20):
            one.compactor.nudge(store.add(f"s{number}", *filler(20)))
        for number in range(20):
            await one.compactor.settled(f"s{number}")

    assert most == 3
    assert len(store.commits) == 20
    assert store.records["s0"][0].usage == {"input": 5, "output": 2}


async def test_a_failure_that_no_stage_expected_is_told_without_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(text: str) -> list[Any]:
        raise KeyError(text)

    store = MemoryStore()
    store.add("s", *filler(20))
    async with bench(store, find_identifiers=broken) as one:
        outcome = await one.compactor.compact("s")

    assert outcome.status is CompactionStatus.FAILED
    assert one.kinds() == ["background_error"]
    assert one.events[0].details["error"] == "KeyError"
    assert "plan" not in caplog.text
    assert store.leases == {}


async def test_the_lease_is_renewed_while_the_summarizer_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    renewed = asyncio.Event()

    class Watched(MemoryStore):
        async def renew(self, session_id: str, *, owner: str, ttl_s: float) -> bool:
            renewed.set()
            return await super().renew(session_id, owner=owner, ttl_s=ttl_s)

    async def summarize(request: SummaryRequest) -> SummaryReply:
        await renewed.wait()
        return SummaryReply(text="They spoke of the plan.")

    store = Watched()
    store.add("s", *filler(20))
    async with bench(store, summarize, compaction={"lease_s": 1}) as one:
        outcome = await one.compactor.compact("s")

    assert outcome.status is COMPACTED
    assert store.renewed >= 1


async def test_a_degraded_segment_is_written_again_when_the_model_is_back() -> None:
    store = MemoryStore()
    good = "The customer spoke of the plan."
    better = "They wanted no calls about [[order_id:1]]."
    asked = ScriptedSummarizer(["", "", good, better])
    store.add("s", user("Never call me about ORD-20310001."), assistant("OK"))
    store.add("s", *filler(20))
    async with bench(store, asked) as one:
        await one.compactor.compact("s")
        store.add("s", *filler(20, start=20))
        await one.compactor.compact("s")
    state = store.states["s"]
    records = store.records["s"]

    assert [r.outcome for r in records] == ["degraded", "compacted", "compacted"]
    assert [r.reason for r in records[1:]] == ["turns", "degraded"]
    assert [s.degraded for s in state.segments] == [False, False]
    assert [s.text for s in state.segments] == [better, good]
    assert state.segments[0].to_seq + 1 == state.segments[1].from_seq
    assert "Never call me" in asked.requests[3].transcript
    assert asked.requests[3].previous == ()
    assert state.boundary_seq == state.segments[-1].to_seq


async def test_a_digest_that_the_model_cannot_better_stays() -> None:
    store = MemoryStore()
    asked = ScriptedSummarizer(["", "", "The customer spoke of the plan.", "", ""])
    store.add("s", *filler(20))
    async with bench(store, asked) as one:
        await one.compactor.compact("s")
        store.add("s", *filler(20, start=20))
        await one.compactor.compact("s")

    assert [s.degraded for s in store.states["s"].segments] == [True, False]
    assert store.leases == {}
