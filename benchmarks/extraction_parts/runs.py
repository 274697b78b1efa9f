"""One run for each thing measured: rows in, figures and faults out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import re2

from extraction_parts import keys, norms
from extraction_parts.data import Span, contradictions, has_digit, pick
from extraction_parts.questions import question
from extraction_parts.scoring import (
    Figure,
    Score,
    Tally,
    contained,
    covered,
    everything,
    exact,
    overlap,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from extraction_parts.data import Row
    from extraction_parts.reading import Found, Reader, Reading

ASKED: Mapping[str, float] = {
    "phone": 0.97,
    "card_number": 0.97,
    "national_id": 0.97,
    "booking_ref": 0.95,
    "account_id": 0.95,
    "postcode": 0.95,
    "address": 0.90,
    "person_name": 0.90,
}
"""Least recall with exact span after the assistant asked for it."""

CODED = ("phone", "card_number", "national_id", "booking_ref", "account_id", "postcode")

SENSITIVE = frozenset({"card_number", "national_id", "password", "iban", "driver_license"})

QUOTED: Mapping[str, tuple[str, ...]] = {
    "crosswoz": ("phone", "amount"),
    "multiwoz_zh": ("phone", "postcode", "booking_ref"),
    "multiwoz21": ("phone", "postcode", "booking_ref"),
}
"""Sets whose values the assistant says, and their types with a bound."""

DOMAIN: Mapping[str, tuple[str, ...]] = {
    "tau_bench": ("account_id", "booking_ref", "order_id", "email")
}
"""Sets read with the example pack of their domain."""

_CUES: Mapping[str, Any] = {
    "phone": re2.compile(r"phone|contact|cell|mobile"),
    "card_number": re2.compile(r"card|credit|debit|visa"),
    "national_id": re2.compile(r"ssn|social"),
    "booking_ref": re2.compile(r"confirmation|booking|reservation"),
    "account_id": re2.compile(r"account|\bacc?\b|\ba c\b"),
    "postcode": re2.compile(r"zip|postal|postcode"),
    "address": re2.compile(r"address"),
    "person_name": re2.compile(r"\bname\b"),
}
_EXPONENT = re2.compile(r"^[0-9]+ e [0-9]+$")
_CARD = re2.compile(r"^[0-9][0-9 -]*[0-9]$")


@dataclass(slots=True)
class Result:
    """All that was measured."""

    figures: list[Figure] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    faults: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[dict[str, str]] = field(default_factory=list)
    inexact: int = 0
    turns: int = 0
    false_masks: int = 0

    def note(
        self,
        group: str,
        name: str,
        value: float,
        count: int,
        bound: float | None = None,
        *,
        most: bool = False,
    ) -> None:
        """Add a figure."""
        self.figures.append(Figure(group, name, value, count, bound, most))

    def fault(
        self, mode: str, kind: str, row: Row, found: Iterable[Found], **more: Any
    ) -> None:
        """Add a fault that is in no score."""
        self.faults.append(
            {
                "set": row.set,
                "mode": mode,
                "kind": kind,
                "id": row.id,
                "text": row.text,
                "found": [(f.type, row.text[f.start : f.end], f.normalized) for f in found],
                **more,
            }
        )

    def keep(self, score: Score) -> None:
        """Take over a score and its faults."""
        self.scores.append(score)
        self.faults += score.faults


def plain(rows: Sequence[Row], reader: Reader, result: Result) -> None:
    """Read every row as it stands: all types, false facts, false maskings."""
    name = rows[0].set
    odd = contradictions(rows) if name == "multidogo" else {}
    types = sorted({s.type for row in rows for s in row.spans})
    score = Score(name, "unasked")
    score.know(rows)
    free = false = unlabelled = 0
    masks_before = result.false_masks
    for place, row in enumerate(rows):
        reading = reader.read(row.text, role=row.speaker, question=None)
        result.inexact += reading.inexact
        result.turns += 1
        result.false_masks += _false_masks(row, reading, "unasked", result)
        if place in odd:
            result.left_out.append({"set": name, "id": row.id, "why": odd[place]})
            continue
        ours = everything(reading)
        if name != "recognizers_text":
            score.add(row, ours, types, same=_border(name), counts=_counted(name))
        if row.free:
            free += 1
            labelled = [f for f in ours if f.type in score.values]
            stored = [f for f in ours if not f.passing]
            false += sum(f in labelled for f in stored)
            unlabelled += sum(f not in labelled for f in stored)
    result.keep(score)
    if name in QUOTED:
        for type_name in QUOTED[name]:
            _quality(name, type_name, score.tallies[type_name], 0.95, result)
    if name == "multidogo":
        _unasked(score, result)
    if free and name != "recognizers_text":
        result.note(
            name, "false facts per 1,000 fact-free turns", 1_000 * false / free, free
        )
        result.note(
            name, "facts of unmarked types per 1,000 such", 1_000 * unlabelled / free, free
        )
    masked = result.false_masks - masks_before
    result.note(
        name, "false maskings per 1,000 turns", 1_000 * masked / len(rows), len(rows)
    )


def _border(name: str) -> Any:
    """CrossWOZ marks landlines without their area code, and its sums exactly."""
    if name != "crosswoz":
        return exact
    return lambda item, span: (contained if span.type == "phone" else exact)(item, span)


def _counted(name: str) -> Any:
    """A sum without a digit is a price class, not an amount."""
    if name in {"crosswoz", "multiwoz_zh", "multiwoz21"}:
        return lambda span: span.type not in {"amount", "phone"} or has_digit(span.value)
    return None


def _false_masks(row: Row, reading: Reading, mode: str, result: Result) -> int:
    secret = [s for s in row.spans if s.type in SENSITIVE]
    false = [
        m for m in reading.masks if not any(overlap(m, s) for s in (*secret, *row.unscored))
    ]
    if false:
        result.fault(mode, "false masking", row, false)
    return len(false)


def _unasked(score: Score, result: Result) -> None:
    coded = Tally()
    for name in CODED:
        tally = score.tallies[name]
        coded = coded.plus(tally)
        found = tally.hit + tally.extra
        result.note("multidogo unasked", f"{name} precision", tally.precision, found, 0.95)
        least = 0.90 if name == "phone" else None
        marked = tally.hit + tally.miss
        result.note("multidogo unasked", f"{name} recall", tally.recall, marked, least)
    result.note(
        "multidogo unasked",
        "coded precision",
        coded.precision,
        coded.hit + coded.extra,
        0.95,
    )
    for name in ("person_name", "address"):
        tally = score.tallies[name]
        found = tally.hit + tally.extra
        result.note("multidogo unasked", f"{name} precision", tally.precision, found, 0.85)
        result.note(
            "multidogo unasked", f"{name} recall", tally.recall, tally.hit + tally.miss
        )


def asked(rows: Sequence[Row], reader: Reader, result: Result) -> None:
    """Read rows after a question for what they answer, and fact-free ones after one."""
    odd = contradictions(rows)
    kept = [row for place, row in enumerate(rows) if place not in odd]
    _answers([row for row in kept if row.spans], reader, result)
    _free([row for row in kept if row.free], reader, result)
    _other_type([row for row in kept if row.spans], reader, result)


def _answers(rows: Sequence[Row], reader: Reader, result: Result) -> None:
    score = Score("multidogo", "asked")
    score.know(rows)
    types = sorted({s.type for row in rows for s in row.spans})
    plain_cards = Tally()
    for row in rows:
        said = question(row.id, row.types)
        reading = reader.read(row.text, role="user", question=said)
        result.inexact += reading.inexact
        ours = everything(reading)
        score.add(row, ours, types, question=said)
        for span in row.spans:
            if span.type == "card_number" and not _EXPONENT.match(span.value):
                hit = any(exact(f, span) and f.type == "card_number" for f in ours)
                plain_cards.hit += hit
                plain_cards.miss += not hit
    result.keep(score)
    for name in sorted({*score.tallies}, key=lambda n: (n not in ASKED, n)):
        tally = score.tallies[name]
        marked = tally.hit + tally.miss
        if marked:
            bound = ASKED.get(name)
            result.note("multidogo asked", f"{name} recall", tally.recall, marked, bound)
    result.note(
        "multidogo asked",
        "card_number recall without '123 e 15'",
        plain_cards.recall,
        plain_cards.hit + plain_cards.miss,
    )
    for name in ASKED:
        tally = score.tallies[name]
        found = tally.hit + tally.extra
        result.note("multidogo asked", f"{name} precision", tally.precision, found)


def _free(rows: Sequence[Row], reader: Reader, result: Result) -> None:
    """A row without a fact stores nothing, whatever was asked."""
    clean = 0
    stored: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    names = tuple(ASKED)
    for row in rows:
        wanted = names[pick(row.id, "free", len(names))]
        said = question(row.id, (wanted,))
        reading = reader.read(row.text, role="user", question=said)
        result.inexact += reading.inexact
        ours = [f for f in everything(reading) if not f.passing]
        counts[wanted] += 1
        clean += not ours
        if ours:
            stored[wanted] += 1
            result.fault(
                "asked, fact-free", "stored", row, ours, asked=wanted, question=said
            )
    group = "multidogo asked, fact-free"
    result.note(
        group, "rows that store nothing", clean / max(1, len(rows)), len(rows), 0.99
    )
    for name in names:
        share = 1 - stored[name] / max(1, counts[name])
        result.note(group, f"after a question for {name}", share, counts[name])


def _other_type(rows: Sequence[Row], reader: Reader, result: Result) -> None:
    """A value with its own word beside it keeps its type after another question."""
    right = wrong = missed = bare = taken = 0
    for row in rows:
        others = [name for name in ASKED if name not in row.types]
        if not others:
            continue
        wanted = others[pick(row.id, "other", len(others))]
        said = question(row.id, (wanted,))
        ours = everything(reader.read(row.text, role="user", question=said))
        ends = 0
        for span in sorted(row.spans, key=lambda s: s.start):
            left = row.text[max(ends, span.start - 40) : span.start].lower()
            ends = span.end
            if span.type not in _CUES:
                continue
            near = [f for f in ours if overlap(f, span)]
            if not _CUES[span.type].search(left):
                bare += 1
                taken += any(f.type == wanted for f in near)
                continue
            good = any(f.type == span.type for f in near)
            right += good
            wrong += bool(near) and not good
            missed += not near
            if not good:
                kind = "wrong type" if near else "missed"
                more = {"asked": wanted, "question": said, "type": span.type}
                result.fault("asked, other type", kind, row, near, gold=span.value, **more)
    group, count = "multidogo asked, other type", right + wrong + missed
    result.note(group, "cued values typed right", right / max(1, count), count, 0.97)
    result.note(group, "cued values typed wrong", wrong / max(1, count), count)
    result.note(group, "cued values missed", missed / max(1, count), count)
    result.note(group, "bare values taken as what was asked", taken / max(1, bare), bare)


def cards(rows: Sequence[Row], reader: Reader, result: Result) -> None:
    """MultiDoGO's cards of 13 to 19 digits: asked for, with a word for it, and bare."""
    shares = {"asked": Tally(), "with a cue": Tally(), "bare and unasked": Tally()}
    for row in rows:
        for span in row.spans:
            size = sum(c.isdigit() for c in span.value)
            if span.type != "card_number" or not 13 <= size <= 19:
                continue
            if not _CARD.match(span.value):
                continue
            cue = _CUES["card_number"].search(row.text.lower())
            kinds = {"asked": question(row.id, row.types)}
            kinds["with a cue" if cue else "bare and unasked"] = None
            for kind, said in kinds.items():
                reading = reader.read(row.text, role="user", question=said)
                hit = covered(reading, span, row.text)
                shares[kind].hit += hit
                shares[kind].miss += not hit
                if not hit and kind != "bare and unasked":
                    result.fault(f"masking, {kind}", "shown", row, (), gold=span.value)
    for kind, tally in shares.items():
        bound = None if kind == "bare and unasked" else 1.0
        count = tally.hit + tally.miss
        result.note("masking", f"multidogo cards, {kind}", tally.recall, count, bound)


