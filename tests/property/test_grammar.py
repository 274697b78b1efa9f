"""Histories sound and damaged by rule, judged by a checker that knows nothing of ours."""

from __future__ import annotations

import copy
import random
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conversations import Chat, assistant, calls, result, user
from tiered_memory.chat.grammar import heal, interrupted, validate
from tiered_memory.chat.turns import turns, units
from tiered_memory.model import Message

SEEDS = st.integers(0, 2**32)


def refused(messages: list[Chat]) -> str | None:
    """Say why the API would refuse a list, else None; written from its documentation."""
    body = list(messages)
    while body and body[0]["role"] in ("system", "developer"):
        body.pop(0)
    if body and body[0]["role"] != "user":
        return "does not begin with a user"
    while body:
        message = body.pop(0)
        if message["role"] == "tool":
            return "a result without a call"
        if "tool_calls" not in message:
            if message.get("content") is None:
                return "says nothing"
            continue
        wanted = [call["id"] for call in message["tool_calls"]]
        block = []
        while body and body[0]["role"] == "tool":
            block.append(body.pop(0).get("tool_call_id"))
        if not wanted or len(set(wanted)) < len(wanted):
            return "no calls, or one id twice"
        if sorted(block, key=str) != sorted(wanted):
            return f"{block} do not answer {wanted}"
    return None


def sound(rng: random.Random) -> list[Chat]:
    """A history with parallel calls, several steps a turn and ids that come again."""
    history: list[Chat] = []
    if rng.random() < 0.5:
        history.append({"role": "system", "content": "Shop assistant."})
    for turn in range(rng.randint(1, 7)):
        history.append(user(f"question {turn} 问题"))
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            ids = rng.sample(
                ("call_1", "call_2", "call_3", f"call_{turn}x"), rng.randint(1, 3)
            )
            history.append(
                calls(*((call_id, "find_parcel", {"t": turn}) for call_id in ids))
            )
            rng.shuffle(ids)
            history += [result(call_id, f"result {turn}") for call_id in ids]
        if rng.random() < 0.1:
            history.append({"role": "developer", "content": "Be brief."})
        if rng.random() < 0.8:
            history.append(assistant(f"answer {turn}"))
    return history


def late(rng: random.Random, history: list[Chat], place: int) -> None:
    history.insert(rng.randint(place, len(history) - 1), history.pop(place))


def lost(rng: random.Random, history: list[Chat], place: int) -> None:
    history.pop(place)


def twice(rng: random.Random, history: list[Chat], place: int) -> None:
    history.insert(rng.randint(place, len(history)), dict(history[place]))


def orphan(rng: random.Random, history: list[Chat], place: int) -> None:
    history.insert(place, result("call_gone", "lost"))


def empty(rng: random.Random, history: list[Chat], place: int) -> None:
    history.insert(place, {"role": "assistant", "content": None, "tool_calls": []})


def cut(rng: random.Random, history: list[Chat], place: int) -> None:
    del history[: rng.randint(0, 4)]


def nameless(rng: random.Random, history: list[Chat], place: int) -> None:
    if history[place]["role"] == "tool":
        history[place] = {"role": "tool", "content": "nameless"}


def closed(rng: random.Random, history: list[Chat], place: int) -> None:
    """Put a placeholder before a result, as an application that stored one would."""
    if history[place]["role"] == "tool":
        content = interrupted(rng.choice(("zh", "en")))
        history.insert(place, {**history[place], "content": content})


def called_twice(rng: random.Random, history: list[Chat], place: int) -> None:
    if history[place].get("tool_calls"):
        message = copy.deepcopy(history[place])
        message["tool_calls"].append(copy.deepcopy(message["tool_calls"][0]))
        history[place] = message


DAMAGE = (late, late, lost, twice, orphan, empty, cut, nameless, closed, called_twice)


def damaged(rng: random.Random) -> list[Chat]:
    """A sound history after some of what goes wrong in practice."""
    history = sound(rng)
    for _ in range(rng.randint(1, 4)):
        if not history:
            break
        place = rng.randrange(len(history))
        results = [i for i, m in enumerate(history) if m["role"] == "tool"]
        if results and rng.random() < 0.6:
            place = rng.choice(results)
        rng.choice(DAMAGE)(rng, history, place)
    return history


def said(messages: list[Any]) -> Counter[str]:
    return Counter(str(m["content"]) for m in messages if m["role"] == "user")


