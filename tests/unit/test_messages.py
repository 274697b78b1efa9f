from __future__ import annotations

import copy
import datetime
import json
from enum import Enum
from typing import Any

import pytest
from openai.types.chat import ChatCompletionMessage
from openai.types.chat.chat_completion_message_function_tool_call import (
    ChatCompletionMessageFunctionToolCall,
    Function,
)

from tests.conversations import calls, result, user
from tiered_memory.chat.messages import (
    canonical_json,
    failed_result,
    normalise,
    plain_text,
    replace_leaves,
    text_leaves,
)
from tiered_memory.errors import MessageError

CALL = calls(("call_a", "find_parcel", {"no": "ZX-1"}))


class Role(str, Enum):  # noqa: UP042 - what older applications still hold
    USER = "user"


def test_what_was_given_is_neither_changed_nor_shared() -> None:
    given = {
        "role": "assistant",
        "content": [{"type": "text", "text": "hi"}],
        "tool_calls": [],
        "reasoning_content": "thinking",
        "vendor": {"trace": [1, 2]},
    }
    before = copy.deepcopy(given)
    payload = normalise(given)
    assert given == before
    assert "tool_calls" not in payload
    assert payload["vendor"] == {"trace": [1, 2]}
    payload["content"][0]["text"] = "changed"
    payload["vendor"]["trace"].append(3)
    assert given == before


def test_null_content_stays_null() -> None:
    payload = normalise(CALL)
    assert payload["content"] is None
    assert '"content":null' in canonical_json(payload)


def test_keys_that_are_null_go_unless_the_api_takes_null() -> None:
    payload = normalise(
        {
            "role": "assistant",
            "content": "ok",
            "refusal": None,
            "audio": None,
            "function_call": None,
            "tool_calls": None,
            "name": None,
            "annotations": None,
        }
    )
    assert payload == {
        "role": "assistant",
        "content": "ok",
        "refusal": None,
        "audio": None,
        "function_call": None,
    }


def test_an_sdk_message_becomes_what_a_request_may_hold() -> None:
    reply = ChatCompletionMessage(role="assistant", content="您好", annotations=[])
    assert normalise(reply) == {"role": "assistant", "content": "您好"}


def test_an_sdk_message_with_calls_keeps_its_null_content() -> None:
    reply = ChatCompletionMessage(
        role="assistant",
        content=None,
        tool_calls=[
            ChatCompletionMessageFunctionToolCall(
                id="call_a",
                type="function",
                function=Function(name="find_parcel", arguments='{"no": "ZX-1"}'),
            )
        ],
    )
    assert normalise(reply) == CALL


def test_unknown_keys_of_an_sdk_message_are_kept() -> None:
    reply = ChatCompletionMessage.model_validate(
        {"role": "assistant", "content": "ok", "reasoning_content": "because"}
    )
    assert normalise(reply)["reasoning_content"] == "because"


def test_an_audio_reply_is_sent_back_by_its_id() -> None:
    reply = ChatCompletionMessage.model_validate(
        {
            "role": "assistant",
            "content": None,
            "audio": {"id": "audio_1", "data": "AAAA", "expires_at": 9, "transcript": "hi"},
        }
    )
    assert normalise(reply)["audio"] == {"id": "audio_1"}


def test_any_object_with_model_dump_is_taken() -> None:
    class Note:
        def model_dump(self) -> dict[str, Any]:
            return {"role": Role.USER, "content": ("never",), "name": None}

    with pytest.raises(MessageError) as caught:
        normalise(Note(), 2)
    assert (caught.value.position, caught.value.field) == (2, "content.0")


def test_enums_and_tuples_become_plain_values() -> None:
    payload = normalise({"role": Role.USER, "content": ({"type": "text", "text": "x"},)})
    assert type(payload["role"]) is str
    assert payload == {"role": "user", "content": [{"type": "text", "text": "x"}]}


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("thanks \ud83d", "thanks \ufffd"),
        ("bytes \udc81 here", "bytes \ufffd here"),
        ("\ud83d\ude00 joined", "😀 joined"),
        ("nul \x00 inside", "nul \x00 inside"),
    ],
)
def test_text_can_always_be_encoded(text: str, stored: str) -> None:
    payload = normalise(user(text))
    assert payload["content"] == stored
    canonical_json(payload).encode()


@pytest.mark.parametrize(
    ("arguments", "stored"),
    [
        ('{"t": "\\ud83d"}', '{"t": "\\ufffd"}'),
        ('{"t": "\\uDC81 \\uD83D\\uDE00"}', '{"t": "\\ufffd \\uD83D\\uDE00"}'),
        ('{"t": "\\\\ud83d"}', '{"t": "\\\\ud83d"}'),
        ('{"t": "\\ud83d\\ud83d\\ude00"}', '{"t": "\\ufffd\\ud83d\\ude00"}'),
    ],
)
def test_arguments_spell_no_lone_surrogate(arguments: str, stored: str) -> None:
    given = copy.deepcopy(CALL)
    given["tool_calls"][0]["function"]["arguments"] = arguments
    kept = normalise(given)["tool_calls"][0]["function"]["arguments"]
    assert kept == stored
    json.dumps(json.loads(kept), ensure_ascii=False).encode()


def test_arguments_given_as_an_object_become_json_text() -> None:
    given = copy.deepcopy(CALL)
    given["tool_calls"][0]["function"]["arguments"] = {"no": "单号"}
    assert normalise(given)["tool_calls"][0]["function"]["arguments"] == '{"no":"单号"}'


