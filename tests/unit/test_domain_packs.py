from __future__ import annotations

from collections import defaultdict

import pytest

from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.pack_checks import check_file
from tiered_memory.facts.packs import load_patterns, shipped_packs
from tiered_memory.facts.patterns import PatternSet
from tiered_memory.settings import FactSettings

FIELDS = ("banking", "logistics", "telecom", "travel")
PACKS = ("secrets", "common", "ecommerce", *FIELDS)
HEX = "0a1b2c3d4e5f6789"
MIXED = "aB3dE5gH7jK9mN2pQ4rS6tU8vW1xY0zC"

# (issuer, the key as its documentation writes it)
KEYS = [
    ("AWS access key", "AKIA" + "IOSFODNN7EXAMPLE"),
    ("AWS temporary key", "ASIA" + "Y34FZKBOKMUTVV7A"),
    ("AWS secret key", "aws_secret_access_key=" + (MIXED * 2)[:40]),
    ("GitHub personal token", "ghp_" + (MIXED * 2)[:36]),
    ("GitHub server token", "ghs_" + (MIXED * 2)[:36]),
    ("GitHub fine-grained token", "github_pat_" + MIXED[:22] + "_" + (MIXED * 2)[:59]),
    ("GitLab personal token", "glpat-" + MIXED[:20]),
    ("GitLab routable token", "glpat-" + MIXED[:27] + ".01." + MIXED[:9]),
    ("Slack bot token", "xoxb-" + "123456789012-1234567890123-" + MIXED[:24]),
    ("Slack app token", "xapp-1-" + "A0123456789-1234567890123-" + HEX * 4),
    ("Slack webhook", "https://hooks.slack.com/services/" + "T0AB12CD3/B0EF45GH6/" + MIXED[:24]),
    ("Stripe live key", "sk_live_" + MIXED[:24]),
    ("Stripe restricted key", "rk_test_" + MIXED * 3),
    ("Stripe webhook secret", "whsec_" + MIXED),
    ("Google API key", "AIza" + (MIXED * 2)[:35]),
    ("Google OAuth secret", "GOCSPX-" + MIXED[:28]),
    ("OpenAI key", "sk-" + MIXED[:20] + "T3BlbkFJ" + MIXED[:20]),
    ("OpenAI project key", "sk-proj-" + MIXED * 4),
    ("Anthropic key", "sk-ant-api03-" + (MIXED * 3)[:93] + "AA"),
    ("DeepSeek key", "sk-" + HEX * 2),
    ("SendGrid key", "SG." + MIXED[:22] + "." + (MIXED * 2)[:43]),
    ("Twilio API key", "SK" + HEX * 2),
    ("Twilio auth token", "TWILIO_AUTH_TOKEN=" + HEX * 2),
    ("Telegram bot token", "1234567890:AA" + (MIXED * 2)[:33]),
    ("npm token", "npm_" + (MIXED * 2)[:36]),
    ("PyPI token", "pypi-AgEIcHlwaS5vcmc" + MIXED * 4),
    ("Docker token", "dckr_pat_" + MIXED[:27]),
    ("Hugging Face token", "hf_" + (MIXED * 2)[:34]),
    ("New Relic key", "NRAK-" + "AB1CD2EF3GH4JK5LM6NP7QR8ST9"),
    ("Grafana token", "glsa_" + MIXED + "_0a1b2c3d"),
    ("Doppler token", "dp.st.prd." + (MIXED * 2)[:43]),
    ("Supabase token", "sbp_" + (HEX * 3)[:40]),
    ("Airtable token", "pat" + MIXED[:14] + "." + HEX * 4),
    ("Sentry token", "sntryu_" + HEX * 4),
    ("Heroku key", "HRKU-" + (MIXED * 2)[:60]),
    ("Terraform token", MIXED[:14] + ".atlasv1." + (MIXED * 3)[:67]),
    ("Discord bot token", "MTA" + MIXED[:23] + ".GaB3dE." + (MIXED * 2)[:38]),
    ("Baidu key", "ALTAK" + MIXED[:21]),
    ("Volcengine key", "AKLT" + (MIXED * 2)[:43]),
    ("PGP key", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n" + MIXED + "\n=aB3d\n"
     "-----END PGP PRIVATE KEY BLOCK-----"),
    ("Mailgun key", "key-" + HEX * 2),
    ("Vault token", "hvs." + MIXED * 3),
    ("Shopify token", "shpat_" + HEX * 2),
    ("JWT", "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + MIXED),
    ("bearer token", "Authorization: Bearer " + MIXED),
    ("connection string", "mongodb+srv://shop:" + "pa55w0rd@cluster0.example.net/orders"),
    ("Azure storage key", "AccountKey=" + (MIXED * 3)[:86] + "=="),
    ("generic key", "api_key = '" + MIXED + "'"),
]  # fmt: skip


@pytest.fixture(scope="module")
def patterns() -> PatternSet:
    return load_patterns(FactSettings(packs=PACKS), {})


@pytest.fixture(scope="module")
def extractor(patterns: PatternSet) -> Extractor:
    return Extractor(patterns, max_chars=32_768)


def found(
    extractor: Extractor, text: str, question: str | None = None
) -> dict[str, list[str]]:
    values: dict[str, list[str]] = defaultdict(list)
    for candidate in extractor.extract(text, role="user", question=question).facts:
        if candidate.polarity == "assert" and not candidate.masked:
            values[candidate.key].append(candidate.value)
    return dict(values)


@pytest.mark.parametrize("name", FIELDS)
def test_every_pattern_is_linear_and_proves_itself(name: str) -> None:
    checks = check_file(shipped_packs() / f"{name}.yaml")
    assert len(checks) >= 8
    for check in checks:
        assert check.problem is None, check.pattern
        assert check.lane == "re2", check.pattern


def test_every_pack_can_be_used_with_every_other(patterns: PatternSet) -> None:
    assert {file.stem for file in shipped_packs().glob("*.yaml")} == set(PACKS)
    assert not patterns.warnings
    kept = {p.spec.fact_key: p.spec.cardinality for p in patterns.patterns}
    for pattern in patterns.patterns:
        first = patterns.types()[pattern.spec.type].spec
        examples = pattern.spec.examples
        assert len(examples.match) >= 2, pattern.id
        assert len(examples.no_match) >= 2, pattern.id
        assert pattern.spec.cardinality == kept[pattern.spec.fact_key], pattern.id
        assert pattern.spec.identifier == first.identifier, pattern.id
        assert pattern.spec.sensitivity == first.sensitivity, pattern.id


def test_secrets_come_with_every_shipped_pack_and_with_none_alone() -> None:
    assert FactSettings().packs == ("secrets", "common", "ecommerce")
    assert FactSettings(packs=("travel",)).packs == ("secrets", "travel")
    assert FactSettings(packs=("travel", "secrets")).packs == ("travel", "secrets")
    assert FactSettings(packs=()).packs == ()


@pytest.mark.parametrize(("issuer", "key"), KEYS)
@pytest.mark.parametrize("around", ["{}", "密钥{}别外传", "use {}, please", "x={};"])
def test_a_key_of_a_known_issuer_is_never_stored(
    extractor: Extractor, issuer: str, key: str, around: str
) -> None:
    secret = key.rpartition("=" if "=" in key.rstrip("=") else " ")[2].strip("' ")
    masked = extractor.extract(around.format(key), role="user").masked
    for start in range(len(secret) - 11):
        assert secret[start : start + 12] not in masked, issuer
    assert extractor.mask(masked)[0] == masked


@pytest.mark.parametrize(
    "text",
    [
        "how do I rotate my sk-live keys",
        "the risk-management-system-overview-2031 page",
        "commit 3f786850e387550fdaba836e6d2f4b1c9e0a7d55 broke it",
        "uuid 123e4567-e89b-12d3-a456-426614174000",
        "订单20311102000012345678还没到",
        "what is a bearer token and a JWT?",
        "see https://docs.example.com/sk-overview-of-everything",
        "PUK码在哪里看",
    ],
)
def test_what_only_looks_like_a_key_stays(extractor: Extractor, text: str) -> None:
    extraction = extractor.extract(text, role="user")
    assert extraction.masked == text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("下午3点半再打给我", {"time": ["下午3点半"]}),
        ("请用英文回复我", {"language": ["英文"]}),
        ("我对花生过敏", {"allergy": ["对花生过敏"]}),
        ("发票抬头写苏州青禾灯饰有限公司", {"organization": ["苏州青禾灯饰有限公司"]}),
        ("我的车是沪AD12345", {"plate": ["沪AD12345"]}),
        ("error code E-1203 on version 8.0.32",
         {"error_code": ["E-1203"], "version": ["8.0.32"]}),
        ("我比较喜欢靠窗的座位", {"preference": ["喜欢靠窗的座位"]}),
        ("I'd prefer an aisle seat", {"preference": ["prefer an aisle seat"]}),
        ("please don't call me", {"contact_preference": ["don't call me"]}),
        ("预算3000元以内，尺码XL", {"budget": ["3000元以内"], "size": ["XL"]}),
        ("我买了两台，少发1台", {"quantity": ["两台", "1台"]}),
        ("圆通快递7788990011223没动", {"tracking_no": ["7788990011223"]}),
        ("取件码3-2-1004，重量2.5公斤",
         {"pickup_code": ["3-2-1004"], "weight": ["2.5公斤"]}),
        ("箱号CSQU3054383在港口", {"container_no": ["CSQU3054383"]}),
        ("my card ending in 0427 was charged twice", {"card_tail": ["0427"]}),
        ("交易流水号2031110288640012", {"transaction_id": ["2031110288640012"]}),
        ("SWIFT代码ICBKCNBJ", {"swift_code": ["ICBKCNBJ"]}),
        ("光猫MAC是3C:5A:B4:01:9f:E2", {"mac_address": ["3C:5A:B4:01:9f:E2"]}),
        ("坐MU5137飞上海的", {"flight_no": ["MU5137"], "destination": ["上海"]}),
        ("车次G1234，05车12F", {"train_no": ["G1234"], "seat": ["05车12F"]}),
        ("5月12号入住，5月14日退房", {"check_in": ["5月12号"], "check_out": ["5月14日"]}),
    ],
)  # fmt: skip
def test_types_of_the_fields(
    extractor: Extractor, text: str, values: dict[str, list[str]]
) -> None:
    assert found(extractor, text) == values