def shapes(rows: Sequence[Row], reader: Reader, result: Result) -> None:
    """Cards, IBANs and social security numbers of Presidio's own research set."""
    tallies = {name: Tally() for name in ("card_number", "iban", "national_id")}
    for row in rows:
        for span in row.spans:
            if span.type in tallies:
                reading = reader.read(row.text, role=row.speaker, question=None)
                hit = covered(reading, span, row.text)
                tallies[span.type].hit += hit
                tallies[span.type].miss += not hit
                if not hit:
                    result.fault("masking", "shown", row, reading.masks, gold=span.value)
    for name, tally in tallies.items():
        count = tally.hit + tally.miss
        result.note("masking", f"presidio_research {name}", tally.recall, count, 1.0)


def key_shapes(reader: Reader, result: Result) -> None:
    """Made-up keys in their issuers' formats."""
    hits: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for name, text, secret in keys.samples():
        start = text.index(secret)
        span = Span("secret", start, start + len(secret), secret)
        reading = reader.read(text, role="user", question=None)
        counts[name] += 1
        hits[name] += covered(reading, span, text)
        result.inexact += reading.inexact
    total = sum(counts.values())
    result.note("masking", "key shapes", sum(hits.values()) / total, total, 1.0)
    for name in counts:
        if hits[name] < counts[name]:
            share = hits[name] / counts[name]
            result.note("key shapes below 1", name, share, counts[name])


