"""Checks that the package's own demo conversation reached every stage."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tiered_memory.cli.output import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tiered_memory.cli.figures import Figures
    from tiered_memory.model import Fact, Prompt, Segment
    from tiered_memory.settings import Settings

__all__ = ["SECRETS", "VALUES", "Evidence", "shortfalls"]

SECRETS = ("Sunflower#2031", "4111 1111 1111 1111", "482913")
"""What the customer should not have sent: nowhere in the database or in a prompt."""

VALUES = {
    "order_id": "HL-204817",
    "phone": "139 0000 8642",
    "email": "lin.xw@example.com",
}
"""What stands after the customer's corrections, to the letter."""

CORRECTED = ("HL-204871", "139 0000 2468", "xiaowen.lin@example.com")
"""What the customer took back: facts no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the API returned about the played conversation."""

    figures: Figures
    facts: Sequence[Fact]
    prompt: Prompt | None
    stored: Sequence[Mapping[str, Any]]
    summary: Sequence[Segment]


def shortfalls(
    evidence: Evidence, settings: Settings, warnings: Sequence[str]
) -> list[str]:
    """Give what did not happen though it should have; empty when all did.

    Stages that ``settings`` switch off are not asked for; recognizers are asked for
    where one is installed (``warnings`` name those that are not).
    """
    figures = evidence.figures
    happened = {
        "no tool result was shown shortened": figures.shortened > 0,
        "no damaged message order was healed": figures.repairs.total() > 0,
        "no value was masked": figures.masked.total() > 0,
        "no pattern found a fact": figures.fact_sources["regex"] > 0,
        "a prompt was wrong": not figures.invalid,
    }
    if settings.compaction.enabled:
        happened["no turn was folded"] = bool(evidence.summary)
    languages = {model.language for model in settings.ner.models}
    if settings.ner.mode != "off" and len(_missing(warnings)) < len(languages):
        happened["no recognizer found a fact"] = figures.fact_sources["ner"] > 0
    missing = [what for what, happens in happened.items() if not happens]
    return missing + _wrong_values(evidence.facts) + _leaks(evidence)


def _missing(warnings: Sequence[str]) -> list[str]:
    return [warning for warning in warnings if "recognizer" in warning]


def _wrong_values(facts: Sequence[Fact]) -> list[str]:
    current = {(fact.key, fact.value) for fact in facts if fact.ended_revision is None}
    wrong = [
        f"the customer's {key} is not a current fact"
        for key, value in VALUES.items()
        if (key, value) not in current
    ]
    stale = {value for _, value in current}.intersection(CORRECTED)
    if stale:
        wrong.append(f"{len(stale)} corrected values are still current facts")
    return wrong


def _leaks(evidence: Evidence) -> list[str]:
    places = {
        "the stored messages": evidence.stored,
        "the facts": evidence.facts,
        "the summary": evidence.summary,
        "the prompt": evidence.prompt,
    }
    leaks: list[str] = []
    for name, value in places.items():
        text = json.dumps(plain(value), ensure_ascii=False)
        if any(secret in text for secret in SECRETS):
            leaks.append(f"a secret stands in {name}")
    return leaks
