"""Whatever is written and whatever a model answers, a fact is a slice of what was written."""

from __future__ import annotations

import json
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.model_replies import MAX_PROPOSALS, ReplyReader
from tiered_memory.facts.model_words import PartText
from tiered_memory.facts.notes import VALUE_CHARS
from tiered_memory.facts.packs import load_patterns
from tiered_memory.settings import FactSettings

PIECES = (
    "remember that ", "please ", "forget that ", "记住", "请", "不用", "：", ": ", "my ", "我的",
    "boat", "项目", " is called ", "叫", " is ", "是", "Calypso", "鲸鱼", "Ｋｅｓ", "\u200b", ", ", "，",
    ". ", "。", "?", "吗", "\n", "not ", "不", "and it ", "thanks", "谢谢", "if ", "[password]",
    "'s ", "name", "“", "”", "x" * 130, "13900008642", "😀", "İ",
)  # fmt: skip

TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
WORDS = st.one_of(st.sampled_from(PIECES), st.text(max_size=6))
TYPES = st.sampled_from(
    (
        "note.boat",
        "note.项目",
        "note.password",
        "note.",
        "email",
        "person_name",
        "x",
        "date",
    )
)
PROPOSALS = st.fixed_dictionaries(
    {
        "type": TYPES,
        "quote": st.lists(WORDS, max_size=3).map("".join),
        "value": WORDS,
        "confidence": st.one_of(st.floats(), st.integers(-1, 2), st.none()),
    }
)


@cache
def extractor() -> Extractor:
    return Extractor(load_patterns(FactSettings(), {}), max_chars=32_768)


@given(text=TEXTS)
@settings(max_examples=300, deadline=None)
def test_notes_are_short_slices_without_masks(text: str) -> None:
    found = extractor().extract(text, role="user")
    for note in found.facts:
        if note.type == "note":
            assert found.masked[note.start : note.end] == note.value
            assert 0 < len(note.value) <= VALUE_CHARS + text.count("\u200b")
            assert "[password]" not in note.value
            assert note.value.strip() == note.value
            assert len(note.key) <= 37


@given(text=TEXTS, items=st.lists(PROPOSALS, max_size=12))
@settings(max_examples=300, deadline=None)
def test_a_proposal_is_a_slice_or_nothing(text: str, items: list[object]) -> None:
    reply = json.dumps({"facts": items})
    part = PartText(text=text, part="content")
    verdict = ReplyReader(extractor()).read(reply, [part], model=None)
    held = (*verdict.stored, *verdict.waiting)
    assert len(held) + sum(verdict.refused.values()) <= max(len(items), MAX_PROPOSALS)
    for candidate in held:
        assert text[candidate.start : candidate.end] == candidate.value
        assert candidate.source == "llm"
        assert candidate.confidence <= 0.7
        assert candidate.polarity == "assert"
        assert candidate.key not in {"note.password", "x", "note."}


@given(reply=st.text(max_size=40), text=TEXTS)
@settings(max_examples=100, deadline=None)
def test_any_text_as_a_reply_is_read_or_refused(reply: str, text: str) -> None:
    part = PartText(text=text, part="content")
    try:
        verdict = ReplyReader(extractor()).read(reply, [part], model=None)
    except ValueError:
        return
    assert verdict.stored == ()
