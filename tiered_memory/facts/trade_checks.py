"""Check digits of freight and telecom numbers, and of Hong Kong and Taiwan ids.

Each function takes a folded value; True is sure, False refuses, None cannot tell.
"""

from __future__ import annotations

import ipaddress

__all__ = [
    "air_waybill",
    "container",
    "decimal_octets",
    "hk_id",
    "iccid",
    "ip",
    "tw_id",
    "usps",
]

_LETTERS_10 = "ABCDEFGHJKLMNPQRSTUVXYWZIO"
"""Taiwan's letters in the order of their numbers, 10 to 35."""


def _plain(value: str) -> str:
    return "".join(c for c in value.upper() if c.isascii() and c.isalnum())


def container(value: str) -> bool | None:
    """Tell a freight container: owner, category U, J or Z, six digits, check digit.

    Letters count from 10 on without the multiples of 11. Source: ISO 6346, annex A.
    """
    text = _plain(value)
    if len(text) != 11 or not text[:4].isalpha() or not text[4:].isdigit():
        return False
    if text[3] not in "UJZ":
        return False
    numbers = [int(c) if c.isdigit() else _iso_6346(c) for c in text[:10]]
    total = sum(number << place for place, number in enumerate(numbers))
    return total % 11 % 10 == int(text[10])


def _iso_6346(letter: str) -> int:
    number = ord(letter) - ord("A") + 10
    return number + (number + (number > 20) + (number > 31)) // 11


def air_waybill(value: str) -> bool | None:
    """Tell an air waybill: the airline's three digits, seven digits, those modulo 7.

    Source: IATA Resolution 600a.
    """
    text = _plain(value)
    if len(text) != 11 or not text.isdigit():
        return False
    return int(text[3:10]) % 7 == int(text[10])


def usps(value: str) -> bool | None:
    """Tell a USPS number of 22 digits from 91 to 95 by its check digit (weights 3, 1).

    Source: USPS Publication 199, Intelligent Mail Package Barcode.
    """
    text = _plain(value)
    if len(text) != 22 or not text.isdigit() or text[0] != "9" or text[1] not in "12345":
        return False
    total = sum(int(c) * (3 if i % 2 == 0 else 1) for i, c in enumerate(text[20::-1]))
    return (10 - total % 10) % 10 == int(text[21])


def iccid(value: str) -> bool | None:
    """Tell a SIM card's number: 89, 19 or 20 digits; the Luhn digit makes it sure.

    Chinese cards may hold letters and no check digit, so a failing one gives None.
    Source: ITU-T E.118, 3.1.
    """
    text = _plain(value)
    if not text.startswith("89") or len(text) not in (19, 20):
        return False
    if not text.isdigit():
        return None
    total = 0
    for place, char in enumerate(reversed(text)):
        number = int(char) * (1 + place % 2)
        total += number - 9 if number > 9 else number
    return True if total % 10 == 0 else None


def hk_id(value: str) -> bool | None:
    """Tell a Hong Kong identity card number by its check character.

    One or two letters, six digits; weights 9 to 2 with a space as 36, modulo 11.
    Source: HKSAR Immigration Department, check digit of the identity card number.
    """
    text = _plain(value)
    letters, digits, check = text[:-7], text[-7:-1], text[-1:]
    if len(letters) not in (1, 2) or not letters.isalpha() or not digits.isdigit():
        return False
    numbers = [36] * (2 - len(letters)) + [ord(c) - 55 for c in letters]
    numbers += [int(c) for c in digits]
    rest = sum(n * w for n, w in zip(numbers, range(9, 1, -1), strict=True)) % 11
    return check == {0: "0", 1: "A"}.get(rest, str(11 - rest))


def tw_id(value: str) -> bool | None:
    """Tell a Taiwanese identity number: a letter, 1, 2, 8 or 9, and a check digit.

    Source: Ministry of the Interior, rules for unified numbers; 8 and 9 since 2021.
    """
    text = _plain(value)
    if len(text) != 10 or text[0] not in _LETTERS_10 or not text[1:].isdigit():
        return False
    if text[1] not in "1289":
        return False
    number = _LETTERS_10.index(text[0]) + 10
    total = number // 10 + number % 10 * 9
    total += sum(int(c) * w for c, w in zip(text[1:9], range(8, 0, -1), strict=True))
    return (total + int(text[9])) % 10 == 0


def ip(value: str) -> bool | None:
    """Tell an IPv4 or IPv6 address; ``::`` without a digit is none (RFC 4291, 2.2)."""
    try:
        ipaddress.ip_address(decimal_octets(value))
    except ValueError:
        return False
    return any(c.isdigit() for c in value)


def decimal_octets(value: str) -> str:
    """Give an IPv4 address without leading zeros; people pad, they do not write octal."""
    if not value.replace(".", "").isdigit():
        return value
    return ".".join(part.lstrip("0") or "0" for part in value.split("."))
