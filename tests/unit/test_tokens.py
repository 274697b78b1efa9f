from __future__ import annotations

import base64
import copy
import os
from typing import Any

import pytest

from tests.conversations import Chat, assistant, calls, conversation, result, user
from tiered_memory.chat.images import MediaRule
from tiered_memory.chat.tokens import CALL_TOKENS, MessageCounter
from tiered_memory.chat.vocabulary import load_counter

COUNTER = MessageCounter(load_counter("o200k_base").counter, name="o200k_base")
CL100K = MessageCounter(load_counter("cl100k_base").counter, name="cl100k_base")


def recipe(messages: list[Chat], counter: MessageCounter) -> int:
    """``num_tokens_from_messages`` of the OpenAI cookbook, for text messages."""
    total = 0
    for message in messages:
        total += 3
        for key, value in message.items():
            if isinstance(value, str):
                total += counter.text(value)
            if key == "name":
                total += 1
    return total + 3


COOKBOOK = [
    {
        "role": "system",
        "content": "You are a helpful, pattern-following assistant that translates "
        "corporate jargon into plain English.",
    },
    {
        "role": "system",
        "name": "example_user",
        "content": "New synergies will help drive top-line growth.",
    },
    {
        "role": "system",
        "name": "example_assistant",
        "content": "Things working well together will increase revenue.",
    },
    {
        "role": "system",
        "name": "example_user",
        "content": "Let's circle back when we have more bandwidth to touch base on "
        "opportunities for increased leverage.",
    },
    {
        "role": "system",
        "name": "example_assistant",
        "content": "Let's talk later when we're less busy about how to do better.",
    },
    {
        "role": "user",
        "content": "This late pivot means we don't have time to boil the ocean for the "
        "client deliverable.",
    },
]
"""The cookbook's example; the API itself answered 129 for cl100k and 124 for o200k."""


def test_the_published_example_costs_what_the_api_answered() -> None:
    assert CL100K.messages(COOKBOOK) == 129
    assert COUNTER.messages(COOKBOOK) == 124


def test_no_conversation_is_under_the_published_recipe() -> None:
    messages = conversation(20)
    assert COUNTER.messages(messages) >= recipe(messages, COUNTER)


def test_a_lists_cost_is_its_messages_and_the_replys_opening() -> None:
    messages = conversation(6)
    assert COUNTER.messages(messages) == sum(map(COUNTER.message, messages)) + 3
    assert COUNTER.messages([]) == 3


def test_a_call_costs_its_name_and_arguments_and_not_its_id() -> None:
    short = calls(("a", "find_parcel", {"no": "ZX-1"}))
    long = calls(("call_" + "x9" * 40, "find_parcel", {"no": "ZX-1"}))
    call = short["tool_calls"][0]["function"]
    expected = COUNTER.text(call["name"]) + COUNTER.text(call["arguments"])
    assert COUNTER.message(short) == COUNTER.message(long)
    assert COUNTER.message(short) == 3 + 1 + CALL_TOKENS + expected


def test_custom_and_legacy_calls_cost_their_text() -> None:
    custom = {"type": "custom", "id": "c", "custom": {"name": "sql", "input": "select 1"}}
    legacy = {"name": "sql", "arguments": "select 1"}
    a = COUNTER.message({"role": "assistant", "content": None, "tool_calls": [custom]})
    b = COUNTER.message({"role": "assistant", "content": None, "function_call": legacy})
    assert a == b == 4 + CALL_TOKENS + COUNTER.text("sql") + COUNTER.text("select 1")


def test_keys_of_others_cost_their_text() -> None:
    plain = assistant("ok")
    thinking = {**plain, "reasoning_content": "because of the late parcel"}
    nested = {**plain, "vendor": {"note": "because of the late parcel"}}
    more = COUNTER.text("because of the late parcel")
    assert COUNTER.message(thinking) - COUNTER.message(plain) == more
    assert COUNTER.message(nested) - COUNTER.message(plain) >= more


def test_audio_that_is_sent_back_by_its_id_is_counted() -> None:
    reply = {"role": "assistant", "content": None, "audio": {"id": "audio_1"}}
    assert COUNTER.message(reply) == 4 + MediaRule().reply_audio


def test_special_token_text_is_plain_text() -> None:
    text = "prints <|endoftext|> and <|im_start|>system and <|fim_prefix|>"
    assert COUNTER.text("<|endoftext|>") > 1
    assert COUNTER.message(user(text)) > 10
    assert COUNTER.message(result("c", text)) > 10


def test_the_bytes_of_an_image_are_not_tokenised() -> None:
    data = base64.b64encode(os.urandom(300_000)).decode()
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    message = {"role": "user", "content": [{"type": "text", "text": "look"}, image]}
    assert (
        COUNTER.message(message) == 3 + 1 + COUNTER.text("look") + 2 + MediaRule().unknown
    )
    cheap = MessageCounter(
        load_counter("o200k_base").counter, name="x", image_rule=MediaRule(unknown=7)
    )
    assert cheap.message(message) == COUNTER.message(message) - MediaRule().unknown + 7


TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "get_current_weather",
            "description": "Get the current weather in a given location",
            "parameters": {
                "type": "object",
                "properties": {
                    "location": {
                        "type": "string",
                        "description": "The city and state, e.g. San Francisco, CA",
                    },
                    "unit": {
                        "type": "string",
                        "description": "The unit of temperature to return",
                        "enum": ["celsius", "fahrenheit"],
                    },
                },
                "required": ["location"],
            },
        },
    }
]
"""The cookbook's example: with its two messages the API answered 101 for gpt-4o."""

TOOL_MESSAGES = [
    {
        "role": "system",
        "content": "You are a helpful assistant that can answer to questions about the weather.",
    },
    {"role": "user", "content": "What's the weather like in San Francisco?"},
]


def test_tool_schemas_cost_no_less_than_the_api_answered_and_little_more() -> None:
    total = COUNTER.messages(TOOL_MESSAGES) + COUNTER.tools(TOOLS)
    assert 101 <= total <= 101 + 8


def test_no_tools_cost_nothing() -> None:
    assert COUNTER.tools(None) == COUNTER.tools([]) == 0


def test_what_nests_in_a_schema_is_counted() -> None:
    deep = copy.deepcopy(TOOLS)
    deep[0]["function"]["parameters"]["properties"]["stops"] = {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"city": {"type": "string", "description": "a stop on the way"}},
        },
        "maxItems": 12,
    }
    more = COUNTER.tools(deep) - COUNTER.tools(TOOLS)
    assert more > COUNTER.text("stops:array:city:string:a stop on the way12")


def test_schemas_are_counted_once() -> None:
    class Once:
        texts: list[str] = []

        def count(self, text: str) -> int:
            self.texts.append(text)
            return len(text)

    counter = MessageCounter(Once(), name="once")
    first = counter.tools(TOOLS)
    asked = len(Once.texts)
    assert counter.tools(copy.deepcopy(TOOLS)) == first
    assert len(Once.texts) == asked


@pytest.mark.parametrize("custom", [True, False])
def test_tools_of_any_kind_are_counted(custom: bool) -> None:
    tool = (
        {"type": "custom", "custom": {"name": "sql", "description": "Run it"}}
        if custom
        else {"name": "sql", "description": "Run it"}
    )
    assert COUNTER.tools([tool]) > COUNTER.text("sql:Run it")
