"""New candidates meet the facts that are known: what is added, ended, stated again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tiered_memory.facts.corrections import ALTERNATE, ANY, CORRECTION
from tiered_memory.facts.stances import stance
from tiered_memory.model import Candidate, Fact, FactChanges, FactStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["resolve"]

WEAK, TOLD, STATED = 0, 1, 2
"""How much a value weighs: found by a model, said by another and confirmed, stated."""

WEAK_SOURCES = frozenset({"ner", "llm"})
TOLD_SOURCES = frozenset({"confirmed", "tool"})

Slot = tuple[str, str]


@dataclass(slots=True, eq=False)
class _Entry:
    """A value that is current at this point: a stored row, or one of the batch.

    ``row`` names it as ``FactChanges`` does; ``replaced`` are those that a value of the
    batch took the place of.
    """

    row: int
    like: Fact | Candidate
    strength: int
    replaced: list[_Entry] = field(default_factory=list["_Entry"])

    @property
    def normalized(self) -> str:
        return self.like.normalized

    @property
    def slot(self) -> Slot:
        return (self.like.owner, self.like.key)


def resolve(candidates: Sequence[Candidate], current: Sequence[Fact]) -> FactChanges:
    """Tell what ``candidates``, oldest first, do to the ``current`` facts; pure.

    A key of one value takes the newest, and a value stated again is only seen. A key of
    many values takes it beside the others, unless it corrects one of them or says the
    contrary of it. A denied value is taken back. Each value of the batch becomes a row,
    also where another of the batch ends it; one that is taken back in the batch that
    brought it leaves current what it had replaced.

    What a recognizer or a model found, or somebody else was quoted with, takes no place
    from what the customer stated or the application set. What the customer only
    confirmed, or a tool said, takes a place from these only where it corrects.

    The order of ``current`` does not matter, nor that between candidates of different
    owners or keys, corrections without a type and contrary preferences aside.
    """
    batch = _Batch(current)
    for candidate in candidates:
        typed = batch.typed(candidate)
        if typed is None:
            continue
        if typed.polarity == "negate":
            batch.deny(typed)
        elif typed.polarity == "mention":
            batch.point(typed)
        else:
            batch.state(typed)
    return batch.changes()


class _Batch:
    def __init__(self, current: Sequence[Fact]) -> None:
        self._slots: dict[Slot, list[_Entry]] = {}
        self._added: list[Candidate] = []
        self._ended: dict[int, tuple[FactStatus, int | None]] = {}
        self._seen: dict[int, Candidate] = {}
        self._denied: dict[Slot, list[_Entry]] = {}
        for fact in sorted(current, key=lambda f: f.fact_id):
            if fact.status is FactStatus.CURRENT:
                self._enter(_Entry(fact.fact_id, fact, _strength(fact)))

    def typed(self, candidate: Candidate) -> Candidate | None:
        """Give a correction the type of what it corrects; None where that is unknown."""
        if candidate.type != CORRECTION:
            return candidate
        target = self._corrected(candidate)
        if target is None:
            return None
        like = target.like
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

    def deny(self, candidate: Candidate) -> None:
        """Take back the value; where none is named, that of a key of one.

        The application names none to take back all of a key of many.
        """
        if _strength(candidate) == WEAK:
            return
        every = not candidate.normalized and (
            candidate.cardinality == "one" or candidate.source == "api"
        )
        for key in (candidate.key, candidate.key + ALTERNATE):
            for entry in list(self._slots.get((candidate.owner, key), ())):
                if every or entry.normalized == candidate.normalized:
                    self._retract(entry)

    def point(self, candidate: Candidate) -> None:
        """Note that a known value is spoken of; an unknown one stays unknown."""
        for entry in self._slots.get((candidate.owner, candidate.key), ()):
            if entry.normalized == candidate.normalized:
                self._seen[entry.row] = candidate

    def state(self, candidate: Candidate) -> None:
        """Take in a value."""
        strength = _strength(candidate)
        candidate = self._placed(candidate, strength)
        entries = self._slots.get((candidate.owner, candidate.key), ())
        same = next((e for e in entries if e.normalized == candidate.normalized), None)
        if same is not None and (strength == WEAK or same.strength > WEAK):
            self._seen[same.row] = candidate
            self._end_others(same, candidate, strength)
            return
        if candidate.cardinality == "one" and not all(
            _gives_way(entry, candidate, strength) for entry in entries
        ):
            return
        new = _Entry(-len(self._added), candidate, strength)
        self._added.append(candidate)
        self._enter(new)
        if same is not None:
            self._supersede(same, new)
        self._end_others(new, candidate, strength)
        self._drop_twin(new)
        self._denied_becomes(new, candidate)
        self._end_contrary(new, strength)

    def changes(self) -> FactChanges:
        return FactChanges(
            added=tuple(self._added),
            ended=dict(sorted(self._ended.items())),
            seen=dict(sorted(self._seen.items())),
        )

    def _enter(self, entry: _Entry) -> None:
        self._slots.setdefault(entry.slot, []).append(entry)

    def _corrected(self, candidate: Candidate) -> _Entry | None:
        wanted = candidate.why.get("corrects")
        if candidate.polarity == "negate":
            wanted = candidate.normalized
        entries = [e for e in self._every() if e.strength > WEAK]
        if wanted == ANY:
            shape = _shape(candidate.normalized)
            like = [
                e for e in entries if e.like.identifier and _shape(e.normalized) == shape
            ]
            return like[0] if len(like) == 1 else None
        gone = [entry for denied in self._denied.values() for entry in denied]
        same = [e for e in (*entries, *gone) if _plain(e.normalized) == _plain(str(wanted))]
        return same[-1] if same else None

    def _every(self) -> Iterable[_Entry]:
        return (entry for entries in self._slots.values() for entry in entries)

    def _placed(self, candidate: Candidate, strength: int) -> Candidate:
        """Give a further value that is the one of its key as that one, or the reverse.

        Unless it weighs more than what is there.
        """
        further = candidate.key.endswith(ALTERNATE)
        twin = self._twin(candidate)
        if twin is None or strength > twin.strength or (not further and strength == STATED):
            return candidate
        return replace(candidate, key=twin.like.key, cardinality=twin.like.cardinality)

    def _twin(self, like: Fact | Candidate) -> _Entry | None:
        """Give the same value under the other of ``phone`` and ``phone.alternate``."""
        key = like.key.removesuffix(ALTERNATE)
        other = key + ALTERNATE if key == like.key else key
        entries = self._slots.get((like.owner, other), ())
        return next((e for e in entries if e.normalized == like.normalized), None)

    def _end_others(self, stays: _Entry, candidate: Candidate, strength: int) -> None:
        """End what ``stays`` takes the place of: all of a key of one, or the corrected."""
        others = [
            entry
            for entry in self._slots[stays.slot]
            if entry is not stays and _gives_way(entry, candidate, strength)
        ]
        if candidate.cardinality == "many":
            wanted = candidate.why.get("corrects")
            if wanted == ANY:
                strong = [entry for entry in others if entry.strength > WEAK]
                others = strong if len(strong) == 1 else []
            else:
                others = [entry for entry in others if entry.normalized == wanted]
        for entry in others:
            self._supersede(entry, stays)

    def _drop_twin(self, new: _Entry) -> None:
        """End a further value that has become the one of its key, or the reverse."""
        twin = self._twin(new.like)
        if twin is not None:
            self._supersede(twin, new)

    def _denied_becomes(self, new: _Entry, candidate: Candidate) -> None:
        """Where a value was denied and another given, the other took its place."""
        for entry in self._denied.get(new.slot, ()):
            corrected = candidate.why.get("corrects") == entry.normalized
            if corrected or candidate.cardinality == "one":
                self._ended[entry.row] = (FactStatus.SUPERSEDED, new.row)

    def _end_contrary(self, new: _Entry, strength: int) -> None:
        """End what says the contrary of ``new`` about the same thing, under any key."""
        said = stance(new.like.type, new.normalized)
        if said is None:
            return
        for entry in list(self._every()):
            if entry.like.owner != new.like.owner or entry.strength > strength:
                continue
            other = stance(entry.like.type, entry.normalized)
            if other is not None and other.contradicts(said):
                self._supersede(entry, new)

    def _supersede(self, old: _Entry, new: _Entry) -> None:
        self._leave(old, FactStatus.SUPERSEDED, new.row)
        if new.row <= 0:
            new.replaced.append(old)

    def _retract(self, entry: _Entry) -> None:
        self._leave(entry, FactStatus.RETRACTED, None)
        self._denied.setdefault(entry.slot, []).append(entry)
        for old in entry.replaced:
            if old.normalized != entry.normalized and self._ended[old.row][1] == entry.row:
                self._restore(old)

    def _restore(self, old: _Entry) -> None:
        """Let a value be current again, unless it was stated again since."""
        entries = self._slots[old.slot]
        twin = next((e for e in entries if e.normalized == old.normalized), None)
        if twin is not None and twin.strength >= old.strength:
            return
        del self._ended[old.row]
        self._enter(old)
        if twin is not None:
            self._leave(twin, FactStatus.SUPERSEDED, old.row)

    def _leave(self, entry: _Entry, status: FactStatus, by: int | None) -> None:
        self._slots[entry.slot].remove(entry)
        self._seen.pop(entry.row, None)
        self._ended[entry.row] = (status, by)


def _strength(like: Fact | Candidate) -> int:
    if like.source in WEAK_SOURCES or "quoted" in like.why:
        return WEAK
    return TOLD if like.source in TOLD_SOURCES else STATED


def _gives_way(entry: _Entry, candidate: Candidate, strength: int) -> bool:
    """Tell whether a value may lose its place to ``candidate``."""
    corrects = strength == TOLD and "corrects" in candidate.why
    return corrects or entry.strength <= strength


def _shape(text: str) -> str:
    """Give ``A8801`` as ``A9999``: corrections look like what they correct."""
    return "".join("9" if c.isdigit() else "A" if c.isalpha() else c for c in text)


def _plain(text: str) -> str:
    return "".join(char for char in text.upper() if char.isalnum())
