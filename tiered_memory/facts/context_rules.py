"""The expressions by which `context` judges how a value stands; RE2, on folded text.

All are our own, written from sentences of customer service in both languages. One that
ends in ``$`` looks at what is before the value, one that begins with ``^`` at what follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.facts.relations import RELATION_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["RULES", "TRIGGERS"]

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
    r"deliver(?: it)?(?: to)?|sending(?: it)?(?: to)?)|ignore|forget|delete|remove|erase|"
    r"(?:wrong|old|incorrect) ?:)"
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
    r"(?:不对|错了|是错的|写错了|打错了|不用了|不再用|已停用|停用了|作废|已作废|不是我的)|"
    r"(?:这个|那个)?(?:号码?|邮箱|地址)?(?:给我|帮我|请)?(?:删掉|删除|删了|去掉|移除|清除))"
)
_NO_SUCH = (
    r"(?i)^[\"')”]*(?:\s*(?:(?:does|do)(?:n'?t| not)|never) (?:look|sound|seem)s?(?: (?:like|to be|as))?|"
    r"\s*(?:is|was) (?:not|hardly) (?:even )?an?(?: (?:real|valid|proper|working|actual))? "
    r"(?:phone|telephone|mobile|number|e-?mail|address|order|code|link|date|card)|"
    r"\s*isn'?t (?:even )?an?(?: (?:real|valid|proper|working|actual))? "
    r"(?:phone|telephone|mobile|number|e-?mail|address|order|code|link|date|card)|"
    r"(?:看(?:起来|上去|着|样子)?|感觉|好像|似乎|根本|压根|明显|显然|这|都|也|并)*"
    r"不(?:太|大)?(?:像是?|是)(?:一?个|什么|真的|有效的?|正常的?|正确的?)*"
    r"(?:电话|手机|座机|号码|邮箱|邮件|地址|网址|链接|订单|单号|日期|卡号))"
)
"""What is said not to be a value of its kind is none."""
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
    r"(?:^|[^a-z])(?:if|what if|assuming|suppose|supposing)[^a-z。！？!?\n][^。！？!?\n]{0,30}"
    r"(?:is|was|were|be|had|to|change[sd]? (?:it )?to|use[sd]?))[ :#\"']*$"
)
_ASKED_AFTER = (
    r"(?i)^[\"')”]*(?:号|这个|这单|这个号码?)?(?:是(?:我的|对的|正确的?|这个|你们的?)[^，。！？!?\n]{0,6})?"
    r"(?:吗|么|嘛|对吗|对吧|对不对|是吗|是吧|没错吧|吧?\?| ?还是 ?[A-Za-z0-9])"
)
_ASKED_AFTER_EN = r"(?i)^[\"')”]*\s*(?:,? ?(?:right|correct|yes|no|ok|is (?:that|it) (?:right|correct))\s*)?\?"
_ASKED_BEFORE_EN = (
    r"(?i)^\W*(?:so |and |but |or |wait )*(?:is|was|are|isn'?t|wasn'?t|do|does|did|should|"
    r"could|would|shall|have)(?: (?:it|you|i|we|that|this|they|be|not|have|got|use|say))*"
    r"(?:[ :#\"'(]+" + _LIGHT + r")*[ :#\"'(]*$"
)
_ASKED_BEFORE_ZH = (
    r"(?:是不是|是否是?|难道是|该不会是)[^。！？!?\n]{0,6}$|"
    r"(?:要不要|用不用|需不需要|该不该|应不应该)[^。！？!?\n]{0,12}(?:给|用|填|提供|写|发|寄|送|报)"
    r"[^。！？!?\n]{0,12}$"
)
_ASKED_WHETHER = (
    r"(?i)^\W*(?:so |and |but |or |wait )*(?:is|was|isn'?t|wasn'?t) (?:it|this|that)"
    r"(?:[ :#\"'(]+" + _LIGHT + r")*[ :#\"'(]*$|"
    r"^\W*(?:so |and |but |or )*(?:should|shall|do|would|could|may|can) (?:i|we) "
    r"(?:use|put|enter|write|type|say|send|ship|need|call|try)"
    r"(?: (?:you|it|in|to|down))*(?:[ :#\"'(]+" + _LIGHT + r")*[ :#\"'(]+"
    r"(?:[^ ]{1,60} or (?:" + _LIGHT + r" )*)?$|[A-Za-z0-9] ?还是 ?$"
)
"""A question by its order of words, with its mark or without."""

_PLANNED = (
    r"(?i)(?:打算|想过|考虑|可能会?|也许会?|或许会?|大概会|以后想|将来|犹豫)"
    r"[^。！？!?\n,，]{0,8}(?:换|改|搬|迁|用|注册|转)[^。！？!?\n,，]{0,10}$|"
    r"(?:^|[^a-z])(?:thinking (?:of|about)|consider(?:ing)?|planning (?:to|on)|plan to|might|"
    r"may|maybe i'?ll|perhaps i'?ll|was going to|wondering (?:if|whether)|someday|"
    r"not sure (?:if|whether))[^.!?\n,]{0,24}(?:[^a-z](?:to|at|as|use|using|into|for|with))"
    r"(?:[ :#\"'(]+" + _LIGHT + r")*[ :#\"'(]*$"
)
"""What is not decided yet is no fact."""
_ASKED_ABOUT = (
    r"(?i)^\s*(?:the |my |your |still |really )*(?:number|one|code|id|address|e-?mail|"
    r"correct|right|on file)[^.!\n]{0,40}\?"
)
_CORRECTED = (
    r"(?i)(?:(?:^|[^a-z])(?:actually|correction|i meant?|i mean|should (?:be|have been|read)|"
    r"(?:the )?(?:correct|right) (?:one|number|order|code|address|e-?mail|phone|id)"
    r"(?: (?:number|address|id|code))?(?: is|:)?|"
    r"(?:make|move) it(?: to)?|changed? (?:it |this |that |my \w+ |the \w+ )?to|update (?:it |my \w+ |the \w+ )?to|"
    r"(?:sorry|no|oops|wait),? (?:it'?s|it is|that'?s|my|the)|"
    r"no,? wait|wait,? no|no,? sorry|sorry,? no|(?:scratch|strike|make) that|"
    r"my (?:bad|mistake)|(?:sorry|oops|no),? wrong (?:one|order|number|code|id)[.,:!]|"
    r"(?:but|and|[,;.]) i meant?|(?:sorry|oops)[ ,.:;!-]{1,3}$)"
    r"(?:[ ,.:;!#\"'(-]+(?:it'?s|that'?s|sorry|no|wait|should be|" + _LIGHT + r"))*"
    r"[ ,.:;!#\"'(-]*$|"
    r"(?:不对|等等|等一下|等下|哦不|噢不|啊不|搞混了)[,，。.! ]*(?:我的|应该|其实|订单|号码?|单号|电话|手机)*是"
    r"[^。！？!?\n]{0,8}$|(?:哦不|噢不|啊不)[,，。.! ]*(?:我的|订单|号码?|单号|电话|手机)*[ :]*$|"
    r"(?:改|换)到[^，,。；;！？!?\n]{0,8}$|"
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
_ANY_ASSISTANT = (
    r"(?i)(?:^|[^a-z])(?:the|an?|this|that|your|ai) (?:\w+ ){0,2}?assistant[^,;]*$"
)
"""The one spoken to, where no word says that the customer has one."""

RULES: Mapping[str, str] = {
    "denied_en": _DENIED_EN,
    "denied_zh": _DENIED_ZH,
    "denied_after": _DENIED_AFTER,
    "no_such": _NO_SUCH,
    "old": _OLD,
    "supposed": _SUPPOSED,
    "supposed_if": _SUPPOSED_IF,
    "asked_after": _ASKED_AFTER,
    "asked_after_en": _ASKED_AFTER_EN,
    "asked_before_en": _ASKED_BEFORE_EN,
    "asked_before_zh": _ASKED_BEFORE_ZH,
    "asked_whether": _ASKED_WHETHER,
    "planned": _PLANNED,
    "asked_about": _ASKED_ABOUT,
    "corrected": _CORRECTED,
    "quoted": _QUOTED,
    "others": _OTHERS,
    "any_assistant": _ANY_ASSISTANT,
    "male": _MALE,
    "female": _FEMALE,
}

TRIGGERS: Mapping[str, str] = {
    "denied": (
        r"(?i)不是|并非|不再|别|不要|停用|不对|错|不用|作废|以前|原来|之前|旧|not|n'?t|no longer|"
        r"instead|rather|never|stop|ignore|forget|delete|remove|erase|wrong|incorrect|outdated|"
        r"old|previous|former|cancel|删|去掉|移除|清除|不像|不太像|不大像|不太是"
    ),
    "asked": (
        r"(?i)[?吗么嘛]|对吧|对不对|是吧|没错吧|是不是|是否|难道|该不会|要不要|用不用|需不需要|"
        r"该不该|应不应该|还是|(?:is|was|isn'?t|wasn'?t) (?:it|this|that)|"
        r"(?:should|shall|do|would|could|may|can) (?:i|we) "
    ),
    "planned": (
        r"(?i)打算|想过|考虑|可能|也许|或许|大概会|以后想|将来|犹豫|thinking|consider|plan|"
        r"might|may|perhaps|going to|wondering|someday|not sure"
    ),
    "supposed": (
        r"(?i)比如|例如|譬如|举个?例|类似|好比|格式|如果|假如|要是|假设|倘若|万一|若|e\.g|example|"
        r"instance|such as|something like|say|imagine|suppos|hypothetic|format|look|sample|"
        r"if|assuming"
    ),
    "corrected": (
        r"(?i)actually|correct|right|mean|should|chang|updat|sorry|(?:^|[^a-z])no(?:[^a-z]|$)|oops|wait|其实|实际|应该是|"
        r"应为|更正|正确|改|换|更新|错|不对|而是|scratch|strike|make|move|mistake|bad|wrong|等等|等一下|"
        r"等下|哦不|噢不|啊不|搞混"
    ),
    "quoted": r"(?im)^[ \t\"']*>|说|写|回复|告诉|提示|发来|said|says|told|wrote|replied",
    "relation": RELATION_WORDS + "|her|his|their|him|them|[她他]|TA|对方",
}
"""Words without which no rule of a group can hold: looked for once in a text."""
