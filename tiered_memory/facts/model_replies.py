"""What a model proposed, checked against the customer's own words; pure."""

from __future__ import annotations

import copy
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tiered_memory.facts.lanes import TextView, Timer
from tiered_memory.facts.model_stage import proposable
from tiered_memory.facts.model_words import PartText, Refused, StandingReader, place
from tiered_memory.facts.notes import NOTE, note_key, tells_secret
from tiered_memory.facts.spoken_forms import text as plain_form
from tiered_memory.model import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tiered_memory.facts.extraction import Extractor
    from tiered_memory.facts.patterns import Pattern
    from tiered_memory.model import Fact
    from tiered_memory.text.folding import Folded

__all__ = ["ReplyReader", "Verdict", "withstood"]

STORED_FROM = 0.7
WAITS_FROM = 0.4
"""A proposal is stored from the first confidence on; from the second it waits until another
message gives the same value; below it is refused."""
SCORE = 0.7
"""No proposal is surer than this, whatever the model says of itself."""
QUOTED_DISCOUNT = 0.3
"""Of somebody else's words."""

MAX_REPLY_CHARS = 16_384
MAX_PROPOSALS = 8
QUOTE_CHARS = 400
VALUE_CHARS = 120
PATTERN = "llm"
WORDS = frozenset({"address", "person_name", "text"})
"""Normal forms of types that are words: what they look like tells nothing."""


