"""From a hit to a match: value, checks, normal form, context words, score."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tiered_memory.facts.choosing import strongest
from tiered_memory.facts.fillers import core
from tiered_memory.facts.lanes import Span, TextView
from tiered_memory.facts.patterns import Hit
from tiered_memory.facts.windows import context_word, has_word, reference

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from tiered_memory.facts.lanes import Expression, Timer
    from tiered_memory.facts.patterns import Pattern, ScanSet

__all__ = [
    "WHOLE_ANSWER_PRIORITY",
    "Match",
    "Refusal",
    "answered",
    "find_matches",
    "judgements",
    "pattern_matches",
    "slot_matches",
]

EXPECTED_BOOST = 0.35
CHECKED_SCORE = 0.95
"""Of a value whose check digit or shape is right."""

ANSWER_CHARS = 1_000
ANSWER_SCORE = 0.75
ANSWER_PRIORITY = 30
READ_ANSWER_PRIORITY = 45
"""A value that a reader found beside other things."""

WHOLE_ANSWER_PRIORITY = 78
"""A message that is nothing but the value asked for; below an id with its own cue."""

PADDING = " \t\r\n"

Refusal = Literal[
    "reader", "unless", "context", "deny", "validator", "threshold", "normalize"
]
"""Which key of its pattern speaks against a hit."""


@dataclass(slots=True, kw_only=True, eq=False)
class Match:
    """A value of a pattern in the folded text; half-open, in characters of it.

    Never changed; not frozen, because that would double the cost of making one.

    Attributes:
        left, right: of the whole match, its cue included.
        priority: the pattern's, or that of an answer to a question.
        answer: it counts only because the assistant had asked for its type.
        cued: words announce it, its own or those of the pattern's context.
        passing: no word says that it matters; not for storing.
        why: short codes: context, validator, slot.
    """

    pattern: Pattern
    start: int
    end: int
    left: int
    right: int
    value: str
    normalized: str
    score: float
    priority: int
    answer: bool = False
    cued: bool = False
    passing: bool = False
    why: Mapping[str, str] = field(default_factory=dict[str, str])


def find_matches(
    scan: ScanSet, view: TextView, timer: Timer, expected: Collection[str] = ()
) -> list[Match]:
    """Give all matches of the patterns of ``scan``, overlapping ones too, unordered."""
    return [
        found
        for _, found in judgements(scan, view, timer, expected)
        if isinstance(found, Match)
    ]


def judgements(
    scan: ScanSet, view: TextView, timer: Timer, expected: Collection[str] = ()
) -> Iterator[tuple[Hit, Match | Refusal]]:
    """Give each hit of ``scan`` with what it is; one in what a reader has read is none."""
    last, read, pattern = 0, 0, None
    for hit in scan.hits(view, timer):
        if hit.pattern.reader is None:
            yield hit, _judged(hit, view, expected)
            continue
        # Hits come expression by expression, left to right; a reader goes on beyond one.
        start = hit.span.start
        if hit.pattern is not pattern or start < last:
            read = 0
        last, pattern = start, hit.pattern
        if start < read:
            continue
        found = _judged(hit, view, expected)
        yield hit, found
        if isinstance(found, Match):
            read = found.end


def pattern_matches(
    pattern: Pattern, view: TextView, timer: Timer, expected: Collection[str] = ()
) -> list[Match]:
    """Give what ``pattern`` alone finds, left to right, without overlaps."""
    found: list[Match] = []
    for expression in pattern.expressions:
        for span in expression.spans(view, timer):
            match = _judged(Hit(pattern, span), view, expected)
            if isinstance(match, Match):
                found.append(match)
    if pattern.spec.type in expected:
        found += slot_matches((pattern,), view, timer, expected)
    return strongest(found)


def slot_matches(
    patterns: Iterable[Pattern],
    view: TextView,
    timer: Timer,
    expected: Collection[str],
) -> list[Match]:
    """Give bare answers of the expected types; a long text is no answer.

    A value with a digit may stand anywhere; words must be the whole answer, greetings
    and ``my name is`` aside: every word looks like a name.
    """
    found: list[Match] = []
    if len(view.text) > ANSWER_CHARS:
        return found
    start, end = core(view.lower)
    inner: TextView | None = None
    for pattern in patterns:
        if pattern.spec.type not in expected:
            continue
        if pattern.reader is not None:
            found += _read(pattern, view, expected)
        bare = pattern.bare
        if bare is None:
            continue
        if inner is None:
            inner = TextView(view.text[start:end])
        found += _answers(pattern, bare, view, inner, start, timer)
    return found


def _judged(hit: Hit, view: TextView, expected: Collection[str]) -> Match | Refusal:
    """Give the match that a hit is, or what speaks against it."""
    spec = hit.pattern.spec
    span = hit.span if hit.pattern.reader is None else _by_reader(hit, view, expected)
    if span is None:
        return "reader"
    why: dict[str, str] = {}
    score = spec.score
    answer = passing = False
    asked = spec.type in expected
    cued = _worded(hit.span, view.text)
    if spec.context is not None:
        if _refused(hit, view):
            return "unless"
        word = context_word(hit.pattern, hit.span, view)
        if word is not None:
            score += spec.context.boost
            why["context"] = word
            cued = True
        elif spec.context.required and not asked:
            return "context"
        answer = spec.context.required and word is None
        passing = spec.context.to_store and word is None and not asked
    if asked:
        answer = answer or score < spec.threshold
        score += EXPECTED_BOOST
        why["slot"] = "asked"
    return _valued(
        hit.pattern,
        span,
        view,
        score,
        priority=spec.priority,
        answer=answer,
        cued=cued,
        passing=passing,
        why=why,
    )


def _worded(span: Span, text: str) -> bool:
    """Tell whether the whole match holds a word beside its value."""
    if span.left == span.start and span.right == span.end:
        return False
    beside = text[span.left : span.start] + text[span.end : span.right]
    return sum(char.isalpha() for char in beside) > 1


def _refused(hit: Hit, view: TextView) -> bool:
    context = hit.pattern.spec.context
    if context is None or not context.unless:
        return False
    start = max(0, hit.span.start - context.window)
    end = hit.span.end + context.window
    return any(has_word(view.lower, word.lower(), start, end) for word in context.unless)


def _by_reader(hit: Hit, view: TextView, expected: Collection[str]) -> Span | None:
    """Give the span with the borders that the pattern's reader finds."""
    reader, span = hit.pattern.reader, hit.span
    if reader is None:
        return span
    found = reader.extent(view.text, span.start, span.end, expected)
    if found is None:
        return None
    start, end = found
    return Span(start, end, min(span.left, start), max(span.right, end))


