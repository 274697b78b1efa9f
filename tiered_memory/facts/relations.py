"""Whose a value is: the customer's own, or somebody's that a sentence names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.facts.re2_engine import compile_re2

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tiered_memory.facts.re2_engine import Found

__all__ = ["RELATION_WORDS", "SELF", "OwnerReader", "owner_named", "relatives"]

SELF = "self"

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

_SERVANTS: Mapping[str, str] = {
    "快递员": "courier", "快递小哥": "courier", "骑手": "courier", "外卖员": "courier",
    "司机": "driver", "师傅": "driver", "客服": "agent", "卖家": "seller", "商家": "seller",
    "店家": "seller", "客户": "client", "租客": "tenant", "医生": "doctor", "老师": "teacher",
    "courier": "courier", "driver": "driver", "rider": "courier", "agent": "agent",
    "representative": "agent", "seller": "seller", "client": "client", "tenant": "tenant",
    "doctor": "doctor", "teacher": "teacher",
}  # fmt: skip
"""Those who are spoken of without owning what follows: "the agent said that order …".

A value is theirs only right behind a possessive: "the driver's number is".
"""

PERSONAL = frozenset(
    {
        "account_id", "address", "birthday", "email", "mentioned_person", "national_id",
        "passport", "person_name", "phone", "postcode",
    }
)  # fmt: skip
"""Types that belong to a person named in an earlier clause of the sentence."""

RELATION_WORDS = "(?i)" + "|".join(
    sorted({**_RELATIONS, **_SERVANTS}, key=len, reverse=True)
)
"""An expression that is in every text in which somebody is named."""

_SELF_WORDS = r"(?i)(?:^|[^a-z])(?:my|mine|i|i'm|me)(?:[^a-z]|$)|我的|我自己|本人|我叫|我是|我电话|我手机"


class OwnerReader:
    """Finds the person that a value belongs to; holds only compiled expressions."""

    def __init__(self) -> None:
        latin, han = _alternatives(_RELATIONS)
        served, served_han = _alternatives(_SERVANTS)
        self._relation = compile_re2(
            r"(?i)(?:^|[^a-z])(?:my|our|his|her|a|the) (?:\w+ ){0,2}?(" + latin + r")"
            r"(?:'s|s')?(?:[^a-z]|$)|(" + han + r")"
        )
        self._servant = compile_re2(
            r"(?i)(?:^|[^a-z])(?:my|our|his|her|a|the|your) (?:\w+ ){0,2}?(" + served + r")"
            r"'s? (?:\w+ ){0,3}(?:is|was|on|at|to|:)?[ :]*$|"
            r"("
            + served_han
            + r")的?(?:联系|手机|收货)?(?:电话|手机|号码?|微信|邮箱|名字|姓名|地址)"
            r"[^,，;；]{0,12}$"
        )
        self._self = compile_re2(_SELF_WORDS)

    def owner(self, sentence: str, clause: str, type_name: str) -> str:
        """Give ``contact.wife`` for "my wife's number is", else ``self``.

        ``sentence`` and ``clause`` end where the value begins. Types that belong to a
        person are looked for in the whole sentence: "表妹叫李娜，电话是 …".
        """
        if type_name in PERSONAL:
            servant = self._servant.search(clause)
            if servant is not None:
                return f"contact.{_SERVANTS[_word(servant, clause)]}"
        scope = sentence if type_name in PERSONAL else clause
        named = list(self._relation.finditer(scope))
        last = named[-1] if named else None
        if last is None or self._self.search(scope[last.end() :]) is not None:
            return SELF
        return f"contact.{_RELATIONS[_word(last, scope)]}"


def relatives() -> tuple[str, str]:
    """Give the English and the Chinese words for somebody, as alternations."""
    return _alternatives(_RELATIONS)


def owner_named(word: str) -> str:
    """Give ``contact.wife`` for a word of ``relatives``, in lower case."""
    return f"contact.{_RELATIONS[word]}"


def _alternatives(words: Iterable[str]) -> tuple[str, str]:
    """Give the Latin and the Han words as alternations, longest first."""
    ranked = sorted(words, key=len, reverse=True)
    latin = "|".join(word for word in ranked if word.isascii())
    return latin, "|".join(word for word in ranked if not word.isascii())


def _word(found: Found, text: str) -> str:
    start, end = found.span(1 if found.span(1)[0] >= 0 else 2)
    return text[start:end].lower()
