"""Identifiers in any role's text: what a summary may not reword."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from tiered_memory.facts.choosing import settled
from tiered_memory.facts.json_leaves import json_leaves, key_words, leaf_text, raw_offsets
from tiered_memory.facts.lanes import TextView, Timer
from tiered_memory.facts.matches import find_matches
from tiered_memory.model import Identifier
from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.facts.json_leaves import Leaf, LeafText
    from tiered_memory.facts.masking import Masker
    from tiered_memory.facts.matches import Match
    from tiered_memory.facts.patterns import Pattern, PatternSet

__all__ = ["IdentifierReader"]

ID_WORDS = frozenset(
    {"id", "ids", "no", "number", "numbers", "num", "code", "codes", "ref"}
)
"""Last word of a key whose value is an identifier."""

MIN_CHARS = 4
MAX_CHARS = 64
CUED_PRIORITY = 80

_TOKEN = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-#./:")


class IdentifierReader:
    """Finds identifiers by the patterns and, in JSON, by the names of keys."""

    def __init__(self, patterns: PatternSet, masker: Masker) -> None:
        self._scan = patterns.facts
        self._masker = masker
        self._keys = {name: p.spec.fact_key for name, p in patterns.types().items()}
        self._by_word: dict[str, Pattern] = {}
        for pattern in patterns.facts.patterns:
            if pattern.spec.identifier:
                words = key_words(pattern.spec.type).split()
                self._by_word.setdefault(pattern.spec.type, pattern)
                if words[-1] in ID_WORDS and len(words) > 1:
                    self._by_word.setdefault(" ".join(words[:-1]), pattern)

    def read(self, text: str) -> list[Identifier]:
        """Give them left to right, disjoint; spans are in ``text``, escapes included.

        A value of a JSON text is given as it is after reading its escapes.
        """
        leaves = json_leaves(text)
        found = self._plain(text) if leaves is None else self._json(text, leaf_text(leaves))
        hidden = self._hidden(text)
        return sorted((*found, *hidden), key=lambda i: i.start) if hidden else found

    def _hidden(self, text: str) -> list[Identifier]:
        """Give the pseudonyms, which stand for identifiers and for other values alike."""
        return [
            Identifier(
                type=type_name,
                key=self._keys.get(type_name, type_name),
                value=text[start:end],
                normalized=text[start:end],
                start=start,
                end=end,
            )
            for start, end, type_name in self._masker.pseudonyms(text)
        ]

    def _matches(self, text: str) -> list[tuple[int, int, Match]]:
        folded = fold(text)
        found = find_matches(self._scan, TextView(folded.text), Timer())
        blocked = [folded.folded_span(*span) for span in self._masker.markers(text)]
        return [
            (*folded.raw_span(match.start, match.end), match)
            for match in settled(found, blocked)
        ]

    def _plain(self, text: str) -> list[Identifier]:
        found: list[Identifier] = []
        for start, end, match in self._matches(text):
            spec = match.pattern.spec
            if spec.identifier and not (found and start < found[-1].end):
                found.append(
                    Identifier(
                        type=spec.type,
                        key=spec.fact_key,
                        value=text[start:end],
                        normalized=match.normalized,
                        start=start,
                        end=end,
                    )
                )
        return found

    def _json(self, text: str, layout: LeafText) -> list[Identifier]:
        by_leaf: dict[int, list[tuple[int, int, Match]]] = {}
        for start, end, match in self._matches(layout.text):
            number = bisect_right(layout.starts, start) - 1
            if number >= 0 and end <= layout.ends[number]:
                shift = layout.starts[number]
                by_leaf.setdefault(number, []).append((start - shift, end - shift, match))
        found: list[Identifier] = []
        for number, leaf in enumerate(layout.leaves):
            found += self._of_leaf(text, leaf, by_leaf.get(number, ()))
        return found

    def _of_leaf(
        self, text: str, leaf: Leaf, matches: Sequence[tuple[int, int, Match]]
    ) -> list[Identifier]:
        whole = next((m for s, e, m in matches if (s, e) == (0, len(leaf.value))), None)
        named = self._named(leaf, whole)
        if named is not None:
            key, normalized = named
            inset = 1 if leaf.quoted else 0
            return [
                Identifier(
                    type=key,
                    key=key,
                    value=leaf.value,
                    normalized=normalized,
                    start=leaf.start + inset,
                    end=leaf.end - inset,
                )
            ]
        return self._in_leaf(text, leaf, matches)

    def _in_leaf(
        self, text: str, leaf: Leaf, matches: Sequence[tuple[int, int, Match]]
    ) -> list[Identifier]:
        wanted = [item for item in matches if item[2].pattern.spec.identifier]
        if not wanted:
            return []
        token = text[leaf.start : leaf.end]
        plain = not leaf.quoted or len(token) == len(leaf.value) + 2
        inset = 1 if leaf.quoted else 0
        offsets = None if plain else raw_offsets(token)
        found: list[Identifier] = []
        for start, end, match in wanted:
            low = start + inset if offsets is None else offsets[start]
            high = end + inset if offsets is None else offsets[end]
            if found and leaf.start + low < found[-1].end:
                continue
            if not leaf.quoted and (start, end) != (0, len(leaf.value)):
                continue
            found.append(
                Identifier(
                    type=match.pattern.spec.type,
                    key=match.pattern.spec.fact_key,
                    value=leaf.value[start:end],
                    normalized=match.normalized,
                    start=leaf.start + low,
                    end=leaf.start + high,
                )
            )
        return found

    def _named(self, leaf: Leaf, whole: Match | None) -> tuple[str, str] | None:
        """Give key and normal form of a value whose key says that it is an identifier."""
        words = key_words(leaf.key).split()
        if not words or words[-1] not in ID_WORDS or not _looks_like_id(leaf.value):
            return None
        if whole is not None and whole.pattern.spec.identifier:
            type_words = key_words(whole.pattern.spec.type).split()
            if whole.priority >= CUED_PRIORITY or type_words[0] in words:
                return None
        base = " ".join(words[:-1])
        pattern = self._by_word.get(base) or self._by_word.get("_".join(words))
        if pattern is not None:
            normalized = pattern.normalizer(fold(leaf.value).text)
            if normalized is not None:
                return pattern.spec.fact_key, normalized
        return _key(words), leaf.value.upper()


def _key(words: Sequence[str]) -> str:
    name = "_".join("".join(c for c in word if c.isalnum()) for word in words)[:64]
    return name if name[:1].isalpha() else f"k_{name}"[:64]


def _looks_like_id(value: str) -> bool:
    return (
        MIN_CHARS <= len(value) <= MAX_CHARS
        and _TOKEN.issuperset(value)
        and any(char.isdigit() for char in value)
    )
