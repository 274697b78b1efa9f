from __future__ import annotations

import re
from typing import Any

import pytest

from tests.prompt_states import Talk, builder, counter, texts
from tiered_memory.chat.grammar import validate
from tiered_memory.errors import BudgetError
from tiered_memory.model import Prompt

SYSTEM = "You help the customers of a lamp shop."


def build(talk: Talk, limit: int = 30_000, **settings: Any) -> Prompt:
    settings = {"system_prompt": SYSTEM, "effective_window": limit, **settings}
    return builder(**settings).build(talk.state)[0]


def long_talk() -> Talk:
    """Three segments, four facts, five turns with calls, then a question."""
    talk = Talk(result_tokens=100)
    for number in range(3):
        talk.user(f"Question {number}")
        talk.fact("order_id", f"LMP-{number}", cardinality="many", confidence=0.9)
        talk.assistant("Answer").fold(1, f"Segment {number}: " + "essence " * 12)
    talk.user("I am Ann").fact("name", "Ann", confidence=0.5, identifier=False)
    talk.assistant("Hello")
    for number in range(4):
        talk.user(f"Where is parcel {number}?").call(f"c{number}")
        talk.result(f"c{number}", f'{{"log": "{"line " * 100}"}}')
        talk.assistant(f"Parcel {number} is on its way.")
    return talk.user("Can I still return the kettle?")


def kinds(prompt: Prompt) -> set[str]:
    return {o.kind for o in prompt.omitted if o.reason != "turn_over"}


def test_parts_give_way_in_the_stated_order() -> None:
    talk = long_talk()
    total = build(talk).tokens
    first: dict[str, int] = {}
    for limit in range(total, 60, -1):
        for omission in build(talk, limit).omitted:
            first.setdefault(f"{omission.kind} {omission.reason}", limit)
    del first["tool_result turn_over"]
    assert sorted(first, key=lambda name: -first[name]) == [
        "tool_result budget",
        "segment budget",
        "turns budget",
        "facts budget",
    ]
    assert first["tool_result budget"] == total - 1


def test_every_budget_gives_a_valid_prompt_that_keeps_to_it_or_says_so() -> None:
    talk = long_talk()
    total = build(talk).tokens
    core = counter().messages(
        [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": "Can I still return the kettle?"},
        ]
    )
    for limit in range(
        total, counter().messages([{"role": "system", "content": SYSTEM}]), -1
    ):
        prompt = build(talk, limit)
        assert validate(list(prompt.messages)) == []
        assert prompt.messages[0]["content"] == SYSTEM
        assert texts(prompt.messages)[-1] == "Can I still return the kettle?"
        assert prompt.tokens == counter().messages(list(prompt.messages))
        assert prompt.over_budget == max(0, prompt.tokens - limit)
        if limit >= core:
            assert prompt.over_budget == 0


def test_every_window_gives_a_valid_prompt_or_an_error_with_the_sum() -> None:
    talk = long_talk()
    total = build(talk).tokens
    core = counter().messages(
        [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": "Can I still return the kettle?"},
        ]
    )
    for window in range(total, 10, -1):
        sizes = {
            "context_window": window + 20,
            "max_output_tokens": 10,
            "reserve_tokens": 10,
        }
        if window < core:
            with pytest.raises(BudgetError) as caught:
                build(talk, **sizes)
            assert (caught.value.needed, caught.value.available) == (core, window)
        else:
            prompt = build(talk, **sizes)
            assert prompt.tokens <= window
            assert validate(list(prompt.messages)) == []


def test_count_in_the_prompt_of_what_is_left_out_is_the_true_one() -> None:
    talk = long_talk()
    total = build(talk).tokens
    seen = set()
    for limit in range(total, 100, -7):
        prompt = build(talk, limit)
        said = re.findall(r"\[(\d+) earlier messages? ", "\n".join(texts(prompt.messages)))
        gone = {seq for o in prompt.omitted if o.kind == "turns" for seq in o.seqs}
        shown = sum(m["role"] in {"user", "assistant", "tool"} for m in prompt.messages)
        assert shown + len(gone) == len(talk.state.window)
        assert said == ([str(len(gone))] if gone else [])
        seen.add(len(gone))
    assert len(seen) > 3


