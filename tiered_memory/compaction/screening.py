"""Whether a reply is a summary at all, in its language, and in words of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.compaction.wording import INSTRUCTIONS, LABELS
from tiered_memory.text.language import dominant_language, has_han, is_han, sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.text.language import Language

__all__ = ["no_summary", "off_language", "parrots", "unwrapped", "without_repeats"]

FOREIGN_WORDS = 12
FOREIGN_SHARE = 0.15
"""A reply of so many words in the other language, where at most so much of the
transcript is in it, is off language; conversations in two languages may have either."""

PARROT_SHARE = 0.8
PARROT_CHARS = 24
"""A reply far above its cap, this share of whose sentences of that length stand in the
transcript, repeats it."""

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


def no_summary(text: str) -> str | None:
    """Give why a whole reply is none, whatever it says of the conversation."""
    if not text:
        return "empty"
    if any(told.partition("{")[0] in text for told in INSTRUCTIONS.values()):
        return "parrot"
    return "refusal" if _refuses(text) else None


def unwrapped(reply: str) -> str:
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


def without_repeats(text: str, previous: Sequence[str]) -> str:
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


def parrots(text: str, transcript: str) -> bool:
    """Tell whether nearly all of a reply stands in the transcript."""
    long = [text[a:b] for a, b in sentences(text) if b - a >= PARROT_CHARS]
    held = sum(sentence in transcript for sentence in long)
    return bool(long) and held >= PARROT_SHARE * len(long)


def off_language(text: str, transcript: str, language: Language) -> bool:
    """Tell whether a reply is in the other language, and the conversation is not."""
    words = len(text.split()) if not has_han(text) else sum(map(is_han, text)) // 2
    if words < FOREIGN_WORDS or dominant_language(text) == language:
        return False
    sample = transcript[:8_192]
    han = sum(map(is_han, sample)) / 2
    latin = len([w for w in sample.split() if w[:1].isascii() and w[:1].isalpha()])
    foreign = latin if language == "zh" else han
    return foreign <= FOREIGN_SHARE * (han + latin)
