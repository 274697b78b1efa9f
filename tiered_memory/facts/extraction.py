"""A message's text to what may be stored of it, and to the facts in it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

from tiered_memory.facts.answers import AnswerReader, claims
from tiered_memory.facts.choosing import settled
from tiered_memory.facts.context import ContextReader
from tiered_memory.facts.corrections import Corrections
from tiered_memory.facts.explaining import Explainer
from tiered_memory.facts.forgetting import Forgetting
from tiered_memory.facts.given import GivenValues
from tiered_memory.facts.identifiers import IdentifierReader
from tiered_memory.facts.known import mentions
from tiered_memory.facts.lanes import TextView, Timer
from tiered_memory.facts.masking import Masker
from tiered_memory.facts.matches import find_matches
from tiered_memory.facts.notes import NoteReader
from tiered_memory.facts.questions import LAST_CHARS, expected_types
from tiered_memory.facts.reading_back import ReadBack, question_tail
from tiered_memory.model import Candidate, Extraction, Identifier, Reason
from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from tiered_memory.facts.context import Standing, Surroundings
    from tiered_memory.facts.marks import Mark
    from tiered_memory.facts.masking import Masked
    from tiered_memory.facts.matches import Match
    from tiered_memory.facts.patterns import Pattern, PatternSet
    from tiered_memory.facts.pseudonyms import Pseudonyms
    from tiered_memory.model import Fact
    from tiered_memory.settings import FactSettings
    from tiered_memory.text.folding import Folded

__all__ = ["Extractor"]

QUOTED_DISCOUNT = 0.3

CONFIRMED_SCORE = 0.95
"""Of a value that the assistant read back and the customer said yes to."""

QUESTIONS = 512
"""Questions whose types are remembered: a bot asks with few wordings."""


class _Settled(NamedTuple):
    """A text's matches after the choice among them; spans are in the folded text."""

    body: str
    folded: Folded
    view: TextView
    matches: list[Match]
    blocked: list[tuple[int, int]]
    cut: int | None


