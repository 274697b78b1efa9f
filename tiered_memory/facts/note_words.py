"""The words of a request to remember, in both languages, as RE2 reads them."""

from __future__ import annotations

__all__ = [
    "ASKS_WHAT",
    "CALLING_ZH",
    "CLAUSAL",
    "COURTESY",
    "CUE_EN",
    "CUE_ZH",
    "HINTS",
    "NAMED_EN",
    "NAMED_ZH",
    "NO_NAME",
    "OTHER_CLAUSE",
    "OWN_EN",
    "SAME_EN",
    "SAME_ZH",
    "SECRET_NAMES",
    "THING",
    "VERBS_ZH",
]

HINTS = ("remember", "in mind", "note", "forget", "记", "忘")
"""One of them is in every text in which a cue can be; looked for first, in lower case."""

CUE_EN = (
    r"(?i)(?:^|[.!?;,:()\n\"'。、-])[ ]*"
    r"(?P<cue>(?:(?:and|but|also|so|ok|okay|hi|hello|hey|then|just|yes|well|oh|please|pls|"
    r"kindly|again|thanks|now)[ ,]{1,2}){0,3}"
    r"(?P<polite>(?:can|could|would|will) you (?:please |just |kindly |also )?|"
    r"i(?:'d| would) like you to |i (?:want|need) you to |"
    r"you (?:should|must|need to|have to) |(?:make|be) sure (?:to |you ))?(?:please )?"
    r"(?:(?P<no>(?:don'?t|do not|no need to|needn'?t|you (?:don'?t|do not) (?:have|need) to|"
    r"never) (?:remember|keep in mind|note(?: down)?)|forget(?: about)?)|"
    r"(?P<yes>always remember|remember|(?:keep|bear) in mind|make (?:a )?note|"
    r"take (?:a )?note|note down|(?:don'?t|do not|never) forget)))"
    r"(?: (?:for me|for next time|for (?:the )?future(?: reference)?|for later|please|"
    r"of this|of the following|this))?"
    r"(?P<joint>,? that(?:[ ,:]+|$)| ?: ?| - |, |[ ])"
)
CUE_ZH = (
    r"(?:^|[,.。！!?;:、\n ~…(])"
    r"(?P<cue>(?:好的?|嗯|另外|还有|对了|那|顺便|最后|你好|您好|亲|以后|下次)?[, ]?"
    r"(?P<polite>请你?您?|麻烦你?您?|帮我|帮忙|帮|给我|替我|劳烦|拜托)?"
    r"(?:一定要?|务必|你|您|要|必须|希望|能不能|能否|可不可以|可以|能|先|再|都|也|好好|帮我|给我|"
    r"替我|请){0,4}"
    r"(?:(?P<no>(?:不用|不必|不要|别|无需|不需要)(?:再|帮我|给我)?(?:记住|记下来?|记着|记)了?|"
    r"忘掉|请忘记|请忘了)|"
    r"(?P<yes>记住|牢记|记下来?|记一下|记着|(?:请|麻烦你?|帮我|务必|一定要?|要)记得|"
    r"(?P<own>别忘(?:了|记)|不要忘(?:了|记)?))))"
    r"(?:一下|一点|一件事|这件事|这个|这一点)?[哦啊呀啦哈吧]?(?P<joint>[:,\s]*)"
)

OWN_EN = r"(?i)^(?:i|we)(?: |'m |'ve |'d |'ll |’)|^(?:my|our|the) [^,;]{1,40} (?:is|are|has|have|can|can'?t|isn'?t|aren'?t|was|were|will|won'?t|needs?|lives?|goes|does|doesn'?t|don'?t|prefers?|likes?)(?: |$)|^(?:my|our) [^,;]{1,40}'s (?:called|named) "
"""A bare ``remember`` is a request only before what is told of oneself."""

THING = (
    r"(?i)^(?:order|parcel|package|time|day|week|call|email|e-mail|ticket|thing|one|guy|lady|"
    r"agent|person|man|woman|conversation|chat|item|product|issue|problem|promise|discount|"
    r"refund|code|number|phone|offer|deal|card|name|address|message|link|page|stuff|part|"
    r"for|please|too|as well|and|ok|okay)(?:[ ,.!?]|$)"
)
"""After ``remember that``: no clause, but the thing that is meant."""

ASKS_WHAT = (
    r"(?i)^(?:who|what|when|where|why|how|which|whether|if you|me|you|us|it|them|him|this|"
    r"to|anything|everything)(?:[ ,.!?]|$)|^(?:了|吗|没|么|过|不|谁|什么|哪|多少|怎么)|(?:什么|谁|哪里|多少|几号)[吗呢?]*$"
)

NAMED_EN = (
    r"(?i)^(?:my|our|the) (?P<name>[a-z][a-z0-9-]*(?: [a-z0-9-]+){0,3}?)(?:'s)?"
    r"(?: (?:name|nickname))?(?P<verb> (?:is|are) (?:called|named|known as)|"
    r"'s (?:called|named)| goes by|(?P<plain> is| are| ?[:=]))(?: |\b)(?P<value>[^'’ ].*)$"
)
NAMED_ZH = (
    r"^(?P<of>(?:我们?|本人|咱们?)(?:家)?的?)?(?P<name>[\p{Han}A-Za-z0-9]{1,12}?)(?:的?名字|的?名称)?"
    r"(?P<verb>叫做|叫作|名叫|名为|就叫|叫|称为|称作|取名|(?P<plain>是|为|[:=])) ?(?P<value>.+)$"
)
NO_NAME = frozenset(
    {
        "我", "我们", "你", "他", "她", "它", "这", "那", "这个", "那个", "名字", "姓名", "本人",
        "咱", "咱们", "人", "以后", "一下",
    }
)  # fmt: skip
VERBS_ZH = frozenset("不没别未无要去来想会能给让请帮对把被在就都也")
"""A character of them says that what stands before ``叫`` or ``是`` is no name."""
CALLING_ZH = tuple("我你他她它人车")
CLAUSAL = (
    "not ", "never ", "always ", "no longer ", "still ", "also ", "supposed ", "going ",
    "coming ", "being ", "only ", "allowed ", "unable ", "too ", "very ", "so ",
)  # fmt: skip

OTHER_CLAUSE = r"(?i) (?:and|but|so|because|since|which|who|while) (?:i|it|he|she|we|they|you|my|the|that|please|is|are|has|will|can)(?: |'|$)| (?:but|because) "

COURTESY = r"(?i)[\s,，、]*(?:,? (?:please|thanks|thank you|ok|okay|right|alright)|,? ?(?:谢谢你?您?|多谢|好吗|好不好|可以吗|行吗|好吧|哦|啊|呀|哈|噢|喔|嘛))[\s.!?。！~]*$"

SAME_EN = (
    r"(?i)^(?:(?:my|our|the) [a-z' -]{1,30}?(?: is| are| number is|:)? ?|i(?:'m| am) )$"
)
SAME_ZH = r"^(?:我们?(?:的[\p{Han}]{1,8})?(?:是|为|叫|:)?|[\p{Han}]{1,8}(?:是|为|:)) ?$"
"""What stands before a fact that says all that the clause says."""

SECRET_NAMES = (
    "password", "passcode", "passphrase", "pin", "pin code", "cvv", "cvc", "otp", "secret",
    "token", "api key", "密码", "口令", "验证码", "暗号", "密钥", "密保",
)  # fmt: skip
