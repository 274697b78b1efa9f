from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.conversations import Chat, assistant, calls, result, user
from tiered_memory.chat.grammar import heal, interrupted, validate

SYSTEM: Chat = {"role": "system", "content": "Shop assistant."}
ASK = user("Where is it?")
ON = user("continue")


def call(*ids: str) -> Chat:
    return calls(*((call_id, "find_parcel", {}) for call_id in ids))


def answer(call_id: str, content: str = "ok") -> Chat:
    return result(call_id, content)


def closed(call_id: str, language: Any = "en") -> Chat:
    return result(call_id, interrupted(language))


def legacy(name: str) -> Chat:
    return {
        "role": "assistant",
        "content": None,
        "function_call": {"name": name, "arguments": "{}"},
    }


def function(name: str, content: str = "ok") -> Chat:
    return {"role": "function", "name": name, "content": content}


CUSTOM: Chat = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "x"}}],
}


@pytest.mark.parametrize(
    "payloads",
    [
        pytest.param([], id="nothing"),
        pytest.param([SYSTEM], id="head alone"),
        pytest.param([SYSTEM, {"role": "developer", "content": "x"}, ASK], id="two heads"),
        pytest.param([ASK, assistant("Here."), ON], id="plain"),
        pytest.param([ASK, ON, assistant("")], id="two users, empty text"),
        pytest.param([ASK, call("c1"), answer("c1"), assistant("Here.")], id="a call"),
        pytest.param([ASK, call("a", "b"), answer("b"), answer("a")], id="any order"),
        pytest.param(
            [ASK, call("c1"), answer("c1"), ON, call("c1"), answer("c1")],
            id="id used again",
        ),
        pytest.param(
            [ASK, call("c1"), answer("c1"), SYSTEM, ON], id="system in the middle"
        ),
        pytest.param([ASK, CUSTOM, answer("c1")], id="custom call"),
        pytest.param([ASK, legacy("f"), function("f")], id="legacy call"),
        pytest.param(
            [ASK, {"role": "assistant", "content": None, "refusal": "no"}], id="refusal"
        ),
    ],
)
def test_a_sound_list_comes_back_as_the_same_objects(payloads: list[Chat]) -> None:
    assert validate(payloads) == []
    healed = heal(payloads)
    assert len(healed.payloads) == len(payloads)
    assert all(a is b for a, b in zip(healed.payloads, payloads, strict=True))
    assert healed.repairs == ()
    assert healed.origins == tuple(range(len(payloads)))


@pytest.mark.parametrize(
    ("payloads", "kinds"),
    [
        ([assistant("Hello"), ASK], ["leading_message"]),
        ([ASK, {"role": "assistant", "content": None}], ["empty_message"]),
        ([ASK, {**assistant("x"), "tool_calls": []}], ["empty_tool_calls"]),
        ([ASK, {"role": "user", "content": None}], ["missing_content"]),
        ([ASK, call("a", "a"), answer("a")], ["duplicate_call"]),
        ([ASK, call("a")], ["missing_result"]),
        ([ASK, call("a"), ON, answer("a")], ["missing_result", "orphan_result"]),
        ([ASK, call("a"), answer("a"), answer("a")], ["duplicate_result"]),
        ([ASK, answer("a")], ["orphan_result"]),
        ([ASK, call("a"), {"role": "tool", "content": "x"}], None),
        ([ASK, legacy("f"), answer("f")], ["missing_result", "orphan_result"]),
        ([ASK, call("f"), function("f")], ["missing_result", "orphan_result"]),
    ],
)
def test_what_the_api_refuses_is_named(
    payloads: list[Chat], kinds: list[str] | None
) -> None:
    found = [problem.kind for problem in validate(payloads)]
    assert found == (kinds or ["missing_result", "result_without_id"])