def _valued(
    pattern: Pattern,
    span: Span,
    view: TextView,
    score: float,
    *,
    priority: int,
    answer: bool,
    cued: bool = False,
    passing: bool = False,
    why: dict[str, str],
) -> Match | Refusal:
    spec = pattern.spec
    start, end = span.start, span.end
    text = view.text
    while start < end and text[start] in PADDING:
        start += 1
    while end > start and text[end - 1] in PADDING:
        end -= 1
    value = text[start:end]
    if not value or value in spec.deny:
        return "deny"
    sound = None if pattern.validator is None else view.once(pattern.validator, value)
    if sound is False:
        return "validator"
    if sound:
        score = max(score, CHECKED_SCORE)
        why["validator"] = spec.validator or ""
    if score < spec.threshold:
        return "threshold"
    normalized = _normalized(pattern, value, view, start, end)
    if normalized is None:
        return "normalize"
    return Match(
        pattern=pattern,
        start=start,
        end=end,
        left=span.left,
        right=span.right,
        value=value,
        normalized=normalized,
        score=min(score, 1.0),
        priority=priority,
        answer=answer and not sound,
        cued=cued,
        passing=passing,
        why=why,
    )


def _normalized(
    pattern: Pattern, value: str, view: TextView, start: int, end: int
) -> str | None:
    at = None if pattern.resolver is None else reference(view, start, end)
    if pattern.resolver is None or at is None:
        return view.once(pattern.normalizer, value)
    return pattern.resolver(value, at)


def _answers(
    pattern: Pattern,
    bare: Expression,
    view: TextView,
    core: TextView,
    shift: int,
    timer: Timer,
) -> Iterator[Match]:
    spans = bare.spans(core, timer)
    for span in spans:
        if span.left == 0 and span.right == len(core.text):
            match = _answer(pattern, _moved(span, shift), view, WHOLE_ANSWER_PRIORITY)
            if match is not None:
                yield match
                return
    if not any("0" <= char <= "9" for char in view.text):
        return
    for span in spans if core.text == view.text else bare.spans(view, timer):
        if any("0" <= char <= "9" for char in view.text[span.start : span.end]):
            match = _answer(pattern, span, view, ANSWER_PRIORITY)
            if match is not None:
                yield match


def _read(pattern: Pattern, view: TextView, expected: Collection[str]) -> Iterator[Match]:
    """Give what the pattern's reader finds in a reply."""
    if pattern.reader is None:
        return
    for reading in pattern.reader.answers(view.text, expected):
        start, end = reading.start, reading.end
        priority = WHOLE_ANSWER_PRIORITY if reading.whole else READ_ANSWER_PRIORITY
        match = _answer(pattern, Span(start, end, start, end), view, priority)
        if match is not None:
            yield match


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by, span.left + by, span.right + by)


def _answer(pattern: Pattern, span: Span, view: TextView, priority: int) -> Match | None:
    match = _valued(
        pattern,
        span,
        view,
        max(pattern.spec.threshold, ANSWER_SCORE),
        priority=priority,
        answer=True,
        why={"slot": "bare"},
    )
    return match if isinstance(match, Match) else None


def answered(pattern: Pattern, view: TextView, start: int, end: int) -> Match | None:
    """Give a slice as an answer of the pattern's type, by its checks alone."""
    return _answer(pattern, Span(start, end, start, end), view, ANSWER_PRIORITY)
