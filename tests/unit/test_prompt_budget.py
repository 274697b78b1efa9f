from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.prompt_states import counter
from tiered_memory.chat.models import ModelTable
from tiered_memory.errors import SettingsError
from tiered_memory.prompt.budget import allot, check_settings, room, spent
from tiered_memory.settings import BudgetShares, Settings


def check(**values: Any) -> None:
    settings = Settings(**values)
    check_settings(settings, counter(), ModelTable(settings.models))


def test_default_settings_pass() -> None:
    check()


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ({"context_window": 8192, "reserve_tokens": 16_384}, ("8192", "16384", "-9192")),
        ({"context_window": 4096, "reserve_tokens": 4096}, ("4096", "-1000")),
        ({"context_window": 4096, "max_output_tokens": 4096}, ("4096", "-512")),
        ({"effective_window": 100, "system_prompt": "s" * 400}, ("100", "139", "-42")),
        (
            {"context_window": 2048, "system_prompt": "s" * 2000},
            ("2048", "1000", "512", "536"),
        ),
    ],
)
def test_impossible_settings_are_refused_with_the_sum(
    values: dict[str, Any], numbers: tuple[str, ...]
) -> None:
    with pytest.raises(SettingsError) as caught:
        check(**values)
    for number in numbers:
        assert number in str(caught.value)
    assert caught.value.field in values


@pytest.mark.parametrize(
    "example",
    [
        {"role": "assistant", "content": "Hello"},
        {"role": "tool", "tool_call_id": "x", "content": "1"},
        {"role": "robot", "content": "x"},
        {"role": "user"},
    ],
)
def test_examples_that_no_endpoint_takes_are_refused(example: dict[str, Any]) -> None:
    with pytest.raises(SettingsError) as caught:
        check(examples=(example,))
    assert caught.value.field == "examples.0"


def test_effective_window_caps_the_limit_and_the_models_window_stays_hard() -> None:
    settings = Settings(model="gpt-4o-mini", effective_window=10_000)
    space = room(settings, ModelTable({}).lookup("gpt-4o-mini"), output=2000, tools=300)
    assert space.hard == 128_000 - 2000 - 512 - 300
    assert space.limit == 10_000


SIZES = st.integers(min_value=0, max_value=5000)


@given(limit=SIZES, system=SIZES, more=SIZES, history=SIZES)
def test_allotments_sum_to_the_limit_before_and_after_the_flow(
    limit: int, system: int, more: int, history: int
) -> None:
    allotment = allot(limit, BudgetShares(), system=system, fixed=system + more)
    parts = (allotment.fixed, allotment.history, allotment.recent)
    assert sum(parts) == limit
    assert min(parts) >= 0
    assert allotment.fixed >= min(system, limit)
    settings = Settings(effective_window=max(limit, 1))
    space = room(settings, ModelTable({}).lookup("gpt-4o-mini"))
    tiers = {"system": system, "examples": 0, "facts": more, "summary": history}
    budget = spent(space, allotment, tiers)
    assert budget.fixed + budget.history + budget.recent == limit
    assert budget.recent >= allotment.recent


def test_long_system_prompt_takes_from_history_and_leaves_facts_their_share() -> None:
    shares = BudgetShares(fixed=0.2, history=0.5, recent=0.3)
    allotment = allot(1000, shares, system=300, fixed=300 + 150)
    assert (allotment.fixed, allotment.history, allotment.recent) == (450, 250, 300)
    huge = allot(1000, shares, system=900, fixed=950)
    assert (huge.fixed, huge.history, huge.recent) == (950, 0, 50)
