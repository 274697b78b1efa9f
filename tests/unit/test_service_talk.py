"""Sentences of customer service, asked and unasked, and what is read of them."""

from __future__ import annotations

import pytest

from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.packs import load_patterns
from tiered_memory.facts.spoken_digits import spoken_digits
from tiered_memory.settings import FactSettings

PHONE = "May I have your phone number, please?"
NAME = "May I have your full name?"
SSN = "What are the last four digits of your SSN?"
CARD = "Could you please provide your credit card number?"
BOOKING = "What is your booking reference?"
ACCOUNT = "Please provide your account number."
ZIP = "Can you please share your zip code?"
ADDRESS = "What is your full address?"


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    packs = ("secrets", "common", "ecommerce", "logistics", "banking", "telecom", "travel")
    return Extractor(load_patterns(FactSettings(packs=packs), {}), max_chars=32_768)


def read(extractor: Extractor, text: str, question: str | None) -> list[str]:
    found = extractor.extract(text, role="user", question=question)
    return [f"{f.type}={f.value}" for f in found.facts if not f.masked]


ANSWERS: list[tuple[str, str, list[str]]] = [
    # telephone numbers: brackets, groups of other countries, extensions, in words
    (PHONE, "its (514)0688740", ["phone=(514)0688740"]),
    (PHONE, "07700 900 461", ["phone=07700 900 461"]),
    (PHONE, "514 0688740 ext 12", ["phone=514 0688740 ext 12"]),
    (PHONE, "514 2688740 ext 12", ["phone=514 2688740 ext 12"]),
    (PHONE, "five one four oh six double eight", ["phone=five one four oh six double eight"]),
    (PHONE, "514 oh six eight 8740", ["phone=514 oh six eight 8740"]),
    ("请问您的手机号？", "幺三九零零零零八六四二", ["phone=幺三九零零零零八六四二"]),
    ("请问您的手机号？", "一三九 零零零零 八六四二", ["phone=一三九 零零零零 八六四二"]),
    (PHONE, "i already gave it two or three times", []),
    (PHONE, "one two three", []),
    # references: groups, hyphens, letter by letter, behind their short labels
    (BOOKING, "ref: KX-20441", ["booking_ref=KX-20441"]),
    (BOOKING, "the reference is 4471-2093", ["booking_ref=4471-2093"]),
    (BOOKING, "4 K X 9 P D", ["booking_ref=4 K X 9 P D"]),
    ("请告诉我预订单号", "KX20310512001", ["booking_ref=KX20310512001"]),
    ("请提供订单号", "DD-20310512-7731", ["order_id=DD-20310512-7731"]),
    (BOOKING, "i booked 2 rooms", []),
    # accounts and postcodes
    (ACCOUNT, "account# 7788 1200", ["account_id=7788 1200"]),
    (ACCOUNT, "acct 77881200", ["account_id=77881200"]),
    (ACCOUNT, "i am with you since 2019", []),
    (ZIP, "6 1 2 0 9", ["postcode=6 1 2 0 9"]),
    (ZIP, "A65 F4E2", ["postcode=A65 F4E2"]),
    (ZIP, "612-0093", ["postcode=612-0093"]),
    (ZIP, "i have 1500 points", []),
    # addresses: another language's street, a flat before the house, a sentence behind
    (ADDRESS, "quellenstr. 12, 10115 berlin", ["address=quellenstr. 12, 10115 berlin"]),
    (ADDRESS, "unit 12 / 44 quarry street", ["address=unit 12 / 44 quarry street"]),
    (ADDRESS, "9 quarry ave. and can you hurry", ["address=9 quarry ave"]),
    (ADDRESS, "fenwick apartments, salem", ["address=fenwick apartments, salem"]),
    (
        "Your address and zip code?",
        "9 Quarry Ave\nDunmore PA\n18512",
        ["address=9 Quarry Ave\nDunmore PA", "postcode=18512"],
    ),
    # names: behind a code, an initial, words that are names, a speaker's word
    ("Your name and phone number?", "5142688740 lena brandt", ["phone=5142688740", "person_name=lena brandt"]),
    ("Your booking reference and last name?", "4KX9PD brandt", ["booking_ref=4KX9PD", "person_name=brandt"]),
    ("Your name and booking reference?", "lena k 4 t 77", ["person_name=lena", "booking_ref=k 4 t 77"]),
    ("Your name and account number?", "4471 please hurry", ["account_id=4471"]),
    (NAME, "k brandt", ["person_name=k brandt"]),
    (NAME, "will brandt", ["person_name=will brandt"]),
    (NAME, "will cancel", []),
    (NAME, "hi, lena here", ["person_name=lena"]),
    (NAME, "lena this side", ["person_name=lena"]),
    (NAME, "hi lena", []),
    (NAME, "ugh", []),
    (NAME, "the account is under lena brandt", ["person_name=lena brandt"]),
    ("怎么称呼您？", "石家庄", []),
    ("怎么称呼您？", "安卓手机", []),
    ("怎么称呼您？", "傅小满", ["person_name=傅小满"]),
]  # fmt: skip


