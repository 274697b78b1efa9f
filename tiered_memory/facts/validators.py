"""Checks of a value by its own digits: True is sure, False refuses, None cannot tell."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from tiered_memory.facts.checksums import (
    card,
    cn_id,
    iban,
    imei,
    is_day,
    s10,
    ssn,
    ups_1z,
    uscc,
)
from tiered_memory.facts.code_checks import (
    host,
    link,
    phone_digits,
    reference_letters,
    spelt_reference,
)
from tiered_memory.facts.dates import parse_date
from tiered_memory.facts.normal_forms import NOT_NAMES
from tiered_memory.facts.phones import parse_phone
from tiered_memory.facts.trade_checks import (
    air_waybill,
    container,
    hk_id,
    iccid,
    ip,
    tw_id,
    usps,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["VALIDATORS"]


def phone(value: str) -> bool | None:
    """Tell a telephone number; None where only a cue can (``555-0142``, 8 digits).

    Service codes of five digits and calendar days are none.
    """
    found = parse_phone(value)
    if found is None or ("/" in value and parse_date(value) is not None):
        return False
    if found.kind in {"local", "other"}:
        bare = "".join(c for c in value if c.isdigit())
        return False if len(bare) == 8 and _looks_like_day(bare) else None
    if found.kind == "nanp" and not found.grouped:
        return None
    return True


def _looks_like_day(digits: str) -> bool:
    return digits[:2] in {"19", "20"} and is_day(digits)


def email(value: str) -> bool | None:
    """Tell an address that can exist, without asking DNS.

    Lengths and dots of RFC 5321, 4.5.3.1, and RFC 5322, 3.4.1; no quoted local part.
    """
    local, at, domain = value.rpartition("@")
    labels = domain.split(".")
    if not at or not 1 <= len(local) <= 64 or len(domain) > 253 or len(labels) < 2:
        return False
    if local[0] == "." or local[-1] == "." or ".." in local or "@" in local:
        return False
    if any(not 1 <= len(n) <= 63 or n[0] == "-" or n[-1] == "-" for n in labels):
        return False
    return not labels[-1].isdigit() and len(labels[-1]) >= 2


def date_real(value: str) -> bool | None:
    """Tell a day or month that the calendar has; None for words and unclear orders."""
    iso = parse_date(value)
    if iso is None:
        return False
    return True if iso[:1].isdigit() and iso.replace("-", "").isdigit() else None


def has_digit(value: str) -> bool | None:
    """Refuse words where a number or code is wanted (``order status``)."""
    return None if any(c.isdigit() for c in value) else False


def handle(value: str) -> bool | None:
    """Refuse words where an account's name is wanted: it has a digit or underscore."""
    return None if any(c.isdigit() or c == "_" for c in value) else False


_MONTH_OR_YEAR = 4


def order_token(value: str) -> bool | None:
    """Refuse words, years and small counts where an order's number is wanted.

    A digit is needed; digits alone only from five on (``order 2 pizzas``, ``from 2026``).
    """
    if value.isdigit():
        return None if len(value) > _MONTH_OR_YEAR else False
    digits = sum(c.isdigit() for c in value)
    return None if digits >= 2 else False


def reference_token(value: str) -> bool | None:
    """Refuse what is a word after ``reservation``: no digit and not all capitals."""
    if any(c.isdigit() for c in value):
        return None if len(value) > _MONTH_OR_YEAR or not value.isdigit() else False
    return locator(value)


def locator(value: str) -> bool | None:
    """Tell a record locator: six capitals or digits, and letters alone only if no word.

    Airlines' locators have six characters (IATA Resolution 830d). Six capitals alone
    pass unless they are a word that people shout.
    """
    if len(value) != 6 or not value.isascii() or not value.isalnum():
        return False
    if value != value.upper() or value.isdigit():
        return False
    if any(c.isdigit() for c in value):
        return None
    return False if value in _SHOUTED else None


_SHOUTED = frozenset(
    """
    ALWAYS AMOUNT ANYONE ANSWER APPEAR BEFORE BETTER CANADA CANCEL CANNOT CHANGE CHARGE
    CHOICE CLIENT CREDIT COUPON DELETE DENIED DETAIL DIDNOT DOUBLE DURING EITHER ENOUGH
    EXPECT EXTEND FAMILY FLIGHT FOLLOW FRIDAY HAPPEN HAVING LISTEN LONDON LUXURY MAKING
    MANUAL MEMBER MONDAY MOSTLY NEEDED NOBODY NOTICE NUMBER OFFICE OPTION ORDERS PAYING
    PERSON PLEASE POINTS POLICY PROPER REALLY REASON REFUND REFUSE REMOVE REPLAY RESULT
    RETURN SAMPLE SCREEN SECOND SERIES SHOULD SILVER SIMPLE SINGLE STATUS STRICT SUNDAY
    SUPPLY SYSTEM THANKS TICKET TRAVEL UNABLE UNLESS UPDATE URGENT VALUED WAITED WEEKLY
    WITHIN WONDER
    """.split()  # noqa: SIM905 (a table of words)
)