def test_turns_leave_whole_and_oldest_first() -> None:
    talk = long_talk()
    for limit in range(build(talk).tokens, 100, -11):
        prompt = build(talk, limit)
        gone = sorted(s for o in prompt.omitted if o.kind == "turns" for s in o.seqs)
        window = [message.seq for message in talk.state.window]
        assert gone == window[: len(gone)]
        after = window[len(gone)]
        assert talk.state.window[window.index(after)].role == "user"


def test_no_more_gives_way_than_must() -> None:
    talk = long_talk()
    for limit in range(build(talk).tokens, 250, -13):
        prompt = build(talk, limit)
        turns = [o for o in prompt.omitted if o.kind == "turns"]
        if turns and not {"facts", "segment"} & kinds(prompt):
            by_seq = {m.seq: m for m in talk.state.window}
            newest_gone = by_seq[max(turns[0].seqs)].turn
            cost = sum(m.short_tokens for m in by_seq.values() if m.turn == newest_gone)
            assert prompt.tokens + cost > limit


def test_doubtful_facts_give_way_before_sure_ones() -> None:
    talk = long_talk()
    for limit in range(build(talk).tokens, 60, -1):
        prompt = build(talk, limit)
        gone = [o.count for o in prompt.omitted if o.kind == "facts"]
        if gone == [1]:
            said = "\n".join(texts(prompt.messages))
            assert "Ann" not in said
            assert "LMP-0" in said
            return
    raise AssertionError("no budget left out one fact alone")


def test_small_prefix_and_budget_keep_the_question_and_cut_facts_and_summary() -> None:
    talk = Talk().user("x")
    for number in range(30):
        talk.fact("order_id", f"LMP-{number:04}", cardinality="many")
    talk.assistant("y").fold(1, "essence " * 70).user("Can I still return the kettle?")
    prompt = build(talk, 400, system_prompt="s" * 1040)
    assert prompt.tokens <= 400
    assert prompt.messages[0]["content"] == "s" * 1040
    assert texts(prompt.messages)[-1] == "Can I still return the kettle?"
    assert kinds(prompt) == {"facts", "segment"}


def test_giant_result_of_the_newest_turn_is_shown_short_and_facts_stay() -> None:
    talk = long_talk().assistant("?").user("Read the log").call("big")
    talk.result("big", "A line of a very long log.\n" * 4000)
    prompt = build(talk, 3000)
    assert prompt.over_budget == 0
    assert kinds(prompt) == {"tool_result"}
    said = "\n".join(texts(prompt.messages))
    for number in range(3):
        assert f"LMP-{number}" in said
    assert "Read the log" in texts(prompt.messages)
    (short,) = (o for o in prompt.omitted if o.reason == "newest_turn")
    assert short.seqs == (talk.state.window[-1].seq,)
    assert prompt.tokens > 2500
    assert prompt.tokens == counter().messages(list(prompt.messages))


def test_results_of_one_call_share_the_room_that_is_left() -> None:
    ids = [f"p{number}" for number in range(4)]
    talk = Talk().user("Read the logs").call(*ids)
    talk.result("p0", "short")
    for call_id in ids[1:]:
        talk.result(call_id, "A line of a very long log.\n" * 400)
    prompt = build(talk, 2000)
    results = [m for m in prompt.messages if m["role"] == "tool"]
    assert results[0]["content"] == "short"
    sizes = [counter().message(message) for message in results[1:]]
    assert prompt.tokens <= 2000
    assert min(sizes) > 400