def oracle(rows: Sequence[Row], reader: Reader, result: Result) -> None:
    """Recognizers-Text: span and normal form; negatives give nothing of their type."""
    score = Score("recognizers_text", "normal forms")
    kinds: dict[str, Tally] = {}
    negatives = kept = 0
    for row in rows:
        name = norms.row_type(row)
        if name is None:
            continue
        reading = reader.read(row.text, role="user", question=None, ref_time=row.ref_time)
        result.inexact += reading.inexact
        ours = [f for f in everything(reading) if f.type == name]
        if not row.spans:
            negatives += 1
            kept += not ours
            if ours:
                result.fault("normal forms", "negative", row, ours, type=name)
        score.add(row, ours, (name,), same=_resolved(name), counts=_in_kind(name))
        if name == "date":
            _dates(row, ours, kinds)
    result.keep(score)
    for name in ("amount", "phone", "url", "ip", "email", "date"):
        tally = score.tallies[name]
        least = 0.8 if name == "date" else 0.9
        marked = tally.hit + tally.miss
        result.note("recognizers_text", f"{name} F1", tally.f1, marked, least)
    for kind, tally in sorted(kinds.items()):
        marked = tally.hit + tally.miss
        result.note("recognizers_text", f"date recall, {kind}", tally.recall, marked)
    result.note(
        "recognizers_text", "negatives kept", kept / max(1, negatives), negatives, 1.0
    )


