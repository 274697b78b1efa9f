"""Which value takes which one's place: ``不是 A，是 B``, ``not A but B``, ``I meant B``."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tiered_memory.facts.choosing import touches
from tiered_memory.facts.normal_forms import NORMALIZERS
from tiered_memory.facts.re2_engine import Gate, Program, compile_re2
from tiered_memory.model import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tiered_memory.facts.lanes import TextView
    from tiered_memory.facts.matches import Match
    from tiered_memory.text.folding import Folded

__all__ = ["ALTERNATE", "ANY", "CORRECTION", "Corrections"]

CORRECTION = "correction"
"""Type and key of a value that no pattern knows but that corrects one: ``不是 A，是 B``.

``resolve`` gives it the type of the fact that it corrects, or drops it.
"""

ANY = "*"
"""In ``why["corrects"]``: the value before was not named."""

ALTERNATE = ".alternate"
"""Ends the key of a further value that stands beside the one of its key."""

NEAR = 40
CONFIDENCE = 0.7

_TOKEN = r"[#A-Za-z0-9][A-Za-z0-9_-]{2,30}"
_CODE = r"#?(?:[A-Za-z_-]{1,20}[0-9][A-Za-z0-9_-]{1,28}|[0-9][A-Za-z0-9_-]{2,29})"
"""With a digit: a word after ``no,`` is none."""

_PAIRS = (
    (
        r"(?:^|[^是要还])(?:不是|并非|别用|不要用)[ ]?(?P<old>TOKEN)[\s,。;、]{0,3}"
        r"(?:而是|应该是|应是|其实是|正确的?是|改成|换成|是|用|要用|请用)[ :]?(?P<new>TOKEN)"
    ),
    (
        r"(?i)(?:^|[^a-z'])(?:not|isn'?t|don'?t use|instead of|rather than)[ ](?P<old>TOKEN)[ ]?[,.;]?[ ]"
        r"?(?:but|it'?s|it[ ]is|use|should[ ]be|rather|the[ ](?:right|correct)[ ]one[ ]is)[ ]"
        r"(?P<new>TOKEN)"
    ),
    (
        r"(?i)(?:it'?s|it[ ]is|use|should[ ]be|meant)[ ](?P<new>TOKEN)[ ]?[,;]?[ ]"
        r"?(?:and[ ])?(?:not|instead[ ]of|rather[ ]than)[ ](?P<old>TOKEN)"
    ),
    r"(?:应该是|是|改成|换成)(?P<new>TOKEN)[ ,。;、]{1,2}(?:而)?不是(?P<old>TOKEN)",
    (
        r"(?i)(?:i[ ](?:said|wrote|typed|put|gave)(?:[ ]you)?)[ ](?P<old>TOKEN)[ ]?[,.;]?[ ]"
        r"(?:but[ ]|and[ ])?(?:i[ ])?(?:meant?|it'?s|it[ ]is|it[ ]should[ ]be)[ ](?P<new>TOKEN)"
    ),
    r"(?:说|写|填|报|打)(?:的是|成了?|了)(?P<old>TOKEN)[ ,。;、]{0,2}(?:其实|应该|实际上?)?(?:应该)?是(?P<new>TOKEN)",
)
_TAKING_BACK = (
    r"(?:actually|correction|sorry|oops|no,|i meant?|no,?[ ]wait|wait,?[ ]no|wait,|"
    r"(?:scratch|strike|make)[ ]that|my[ ](?:bad|mistake)|wrong[ ](?:one|order|number|code|id)[.,:!])"
)
_SINGLE = (
    (
        r"(?i)(?:^|[^a-z])(?:" + _TAKING_BACK + r"[ ,.:;!-]{0,3}){1,3}"
        r"(?:(?:it'?s|it[ ]is|that'?s|it[ ]should[ ]be|should[ ]be)[ ])?(?P<new>CODE)"
        r"(?:[ .!?,;。]|$)"
    ),
    r"(?:更正|说错了|打错了|写错了|弄错了|搞错了|不对|哦不|噢不|啊不)[,。!: ]{0,2}(?:应该)?是?[ :]?(?P<new>CODE)",
    r"(?:等等|等一下|等下)[,。!: ]{0,2}(?:应该|其实)?是[ :]?(?P<new>CODE)",
    r"(?:其实是|应该是|应为)[ :]?(?P<new>CODE)",
)


_JOINTS = frozenset(
    {
        "", "or", "and", "or at", "and also", "or else", "alternatively", "&", "/", "和", "或",
        "或者", "及", "以及", "跟", "与", "也可以", "也可以打", "或者打", "备用", "备用号",
        "备用电话", "备用手机", "备用邮箱", "backup", "another one is", "也行", "还有",
    }
)  # fmt: skip
_PUNCTUATION = " \t\r\n,，;；、:：/|"


class Corrections:
    """Finds what corrects what within a text; holds only compiled expressions."""

    def __init__(self) -> None:
        sources = [source.replace("TOKEN", _TOKEN) for source in _PAIRS]
        sources += [source.replace("CODE", _CODE) for source in _SINGLE]
        self._gate = Gate(sources)
        self._rules = [_Rule.of(source) for source in sources]

    def link(
        self,
        candidates: Sequence[Candidate],
        folded: Folded,
        view: TextView,
        matches: Iterable[Match],
        blocked: Iterable[tuple[int, int]],
        *,
        part: str,
        index: int,
    ) -> list[Candidate]:
        """Note in ``why["corrects"]`` whose place a value takes; add untyped corrections.

        ``candidates`` are left to right, of one text; so is the result.
        """
        linked = [
            _as_alternate(candidates, place, folded) or _linked(candidates, place)
            for place in range(len(candidates))
        ]
        linked = _arranged(linked)
        rules = [self._rules[number] for number in self._gate.matching(view.data)]
        if not rules:
            return linked
        taken = sorted([*((m.start, m.end) for m in matches), *blocked])
        untyped = list(_untyped(rules, folded, taken, part=part, index=index))
        return sorted((*linked, *untyped), key=lambda c: (c.start, c.end))


@dataclass(frozen=True, slots=True)
class _Rule:
    """An expression with the numbers of its groups; ``old`` is 0 where it has none."""

    program: Program
    old: int
    new: int

    @classmethod
    def of(cls, source: str) -> _Rule:
        program = compile_re2(source)
        groups = program.groupindex
        return cls(program, groups.get("old", 0), groups["new"])


def _untyped(
    rules: Iterable[_Rule],
    folded: Folded,
    taken: list[tuple[int, int]],
    *,
    part: str,
    index: int,
) -> Iterator[Candidate]:
    for rule in rules:
        for found in rule.program.finditer(folded.text):
            new = found.span(rule.new)
            old = found.span(rule.old) if rule.old else None
            spans = [new] if old is None else [old, new]
            if any(touches(taken, *s) or not _has_digit(folded.text, s) for s in spans):
                continue
            for span in spans:
                insort(taken, span)
            corrects = ANY
            if old is not None:
                before = _candidate(folded, old, part=part, index=index)
                corrects = before.normalized
                yield replace(before, polarity="negate")
            after = _candidate(folded, new, part=part, index=index)
            yield replace(after, why={"corrects": corrects})


def _linked(candidates: Sequence[Candidate], place: int) -> Candidate:
    this = candidates[place]
    if this.polarity == "negate":
        return this
    corrects = _denied_near(candidates, place)
    if corrects is None and this.why.get("standing") == "corrected":
        corrects = _stated_before(candidates, place) or ANY
    if corrects is None or corrects == this.normalized:
        return this
    return replace(this, why={**this.why, "corrects": corrects})


def _arranged(linked: Sequence[Candidate]) -> list[Candidate]:
    """Take "not 3 pm but 4 pm" for an arrangement: neither is told in passing."""
    replaced = {(*_slot(c), c.why["corrects"]) for c in linked if "corrects" in c.why}
    return [
        replace(this, passing=False)
        if this.passing
        and (
            this.why.get("corrects", ANY) != ANY
            or (this.polarity == "negate" and (*_slot(this), this.normalized) in replaced)
        )
        else this
        for this in linked
    ]


def _as_alternate(
    candidates: Sequence[Candidate], place: int, folded: Folded
) -> Candidate | None:
    """Give a second value of a key of one (``A 和 B 都可以``) a key of its own."""
    this = candidates[place]
    if this.cardinality != "one" or this.polarity != "assert" or this.masked or not place:
        return None
    other = candidates[place - 1]
    if _slot(other) != _slot(this) or other.polarity != "assert":
        return None
    joint = folded.raw[other.end : this.start].strip(_PUNCTUATION).lower()
    if joint not in _JOINTS or other.normalized == this.normalized:
        return None
    return replace(
        this,
        key=f"{this.key}{ALTERNATE}",
        cardinality="many",
        why={**this.why, "standing": "alternate"},
    )


def _denied_near(candidates: Sequence[Candidate], place: int) -> str | None:
    this = candidates[place]
    best: tuple[int, str] | None = None
    for other in candidates:
        if other.polarity != "negate" or _slot(other) != _slot(this):
            continue
        gap = max(other.start - this.end, this.start - other.end)
        if gap <= NEAR and (best is None or gap < best[0]):
            best = (gap, other.normalized)
    return None if best is None else best[1]


def _stated_before(candidates: Sequence[Candidate], place: int) -> str | None:
    this = candidates[place]
    for other in reversed(candidates[:place]):
        if _slot(other) == _slot(this) and other.polarity == "assert":
            near = this.start - other.end <= 2 * NEAR
            return other.normalized if near else None
    return None


def _slot(candidate: Candidate) -> tuple[str, str]:
    return (candidate.owner, candidate.key)


def _has_digit(text: str, span: tuple[int, int]) -> bool:
    return any(char.isdigit() for char in text[span[0] : span[1]])


def _candidate(
    folded: Folded,
    span: tuple[int, int],
    *,
    part: str,
    index: int,
) -> Candidate:
    start, end = folded.raw_span(*span)
    form = NORMALIZERS["identifier"](folded.text[span[0] : span[1]])
    return Candidate(
        type=CORRECTION,
        key=CORRECTION,
        value=folded.raw[start:end],
        normalized=form or "",
        part=part,
        start=start,
        end=end,
        index=index,
        confidence=CONFIDENCE,
        pattern=CORRECTION,
        cardinality="many",
    )
