from __future__ import annotations

import json
from typing import Any

import pytest

from tiered_memory.text.shortening import shorten_json, shorten_text


def words(text: str) -> int:
    """About a token for three characters, as a tokenizer gives for ids and digits."""
    return -(-len(text) // 3)


def shorter(text: str, limit: int) -> str | None:
    return shorten_json(text, limit_tokens=limit, head=60, tail=30, count=words)


ROWS = [
    {"order_id": f"PX-{n:06d}", "status": "packed", "price": n * 1.5, "city": "杭州"}
    for n in range(60)
]


def test_a_text_within_the_limit_is_left_alone() -> None:
    assert shorten_text("short", limit_tokens=10, head=5, tail=5, count=words) is None
    assert shorter('{"a": 1}', 10) is None


def test_beginning_and_end_stay_and_the_mark_counts_what_is_missing() -> None:
    text = "\n".join(f"line {n} of the log, nothing special." for n in range(200))
    short = shorten_text(text, limit_tokens=120, head=60, tail=30, count=words)
    assert short is not None
    head, mark, tail = short.partition("[… ")[0], short.split("\n"), short.split("]")[-1]
    assert text.startswith(head.rstrip())
    assert text.endswith(tail.lstrip())
    assert words(short) <= 120
    kept = len(head.rstrip()) + len(tail.lstrip())
    (said,) = [line for line in mark if line.startswith("[… ")]
    missing = int(said.split()[1])
    assert abs(len(text) - kept - missing) <= 2


def test_a_chinese_text_says_so_in_chinese_and_ends_on_a_sentence() -> None:
    text = "请您稍等，我们正在核实物流信息。" * 60
    short = shorten_text(text, limit_tokens=100, head=50, tail=30, count=words)
    assert short is not None
    head, _, tail = short.split("\n")
    assert head.endswith("。")
    assert tail.startswith("请您")
    assert "省略" in short


def test_an_identifier_is_never_cut_in_two() -> None:
    ids = [f"ZX-2031-{n:08d}" for n in range(80)]
    text = " ".join(ids)
    for limit in range(40, 160, 7):
        short = shorten_text(text, limit_tokens=limit, head=70, tail=40, count=words)
        assert short is not None
        seen = [w for w in short.replace("\n", " ").split(" ") if w.startswith("ZX")]
        assert seen
        assert set(seen) <= set(ids)


def test_no_limit_is_too_small() -> None:
    for limit in (1, 2, 5, 10, 20):
        short = shorten_text(
            "abc def. " * 200, limit_tokens=limit, head=9, tail=9, count=words
        )
        assert short is not None
        assert words(short) <= limit


@pytest.mark.parametrize("limit", [1, 4, 12, 30, 60, 120, 300, 600])
@pytest.mark.parametrize(
    "value",
    [
        pytest.param(ROWS, id="rows"),
        pytest.param({"ok": True, "rows": ROWS, "next": None}, id="rows in an object"),
        pytest.param({f"key_{n}": "v" * n for n in range(90)}, id="many keys"),
        pytest.param({"text": "A long story. " * 300}, id="long string"),
        pytest.param([[[[[[list(range(50))] * 4] * 4]]]], id="deep"),
    ],
)
def test_short_json_is_json_within_the_limit(value: object, limit: int) -> None:
    text = json.dumps(value, ensure_ascii=False)
    short = shorter(text, limit)
    if words(text) <= limit:
        assert short is None
        return
    assert short is not None
    assert words(short) <= limit
    assert isinstance(json.loads(short), type(value))


def test_rows_that_are_shown_are_whole_and_the_others_are_counted() -> None:
    short = shorter(json.dumps({"ok": True, "rows": ROWS, "total": 60}), 120)
    assert short is not None
    shown: dict[str, Any] = json.loads(short)
    assert (shown["ok"], shown["total"]) == (True, 60)
    *rows, more = shown["rows"]
    assert rows
    assert rows == ROWS[: len(rows)]
    assert more == f"… {60 - len(rows)} more"


def test_scalars_stay_when_keys_must_go() -> None:
    value = {f"list_{n}": list(range(40)) for n in range(30)} | {
        "order_id": "PX-1",
        "ok": True,
    }
    short = shorter(json.dumps(value), 40)
    assert short is not None
    shown = json.loads(short)
    assert (shown["order_id"], shown["ok"]) == ("PX-1", True)


def test_numbers_keep_their_spelling() -> None:
    text = (
        '{"id": 123456789012345678901234567890, "price": 1.10, "big": 1E400, "pad": "%s"}'
    )
    short = shorter(text % ("x " * 400), 80)
    assert short is not None
    assert '"id":123456789012345678901234567890' in short
    assert '"price":1.10' in short
    assert '"big":1E400' in short


def test_a_lone_surrogate_that_json_spells_is_replaced() -> None:
    short = shorter('{"a": "\\ud83d", "pad": "%s"}' % ("x " * 400), 60)
    assert short is not None
    short.encode()


@pytest.mark.parametrize("text", ["[" * 50_000, '{"a": NaN, "b": "%s"}' % ("x " * 500)])
def test_what_is_no_json_is_shortened_as_text(text: str) -> None:
    short = shorter(text, 50)
    assert short is not None
    assert words(short) <= 50
    assert "left out" in short


def test_counts_stay_few_and_short_whatever_the_length() -> None:
    counted: list[int] = []

    def counting(text: str) -> int:
        counted.append(len(text))
        return words(text)

    text = json.dumps([ROWS] * 200)
    shorten_json(text, limit_tokens=200, head=100, tail=60, count=counting)
    shorten_text("word " * 200_000, limit_tokens=200, head=100, tail=60, count=counting)
    whole = [size for size in counted if size >= 100_000]
    assert len(whole) == 2
    assert sum(counted) - sum(whole) < 60_000
