"""Failure reports about coded values: numbers cut out of numbers, neighbours, widths.

Each test is named by its report; texts and values are our own, one of each kind.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.packs import load_patterns, shipped_packs
from tiered_memory.settings import FactSettings

PACKS = tuple(sorted(path.stem for path in shipped_packs().glob("*.yaml")))
CARD = "4012888888881881"
PLAIN = Extractor(load_patterns(FactSettings(), {}), max_chars=1_000)


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor(load_patterns(FactSettings(packs=PACKS), {}), max_chars=32_768)


@pytest.fixture(scope="module")
def hiding() -> Extractor:
    """Phones and e-mail addresses are masked too."""
    patterns = load_patterns(FactSettings(packs=PACKS), {"phone": "mask", "email": "mask"})
    return Extractor(patterns, max_chars=32_768)


def values(extractor: Extractor, text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for fact in extractor.extract(text, role="user").facts:
        found.setdefault(fact.type, []).append(fact.normalized)
    return found


# -- FE-01: an order's or parcel's number is no telephone number ---------------------------
@pytest.mark.parametrize(
    ("text", "phones"),
    [
        (
            "202613900007788，林一诺，13900008642，广东省佛山市禅城区汾江路8号",
            ["+8613900008642"],
        ),
        ("订单号202613900007788还没发货", []),
        ("运单SF1390000778812到哪了", []),
        ("order 202613900007788 and parcel YT1390000778812", []),
        ("流水号139000077881390000", []),
        ("order no 5140688740 is late", []),
        ("order 202651402687401 call 514-268-8740", ["+15142688740"]),
        ("订单5142688740号码错了", []),
        ("ref X13900007788Y", []),
    ],
)
def test_fe_01_phones_are_not_cut_out_of_other_numbers(
    extractor: Extractor, text: str, phones: list[str]
) -> None:
    assert values(extractor, text).get("phone", []) == phones


@given(
    st.sampled_from(["", "订单", "运单SF", "编号", "order ", "AB"]),
    st.text("0123456789", min_size=3, max_size=9),
    st.text("0123456789", min_size=0, max_size=4),
)
def test_fe_01_no_phone_inside_a_longer_run_of_digits(
    head: str, before: str, after: str
) -> None:
    text = f"{head}9{before}13900008642{after}"
    assert not [
        fact
        for fact in PLAIN.extract(text, role="user").facts
        if fact.type == "phone" and fact.value == "13900008642"
    ]


# -- FE-09: neither missed beside Chinese characters nor with them inside --------------------
@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("我的邮箱是mei.chen@example.com请查收", "email", ["mei.chen@example.com"]),
        ("电话13900008642请回电", "phone", ["+8613900008642"]),
        (
            "a7@example.com和b8@example.com都可以",
            "email",
            ["a7@example.com", "b8@example.com"],
        ),
        ("Mail me at mei.chen@example.com.", "email", ["mei.chen@example.com"]),
        ("邮箱：mei.chen@example.com。", "email", ["mei.chen@example.com"]),
        ("订单号A8807没到", "order_id", ["A8807"]),
        ("快递单号SF1390000864212在哪", "tracking_no", ["SF1390000864212"]),
        ("邮政编码为200031，谢谢", "postcode", ["200031"]),
        ("邮编是n19gu。", "postcode", ["N19GU"]),
        ("您的参考编号是qzwtrmab。", "booking_ref", ["QZWTRMAB"]),
        ("看blue-kiln.com吧", "url", ["blue-kiln.com"]),
        ("我的IP是198.51.100.7连不上", "ip", ["198.51.100.7"]),
        ("座机010-62345678转8001找我", "phone", ["+861062345678;ext=8001"]),
        ("会员号VIP200331登录不了", "account_id", ["VIP200331"]),
    ],
)
def test_fe_09_values_beside_chinese_are_exact(
    extractor: Extractor, text: str, kind: str, found: list[str]
) -> None:
    assert values(extractor, text).get(kind, []) == found
    for fact in extractor.extract(text, role="user").facts:
        if fact.type == kind:
            assert fact.value in text
            assert fact.value.isascii() or "转" in fact.value


# -- FE-17: numbers, ordinals and hosts are no persons or days; nothing cut out --------------
@pytest.mark.parametrize(
    "text",
    [
        "7044218",
        "4218",
        "5142688740",
        "The second item is broken, this may take a while",
        "the third one, may be tomorrow or not",
        "ops@ip-10-2-85-77.internal fails",
        "db-7.kiln.internal is down",
        "第二个坏了",
        "7044218号",
    ],
)
def test_fe_17_numbers_ordinals_and_hosts_are_no_persons_or_days(
    extractor: Extractor, text: str
) -> None:
    found = values(extractor, text)
    assert "person_name" not in found
    assert "birthday" not in found
    assert [day for day in found.get("date", []) if day[:1].isdigit()] == []


@pytest.mark.parametrize(
    ("text", "masked", "ticket"),
    [
        (
            "PIN is 4821, ticket 48213",
            "PIN is [verification_code], ticket 48213",
            ["48213"],
        ),
        (
            "工单号是48213，验证码4821",
            "工单号是48213，验证码[verification_code]",
            ["48213"],
        ),
    ],
)
def test_fe_17_no_shorter_number_is_cut_out_of_a_longer_one(
    extractor: Extractor, text: str, masked: str, ticket: list[str]
) -> None:
    assert extractor.extract(text, role="user").masked == masked
    assert values(extractor, text)["ticket_no"] == ticket


# -- PI-01: times and order numbers are no cards ---------------------------------------------
@pytest.mark.parametrize(
    "text",
    [
        "event at 1735700000003 please check",
        "order 1735700000003 is late",
        "ratio 0.4012888888881881E-2",
        "时间戳1735700000003",
        "订单1735700000003没到",
        "比例0.4012888888881881",
        "build 4012.8888.8888.1882",
    ],
)
def test_pi_01_what_only_passes_the_check_digit_is_no_card(
    extractor: Extractor, text: str
) -> None:
    assert extractor.extract(text, role="user").masked == text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("card 4012 8888 8888 1881", "card [card_number ****1881]"),
        (f"卡号{CARD}，谢谢", "卡号[card_number ****1881]，谢谢"),
        ("my credit card no 4417", "my credit card no [card_number]"),
        ("信用卡号是4417", "信用卡号是[card_number]"),
    ],
)
def test_pi_01_cards_are_masked_by_digits_or_cue(
    extractor: Extractor, text: str, masked: str
) -> None:
    assert extractor.extract(text, role="user").masked == masked


# -- PI-03: nothing is cut out of longer numbers, and nothing is masked in part ---------------
@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("身份证11010519491231002X", "身份证[national_id ****002X]"),
        ("身份证11010519491231002x，谢谢", "身份证[national_id ****002x]，谢谢"),
        ("运单4982597919074833788762328", "运单4982597919074833788762328"),
        ("案号202611020987654324", "案号202611020987654324"),
        ("tracking 99401288888888188139", "tracking 99401288888888188139"),
        (f"编号9{CARD}{CARD}", f"编号9{CARD}{CARD}"),
    ],
)
def test_pi_03_identity_numbers_are_masked_whole_and_longer_numbers_stay(
    extractor: Extractor, text: str, masked: str
) -> None:
    assert extractor.extract(text, role="user").masked == masked


def test_pi_03_every_phone_of_a_text_is_masked(hiding: Extractor) -> None:
    text = "手机13900008642，备用139-0000-7788，+8613900009911，座机010-62345678转8001"
    found = hiding.extract(text, role="user")
    assert found.masked_counts == {"phone": 4}
    assert not any(part in found.masked for part in ("1390000", "139-", "6234"))


# -- PI-05: full-width digits ------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "left", "right", "counts"),
    [
        ("电话１３９００００８６４２", "电话", "", {"phone": 1}),
        ("邮箱ｍｅｉ＠ｅｘａｍｐｌｅ．ｃｏｍ", "邮箱", "", {"email": 1}),
        (
            "重量5㎏，电话１３９００００８６４２，谢谢",
            "重量5㎏，电话",
            "，谢谢",
            {"phone": 1},
        ),
        ("call ５１４－２６８－８７４０ ½ now", "call ", " ½ now", {"phone": 1}),
        ("卡号４０１２８８８８８８８８１８８１。", "卡号", "。", {"card_number": 1}),
    ],
)
def test_pi_05_full_width_values_are_masked_in_place(
    hiding: Extractor, text: str, left: str, right: str, counts: dict[str, int]
) -> None:
    found = hiding.extract(text, role="user")
    assert found.masked.startswith(left + "[")
    assert found.masked.endswith("]" + right)
    assert found.masked_counts == counts


@pytest.mark.parametrize(
    ("text", "kind", "normalized"),
    [
        ("电话１３９００００８６４２", "phone", "+8613900008642"),
        ("订单Ａ８８０７没到", "order_id", "A8807"),
        ("邮编２０００３１", "postcode", "200031"),
        ("my account number ７９４６４２２４", "account_id", "79464224"),
    ],
)
def test_pi_05_facts_keep_the_half_width_form(
    extractor: Extractor, text: str, kind: str, normalized: str
) -> None:
    assert values(extractor, text)[kind] == [normalized]
