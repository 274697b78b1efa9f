"""Bare answers: what was asked, unless the value's own words say otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.labels import Labels, beside
from tiered_memory.facts.packs import load_patterns
from tiered_memory.facts.questions import expected_types
from tiered_memory.settings import FactSettings

PATTERNS = load_patterns(
    FactSettings(packs=("common", "ecommerce", "banking", "travel", "telecom")), {}
)


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor(PATTERNS, max_chars=32_768)


def read(extractor: Extractor, question: str, text: str) -> tuple[str, list[str]]:
    found = extractor.extract(text, role="user", question=question)
    return found.masked, [f"{f.key}={f.value}" for f in found.facts if not f.masked]


@pytest.mark.parametrize(
    ("question", "text", "masked", "facts"),
    [
        # values take the types in the order of the question
        (
            "Your account number and the last 4 digits of your SSN?",
            "8890 and 4417",
            "8890 and [national_id]",
            ["account_id=8890"],
        ),
        (
            "The last 4 digits of your SSN and your account number?",
            "4417 and 8890",
            "[national_id] and 8890",
            ["account_id=8890"],
        ),
        (
            "请提供身份证后四位和手机号",
            "8642，13900008642",
            "[national_id]，13900008642",
            ["phone=13900008642"],
        ),
        (
            "请提供订单号和手机号",
            "7300215，13900008642",
            "7300215，13900008642",
            ["order_id=7300215", "phone=13900008642"],
        ),
        # what fits one type alone has it, wherever it stands
        (
            "Your zip code and your phone number?",
            "5140688740 then 22901",
            "5140688740 then 22901",
            ["phone=5140688740", "postcode=22901"],
        ),
        # one value for two questions: the sensitive type, since it may be that
        (
            "Your account number and the last 4 digits of your SSN?",
            "8890",
            "[national_id]",
            [],
        ),
        # a label beats the order
        (
            "Your account number and your SSN?",
            "ssn 4417 ac no 8890",
            "ssn [national_id] ac no 8890",
            ["account_id=8890"],
        ),
    ],
)
def test_several_answers_take_the_types_asked_for(
    extractor: Extractor, question: str, text: str, masked: str, facts: list[str]
) -> None:
    assert read(extractor, question, text) == (masked, facts)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is your account number?", "house number 8584"),
        ("What is your account number?", "the 8584 model"),
        ("What is your account number?", "flat 8584 please"),
        ("What is your account number?", "I used 8584 mb"),
        ("What is your SSN?", "20 of them"),
        ("What is your SSN?", "a 2015 model"),
        ("What is your booking reference?", "tea 2"),
        ("What is your booking reference?", "5 to 3 I think"),
        ("请问您的账号是多少？", "我用了8584元的套餐"),
        ("请提供订单号", "我有3个订单"),
        ("请提供身份证后四位", "住8584号楼"),
    ],
)
def test_what_counts_something_else_is_no_answer(
    extractor: Extractor, question: str, text: str
) -> None:
    masked, facts = read(extractor, question, text)
    asked = set(extractor.expected_types(question))
    assert masked == text
    assert not [fact for fact in facts if fact.split("=")[0] in asked]


@pytest.mark.parametrize(
    ("question", "text", "fact"),
    [
        ("Your SSN?", "contact no 514 268 8740", "phone=514 268 8740"),
        ("Your SSN?", "my zip is 22901", "postcode=22901"),
        ("Your card number?", "order B-2077 is late", "order_id=B-2077"),
        ("Your card number?", "Call me at 514-268-8740", "phone=514-268-8740"),
        ("Your booking reference?", "my account ends with 8890", "account_id=8890"),
        ("请提供您的银行卡号", "我的手机是13900008642", "phone=13900008642"),
        ("请提供您的身份证号", "订单号7300215没到", "order_id=7300215"),
        ("请提供您的身份证号", "邮编200031", "postcode=200031"),
    ],
)
def test_a_value_with_its_own_cue_keeps_its_type_after_another_question(
    extractor: Extractor, question: str, text: str, fact: str
) -> None:
    masked, facts = read(extractor, question, text)
    assert masked == text
    assert fact in facts


@pytest.mark.parametrize(
    ("question", "text", "masked"),
    [
        ("Your card number, please?", "4417", "[card_number]"),
        ("Your card number, please?", "589 e 15", "[card_number ****15]"),
        ("Your card number, please?", "it ends 4417", "it ends [card_number]"),
        ("请问您的银行卡号是多少？", "尾号是4417的那张", "尾号是[card_number]的那张"),
        ("请问您的银行卡号是多少？", "5.89E+15", "[card_number ****15]"),
    ],
)
def test_after_a_card_question_what_is_nothing_else_is_masked(
    extractor: Extractor, question: str, text: str, masked: str
) -> None:
    found, facts = read(extractor, question, text)
    assert found == masked
    assert facts == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("q 74 mf 3", "q 74 mf 3"),
        ("lena and wq 27 m 4", "wq 27 m 4"),
        ("sorry wqx 274", "wqx 274"),
        ("its a 2 cw 51", "a 2 cw 51"),
        ("7 mm 6 x 2", "7 mm 6 x 2"),
        ("wq 27 mf", "wq 27 mf"),
    ],
)
def test_references_spelt_in_groups_are_one_value(
    extractor: Extractor, text: str, value: str
) -> None:
    question = "What is the booking confirmation number?"
    assert read(extractor, question, text)[1] == [f"booking_ref={value}"]


def test_a_number_beside_an_address_is_cut_from_it(extractor: Extractor) -> None:
    question = "Your delivery address and a phone number, please?"
    _, facts = read(extractor, question, "514 268 8740 18 quai nord lyon 22901")
    assert facts == ["phone=514 268 8740", "address=18 quai nord lyon 22901"]


def test_types_come_in_the_order_of_the_question() -> None:
    slots = PATTERNS.slots
    assert expected_types("Your zip code, phone and SSN?", slots) == (
        "postcode",
        "phone",
        "national_id",
    )
    assert expected_types("请提供身份证号和手机号", slots)[:2] == ("national_id", "phone")


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("my ssn is ", {"national_id"}),
        ("the last 4 digits of my card: ", {"card_number"}),
        ("address 12 kiln hwy east leeds ", {"address"}),
        ("address 12 kiln road box ", set()),
        ("ssn please. it is ", None),
        ("订单号是", {"order_id"}),
        ("电话打不通，", None),
        ("my card broke at the shop on ", None),
    ],
)
def test_a_label_reaches_its_value_over_filling_words(
    text: str, types: set[str] | None
) -> None:
    label = beside(Labels(PATTERNS.slots).find(text), text, len(text))
    assert (None if label is None or types is None else label.types & types) == types
    assert (label is None) == (types is None)


_WORDS = st.lists(
    st.sampled_from(
        [
            "4417",
            "8890",
            "ssn",
            "ac no",
            "and",
            "is",
            "5140688740",
            "号码",
            "卡",
            "，",
            "x 12",
        ]
    ),
    max_size=7,
)


@given(_WORDS, st.sampled_from(["Your SSN and account number?", "请提供银行卡号和账号"]))
def test_masking_an_answer_again_changes_nothing(words: list[str], question: str) -> None:
    extractor = Extractor(PATTERNS, max_chars=32_768)
    once = extractor.extract(" ".join(words), role="user", question=question)
    again = extractor.extract(once.masked, role="user", question=question)
    assert again.masked == once.masked
    for fact in once.facts:
        assert once.masked[fact.start : fact.end] == fact.value