def _resolved(name: str) -> Any:
    return lambda item, span: exact(item, span) and norms.same(name, item.normalized, span)


def _in_kind(name: str) -> Any:
    """A currency without a number is no amount, a day that no calendar has no date."""
    if name == "amount":
        return norms.has_number
    return (lambda span: norms.date_kind(span) != "other") if name == "date" else None


def _dates(row: Row, ours: Sequence[Found], kinds: dict[str, Tally]) -> None:
    for span in row.spans:
        tally = kinds.setdefault(norms.date_kind(span), Tally())
        hit = any(_resolved("date")(f, span) for f in ours)
        tally.hit += hit
        tally.miss += not hit


def domain(rows: Sequence[Row], reader: Reader, result: Result) -> None:
    """A set read with its domain's pack."""
    name = rows[0].set
    score = Score(name, "domain pack")
    score.know(rows)
    for row in rows:
        reading = reader.read(row.text, role=row.speaker, question=None)
        result.inexact += reading.inexact
        score.add(row, everything(reading), DOMAIN[name])
    result.keep(score)
    for type_name in DOMAIN[name]:
        _quality(f"{name}, domain pack", type_name, score.tallies[type_name], 0.97, result)


def _quality(
    group: str, type_name: str, tally: Tally, least: float, result: Result
) -> None:
    """The bound is on places that a set marks at all; the plain F1 stands beside it."""
    marked = tally.hit + tally.miss
    result.note(group, f"{type_name} F1, marked places", tally.marked_f1, marked, least)
    result.note(group, f"{type_name} F1, all rows", tally.f1, marked)
