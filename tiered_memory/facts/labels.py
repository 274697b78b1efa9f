"""Words that say what a value beside them is: ``ssn``, ``ac no``, ``house number``."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.facts.re2_engine import compile_re2, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tiered_memory.facts.patterns import Pattern

__all__ = ["Label", "Labels", "beside", "counted", "within"]

NOUNS = (
    (
        "phone",
        "phone contact contacts mobile cell cellphone tel telephone ph whatsapp ext extension",
    ),
    ("phone", "电话 手机 手机号 电话号码 联系方式"),
    ("card_number", "card cards visa amex 卡号 银行卡 信用卡"),
    ("national_id", "ssn social 身份证 身份证号 证件号"),
    ("passport", "passport 护照 护照号"),
    ("account_id bank_account", "account acct acc ac a/c 账号 帐号 账户"),
    ("account_id", "username login member membership 会员号 用户名"),
    ("booking_ref", "booking reservation confirmation pnr 预订号 预定号 确认号"),
    ("postcode", "zip zipcode postcode pincode 邮编 邮政编码"),
    ("address", "address addr 地址"),
    ("order_id", "order purchase 订单 订单号 单号"),
    ("tracking_no", "tracking waybill shipment parcel 运单 运单号 快递单号"),
    ("ticket_no claim_id policy_id", "ticket case claim policy 工单号 保单号"),
    ("amount", "amount price total 金额 价格 总价"),
    ("birthday", "dob birthday birthdate 生日 出生日期"),
    ("password", "password passcode pin 密码"),
    ("verification_code", "otp 验证码"),
    ("", "model house flat apartment apt suite unit room floor gate seat table invoice"),
    ("", "highway hwy route box version serial item style size qty quantity flight train"),
    ("", "height weight year age 型号 门牌 房间 房号 座位 航班 车次 楼"),
    ("", "编码 数量 尺码 年龄"),
)
"""Types, and nouns that announce a value of one of them; of none of ours where empty."""

_POINTING = frozenset(
    """
    the your what when where which who how is are name did was number order total price
    什么 哪 哪个 多少 几
    """.split()  # noqa: SIM905 (a table of words)
)
"""First words of a question's cue that is no noun of its own (``what date``)."""

BETWEEN = frozenset(
    """
    4 a an and are as be code correct digit digits ending ends for four full have here i id
    in is it it's its last my needs new no no. not num number numbers of on only s should
    that the this to was well with
    是 为 叫 号 号码 号是 的 后四位 尾号
    """.split()  # noqa: SIM905 (a table of words)
)
"""What may stand between a label and its value."""

BETWEEN_CHARS = 40
CLAUSE_ENDS = frozenset(".;!?\n。；！？")
ADDRESS = "address"
ADDRESS_CHARS = 80
"""Numbers belong to the address that was announced before them, over words."""

UNITS = (
    "gb|mb|tb|kb|am|pm|dollars?|bucks|usd|eur|euros?|rmb|cny|days?|weeks?|months?|years?|"
    "hours?|hrs?|minutes?|mins?|nights?|times|people|persons?|passengers?|adults?|kids|"
    "children|items?|pieces?|pcs|boxes|photos?|models?|series|cc|hp|cals?|calories|kgs?|"
    "grams?|lbs?|km|miles?|inch(?:es)?|percent|st|nd|rd|th|units?|tickets?|seats?|stars?|"
    "points?|credits?|rooms?|beds?|bags?|guests?|friends?|channels?|devices?|calls?|texts?|"
    "messages?|songs?|pages?|steps|reviews?|"
    "天|周|个|月|年|元|块|件|台|次|人|位|分|点|小时|号楼|栋|室|层|米|公斤|斤|克|岁|张|份|袋|箱|瓶"
)
_UNIT = compile_re2(rf"(?i)^ ?(?:(?:{UNITS})(?:[^a-z]|$)|%|°)")


@dataclass(frozen=True, slots=True)
class Label:
    """A label in a text; half-open, in characters."""

    start: int
    end: int
    types: frozenset[str]


class Labels:
    """Finds labels: our own nouns and what the slots' questions call a value."""

    def __init__(self, slots: Iterable[Pattern]) -> None:
        found: dict[str, set[str]] = {}
        for types, words in NOUNS:
            for word in words.split():
                found.setdefault(word, set()).update(types.split())
        for pattern in slots:
            slot = pattern.spec.slot
            for cue in () if slot is None else slot.cues:
                word = cue.lower()
                first = word.split()[0]
                if first not in _POINTING:
                    found.setdefault(word, set()).add(pattern.spec.type)
        self._types = {word: frozenset(types) for word, types in found.items()}
        ordered = sorted(found, key=len, reverse=True)
        latin = "|".join(quoted(word) for word in ordered if word.isascii())
        other = "|".join(quoted(word) for word in ordered if not word.isascii())
        self._program = compile_re2(rf"\b(?:{latin})\b|{other}")

    def find(self, lower: str) -> list[Label]:
        """Give the labels in a text in lower case, left to right."""
        return [
            Label(*match.span(), self._types[lower[match.start() : match.end()]])
            for match in self._program.finditer(lower)
        ]


def beside(labels: Sequence[Label], lower: str, start: int) -> Label | None:
    """Give the label that announces the value at ``start``: nothing of its own between."""
    for place in range(bisect_right(labels, start, key=_end) - 1, -1, -1):
        label = labels[place]
        between = lower[label.end : start]
        if len(between) > ADDRESS_CHARS or not CLAUSE_ENDS.isdisjoint(between):
            return None
        if ADDRESS in label.types or _joined(between):
            return label
        if label.types:
            return None
    return None


def within(labels: Sequence[Label], start: int, end: int) -> Sequence[Label]:
    """Give the labels that share characters with a half-open span."""
    first = bisect_right(labels, start, key=_end)
    last = first
    while last < len(labels) and labels[last].start < end:
        last += 1
    return labels[first:last]


def _end(label: Label) -> int:
    return label.end


def _joined(between: str) -> bool:
    if len(between) > BETWEEN_CHARS:
        return False
    words = between.replace(":", " ").replace("#", " ").replace(",", " ").split()
    return all(_joins(word) for word in words)


def _joins(word: str) -> bool:
    if word in BETWEEN:
        return True
    return not word.isascii() and all(char in "是为叫号码的：:，尾后四位" for char in word)


def counted(lower: str, end: int) -> bool:
    """Tell whether a unit follows: the digits before it count something (``500 mb``)."""
    return _UNIT.search(lower[end : end + 12]) is not None
