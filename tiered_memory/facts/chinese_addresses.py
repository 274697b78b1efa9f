"""Where a Chinese address begins and ends, and which replies are one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.facts.re2_engine import compile_re2
from tiered_memory.facts.readings import Reading

if TYPE_CHECKING:
    from collections.abc import Collection

    from tiered_memory.facts.re2_engine import Found

__all__ = ["answers", "extent"]

_HAN = "㐀-鿿"
_NUMBER = r"[0-9A-Za-z一二三四五六七八九十百甲乙丙丁-]{1,8}"
_UNIT = r"(?:号楼|号院|号馆|单元|大厦|大楼|广场|小区|花园|公寓|商场|市场|家园|新村|号|室|栋|幢|座|弄|楼|层|门|房|苑|院|城|店|村|组|厂)"
_TAIL = compile_re2(
    rf"(?:[ ,]?[{_HAN}]{{0,12}}?{_NUMBER}{_UNIT}|[{_HAN}]{{0,8}}?"
    rf"(?:大厦|大楼|广场|小区|花园|公寓|商场|市场|家园|新村|苑|院内|门口?|楼|店)|"
    rf"\([{_HAN}0-9A-Za-z、·]{{2,24}}\)|[东南西北]{{1,2}}侧?角?)"
)
_START = compile_re2(
    r"(?:位于|坐落于?|地址[是为在:]{0,2}|(?P<at>在)[一-鿿]{2,3}[省市区县]|邮政?编码?[是为:]{0,2}[0-9A-Za-z ]{0,8}|[和及]邮政编码[是为]?)"
)
_STOP = compile_re2(
    r"就行|就可以|可以|谢谢|麻烦|电话|手机|邮编|邮政|收件|收货|联系|姓名|请|吗|吧|呢|啊|哦|[我您你他她]"
)
_CODE = compile_re2(rf"(?P<code>[是为在]?[A-Za-z][A-Za-z0-9]*)[{_HAN}]{{2}}|[是为]")
_ASKED = compile_re2("哪|什么|怎么|多少|几点")
_UNITS = "省市区县镇乡村路街道巷弄号栋幢楼室院座层组里桥胡同"
_STRONG = compile_re2(r"[省市区县州镇乡村路街道巷弄里园苑]")
_HOUSE = compile_re2(rf"[0-9一二三四五六七八九十]{{1,6}}-?[0-9]{{0,4}}{_UNIT}")
_REGION = compile_re2("[省市区县]")
_STREET = compile_re2("[路街道巷弄镇乡村里]")
_TALK = compile_re2("[是的都吗了没]|附近|周边|包括|有(?:[^限]|$)|等$")
_CHARS = rf"[{_HAN}0-9A-Za-z()#·/-]"
_PARTS = compile_re2(
    rf"(?:{_CHARS}*[0-9A-Za-z] (?:[号弄栋幢座楼层院组室]|单元))+{_CHARS}*|{_CHARS}+"
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
    start = _behind_leads(text, start, end)
    if code := _CODE.match(text, start, end):
        start = _cut(code, "code")
    if _ASKED.search(text, start, end):
        return None
    if (stop := _stop(text, start + 4, end)) >= 0:
        end = stop
    while part := _TAIL.match(text, end, min(len(text), end + 40)):
        said = part.group()
        if _stop(said) >= 0 or said[0] in " ,":
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
        stop = _stop(said)
        if stop >= 0:
            said = said[:stop]
        belongs = any(c in _UNITS for c in said) or said.endswith("单元")
        if start < 0 and belongs and _STRONG.search(said):
            start, end = part.start(), part.start() + len(said)
        elif start >= 0 and belongs and text[end : part.start()] in _JOINTS:
            end = part.start() + len(said)
        elif start >= 0:
            break
        if start >= 0 and stop >= 0:
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


def _behind_leads(text: str, start: int, end: int) -> int:
    """Give where the last words that lead to an address end."""
    place = start
    while lead := _START.search(text, place, end):
        place = _cut(lead, "at")
        start = place if place < end else start
    return start


def _cut(found: Found, name: str) -> int:
    """Give the end of a group, of the match where the group took no part."""
    number = found.number(name)
    end = found.span(number)[1]
    return found.end() if end < 0 else end


def _stop(text: str, start: int = 0, end: int | None = None) -> int:
    """Give where talk begins behind an address, or -1; a bar (``酒吧``) is none."""
    while found := _STOP.search(text, start, end):
        place = found.start()
        if found.group() != "吧" or text[place - 1 : place] != "酒":
            return place
        start = found.end()
    return -1


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