def test_custom_and_legacy_calls_are_taken() -> None:
    custom = {"id": "c", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    payload = normalise({"role": "assistant", "content": None, "tool_calls": [custom]})
    assert payload["tool_calls"] == [custom]
    legacy = {"role": "assistant", "content": None, "function_call": {"name": "f"}}
    assert normalise(legacy)["function_call"] == {"name": "f", "arguments": "{}"}


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ("just text", ""),
        (None, ""),
        ({"content": "x"}, "role"),
        ({"role": "bot", "content": "x"}, "role"),
        ({"role": "user"}, "content"),
        ({"role": "user", "content": None}, "content"),
        ({"role": "user", "content": []}, "content"),
        ({"role": "user", "content": 5}, "content"),
        ({"role": "user", "content": ["text"]}, "content.0"),
        ({"role": "user", "content": [{"type": "text"}]}, "content.0.text"),
        ({"role": "tool", "tool_call_id": "a", "content": None}, "content"),
        ({"role": "tool", "tool_call_id": 5, "content": "x"}, "tool_call_id"),
        ({"role": "user", "content": "x", "name": 5}, "name"),
        ({"role": "user", "content": "x", "tool_calls": [{}]}, "tool_calls"),
        ({"role": "assistant", "tool_calls": {"a": 1}}, "tool_calls"),
        ({"role": "assistant", "tool_calls": ["a"]}, "tool_calls.0"),
        ({"role": "assistant", "tool_calls": [{"id": ""}]}, "tool_calls.0.id"),
        ({"role": "assistant", "tool_calls": [{"id": "a"}]}, "tool_calls.0.function"),
        (
            {"role": "assistant", "tool_calls": [{"id": "a", "function": {}}]},
            "tool_calls.0.function.name",
        ),
        ({"role": "user", "content": "x", "score": float("nan")}, "score"),
        ({"role": "user", "content": "x", "score": [float("inf")]}, "score.0"),
        ({"role": "user", "content": "x", "at": datetime.date(2031, 1, 2)}, "at"),
        ({"role": "user", "content": "x", "raw": b"x"}, "raw"),
        ({"role": "user", "content": "x", "meta": {1: "x"}}, "meta"),
    ],
)
def test_what_is_no_message_is_refused_by_place_and_field(
    message: object, field: str
) -> None:
    with pytest.raises(MessageError) as caught:
        normalise(message, 3)
    assert (caught.value.position, caught.value.field) == (3, field)
    assert "message 3" in str(caught.value)


def test_a_message_that_holds_itself_is_refused() -> None:
    message: dict[str, Any] = {"role": "user", "content": "x"}
    message["self"] = message
    with pytest.raises(MessageError, match="deep"):
        normalise(message)


RICH = {
    "role": "assistant",
    "name": "Ann",
    "content": [
        {"type": "text", "text": "one"},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
        {"type": "file", "file": {"file_id": "f-1", "filename": "bill.pdf"}},
        {"type": "refusal", "refusal": "no"},
    ],
    "refusal": "cannot",
    "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}},
        {"id": "b", "type": "custom", "custom": {"name": "g", "input": "run"}},
    ],
    "reasoning_content": "why",
    "vendor.key": {"deep": ["er"]},
}


def test_every_text_is_a_leaf_and_nothing_else() -> None:
    leaves = text_leaves(normalise(RICH))
    assert [(leaf.part, leaf.text, leaf.extra) for leaf in leaves] == [
        ("content.0.text", "one", False),
        ("content.2.file.filename", "bill.pdf", True),
        ("content.3.refusal", "no", False),
        ("refusal", "cannot", False),
        ("tool_calls.0.arguments", '{"x":1}', False),
        ("tool_calls.1.input", "run", False),
        ("reasoning_content", "why", True),
        ("vendor~1key.deep.0", "er", True),
    ]


def test_replaced_leaves_are_the_only_change() -> None:
    payload = normalise(RICH)
    before = copy.deepcopy(payload)
    texts = {leaf.part: leaf.text.upper() for leaf in text_leaves(payload)}
    replaced = replace_leaves(payload, texts)
    assert payload == before
    assert [leaf.text for leaf in text_leaves(replaced)] == [
        leaf.text.upper() for leaf in text_leaves(payload)
    ]
    back = {leaf.part: leaf.text for leaf in text_leaves(payload)}
    assert replace_leaves(replaced, back) == payload


def test_a_part_that_is_not_there_is_refused() -> None:
    with pytest.raises(MessageError) as caught:
        replace_leaves(normalise(user("x")), {"content.0.text": "y"})
    assert caught.value.field == "content.0.text"


def test_the_bytes_of_an_image_are_no_text() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    assert text_leaves(normalise({"role": "user", "content": [image]})) == []


def test_plain_text_shows_what_is_no_text_as_a_placeholder() -> None:
    assert plain_text(normalise(RICH)) == "one\n[image]\n[file: bill.pdf]\nno\ncannot"
    assert plain_text(normalise(CALL)) == ""


@pytest.mark.parametrize(
    ("content", "failed"),
    [
        ('{"error": "not found"}', True),
        ('{"ok": false, "rows": []}', True),
        ('{"status": "FAILED"}', True),
        ('{"状态": "已发货", "error": null}', False),
        ('{"status": "shipped", "errors": []}', False),
        ("Error: no such order", True),
        ("查询失败后重试成功", False),
        ("失败：超时", True),
        ("errands are done", False),
        ("[1, 2]", False),
    ],
)
def test_a_failed_result_is_told_from_a_good_one(content: str, failed: bool) -> None:
    assert failed_result(normalise(result("a", content))) is failed


def test_surrogates_of_long_texts_are_mended_as_those_of_short_ones() -> None:
    for lead in range(4):
        text = "x" * lead + "\ud83d\ude00" * 9_000 + "\udc00" + "\ud83d" * 3
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

        assert normalise({"role": "user", "content": text})["content"] == whole
