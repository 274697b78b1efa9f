"""What callers may rely on: names, arguments and defaults of the calls for facts."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from tiered_memory import MemoryEngine, Session
from tiered_memory.model import Fact

CALLS: list[tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]] = [
    (
        Session.facts,
        {},
        {"key": None, "owner": "self", "history": False, "as_of": None},
    ),
    (Session.fact, {"key": ...}, {"owner": "self", "as_of": None}),
    (
        Session.set_fact,
        {"key": ..., "value": ...},
        {"owner": "self", "type": None, "cardinality": None, "confidence": 1.0},
    ),
    (Session.retract_fact, {"key": ..., "value": None}, {"owner": "self"}),
    (
        MemoryEngine.find_sessions,
        {"key": ..., "value": ...},
        {"limit": 100, "after": None},
    ),
]


@pytest.mark.parametrize(("call", "placed", "named"), CALLS)
def test_a_call_takes_what_it_is_said_to_take(
    call: Callable[..., Any], placed: dict[str, Any], named: dict[str, Any]
) -> None:
    assert inspect.iscoroutinefunction(call)
    parameters = list(inspect.signature(call).parameters.values())[1:]
    found: dict[Any, dict[str, Any]] = {}
    for parameter in parameters:
        default = ... if parameter.default is parameter.empty else parameter.default
        found.setdefault(parameter.kind, {})[parameter.name] = default
    assert found.get(inspect.Parameter.POSITIONAL_OR_KEYWORD, {}) == placed
    assert found.get(inspect.Parameter.KEYWORD_ONLY, {}) == named


def test_a_fact_says_what_it_is_and_when() -> None:
    promised = (
        "key value normalized owner status confidence source pattern seq start end "
        "first_seen last_seen ended_at superseded_by masked why"
    )
    assert set(promised.split()) <= {field.name for field in fields(Fact)}
