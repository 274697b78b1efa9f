"""Span files: gzipped JSON lines of texts with the facts that people marked in them."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import re2

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

SKIPPED_TYPES = frozenset({"email_mangled"})

ALIASES: Mapping[str, frozenset[str]] = {
    "claim_id": frozenset({"claim_id", "ticket_no"}),
    "policy_id": frozenset({"policy_id", "policy_no", "ticket_no"}),
    "username": frozenset({"username", "account_id"}),
    "item_code": frozenset({"item_code", "sku"}),
    "iban": frozenset({"iban", "bank_account"}),
    "plate": frozenset({"plate", "plate_no"}),
    "train_id": frozenset({"train_id", "train_no", "flight_no"}),
    "date": frozenset({"date", "birthday"}),
    "amount": frozenset({"amount", "budget"}),
    "driver_license": frozenset({"driver_license", "national_id"}),
    "password": frozenset({"password", "verification_code"}),
}
"""Our types that are right for a type of a set, where the names differ."""

NUMBERED = frozenset({"phone", "card_number", "national_id", "postcode", "account_id"})
"""Types whose values have a digit."""

NOUNS: Mapping[str, str] = {
    "ssn": "national_id",
    "social": "national_id",
    "ac": "account_id",
    "credit": "card_number",
    "debit": "card_number",
    "zip": "postcode",
}
"""First letters of words that announce a type, in sets of customer service."""

_LONG = re2.compile(r"[0-9]{10,}")
_ANNOUNCED = re2.compile(
    r"\b(ssn|social security|account|acct|acc|ac|credit card|debit card|zip code|zip)"
    r"(?: (?:number|num|no|code))?(?: is)? ([0-9]{4,})\b"
)

WORDY = frozenset({"address", "person_name", "username", "org"})


@dataclass(frozen=True, slots=True)
class Span:
    """A marked value, half-open in characters."""

    type: str
    start: int
    end: int
    value: str
    norm: Any = None
    slot: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One text of a set."""

    set: str
    id: str
    lang: str
    speaker: str
    text: str
    spans: tuple[Span, ...]
    ref_time: str | None = None
    unscored: tuple[Span, ...] = ()

    @property
    def free(self) -> bool:
        """Whether nothing is marked in it."""
        return not self.spans and not self.unscored

    @property
    def types(self) -> tuple[str, ...]:
        """The types marked, each once, in the order of the text."""
        ordered = sorted(self.spans, key=lambda s: s.start)
        return tuple(dict.fromkeys(s.type for s in ordered))


def load(path: Path) -> list[Row]:
    """Read a span file; the set's name is the file's."""
    name = path.name.split(".", 1)[0]
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [_row(name, json.loads(line)) for line in lines if line.strip()]


def _row(name: str, given: dict[str, Any]) -> Row:
    spans = [
        Span(s["type"], s["start"], s["end"], s["value"], s.get("norm"), s.get("slot", ""))
        for s in given["spans"]
    ]
    return Row(
        set=name,
        id=given["id"],
        lang=given["lang"],
        speaker=given["speaker"],
        text=given["text"],
        spans=tuple(s for s in spans if s.type not in SKIPPED_TYPES),
        ref_time=given.get("ref_time"),
        unscored=tuple(s for s in spans if s.type in SKIPPED_TYPES),
    )


def pick(text: str, salt: str, count: int) -> int:
    """Give a number below ``count`` that depends on ``text`` and ``salt`` alone."""
    digest = hashlib.sha256(f"{salt}\0{text}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % count


def accepted(type_name: str) -> frozenset[str]:
    """Give our types that are right for a set's type."""
    return ALIASES.get(type_name, frozenset({type_name}))


def has_digit(text: str) -> bool:
    """Tell whether an ASCII digit is in the text."""
    return any("0" <= char <= "9" for char in text)


def contradictions(rows: Sequence[Row]) -> dict[int, str]:
    """Give, by place, why a row's gold contradicts itself or the rest of its set."""
    variants: dict[str, Counter[tuple[Span, ...]]] = defaultdict(Counter)
    usual: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        variants[_plain(row.text)][_shape(row.spans)] += 1
        for span in row.spans:
            usual[_plain(span.value)][span.type] += 1
    found: dict[int, str] = {}
    for place, row in enumerate(rows):
        reason = _within(row, usual) or _between(row, variants[_plain(row.text)])
        if reason:
            found[place] = reason
    return found


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _shape(spans: Iterable[Span]) -> tuple[Span, ...]:
    kept = (Span(s.type, s.start, s.end, s.value) for s in spans)
    return tuple(sorted(kept, key=lambda s: (s.start, s.end, s.type)))


def _within(row: Row, usual: Mapping[str, Counter[str]]) -> str:
    spans = _shape(row.spans)
    for one, two in pairwise(spans):
        if one.end > two.start and one.type != two.type:
            return "two types on the same characters"
    for span in spans:
        before, after = row.text[: span.start][-1:], row.text[span.end :][:1]
        if _joined(before, span.value[:1]) or _joined(span.value[-1:], after):
            return "the span ends inside a word"
        if span.type in NUMBERED and not has_digit(span.value):
            return f"{span.type} without a digit"
        if span.type == "address" and " " not in span.value.strip():
            return "address of one word"
        if span.type == "address" and _LONG.search(span.value):
            return "address with a telephone number in it"
        common, count = usual[_plain(span.value)].most_common(1)[0]
        here = usual[_plain(span.value)][span.type]
        if common != span.type and count > 2 * here and {common, span.type} & WORDY:
            return f"{span.type} that is {common} elsewhere"
    return _beside(row)


def _beside(row: Row) -> str:
    """Compare with the set's own use: a number right after the word for a type has it."""
    marked = (*row.spans, *row.unscored)
    for hit in _LONG.finditer(row.text):
        if not any(s.start < hit.end() and hit.start() < s.end for s in marked):
            return "ten digits or more without a mark"
    for hit in _ANNOUNCED.finditer(row.text.lower()):
        name = next(NOUNS[noun] for noun in NOUNS if hit.group(1).startswith(noun))
        start, end = hit.span(2)
        over = [s.type for s in marked if s.start < end and start < s.end]
        if not over:
            return f"{name} after its word without a mark"
        if name not in over:
            return f"{over[0]} after the word for {name}"
    return ""


def _joined(left: str, right: str) -> bool:
    pair = left + right
    return len(pair) == 2 and pair.isascii() and pair.isalnum()


def _between(row: Row, variants: Mapping[tuple[Span, ...], int]) -> str:
    """Compare with the same text elsewhere: same types, other spans, or no spans."""
    own = _shape(row.spans)
    types = {s.type for s in own}
    others = [v for v in variants if v != own]
    if not own:
        return "a fact elsewhere" if any(others) else ""
    if any({s.type for s in other} == types for other in others):
        return "the same text has other spans elsewhere"
    return ""