class Extractor:
    """Reads and masks texts; pure, thread-safe, linear in the length of a text.

    Up to 4 KB in well under a millisecond, fit for the event loop; longer texts belong
    into a thread, where RE2 lets the loop run.
    """

    def __init__(
        self,
        patterns: PatternSet,
        *,
        max_chars: int,
        timezone: str = "UTC",
        notes: bool = True,
    ) -> None:
        self._patterns = patterns
        self._zone = ZoneInfo(timezone)
        self._max_chars = max_chars
        self._masker = Masker(patterns)
        self._context = ContextReader()
        self._corrections = Corrections()
        self._forgetting = Forgetting()
        self._identifiers = IdentifierReader(patterns, self._masker)
        self._answers = AnswerReader(patterns.slots)
        self._read_back = ReadBack()
        self._asked = lru_cache(QUESTIONS)(self._asked_types)
        self.given = GivenValues(patterns, self._masker)
        self._notes = NoteReader() if notes else None

    @classmethod
    def of(cls, patterns: PatternSet, settings: FactSettings) -> Extractor:
        """Make one that reads as ``settings`` say."""
        return cls(
            patterns,
            max_chars=settings.max_chars,
            timezone=settings.timezone,
            notes=settings.notes,
        )

    @property
    def patterns(self) -> PatternSet:
        """The patterns that it reads by."""
        return self._patterns

    def extract(
        self,
        text: str,
        *,
        role: str,
        question: str | None = None,
        part: str = "content",
        index: int = 0,
        when: datetime | None = None,
        entities: Sequence[Candidate] = (),
        pseudonyms: Pseudonyms | None = None,
    ) -> Extraction:
        """Mask ``text`` and read from it what could be facts.

        Whose words become facts is for the caller to say: the engine stores those of
        users alone.

        Args:
            text: as it came in.
            role: of its message.
            question: what the assistant said last; types a user's bare answer.
            part: where the text is in the message.
            index: place of the message in its draft.
            when: when it was said, with its time zone; relative dates (``明天``) are
                read from it, in the customer's time zone, and stay as written without.
            entities: what recognizers found in ``text`` before it is stored: those of
                types that may not be stored are masked and come back as candidates.
            pseudonyms: of the session; takes in new values. Without them a value that
                is to have one is shown by its type.

        Returns:
            facts left to right, from the first ``max_chars`` characters; masking
            is of the whole text.
        """
        expected = self.expected_types(question) if question and role == "user" else ()
        masked = self._masker.mask(text, expected, entities=entities, pseudonyms=pseudonyms)
        found, full = self._read(
            masked, expected, part=part, index=index, when=when, notes=role == "user"
        )
        facts = tuple(found)
        return Extraction(
            masked=masked.text,
            facts=facts,
            masked_counts=masked.counts(),
            complete=masked.complete and full,
            explain=partial(self._explain, masked, expected, facts, when),
        )

    def mask(
        self,
        text: str,
        *,
        entities: Sequence[Candidate] = (),
        pseudonyms: Pseudonyms | None = None,
    ) -> tuple[str, Mapping[str, int]]:
        """Give the text to store and how many values were masked, by type."""
        masked = self._masker.mask(text, entities=entities, pseudonyms=pseudonyms)
        return masked.text, masked.counts()

    def mask_json(
        self,
        text: str,
        *,
        entities: Sequence[Candidate] = (),
        pseudonyms: Pseudonyms | None = None,
    ) -> tuple[str, Mapping[str, int]]:
        """Mask the values of a JSON text, which stays JSON; other text as plain text."""
        masked = self._masker.mask_json(text, entities=entities, pseudonyms=pseudonyms)
        return masked.text, masked.counts()

    def mask_parts(self, texts: Sequence[str]) -> tuple[list[str], Mapping[str, int]]:
        """Give texts that are read one after the other without what spans several.

        What stands in one of them alone is left for ``mask``.
        """
        return self._masker.mask_parts(texts)

    def markers(self, text: str) -> list[tuple[int, int]]:
        """Give the spans of markers and pseudonyms in a stored text, left to right."""
        return self._masker.markers(text)

    def identifiers(self, text: str) -> list[Identifier]:
        """Give the identifiers in a text of any role, JSON included, left to right."""
        return self._identifiers.read(text)

    def time_outs(self) -> Mapping[str, int]:
        """Give how often patterns ran out of time, by id."""
        return self._patterns.time_outs.counts()

    def validator_failures(self) -> Mapping[str, int]:
        """Give how often validators of the user's own failed, by pattern id."""
        return self._patterns.failures.counts()

    def expected_types(self, question: str) -> tuple[str, ...]:
        """Give the types that an assistant's text asks for."""
        return self._asked(question[-LAST_CHARS:])

    def confirms(self, answer: str) -> bool:
        """Tell whether a customer's message is a yes to what was read back."""
        return self._read_back.confirms(answer)

    def read_back(
        self, text: str, *, part: str, index: int, when: datetime | None = None
    ) -> list[Candidate]:
        """Give the values that an assistant's text asks the customer to confirm.

        ``text`` is as stored; of a long one the end is looked at. Candidates as of
        ``extract``, of source ``confirmed``:
        to be used where the customer said yes.
        """
        cut = question_tail(text)
        body = text[cut:]
        folded = fold(body)
        view = self._view(folded, when)
        is_put = self._read_back.open(view.text)
        found = find_matches(self._patterns.facts, view, Timer())
        blocked = [folded.folded_span(*span) for span in self._masker.markers(body)]
        around = self._context.open(view)
        candidates: list[Candidate] = []
        for match in settled(found, blocked):
            standing = _standing(around, match.pattern, match.start, match.end)
            if (standing.stated or standing.reason == "asked") and (
                standing.polarity == "assert" and is_put(match.start, match.end)
            ):
                made = _candidate(match, standing, folded, body, part=part, index=index)
                candidates.append(
                    replace(
                        made,
                        start=made.start + cut,
                        end=made.end + cut,
                        source="confirmed",
                        confidence=CONFIRMED_SCORE,
                        why={**match.why, "standing": "confirmed"},
                    )
                )
        return candidates

    def mentions(
        self,
        text: str,
        facts: Sequence[Fact],
        taken: Iterable[Candidate],
        *,
        part: str,
        index: int,
    ) -> list[Candidate]:
        """Give candidates that point at ``facts``, of what ``mentionable`` gives.

        ``text`` is as stored, and ``taken`` was read in it.
        """
        body = text[: self._max_chars]
        return mentions(body, facts, taken, self._context, part=part, index=index)

    def forgotten(self, text: str, *, part: str, index: int) -> list[Candidate]:
        """Give candidates that take back a key whose value ``text`` does not say."""
        return self._forgetting.read(text[: self._max_chars], part=part, index=index)

    def _view(self, folded: Folded, when: datetime | None) -> TextView:
        try:
            local = None if when is None else when.astimezone(self._zone)
        except OverflowError:  # the calendar's first or last day, in another zone
            local = None
        return TextView(folded.text, when=local)

    def _asked_types(self, question: str) -> tuple[str, ...]:
        return expected_types(question, self._patterns.slots)

    def _explain(
        self,
        masked: Masked,
        expected: Collection[str],
        facts: Sequence[Candidate],
        when: datetime | None,
    ) -> tuple[Reason, ...]:
        """Read ``masked`` again and tell why each match is a fact or none."""
        settling = self._settle(masked, expected, Timer(), when)
        around = self._context.open(settling.view)
        explainer = Explainer(
            scan=self._patterns.facts,
            view=settling.view,
            folded=settling.folded,
            expected=expected,
            kept=settling.matches,
            blocked=settling.blocked,
            cut=settling.cut,
            standing=lambda m: _standing(around, m.pattern, m.start, m.end),
        )
        return explainer.reasons(facts, masked.marks)

    def _settle(
        self,
        masked: Masked,
        expected: Collection[str],
        timer: Timer,
        when: datetime | None,
    ) -> _Settled:
        """Find what the patterns match in ``masked`` and choose where they overlap."""
        body = masked.text[: self._max_chars]
        folded = fold(body)
        view = self._view(folded, when)
        found = find_matches(self._patterns.facts, view, timer, expected)
        markers = self._masker.markers(body)
        blocked = [folded.folded_span(*span) for span in markers]
        if expected:
            read = self._answers.read(
                view, timer, expected, taken=claims(found), markers=blocked
            )
            found += [match for match in read if not match.pattern.sensitive]
        cut = len(view.text) if len(body) < len(masked.text) else None
        matches = settled(found, blocked, cut=cut)
        return _Settled(body, folded, view, matches, blocked, cut)

    def _read(
        self,
        masked: Masked,
        expected: Collection[str],
        *,
        part: str,
        index: int,
        when: datetime | None,
        notes: bool,
    ) -> tuple[list[Candidate], bool]:
        timer = Timer()
        settling = self._settle(masked, expected, timer, when)
        body, folded, view, matches, blocked, _ = settling
        around = self._context.open(view)
        candidates: list[Candidate] = []
        for match in matches:
            standing = _standing(around, match.pattern, match.start, match.end)
            if standing.stated:
                candidates.append(
                    _candidate(match, standing, folded, body, part=part, index=index)
                )
        candidates += _masked_facts(masked, folded, around, part=part, index=index)
        candidates.sort(key=lambda c: (c.start, c.end))
        candidates = self._corrections.link(
            candidates, folded, view, matches, blocked, part=part, index=index
        )
        if notes and self._notes is not None:
            candidates += self._notes.read(
                folded,
                view,
                around,
                known=candidates,
                blocked=blocked,
                part=part,
                index=index,
            )
            candidates.sort(key=lambda c: (c.start, c.end))
        return candidates, not timer.timed_out


