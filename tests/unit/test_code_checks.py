from __future__ import annotations

import pytest

from tiered_memory.facts.code_checks import (
    host,
    phone_digits,
    reference_letters,
    spelt_reference,
)
from tiered_memory.facts.phones import parse_phone


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("5142688740", None),
        ("7777777777", False),
        ("5125125125", False),
        ("2026051212", False),
        ("2025550145", None),
    ],
)
def test_bare_digits_that_may_be_a_telephone_number(value: str, told: bool | None) -> None:
    assert phone_digits(value) is told


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("kiln.com", None),
        ("a-b.kiln.co.uk/x?y=1", None),
        ("7k.io", None),
        ("3.co", False),
        ("-kiln.com", False),
        ("kiln-.com", False),
        ("e.g.co", False),
        ("asp.net", False),
    ],
)
def test_host_names(value: str, told: bool | None) -> None:
    assert host(value) is told


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("d 4 kt 58", None),
        ("wqx 274", None),
        ("a 4 gj 92", None),
        ("274 wqx", None),
        ("ma 1235", False),
        ("fl 1235", None),
        ("ny 12345", False),
        ("is 159", False),
        ("a 12", False),
        ("tea 2", False),
        ("5 to 3 x 9", False),
        ("12 jan 2031", False),
        ("7 pm", False),
        ("274 sir", False),
        ("27431", False),
        ("", False),
    ],
)
def test_references_spelt_in_groups(value: str, told: bool | None) -> None:
    assert spelt_reference(value) is told


def test_words_after_the_reference_number_is() -> None:
    assert reference_letters("QZWTRMAB") is None
    assert reference_letters("WRONG") is False


@pytest.mark.parametrize(
    ("value", "number", "extension"),
    [
        ("+44 (0)20 7946 0321", "+442079460321", None),
        ("(+45) 32 10 55 78", "+4532105578", None),
        ("010-62345678-801", "+861062345678", "801"),
        ("+86 21 6234-5678-8002", "+862162345678", "8002"),
        ("0086 021 62345678", "+862162345678", None),
        ("0571-8888-6612", "+8657188886612", None),
    ],
)
def test_trunk_prefixes_and_extensions(
    value: str, number: str, extension: str | None
) -> None:
    found = parse_phone(value)
    assert found is not None
    assert (f"+{found.country}{found.digits}", found.extension) == (number, extension)


@pytest.mark.parametrize("value", ["112-3333", "0123456", "+1 12", "12"])
def test_what_is_no_number(value: str) -> None:
    assert parse_phone(value) is None