@pytest.mark.parametrize(
    ("payloads", "healed", "kinds"),
    [
        pytest.param(
            [ASK, call("a"), ON, answer("a"), assistant("Here.")],
            [ASK, call("a"), answer("a"), ON, assistant("Here.")],
            ["moved_result"],
            id="a late result moves behind its call",
        ),
        pytest.param(
            [ASK, call("a", "b", "c"), answer("a"), ON],
            [ASK, call("a", "b", "c"), answer("a"), closed("b"), closed("c"), ON],
            ["missing_result", "missing_result"],
            id="an interrupted turn is closed",
        ),
        pytest.param(
            [ASK, call("a", "b", "c"), answer("c"), ON, answer("a")],
            [ASK, call("a", "b", "c"), answer("a"), closed("b"), answer("c"), ON],
            ["missing_result", "moved_result"],
            id="a damaged group stands in the calls' order",
        ),
        pytest.param(
            [ASK, call("a")],
            [ASK, call("a"), closed("a")],
            ["missing_result"],
            id="a call that was just asked is closed too",
        ),
        pytest.param(
            [ASK, call("a"), answer("a", "first"), answer("a", "again"), ON],
            [ASK, call("a"), answer("a", "first"), ON],
            ["duplicate_result"],
            id="of two results the first stays",
        ),
        pytest.param(
            [ASK, call("a"), closed("a"), ON, answer("a", "real")],
            [ASK, call("a"), answer("a", "real"), ON],
            ["duplicate_result", "moved_result"],
            id="a stored placeholder gives way to the real result",
        ),
        pytest.param(
            [ASK, answer("gone"), assistant("Here.")],
            [ASK, assistant("Here.")],
            ["orphan_result"],
            id="an orphan is left out",
        ),
        pytest.param(
            [ASK, call("a"), ON, call("a"), answer("a", "new"), answer("a", "old"), ON],
            [ASK, call("a"), answer("a", "old"), ON, call("a"), answer("a", "new"), ON],
            ["moved_result"],
            id="a used id goes to the nearest message that lacks it",
        ),
        pytest.param(
            [ASK, call("a"), answer("a"), ON, call("a"), ON],
            [ASK, call("a"), answer("a"), ON, call("a"), closed("a"), ON],
            ["missing_result"],
            id="an earlier answer does not hide a later dangling call",
        ),
        pytest.param(
            [ASK, call("a"), SYSTEM, answer("a"), ON],
            [ASK, call("a"), answer("a"), SYSTEM, ON],
            ["moved_result"],
            id="a system message waits until the results are there",
        ),
        pytest.param(
            [ASK, call("a", "b"), {"role": "tool", "content": "x"}, answer("b")],
            [ASK, call("a", "b"), answer("a", "x"), answer("b")],
            ["result_without_id"],
            id="a result without an id goes to the call that lacks one",
        ),
        pytest.param(
            [ASK, call("a", "a"), answer("a", "1"), answer("a", "2")],
            [ASK, call("a", "a_2"), answer("a", "1"), answer("a_2", "2")],
            ["duplicate_call"],
            id="two calls of one id get ids of their own",
        ),
        pytest.param(
            [ASK, call("a", "a", "a_2"), answer("a_2", "3"), answer("a", "1")],
            [
                ASK,
                call("a", "a_3", "a_2"),
                answer("a", "1"),
                closed("a_3"),
                answer("a_2", "3"),
            ],
            ["duplicate_call", "missing_result"],
            id="a new id is none that the message has",
        ),
        pytest.param(
            [ASK, {"role": "assistant", "content": None, "tool_calls": []}, ON],
            [ASK, ON],
            ["empty_tool_calls", "empty_message"],
            id="a message that says nothing is left out",
        ),
        pytest.param(
            [SYSTEM, assistant("Hello"), call("a"), answer("a"), ASK],
            [SYSTEM, ASK],
            ["leading_message", "leading_message", "leading_message"],
            id="nothing stands before the first user message",
        ),
        pytest.param(
            [ASK, legacy("f"), ON, function("f"), legacy("g"), ON],
            [
                ASK,
                legacy("f"),
                function("f"),
                ON,
                legacy("g"),
                function("g", interrupted("en")),
                ON,
            ],
            ["moved_result", "missing_result"],
            id="legacy calls are held to the same rules",
        ),
        pytest.param(
            [ASK, CUSTOM, ON],
            [ASK, CUSTOM, closed("c1"), ON],
            ["missing_result"],
            id="a custom call is closed",
        ),
    ],
)
def test_a_damaged_list_is_mended(
    payloads: list[Chat], healed: list[Chat], kinds: list[str]
) -> None:
    before = copy.deepcopy(payloads)
    mended = heal(payloads)
    assert mended.payloads == healed
    assert sorted(repair.kind for repair in mended.repairs) == sorted(kinds)
    assert validate(mended.payloads) == []
    assert payloads == before
    for payload, origin in zip(mended.payloads, mended.origins, strict=True):
        if origin is None:
            assert payload["content"] == interrupted("en")
        else:
            assert payload["role"] in {payloads[origin]["role"]}


def test_a_placeholder_is_in_the_language_of_the_conversation() -> None:
    mended = heal([ASK, call("a")], language="zh")
    assert mended.payloads[-1] == closed("a", "zh")
    assert heal(mended.payloads).payloads == mended.payloads


def test_repairs_name_the_place_and_the_call() -> None:
    mended = heal([ASK, call("a", "b"), ON, answer("b"), answer("zz")])
    assert [(r.kind, r.position, r.call_id) for r in mended.repairs] == [
        ("missing_result", 1, "a"),
        ("moved_result", 3, "b"),
        ("orphan_result", 4, "zz"),
    ]


def test_ten_parallel_calls_move_as_one() -> None:
    ids = [f"c{n:02d}" for n in range(1, 11)]
    late = [answer(call_id) for call_id in reversed(ids)]
    mended = heal([ASK, call(*ids), ON, *late])
    assert [m.get("tool_call_id") for m in mended.payloads] == [None, None, *ids, None]


def test_healing_is_linear_in_the_number_of_messages() -> None:
    class Counted(dict[str, Any]):
        reads = 0

        def get(self, key: str, default: Any = None) -> Any:
            Counted.reads += 1
            return super().get(key, default)

    def reads(turns: int) -> int:
        Counted.reads = 0
        payloads = [
            Counted(m) for _ in range(turns) for m in (ASK, call("a"), ON, answer("a"))
        ]
        heal(payloads)
        return Counted.reads

    assert reads(800) < 2.2 * reads(400)
