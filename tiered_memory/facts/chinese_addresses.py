"""Where a Chinese address begins and ends, and which replies are one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tiered_memory.facts.readings import Reading

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["answers", "extent"]

_HAN = "㐀-鿿"
_NUMBER = r"[0-9A-Za-z一二三四五六七八九十百甲乙丙丁-]{1,8}"
_UNIT = r"(?:号楼|号院|号馆|单元|大厦|大楼|广场|小区|花园|公寓|商场|市场|家园|新村|号|室|栋|幢|座|弄|楼|层|门|房|苑|院|城|店|村|组|厂)"
_TAIL = re.compile(
    rf"(?:[ ,]?[{_HAN}]{{0,12}}?{_NUMBER}{_UNIT}|[{_HAN}]{{0,8}}?"
    rf"(?:大厦|大楼|广场|小区|花园|公寓|商场|市场|家园|新村|苑|院内|门口?|楼|店)|"
    rf"\([{_HAN}0-9A-Za-z、·]{{2,24}}\)|[东南西北]{{1,2}}侧?角?)"
)
_START = re.compile(
    r"(?:位于|坐落于?|地址[是为在:]{0,2}|在(?=[一-鿿]{2,3}[省市区县])|邮政?编码?[是为:]{0,2}[0-9A-Za-z ]{0,8}|[和及]邮政编码[是为]?)"
)
_STOP = re.compile(
    r"就行|就可以|可以|谢谢|麻烦|电话|手机|邮编|邮政|收件|收货|联系|姓名|请|吗|(?<!酒)吧|呢|啊|哦|[我您你他她]"
)
_CODE = re.compile(rf"[是为在]?[A-Za-z][A-Za-z0-9]*(?=[{_HAN}]{{2}})|[是为]")
_ASKED = re.compile("哪|什么|怎么|多少|几点")
_UNITS = "省市区县镇乡村路街道巷弄号栋幢楼室院座层组里桥胡同"
_STRONG = re.compile(r"[省市区县州镇乡村路街道巷弄里园苑]")
_HOUSE = re.compile(rf"[0-9一二三四五六七八九十]{{1,6}}-?[0-9]{{0,4}}{_UNIT}")
_REGION = re.compile("[省市区县]")
_STREET = re.compile("[路街道巷弄镇乡村里]")
_TALK = re.compile("[是的都吗了没]|附近|周边|包括|有(?!限)|等$")
_PARTS = re.compile(
    rf"(?:[{_HAN}0-9A-Za-z()#·/-]|(?<=[0-9A-Za-z]) (?=[号弄栋幢座楼层院组室]|单元))+"
)
_JOINTS = frozenset(("", " ", ",", ", ", "，", "、", "\n"))
_PADDING = " \t\r\n,.;!~，。；！～"
_FILLERS = (
    "您好", "你好", "好的", "嗯", "是的", "可以", "我的地址是", "收货地址是", "收货地址", "地址是", "地址在", "地址", "寄到",
    "送到", "发到", "寄往", "我住在", "我在", "住在", "改成", "改为", "换成", "新地址是", "新地址", "就是", "是", "在", ":",
)  # fmt: skip


def extent(
    text: str, start: int, end: int, expected: Collection[str] = ()
) -> tuple[int, int] | None:
    """Cut what leads to the address, and read on to its last house, stair and room."""
    del expected
    for lead in _START.finditer(text, start, end):
        start = lead.end() if lead.end() < end else start
    if code := _CODE.match(text, start, end):
        start = code.end()
    if _ASKED.search(text, start, end):
        return None
    if stop := _STOP.search(text, start + 4, end):
        end = stop.start()
    while part := _TAIL.match(text, end, min(len(text), end + 40)):
        said = part.group()
        if _STOP.search(said) or said[0] in " ,":
            break
        end = part.end()
    while start < end and text[end - 1] in "、 ,(":
        end -= 1
    return (start, end) if end - start >= 4 else None


def answers(text: str, expected: Collection[str]) -> list[Reading]:
    """Give the address in a reply to ``地址是哪里？``: two units, or one with a number."""
    del expected
    start = end = -1
    for part in _PARTS.finditer(text, _opened(text), 200):
        said = part.group()
        stop = _STOP.search(said)
        if stop:
            said = said[: stop.start()]
        belongs = any(c in _UNITS for c in said) or said.endswith("单元")
        if start < 0 and belongs and _STRONG.search(said):
            start, end = part.start(), part.start() + len(said)
        elif start >= 0 and belongs and text[end : part.start()] in _JOINTS:
            end = part.start() + len(said)
        elif start >= 0:
            break
        if start >= 0 and stop:
            break
    value = text[start:end] if start >= 0 else ""
    if sum(c in _UNITS for c in value) < 2 or _TALK.search(value):
        return []
    if not _HOUSE.search(value.replace(" ", "")) and not (
        _REGION.search(value) and _STREET.search(value)
    ):
        return []
    before, after = text[_opened(text) : start], text[end:]
    return [Reading(start, end, whole=not before and not after.strip(_PADDING))]


def _opened(text: str) -> int:
    place, moved = 0, True
    while moved:
        moved = False
        while place < len(text) and text[place] in _PADDING:
            place += 1
        for word in _FILLERS:
            if text.startswith(word, place):
                place, moved = place + len(word), True
                break
    return place