def person(value: str) -> bool | None:
    """Refuse labels, answers and greetings where a name is wanted (``Sure``, ``号码``)."""
    words = value.lower().replace(".", " ").replace("-", " ").split()
    if not words or any(c.isdigit() or c in "@_/" for c in value):
        return False
    if value[0] in _FILLING or not _POINTERS.isdisjoint(value):
        return False
    return False if any(word in NOT_NAMES for word in words) else None


_FILLING = "写填"
"""Said of a name that is to be put in; neither is a family name."""

_POINTERS = frozenset("她他它你您我的")
"""Characters of pointing words, in no name."""

_STREET_UNITS = "省市区县镇乡村路街道巷弄号栋幢楼室院座层组"


def address(value: str) -> bool | None:
    """Refuse what has too few parts: two of 省市区…号室, or a number and a word.

    ``我在成都的公司`` is a place that nothing can be sent to.
    """
    if any("㐀" <= c <= "鿿" for c in value):
        units = sum(c in _STREET_UNITS for c in value) + value.count("单元")
        return None if units >= 2 else False
    letters = sum(c.isalpha() for c in value)
    return None if letters >= 4 and any(c.isdigit() for c in value) else False


_NOT_SECRETS = frozenset(
    """
    a about again already an and any are at be because been being blank but by can cannot changed
    contains correct did does doesn't empty expired false fine for forgot forgotten from gone good has have i if in
    incorrect invalid is isn't it it's its least length locked lost minimum missing must my needed no none not null of ok okay on
    one or rejected required reset right safe same secure should so still strong that the this to too
    true unknown used valid sure thanks thank hello hi hey yes yeah yep nope never where sorry please
    wait help done agent human cancel was wasn't weak what when which why with won't wrong you your
    是 不 不是 没 没有 了 吗 忘 忘了 忘记 忘记了 错 错了 错误 不对 正确 对 什么 多少 重置
    找回 修改 输入 登录 过期 丢了 失效 无效 收不到 没收到
    """.split()  # noqa: SIM905 (a table of words)
)


def secret_word(value: str) -> bool | None:
    """Refuse what is said *about* a password (``is wrong``, ``忘了``), not one itself."""
    words = value.lower().split()
    first = words[0].strip(".,!?:;'\"") if words else ""
    if first in _NOT_SECRETS or first.startswith(("http://", "https://", "www.")):
        return False
    return None


_NO_VALUES = frozenset(
    """
    active applied approved authorized basic bearer canceled cancelled captured complete completed
    declined denied disabled enabled error failed false granted hidden in null nil none n/a
    redacted pending revoked string success true undefined unauthorized yes
    """.split()  # noqa: SIM905 (a table of words)
)


def key_value(value: str) -> bool | None:
    """Refuse what a key of a secret holds instead of one (``null``, ``approved``)."""
    if len(value) < _SHORT_SECRET or value.lower() in _NO_VALUES:
        return False
    return secret_word(value)


_SHORT_SECRET = 3


def card_groups(value: str) -> bool | None:
    """Tell a payment card whose groups stand apart by anything, a line's end too."""
    return card("".join(c for c in value if "0" <= c <= "9"))


_WISHING = frozenset(
    """
    i prefer preferred like dislike want eat drink wear fly travel sit sleep stay only
    always never don't dont do not can't cannot have to a an the in on at with by my
    """.split()  # noqa: SIM905 (a table of words)
)
_POINTING = frozenset(
    """
    it this that these those you your yours them they their how what when where which
    who why being getting having waiting if because so but and or
    """.split()  # noqa: SIM905 (a table of words)
)


def wish(value: str) -> bool | None:
    """Refuse a wish that only points (``prefer that``, ``don't like your service``)."""
    words = [word.strip(".,'\"") for word in value.lower().split()]
    for word in words:
        if word in _POINTING:
            return False
        if word not in _WISHING:
            return False if words[-1] in _POINTING or "this" in words else None
    return False


def version(value: str) -> bool | None:
    """Refuse a calendar day where a version is wanted (``2026.05.12``)."""
    return False if parse_date(value.lower().lstrip("v")) is not None else None


VALIDATORS: Mapping[str, Callable[[str], bool | None]] = MappingProxyType(
    {
        "address": address,
        "air_waybill": air_waybill,
        "card": card,
        "card_groups": card_groups,
        "cn_id": cn_id,
        "container": container,
        "date_real": date_real,
        "email": email,
        "handle": handle,
        "has_digit": has_digit,
        "hk_id": hk_id,
        "host": host,
        "iban": iban,
        "iccid": iccid,
        "imei": imei,
        "ip": ip,
        "key_value": key_value,
        "locator": locator,
        "link": link,
        "luhn": card,
        "order_token": order_token,
        "person": person,
        "phone": phone,
        "phone_digits": phone_digits,
        "reference_letters": reference_letters,
        "reference_token": reference_token,
        "s10": s10,
        "secret_word": secret_word,
        "spelt_reference": spelt_reference,
        "ssn": ssn,
        "tw_id": tw_id,
        "ups_1z": ups_1z,
        "uscc": uscc,
        "usps": usps,
        "version": version,
        "wish": wish,
    }
)
"""Checks by the name that a pack gives them; each takes the folded value."""
