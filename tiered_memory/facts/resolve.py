"""New candidates meet the facts that are known: what is added, ended, stated again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tiered_memory.facts.corrections import ALTERNATE, ANY, CORRECTION
from tiered_memory.model import Candidate, Fact, FactChanges, FactStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["resolve"]

WEAK_SOURCES = frozenset({"ner", "llm"})

Slot = tuple[str, str]


@dataclass(slots=True)
class _Entry:
    """A value that is current at this point: a stored row, or a candidate of the batch.

    ``replaced`` are the stored rows that a candidate took the place of.
    """

    normalized: str
    weak: bool
    fact: Fact | None = None
    candidate: Candidate | None = None
    replaced: list[Fact] | None = None


def resolve(candidates: Sequence[Candidate], current: Sequence[Fact]) -> FactChanges:
    """Tell what ``candidates``, oldest first, do to the ``current`` facts; pure.

    A key of one value takes the newest, and a value stated again is only seen. A key of
    many values takes it beside the others, unless it corrects one of them. A denied
    value is taken back. What a recognizer or a model found, or somebody else was quoted
    with, takes no place from what the customer stated. Of several values of one key in
    the batch, only what is current at its end becomes a row.

    The order of ``current`` does not matter, nor that between candidates of different
    owners or keys, corrections without a type aside.
    """
    batch = _Batch(current)
    for candidate in candidates:
        typed = batch.typed(candidate)
        if typed is None:
            continue
        if typed.polarity == "negate":
            batch.deny(typed)
        else:
            batch.state(typed)
    return batch.changes()


class _Batch:
    def __init__(self, current: Sequence[Fact]) -> None:
        self._slots: dict[Slot, list[_Entry]] = {}
        self._seen: dict[int, Candidate] = {}
        self._ended: dict[int, tuple[FactStatus, _Entry | None]] = {}
        self._denied: dict[Slot, list[Fact]] = {}
        self._order: list[_Entry] = []
        for fact in sorted(current, key=lambda f: f.fact_id):
            if fact.status is FactStatus.CURRENT:
                weak = fact.source in WEAK_SOURCES or "quoted" in fact.why
                entry = _Entry(fact.normalized, weak, fact=fact)
                self._slots.setdefault((fact.owner, fact.key), []).append(entry)

    def typed(self, candidate: Candidate) -> Candidate | None:
        """Give a correction the type of what it corrects; None where that is unknown."""
        if candidate.type != CORRECTION:
            return candidate
        target = self._corrected(candidate)
        if target is None:
            return None
        like: Fact | Candidate | None = target.fact or target.candidate
        if like is None:
            return None
        why = dict(candidate.why)
        if candidate.polarity == "assert":
            why["corrects"] = target.normalized
        normalized = target.normalized
        if candidate.polarity == "assert":
            normalized = candidate.normalized
        return replace(
            candidate,
            type=like.type,
            key=like.key,
            owner=like.owner,
            normalized=normalized,
            cardinality=like.cardinality,
            identifier=like.identifier,
            why=why,
        )

    def _corrected(self, candidate: Candidate) -> _Entry | None:
        wanted = candidate.why.get("corrects")
        if candidate.polarity == "negate":
            wanted = candidate.normalized
        entries = [e for entries in self._slots.values() for e in entries if not e.weak]
        gone = [
            _Entry(fact.normalized, weak=False, fact=fact)
            for facts in self._denied.values()
            for fact in facts
        ]
        if wanted == ANY:
            shape = _shape(candidate.normalized)
            like = [e for e in entries if _is_id(e) and _shape(e.normalized) == shape]
            return like[0] if len(like) == 1 else None
        same = [e for e in (*entries, *gone) if _plain(e.normalized) == _plain(str(wanted))]
        return same[-1] if same else None

    def deny(self, candidate: Candidate) -> None:
        """Take back the value, or all of a key of one where none is named."""
        if candidate.source in WEAK_SOURCES:
            return
        every = not candidate.normalized and candidate.cardinality == "one"
        for key in (candidate.key, candidate.key + ALTERNATE):
            slot = (candidate.owner, key)
            for entry in list(self._slots.get(slot, ())):
                if every or entry.normalized == candidate.normalized:
                    self._retract(slot, entry)

    def state(self, candidate: Candidate) -> None:
        """Take in a value."""
        candidate = self._main(candidate)
        slot = (candidate.owner, candidate.key)
        entries = self._slots.setdefault(slot, [])
        weak = candidate.source in WEAK_SOURCES or "quoted" in candidate.why
        same = next((e for e in entries if e.normalized == candidate.normalized), None)
        if same is not None and (weak or not same.weak):
            if same.fact is not None:
                self._seen[same.fact.fact_id] = candidate
            if not weak:
                self._end_others(slot, same, candidate)
            return
        one = candidate.cardinality == "one"
        if weak and one and any(not entry.weak for entry in entries):
            return
        new = _Entry(candidate.normalized, weak, candidate=candidate, replaced=[])
        if same is not None:
            self._supersede(slot, same, new)
        self._end_others(slot, new, candidate)
        entries.append(new)
        self._order.append(new)
        self._drop_alternate(candidate, new)
        self._denied_becomes(slot, new, candidate)

    def _main(self, candidate: Candidate) -> Candidate:
        """Give a further value that is the one of its key as that one."""
        key = candidate.key.removesuffix(ALTERNATE)
        if key == candidate.key:
            return candidate
        known = self._slots.get((candidate.owner, key), ())
        if any(entry.normalized == candidate.normalized for entry in known):
            return replace(candidate, key=key, cardinality="one")
        return candidate

    def _end_others(self, slot: Slot, stays: _Entry, candidate: Candidate) -> None:
        """End what ``stays`` takes the place of: all of a key of one, or the corrected."""
        others = [e for e in self._slots[slot] if e is not stays]
        if candidate.cardinality == "many":
            wanted = candidate.why.get("corrects")
            if wanted is None:
                return
            if wanted == ANY:
                strong = [e for e in others if not e.weak]
                others = strong if len(strong) == 1 else []
            else:
                others = [e for e in others if e.normalized == wanted]
        for entry in others:
            self._supersede(slot, entry, stays)

    def _drop_alternate(self, candidate: Candidate, new: _Entry) -> None:
        """End a further value that has become the one of its key."""
        slot = (candidate.owner, candidate.key + ALTERNATE)
        for entry in list(self._slots.get(slot, ())):
            if entry.normalized == candidate.normalized:
                self._supersede(slot, entry, new)

    def _denied_becomes(self, slot: Slot, new: _Entry, candidate: Candidate) -> None:
        """Where a value was denied and another given, the other took its place."""
        for fact in self._denied.get(slot, ()):
            corrected = candidate.why.get("corrects") == fact.normalized
            if corrected or candidate.cardinality == "one":
                self._ended[fact.fact_id] = (FactStatus.SUPERSEDED, new)

    def _supersede(self, slot: Slot, old: _Entry, new: _Entry) -> None:
        self._slots[slot].remove(old)
        if old.fact is not None:
            self._end(old.fact, FactStatus.SUPERSEDED, new)
            if new.replaced is not None:
                new.replaced.append(old.fact)
            return
        self._order.remove(old)
        for fact_id, (status, by) in list(self._ended.items()):
            if by is old:
                self._ended[fact_id] = (status, new)
        if new.replaced is not None:
            new.replaced += old.replaced or []

    def _retract(self, slot: Slot, entry: _Entry) -> None:
        self._slots[slot].remove(entry)
        if entry.fact is not None:
            self._end(entry.fact, FactStatus.RETRACTED, None)
            self._denied.setdefault(slot, []).append(entry.fact)
            return
        self._order.remove(entry)
        for fact in entry.replaced or ():
            if self._ended.get(fact.fact_id, (None, None))[1] is entry:
                del self._ended[fact.fact_id]
                weak = fact.source in WEAK_SOURCES
                self._slots[slot].append(_Entry(fact.normalized, weak, fact=fact))

    def _end(self, fact: Fact, status: FactStatus, by: _Entry | None) -> None:
        self._seen.pop(fact.fact_id, None)
        self._ended[fact.fact_id] = (status, by)

    def changes(self) -> FactChanges:
        places = {id(entry): place for place, entry in enumerate(self._order)}
        added = tuple(e.candidate for e in self._order if e.candidate is not None)
        ended = {
            fact_id: (status, None if by is None else places.get(id(by)))
            for fact_id, (status, by) in sorted(self._ended.items())
        }
        return FactChanges(added=added, ended=ended, seen=dict(sorted(self._seen.items())))


def _is_id(entry: _Entry) -> bool:
    like: Fact | Candidate | None = entry.fact or entry.candidate
    return like is not None and like.identifier


def _shape(text: str) -> str:
    """Give ``A8801`` as ``A9999``: corrections look like what they correct."""
    return "".join("9" if c.isdigit() else "A" if c.isalpha() else c for c in text)


def _plain(text: str) -> str:
    return "".join(char for char in text.upper() if char.isalnum())
