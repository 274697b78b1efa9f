"""A summarizer's reply → text whose identifiers are references, or why not; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.compaction.clipping import clip
from tiered_memory.compaction.wording import INSTRUCTIONS, LABELS
from tiered_memory.text.folding import fold
from tiered_memory.text.language import dominant_language, has_han, is_han, sentences
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

FOREIGN_WORDS = 12
FOREIGN_SHARE = 0.15
"""A reply of so many words in the other language, where at most so much of the
transcript is in it, is off language; conversations in two languages may have either."""

PARROT_SHARE = 0.8
PARROT_CHARS = 24
"""A reply far above its cap, this share of whose sentences of that length stand in the
transcript, repeats it."""

DIGITS = 4
MIXED_CHARS = 5
"""Runs of so many digits, or of letters and digits, must stand in what was shown."""

REFUSAL_CHARS = 400
_REFUSALS = (
    *("i'm sorry, but", "i am sorry, but", "i'm sorry, i can", "sorry, i can"),
    *("sorry, but i can", "i cannot ", "i can't ", "i can’t ", "i'm unable"),
    *("i am unable", "as an ai", "i’m sorry", "unfortunately, i cannot"),
    *(
        "抱歉，我",
        "抱歉,我",
        "对不起，我",
        "对不起,我",
        "很抱歉，我",
        "很抱歉,我",
        "我无法",
    ),
    *("我不能", "作为一个ai", "作为ai", "作为人工智能", "作为一个人工智能"),
)
_SPEAKERS = frozenset(label for table in LABELS.values() for label in table.values())
_WRAPPERS = ("summary", "transcript", "earlier_summary")


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
    text = _unwrapped(reply[:most])
    reason = _no_summary(text)
    if reason is not None:
        return Verdict(reason=reason)
    text = _bound(text, witness, find_identifiers)
    text = _without_repeats(text, witness.previous)

    def cost(part: str) -> int:
        return cost_shown(part, witness.known, count)

    tokens = cost(text)
    if tokens > max_tokens:
        if tokens > max_tokens * LENIENCE:
            if _parrots(text, witness.transcript):
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
        start = text.find(ref.value) if len(ref.value) > 3 else -1
        while start >= 0:
            end = start + len(ref.value)
            if not _joins(text, start) and not _joins(text, end):
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
    if _off_language(plain, witness):
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


def _joins(text: str, place: int) -> bool:
    """Tell whether a word of ASCII letters and digits goes on across ``place``."""
    if not 0 < place < len(text):
        return False
    left, right = text[place - 1], text[place]
    return left.isascii() and right.isascii() and left.isalnum() and right.isalnum()


def _no_summary(text: str) -> str | None:
    """Give why a whole reply is none, whatever it says of the conversation."""
    if not text:
        return "empty"
    if any(told.partition("{")[0] in text for told in INSTRUCTIONS.values()):
        return "parrot"
    return "refusal" if _refuses(text) else None


def _unwrapped(reply: str) -> str:
    """Give a reply without control characters, code fence and enclosing tag."""
    text = "".join(c for c in reply if c in "\n\t" or (c >= " " and c != "\x7f")).strip()
    if text.startswith("```") and text.endswith("```") and len(text) > 6:
        first, _, rest = text[3:-3].partition("\n")
        text = (
            rest if first.strip().isalpha() or not first.strip() else text[3:-3]
        ).strip()
    for name in _WRAPPERS:
        opening, closing = f"<{name}>", f"</{name}>"
        if text.startswith(opening):
            text = text[len(opening) :].removesuffix(closing).strip()
        text = text.replace(opening, "").replace(closing, "").strip()
    return text


def _refuses(text: str) -> bool:
    start = text[:40].lower().lstrip("\"'“ ")
    return len(text) <= REFUSAL_CHARS and start.startswith(_REFUSALS)


def _without_repeats(text: str, previous: Sequence[str]) -> str:
    """Take out sentences that earlier segments hold word for word; lines stay lines.

    A reply of nothing else stays as it is: asking again would bring it again.
    """
    said = {
        part[start:end]
        for part in previous
        for start, end in sentences(part)
        if end - start >= PARROT_CHARS
    }
    if not said:
        return text
    lines: list[str] = []
    for line in text.splitlines():
        spans = sentences(line)
        kept = [line[a:b] for a, b in spans if line[a:b] not in said]
        if len(kept) == len(spans):
            lines.append(line)
        elif kept:
            head, colon, _ = line.partition(": ")
            label = f"{head}: " if colon and head in _SPEAKERS else ""
            lines.append(label + " ".join(kept).removeprefix(label))
    return "\n".join(lines).strip() or text


def _parrots(text: str, transcript: str) -> bool:
    long = [text[a:b] for a, b in sentences(text) if b - a >= PARROT_CHARS]
    held = sum(sentence in transcript for sentence in long)
    return bool(long) and held >= PARROT_SHARE * len(long)


def _off_language(text: str, witness: Witness) -> bool:
    words = len(text.split()) if not has_han(text) else sum(map(is_han, text)) // 2
    if words < FOREIGN_WORDS or dominant_language(text) == witness.language:
        return False
    sample = witness.transcript[:8_192]
    han = sum(map(is_han, sample)) / 2
    latin = len([w for w in sample.split() if w[:1].isascii() and w[:1].isalpha()])
    foreign = latin if witness.language == "zh" else han
    return foreign <= FOREIGN_SHARE * (han + latin)
