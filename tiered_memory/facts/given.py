"""Values that the application gives: checked, masked and normalised as a customer's are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.errors import MessageError
from tiered_memory.facts.corrections import ALTERNATE
from tiered_memory.facts.normal_forms import NORMALIZERS
from tiered_memory.model import Candidate
from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.facts.masking import Masker
    from tiered_memory.facts.patterns import Pattern, PatternSet
    from tiered_memory.facts.pseudonyms import Pseudonyms
    from tiered_memory.model import Cardinality

__all__ = ["PATTERN", "GivenValues"]

PATTERN = "api"
"""Stands where a candidate names its pattern."""

HINT = "****"
"""In a marker of masking: some characters of the value are left."""


class GivenValues:
    """Makes candidates of what no text says; pure, holds only the patterns."""

    def __init__(self, patterns: PatternSet, masker: Masker) -> None:
        self._patterns = patterns.patterns
        self._masker = masker

    def candidate(
        self,
        key: str,
        value: str,
        *,
        owner: str,
        type_name: str | None = None,
        cardinality: Cardinality | None = None,
        confidence: float = 1.0,
        pseudonyms: Pseudonyms | None = None,
    ) -> Candidate:
        """Give the candidate of a value that the application sets.

        Type, normal form and cardinality are those of the packs where they know the key;
        else the type is the key, and letters' case and outer spaces do not count.
        ``pseudonyms`` of the session take in a value that is to have one.

        Raises:
            MessageError: the value is none of its type, or may not be stored.
        """
        patterns = self._of(key, type_name)
        chosen, form = self._read(patterns, value)
        if form is None:
            raise MessageError(
                f"value is nothing that {type_name or key} can be; give one that its "
                "patterns know, or use a key of your own",
                field="value",
            )
        masked = any(pattern.sensitive for pattern in patterns)
        shown = self._shown(patterns, value, pseudonyms) if masked else value
        if masked and shown is None:
            raise MessageError(
                f"{type_name or key} is not stored, as its masking says; keep it elsewhere",
                field="value",
            )
        if not masked:
            self._check(key, value)
        one = chosen is None or chosen.spec.cardinality == "one"
        if key.endswith(ALTERNATE):
            one = False
        return Candidate(
            type=type_name or (key if chosen is None else chosen.spec.type),
            key=key,
            owner=owner,
            value=shown or value,
            normalized=(shown or value) if masked else form,
            part="",
            start=0,
            end=0,
            confidence=confidence,
            source="api",
            pattern=PATTERN,
            cardinality=cardinality or ("one" if one else "many"),
            masked=masked,
            identifier=chosen is not None
            and chosen.spec.identifier
            and (not masked or chosen.action == "pseudonym"),
        )

    def denials(
        self,
        key: str,
        value: str | None,
        *,
        owner: str,
        pseudonyms: Pseudonyms | None = None,
    ) -> tuple[Candidate, ...]:
        """Give the candidates that take a value back, or all of the key without one."""
        forms = ("",) if value is None else self.forms(key, value, pseudonyms)
        return tuple(
            Candidate(
                type=key,
                key=key,
                owner=owner,
                value="",
                normalized=form,
                part="",
                start=0,
                end=0,
                source="api",
                pattern=PATTERN,
                polarity="negate",
            )
            for form in forms
        )

    def forms(
        self, key: str, value: str, pseudonyms: Pseudonyms | None = None
    ) -> tuple[str, ...]:
        """Give the normal forms under which a value of the key may be stored.

        A type that is masked is stored, and so found, by what its marker shows, or by
        the session's pseudonym; where that is nothing of the value, there is no form.
        """
        patterns = self._of(key, None)
        if any(pattern.sensitive for pattern in patterns):
            shown = self._shown(patterns, value, pseudonyms)
            told = shown is not None and (HINT in shown or self._masker.pseudonyms(shown))
            return (shown,) if shown is not None and told else ()
        folded = fold(value).text.strip()
        found = [pattern.normalizer(folded) for pattern in patterns]
        found.append(NORMALIZERS["text"](folded))
        return tuple(dict.fromkeys(form for form in found if form is not None))

    def _of(self, key: str, type_name: str | None) -> Sequence[Pattern]:
        base = key.removesuffix(ALTERNATE)
        same = [p for p in self._patterns if p.spec.fact_key == base]
        if type_name is not None:
            same = [p for p in same if p.spec.type == type_name]
        wanted = type_name or base
        return same or [p for p in self._patterns if p.spec.type == wanted]

    def _read(
        self, patterns: Sequence[Pattern], value: str
    ) -> tuple[Pattern | None, str | None]:
        folded = fold(value).text.strip()
        for pattern in patterns:
            form = pattern.normalizer(folded)
            if form is not None:
                return pattern, form
        if patterns:
            return patterns[0], None
        return None, NORMALIZERS["text"](folded)

    def _shown(
        self, patterns: Sequence[Pattern], value: str, pseudonyms: Pseudonyms | None
    ) -> str | None:
        """Give what stands in the place of a value; None where nothing may be stored."""
        allowed = (
            {"store", "mask"} if pseudonyms is None else {"store", "mask", "pseudonym"}
        )
        if any(pattern.action not in allowed for pattern in patterns):
            return None
        expected = tuple(dict.fromkeys(p.spec.type for p in patterns if p.sensitive))
        masked = self._masker.mask(value.strip(), expected, pseudonyms=pseudonyms)
        whole = [(0, len(masked.text))]
        return masked.text if self._masker.markers(masked.text) == whole else None

    def _check(self, key: str, value: str) -> None:
        """Refuse what would be masked in a message, also by what its key says.

        Raises:
            MessageError: it holds a secret.
        """
        for text in (value, f"{key}: {value}"):
            masked = self._masker.mask(text)
            if masked.marks or not masked.complete:
                raise MessageError(
                    "value holds a secret (a card number, a key …), which is never stored",
                    field="value",
                )
