from __future__ import annotations

import pytest

from tests.memory_store import COUNTER
from tiered_memory.compaction.cues import amounts
from tiered_memory.compaction.extractive import ExtractiveSummarizer
from tiered_memory.ports import SummaryRequest
from tiered_memory.text.references import find

EN = "\n".join(
    (
        "Customer: Good day, the weather is fine over here by the sea.",
        "Customer: Do not call me, only e-mail. And never ship to 12 Lake St.",
        "Agent: I am sorry for the trouble. Is there anything else?",
        'Call cancel: {"order": "[[order_id:3]]"}',
        'Result cancel: {"ok": true, "order": "[[order_id:3]]", "refund": 12}',
        "Agent: I confirm the refund of $12.00 for [[order_id:3]].",
        "Customer: The walls were painted in many colours by my aunt.",
        "Failed track: timeout",
        "Customer: Could you please change the delivery address?",
    )
)
ZH = "\n".join(
    (
        "客户: 今天天气不错，我刚刚从公园回来。",
        "客户: 请不要给我打电话，只能发邮件。",
        "客服: 非常抱歉给您带来不便。请问还有其他可以帮您的吗？",
        "客服: 已确认退款30元，订单[[order_id:3]]已取消。",
        "客户: 麻烦帮我把发票改成公司的。",
    )
)


def digest(transcript: str, cap: int) -> str:
    return ExtractiveSummarizer(COUNTER.text).digest(transcript, cap)


@pytest.mark.parametrize(
    ("transcript", "kept", "left"),
    [
        (
            EN,
            (
                "Do not call me, only e-mail.",
                "And never ship to 12 Lake St.",
                "$12.00 for [[order_id:3]]",
                "change the delivery address?",
            ),
            ("weather", "sorry for the trouble"),
        ),
        (
            ZH,
            ("不要给我打电话", "已确认退款30元，订单[[order_id:3]]已取消", "发票改成公司"),
            ("抱歉",),
        ),
    ],
    ids=["en", "zh"],
)
def test_constraints_decisions_and_open_requests_are_kept_first(
    transcript: str, kept: tuple[str, ...], left: tuple[str, ...]
) -> None:
    text = digest(transcript, 70)

    for words in kept:
        assert words in text
    for words in left:
        assert words not in text


@pytest.mark.parametrize("transcript", [EN, ZH])
def test_every_cap_is_kept_and_references_are_whole(transcript: str) -> None:
    given = {(ref.key, ref.number) for ref in find(transcript)}
    for cap in range(4, 120, 3):
        text = digest(transcript, cap)
        assert COUNTER.text(text) <= cap
        assert text.count("[[") == text.count("]]") == len(find(text))
        assert {(ref.key, ref.number) for ref in find(text)} <= given


def test_the_same_transcript_gives_the_same_digest_in_order() -> None:
    text = digest(EN, 70)

    assert text == digest(EN, 70)
    assert text.index("Do not call") < text.index("I confirm") < text.index("change")


def test_what_is_said_twice_is_told_once() -> None:
    twice = "Customer: I want a refund for item 12.\n" * 3
    again = "Customer: I want a refund for item 34."

    assert digest(twice + again, 100).count("refund") == 1


async def test_it_answers_a_request() -> None:
    request = SummaryRequest(
        messages=(),
        transcript=EN * 30,
        previous=(),
        references={},
        max_tokens=60,
        language="en",
    )
    reply = await ExtractiveSummarizer(COUNTER.text).summarize(request)

    assert "Do not call me" in reply.text
    assert reply.usage is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I confirm ¥7008.24 and $ 12.", ["¥7008.24", "$ 12"]),
        ("一共30元，另加 1,200 usd", ["30元", "1,200 usd"]),
        ("room 12 on 3/4 at 5.", []),
        ("", []),
    ],
)
def test_amounts_are_found_as_written(text: str, found: list[str]) -> None:
    assert amounts(text) == found
