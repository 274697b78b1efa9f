from __future__ import annotations

from collections import defaultdict

import pytest

from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.pack_checks import check_file
from tiered_memory.facts.packs import load_patterns, shipped_packs
from tiered_memory.facts.patterns import PatternSet
from tiered_memory.settings import FactSettings

SECRETS = {
    "api_key", "card_expiry", "connection_string", "password", "private_key", "token",
    "verification_code",
}  # fmt: skip
MASKED = {"bank_account", "card_number", "driver_licence", "national_id", "passport"}
WORDS = {
    "address", "allergy", "amount", "birthday", "budget", "channel", "constraint",
    "contact_preference", "date", "dislike", "language", "organization", "person_name",
    "preference", "quantity", "size", "time", "timezone",
}  # fmt: skip


@pytest.fixture(scope="module")
def patterns() -> PatternSet:
    return load_patterns(FactSettings(), {})


@pytest.fixture(scope="module")
def extractor(patterns: PatternSet) -> Extractor:
    return Extractor(patterns, max_chars=32_768)


def found(
    extractor: Extractor, text: str, question: str | None = None
) -> dict[str, list[str]]:
    extraction = extractor.extract(text, role="user", question=question)
    values: dict[str, list[str]] = defaultdict(list)
    for candidate in extraction.facts:
        if candidate.polarity == "assert" and not candidate.masked:
            span = extraction.masked[candidate.start : candidate.end]
            assert span == candidate.value
            values[candidate.type].append(candidate.value)
    return dict(values)


@pytest.mark.parametrize("name", ["common", "ecommerce", "secrets"])
def test_every_pattern_is_linear_and_proves_itself(name: str) -> None:
    checks = check_file(shipped_packs() / f"{name}.yaml")
    assert checks
    for check in checks:
        assert check.problem is None, check.pattern
        assert check.lane == "re2", check.pattern
        assert check.examples >= 4, check.pattern


def test_every_pattern_shows_what_it_takes_and_what_it_leaves(patterns: PatternSet) -> None:
    for pattern in patterns.patterns:
        examples = pattern.spec.examples
        assert len(examples.match) >= 2, pattern.id
        assert len(examples.no_match) >= 2, pattern.id


def test_patterns_of_one_type_agree(patterns: PatternSet) -> None:
    kept = {p.spec.fact_key: p.spec.cardinality for p in patterns.patterns}
    for pattern in patterns.patterns:
        first = patterns.types()[pattern.spec.type].spec
        assert pattern.spec.cardinality == kept[pattern.spec.fact_key], pattern.id
        assert pattern.spec.identifier == first.identifier, pattern.id
        assert pattern.spec.sensitivity == first.sensitivity, pattern.id


def test_what_is_secret_is_never_stored(patterns: PatternSet) -> None:
    kinds = {name: pattern.spec for name, pattern in patterns.types().items()}
    assert {n for n, spec in kinds.items() if spec.sensitivity == "drop"} == SECRETS
    assert {n for n, spec in kinds.items() if spec.sensitivity == "mask"} == MASKED
    assert {
        n for n, spec in kinds.items() if not spec.identifier
    } == SECRETS | MASKED | WORDS


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("订单202588800001234，收件人电话13900008642", "phone", ["13900008642"]),
        ("运单SF1390000864212到哪了", "tracking_no", ["SF1390000864212"]),
        ("快递单号4200112233445566", "tracking_no", ["4200112233445566"]),
        ("会员卡号1234567890123", "account_id", ["1234567890123"]),
        ("订单4589256369854796没到", "order_id", ["4589256369854796"]),
        ("金额13900008642元", "amount", ["13900008642元"]),
        ("139\u200b0000\u200b8642", "phone", ["139\u200b0000\u200b8642"]),
        ("请拨１３９００００８６４２", "phone", ["１３９００００８６４２"]),
        ("139—0000—8642", "phone", ["139—0000—8642"]),
        ("我的邮箱是mei.t@example.cn请查收", "email", ["mei.t@example.cn"]),
        ("邮箱：mei.t@example.cn。", "email", ["mei.t@example.cn"]),
        ("一档$45，一档380元", "amount", ["$45", "380元"]),
        ("两种：$45，380元", "amount", ["$45", "380元"]),
        ("才99块9，运费12块", "amount", ["99块9", "12块"]),
        ("5月12下的单，3点前要到", "date", ["5月12"]),
        ("我叫周小帆，之前来过电话", "person_name", ["周小帆"]),
        ("My name is greta lindholm", "person_name", ["greta lindholm"]),
        ("my user ID is lena_brandt_2041.", "account_id", ["lena_brandt_2041"]),
        ("cancel reservations QWZITR and 4KX9PD", "booking_ref", ["QWZITR", "4KX9PD"]),
        ("My order number is ORD-2031-55510777.", "order_id", ["ORD-2031-55510777"]),
        ("Sure, it's #W4410098.", "order_id", ["#W4410098"]),
    ],
)
def test_kinds_that_other_tools_get_wrong(
    extractor: Extractor, text: str, kind: str, values: list[str]
) -> None:
    assert found(extractor, text).get(kind, []) == values


