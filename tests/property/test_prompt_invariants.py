"""Prompts of random sessions: sound and damaged, folded and not, with room and without."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.prompt_states import Talk, builder, counter
from tiered_memory.chat.grammar import validate
from tiered_memory.errors import BudgetError
from tiered_memory.model import Prompt
from tiered_memory.prompt.builder import BuildTrace
from tiered_memory.state import SessionState

SYSTEM = "You help the customers of a lamp shop."
LONG_SYSTEM = SYSTEM * 90

WORDS = st.sampled_from(["灯坏了", "Where is it?", "ok", "</customer_facts>", "x" * 90])
IDS = st.sampled_from(["c1", "c2", "c3"])
KEYS = st.sampled_from(["order_id", "phone", "name"])
VALUES = st.sampled_from(["LMP-1", "LMP-2", "555-0100", "Ann"])

SOUND = st.one_of(
    st.tuples(st.just("user"), WORDS),
    st.tuples(st.just("assistant"), WORDS),
    st.tuples(st.just("exchange"), st.lists(IDS, min_size=1, max_size=3, unique=True)),
    st.tuples(st.just("fact"), KEYS, VALUES),
    st.tuples(st.just("late"), KEYS, VALUES),
)
FOLDS = st.one_of(
    st.tuples(st.just("fold"), st.integers(1, 3)),
    st.tuples(st.just("retract"), KEYS),
)
DAMAGE = st.one_of(
    st.tuples(st.just("call"), st.lists(IDS, min_size=1, max_size=3, unique=True)),
    st.tuples(st.just("result"), IDS, st.sampled_from(["done", "line of a log " * 30])),
    st.tuples(st.just("system"), WORDS),
)
SOUND_STEPS = st.lists(SOUND, max_size=25)
ANY_STEPS = st.lists(st.one_of(SOUND, FOLDS, DAMAGE), max_size=30)


def exchange(talk: Talk, ids: list[str]) -> None:
    talk.call(*ids)
    for call_id in ids:
        talk.result(call_id, f"result of {call_id}")


STEPS: dict[str, Callable[..., object]] = {
    "user": Talk.user,
    "assistant": Talk.assistant,
    "system": lambda talk, text: talk.add({"role": "system", "content": text}),
    "call": lambda talk, ids: talk.call(*ids),
    "result": Talk.result,
    "exchange": exchange,
    "fact": Talk.fact,
    "late": lambda talk, key, value: talk.fact(key, value, source="ner", late=True),
    "retract": Talk.retract,
    "fold": lambda talk, turns: talk.fold(turns, f"- asked, [[order_id:1]] {turns}"),
}


def taken(talk: Talk, step: Any) -> Talk:
    kind, *values = step
    STEPS[kind](talk, *values)
    return talk


def talked(steps: Sequence[Any]) -> Talk:
    talk = Talk()
    for step in steps:
        taken(talk, step)
    return talk


def assert_grammar(messages: Sequence[Any]) -> None:
    """A second reading of the API's rules, not sharing a line with the first."""
    rest = list(messages)
    while rest and rest[0]["role"] in {"system", "developer"}:
        rest.pop(0)
    assert not rest or rest[0]["role"] == "user"
    while rest:
        message = rest.pop(0)
        assert message["role"] != "tool", "a result that nobody asked for"
        asked = [call["id"] for call in message.get("tool_calls", ())]
        assert asked or message["content"] is not None
        got = [rest.pop(0) for _ in range(min(len(asked), len(rest)))]
        assert [m["role"] for m in got] == ["tool"] * len(asked)
        assert sorted(m["tool_call_id"] for m in got) == sorted(asked)


def newest_user(state: SessionState) -> Any:
    newest = state.newest_user()
    return None if newest is None else newest.payload


def assert_prompt(prompt: Prompt, state: SessionState, *, system: str) -> None:
    messages: list[Any] = list(prompt.messages)
    assert_grammar(messages)
    assert validate(messages) == []
    assert messages[0] == {"role": "system", "content": system}
    users = [m for m in messages if m["role"] == "user"]
    assert (users[-1] if users else None) == newest_user(state)
    assert prompt.tokens == counter().messages(messages)
    assert prompt.tokens == sum(prompt.tiers.values())
    assert prompt.over_budget == max(0, prompt.tokens - prompt.budget.limit)


EXAMPLES = ({"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"})
VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"layout": {"facts": "live"}},
    {"layout": {"summary_role": "user", "facts_role": "developer"}},
    {"tool_results": {"after_turn": "keep"}},
    {"facts": {"max_facts": 1}, "summary": {"language": "zh"}},
    {"examples": EXAMPLES},
)


