from __future__ import annotations

import gzip
import json
import random
import socket
import string
import subprocess
import sys
import threading
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import tiktoken

from tests.conversations import ANSWERS, QUESTIONS, conversation, long_result
from tiered_memory.chat import vocabulary
from tiered_memory.chat.estimate import EstimatingCounter
from tiered_memory.chat.pieces import PIECE_CHARS, PieceCounter, pieces
from tiered_memory.chat.vocabulary import ENCODINGS, load_counter
from tiered_memory.errors import SettingsError

SPEC = find_spec("bpe_openai")
assert SPEC is not None
DATA = Path(str(SPEC.origin)).parent / "data"
NOWHERE = {"TIKTOKEN_CACHE_DIR": ""}

O200K_SHA1 = "fb374d419588a4632f3f557e76b4b70aebbca790"
"""SHA-1 of the address of ``o200k_base.tiktoken``: the name in tiktoken's cache."""


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("something reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "find_spec", lambda name: None)


def test_the_wheels_vocabulary_is_used_where_the_cache_is_empty(no_network: None) -> None:
    named = load_counter("o200k_base", environ=NOWHERE)
    assert (named.name, named.exact, named.warning) == ("o200k_base", True, None)
    assert named.counter.count("您好，hello world") == 4


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_counts_are_those_of_tiktoken_itself(
    encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_network: None
) -> None:
    sums = {
        "o200k_base": O200K_SHA1,
        "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    }
    data = gzip.decompress((DATA / f"{encoding}.tiktoken.gz").read_bytes())
    (tmp_path / sums[encoding]).write_bytes(data)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    published = import_module("tiktoken_ext.openai_public")
    official = tiktoken.Encoding(**getattr(published, encoding)())
    counter = load_counter(encoding, environ={"TIKTOKEN_CACHE_DIR": str(tmp_path)}).counter
    text = json.dumps(conversation(12), ensure_ascii=False, indent=1)
    for sample in (text, "I'll say: DON'T!\r\n\n\t x１２３४५ é́ 😀🎉", *QUESTIONS, *ANSWERS):
        assert counter.count(sample) == len(official.encode_ordinary(sample))


def test_tiktokens_cache_comes_before_the_wheel(
    tmp_path: Path, no_wheel: None, no_network: None
) -> None:
    data = gzip.decompress((DATA / "o200k_base.tiktoken.gz").read_bytes())
    (tmp_path / O200K_SHA1).write_bytes(data)
    named = load_counter("o200k_base", environ={"DATA_GYM_CACHE_DIR": str(tmp_path)})
    assert named.exact
    assert [file.name for file in tmp_path.iterdir()] == [O200K_SHA1]


def test_a_broken_cache_is_neither_used_nor_touched(
    tmp_path: Path, no_wheel: None, no_network: None
) -> None:
    (tmp_path / O200K_SHA1).write_bytes(b"IQ== 0\n")
    named = load_counter("o200k_base", environ={"TIKTOKEN_CACHE_DIR": str(tmp_path)})
    assert not named.exact
    assert (tmp_path / O200K_SHA1).read_bytes() == b"IQ== 0\n"


def test_without_a_vocabulary_the_count_is_an_estimate_and_says_so(
    no_wheel: None, no_network: None
) -> None:
    named = load_counter("o200k_base", environ=NOWHERE)
    assert (named.name, named.exact) == ("estimate:o200k_base", False)
    assert named.warning is not None
    assert "o200k_base" in named.warning
    assert load_counter("estimate").warning is None


def test_harmony_counts_as_o200k() -> None:
    assert load_counter("o200k_harmony", environ=NOWHERE).name == "o200k_base"


def test_an_unknown_encoding_is_a_settings_error() -> None:
    with pytest.raises(SettingsError) as caught:
        load_counter("p50k_base")
    assert caught.value.field == "models.encoding"


def test_threads_load_one_vocabulary() -> None:
    found: list[Any] = []
    threads = [
        threading.Thread(
            target=lambda: found.append(
                load_counter("cl100k_base", environ=NOWHERE).counter
            )
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(map(id, found))) == 1


def test_importing_the_counters_loads_no_tokenizer() -> None:
    code = (
        "import sys, tiered_memory.chat.vocabulary, tiered_memory.chat.tokens;"
        "sys.exit(any(m in sys.modules for m in ('tiktoken', 'openai', 'spacy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# -- pieces ---------------------------------------------------------------------

HARD = {
    "letters": "a" * 100_000,
    "spaces": " " * 200_000,
    "line breaks": "\n" * 100_000,
    "han": "好的我" * 40_000,
    "digits": "7" * 100_000,
    "marks": "!?" * 60_000,
    "mixed case": "aA" * 50_000,
    "combining": "é" * 60_000,
}


@pytest.mark.parametrize("kind", sorted(HARD))
def test_no_piece_is_longer_than_the_mark_and_all_are_counted(kind: str) -> None:
    text = HARD[kind]
    sizes: list[int] = []

    def count(piece: str) -> int:
        sizes.append(len(piece))
        return len(piece)

    assert PieceCounter(count).count(text) >= len(text)
    assert max(sizes) <= PIECE_CHARS
    assert sum(sizes) == len(text)
    assert len(sizes) <= 2 * len(text) / PIECE_CHARS + 1


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("kind", sorted(HARD))
def test_a_sum_of_pieces_is_never_under_the_whole(kind: str, encoding: str) -> None:
    counter = load_counter(encoding, environ=NOWHERE).counter
    text = HARD[kind][:60_000]
    whole = whole_count(encoding, text)
    assert whole <= counter.count(text) <= whole * 1.01 + 10


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_prose_and_json_in_pieces_cost_what_they_cost_whole(encoding: str) -> None:
    rng = random.Random(3)
    counter = load_counter(encoding, environ=NOWHERE).counter
    prose = " ".join(rng.choice(QUESTIONS + ANSWERS) for _ in range(2_000))
    chinese = "".join(rng.choice([*QUESTIONS[::2], *ANSWERS[::2]]) for _ in range(3_000))
    data = json.dumps([json.loads(long_result(rng)) for _ in range(30)], ensure_ascii=False)
    for text in (prose, chinese, data, "don't you'll " * 6_000):
        assert all(clean for _, _, clean in pieces(text))
        assert counter.count(text) == whole_count(encoding, text)


def whole_count(encoding: str, text: str) -> int:
    """Count in one go, by the same vocabulary."""
    counter: Any = vocabulary._tokenizer(encoding, DATA / f"{encoding}.tiktoken.gz")
    return int(counter._count(text))


# -- the estimate ---------------------------------------------------------------


def samples() -> dict[str, str]:
    rng = random.Random(11)
    alphabet = string.ascii_uppercase + string.digits
    code = Path(vocabulary.__file__).read_text(encoding="utf-8")
    return {
        "english": " ".join((QUESTIONS[1::2] + ANSWERS[1::2]) * 5),
        "chinese": "".join((QUESTIONS[::2] + ANSWERS[::2]) * 5),
        "mixed": " ".join((QUESTIONS + ANSWERS) * 5),
        "plain": "您好，上周订的扫地机器人还没有送到，请帮忙看一下是什么原因。" * 10,
        "json": long_result(rng, 60),
        "indented": json.dumps(
            json.loads(long_result(rng, 60)), indent=2, ensure_ascii=False
        ),
        "code": code,
        "ids": " ".join("".join(rng.choices(alphabet, k=12)) for _ in range(80)),
        "digits": " ".join(str(rng.randrange(10**9)) for _ in range(80)),
        "long digits": "".join(rng.choices(string.digits, k=500)),
    }


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("kind", sorted(samples()))
def test_an_estimate_is_not_under_the_count_nor_far_over(kind: str, encoding: str) -> None:
    text = samples()[kind]
    exact = load_counter(encoding, environ=NOWHERE).counter.count(text)
    estimate = EstimatingCounter(han=ENCODINGS[encoding].han).count(text)
    assert exact <= estimate <= 1.75 * exact


@pytest.mark.parametrize("text", [*QUESTIONS, *ANSWERS])
def test_a_single_sentence_is_not_underestimated(text: str) -> None:
    exact = load_counter("o200k_base", environ=NOWHERE).counter.count(text)
    assert EstimatingCounter().count(text) >= exact


def test_a_han_character_is_never_estimated_below_six_tenths() -> None:
    text = "您好请问我的订单什么时候可以送到" * 20
    assert EstimatingCounter(han=0.6).count(text) >= 0.6 * len(text)
    assert EstimatingCounter().count(text) >= 0.6 * len(text)
    assert EstimatingCounter().count("") == 0
