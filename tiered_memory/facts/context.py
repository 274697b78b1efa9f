"""How a value stands in its sentence: denied, asked about, supposed, quoted, whose it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.facts.re2_engine import Gate, compile_re2
from tiered_memory.facts.relations import PERSONAL, RELATION_WORDS, SELF, OwnerReader

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

_LIGHT = (
    r"(?:my|the|our|your|his|her|their|an?|this|that|it|is|was|at|on|to|from|number|no|id|"
    r"code|order|orders|phone|e-?mail|address|account|booking|reservation|tracking|ticket|"
    r"case|name|mobile|cell|one|called|anymore|old|previous|use|using)"
)

_DENIED_EN = (
    r"(?i)(?:^|[^a-z'])(?:not|isn'?t|wasn'?t|aren'?t|no longer|instead of|rather than|"
    r"(?:don'?t|do not|never|stop|please don'?t|can'?t|cannot|won'?t) "
    r"(?:use|call|text|e-?mail|contact|ring|dial|using|calling|reach me (?:at|on)|"
    r"send(?: it| them| this| anything)?(?: to)?|ship(?: it)?(?: to)?|"
    r"deliver(?: it)?(?: to)?|sending(?: it)?(?: to)?)|ignore|forget)"
    r"(?:[ :#\"'(]+" + _LIGHT + r")*[ :#\"'(]*$"
)
_DENIED_ZH = (
    r"(?:^|[^是要还])(?:不是|并非|不再是|不再用|别用|别打|别再打|别再用|别联系|不要用|不要打|不要再用|"
    r"不要寄到?|不要送到?|不要发到?|别寄到?|别送到?|别发到?|停用了?)[^了没收到还买]{0,8}$"
)
_DENIED_AFTER = (
    r"(?i)^[\"')”]*\s*(?:(?:is|was|'s) (?:wrong|incorrect|not (?:my|the|mine|right|correct|"
    r"valid)|no longer|an? (?:old|typo|mistake)|outdated|cancel+ed by mistake)|isn'?t "
    r"(?:my|mine|right|correct|valid)|(?:这个|那个)?(?:号码?|订单号?|邮箱|地址)?"
    r"(?:不对|错了|是错的|写错了|打错了|不用了|不再用|已停用|停用了|作废|已作废|不是我的))"
)
_OLD = (
    r"(?i)(?:(?:^|[^a-z])(?:old|previous|former)(?:[ :]+" + _LIGHT + r")*[ :]*$|"
    r"(?:以前|原来|之前|旧)的?(?:电话|手机|邮箱|地址|号码|名字|联系方式)*号?码?(?:是|:)?$)"
)
_SUPPOSED = (
    r"(?i)(?:比如|例如|譬如|譬如说|举个例子|举例|类似|好比|格式[是为像:]|e\.g\.?|(?:^|[^a-z])(?:"
    r"for (?:example|instance)|such as|something like|say,?|imagine|suppose|hypothetically|"
    r"formatted? (?:is|like|as)|looks? like|an? (?:example|sample))(?:[^a-z]|$))[^。！？!?\n]{0,24}$"
)
_SUPPOSED_IF = (
    r"(?i)(?:(?:如果|假如|要是|假设|倘若|万一|若)[^。！？!?\n]{0,12}(?:是|为|换成|改成|叫|用)|"
    r"(?:^|[^a-z])(?:if|what if|assuming|suppose|supposing)[^。！？!?\n]{0,30}"
    r"(?:is|was|were|be|had|to|change[sd]? (?:it )?to|use[sd]?))[ :#\"']*$"
)
_ASKED_AFTER = (
    r"(?i)^[\"')”]*(?:号|这个|这单)?(?:吗|么|嘛|对吗|对吧|对不对|是吗|是吧|没错吧|吧?\?)"
)
_ASKED_AFTER_EN = r"(?i)^[\"')”]*\s*(?:,? ?(?:right|correct|yes|no|ok|is (?:that|it) (?:right|correct))\s*)?\?"
_ASKED_BEFORE_EN = (
    r"(?i)^\W*(?:so |and |but |or |wait )*(?:is|was|are|isn'?t|wasn'?t|do|does|did|should|"
    r"could|would|shall|have)(?: (?:it|you|i|we|that|this|they|be|not|have|got|use|say))*"
    r"(?:[ :#\"'(]+" + _LIGHT + r")*[ :#\"'(]*$"
)
_ASKED_BEFORE_ZH = r"(?:是不是|是否是?|难道是|该不会是)[^。！？!?\n]{0,6}$"
_ASKED_ABOUT = (
    r"(?i)^\s*(?:the |my |your |still |really )*(?:number|one|code|id|address|e-?mail|"
    r"correct|right|on file)[^.!\n]{0,40}\?"
)
_CORRECTED = (
    r"(?i)(?:(?:^|[^a-z])(?:actually|correction|i meant?|i mean|should (?:be|have been|read)|"
    r"(?:the )?(?:correct|right) (?:one|number|order|code|address|e-?mail|phone|id)"
    r"(?: (?:number|address|id|code))?(?: is|:)?|"
    r"changed? (?:it |this |that |my \w+ |the \w+ )?to|update (?:it |my \w+ |the \w+ )?to|"
    r"(?:sorry|no|oops|wait),? (?:it'?s|it is|that'?s|my|the)|"
    r"no,? wait|wait,? no|no,? sorry|sorry,? no|(?:scratch|strike|make) that|"
    r"my (?:bad|mistake)|(?:sorry|oops|no),? wrong (?:one|order|number|code|id)[.,:!])"
    r"(?:[ ,.:;!#\"'(-]+(?:it'?s|that'?s|sorry|no|wait|should be|" + _LIGHT + r"))*"
    r"[ ,.:;!#\"'(-]*$|"
    r"(?:不对|等等|等一下|等下|哦不|噢不|啊不|搞混了)[,，。.! ]*(?:我的|应该|其实|订单|号码?|单号|电话|手机)*是"
    r"[^。！？!?\n]{0,8}$|(?:哦不|噢不|啊不)[,，。.! ]*(?:我的|订单|号码?|单号|电话|手机)*[ :]*$|"
    r"(?:其实是|实际是|应该是|应为|更正为?|正确的?是|正确的?[^。！？!?\n]{0,6}是|改成|改为|换成|换为|更新为|更换为|"
    r"(?:说|写|打|发|搞|弄|记)错了?[,，。! ]*(?:应该)?是?|不对[,，! ]*是|而是)[^。！？!?\n]{0,8}$)"
)
_QUOTED = (
    r"(?i)(?:(?:客服|你们|对方|短信|系统|他们|卖家|商家)(?:说|写|回复|告诉我|提示|发来)[^。！？!?\n]{0,20}$|"
    r"(?:^|[^a-z])(?:agent|assistant|(?:chat)?bot|rep|representative|they|message|email|sms|he|she|colleague)"
    r" (?:said|says|told me|wrote|replied)[^.!?\n]{0,40}$)"
)

_OTHERS = (
    r"(?i)(?:(?:^|[^a-z])(?:his|her|their) (?:(?:new|own|work|home|cell|mobile|phone|contact|direct|email|shipping|full|first|last|account) ){0,2}(?:number|phone|mobile|cell|e-?mail|"
    r"address|name|birthday|account|passport|id|zip|postcode)(?:[^a-z]|$)|"
    r"(?:^|[^a-z])(?:call|reach|text|e-?mail|contact|ring|phone|dial) (?:him|her|them) "
    r"(?:at|on|via)[ :]|"
    r"(?:[她他]们?|(?:^|[^A-Za-z])TA|对方)的?(?:收货|手机|联系|家庭|电子)?"
    r"(?:电话|手机|号码|号|邮箱|地址|姓名|名字|微信|方式|生日|身份证|账号))[^,，;；]{0,24}$"
)
"""A value of somebody whom only a pronoun names."""

_MALE = r"(?i)(?:^|[^a-z])(?:his|him)(?:[^a-z]|$)|他"
_FEMALE = r"(?i)(?:^|[^a-z])her(?:[^a-z]|$)|她"
_WOMEN = frozenset(
    f"contact.{who}"
    for who in ("wife", "daughter", "mother", "sister", "girlfriend", "grandmother", "aunt")
)
_MEN = frozenset(
    f"contact.{who}"
    for who in ("husband", "son", "father", "brother", "boyfriend", "grandfather", "uncle")
)

_ANY_ASSISTANT = (
    r"(?i)(?:^|[^a-z])(?:the|an?|this|that|your|ai) (?:\w+ ){0,2}?assistant[^,;]*$"
)
"""The one spoken to, where no word says that the customer has one."""

_RULES: Mapping[str, str] = {
    "denied_en": _DENIED_EN,
    "denied_zh": _DENIED_ZH,
    "denied_after": _DENIED_AFTER,
    "old": _OLD,
    "supposed": _SUPPOSED,
    "supposed_if": _SUPPOSED_IF,
    "asked_after": _ASKED_AFTER,
    "asked_after_en": _ASKED_AFTER_EN,
    "asked_before_en": _ASKED_BEFORE_EN,
    "asked_before_zh": _ASKED_BEFORE_ZH,
    "asked_about": _ASKED_ABOUT,
    "corrected": _CORRECTED,
    "quoted": _QUOTED,
    "others": _OTHERS,
    "any_assistant": _ANY_ASSISTANT,
    "male": _MALE,
    "female": _FEMALE,
}

_TRIGGERS: Mapping[str, str] = {
    "denied": (
        r"(?i)不是|并非|不再|别|不要|停用|不对|错|不用|作废|以前|原来|之前|旧|not|n'?t|no longer|"
        r"instead|rather|never|stop|ignore|forget|wrong|incorrect|outdated|old|previous|former|"
        r"cancel"
    ),
    "asked": r"[?吗么嘛]|对吧|对不对|是吧|没错吧|是不是|是否|难道|该不会",
    "supposed": (
        r"(?i)比如|例如|譬如|举个?例|类似|好比|格式|如果|假如|要是|假设|倘若|万一|若|e\.g|example|"
        r"instance|such as|something like|say|imagine|suppos|hypothetic|format|look|sample|"
        r"if|assuming"
    ),
    "corrected": (
        r"(?i)actually|correct|right|mean|should|chang|updat|sorry|\bno\b|oops|wait|其实|实际|应该是|"
        r"应为|更正|正确|改|换|更新|错|不对|而是|scratch|strike|make|mistake|bad|wrong|等等|等一下|"
        r"等下|哦不|噢不|啊不|搞混"
    ),
    "quoted": r"(?im)^[ \t\"']*>|说|写|回复|告诉|提示|发来|said|says|told|wrote|replied",
    "relation": RELATION_WORDS + "|her|his|their|him|them|[她他]|TA|对方",
}
"""Words without which no rule of a group can hold: looked for once in a text."""

_ASKING_STARTS = frozenset("吗么嘛对是没吧号这,? \"')”")


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
        self._gate = Gate(_TRIGGERS.values())
        self._names = tuple(_TRIGGERS)
        self._rules: dict[str, Program] = {
            name: compile_re2(source) for name, source in _RULES.items()
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
        if "asked" not in self._found:
            return ""
        asked = self._hit("asked_before_zh", clause) or self._asked(clause, after)
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