@given(ANY_STEPS, st.sampled_from(VARIANTS))
def test_prompt_of_any_session_with_room_is_valid_exact_and_whole(
    steps: list[Any], variant: dict[str, Any]
) -> None:
    state = talked(steps).state
    blocks_as_user = variant.get("layout", {}).get("summary_role") == "user"
    prompt, _ = builder(system_prompt=SYSTEM, **variant).build(state)
    if not ("examples" in variant or blocks_as_user) or newest_user(state):
        assert_prompt(prompt, state, system=SYSTEM)
    assert prompt.over_budget == 0
    assert not [o for o in prompt.omitted if o.reason == "budget"]


@given(ANY_STEPS, st.integers(30, 700))
def test_prompt_keeps_to_its_limit_where_system_and_question_do(
    steps: list[Any], limit: int
) -> None:
    state = talked(steps).state
    newest = newest_user(state)
    core = [{"role": "system", "content": SYSTEM}, *([newest] if newest else [])]
    prompt, _ = builder(system_prompt=SYSTEM, effective_window=limit).build(state)
    assert_prompt(prompt, state, system=SYSTEM)
    last_step = 400
    if counter().messages(core) + last_step <= limit:
        assert prompt.over_budget == 0


@given(ANY_STEPS, st.integers(10, 700))
def test_prompt_never_passes_the_models_window(steps: list[Any], room: int) -> None:
    state = talked(steps).state
    newest = newest_user(state)
    core = [{"role": "system", "content": SYSTEM}, *([newest] if newest else [])]
    needed = counter().messages(core)
    small = builder(
        system_prompt=SYSTEM,
        context_window=room + 15,
        max_output_tokens=10,
        reserve_tokens=5,
    )
    try:
        prompt, _ = small.build(state)
    except BudgetError:
        assert needed > room
        return
    assert needed <= room
    assert prompt.tokens <= room
    assert_prompt(prompt, state, system=SYSTEM)


@given(ANY_STEPS, st.sampled_from([120, 300, 1100, 30_000]))
def test_bytes_hang_on_the_state_alone(steps: list[Any], limit: int) -> None:
    """Neither on what the builder met before, nor on the trace, nor on the caller."""
    assembler = builder(system_prompt=LONG_SYSTEM[:300], effective_window=limit)
    trace: BuildTrace | None = None
    talk = Talk()
    for step in steps:
        state = taken(talk, step).state
        before = copy.deepcopy([m.payload for m in state.window])
        prompt, trace = assembler.build(state, previous=trace)
        fresh, _ = builder(system_prompt=LONG_SYSTEM[:300], effective_window=limit).build(
            state
        )
        assert prompt.messages == fresh.messages
        assert prompt.fingerprint == fresh.fingerprint
        assert prompt.omitted == fresh.omitted
        assert prompt.repairs == fresh.repairs
        spoil(prompt.messages)
        assert [m.payload for m in state.window] == before


def spoil(messages: Any) -> None:
    for message in messages:
        for call in message.get("tool_calls", ()):
            call["function"].clear()
            call.clear()
        message.clear()


def tail(messages: list[Any], trace: BuildTrace) -> int:
    """Give where the tail begins: the note, or the newest user message."""
    start = trace.settled
    users = [i for i, m in enumerate(messages) if m["role"] == "user"]
    if users and start != users[-1]:
        assert start == users[-1] - 1
        note = messages[start]["content"]
        assert note.startswith(("<fact_changes ", "<customer_facts "))
    return start


@given(SOUND_STEPS, SOUND_STEPS)
def test_within_an_epoch_each_prompt_begins_the_next_up_to_its_tail(
    before: list[Any], after: list[Any]
) -> None:
    talk = talked([("user", "Hello"), *before])
    talk.fold(2, "- asked [[order_id:1]]")
    assembler = builder(system_prompt=LONG_SYSTEM)
    prompt, trace = assembler.build(talk.state)
    for step in after:
        taken(talk, step)
        previous, messages = prompt, list(prompt.messages)
        start = tail(messages, trace)
        prompt, trace = assembler.build(talk.state, previous=trace)
        assert not prompt.omitted
        if not previous.repairs:
            assert list(prompt.messages)[:start] == messages[:start]
            assert prompt.stable_tokens >= sum(map(counter().message, messages[:start]))


@settings(max_examples=40)
@given(ANY_STEPS)
def test_values_of_current_facts_stand_in_the_prompt_word_for_word(
    steps: list[Any],
) -> None:
    talk = talked(steps)
    talk.user("And now?")
    for system in (SYSTEM, LONG_SYSTEM):
        prompt, _ = builder(system_prompt=system).build(talk.state)
        said = "\n".join(str(m.get("content")) for m in prompt.messages)
        for fact in talk.state.current_facts():
            assert f"- {fact.key}: {fact.value}" in said
