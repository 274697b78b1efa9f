"""Where a proposed value stands in the customer's words, and how it stands there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.facts.context import ContextReader
from tiered_memory.facts.lanes import TextView
from tiered_memory.facts.re2_engine import compile_re2
from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.facts.context import Standing
    from tiered_memory.text.folding import Folded

__all__ = ["PartText", "Refused", "StandingReader", "place"]

_SUPPOSED = (
    r"(?i)(?:^|[^a-z])(?:if|suppos(?:e|ing)|imagin(?:e|ing)|assum(?:e|ing)|wish|"
    r"would (?:be|have|call|name)|could (?:be|have|call)|might|maybe|perhaps|let'?s say|unless|whether|example|instance|plan(?:ning)? (?:to|on)|"
    r"thinking (?:of|about)|going to|want(?:s|ed)? to|hop(?:e|ing) to)(?:[^a-z]|$)|"
    r"如果|假如|要是|假设|倘若|万一|比如|例如|譬如|可能|也许|或许|打算|准备|想把|想给|要不要|是不是|是否"
)
_DENIED = (
    r"(?i)(?:^|[^a-z])(?:not|no|never|nor|neither|without|cannot|isnt|dont)(?:[^a-z]|$)|n't|"
    r"不|没|别|无|非|勿|未|莫"
)
"""Before a value, in its clause: the value alone would say the opposite."""
_HARMLESS = (
    "非常", "特别", "分别", "级别", "性别", "区别", "别墅", "别克", "无线", "无论", "未来", "不过",
    "不好意思", "不仅", "不但", "莫非", "没问题", "没错",
)  # fmt: skip
"""Words with a character of those that deny nothing."""
_ASKS_EN = r"(?i)^\W*(?:is|are|was|were|do|does|did|can|could|would|will|what|who|which|where|when|how|why)(?:[^a-z]|$)"

_SENTENCE_ENDS = "。！？!?\n"
_CLAUSE_ENDS = _SENTENCE_ENDS + ",，;；"
_EDGES = " \t\r\n.,;:!?。，；：！？、\"'“”‘’「」『』《》()（）"


class Refused(Exception):  # noqa: N818 (a verdict, not an error)
    """A proposal does not hold; its text is the reason's code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartText:
    """A text of a message as stored, and where in the message it is."""

    text: str
    part: str


class StandingReader:
    """Judges how values stand; holds only compiled expressions, thread-safe."""

    def __init__(self) -> None:
        self._context = ContextReader()
        self._supposed = compile_re2(_SUPPOSED)
        self._denied = compile_re2(_DENIED)
        self._asks = compile_re2(_ASKS_EN)

    def standing(
        self, text: str, start: int, end: int, type_: str, *, one: bool
    ) -> Standing:
        """Judge how the value stands: what is asked, supposed or denied is refused.

        Stricter than for patterns: there a shape or a cue speaks for the value.
        """
        low, high = _bounds(text, start, end, _SENTENCE_ENDS)
        sentence = text[low:high].rstrip(" \"'”’")
        before = text[low:start]
        clause = text[_bounds(text, start, end, _CLAUSE_ENDS)[0] : start]
        after = text[end : _bounds(text, start, end, _CLAUSE_ENDS)[1]].rstrip(" \"'”’")
        asked = sentence.endswith("?") and self._asks.search(sentence) is not None
        asked = asked or after.endswith(("?", "吗", "么", "呢"))
        if asked or self._supposed.search(before) or self._denied.search(_plain(clause)):
            raise Refused("standing")
        standing = self._context.open(TextView(text)).standing(
            start, end, type_name=type_, one=one
        )
        if not standing.stated or standing.polarity == "negate":
            raise Refused("standing")
        return standing


def _plain(clause: str) -> str:
    for word in _HARMLESS:
        clause = clause.replace(word, "")
    return clause


def place(
    quote: str, value: str, parts: Sequence[PartText]
) -> tuple[PartText, Folded, int, int]:
    """Give the part, and the half-open span of the value in its folded text.

    The value is looked for inside the quote only, as whole words.
    """
    quote = fold(quote).text.strip()
    value = fold(value).text.strip(_EDGES)
    if not quote or not value or "\n" in value:
        raise Refused("value")
    if value not in quote:
        raise Refused("value")
    said = False
    for part in parts:
        folded = fold(part.text)
        begin = folded.text.find(quote)
        while begin >= 0:
            said = True
            place = folded.text.find(value, begin, begin + len(quote))
            while place >= 0:
                if _whole(folded.text, place, place + len(value)):
                    return part, folded, place, place + len(value)
                place = folded.text.find(value, place + 1, begin + len(quote))
            begin = folded.text.find(quote, begin + 1)
    raise Refused("value" if said else "quote")


def _whole(text: str, start: int, end: int) -> bool:
    """Tell whether no Latin word or number is cut at either end."""
    left = start > 0 and _is_latin(text[start - 1]) and _is_latin(text[start])
    right = end < len(text) and _is_latin(text[end]) and _is_latin(text[end - 1])
    return not left and not right


def _is_latin(char: str) -> bool:
    return char.isalnum() and ord(char) < 0x250


def _bounds(text: str, start: int, end: int, ends: str) -> tuple[int, int]:
    """Give the half-open span of what lies between two of ``ends``, the last included."""
    low = start
    while low > 0 and not _stops(text, low - 1, ends):
        low -= 1
    high = end
    while high < len(text) and not _stops(text, high, ends):
        high += 1
    return low, min(len(text), high + 1)


def _stops(text: str, place: int, ends: str) -> bool:
    char = text[place]
    return char in ends or (char == "." and text[place + 1 : place + 2] in {" ", ""})