@pytest.mark.parametrize(
    "text",
    [
        "大概四十几万元",
        "我是学生",
        "很高兴认识你",
        "打95555没人接",
        "卡的尾号1234",
        "The second item is broken, this may take a while",
        "my address is wrong",
        "能不能把收货地址改成我在成都的公司?",
        "event at 1735700000003 please",
        "I have uploaded 34 photos",
        "结账的时候8折的优惠券没有用上",
    ],
)
def test_plain_talk_holds_no_facts(extractor: Extractor, text: str) -> None:
    assert found(extractor, text) == {}


def test_nothing_is_taken_out_of_a_link_or_a_longer_number(extractor: Extractor) -> None:
    assert set(found(extractor, "看http://shop.example.cn/13900008642/a")) == {"url"}
    assert found(extractor, "案号202511020987654324") == {}
    assert "phone" not in found(extractor, "订单1390000864299没到")


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("我的密码是Blue-Sky7，登不上", "Blue-Sky7"),
        ("my password is hunter2 and it fails", "hunter2"),
        ("验证码482910", "482910"),
        ("卡号4012888888881881，谢谢", "40128888"),
        ("card number 5891 2365 8915 2367", "5891 2365"),
        ("身份证11010519491231002X", "110105194912"),
        ("Authorization: Bearer abc123def456ghi789", "abc123def456ghi789"),
        ("密钥AKIAIOSFODNN7EXAMPLE别外传", "AKIAIOSFODNN7EXAMPLE"),
        ("连postgresql://shop:s3cret@db.example.com/orders", "s3cret"),
        ("登录得到eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abc-DEF_123", "eyJzdWIiOiIxMjM0"),
        ("护照号E12345678", "E1234"),
        ("IBAN GB82 WEST 1234 5698 7654 32", "WEST 1234"),
    ],
)
def test_a_secret_is_not_in_the_text_that_is_stored(
    extractor: Extractor, text: str, hidden: str
) -> None:
    for role in ("user", "assistant"):
        extraction = extractor.extract(text, role=role)
        assert hidden not in extraction.masked
        assert sum(extraction.masked_counts.values()) == 1
        again = extractor.extract(extraction.masked, role=role)
        assert again.masked == extraction.masked


@pytest.mark.parametrize(
    ("question", "answer", "kind", "value"),
    [
        ("What is your account number?", "6589", "account_id", "6589"),
        ("May I have your phone number, please?", "987654321", "phone", "987654321"),
        ("请提供一下订单号", "7300215", "order_id", "7300215"),
        ("Your reservation ID, please?", "it's 4kx9pd", "booking_ref", "4kx9pd"),
        ("What is your name, please?", "Greta", "person_name", "Greta"),
        ("请问怎么称呼您？", "周小帆", "person_name", "周小帆"),
    ],
)
def test_a_bare_answer_has_the_type_that_was_asked_for(
    extractor: Extractor, question: str, answer: str, kind: str, value: str
) -> None:
    assert found(extractor, answer, question) == {kind: [value]}
    assert kind not in found(extractor, answer)


def test_an_answer_to_the_question_for_a_secret_is_masked(extractor: Extractor) -> None:
    for question, answer in (
        ("What is your password?", "bluemoon"),
        ("Last four digits of your SSN, please?", "4439"),
        ("请告诉我收到的验证码", "482910"),
        ("Your card number, please?", "5891 2365 8915 2367"),
    ):
        extraction = extractor.extract(answer, role="user", question=question)
        assert answer not in extraction.masked
    assert found(extractor, "Thanks", "What is your password?") == {}
    assert (
        extractor.extract("Thanks", role="user", question="Your password?").masked
        == "Thanks"
    )