def test_overlong_newest_turn_leaves_out_its_oldest_steps_last_of_all() -> None:
    talk = Talk().user("Do it all")
    for number in range(30):
        talk.call(f"c{number}", arguments='{"text": "' + "argument " * 20 + '"}')
        talk.result(f"c{number}", "done")
    prompt = build(talk, 600)
    assert prompt.over_budget == 0
    assert validate(list(prompt.messages)) == []
    assert "Do it all" in texts(prompt.messages)
    (steps,) = (o for o in prompt.omitted if o.kind == "steps")
    assert steps.seqs[0] == 2
    assert steps.seqs == tuple(range(2, 2 + len(steps.seqs)))
    assert prompt.messages[-1] == talk.state.window[-1].payload


def test_long_question_does_not_cost_the_facts_where_the_window_has_room() -> None:
    talk = long_talk().assistant("?").user("word " * 3000)
    prompt = build(talk, 2000)
    said = "\n".join(texts(prompt.messages))
    assert "LMP-2" in said
    assert prompt.over_budget > 0
    tight = build(talk, 2000, context_window=5200, max_output_tokens=100, reserve_tokens=30)
    assert tight.tokens <= 5200 - 130


def test_examples_give_way_after_facts() -> None:
    examples = (
        {"role": "user", "content": "Hi " * 30},
        {"role": "assistant", "content": "Hello " * 30},
    )
    talk = Talk().user("x").fact("order_id", "LMP-1").assistant("ok").user("y " * 30)
    prompt = build(talk, 120, examples=examples)
    assert {"facts", "turns"} < kinds(prompt) | {"examples"}
    assert "examples" in kinds(prompt)
    assert prompt.tokens <= 120


@pytest.mark.parametrize("budget", [1100, 1300, 1500])
def test_prompt_shortened_by_budget_is_the_same_each_time(budget: int) -> None:
    talk = long_talk()
    assert build(talk, budget).fingerprint == build(talk, budget).fingerprint


def test_what_is_left_out_stays_the_same_for_many_turns() -> None:
    """Else no prompt of a session that waits for its fold would begin like the last."""
    talk = Talk()
    assembler = builder(system_prompt=SYSTEM, effective_window=2000)
    trace = None
    cuts: list[int] = []
    stable: list[float] = []
    for number in range(120):
        talk.user(f"Question {number} " + "about a lamp " * 4)
        prompt, trace = assembler.build(talk.state, previous=trace)
        talk.assistant("An answer " * 6)
        assert prompt.tokens <= 2000
        if prompt.omitted:
            assert prompt.tokens > 2000 * 0.8
            cuts.append(len(prompt.omitted[0].seqs))
            stable.append(prompt.stable_tokens / prompt.tokens)
    assert len(cuts) > 60
    assert cuts == sorted(cuts)
    assert len(set(cuts)) < len(cuts) / 4
    assert sum(share > 0.9 for share in stable) > len(stable) * 0.7


def test_newest_segment_stays_within_its_share_while_older_turns_go() -> None:
    talk = Talk().user("x").assistant("y").fold(1, "essence " * 20)
    for number in range(40):
        talk.user(f"Question {number}").assistant("An answer " * 8)
    prompt = build(talk.user("And now?"), 1000)
    assert kinds(prompt) == {"turns"}
    assert "essence essence" in "\n".join(texts(prompt.messages))


def test_last_step_goes_only_where_the_models_window_cannot_hold_it() -> None:
    talk = Talk().user("Tell me all").assistant("An endless answer " * 400)
    soft = build(talk, 500)
    assert len(soft.messages) == 3
    assert soft.over_budget > 0
    hard = build(talk, context_window=620, max_output_tokens=100, reserve_tokens=20)
    assert texts(hard.messages)[-1] == "Tell me all"
    assert hard.tokens <= 500
    assert [o.kind for o in hard.omitted] == ["steps"]


def test_system_messages_of_a_session_without_a_question_give_way_too() -> None:
    talk = Talk().add({"role": "system", "content": "The shop is closed today. " * 20})
    prompt = build(talk, context_window=150, max_output_tokens=50, reserve_tokens=50)
    assert [message["content"] for message in prompt.messages if "content" in message] == [
        SYSTEM,
        "[1 earlier message is left out here; it is stored.]",
    ]
    assert prompt.tokens <= 50
