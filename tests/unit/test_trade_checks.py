from __future__ import annotations

import pytest

from tiered_memory.facts.trade_checks import usps
from tiered_memory.facts.validators import VALIDATORS

SOUND = [
    ("container", "CSQU3054383"),
    ("container", "CSQU 305438-3"),
    ("air_waybill", "160-12345675"),
    ("usps", "9400 1118 9922 3344 5566 77"),
    ("iccid", "8901260852290847433"),
    ("hk_id", "A123456(3)"),
    ("hk_id", "AB987654(3)"),
    ("tw_id", "A123456789"),
    ("ip", "203.0.113.9"),
    ("ip", "08.008.08.08"),
    ("ip", "2001:db8::1f"),
]


@pytest.mark.parametrize(("name", "value"), SOUND)
def test_a_number_of_the_rule_passes(name: str, value: str) -> None:
    assert VALIDATORS[name](value) is True


@pytest.mark.parametrize(
    ("name", "value"), [row for row in SOUND if row[0] not in {"iccid", "ip"}]
)
def test_no_other_check_digit_passes(name: str, value: str) -> None:
    place = max(n for n, char in enumerate(value) if char.isdigit())
    others = [f"{value[:place]}{digit}{value[place + 1 :]}" for digit in range(10)]
    assert [other for other in others if VALIDATORS[name](other)] == [value]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("container", "CSQX3054383"),
        ("container", "CSQU305438"),
        ("air_waybill", "160-1234567"),
        ("usps", "1Z00111899223344556677"),
        ("iccid", "1986012345678901234"),
        ("iccid", "8986"),
        ("hk_id", "A12345(3)"),
        ("tw_id", "A323456789"),
        ("tw_id", "1123456789"),
        ("ip", "203.0.113.256"),
        ("ip", "::"),
        ("version", "2026.05.12"),
        ("wish", "prefer that"),
        ("wish", "don't like your attitude"),
        ("wish", "never eat"),
        ("wish", "prefer to go with this one"),
    ],
)
def test_what_breaks_the_rule_is_refused(name: str, value: str) -> None:
    assert VALIDATORS[name](value) is False


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("iccid", "8986001234567890123A"),
        ("version", "8.0.32"),
        ("wish", "prefer an aisle seat"),
    ],
)
def test_what_has_no_check_digit_is_left_to_its_cue(name: str, value: str) -> None:
    assert VALIDATORS[name](value) is None


def test_a_check_reads_past_spaces_and_hyphens() -> None:
    assert usps("9400-1118-9922-3344-5566-77")