@pytest.mark.parametrize(
    "text",
    [
        "我说3点意见，一点问题都没有",
        "客服英语很好，说明书是英文的",
        "我不喜欢你们的态度",
        "我不吃这一套",
        "会不会过敏",
        "有一件事要问，帮我订一张桌子",
        "顺丰太慢了，快递3天没动",
        "手机尾号的问题",
        "是什么类型的酒店",
        "出发地是哪里",
        "I don't like your attitude",
        "I prefer that",
        "the UPS battery died in 3 places",
        "is the app version new?",
        "a swift reply would be nice",
        "do they serve vegetarian food?",
        "room for 2, first class service",
        "新A88071手机壳很好看",
        "train 3 people to lead",
    ],
)
def test_plain_talk_holds_no_facts(extractor: Extractor, text: str) -> None:
    assert found(extractor, text) == {}


@pytest.mark.parametrize(
    ("question", "answer", "key", "value"),
    [
        ("请问您的取件码是多少？", "8-1-2204", "pickup_code", "8-1-2204"),
        ("What is the serial number?", "C02XK1PQJG5H", "serial_no", "C02XK1PQJG5H"),
        ("您的预算大概是多少？", "2000元", "budget", "2000元"),
        ("Which train number?", "G1234", "train_no", "G1234"),
        ("What is your preferred language?", "Spanish", "language", "Spanish"),
        ("What is the error code?", "E1203", "error_code", "E1203"),
    ],
)
def test_a_bare_answer_has_the_type_that_was_asked_for(
    extractor: Extractor, question: str, answer: str, key: str, value: str
) -> None:
    assert found(extractor, answer, question) == {key: [value]}
    assert key not in found(extractor, answer)


def test_an_allergy_of_somebody_else_is_theirs(extractor: Extractor) -> None:
    (fact,) = extractor.extract("My wife is allergic to peanuts.", role="user").facts
    assert (fact.owner, fact.value) == ("contact.wife", "allergic to peanuts")
