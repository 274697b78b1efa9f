"""The model that proposes facts, through the real SDK against a server on the loopback."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.loopback import Answer, completion, loopback
from tiered_memory import FactModelError, MemoryEngine, Settings, SettingsError
from tiered_memory.facts.model_stage import fact_request
from tiered_memory.facts.openai_facts import OpenAIFactModel
from tiered_memory.settings import FactModelSettings

REQUEST = fact_request(["my boat is called Calypso"], ("phone",))
BOAT = {
    "type": "note.boat",
    "quote": "my boat is called Calypso",
    "value": "Calypso",
    "confidence": 0.9,
}
FOUND = completion(json.dumps({"facts": [BOAT]}))


def of(url: str | None, **more: Any) -> FactModelSettings:
    values = {"base_url": url, "model": "tiny", "timeout_s": 10}
    return FactModelSettings.model_validate(
        {**values, "api_key_env": "NO_SUCH_KEY", **more}
    )


async def test_the_schema_goes_out_and_the_reply_comes_back() -> None:
    async with loopback(FOUND) as server:
        model = OpenAIFactModel(of(server.url))
        reply = await model.propose(REQUEST)
        await model.aclose()

    assert json.loads(reply.text) == {"facts": [BOAT]}
    assert (reply.model, reply.usage) == (
        "served-model",
        {"input": 120, "cached": 64, "output": 9},
    )
    (sent,) = server.requests
    assert sent["model"] == "tiny"
    assert sent["messages"] == list(REQUEST.messages)
    assert sent["response_format"]["json_schema"]["schema"] == dict(REQUEST.schema)
    assert sent["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize("status", [400, 404, 422, 501])
async def test_a_server_without_schemas_is_asked_plainly_from_then_on(status: int) -> None:
    refusal = Answer(status=status, body='{"error": {"message": "response_format"}}')
    async with loopback(refusal, FOUND) as server:
        model = OpenAIFactModel(of(server.url))
        for _ in range(2):
            assert (await model.propose(REQUEST)).model == "served-model"
        await model.aclose()

    assert ["response_format" in sent for sent in server.requests] == [True, False, False]


async def test_where_plain_is_refused_too_the_schema_is_tried_again() -> None:
    refusal = Answer(status=400, body="{}")
    async with loopback(refusal, refusal, FOUND) as server:
        model = OpenAIFactModel(of(server.url))
        with pytest.raises(FactModelError) as caught:
            await model.propose(REQUEST)
        await model.propose(REQUEST)
        await model.aclose()

    assert caught.value.facts["reason"] == "http_400"
    assert caught.value.facts["retryable"] is False
    assert "response_format" in server.requests[2]


@pytest.mark.parametrize(
    ("answer", "reason", "retryable"),
    [
        (Answer(status=500, body="{}"), "http_500", True),
        (Answer(status=429, body="{}", headers={"Retry-After": "7"}), "http_429", True),
        (Answer(status=401, body="{}"), "http_401", False),
        (completion(None, refusal="No."), "refusal", False),
        (completion("{", finish_reason="length"), "length", True),
        (Answer(cut=0), "connection", True),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_each_failure_has_its_type_and_one_request(
    answer: Answer, reason: str, retryable: bool
) -> None:
    async with loopback(answer) as server:
        model = OpenAIFactModel(of(server.url))
        with pytest.raises(FactModelError, match="fact extraction's model") as caught:
            await model.propose(REQUEST)
        await model.aclose()

    assert (caught.value.facts["reason"], caught.value.facts["retryable"]) == (
        reason,
        retryable,
    )
    assert len(server.requests) == 1


async def test_calls_at_once_share_one_client() -> None:
    async with loopback(FOUND) as server:
        model = OpenAIFactModel(of(server.url))
        replies = await asyncio.gather(*(model.propose(REQUEST) for _ in range(4)))
        await model.aclose()
    assert len(replies) == len(server.requests) == 4


def test_a_missing_key_or_model_is_named() -> None:
    with pytest.raises(SettingsError, match=r"NO_SUCH_KEY \(facts\.llm\.api_key_env\)"):
        OpenAIFactModel(of(None))
    with pytest.raises(SettingsError, match=r"facts\.llm\.model"):
        OpenAIFactModel(FactModelSettings())


def test_a_password_in_the_address_is_refused() -> None:
    with pytest.raises(SettingsError, match="user name or password") as caught:
        Settings(facts={"llm": {"base_url": "https://a:b@example.com/v1"}})
    assert caught.value.facts["field"] == "facts.llm"


async def test_an_engine_asks_the_server_that_its_settings_name(tmp_path: Path) -> None:
    broken = Answer(status=503, body="overloaded")
    async with loopback(broken, FOUND) as server:
        llm = of(server.url).model_dump()
        settings = Settings(ner={"mode": "off"}, facts={"llm": llm})
        async with MemoryEngine.open(tmp_path / "m.db", settings=settings) as memory:
            session = memory.session("s")
            await session.add({"role": "user", "content": "so my boat is called Calypso"})
            await session.settled()
            (fact,) = await session.facts()
            metrics = memory.metrics()

    assert (fact.key, fact.value, fact.source) == ("note.boat", "Calypso", "llm")
    assert fact.why["model"] == "served-model"
    assert (metrics.model_calls, metrics.model_failures) == (2, 1)


async def test_an_engine_closes_while_the_server_thinks(tmp_path: Path) -> None:
    async with loopback(Answer(hold=True), FOUND) as server:
        settings = Settings(ner={"mode": "off"}, facts={"llm": of(server.url).model_dump()})
        async with MemoryEngine.open(tmp_path / "m.db", settings=settings) as memory:
            session = memory.session("s")
            await session.add({"role": "user", "content": "so my boat is called Calypso"})
            await server.arrived.wait()
            assert await session.facts() == []
        async with MemoryEngine.open(tmp_path / "m.db", settings=settings) as memory:
            await memory.session("s").settled()
            assert [f.value for f in await memory.session("s").facts()] == ["Calypso"]
