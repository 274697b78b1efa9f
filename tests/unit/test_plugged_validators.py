from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tiered_memory.errors import PackError
from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.packs import load_patterns
from tiered_memory.settings import FactSettings

HERE = "python:shop_checks"
CODE = """\
import asyncio

def even(value):
    return int(value[-1]) % 2 == 0

def unsure(value):
    return None

def breaks(value):
    if value == "LT0013":
        raise RuntimeError(f"no {value}")
    return True

def number(value):
    return 1 if value == "LT0013" else True

def always_breaks(value):
    raise RuntimeError

async def slow(value):
    return True

def two(value, other):
    return True

class Table:
    @staticmethod
    def known(value):
        return value in {"LT0001"}

text = "no function"
"""


@pytest.fixture(autouse=True)
def shop_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "shop_checks.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "shop_broken.py").write_text("import no_such_module\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("shop_checks", None)
    yield
    sys.modules.pop("shop_checks", None)


def extractor(function: str, **values: Any) -> Extractor:
    pattern = {
        "id": "lamps.ticket",
        "type": "ticket_no",
        "regex": ["LT[0-9]{4}"],
        "validator": f"{HERE}:{function}",
        **values,
    }
    settings = FactSettings(packs=(), patterns=(pattern,))
    return Extractor(load_patterns(settings, {}), max_chars=1_000)


def found(reader: Extractor, text: str) -> list[str]:
    return [fact.value for fact in reader.extract(text, role="user").facts]


def test_a_function_of_the_user_s_decides() -> None:
    assert found(extractor("even"), "LT0001 and LT0002") == ["LT0002"]
    assert found(extractor("Table.known"), "LT0001 and LT0002") == ["LT0001"]
    (fact,) = extractor("even").extract("LT0002", role="user").facts
    assert (fact.why["validator"], fact.confidence) == ("python:shop_checks:even", 0.95)
    (fact,) = extractor("unsure").extract("LT0002", role="user").facts
    assert "validator" not in fact.why
    assert fact.confidence == 0.6


@pytest.mark.parametrize("function", ["breaks", "number"])
def test_where_it_fails_the_match_is_dropped_counted_and_said_without_the_value(
    function: str, caplog: pytest.LogCaptureFixture
) -> None:
    reader = extractor(function)
    with caplog.at_level(logging.WARNING):
        assert found(reader, "LT0013, LT0014") == ["LT0014"]
        assert found(reader, "LT0013") == []
    assert reader.validator_failures() == {"lamps.ticket": 2}
    (record,) = caplog.records
    assert "lamps.ticket" in record.getMessage()
    assert "LT0013" not in caplog.text


def test_a_masked_value_is_masked_where_its_check_fails() -> None:
    reader = extractor("breaks", sensitivity="drop")
    assert reader.extract("it is LT0013", role="user").masked == "it is [ticket_no]"


@pytest.mark.parametrize(
    ("validator", "said"),
    [
        ("python:no_such_shop:even", "module 'no_such_shop' cannot be imported"),
        ("python:shop_broken:even", "cannot be imported (ModuleNotFoundError"),
        ("python:no_such_shop:even", "must be on the import path"),
        ("python:shop_checks:evem", "has no 'evem'; did you mean 'even'?"),
        ("python:shop_checks:text", "is no function"),
        ("python:shop_checks:slow", "is async"),
        ("python:shop_checks:two", "does not take one text"),
        ("python:shop_checks", "write python:module:function"),
        ("python:shop_checks:always_breaks", "raised RuntimeError on an example"),
    ],
)
def test_what_cannot_be_called_is_refused_when_the_pack_is_loaded(
    validator: str, said: str
) -> None:
    pattern = {
        "id": "lamps.ticket",
        "type": "ticket_no",
        "regex": ["LT[0-9]{4}"],
        "validator": validator,
        "examples": {"match": {"LT0002": "LT0002"}},
    }
    with pytest.raises(PackError) as caught:
        load_patterns(FactSettings(packs=(), patterns=(pattern,)), {})
    assert said in str(caught.value)
    assert caught.value.facts["pattern"] == "lamps.ticket"
