from __future__ import annotations

from typing import Any

import pytest
import re2  # pyright: ignore[reportMissingTypeStubs]
from hypothesis import given
from hypothesis import strategies as st

from tiered_memory.facts import re2_engine
from tiered_memory.facts.lanes import TextView
from tiered_memory.facts.re2_engine import Re2Error, compile_re2

SOURCES = (r"[0-9]+", r"(a)|(?P<second>张)", r"", r"x*", r"\p{Han}(b)?", r"(?i)^ab|c$")
TEXTS = st.text(alphabet="ab张é😀x0 \n", max_size=12)


@given(source=st.sampled_from(SOURCES), text=TEXTS)
def test_a_program_finds_what_the_binding_s_own_objects_find(
    source: str, text: str
) -> None:
    engine: Any = re2
    program, other = compile_re2(source), engine.compile(source)
    ours = [(f.span(), f.groups(), f.groupdict()) for f in program.finditer(text)]
    assert ours == [(f.span(), f.groups(), f.groupdict()) for f in other.finditer(text)]
    for name in ("search", "match"):
        here, there = getattr(program, name)(text), getattr(other, name)(text)
        assert (here is None) == (there is None)
        if here is not None:
            assert [here.span(n) for n in range(len(here.groups()) + 1)] == [
                there.span(n) for n in range(len(here.groups()) + 1)
            ]
    assert program.findall(text) == [found.group() for found in other.finditer(text)]


@given(source=st.sampled_from(SOURCES), text=TEXTS)
def test_a_binding_that_hides_its_engine_gives_the_same(source: str, text: str) -> None:
    engine: Any = re2
    data = text.encode()
    for at_start in (False, True):
        compiled = engine.compile(source.encode())
        hidden = re2_engine._as_re(compiled, at_start=at_start)
        direct = re2_engine._finder(compiled, at_start=at_start)
        for place in range(len(data) + 1):
            here, there = hidden(data, place), direct(data, place)
            assert (here and list(here)) == (there and list(there))


def test_a_refused_expression_is_an_error_of_our_own() -> None:
    with pytest.raises(Re2Error, match="perl operator"):
        compile_re2("(?<=a)b")


@given(text=st.text(alphabet="a张é😀", max_size=1_200), data=st.data())
def test_byte_offsets_become_characters(text: str, data: st.DataObject) -> None:
    view = TextView(text)
    place = data.draw(st.integers(0, len(text)))
    offset = len(text[:place].encode())
    assert view.span(offset, offset, 0, len(view.data)) == (place, place, 0, len(text))


def test_a_check_is_asked_once_for_a_value_of_a_text() -> None:
    asked: list[str] = []

    def check(value: str) -> bool:
        asked.append(value)
        return True

    view = TextView("A1 A1 A2")
    assert [view.once(check, value) for value in ("A1", "A1", "A2")] == [True] * 3
    assert asked == ["A1", "A2"]
