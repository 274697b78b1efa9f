from __future__ import annotations

import pytest

from tiered_memory.facts.validators import VALIDATORS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("card", "4111 1111 1111 1111"),
        ("card", "5555555555554444"),
        ("card", "2223003122003222"),
        ("card_groups", "4111.1111_1111\n1111"),
        ("card", "3782-822463-10005"),
        ("card", "30569309025904"),
        ("card", "3530111333300000"),
        ("card", "6011111111111117"),
        ("luhn", "4012888888881881"),
        ("cn_id", "11010519491231002X"),
        ("cn_id", "11010519491231002x"),
        ("cn_id", "440524188001010014"),
        ("ssn", "536-90-4399"),
        ("uscc", "91350100M000100Y43"),
        ("s10", "RR473124829CN"),
        ("s10", "RR 473 124 829 CN"),
        ("ups_1z", "1Z5R89390357567127"),
        ("ups_1z", "1Z879E930346834440"),
        ("ups_1z", "1Z410E7W0392751591"),
        ("iban", "GB82 WEST 1234 5698 7654 32"),
        ("iban", "DE89370400440532013000"),
        ("iban", "NO9386011117947"),
        ("imei", "490154203237518"),
        ("phone", "13900008642"),
        ("phone", "+86 139-0000-8642"),
        ("phone", "010-62345678转801"),
        ("phone", "400-123-4567"),
        ("phone", "(415) 555-0132".replace("0132", "2132")),
        ("phone", "+44 20 7946 0321"),
        ("email", "tom_w+shop@example.org"),
        ("date_real", "2024-02-29"),
        ("date_real", "2026年5月12日"),
    ],
)
def test_a_true_value_is_sure(name: str, value: str) -> None:
    assert VALIDATORS[name](value) is True


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("card", "1735700000003"),
        ("card", "4111111111111112"),
        ("card", "411111111111"),
        ("card", "0000000000000000"),
        ("card", "4a11"),
        ("cn_id", "110105194912310021"),
        ("cn_id", "202511020987654324"),
        ("cn_id", "110105194902310026"),
        ("cn_id", "110105491331002"),
        ("ssn", "000-12-3456"),
        ("ssn", "666-12-3456"),
        ("ssn", "900-12-3456"),
        ("ssn", "123-00-4567"),
        ("ssn", "123-45-0000"),
        ("ssn", "078-05-1120"),
        ("uscc", "91350100M000100Y44"),
        ("uscc", "91350100I000100Y43"),
        ("s10", "RR473124828CN"),
        ("s10", "R1473124829CN"),
        ("ups_1z", "1Z5R89390357567128"),
        ("ups_1z", "1Z5R8939035756712"),
        ("iban", "GB82 WEST 1234 5698 7654 33"),
        ("iban", "XX8937040044053201"),
        ("imei", "490154203237519"),
        ("imei", "000000000000000"),
        ("phone", "95555"),
        ("phone", "10086"),
        ("phone", "20260512"),
        ("phone", "call me"),
        ("email", "mei@localhost"),
        ("email", "a..b@example.com"),
        ("email", ".a@example.com"),
        ("email", "a@-example.com"),
        ("email", "ops@10.2.85.77"),
        ("date_real", "2026-02-30"),
        ("date_real", "2026-13-01"),
        ("has_digit", "status"),
        ("handle", "locked"),
        ("order_token", "2026"),
        ("order_token", "pizzas"),
        ("order_token", "A4"),
        ("locator", "PLEASE"),
        ("locator", "abcdef"),
        ("locator", "123456"),
        ("locator", "QWZ7"),
        ("reference_token", "number"),
        ("reference_token", "2026"),
        ("person", "Sure"),
        ("person", "号码"),
        ("person", "not happy"),
        ("person", "route66"),
        ("secret_word", "wrong."),
        ("secret_word", "忘了"),
        ("secret_word", "https://shop.example/reset"),
        ("key_value", "ab"),
        ("key_value", "Approved"),
        ("key_value", "expired"),
        ("card_groups", "4111.1111.1111.1112"),
        ("person", "写她"),
        ("address", "我在成都的公司"),
        ("address", "my office"),
    ],
)
def test_an_impossible_value_is_refused(name: str, value: str) -> None:
    assert VALIDATORS[name](value) is False


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cn_id", "110105491231002"),
        ("ssn", "536904399"),
        ("phone", "555-0142"),
        ("phone", "62345678"),
        ("phone", "4152555132"),
        ("date_real", "5月12日"),
        ("date_real", "3/4/2026"),
        ("has_digit", "A1"),
        ("handle", "bob_smith"),
        ("order_token", "B-2077"),
        ("order_token", "7300215"),
        ("locator", "4KX9PD"),
        ("locator", "QWZITR"),
        ("reference_token", "mkj 458"),
        ("person", "greta lindholm"),
        ("person", "周小帆"),
        ("secret_word", "hunter2"),
        ("key_value", "ab1"),
        ("address", "学院路35号2单元"),
        ("address", "18 rue des Lilas"),
    ],
)
def test_what_cannot_be_told_is_left_to_the_context(name: str, value: str) -> None:
    assert VALIDATORS[name](value) is None


def test_no_validator_fails_on_odd_text() -> None:
    texts = [
        "",
        " ",
        "@",
        "+",
        "-",
        "²²²",
        "٣٤٥",
        "1Z",
        "GB",
        "a@",
        "@b",
        "年月日",
        "\U0001f600",
    ]
    for name, check in VALIDATORS.items():
        for text in texts:
            assert check(text) in (True, False, None), name
