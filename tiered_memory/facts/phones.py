"""What a written telephone number is: country, national digits, extension.

Rules for mainland China and the North American plan; other numbers are taken only
with their country's code, and the rest is told apart by length alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tiered_memory.facts.expressions import expression
from tiered_memory.facts.spoken_digits import spoken_digits

__all__ = ["PhoneKind", "PhoneNumber", "parse_phone"]

PhoneKind = Literal[
    "mobile", "landline", "service", "nanp", "international", "local", "other"
]

_EXTENSION = expression(
    r"(?i)^(.*?[0-9)])[ ,;]*(?:转|轉|分机|分機|extension|ext\.?|x|#) ?[:.]? ?([0-9]{1,6})$"
)
_DASHED = expression(
    r"^((?:\+ ?86|0086|0)[ -]?\(?[0-9]{1,3}\)?[ -]?[2-9][0-9]{2,3}-?[0-9]{4})-([0-9]{1,6})$"
)
"""A Chinese landline and its extension behind a hyphen: ``010-62345678-801``."""

_SEPARATORS = frozenset(" -.()/+")
_WITHOUT_SEPARATORS = str.maketrans("", "", " -.()/+")

_CALLING_CODES = frozenset(
    """
    1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60
    61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98 211 212 213 216 218 220 221 222
    223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243
    244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 260 261 262 263 264 265
    266 267 268 269 290 291 297 298 299 350 351 352 353 354 355 356 357 358 359 370 371
    372 373 374 375 376 377 378 379 380 381 382 383 385 386 387 389 420 421 423 500 501
    502 503 504 505 506 507 508 509 590 591 592 593 594 595 596 597 598 599 670 672 673
    674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692 800 808 850
    852 853 855 856 870 878 880 881 882 883 886 888 960 961 962 963 964 965 966 967 968
    970 971 972 973 974 975 976 977 979 992 993 994 995 996 998
    """.split()  # noqa: SIM905 (a table of words)
)
"""Assigned codes of ITU-T E.164 (list of Operational Bulletin 1114)."""

_SHORTEST_INTERNATIONAL = 7
_LONGEST_INTERNATIONAL = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneNumber:
    """A number taken apart.

    Attributes:
        digits: national digits without the trunk 0; all digits where ``country`` is
            None.
        country: calling code without ``+``, or None where nothing tells it.
        extension: digits after ``转`` or ``ext``, or None.
        grouped: it was written with separators or with its country's code.
    """

    digits: str
    country: str | None
    extension: str | None
    kind: PhoneKind
    grouped: bool


def parse_phone(value: str) -> PhoneNumber | None:
    """Take a folded value apart; None where it holds anything but a number.

    Digits said in words count. ``0086…`` and ``86`` before a mobile number count as ``+86``, and a 1 that stands
    apart as ``+1``. The trunk prefix in ``+44 (0)20`` is left out: E.164 has none. A
    national number that starts with 0 is read as Chinese where area code and length
    allow it.
    Source: MIIT numbering plan (YD/T 1118), NANPA, ITU-T E.164.
    """
    text = spoken_digits(value) or value.strip()
    extension: str | None = None
    if not text.isdigit():
        match = _EXTENSION.match(text) or _DASHED.match(text)
        if match is not None:
            text, extension = match.group(1).rstrip(), match.group(2)
    abroad = text.lstrip("( ").startswith("+")
    if abroad:
        text = text.replace("(0)", "", 1)
    digits = text.translate(_WITHOUT_SEPARATORS)
    if not (digits.isascii() and digits.isdigit()):
        return None
    if text[:1] == "1" and text[1:2] in _SEPARATORS and _is_nanp(digits[1:]):
        text, abroad = f"+{text}", True
    if not abroad and digits.startswith("00") and len(digits) > 10:
        abroad, digits = True, digits[2:]
    found = _international(digits) if abroad else _national(digits)
    if found is None and abroad and not text.lstrip("( ").startswith("+"):
        found = _unknown(digits)
    if found is None:
        return None
    kind, country, national = found
    return PhoneNumber(
        digits=national,
        country=country,
        extension=extension,
        kind=kind,
        grouped=abroad or len(text) > len(digits),
    )


def _international(digits: str) -> tuple[PhoneKind, str | None, str] | None:
    if not _SHORTEST_INTERNATIONAL <= len(digits) <= _LONGEST_INTERNATIONAL:
        return None
    if digits.startswith("86"):
        return _chinese(digits[2:].removeprefix("0")) or ("other", None, digits)
    if digits.startswith("1"):
        national = digits[1:]
        if len(national) != 10:
            return None
        return ("nanp", "1", national) if _is_nanp(national) else ("other", None, digits)
    for length in (2, 3, 1):
        if digits[:length] in _CALLING_CODES:
            return "international", digits[:length], digits[length:]
    return None


def _national(digits: str) -> tuple[PhoneKind, str | None, str] | None:
    if len(digits) == 13 and digits.startswith("861"):
        return _chinese(digits[2:]) or ("other", None, digits)
    if digits.startswith("0"):
        return _chinese(digits[1:]) or _unknown(digits)
    if len(digits) == 11 and digits[0] == "1" and digits[1] >= "3":
        return "mobile", "86", digits
    if len(digits) == 11 and digits[0] == "1" and _is_nanp(digits[1:]):
        return "nanp", "1", digits[1:]
    if len(digits) == 10 and digits.startswith("400"):
        return "service", "86", digits
    if len(digits) == 10 and digits.startswith("800"):
        return "service", None, digits
    if _is_nanp(digits):
        return "nanp", "1", digits
    return _unknown(digits)


def _unknown(digits: str) -> tuple[PhoneKind, str | None, str] | None:
    if len(digits) == 7 and digits[0] in "01":
        return None
    if len(digits) in (7, 8):
        return "local", None, digits
    if 9 <= len(digits) <= _LONGEST_INTERNATIONAL:
        return "other", None, digits
    return None


def _chinese(digits: str) -> tuple[PhoneKind, str | None, str] | None:
    if len(digits) == 11 and digits[0] == "1" and digits[1] >= "3":
        return "mobile", "86", digits
    if len(digits) == 10 and digits.startswith(("400", "800")):
        return "service", "86", digits
    area = 2 if digits.startswith(("10", "2")) else 3
    subscriber = digits[area:]
    if digits[:1] in tuple("123456789") and len(subscriber) in (7, 8):
        if area == 2 and len(subscriber) != 8:
            return None
        if digits[0] == "1" and area == 3:
            return None
        return ("landline", "86", digits) if subscriber[0] >= "2" else None
    return None


def _is_nanp(digits: str) -> bool:
    return len(digits) == 10 and digits[0] >= "2" and digits[3] >= "2"