@settings(max_examples=300)
@given(SEEDS)
def test_a_sound_history_is_not_touched(seed: int) -> None:
    history = sound(random.Random(seed))
    assert refused(history) is None
    assert validate(history) == []
    healed = heal(history)
    assert all(a is b for a, b in zip(healed.payloads, history, strict=True))
    assert healed.repairs == ()


@settings(max_examples=600)
@given(SEEDS)
def test_a_damaged_history_is_mended(seed: int) -> None:
    history = damaged(random.Random(seed))
    before = copy.deepcopy(history)
    healed = heal(history)
    messages: list[Any] = healed.payloads
    assert history == before
    assert refused(messages) is None
    assert validate(messages) == []
    assert said(messages) == said(history)
    assert bool(healed.repairs) == (refused(history) is not None)


@settings(max_examples=300)
@given(SEEDS)
def test_both_checkers_agree(seed: int) -> None:
    history = damaged(random.Random(seed))
    assert (refused(history) is None) == (validate(history) == [])


@settings(max_examples=300)
@given(SEEDS)
def test_healing_twice_is_healing_once(seed: int) -> None:
    healed = heal(damaged(random.Random(seed)), language="zh")
    again = heal(healed.payloads)
    assert again.payloads == healed.payloads
    assert again.repairs == ()


@settings(max_examples=300)
@given(SEEDS)
def test_every_message_is_kept_or_named_and_none_is_invented(seed: int) -> None:
    history = damaged(random.Random(seed))
    healed = heal(history)
    kept = [origin for origin in healed.origins if origin is not None]
    assert len(set(kept)) == len(kept)
    named = {repair.position for repair in healed.repairs}
    assert set(range(len(history))) - set(kept) <= named
    invented = [
        payload["content"]
        for payload, origin in zip(healed.payloads, healed.origins, strict=True)
        if origin is None
    ]
    assert invented == [interrupted("en")] * len(invented)
    for payload, origin in zip(healed.payloads, healed.origins, strict=True):
        if origin is not None:
            assert payload["content"] == history[origin]["content"]


ANY = st.one_of(
    st.just(user("x")),
    st.just({"role": "system", "content": "s"}),
    st.sampled_from((None, "x", "")).map(
        lambda text: {"role": "assistant", "content": text}
    ),
    st.lists(st.sampled_from("abf"), max_size=3).map(
        lambda ids: calls(*((call_id, "f", {}) for call_id in ids))
    ),
    st.sampled_from("abf").map(
        lambda name: {
            "role": "assistant",
            "content": None,
            "function_call": {"name": name, "arguments": "{}"},
        }
    ),
    st.tuples(st.sampled_from("abf"), st.sampled_from(("r", interrupted("en")))).map(
        lambda pair: result(*pair)
    ),
    st.sampled_from("abf").map(
        lambda name: {"role": "function", "name": name, "content": None}
    ),
    st.just({"role": "tool", "content": "nameless"}),
)


@settings(max_examples=600)
@given(st.lists(ANY, max_size=12))
def test_any_messages_in_any_order_are_mended(history: list[Chat]) -> None:
    healed = heal(history)
    assert validate(healed.payloads) == []
    assert heal(healed.payloads).repairs == ()
    assert said(healed.payloads) == said(history)


def stored(history: list[Chat]) -> list[Message]:
    body = [m for m in history if m["role"] not in ("system", "developer")]
    turn = 0
    messages: list[Message] = []
    for seq, payload in enumerate(body, start=1):
        turn += payload["role"] == "user"
        messages.append(
            Message(
                seq=seq,
                turn=turn,
                role=payload["role"],
                payload=payload,
                tokens=1,
                revision=1,
            )
        )
    return messages


@given(SEEDS)
def test_a_cut_between_units_never_parts_a_call_from_its_results(seed: int) -> None:
    messages = stored(sound(random.Random(seed)))
    parts = units(messages)
    assert [m for part in parts for m in part] == messages
    for cut in range(len(parts) + 1):
        for side in (parts[:cut], parts[cut:]):
            payloads: list[Any] = [m.payload for part in side for m in part]
            assert refused([user("x"), *payloads]) is None


@given(SEEDS)
def test_turns_and_units_of_a_damaged_history_lose_nothing(seed: int) -> None:
    messages = stored(damaged(random.Random(seed)))
    assert [m for part in units(messages) for m in part] == messages
    found = turns(messages)
    assert [m for turn in found for m in turn.messages] == messages
    assert all(turn.closes_seq >= turn.last_seq for turn in found)
