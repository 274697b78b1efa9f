"""The real SDK against a server on the loopback."""

from __future__ import annotations

import asyncio

import pytest

from tests.conversations import assistant, user
from tests.fold_bench import bench, filler
from tests.loopback import Answer, completion, loopback
from tests.memory_store import MemoryStore
from tiered_memory.compaction.openai_summarizer import OpenAISummarizer
from tiered_memory.errors import SettingsError, SummarizerError
from tiered_memory.model import CompactionStatus
from tiered_memory.ports import SummaryRequest
from tiered_memory.settings import LLMSettings

REQUEST = SummaryRequest(
    messages=(
        {"role": "system", "content": "Summarise."},
        {"role": "user", "content": "<transcript>\nCustomer: 你好\n</transcript>"},
    ),
    transcript="Customer: 你好",
    previous=(),
    references={},
    max_tokens=50,
    language="en",
)


def settings(url: str, **more: object) -> LLMSettings:
    values = {"base_url": url, "model": "gpt-4o-mini", "max_retries": 0, "timeout_s": 10}
    return LLMSettings.model_validate({**values, "api_key_env": "NO_SUCH_KEY", **more})


async def test_a_reply_and_its_usage_come_back() -> None:
    async with loopback(completion("They greeted.")) as server:
        summarizer = OpenAISummarizer(settings(server.url))
        reply = await summarizer.summarize(REQUEST)
        await summarizer.aclose()

    assert reply.text == "They greeted."
    assert reply.usage == {"input": 120, "cached": 64, "output": 9}
    assert reply.model == "served-model"
    (sent,) = server.requests
    assert sent["model"] == "gpt-4o-mini"
    assert sent["messages"] == list(REQUEST.messages)
    assert sent["max_completion_tokens"] > REQUEST.max_tokens
    assert server.headers[0]["authorization"] == "Bearer unset"


async def test_a_reply_without_usage_has_none() -> None:
    async with loopback(completion("They greeted.", usage=None)) as server:
        summarizer = OpenAISummarizer(settings(server.url))
        reply = await summarizer.summarize(REQUEST)
        await summarizer.aclose()

    assert reply.usage is None


LIMITED = Answer(
    status=429, body='{"error": {"message": "slow"}}', headers={"Retry-After": "7"}
)


@pytest.mark.parametrize(
    ("answer", "reason", "retryable", "status"),
    [
        (LIMITED, "http_429", True, 429),
        (Answer(status=500, body="{}"), "http_500", True, 500),
        (Answer(status=503, body="overloaded"), "http_503", True, 503),
        (Answer(status=401, body='{"error": {}}'), "http_401", False, 401),
        (Answer(status=400, body='{"error": {}}'), "http_400", False, 400),
        (Answer(body='{"choices": [{"mess'), "invalid_body", True, None),
        (Answer(body="{}"), "no_choice", True, None),
        (Answer(body='"text"'), "no_choice", True, None),
        (completion(None), "empty", True, None),
        (completion("  \n"), "empty", True, None),
        (completion(None, refusal="No."), "refusal", False, None),
        (completion("They", finish_reason="length"), "length", True, None),
        (completion("", finish_reason="content_filter"), "content_filter", False, None),
        (Answer(cut=0), "connection", True, None),
        (Answer(body="x" * 400, cut=200), "connection", True, None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_each_failure_has_its_type(
    answer: Answer, reason: str, retryable: bool, status: int | None
) -> None:
    async with loopback(answer) as server:
        summarizer = OpenAISummarizer(settings(server.url))
        with pytest.raises(SummarizerError) as caught:
            await summarizer.summarize(REQUEST)
        await summarizer.aclose()

    facts = caught.value.facts
    assert facts["reason"] == reason
    assert facts["retryable"] is retryable
    assert facts["status"] == status
    assert facts["retry_after_s"] == (7.0 if status == 429 else None)


async def test_the_sdk_asks_again_by_itself() -> None:
    busy = Answer(status=429, body="{}", headers={"retry-after-ms": "1"})
    async with loopback(busy, completion("They greeted.")) as server:
        summarizer = OpenAISummarizer(settings(server.url, max_retries=2))
        reply = await summarizer.summarize(REQUEST)
        await summarizer.aclose()

    assert reply.text == "They greeted."
    assert len(server.requests) == 2


async def test_a_server_that_is_too_slow_is_a_timeout() -> None:
    async with loopback(Answer(hold=True)) as server:
        summarizer = OpenAISummarizer(settings(server.url, timeout_s=0.1))
        with pytest.raises(SummarizerError) as caught:
            await summarizer.summarize(REQUEST)
        await summarizer.aclose()

    assert caught.value.facts["reason"] == "timeout"


async def test_a_cancelled_call_ends_at_once() -> None:
    async with loopback(Answer(hold=True)) as server:
        summarizer = OpenAISummarizer(settings(server.url))
        task = asyncio.create_task(summarizer.summarize(REQUEST))
        await server.arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await summarizer.aclose()


async def test_nobody_listens() -> None:
    async with loopback(completion("x")) as server:
        url = server.url
    summarizer = OpenAISummarizer(settings(url))
    with pytest.raises(SummarizerError) as caught:
        await summarizer.summarize(REQUEST)
    await summarizer.aclose()

    assert caught.value.facts["reason"] == "connection"


def test_a_missing_key_is_named() -> None:
    unset = LLMSettings(model="gpt-4o-mini", api_key_env="NO_SUCH_KEY")
    with pytest.raises(SettingsError, match="NO_SUCH_KEY"):
        OpenAISummarizer(unset)


def test_a_missing_model_is_named() -> None:
    with pytest.raises(SettingsError, match=r"llm\.model"):
        OpenAISummarizer(LLMSettings())


async def test_a_fold_through_the_sdk_is_recorded_with_its_usage() -> None:
    told = completion("The customer wants no calls about [[order_id:1]].")
    store = MemoryStore()
    store.add("s", user("Never call me about ORD-20310001."), assistant("Understood."))
    store.add("s", *filler(20))
    async with loopback(Answer(status=500, body="{}"), told) as server:
        summarizer = OpenAISummarizer(settings(server.url))
        async with bench(store, summarizer) as one:
            failed = await one.compactor.compact("s")
            folded = await one.compactor.compact("s")
        await summarizer.aclose()

    assert failed.status is CompactionStatus.FAILED
    assert folded.status is CompactionStatus.COMPACTED
    assert folded.record is not None
    assert folded.record.usage == {"input": 120, "cached": 64, "output": 9}
    assert folded.record.model == "served-model"
    assert "Never call me about [[order_id:1]]." in str(server.requests[1]["messages"])
    assert store.states["s"].segments[0].text == (
        "The customer wants no calls about [[order_id:1]]."
    )
