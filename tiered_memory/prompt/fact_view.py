"""Which facts a prompt shows, and what changed since its block was fixed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.model import Fact, FactStatus
from tiered_memory.state import in_focus

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tiered_memory.state import SessionState

__all__ = ["Change", "FactView", "changes", "in_order", "least_certain_first", "view"]


LATE = frozenset({"ner", "llm"})
"""Sources that come in after their message was stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactView:
    """The facts of a prompt: ``current`` now, ``epoch`` when the epoch began.

    Both in the order of their lines, at most ``facts.max_facts`` each; ``beyond`` are
    the ids of the current ones that this leaves out. ``marked`` are those in focus, of
    identifiers whose key has several; ``epoch_marked`` those that were.
    """

    current: tuple[Fact, ...]
    epoch: tuple[Fact, ...]
    beyond: frozenset[int] = frozenset()
    marked: frozenset[int] = frozenset()
    epoch_marked: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A line of the note: ``now`` holds, in place of ``before``; either may be None."""

    now: Fact | None
    before: tuple[Fact, ...] = ()


def view(state: SessionState, *, max_facts: int) -> FactView:
    """Give the facts to show at ``state``.

    What a recognizer or a model read in the newest user message waits for the next one, so that
    the prompts of one turn agree; what such a row supersedes stands until then.
    """
    current, epoch = _visible(state), state.epoch_facts()
    marked = _in_focus(current)
    epoch_marked = frozenset(
        f.fact_id for f in epoch if f.identifier and f.fact_id in state.epoch_focus
    )
    kept = _bounded(current, max_facts, marked)
    return FactView(
        current=in_order(kept),
        epoch=in_order(_bounded(epoch, max_facts, epoch_marked)),
        beyond=frozenset(f.fact_id for f in current) - {f.fact_id for f in kept},
        marked=marked,
        epoch_marked=epoch_marked,
    )


def changes(facts: FactView) -> tuple[Change, ...]:
    """Give what turned ``facts.epoch`` into ``facts.current``, in order of lines.

    A value that was replaced by one with the same letters is no change of the block. One
    that the block does not mark and that is in focus now is one.
    """
    before = {fact.fact_id for fact in facts.epoch}
    now = {fact.fact_id for fact in facts.current} | facts.beyond
    ended: dict[tuple[str, str], list[Fact]] = {}
    for fact in facts.epoch:
        if fact.fact_id not in now:
            ended.setdefault((fact.owner, fact.key), []).append(fact)
    found: list[Change] = []
    for fact in facts.current:
        if fact.fact_id in before:
            if fact.fact_id in facts.marked - facts.epoch_marked:
                found.append(Change(now=fact))
            continue
        olds = ended.get((fact.owner, fact.key), [])
        replaced = [old for old in olds if _replaces(fact, old)]
        for old in replaced:
            olds.remove(old)
        others = tuple(old for old in replaced if old.value != fact.value)
        if others or not replaced:
            found.append(Change(now=fact, before=others))
    found += [Change(now=None, before=(old,)) for olds in ended.values() for old in olds]
    return tuple(found)


def in_order(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Give ``facts`` in the order of their lines: the customer's own first, by key."""
    return tuple(sorted(facts, key=_line_order))


def least_certain_first(facts: Collection[Fact]) -> list[Fact]:
    """Give ``facts`` in the order in which they give way.

    Names and preferences before identifiers, doubtful before sure, old before new.
    """
    return sorted(facts, key=lambda f: (f.confidence, f.identifier, f.fact_id))


def _visible(state: SessionState) -> tuple[Fact, ...]:
    newest = state.newest_user()
    current = state.current_facts()
    if newest is None:
        return current
    known = max(newest.revision, state.epoch_revision)
    late = {f.fact_id for f in current if f.source in LATE and f.revision > known}
    if not late:
        return current
    held = (
        f for f in state.facts if f.superseded_by in late and f.status != FactStatus.CURRENT
    )
    return (*(f for f in current if f.fact_id not in late), *held)


def _in_focus(facts: Sequence[Fact]) -> frozenset[int]:
    ids = [fact for fact in facts if fact.identifier and fact.cardinality == "many"]
    several = Counter((fact.owner, fact.key) for fact in ids)
    return frozenset(f.fact_id for slot, f in in_focus(ids).items() if several[slot] > 1)


def _bounded(
    facts: tuple[Fact, ...], limit: int, marked: frozenset[int]
) -> tuple[Fact, ...]:
    """Keep values of keys that hold one, then those in focus, then the newest.

    Looks only at what a row keeps for life and at the focus of its time: being confirmed
    raises its confidence, and must not move a block that is fixed.
    """
    if len(facts) <= limit:
        return facts
    ranked = sorted(
        facts, key=lambda f: (f.cardinality == "one", f.fact_id in marked, f.fact_id)
    )
    return tuple(ranked[-limit:])


def _replaces(new: Fact, old: Fact) -> bool:
    """Tell whether ``new`` stands in the place of ``old``, of the same key."""
    if old.superseded_by == new.fact_id:
        return True
    return old.status is FactStatus.SUPERSEDED and new.cardinality == "one"


def _line_order(fact: Fact) -> tuple[bool, str, str, int]:
    return (fact.owner != "self", fact.owner, fact.key, fact.fact_id)
