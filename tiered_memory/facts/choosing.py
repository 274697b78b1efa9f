"""Which match stands where several claim the same characters."""

from __future__ import annotations

from bisect import bisect_left
from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tiered_memory.facts.matches import Match

__all__ = ["settled", "strongest", "touches"]


def strongest(matches: Iterable[Match]) -> list[Match]:
    """Keep the winners where matches overlap, left to right.

    Higher priority wins, then the longer value, the higher score, the left one, and at
    last the pattern's id, so that the order of packs does not matter.
    """
    ranked = sorted(
        matches,
        key=lambda m: (
            -m.priority,
            m.start - m.end,
            -m.score,
            m.start,
            m.pattern.spec.id,
        ),
    )
    starts: list[int] = []
    kept: list[Match] = []
    for match in ranked:
        place = bisect_left(starts, match.end)
        if place and kept[place - 1].end > match.start:
            continue
        place = bisect_left(starts, match.start)
        starts.insert(place, match.start)
        kept.insert(place, match)
    return kept


def touches(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Tell whether a half-open span meets one of ``spans``, sorted and disjoint."""
    place = bisect_left(spans, end, key=itemgetter(0))
    return place > 0 and spans[place - 1][1] > start


def settled(
    matches: Sequence[Match], blocked: Sequence[tuple[int, int]], *, cut: int | None = None
) -> list[Match]:
    """Choose among overlapping matches, left to right.

    Nothing inside a URL is taken but what its pattern allows there, and nothing that
    touches a ``blocked`` span or ends at ``cut``, where the text was cut off.
    """
    free = [
        match
        for match in matches
        if match.end != cut and not touches(blocked, match.start, match.end)
    ]
    urls = strongest(m for m in free if m.pattern.spec.type == "url")
    if not urls:
        return strongest(free)
    spans = [(url.start, url.end) for url in urls]
    inner: list[Match] = []
    outer: list[Match] = list(urls)
    for match in free:
        if match.pattern.spec.type == "url":
            continue
        if not touches(spans, match.start, match.end):
            outer.append(match)
        elif match.pattern.spec.in_url:
            inner.append(match)
    both = (*strongest(outer), *strongest(inner))
    return sorted(both, key=lambda m: (m.start, -m.end))
