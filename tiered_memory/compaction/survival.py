"""How many identifiers of the folded turns are still in reach after a fold, by place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tiered_memory.model import Identifier
from tiered_memory.text.references import find

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tiered_memory.compaction.transcript import References, Transcript
    from tiered_memory.model import Fact

__all__ = ["survival"]

_PLACES: Final[Mapping[str, str]] = {
    "user": "customer",
    "assistant": "agent",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}


def survival(
    transcript: Transcript, references: References, facts: Sequence[Fact], text: str
) -> dict[str, int]:
    """Count what was told of each place, and what of it a fact or the segment holds.

    Keys are ``<place>`` and ``<place>_kept`` with place ``customer``, ``agent``,
    ``tool`` or ``system``; each identifier counts once for each place.
    """
    held = {(fact.key, fact.normalized) for fact in facts}
    named = {ref.number for ref in find(text)}
    met: dict[str, set[tuple[str, str]]] = {}
    for line in transcript.lines:
        place = met.setdefault(_PLACES.get(line.role, "system"), set())
        for piece in line.pieces:
            if isinstance(piece, Identifier):
                place.add((piece.key, piece.normalized))
    counts: dict[str, int] = {}
    for name, spots in met.items():
        if spots:
            counts[name] = len(spots)
            counts[f"{name}_kept"] = sum(
                spot in held or references.by_spot[spot].number in named for spot in spots
            )
    return counts
