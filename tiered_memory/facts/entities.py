"""Stage 2: what rules left open goes to recognizers; their spans come back as candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.facts import entity_rules
from tiered_memory.facts.normal_forms import NORMALIZERS
from tiered_memory.facts.recognizers import installed
from tiered_memory.model import Candidate
from tiered_memory.ports import Entity, EntityRecognizer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tiered_memory.settings import NerSettings

__all__ = ["EntityStage", "EntityText", "load_recognizers"]

_LIMITS: Mapping[str, int] = {"zh": 200, "en": 2_000}
"""Longest piece for a recognizer, in characters: both slow down above it."""

_CONFIDENCE = 0.5
_CONFIDENCE_WITH_CUE = 0.6
"""Of people and addresses that say themselves whose they are, or what they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityText:
    """A stored text of a message.

    Attributes:
        part: where in the message, as in ``Candidate.part``.
        taken: half-open spans that rules hold already; nothing touching one is given.
    """

    text: str
    part: str
    taken: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    text: int
    start: int
    end: int
    language: str


class EntityStage:
    """Routes pieces of texts to the recognizer of their script.

    A person goes under ``mentioned_person`` and a place under ``place``, both of many
    values: a name in a text is mostly somebody else's. It goes under ``person_name`` only
    where the customer says so right before it (``我叫``, ``my name is``).
    """

    def __init__(
        self, recognizers: Mapping[str, tuple[EntityRecognizer, Mapping[str, str]]]
    ) -> None:
        self._recognizers = dict(recognizers)

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages with a recognizer, sorted."""
        return tuple(sorted(self._recognizers))

    def candidates(self, texts: Sequence[EntityText]) -> list[list[Candidate]]:
        """Give the candidates of each text, in order of place; for one thread at a time.

        Milliseconds a text: whoever calls does so off the loop. A sentence goes to the
        recognizer of its own script, so that mixed texts are read by both.

        Raises:
            ValueError: a recognizer answered for another number of texts than it got, or
                with a span outside its text.
        """
        return [_distinct(found) for found in self._found(texts, stated=True)]

    def mentions(self, texts: Sequence[EntityText]) -> list[list[Candidate]]:
        """Give every place where something is named, denied and repeated ones too.

        What is to be masked, not what is to be believed. Costs and raises as
        ``candidates`` does.
        """
        return [
            sorted(found, key=lambda c: (c.start, -c.end))
            for found in self._found(texts, stated=False)
        ]

    def _found(self, texts: Sequence[EntityText], *, stated: bool) -> list[list[Candidate]]:
        found: list[list[Candidate]] = [[] for _ in texts]
        for language, (recognizer, labels) in self._recognizers.items():
            pieces = [
                piece
                for index, text in enumerate(texts)
                for piece in _pieces(index, text.text)
                if piece.language == language
            ]
            if not pieces:
                continue
            slices = [texts[p.text].text[p.start : p.end] for p in pieces]
            answers = recognizer.entities(slices)
            if len(answers) != len(pieces):
                raise ValueError(f"{len(answers)} answers for {len(pieces)} texts")
            for piece, entities in zip(pieces, answers, strict=True):
                text = texts[piece.text]
                for entity in _joined(_placed(piece, entities), language):
                    candidate = _candidate(text, entity, language, labels, stated=stated)
                    if candidate is not None:
                        found[piece.text].append(candidate)
        return found


def _pieces(index: int, text: str) -> Iterator[_Piece]:
    """Cut at sentence ends and join neighbours of one script up to the limit."""
    open_piece: _Piece | None = None
    for start, end in entity_rules.sentences(text, limit=_LIMITS["zh"]):
        language = entity_rules.script(text[start:end])
        if language is None:
            continue
        piece = _Piece(text=index, start=start, end=end, language=language)
        if (
            open_piece is not None
            and open_piece.language == language
            and end - open_piece.start <= _LIMITS[language]
        ):
            open_piece = _Piece(
                text=index, start=open_piece.start, end=end, language=language
            )
            continue
        if open_piece is not None:
            yield open_piece
        open_piece = piece
    if open_piece is not None:
        yield open_piece


def _placed(piece: _Piece, entities: Sequence[Entity]) -> list[Entity]:
    placed: list[Entity] = []
    for entity in entities:
        if not 0 <= entity.start < entity.end <= piece.end - piece.start:
            raise ValueError("a recognizer gave a span outside its text")
        placed.append(
            Entity(
                start=piece.start + entity.start,
                end=piece.start + entity.end,
                label=entity.label,
                score=entity.score,
            )
        )
    return sorted(placed, key=lambda e: (e.start, -e.end))


def _joined(entities: list[Entity], language: str) -> list[Entity]:
    """Put the parts of a Chinese address together that touch one another."""
    out: list[Entity] = []
    for entity in entities:
        last = out[-1] if out else None
        if (
            language == "zh"
            and last is not None
            and last.label == entity.label == "LOC"
            and last.end == entity.start
        ):
            out[-1] = Entity(
                start=last.start, end=entity.end, label="LOC", score=last.score
            )
        else:
            out.append(entity)
    return out


def _candidate(
    text: EntityText,
    entity: Entity,
    language: str,
    labels: Mapping[str, str],
    *,
    stated: bool,
) -> Candidate | None:
    kind = labels.get(entity.label)
    if kind is None:
        return None
    start, end = entity_rules.trimmed(text.text, entity.start, entity.end)
    if start >= end or any(start < e and s < end for s, e in text.taken):
        return None
    if stated and _in_marker(text.text, start):
        return None
    value, before = text.text[start:end], text.text[max(0, start - 24) : start]
    introduced = entity_rules.introduces(before)
    if not entity_rules.plausible(kind, value, language, introduced=introduced):
        return None
    denied = kind == "person_name" and (
        entity_rules.denied(before)
        or entity_rules.cut_short(before, value)
        or entity_rules.greeted(before, value)
    )
    if stated and denied:
        return None
    key, type_, confidence, many = _typed(kind, value, introduced=introduced)
    form = NORMALIZERS[type_ if type_ in NORMALIZERS else "lower"](value)
    if form is None:
        return None
    return Candidate(
        type=type_,
        key=key,
        value=value,
        normalized=form,
        part=text.part,
        start=start,
        end=end,
        confidence=confidence,
        source="ner",
        pattern=f"ner.{language}",
        polarity="negate" if denied else "assert",
        cardinality="many" if many else "one",
        identifier=False,
        why={"label": entity.label},
    )


def _in_marker(text: str, place: int) -> bool:
    """Tell whether a ``[type …]`` that stands for a masked value is open at ``place``."""
    left = text.rfind("[", max(0, place - 80), place)
    head = text[left + 1 : left + 2]
    return left >= 0 and "]" not in text[left:place] and "a" <= head <= "z"


def _typed(kind: str, value: str, *, introduced: bool) -> tuple[str, str, float, bool]:
    """Give key, type, confidence, and whether the key holds many values."""
    if kind == "person_name":
        if introduced:
            return "person_name", "person_name", _CONFIDENCE_WITH_CUE, False
        return "mentioned_person", "person_name", _CONFIDENCE, True
    if kind == "place" and entity_rules.is_address(value):
        return "mentioned_address", "address", _CONFIDENCE_WITH_CUE, True
    return kind, kind, _CONFIDENCE, True


def _distinct(candidates: list[Candidate]) -> list[Candidate]:
    seen: set[tuple[str, str]] = set()
    out: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: c.start):
        name = (candidate.key, candidate.normalized)
        if name not in seen:
            seen.add(name)
            out.append(candidate)
    return out


# -- what is installed ----------------------------------------------------------


def load_recognizers(ner: NerSettings) -> tuple[EntityStage | None, tuple[str, ...]]:
    """Load the first recognizer there is for each language; seconds, off the loop.

    Nothing is ever downloaded. Gives no stage where ``ner.mode`` is ``off`` or nothing is
    installed; the texts say what is missing and how to install it.

    Raises:
        SettingsError: with ``ner.missing = "error"`` for a missing recognizer; always for
            one that is there and cannot be loaded.
    """
    if ner.mode == "off":
        return None, ()
    loaded, missing = installed(ner)
    return (EntityStage(loaded) if loaded else None), missing
