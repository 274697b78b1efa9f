"""Check digits and number plans: whether a number can be what it looks like.

Each function takes a folded value; True is sure, False refuses, None cannot tell.
"""

from __future__ import annotations

from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["card", "cn_id", "iban", "imei", "is_day", "s10", "ssn", "ups_1z", "uscc"]


def _compact(value: str) -> str:
    return "".join(c for c in value if c not in " -.")


def _luhn(digits: str) -> bool:
    """Tell whether ASCII digits end in their check digit (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        number = int(char)
        if place % 2:
            number = number * 2 - 9 if number > 4 else number * 2
        total += number
    return total % 10 == 0


_ISSUERS: tuple[tuple[int, int, frozenset[int]], ...] = (
    (4, 4, frozenset({13, 16, 19})),
    (51, 55, frozenset({16})),
    (2221, 2720, frozenset({16})),
    (34, 34, frozenset({15})),
    (37, 37, frozenset({15})),
    (300, 305, frozenset(range(14, 20))),
    (3095, 3095, frozenset(range(14, 20))),
    (36, 36, frozenset(range(14, 20))),
    (38, 39, frozenset(range(14, 20))),
    (3528, 3589, frozenset(range(16, 20))),
    (2131, 2131, frozenset({15})),
    (1800, 1800, frozenset({15})),
    (6011, 6011, frozenset(range(16, 20))),
    (644, 659, frozenset(range(16, 20))),
    (62, 62, frozenset(range(16, 20))),
    (60, 60, frozenset({16})),
    (508, 508, frozenset({16})),
    (81, 82, frozenset(range(16, 20))),
    (2200, 2204, frozenset(range(16, 20))),
    (5018, 5018, frozenset(range(13, 20))),
    (5020, 5020, frozenset(range(13, 20))),
    (5038, 5038, frozenset(range(13, 20))),
    (5893, 5893, frozenset(range(13, 20))),
    (6304, 6304, frozenset(range(13, 20))),
    (6759, 6763, frozenset(range(13, 20))),
)
"""First digits (from, to) and lengths of Visa, Mastercard, Amex, Diners, JCB, Discover,
UnionPay, RuPay, Mir and Maestro: the networks' published issuer ranges."""


def card(value: str) -> bool | None:
    """Tell a payment card: issuer prefix, that issuer's length, and the Luhn digit.

    Prefix and length are needed because one number in ten passes Luhn by chance,
    millisecond timestamps among them. Spaces and hyphens are ignored.
    """
    digits = _compact(value)
    if not (digits.isascii() and digits.isdigit()) or len(set(digits)) == 1:
        return False
    if not _luhn(digits):
        return False
    return any(
        low <= int(digits[: len(str(low))]) <= high and len(digits) in lengths
        for low, high, lengths in _ISSUERS
    )


_PROVINCES = frozenset(
    """
    11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54
    61 62 63 64 65 71 81 82 83 91
    """.split()  # noqa: SIM905 (a table of words)
)
"""First two digits of GB/T 2260 codes, and 83 and 91 of residence permits."""


def cn_id(value: str) -> bool | None:
    """Tell a resident identity number: 18 characters with check digit, or the old 15.

    The old form has no check digit: a sound one gives None. Source: GB 11643-1999.
    """
    text = value.replace(" ", "").upper()
    if text[:2] not in _PROVINCES or not (text[:-1].isascii() and text[:-1].isdigit()):
        return False
    if len(text) == 15 and text.isdigit():
        return None if is_day("19" + text[6:12]) else False
    if len(text) != 18 or not is_day(text[6:14]):
        return False
    total = sum(int(c) * (pow(2, 17 - i) % 11) for i, c in enumerate(text[:17]))
    return "10X98765432"[total % 11] == text[17]


def is_day(text: str) -> bool:
    """Tell a calendar day written YYYYMMDD, from 1850 to 2100."""
    try:
        found = date(int(text[:4]), int(text[4:6]), int(text[6:8]))
    except ValueError:
        return False
    return 1850 <= found.year <= 2100


def ssn(value: str) -> bool | None:
    """Tell a US social security number; it has no check digit, so joined gives None.

    Area 000, 666 and 900–999, group 00 and serial 0000 are never given out, nor the
    number of the 1938 wallet card. Source: SSA, POMS RM 10201.035.
    """
    digits = _compact(value)
    if len(digits) != 9 or not (digits.isascii() and digits.isdigit()):
        return False
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    if area in {"000", "666"} or area[0] == "9" or group == "00" or serial == "0000":
        return False
    if digits == "078051120" or len(set(digits)) == 1:
        return False
    return True if len(value.strip()) > 9 else None


_USCC = "0123456789ABCDEFGHJKLMNPQRTUWXY"


def uscc(value: str) -> bool | None:
    """Tell a unified social credit code by its check character. Source: GB 32100-2015."""
    text = value.strip().upper()
    if len(text) != 18 or any(c not in _USCC for c in text):
        return False
    total = sum(_USCC.index(c) * pow(3, i, 31) for i, c in enumerate(text[:17]))
    return _USCC[(31 - total % 31) % 31] == text[17]


def s10(value: str) -> bool | None:
    """Tell a postal item number such as ``RR473124829CN``. Source: UPU S10-12, 5.2."""
    text = value.replace(" ", "").upper()
    digits = text[2:11]
    if len(text) != 13 or not (digits.isascii() and digits.isdigit()):
        return False
    if not (text[:2] + text[11:]).isalpha():
        return False
    weights = (8, 6, 4, 2, 3, 5, 9, 7)
    rest = 11 - sum(int(c) * w for c, w in zip(digits, weights, strict=False)) % 11
    return {10: 0, 11: 5}.get(rest, rest) == int(digits[8])


def ups_1z(value: str) -> bool | None:
    """Tell a UPS number ``1Z…`` of 18 characters by its check digit.

    Letters count as 2 to 9, 0, 1 … from A on; every second character doubles.
    Source: UPS Guide to Labeling, appendix on the 1Z tracking number.
    """
    text = value.replace(" ", "").upper()
    body = text[2:17]
    if len(text) != 18 or not text.startswith("1Z") or not text.isascii():
        return False
    if not body.isalnum() or not text[17].isdigit():
        return False
    numbers = [int(c) if c.isdigit() else (ord(c) - 63) % 10 for c in body]
    total = sum(numbers[0::2]) + 2 * sum(numbers[1::2])
    return (10 - total % 10) % 10 == int(text[17])


_IBAN_LENGTHS: Mapping[str, int] = MappingProxyType(
    {
        pair[:2]: int(pair[2:])
        for pair in """
        AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24
        DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27
        GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20
        LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28
        PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28
        TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30
        """.split()  # noqa: SIM905 (a table of words)
    }
)
"""Lengths of SWIFT's IBAN registry, release 98."""


def iban(value: str) -> bool | None:
    """Tell an IBAN: its country's length, and 97 divides it plus one (ISO 13616-1)."""
    text = value.replace(" ", "").upper()
    if len(text) != _IBAN_LENGTHS.get(text[:2]):
        return False
    if not (text.isascii() and text.isalnum() and text[2:4].isdigit()):
        return False
    return int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1


def imei(value: str) -> bool | None:
    """Tell a device's IMEI: 15 digits with Luhn digit (3GPP TS 23.003, 6.2)."""
    digits = _compact(value)
    if len(digits) != 15 or not (digits.isascii() and digits.isdigit()):
        return False
    return len(set(digits)) > 1 and _luhn(digits)
