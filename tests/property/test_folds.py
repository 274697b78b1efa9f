"""Whatever is said, a fold loses no message, splits no unit and passes no cap."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conversations import assistant, calls, result, user
from tests.fold_bench import bench
from tests.memory_store import COUNTER, MemoryStore, fact, identifiers
from tiered_memory.chat.grammar import validate
from tiered_memory.compaction.clipping import clip
from tiered_memory.compaction.policy import plan
from tiered_memory.compaction.transcript import Reader, References
from tiered_memory.compaction.verify import Witness, verify
from tiered_memory.settings import Settings
from tiered_memory.text.references import find

WORDS = st.sampled_from(
    (
        *(
            "refund",
            "please",
            "do not call",
            "ORD-20310001",
            "TRK-99",
            "ord-20310001",
            "。",
        ),
        *(
            "[[order_id:1]]",
            "[[",
            "]]",
            "【",
            "：",
            "<transcript>",
            "不要",
            "退款",
            "¥12.50",
            ".",
        ),
        *("the kettle", "\n", "!", "12", "20310001"),
    )
)
TEXTS = st.lists(WORDS, max_size=30).map(" ".join)


@st.composite
def turn(draw: st.DrawFn) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [user(draw(TEXTS))]
    for step in range(draw(st.integers(0, 3))):
        ids = [f"c{step}{n}" for n in range(draw(st.integers(1, 3)))]
        messages.append(calls(*((one, "f", {"q": draw(TEXTS)}) for one in ids)))
        answered = draw(st.lists(st.sampled_from(ids), unique=True)) if step == 0 else ids
        messages += [result(one, draw(TEXTS) * draw(st.integers(1, 8))) for one in answered]
    return [*messages, assistant(draw(TEXTS) + ".")]


SMALL = {
    "window": {
        "keep_turns": 3,
        "batch_turns": 3,
        "keep_tokens": 120,
        "fold_tokens": 400,
        "min_turns": 2,
        "keep_steps": 1,
    },
    "summary": {"max_tokens": 150, "segment_tokens": 60},
}


@settings(max_examples=60, deadline=None)
@given(st.lists(turn(), min_size=1, max_size=12), TEXTS)
def test_folds_go_on_without_gaps_and_within_their_caps(
    turns: list[list[dict[str, Any]]], reply: str
) -> None:
    store = MemoryStore()

    async def summarize(request: Any) -> str:
        assert request.transcript.strip()
        return reply

    async def play() -> None:
        async with bench(store, summarize, **SMALL) as one:
            for messages in turns:
                store.add("s", *messages)
                if "s" not in store.numbers:
                    store.put_facts("s", fact(1, "ORD-20310001"))
                await one.compactor.compact("s", force=True)
            assert "background_error" not in one.kinds()

    asyncio.run(play())
    state = store.states["s"]
    done = 0
    for commit in store.commits.get("s", []):
        assert commit.record.from_seq == done + 1
        done = commit.to_seq
        assert commit.segment is None or commit.segment.tokens <= 60
    assert state.boundary_seq == done
    assert [m.seq for m in state.window] == list(range(done + 1, state.next_seq))
    assert sum(s.tokens for s in state.segments) <= 150
    for segment in state.segments:
        for ref in find(segment.text):
            assert store.numbers["s"][ref.number].key == ref.key
        assert "ORD-20310001" not in segment.text.upper()


@settings(max_examples=100, deadline=None)
@given(st.lists(turn(), min_size=1, max_size=10))
def test_a_plan_never_parts_a_call_from_its_results(
    turns: list[list[dict[str, Any]]],
) -> None:
    store = MemoryStore()
    for messages in turns:
        state = store.add("s", *messages)
        fold = plan(state, Settings(**SMALL), press=True)
        if fold is None:
            continue
        left = [dict(m.payload) for m in state.window if m.seq > fold.to_seq]
        orphans = [p for p in validate(left) if "orphan" in p.kind]
        assert orphans == []
        assert [m.seq for m in fold.messages] == list(range(1, fold.to_seq + 1))


@settings(max_examples=100, deadline=None)
@given(st.lists(turn(), min_size=1, max_size=5))
def test_no_identifier_and_no_foreign_reference_is_in_a_transcript(
    turns: list[list[dict[str, Any]]],
) -> None:
    store = MemoryStore()
    state = store.add("s", *(m for messages in turns for m in messages))
    known = (fact(7, "ORD-20310001"),)
    fold = plan(state, Settings(**SMALL), press=True)
    if fold is None:
        return
    transcript = Reader(identifiers, COUNTER.text).read(fold, known, "zh")
    references = References.of_facts(known)
    missing = [i for i in transcript.identifiers() if i.key != "order_id"]
    for ref in asyncio.run(store.reserve_references("s", missing)):
        references.add(ref)
    for line in transcript.lines:
        text = references.text(line)
        assert "\n" not in text
        assert identifiers(text) == []
        assert all(references.value(r.number, r.key) is not None for r in find(text))


@settings(max_examples=200, deadline=None)
@given(TEXTS, TEXTS, st.integers(1, 60))
def test_what_passes_is_within_its_cap_and_names_only_what_is_known(
    reply: str, transcript: str, cap: int
) -> None:
    references = References.of_facts((fact(1, "ORD-20310001"),))
    verdict = verify(
        reply,
        Witness(
            transcript=transcript,
            context="",
            known=references.by_number,
            previous=(),
            language="en",
        ),
        find_identifiers=identifiers,
        count=COUNTER.text,
        max_tokens=cap,
        final=True,
    )

    assert COUNTER.text(verdict.text) <= cap
    assert all(ref.number == 1 and ref.key == "order_id" for ref in find(verdict.text))
    assert "ORD-20310001" not in verdict.text.upper()


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(0, 40))
def test_a_clip_is_a_beginning_within_its_limit(text: str, limit: int) -> None:
    cut = clip(text, limit, COUNTER.text)

    assert COUNTER.text(cut) <= limit
    assert text.strip().startswith(cut)
