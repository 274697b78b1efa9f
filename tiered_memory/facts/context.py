"""How a value stands in its sentence: denied, asked about, supposed, quoted, whose it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.facts.context_rules import RULES, TRIGGERS
from tiered_memory.facts.re2_engine import Gate, compile_re2
from tiered_memory.facts.relations import PERSONAL, SELF, OwnerReader

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from tiered_memory.facts.lanes import TextView
    from tiered_memory.facts.re2_engine import Program
    from tiered_memory.model import Polarity

__all__ = ["ContextReader", "Standing", "Surroundings"]

REACH = 80
"""Characters looked at on each side."""

NAMED_REACH = 240
"""Characters before a pronoun in which the person is named."""

OTHER = "contact.other"
"""Whose a value is that belongs to somebody whom no word names."""

ASSISTANT = "contact.assistant"

_CLAUSE_ENDS = ",。！？；\n!?;，"
_SENTENCE_ENDS = "。！？\n!?"

_WOMEN = frozenset(
    f"contact.{who}"
    for who in ("wife", "daughter", "mother", "sister", "girlfriend", "grandmother", "aunt")
)
_MEN = frozenset(
    f"contact.{who}"
    for who in ("husband", "son", "father", "brother", "boyfriend", "grandfather", "uncle")
)

_ASKING_STARTS = frozenset("吗么嘛对是没吧号这还,? \"')”")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a value stands.

    Attributes:
        stated: False where it is only asked about, supposed or an example.
        corrects: it takes the place of a value given before.
        quoted: somebody else's words; less sure.
        reason: short code of what was decided, or "".
    """

    stated: bool = True
    polarity: Polarity = "assert"
    corrects: bool = False
    quoted: bool = False
    owner: str = SELF
    reason: str = ""


class ContextReader:
    """Reads the surroundings of values; holds only compiled expressions, thread-safe."""

    def __init__(self) -> None:
        self._gate = Gate(TRIGGERS.values())
        self._names = tuple(TRIGGERS)
        self._rules: dict[str, Program] = {
            name: compile_re2(source) for name, source in RULES.items()
        }
        self._owners = OwnerReader()

    def open(self, view: TextView) -> Surroundings:
        """Look once for words that matter in a text; most texts have few of them."""
        found = frozenset(self._names[n] for n in self._gate.matching(view.data))
        return Surroundings(view.text, found, self._rules, self._owners)


class Surroundings:
    """One text, ready to tell how the values in it stand."""

    __slots__ = ("_found", "_owners", "_rules", "_text")

    def __init__(
        self,
        text: str,
        found: Collection[str],
        rules: Mapping[str, Program],
        owners: OwnerReader,
    ) -> None:
        self._text = text
        self._found = found
        self._rules = rules
        self._owners = owners

    def standing(self, start: int, end: int, *, type_name: str, one: bool) -> Standing:
        """Judge the value at a half-open span of the folded text.

        ``one``: its key holds one value, so that "my old number" takes it back.
        """
        if not self._found:
            return Standing()
        text = self._text
        sentence = text[_sentence_start(text, start) : start]
        clause = sentence[_clause_start(sentence) :]
        after = text[end : end + REACH]
        owner = SELF
        if "relation" in self._found:
            owner = self._owner(start, sentence, clause, type_name)
        quoted = "quoted" in self._found and self._hit("quoted", sentence)
        reason = self._not_stated(sentence, clause, after)
        if "denied" in self._found and self._hit("no_such", after):
            reason = "denied"
        if "quoted" in self._found and self._cited(start):
            reason = "cited"
        if reason:
            return Standing(stated=False, owner=owner, quoted=quoted, reason=reason)
        if "denied" in self._found and self._denied(clause, after, one=one):
            return Standing(polarity="negate", owner=owner, quoted=quoted, reason="denied")
        corrects = "corrected" in self._found and self._hit(
            "corrected", text[max(0, start - REACH) : start]
        )
        return Standing(
            corrects=corrects,
            owner=owner,
            quoted=quoted,
            reason="corrected" if corrects else "",
        )

    def _hit(self, rule: str, text: str) -> bool:
        return bool(text) and self._rules[rule].search(text) is not None

    def _not_stated(self, sentence: str, clause: str, after: str) -> str:
        if "supposed" in self._found:
            if self._hit("supposed", sentence):
                return "example"
            if self._hit("supposed_if", sentence):
                return "supposed"
        if "planned" in self._found and self._hit("planned", clause):
            return "planned"
        if "asked" not in self._found:
            return ""
        asked = (
            self._hit("asked_before_zh", clause)
            or self._hit("asked_whether", clause)
            or self._asked(clause, after)
        )
        return "asked" if asked else ""

    def _asked(self, clause: str, after: str) -> bool:
        if not after or after[0] not in _ASKING_STARTS:
            return False
        if self._hit("asked_after", after) and not after.startswith("?"):
            return True
        if not self._hit("asked_before_en", clause):
            return False
        return self._hit("asked_after_en", after) or self._hit("asked_about", after)

    def _denied(self, clause: str, after: str, *, one: bool) -> bool:
        if self._hit("denied_en", clause) or self._hit("denied_zh", clause):
            return True
        if self._hit("denied_after", after):
            return True
        return one and self._hit("old", clause)

    def _cited(self, start: int) -> bool:
        """Tell whether the line is of a message that an answer repeats: ``> order …``."""
        line = self._text.rfind("\n", 0, start) + 1
        return self._text[line:start].lstrip(" \t\"'").startswith(">")

    def _owner(self, start: int, sentence: str, clause: str, type_name: str) -> str:
        owner = self._owners.owner(sentence, clause, type_name)
        if owner == ASSISTANT and self._hit("any_assistant", sentence):
            return SELF
        if owner != SELF or type_name not in PERSONAL or not self._hit("others", clause):
            return owner
        before = self._text[max(0, start - NAMED_REACH) : start]
        named = self._owners.owner(before, clause, type_name)
        if named in {SELF, ASSISTANT} or (named in _WOMEN and self._hit("male", clause)):
            return OTHER
        return OTHER if named in _MEN and self._hit("female", clause) else named


def _clause_start(sentence: str) -> int:
    for place in range(len(sentence) - 1, -1, -1):
        if sentence[place] in _CLAUSE_ENDS:
            return place + 1
    return 0


def _sentence_start(text: str, start: int) -> int:
    low = max(0, start - REACH)
    for place in range(start - 1, low - 1, -1):
        char = text[place]
        if char in _SENTENCE_ENDS or (char == "." and text[place + 1 : place + 2] == " "):
            return place + 1
    return low
