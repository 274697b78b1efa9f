"""Words that tell what a sentence of a service conversation is about, in zh and en."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["AGENT", "CUSTOMER", "LEAST_TOKENS", "amounts", "has_amount", "weight"]

LEAST_TOKENS: Final = 6
"""No sentence worth keeping is shorter."""

CUSTOMER: Final[Sequence[tuple[float, tuple[str, ...]]]] = (
    (
        5.0,
        (
            *(
                "do not ",
                "don't ",
                "don’t ",
                "never ",
                "not to ",
                "only ",
                "must ",
                "always ",
            ),
            *("prefer", "rather ", "allerg", "instead of", "no longer", "at the latest"),
            *(
                "不要",
                "别",
                "只能",
                "只要",
                "必须",
                "务必",
                "千万",
                "过敏",
                "宁愿",
                "更喜欢",
            ),
            *("不想", "不能", "不接受", "一定要", "最好", "请用", "以后都"),
        ),
    ),
    (
        3.0,
        (
            *("refund", "exchange", "cancel", "return ", "change ", "replace", "complain"),
            *(
                "i want",
                "i need",
                "i would like",
                "i'd like",
                "please ",
                "can you",
                "could you",
            ),
            *(
                "退款",
                "退货",
                "换货",
                "取消",
                "修改",
                "改成",
                "投诉",
                "赔偿",
                "补发",
                "发票",
            ),
            *("我想", "我要", "希望", "麻烦", "帮我", "能不能", "可以吗", "请帮"),
        ),
    ),
    (
        2.0,
        ("actually", "i meant", "not correct", "wrong", "更正", "说错", "写错", "应该是"),
    ),
    (1.5, ("my ", "urgent", "deadline", "我的", "着急", "尽快", "急")),
)
"""Constraints and preferences, requests, corrections, own matters."""

AGENT: Final[Sequence[tuple[float, tuple[str, ...]]]] = (
    (
        3.0,
        (
            *(
                "confirm",
                "approved",
                "refunded",
                "cancelled",
                "canceled",
                "replaced",
                "booked",
            ),
            *("issued", "declined", "not possible", "not eligible", "agreed", "promise"),
            *(
                "已确认",
                "确认",
                "已退款",
                "已取消",
                "已同意",
                "批准",
                "拒绝",
                "无法",
                "不支持",
            ),
            *("已为您", "已经为您", "已补发", "已修改", "承诺"),
        ),
    ),
    (
        1.5,
        (
            *("i have ", "we have ", "will ", "within ", "until ", "ticket", "noted"),
            *("会在", "将在", "之内", "以内", "工单", "登记", "备注", "提交"),
        ),
    ),
    (
        -3.0,
        (
            *(
                "sorry",
                "apolog",
                "anything else",
                "how can i help",
                "have a nice",
                "thank you",
            ),
            *("抱歉", "不好意思", "其他可以帮", "还有什么", "祝您", "感谢您"),
        ),
    ),
)
"""Decisions, undertakings; apologies and courtesies weigh less than nothing."""

_SIGNS = "¥￥$€£"
_UNITS = ("元", "块", "美元", "欧元", "usd", "eur", "cny", "rmb", "dollars", "euros", "%")


def weight(lowered: str, table: Sequence[tuple[float, tuple[str, ...]]]) -> float:
    """Give the sum of the groups of ``table`` of which a word stands in the text."""
    return sum(points for points, words in table if any(word in lowered for word in words))


def has_amount(text: str) -> bool:
    """Tell whether an amount of money stands in ``text``."""
    return bool(amounts(text))


def amounts(text: str) -> list[str]:
    """Give the amounts of money as they are written (``¥12.50``, ``30元``); linear."""
    found: list[str] = []
    place = 0
    while place < len(text):
        if not _digit(text[place]):
            place += 1
            continue
        end = place + 1
        while end < len(text) and (
            _digit(text[end]) or (text[end] in ".," and _digit(text[end + 1 : end + 2]))
        ):
            end += 1
        before = place - 1
        while before >= 0 and text[before] == " ":
            before -= 1
        signed = before >= 0 and text[before] in _SIGNS
        rest = text[end : end + 10].lower()
        unit = next((u for u in _UNITS[:-1] if rest.lstrip(" ").startswith(u)), "")
        if signed or unit:
            gap = len(rest) - len(rest.lstrip(" "))
            start = before if signed else place
            found.append(text[start : end + (gap + len(unit) if unit else 0)])
        place = end
    return found


def _digit(char: str) -> bool:
    return "0" <= char <= "9"
