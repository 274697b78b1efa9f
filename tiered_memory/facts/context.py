"""How a value stands in its sentence: denied, asked about, supposed, quoted, whose it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import re2

from tiered_memory.model import Polarity

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ContextReader", "Standing"]

REACH = 80
"""Characters looked at on each side."""

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
_ASKED_AFTER = r"(?i)^[\"')”]*(?:号|这个|这单)?(?:吗|么|嘛|对吗|对吧|对不对|是吗|是吧|没错吧|吧?\?)"
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
    r"(?:sorry|no|oops|wait),? (?:it'?s|it is|that'?s|my|the))"
    r"(?:[ ,:#\"'(]+(?:it'?s|" + _LIGHT + r"))*[ ,:#\"'(]*$|"
    r"(?:其实是|实际是|应该是|应为|更正为?|正确的?是|正确的?[^。！？!?\n]{0,6}是|改成|改为|换成|换为|更新为|更换为|"
    r"(?:说|写|打|发|搞|弄|记)错了?[,，。! ]*(?:应该)?是?|不对[,，! ]*是|而是)[^。！？!?\n]{0,8}$)"
)
_QUOTED = (
    r"(?i)(?:(?:客服|你们|对方|短信|系统|他们|卖家|商家)(?:说|写|回复|告诉我|提示|发来)[^。！？!?\n]{0,20}$|"
    r"(?:^|[^a-z])(?:agent|rep|representative|they|message|email|sms|he|she|colleague)"
    r" (?:said|says|told me|wrote|replied)[^.!?\n]{0,40}$)"
)

_RELATIONS: Mapping[str, str] = {
    "老婆": "wife", "妻子": "wife", "太太": "wife", "媳妇": "wife", "夫人": "wife",
    "老公": "husband", "丈夫": "husband", "爱人": "spouse", "儿子": "son",
    "女儿": "daughter", "闺女": "daughter", "孩子": "child", "妈妈": "mother",
    "母亲": "mother", "老妈": "mother", "我妈": "mother", "爸爸": "father",
    "父亲": "father", "老爸": "father", "我爸": "father", "哥哥": "brother",
    "弟弟": "brother", "姐姐": "sister", "妹妹": "sister", "表妹": "cousin",
    "表姐": "cousin", "表哥": "cousin", "表弟": "cousin", "堂妹": "cousin",
    "堂姐": "cousin", "堂哥": "cousin", "堂弟": "cousin", "我哥": "brother",
    "我姐": "sister", "我弟": "brother", "我妹": "sister", "朋友": "friend",
    "同学": "classmate", "同事": "colleague", "老板": "boss", "领导": "boss",
    "邻居": "neighbour", "女朋友": "girlfriend", "男朋友": "boyfriend", "室友": "roommate",
    "奶奶": "grandmother", "爷爷": "grandfather", "外婆": "grandmother",
    "外公": "grandfather", "舅舅": "uncle", "叔叔": "uncle", "阿姨": "aunt",
    "姑姑": "aunt", "岳父": "father_in_law", "岳母": "mother_in_law", "助理": "assistant",
    "秘书": "secretary", "房东": "landlord",
    "wife": "wife", "husband": "husband", "spouse": "spouse", "son": "son",
    "daughter": "daughter", "kid": "child", "child": "child", "mother": "mother",
    "mom": "mother", "mum": "mother", "father": "father", "dad": "father",
    "brother": "brother", "sister": "sister", "cousin": "cousin", "friend": "friend",
    "classmate": "classmate", "colleague": "colleague", "coworker": "colleague",
    "co-worker": "colleague", "boss": "boss", "manager": "boss", "neighbor": "neighbour",
    "neighbour": "neighbour", "girlfriend": "girlfriend", "boyfriend": "boyfriend",
    "roommate": "roommate", "flatmate": "roommate", "grandmother": "grandmother",
    "grandma": "grandmother", "grandfather": "grandfather", "grandpa": "grandfather",
    "uncle": "uncle", "aunt": "aunt", "partner": "partner", "fiance": "fiance",
    "fiancee": "fiance", "assistant": "assistant", "secretary": "secretary",
    "landlord": "landlord",
}  # fmt: skip
"""A word for somebody to the relation that an owner is named by."""

PERSONAL = frozenset(
    {
        "account_id", "address", "birthday", "email", "mentioned_person", "national_id",
        "passport", "person_name", "phone", "postcode",
    }
)  # fmt: skip
"""Types that belong to a person named in an earlier clause of the sentence."""


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
    owner: str = "self"
    reason: str = ""


class ContextReader:
    """Reads the surroundings of values; holds only compiled expressions, thread-safe."""

    def __init__(self) -> None:
        options = re2.Options()
        options.log_errors = False
        names = {
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
        }
        self._rules: dict[str, Any] = {
            name: re2.compile(text, options) for name, text in names.items()
        }
        words = sorted(_RELATIONS, key=len, reverse=True)
        latin = "|".join(w for w in words if w.isascii())
        han = "|".join(w for w in words if not w.isascii())
        self._relation = re2.compile(
            r"(?i)(?:(?:^|[^a-z])(?:my|our|his|her|a|the) (?:\w+ ){0,2}?(?P<en>"
            + latin
            + r")(?:'s|s')?(?:[^a-z]|$)|(?P<zh>"
            + han
            + r"))",
            options,
        )
        self._self = re2.compile(
            r"(?i)(?:^|[^a-z])(?:my|mine|i|i'm|me)(?:[^a-z]|$)|我的|我自己|本人|我叫|我是|我电话|我手机"
        )

    def read(
        self, text: str, start: int, end: int, *, type_name: str, one: bool
    ) -> Standing:
        """Judge the value at a half-open span of the folded ``text``.

        ``one``: its key holds one value, so that "my old number" takes it back.
        """
        sentence = text[_sentence_start(text, start) : start]
        clause = sentence[_clause_start(sentence) :]
        after = text[end : end + REACH]
        owner = self._owner(sentence, clause, type_name)
        quoted = self._quoted(text, start, sentence)
        reason = self._not_stated(sentence, clause, after)
        if reason:
            return Standing(stated=False, owner=owner, quoted=quoted, reason=reason)
        if self._denied(clause, after, one=one):
            return Standing(polarity="negate", owner=owner, quoted=quoted, reason="denied")
        corrects = self._hit("corrected", text[max(0, start - REACH) : start])
        return Standing(
            corrects=corrects,
            owner=owner,
            quoted=quoted,
            reason="corrected" if corrects else "",
        )

    def _hit(self, rule: str, text: str) -> bool:
        return bool(text) and self._rules[rule].search(text) is not None

    def _not_stated(self, sentence: str, clause: str, after: str) -> str:
        if self._hit("supposed", sentence):
            return "example"
        if self._hit("supposed_if", sentence):
            return "supposed"
        if self._hit("asked_before_zh", clause):
            return "asked"
        if after and self._asked(clause, after):
            return "asked"
        return ""

    def _asked(self, clause: str, after: str) -> bool:
        if after[0] not in "吗么嘛对是没吧号这,? \"')”":
            return False
        if self._hit("asked_after", after) and not after.startswith("?"):
            return True
        before = self._hit("asked_before_en", clause)
        if not before:
            return False
        return self._hit("asked_after_en", after) or self._hit("asked_about", after)

    def _denied(self, clause: str, after: str, *, one: bool) -> bool:
        if self._hit("denied_en", clause) or self._hit("denied_zh", clause):
            return True
        if self._hit("denied_after", after):
            return True
        return one and self._hit("old", clause)

    def _quoted(self, text: str, start: int, sentence: str) -> bool:
        line = text.rfind("\n", 0, start) + 1
        if text.startswith(">", line):
            return True
        return self._hit("quoted", sentence)

    def _owner(self, sentence: str, clause: str, type_name: str) -> str:
        scope = sentence if type_name in PERSONAL else clause
        last: Any = None
        for found in self._relation.finditer(scope):
            last = found
        if last is None:
            return "self"
        if self._self.search(scope[last.end() :]) is not None:
            return "self"
        word = last.group("en") or last.group("zh")
        return f"contact.{_RELATIONS[word.lower()]}"


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
