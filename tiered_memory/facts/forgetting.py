"""The customer wants a value forgotten without saying it: ``forget my number``."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from tiered_memory.facts.re2_engine import Gate, compile_re2
from tiered_memory.facts.relations import SELF, owner_named, relatives
from tiered_memory.model import Candidate
from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Forgetting"]

PATTERN = "forget"
"""Stands where a candidate names its pattern."""

# What a person is reached and known by. Whoever wants an order or an account deleted
# wants something done to it, not forgotten.
_TYPES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "phone": (
            "phone number", "phone", "mobile number", "mobile", "cell number", "cell phone",
            "cellphone", "telephone number", "telephone", "contact number", "number",
            "手机号码", "手机号", "手机", "电话号码", "电话", "联系电话", "联系方式", "号码",
        ),
        "email": (
            "email address", "e-mail address", "email", "e-mail", "mail address",
            "邮箱地址", "邮箱", "电子邮箱", "电子邮件", "邮件地址",
        ),
        "address": (
            "home address", "shipping address", "delivery address", "postal address", "address",
            "收货地址", "家庭住址", "家庭地址", "地址", "住址",
        ),
        "person_name": ("full name", "real name", "name", "姓名", "名字", "真实姓名", "全名"),
        "birthday": (
            "date of birth", "birth date", "birthday", "出生日期", "生日",
        ),
    }
)  # fmt: skip
_WHAT = "|".join(
    sorted((name for names in _TYPES.values() for name in names), key=len, reverse=True)
)

_POLITE_EN = (
    r"(?:(?:please|pls|just|and|so|then|also|now|kindly|ok|okay|can you|could you|would you|"
    r"will you|you can|you may|i want you to|i'd like you to|i would like you to)[ ,]+)*"
)
_VERB_EN = (
    r"(?:forget(?: about)?|delete|remove|erase|wipe|"
    r"(?:don'?t|do not|never|stop) (?:keep|keeping|store|storing|save|saving|remember|"
    r"remembering))"
)
_VERB_ZH = r"(?:忘掉|删除|删掉|删了|清除|抹掉)"
_KEEP_ZH = r"(?:不要|别|不用|停止)(?:再|继续)?(?:保存|记录|保留|储存|存|记住|记|使用|用)"
_RULES = (
    r"(?i)(?:^|[.,;!?\n。])[ ]*"
    + _POLITE_EN
    + _VERB_EN
    + r" (?:all )?my (?:(?P<who>LATIN)'?s )?"
    r"(?:old |new |current )?(?P<what>WHAT)(?:[^a-z0-9'-]|$)",
    r"(?:^|[。,;!?，\n ])(?:请|麻烦|帮我|帮忙|你们?|您|可以|能不能|能否|那|就|现在|以后|也){0,4}"
    r"(?:" + _VERB_ZH + "|" + _KEEP_ZH + r")(?:一下)?WHOSE(?P<what>WHAT)",
    r"(?:请|麻烦|你们?|您)(?:忘记|忘了)WHOSE(?P<what>WHAT)",
    r"(?:^|[^么何样才法])把WHOSE(?P<what>WHAT)(?:信息|资料)?(?:都|给|从[^,。]{1,8})?"
    r"(?:忘了|忘记|" + _VERB_ZH + r")",
)


class Forgetting:
    """Finds such wishes; holds only compiled expressions, thread-safe."""

    def __init__(self) -> None:
        latin, han = relatives()
        whose = f"(?:我的?|(?:我的?)?(?P<who>{han})的?)"
        sources = [
            rule.replace("WHAT", _WHAT).replace("WHOSE", whose).replace("LATIN", latin)
            for rule in _RULES
        ]
        self._gate = Gate(sources)
        self._rules = [compile_re2(source) for source in sources]
        self._types = {name: of for of, names in _TYPES.items() for name in names}

    def read(self, text: str, *, part: str, index: int) -> list[Candidate]:
        """Give a candidate for each key that is to be taken back, whatever its value."""
        folded = fold(text)
        found: list[Candidate] = []
        for number in self._gate.matching(folded.text.encode("utf-8", "replace")):
            rule = self._rules[number]
            groups = rule.groupindex
            for match in rule.finditer(folded.text):
                span = match.span(groups["what"])
                who = folded.text[slice(*match.span(groups["who"]))].lower()
                key = self._types[folded.text[span[0] : span[1]].lower()]
                start, end = folded.raw_span(*span)
                found.append(
                    Candidate(
                        type=key,
                        key=key,
                        owner=owner_named(who) if who else SELF,
                        value=text[start:end],
                        normalized="",
                        part=part,
                        start=start,
                        end=end,
                        index=index,
                        pattern=PATTERN,
                        polarity="negate",
                        why={"standing": "forget"},
                    )
                )
        return sorted(found, key=lambda c: c.start)