class _Proposal(BaseModel):
    """One item of a reply."""

    model_config = ConfigDict(strict=True, frozen=True)

    type: Annotated[str, Field(min_length=1, max_length=128)]
    quote: Annotated[str, Field(min_length=1, max_length=QUOTE_CHARS)]
    value: Annotated[str, Field(min_length=1, max_length=VALUE_CHARS)]
    confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What holds of a reply: ``stored`` at once, ``waiting`` for another message.

    ``refused`` counts by reason: ``form``, ``type``, ``secret``, ``quote``, ``value``,
    ``masked``, ``standing``, ``unsure``, ``many``.
    """

    stored: tuple[Candidate, ...] = ()
    waiting: tuple[Candidate, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict[str, int])


class ReplyReader:
    """Reads replies by the patterns of ``extractor``; thread-safe."""

    def __init__(self, extractor: Extractor) -> None:
        self._extractor = extractor
        self._standing = StandingReader()

    def reading_with(self, extractor: Extractor) -> ReplyReader:
        """Give a reader like this one by other patterns; this one stays as it is."""
        other = copy.copy(self)
        other._extractor = extractor
        return other

    def read(self, reply: str, parts: Sequence[PartText], *, model: str | None) -> Verdict:
        """Give what of a reply is said in ``parts``, word for word.

        A value is the slice of the stored text, never the model's. Linear in the reply
        and the texts; below a millisecond for a message that the gate lets through.

        Raises:
            ValueError: the reply is no JSON of the asked form.
        """
        items = _items(reply)
        refused: Counter[str] = Counter()
        if len(items) > MAX_PROPOSALS:
            refused["many"] = len(items) - MAX_PROPOSALS
        held: list[tuple[float, Candidate]] = []
        for item in items[:MAX_PROPOSALS]:
            try:
                held.append(self._checked(item, parts, model))
            except Refused as exc:
                refused[str(exc)] += 1
        stored: list[Candidate] = []
        waiting: list[Candidate] = []
        for sure, candidate in _distinct(held):
            (stored if sure >= STORED_FROM else waiting).append(candidate)
        return Verdict(stored=tuple(stored), waiting=tuple(waiting), refused=dict(refused))

    def _checked(
        self, item: object, parts: Sequence[PartText], model: str | None
    ) -> tuple[float, Candidate]:
        try:
            proposal = _Proposal.model_validate(item)
        except ValidationError as exc:
            raise Refused("form") from exc
        name = self._note_name(proposal.type)
        part, folded, start, end = place(proposal.quote, proposal.value, parts)
        self._unmasked(folded, start, end, name)
        value = folded.text[start:end]
        key, type_, one, identifier, form = self._typed(proposal.type, name, value)
        standing = self._standing.standing(folded.text, start, end, type_, one=one)
        sure = proposal.confidence - (QUOTED_DISCOUNT if standing.quoted else 0.0)
        if sure < WAITS_FROM:
            raise Refused("unsure")
        raw = folded.raw_span(start, end)
        why: dict[str, Any] = {"model": model or "custom", "sure": round(sure, 3)}
        return sure, Candidate(
            type=type_,
            key=key,
            owner=standing.owner,
            value=part.text[slice(*raw)],
            normalized=form,
            part=part.part,
            start=raw[0],
            end=raw[1],
            confidence=round(min(sure, SCORE), 3),
            source="llm",
            pattern=PATTERN,
            cardinality="one" if one else "many",
            identifier=identifier,
            why=why,
        )

    def _note_name(self, type_: str) -> str | None:
        """Give the name of a note; None for a type of the packs."""
        patterns = self._extractor.patterns
        if type_ in proposable(patterns):
            return None
        head, dot, name = type_.partition(".")
        if head != NOTE or not dot or note_key(name) != type_:
            known = any(type_ == pattern.spec.type for pattern in patterns.patterns)
            raise Refused("secret" if known else "type")
        kinds = {p.spec.type for p in patterns.patterns if p.sensitive}
        if tells_secret(name) or name in kinds:
            raise Refused("secret")
        return name

    def _unmasked(self, folded: Folded, start: int, end: int, name: str | None) -> None:
        """Refuse what touches a masked value, or would be masked under its name."""
        raw = folded.raw_span(start, end)
        markers = self._extractor.markers(folded.raw)
        if any(low < raw[1] and raw[0] < high for low, high in markers):
            raise Refused("masked")
        if name is not None:
            said = f"{name.replace('_', ' ')}: {folded.text[start:end]}"
            if self._extractor.mask(said)[1]:
                raise Refused("secret")

    def _typed(
        self, type_: str, name: str | None, value: str
    ) -> tuple[str, str, bool, bool, str]:
        """Give key, type, whether it holds one value, is an identifier, normal form."""
        if name is not None:
            return type_, NOTE, True, False, plain_form(value) or value
        for pattern in self._extractor.patterns.patterns:
            spec = pattern.spec
            if spec.type != type_:
                continue
            form = _agreed(pattern, value)
            if form is not None:
                one = spec.cardinality == "one"
                return spec.fact_key, type_, one, spec.identifier, form
        raise Refused("value")


def withstood(
    candidates: Iterable[tuple[int, Candidate]], current: Sequence[Fact]
) -> list[tuple[int, Candidate]]:
    """Leave out what a known fact stands against; seq of the message with each.

    In a key of one value a proposal takes no place from what anything but a model said,
    nor from what a later message said, so that the order of replies does not matter.
    """
    kept: list[tuple[int, Candidate]] = []
    for seq, candidate in candidates:
        rivals = [
            fact
            for fact in current
            if (fact.owner, fact.key) == (candidate.owner, candidate.key)
            and fact.normalized != candidate.normalized
        ]
        stands = candidate.cardinality == "many" or all(
            fact.source == "llm" and (fact.last_seq or 0) <= seq for fact in rivals
        )
        if stands:
            kept.append((seq, candidate))
    return sorted(kept, key=lambda pair: pair[0])


def _items(reply: str) -> list[Any]:
    """Give the proposals of a reply: a list, or ``{"facts": […]}``, fenced or not."""
    if len(reply) > MAX_REPLY_CHARS:
        raise ValueError("the reply is too long")
    text = reply.strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        text = text[text.index("\n") : -3]
    try:
        given: object = json.loads(text)
    except RecursionError as exc:
        raise ValueError("the reply is nested too deep") from exc
    if isinstance(given, dict):
        given = cast("dict[str, object]", given).get("facts")
    if not isinstance(given, list):
        raise ValueError("the reply is no list of facts")
    return cast("list[Any]", cast("object", given))


def _agreed(pattern: Pattern, value: str) -> str | None:
    """Give the normal form where the pattern's checks agree.

    But for names and words the value must also have the pattern's shape.
    """
    spec = pattern.spec
    if value in spec.deny:
        return None
    if pattern.validator is not None and pattern.validator(value) is False:
        return None
    if spec.normalize not in WORDS and not _shaped(pattern, value):
        return None
    return pattern.normalizer(value)


def _shaped(pattern: Pattern, value: str) -> bool:
    view, timer = TextView(value), Timer()
    expressions = [*pattern.expressions, *([pattern.bare] if pattern.bare else ())]
    try:
        return any(
            (span.start, span.end) == (0, len(value))
            for expression in expressions
            for span in expression.spans(view, timer)
        )
    except TimeoutError:
        return False


def _distinct(held: Sequence[tuple[float, Candidate]]) -> list[tuple[float, Candidate]]:
    """Keep one proposal of each place, and one value of each key of one: the surest."""
    ranked = sorted(
        held, key=lambda pair: (-pair[0], pair[1].type == NOTE, pair[1].start, pair[1].key)
    )
    kept: list[tuple[float, Candidate]] = []
    for sure, new in ranked:
        rivals = (
            old
            for _, old in kept
            if (old.part == new.part and old.start < new.end and new.start < old.end)
            or ((old.owner, old.key) == (new.owner, new.key) and _one_place(old, new))
        )
        if next(rivals, None) is None:
            kept.append((sure, new))
    kept.sort(key=lambda pair: (pair[1].part, pair[1].start))
    return kept


def _one_place(old: Candidate, new: Candidate) -> bool:
    return new.cardinality == "one" or old.normalized == new.normalized
