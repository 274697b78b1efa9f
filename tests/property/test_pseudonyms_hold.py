from __future__ import annotations

import json
import re
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.packs import load_patterns
from tiered_memory.facts.pseudonyms import Pseudonyms
from tiered_memory.revealing import Revealer
from tiered_memory.settings import FactSettings
from tiered_memory.state import SessionState
from tiered_memory.text.folding import fold
from tiered_memory.vault import Vault

PIECES = (
    "13900008642", "139 0000 8642", "+86 139-0000-8642", "１３９００００８６４２", "mei@example.cn",
    "A8801", "订单A8801", "phone ", "电话", " ", "，", ". ", "[phone-ABCDEFGH]", "[", "]", "[phone]",
    "密码是hunter2", "password is hunter2", "4012888888881881", '"', "\\", "\n", "{", "}", "%20",
    "\u200b", "不是", "是", "x", "https://a.example/?q=13900008642", "😀",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=10).map("".join)


@cache
def extractor() -> Extractor:
    actions = {"phone": "pseudonym", "email": "pseudonym", "order_id": "pseudonym"}
    return Extractor(load_patterns(FactSettings(), actions), max_chars=32_768)  # type: ignore[arg-type]


@cache
def vault() -> Vault:
    return Vault([bytes(range(32))], env="X")


def session() -> tuple[SessionState, Pseudonyms]:
    state = SessionState.empty("s")
    return state, vault().pseudonyms(state)


@given(texts=st.lists(TEXTS, min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_masking_twice_is_masking_once_in_a_session(texts: list[str]) -> None:
    _, hidden = session()
    for text in texts:
        found = extractor().extract(text, role="user", pseudonyms=hidden)
        again, counts = extractor().mask(found.masked, pseudonyms=hidden)
        assert (again, counts) == (found.masked, {})
        for one in found.facts:
            assert found.masked[one.start : one.end] == one.value


@given(texts=st.lists(TEXTS, min_size=1, max_size=4), data=st.data())
@settings(max_examples=150, deadline=None)
def test_what_was_hidden_comes_back_and_json_stays_json(
    texts: list[str], data: st.DataObject
) -> None:
    state, hidden = session()
    document = json.dumps({"a": texts}, ensure_ascii=data.draw(st.booleans()))
    masked, _ = extractor().mask_json(document, pseudonyms=hidden)
    state = SessionState(session_id="s", references={}, vault=vault().seal("s", hidden.new))
    shown = Revealer(vault()).reveal(state, masked)
    values = {one.pseudonym: one.value for one in hidden.new}
    for text, after in zip(json.loads(masked)["a"], json.loads(shown)["a"], strict=True):
        for name, value in values.items():
            text = text.replace(name, value)
        assert after == text
    for one in hidden.new:
        # Behind a zero-width character a number goes on: borders are those of the folded text.
        word = rf"(?<![0-9A-Za-z]){re.escape(fold(one.value).text)}(?![0-9A-Za-z])"
        assert not any(re.search(word, fold(left).text) for left in json.loads(masked)["a"])
