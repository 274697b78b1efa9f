from __future__ import annotations

import pytest

from tests.memory_store import COUNTER, identifiers
from tiered_memory.compaction.verify import Verdict, Witness, verify
from tiered_memory.model import Reference

KNOWN = {
    3: Reference(
        number=3,
        owner="self",
        key="order_id",
        normalized="ORD-20310001",
        value="ORD-20310001",
        type="order_id",
    )
}
TRANSCRIPT = (
    "Customer: Do not call me about [[order_id:3]], the 2026 model for ¥7,008.24.\n"
    "Agent: I confirm that it leaves within 48 hours. Our shop in Lyon has it too."
)


def judged(
    reply: str, *, final: bool = False, cap: int = 80, transcript: str = TRANSCRIPT
) -> Verdict:
    zh = "客" in transcript
    witness = Witness(
        transcript=transcript,
        context="",
        known=KNOWN,
        previous=("Earlier they had asked for a blue kettle of steel.",),
        language="zh" if zh else "en",
    )
    return verify(
        reply,
        witness,
        find_identifiers=identifiers,
        count=COUNTER.text,
        max_tokens=cap,
        final=final,
    )


@pytest.mark.parametrize(
    "spelling",
    [
        "[[order_id:3]]",
        "[[order_id: 3]]",
        "【【order_id：3】】",
        "[order_id:3]",
        "`[[Order_ID:3]]`",
        "[[order_id:\n3]]",
        "ORD-20310001",
        "ord-20310001",
    ],
)
def test_near_spellings_and_known_values_become_the_reference(spelling: str) -> None:
    verdict = judged(f"Wants no calls about {spelling} at all.")

    assert verdict.text == "Wants no calls about [[order_id:3]] at all."


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("I'm sorry, but I cannot help with that.", "refusal"),
        ("抱歉，我无法处理这个请求。", "refusal"),
        ("About [[order_id:4]].", "unknown_reference"),
        ("About [[phone:3]].", "unknown_reference"),
        ("About 【【order_id：8】】.", "unknown_reference"),
        ("About ORD-20310002.", "unknown_identifier"),
        ("It cost 7009.24 in all.", "unknown_identifier"),
        ("The 2027 model was asked for.", "unknown_identifier"),
        ("Code AB12X was given.", "unknown_identifier"),
    ],
)
def test_what_cannot_be_bound_is_refused(reply: str, reason: str) -> None:
    assert judged(reply) == Verdict(reason=reason)


@pytest.mark.parametrize(
    "reply",
    [
        "The 2026 model costs ¥7008.24.",
        "It leaves within 48 hours.",
        "A 48-hour promise was made.",
        "They looked at [step:2] of the list.",
        "Sorry for the delay was said. 已确认。",
    ],
)
def test_what_was_shown_passes(reply: str) -> None:
    assert judged(reply) == Verdict(text=reply)


def test_a_fence_a_tag_and_control_characters_go() -> None:
    wrapped = "```text\n<summary>\nWants\x00 no calls.\x1b\n</summary>\n```"

    assert judged(wrapped).text == "Wants no calls."


def test_what_earlier_segments_say_is_taken_out() -> None:
    reply = "Earlier they had asked for a blue kettle of steel. Now they want no calls."

    assert judged(reply).text == "Now they want no calls."


def test_a_reply_a_little_too_long_is_cut_at_a_sentence() -> None:
    reply = "They want no calls. " * 5 + "They also like [[order_id:3]] a lot."
    verdict = judged(reply, cap=30)

    assert verdict.text == ("They want no calls. " * 5).strip()


def test_a_reply_far_too_long_is_asked_again_and_then_cut() -> None:
    reply = "They want no calls at all here. " * 40

    assert judged(reply, cap=20).reason == "too_long"
    assert judged(reply, cap=20, final=True).text.endswith("here.")


def test_a_cut_never_parts_a_reference() -> None:
    reply = "no full stop " * 4 + "[[order_id:3]] and more and more"
    for cap in range(8, 20):
        text = judged(reply, cap=cap, final=True).text
        assert text.count("[[") == text.count("]]")


def test_a_repetition_of_the_transcript_is_no_summary() -> None:
    line = "Customer: We look at the plan and its colours today, nothing more than that.\n"
    transcript = "".join(line.replace("plan", f"plan {chr(97 + i)}") for i in range(20))

    assert judged(transcript, cap=60, transcript=transcript).reason == "parrot"


def test_the_other_language_is_refused_where_the_conversation_has_one() -> None:
    english = "The customer wants to hear nothing by phone and asks that all be written."
    chinese = "客户: 请不要给我打电话，所有的事情都请用邮件告诉我，谢谢你们的帮助。\n" * 3

    assert judged(english, transcript=chinese).reason == "off_language"
    assert judged(english, transcript=chinese + TRANSCRIPT).text == english
    assert judged("客户不想接电话。" * 5).reason == "off_language"


def test_a_huge_reply_is_read_in_part_only() -> None:
    assert judged("word " * 1_000_000).reason == "too_long"
    assert judged("word " * 1_000_000, final=True).text
