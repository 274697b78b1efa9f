from __future__ import annotations

import pytest

from tiered_memory.facts.forgetting import Forgetting

FORGETTING = Forgetting()


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("forget my number", ["phone"]),
        ("Please forget my phone number.", ["phone"]),
        ("ok, could you delete my e-mail?", ["email"]),
        ("Thanks! Don't keep my home address, please", ["address"]),
        ("Stop storing my name and then delete my birthday", ["person_name"]),
        ("i would like you to remove my mobile number from your records", ["phone"]),
        ("请忘记我的手机号", ["phone"]),
        ("麻烦把我的邮箱删掉", ["email"]),
        ("我想把我的手机号删除", ["phone"]),
        ("谢谢，请删除我的收货地址", ["address"]),
        ("不要保存我的电话和地址", ["phone"]),
        ("把我的名字从系统里删除", ["person_name"]),
        ("忘掉我的生日吧", ["birthday"]),
    ],
)
def test_a_wish_to_be_forgotten_names_the_key(text: str, keys: list[str]) -> None:
    found = FORGETTING.read(text, part="content", index=0)
    assert [c.key for c in found] == keys
    for candidate in found:
        assert text[candidate.start : candidate.end] == candidate.value
        assert (candidate.polarity, candidate.normalized) == ("negate", "")


@pytest.mark.parametrize(
    ("text", "owner", "key"),
    [
        ("please forget my wife's number", "contact.wife", "phone"),
        ("delete my co-worker's email address", "contact.colleague", "email"),
        ("忘掉我老婆的号码", "contact.wife", "phone"),
        ("把我妈的地址删掉", "contact.mother", "address"),
        ("请删除我同事的手机号", "contact.colleague", "phone"),
        ("请忘记我的手机号", "self", "phone"),
    ],
)
def test_a_wish_about_somebody_else_s_value_is_about_theirs(
    text: str, owner: str, key: str
) -> None:
    (found,) = FORGETTING.read(text, part="content", index=0)
    assert (found.owner, found.key) == (owner, key)


@pytest.mark.parametrize(
    "text",
    [
        "don't forget my number",
        "I always forget my number",
        "I forgot my phone number",
        "how could you forget my name?",
        "did you delete my number?",
        "delete my account",
        "remove my order from the list",
        "forget it",
        "delete my number-one fan badge",
        "忘记我的手机号了怎么办",
        "我忘了我的邮箱",
        "别忘了我的地址",
        "don't forget my wife's number",
        "别忘了我老婆的电话",
        "删除我的订单",
        "别删除我的电话",
        "你们没有删除我的电话吗",
        "怎么把我的手机号删掉",
    ],
)
def test_other_words_take_nothing_back(text: str) -> None:
    assert FORGETTING.read(text, part="content", index=0) == []