def _standing(around: Surroundings, pattern: Pattern, start: int, end: int) -> Standing:
    spec = pattern.spec
    return around.standing(start, end, type_name=spec.type, one=spec.cardinality == "one")


def _masked_facts(
    masked: Masked, folded: Folded, around: Surroundings, *, part: str, index: int
) -> Iterator[Candidate]:
    """Give a row for each value of which a pseudonym or a remainder may be shown."""
    for mark in masked.marks:
        pattern = mark.pattern
        if mark.action == "drop" or mark.end > len(folded.raw):
            continue
        if mark.entity is not None:
            yield _masked_entity(mark, mark.entity, part=part, index=index)
        if pattern is None:
            continue
        spec = pattern.spec
        span = folded.folded_span(mark.start, mark.end)
        standing = _standing(around, pattern, *span)
        if standing.stated:
            yield Candidate(
                type=spec.type,
                key=spec.fact_key,
                owner=standing.owner,
                value=mark.shown,
                normalized=mark.shown,
                part=part,
                start=mark.start,
                end=mark.end,
                index=index,
                confidence=_confidence(mark.score, standing),
                pattern=spec.id,
                polarity=standing.polarity,
                cardinality=spec.cardinality,
                masked=True,
                identifier=spec.identifier and mark.action == "pseudonym",
                why=_why({}, standing),
            )


def _masked_entity(mark: Mark, entity: Candidate, *, part: str, index: int) -> Candidate:
    return replace(
        entity,
        value=mark.shown,
        normalized=mark.shown,
        part=part,
        start=mark.start,
        end=mark.end,
        index=index,
        masked=True,
    )


def _candidate(
    match: Match, standing: Standing, folded: Folded, body: str, *, part: str, index: int
) -> Candidate:
    spec = match.pattern.spec
    start, end = folded.raw_span(match.start, match.end)
    return Candidate(
        type=spec.type,
        key=spec.fact_key,
        owner=standing.owner,
        value=body[start:end],
        normalized=match.normalized,
        part=part,
        start=start,
        end=end,
        index=index,
        confidence=_confidence(match.score, standing),
        pattern=spec.id,
        polarity=standing.polarity,
        cardinality=spec.cardinality,
        identifier=spec.identifier,
        passing=match.passing,
        why=_why(match.why, standing),
    )


def _confidence(score: float, standing: Standing) -> float:
    if standing.quoted:
        score -= QUOTED_DISCOUNT
    return round(max(0.05, min(score, 1.0)), 3)


def _why(why: Mapping[str, str], standing: Standing) -> dict[str, str]:
    found = dict(why)
    if standing.reason:
        found["standing"] = standing.reason
    if standing.quoted:
        found["quoted"] = "yes"
    return found
