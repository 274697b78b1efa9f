"""A summarizer's reply → text whose identifiers are references, or why not; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.compaction.clipping import clip
from tiered_memory.compaction.screening import (
    no_summary,
    off_language,
    parrots,
    unwrapped,
    without_repeats,
)
from tiered_memory.compaction.spots import LEAST_CHARS, joins
from tiered_memory.text.folding import fold
from tiered_memory.text.references import find, find_loose, reference, render

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tiered_memory.model import Identifier, Reference
    from tiered_memory.text.language import Language

__all__ = ["REASONS", "Verdict", "Witness", "verify"]

REASONS = (
    "empty",
    "refusal",
    "too_long",
    "parrot",
    "off_language",
    "unknown_reference",
    "unknown_identifier",
)
"""Why a reply is refused."""

LENIENCE = 1.5
"""A first reply up to so many times its cap is cut; beyond it is asked again."""

MOST_CHARS = 64
"""Characters for each token of the cap that are read of a reply."""

DIGITS = 4
MIXED_CHARS = 5
"""Runs of so many digits, or of letters and digits, must stand in what was shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """What a reply is held against.

    Attributes:
        transcript: what was to be summarised, with references.
        context: other text that was shown, with references.
        known: the references in it, by number.
        previous: earlier segments; what they say already is taken out of a reply.
        language: that was asked for.
    """

    transcript: str
    context: str
    known: Mapping[int, Reference]
    previous: Sequence[str]
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """``text`` to keep, or the ``reason`` of a refusal (one of ``REASONS``)."""

    text: str = ""
    reason: str | None = None


def verify(
    reply: str,
    witness: Witness,
    *,
    find_identifiers: Callable[[str], list[Identifier]],
    count: Callable[[str], int],
    max_tokens: int,
    final: bool = False,
) -> Verdict:
    """Bind what can be bound in ``reply``, then refuse what is left.

    Near spellings of known references and literals of known values become references.
    A reply that is too long is cut at a sentence: only what is left must pass.

    Args:
        reply: as the summarizer gave it.
        witness: what it may speak of.
        find_identifiers: gives the identifiers of a text.
        count: tokens of a text.
        max_tokens: cap of the result with values in place.
        final: no other reply will be asked for; cut whatever the length.
    """
    most = max_tokens * MOST_CHARS
    if len(reply) > most and not final:
        return Verdict(reason="too_long")
    text = unwrapped(reply[:most])
    reason = no_summary(text)
    if reason is not None:
        return Verdict(reason=reason)
    text = _bound(text, witness, find_identifiers)
    text = without_repeats(text, witness.previous)

    def cost(part: str) -> int:
        return cost_shown(part, witness.known, count)

    tokens = cost(text)
    if tokens > max_tokens:
        if tokens > max_tokens * LENIENCE:
            if parrots(text, witness.transcript):
                return Verdict(reason="parrot")
            if not final:
                return Verdict(reason="too_long")
        text = clip(text, max_tokens, cost)
        if not text:
            return Verdict(reason="too_long")
    reason = _unfounded(text, witness, find_identifiers)
    return Verdict(reason=reason) if reason else Verdict(text=text)


def cost_shown(
    text: str, known: Mapping[int, Reference], count: Callable[[str], int]
) -> int:
    """Give the tokens of ``text`` as stored or as shown with values, whichever is more."""
    if "[[" not in text:
        return count(text)

    def value(number: int, key: str) -> str | None:
        ref = known.get(number)
        return ref.value if ref is not None and ref.key == key else None

    return max(count(text), count(render(text, value)))


def bind_literals(
    text: str,
    known: Mapping[int, Reference],
    find_identifiers: Callable[[str], list[Identifier]],
) -> str:
    """Put references in the place of known values, wherever they stand as words."""
    spots = {(ref.key, ref.normalized): ref for ref in known.values()}
    taken = [(ref.start, ref.end) for ref in find(text)]
    swaps: list[tuple[int, int, str]] = []

    def offer(start: int, end: int, ref: Reference) -> None:
        if all(end <= a or start >= b for a, b in taken):
            taken.append((start, end))
            swaps.append((start, end, reference(ref.key, ref.number)))

    for identifier in find_identifiers(text):
        ref = spots.get((identifier.key, identifier.normalized))
        if ref is not None:
            offer(identifier.start, identifier.end, ref)
    for ref in sorted(known.values(), key=lambda r: (-len(r.value), r.number)):
        start = text.find(ref.value) if len(ref.value) >= LEAST_CHARS else -1
        while start >= 0:
            end = start + len(ref.value)
            if not joins(text, start) and not joins(text, end):
                offer(start, end, ref)
            start = text.find(ref.value, end)
    for start, end, spelling in sorted(swaps, reverse=True):
        text = text[:start] + spelling + text[end:]
    return text


def _bound(
    text: str, witness: Witness, find_identifiers: Callable[[str], list[Identifier]]
) -> str:
    for loose in reversed(find_loose(text)):
        ref = witness.known.get(loose.number)
        if ref is not None and ref.key.lower() == loose.key:
            spelling = reference(ref.key, ref.number)
            text = text[: loose.start] + spelling + text[loose.end :]
    return bind_literals(text, witness.known, find_identifiers)


def _unfounded(
    text: str, witness: Witness, find_identifiers: Callable[[str], list[Identifier]]
) -> str | None:
    keys = {ref.key.lower() for ref in witness.known.values()}
    for exact in find(text):
        ref = witness.known.get(exact.number)
        if ref is None or ref.key != exact.key:
            return "unknown_reference"
    for loose in find_loose(text):
        if loose.key in keys or text[loose.start : loose.start + 2] == "[[":
            return "unknown_reference"
    shown = f"{witness.transcript}\n{witness.context}"
    plain = render(text, lambda number, key: " ")
    for identifier in find_identifiers(plain):
        if identifier.value not in shown:
            return "unknown_identifier"
    if _unseen_numbers(plain, shown):
        return "unknown_identifier"
    if off_language(plain, witness.transcript, witness.language):
        return "off_language"
    return None


def _unseen_numbers(text: str, shown: str) -> bool:
    """Tell whether a run of digits or of letters and digits was never shown."""
    runs = [run for run in _runs(fold(text).text) if _tells(run)]
    if not runs:
        return False
    flat = fold(shown).text.lower()
    tight = _tight(flat)
    return any(run not in flat and run not in tight for run in map(str.lower, runs))


def _runs(text: str) -> list[str]:
    """Give the runs of ASCII letters and digits; a comma between digits joins them."""
    runs: list[str] = []
    run = ""
    for place, char in enumerate(text):
        if char.isascii() and char.isalnum():
            run += char
        elif char != "," or not (
            run[-1:].isdigit() and text[place + 1 : place + 2].isdigit()
        ):
            runs.append(run)
            run = ""
    return [*runs, run]


def _tells(run: str) -> bool:
    digits = sum(char.isdigit() for char in run)
    return digits >= DIGITS or (0 < digits < len(run) and len(run) >= MIXED_CHARS)


def _tight(text: str) -> str:
    """Give ``text`` without what may part the digits of a number."""
    return "".join(char for char in text if char not in " ,-\u3000")
