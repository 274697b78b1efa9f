"""The form in which two spellings of one value are equal; None where it is no value."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from tiered_memory.facts.amounts import parse_amount
from tiered_memory.facts.clock_times import clock
from tiered_memory.facts.dates import parse_date, parse_month_first
from tiered_memory.facts.phones import parse_phone
from tiered_memory.facts.spoken_digits import spoken_digits
from tiered_memory.facts.spoken_forms import (
    compact,
    count,
    ip,
    language,
    measure,
    percent,
    text,
    time_zone,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tiered_memory.facts.calendar_steps import Reference

__all__ = ["NORMALIZERS", "NOT_NAMES", "RESOLVERS"]

NOT_NAMES = frozenset(
    """
    a about account actually address after again ahead all also an and any are as at back
    be been best but bye calling can card cancel card changed charged code confirm correct
    customer date day dear do done email fine first for from glad go going good great
    happy having he hello help her here hey hi him his how i id if in interested is it its
    just know last let like looking made maam madam male female mail me mine my name need
    new no nope none not nothing now number of ok okay on one only or order our out over
    password phone please pleased question ready really right sad same she sir so sorry
    still sure thank thanks that the their them then there these they thing this those to
    today tomorrow too trying unable unhappy up upset using very waiting want was we well
    what when where which who why will with wrong yeah yep yes yesterday yet you your
    是 好 好的 您好 你好 谢谢 不是 没有 可以 号码 手机 手机号 电话 地址 姓名 名字 订单 先生
    女士 小姐 客服 本人 什么 学生 老师 用户 会员 客户 顾客 收货人 收件人 买家 卖家 快递
    """.split()  # noqa: SIM905 (a table of words)
)
"""Words that stand where a name could, in answers and labels, and never are one."""

_TITLES_BEFORE = (
    "mr.", "mrs.", "ms.", "dr.", "mr", "mrs", "ms", "miss", "dr", "prof", "sir", "madam",
)  # fmt: skip
_TITLES_AFTER = ("先生", "女士", "小姐", "太太", "同志", "老师", "师傅")


def keep(value: str) -> str | None:
    """Give the value without outer spaces."""
    return value.strip() or None


def upper(value: str) -> str | None:
    """Give the value in upper case, outer spaces gone."""
    return value.strip().upper() or None


def lower(value: str) -> str | None:
    """Give the value in lower case, outer spaces gone."""
    return value.strip().lower() or None


def digits(value: str) -> str | None:
    """Give the ASCII digits alone, those said in words too."""
    return spoken_digits(value) or "".join(c for c in value if "0" <= c <= "9") or None


def identifier(value: str) -> str | None:
    """Give the value in upper case without ``#`` and spaces: ``#w 12`` is ``W12``."""
    return "".join(c for c in value.upper() if c != "#" and not c.isspace()) or None


def e164(value: str) -> str | None:
    """Give ``+8613800138000`` or ``+14155552671;ext=12``; digits alone without a country.

    Source: ITU-T E.164; ``;ext=`` as in RFC 3966.
    """
    found = parse_phone(value)
    if found is None:
        return None
    number = f"+{found.country}{found.digits}" if found.country else found.digits
    return f"{number};ext={found.extension}" if found.extension else number


def email(value: str) -> str | None:
    """Give the address with its domain in lower case; the local part is kept.

    Spoken ``li at example dot com`` becomes ``li@example.com``.
    """
    if "@" not in value:
        for said, sign in ((" at ", "@"), ("(at)", "@"), ("[at]", "@"), (" dot ", ".")):
            value = value.replace(said, sign).replace(said.upper(), sign)
        value = value.replace("(dot)", ".").replace("[dot]", ".").replace(" ", "")
    local, at, domain = value.strip().rpartition("@")
    return f"{local}@{domain.lower()}" if at and local and domain else None


def amount(value: str) -> str | None:
    """Give ``1299.00 CNY``; a range as ``100.00-200.00 CNY``; None for vague ones."""
    found = parse_amount(value)
    return None if found is None else found.text()


def person_name(value: str) -> str | None:
    """Give the name without title, one space between words, lower case."""
    words = value.replace("\t", " ").strip(" .,").lower().split()
    while words and words[0] in _TITLES_BEFORE:
        del words[0]
    name = " ".join(words)
    for title in _TITLES_AFTER:
        if name.endswith(title) and len(name) > len(title) + 1:
            name = name.removesuffix(title).rstrip()
            break
    return None if not name or name in NOT_NAMES else name


def address(value: str) -> str | None:
    """Give the address with white space collapsed; none is kept beside Han characters."""
    words = value.strip(" ,.;").split()
    out = ""
    for word in words:
        joint = bool(out) and ord(out[-1]) < 0x2E80 and ord(word[0]) < 0x2E80
        out += f" {word}" if joint else word
    return out.lower() or None


NORMALIZERS: Mapping[str, Callable[[str], str | None]] = MappingProxyType(
    {
        "address": address,
        "amount": amount,
        "compact": compact,
        "date": parse_date,
        "date_month_first": parse_month_first,
        "digits": digits,
        "e164": e164,
        "email": email,
        "identifier": identifier,
        "ip": ip,
        "language": language,
        "lower": lower,
        "measure": measure,
        "none": keep,
        "percent": percent,
        "person_name": person_name,
        "quantity": count,
        "text": text,
        "time": clock,
        "time_zone": time_zone,
        "upper": upper,
    }
)
"""Normal forms by the name that a pack gives them; each takes the folded value."""

RESOLVERS: Mapping[str, Callable[[str, Reference], str | None]] = MappingProxyType(
    {"date": parse_date, "date_month_first": parse_month_first, "time": clock}
)
"""Those that also read what is told from the time of the message (``明天``)."""