@pytest.mark.parametrize(("question", "text", "facts"), ANSWERS)
def test_answers(extractor: Extractor, question: str, text: str, facts: list[str]) -> None:
    assert read(extractor, text, question) == facts


UNASKED: list[tuple[str, list[str]]] = [
    ("call the shop on 01632 960 321", ["phone=01632 960 321"]),
    ("电话是幺三九零零零零八六四二", ["phone=幺三九零零零零八六四二"]),
    ("my 手机 is 13900008642", ["phone=13900008642"]),
    ("zip code是80273", ["postcode=80273"]),
    ("80273 is my zip", ["postcode=80273"]),
    ("account number是77881200", ["account_id=77881200"]),
    ("order number是7300215", ["order_id=7300215"]),
    ("my name是Lena Brandt", ["person_name=Lena Brandt"]),
    ("我的name是林一诺", ["person_name=林一诺"]),
    ("address是杭州市西湖区青竹路8号", ["address=杭州市西湖区青竹路8号"]),
    ("the address of the shop is nice", []),
    ("account holder name: lena brandt", ["person_name=lena brandt"]),
    ("i'm Lena Brandt", ["person_name=Lena Brandt"]),
    ("5142688740", ["phone=5142688740"]),
    ("5142222741", ["phone=5142222741"]),
    ("5142222142", []),
    ("5142688740 116 quarry street", ["phone=5142688740", "address=116 quarry street"]),
    ("my conf number is 4KX9PD", ["booking_ref=4KX9PD"]),
    ("您的编号是Q3ZWTR7A", ["booking_ref=Q3ZWTR7A"]),
    ("5毛钱", ["amount=5毛钱"]),
    ("5千块", ["amount=5千块"]),
    ("周三周四都可以", ["date=周三", "date=周四"]),
    # what is said not to be a number, is to be filled in, or belongs to a business
    ("+45-12-34-56-78看起来不像电话号", []),
    ("13900008642不是手机号吧", []),
    ("5142688740 does not look like a phone number", []),
    ("see https://xxx.com/login", []),
    (".mei@example.com is refused", []),
    ("青竹文具店-13900008642", []),
    ("林一诺-13900008642", ["phone=13900008642"]),
]


@pytest.mark.parametrize(("text", "facts"), UNASKED)
def test_unasked(extractor: Extractor, text: str, facts: list[str]) -> None:
    assert read(extractor, text, None) == facts


@pytest.mark.parametrize(
    ("question", "text", "type_name", "shown"),
    [
        (SSN, "4 4 7 1", "national_id", "4 4 7 1"),
        (SSN, "four four seven one", "national_id", "four four"),
        ("请输入身份证后四位", "一一二三", "national_id", "一一二三"),
        (CARD, "five eight nine one two three six five eight nine one two", "card_number", "five"),
        (None, "我的password是bluemoon", "password", "bluemoon"),
        (None, "my 密码 is bluemoon", "password", "bluemoon"),
        (None, "my 卡号 is 4012888888881881", "card_number", "4012"),
        (None, "SSN后四位是4471", "national_id", "4471"),
        (None, "验证码 is 482910", "verification_code", "482910"),
    ],
)  # fmt: skip
def test_secrets_in_words_and_mixed_sentences(
    extractor: Extractor, question: str | None, text: str, type_name: str, shown: str
) -> None:
    found = extractor.extract(text, role="user", question=question)
    assert found.masked_counts == {type_name: 1}
    assert shown not in found.masked


@pytest.mark.parametrize(
    ("value", "digits"),
    [
        ("four one five", "415"),
        ("double two-one", "221"),
        ("415 triple oh", "415000"),
        ("幺三八", "138"),
        ("一三9", "139"),
        ("415", None),
        ("four apples", None),
        ("double", None),
        ("四百", None),
    ],
)
def test_spoken_digits(value: str, digits: str | None) -> None:
    assert spoken_digits(value) == digits
