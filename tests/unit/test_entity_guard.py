from __future__ import annotations

from collections.abc import Sequence

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiered_memory.entity_guard import SLICE, EntityGuard, _slices, everywhere
from tiered_memory.errors import RecognizerError
from tiered_memory.facts.entities import EntityStage, EntityText
from tiered_memory.model import Candidate, Payload
from tiered_memory.testing import TableRecognizer

ZH = {"PER": "person_name", "LOC": "place"}
NAMES = {"周雨桐": "PER", "杭州市": "LOC"}


class Worker:
    """The worker's side of ``mentions``, without thread or store."""

    def __init__(self) -> None:
        table = TableRecognizer(NAMES)
        self.stage = EntityStage({"zh": (table, ZH)})
        self.asked: list[str] = []
        self.stuck = False

    async def mentions(self, texts: Sequence[EntityText]) -> list[list[Candidate]]:
        self.asked += [text.text for text in texts]
        if self.stuck:
            await anyio.sleep_forever()
        return self.stage.mentions(texts)


def guard(worker: Worker, *types: str, deadline_ms: int = 30_000) -> EntityGuard:
    return EntityGuard(worker, types or ("person_name",), deadline_ms=deadline_ms)  # type: ignore[arg-type]


async def named(*payloads: Payload) -> list[list[tuple[str, str, int]]]:
    found = await guard(Worker()).entities(payloads)
    return [[(c.part, c.value, c.start) for c in each] for each in found]


async def test_names_of_every_role_are_found_wherever_they_stand() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    call["function"]["arguments"] = '{"who": "\\u5468\\u96e8\\u6850"}'  # type: ignore[index]
    assert await named(
        {"role": "user", "content": "我是周雨桐，不是别人。周雨桐在杭州市"},
        {"role": "assistant", "content": "周雨桐您好", "tool_calls": [call]},
        {
            "role": "tool",
            "tool_call_id": "c",
            "content": [{"type": "text", "text": "周雨桐"}],
        },
        {"role": "system", "content": "你叫周雨桐"},
    ) == [
        [("content", "周雨桐", 2), ("content", "周雨桐", 11)],
        [("content", "周雨桐", 0), ("tool_calls.0.arguments", "周雨桐", 5)],
        [("content.0.text", "周雨桐", 0)],
        [],
    ]


async def test_a_denied_name_is_masked_and_not_believed() -> None:
    (found,) = await guard(Worker()).entities([{"role": "user", "content": "我不是周雨桐"}])
    assert [(c.value, c.polarity) for c in found] == [("周雨桐", "negate")]


async def test_a_long_text_is_read_to_its_end_in_pieces() -> None:
    worker = Worker()
    text = "快递一直没有更新，" * 1_500 + "我是周雨桐"
    (found,) = await guard(worker).entities([{"role": "user", "content": text}])
    assert [(c.start, c.end) for c in found] == [(len(text) - 3, len(text))]
    assert max(map(len, worker.asked)) <= SLICE


async def test_no_answer_in_time_is_an_error_that_says_what_to_do() -> None:
    worker = Worker()
    worker.stuck = True
    with pytest.raises(
        RecognizerError, match=r"ner\.deadline_ms = 20, and person_name"
    ) as e:
        await guard(worker, deadline_ms=20).entities(
            [{"role": "user", "content": "周雨桐"}]
        )
    assert (e.value.reason, e.value.deadline_ms) == ("time", 20)
    assert "周雨桐" not in str(e.value)


def test_latin_values_are_found_as_whole_words() -> None:
    text = "Al Reed called. Albert did not, but al reed and Al Reed did."
    first = Candidate(
        type="person_name",
        key="k",
        value="Al",
        normalized="al",
        part="content",
        start=0,
        end=2,
    )
    found = everywhere(EntityText(text=text, part="content"), [first])
    assert [text[c.start : c.end] for c in found] == ["Al", "Al"]
    assert [c.start for c in found] == [0, text.rindex("Al Reed")]


@given(st.text(alphabet="ab。 \n", max_size=3 * SLICE), st.integers(0, 3 * SLICE))
def test_slices_hold_every_character_and_every_short_span(text: str, at: int) -> None:
    pieces = list(_slices(EntityText(text=text, part="content")))
    assert all(text[start : start + len(p.text)] == p.text for start, p in pieces)
    assert sum(len(p.text) for _, p in pieces) >= len(text)
    span = text[at : at + 20]
    if span and not set(span) & set("。\n"):
        assert any(
            start <= at and at + len(span) <= start + len(p.text) for start, p in pieces
        )
