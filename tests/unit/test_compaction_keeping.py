from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.memory_store import COUNTER, fact
from tiered_memory.breaker import LONGEST_S, Breaker
from tiered_memory.compaction.briefing import Briefing, again, superseded
from tiered_memory.compaction.clipping import clip, pieces
from tiered_memory.compaction.keeping import Held, keepsakes, split_kept
from tiered_memory.compaction.transcript import Line, References, Transcript
from tiered_memory.model import FactStatus, Identifier, Reference

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def ident(key: str, value: str) -> Identifier:
    return Identifier(type=key, key=key, value=value, normalized=value, start=0, end=1)


def line(seq: int, role: str, *found: str | Identifier) -> Line:
    return Line(seq=seq, role=role, label="L", pieces=found)


def references(*named: Identifier) -> References:
    made = References()
    for number, one in enumerate(named, start=1):
        made.add(
            Reference(
                number=number,
                owner="self",
                key=one.key,
                normalized=one.normalized,
                value=one.value,
                type=one.type,
            )
        )
    return made


HELD = Held.of((fact(1, "ORD-1"),))


def test_a_rare_identifier_is_not_crowded_out_by_one_of_each_result() -> None:
    noise = [ident("request_id", f"r{n:04d}") for n in range(30)]
    rare = ident("tracking_no", "TRK-777")
    lines = [line(n, "tool", one) for n, one in enumerate(noise, start=2)]
    transcript = Transcript(lines=(line(1, "tool", rare), *lines))
    known = references(rare, *noise)
    kept = keepsakes(transcript, (), known, HELD, cap=100, count=COUNTER.text)
    text = kept.joined("Said.", known.by_number, COUNTER.text)

    assert "[[tracking_no:1]]" in text
    assert "[[request_id:31]]" in text
    assert "[[request_id:2]]" not in text
    assert COUNTER.text(text) <= 2 + kept.room


def test_what_facts_hold_or_the_text_says_is_not_repeated() -> None:
    held, said, lost = (ident("order_id", f"ORD-{n}") for n in (1, 2, 3))
    transcript = Transcript(lines=(line(1, "user", held, " ", said, " ", lost),))
    known = references(held, said, lost)
    kept = keepsakes(transcript, (), known, HELD, cap=100, count=COUNTER.text)
    text = kept.joined("About [[order_id:2]].", known.by_number, COUNTER.text)

    assert text == "About [[order_id:2]].\nAlso mentioned: [[order_id:3]]"


def test_standing_instructions_and_amounts_of_agents_are_kept_word_for_word() -> None:
    transcript = Transcript(
        lines=(line(1, "assistant", "I confirm ¥70.50 for it."),),
        standing=("The shop closes at six.",),
    )
    kept = keepsakes(transcript, (), References(), HELD, cap=100, count=COUNTER.text)
    text = kept.joined("Said.", {}, COUNTER.text)

    assert text.splitlines() == [
        "Said.",
        "Instruction: The shop closes at six.",
        "Also mentioned: ¥70.50",
    ]
    assert split_kept(text) == ("Said.", ["The shop closes at six."], ["¥70.50"])


def test_a_replaced_identifier_is_told_with_its_successor() -> None:
    old = fact(1, "ORD-1", status=FactStatus.SUPERSEDED, superseded_by=2)

    assert superseded((old, fact(2, "ORD-2")), "en") == (
        "[[order_id:1]] is out of date, [[order_id:2]] took its place",
    )


@pytest.mark.parametrize("limit", [600, 900, 4_000])
def test_all_lines_are_shown_within_the_limit(limit: int) -> None:
    lines = [f"Customer: sentence {n} is here. " * (1 + n % 40) for n in range(60)]
    briefing = Briefing(
        language="en",
        previous=("Earlier words.",),
        merging=False,
        superseded=(),
        max_tokens=100,
        input_tokens=limit,
        references=References(),
    )
    made = briefing.requests(lines, COUNTER.text)
    shown = "\n".join(request.transcript for request in made)

    for n in range(60):
        assert shown.count(f"sentence {n} is") == 1 + n % 40
    for request in made:
        cost = sum(COUNTER.text(str(m["content"])) for m in request.messages)
        assert cost + request.max_tokens <= limit
        assert "Earlier words." in str(request.messages[1]["content"])
    assert again(made[0], "empty").retry_reason == "empty"
    assert briefing.requests([], COUNTER.text) == []


def test_a_clip_ends_at_a_sentence_or_a_word_and_keeps_references_whole() -> None:
    text = "One two. Three four [[order_id:1]] five."

    assert clip(text, 4, COUNTER.text) == "One two."
    for limit in range(1, 20):
        cut = clip(text, limit, COUNTER.text)
        assert COUNTER.text(cut) <= limit
        assert text.startswith(cut)
        assert cut.count("[[") == cut.count("]]")


@pytest.mark.parametrize(
    "text", ["词" * 500, "a" * 900, "one two. " * 99, "x [[k:1]] " * 40]
)
def test_pieces_leave_nothing_out(text: str) -> None:
    parts = pieces(text, 12, COUNTER.text)

    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(COUNTER.text(part) <= 12 for part in parts)


def test_rests_grow_are_jittered_and_end_with_success() -> None:
    breaker = Breaker(seed=1)
    waits = [breaker.failed("s", NOW).retry_at - NOW.timestamp() for _ in range(12)]

    assert 1 <= waits[0] <= 2
    assert all(wait <= LONGEST_S for wait in waits)
    assert waits[-1] >= LONGEST_S / 2
    assert breaker.failures("s") == 12
    assert breaker.rests("s", NOW)
    assert not breaker.rests("t", NOW)
    breaker.worked("s")
    assert not breaker.rests("s", NOW)
    assert breaker.failed("s", NOW, retry_after_s=40).retry_at >= NOW.timestamp() + 40
