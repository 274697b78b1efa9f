from __future__ import annotations

import pytest

from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.packs import load_patterns
from tiered_memory.settings import FactSettings

ASKED = "Could you share your full address, please?"
ASKED_ZH = "麻烦提供一下收货地址"


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor(load_patterns(FactSettings(), {}), max_chars=32_768)


def address(extractor: Extractor, text: str, question: str | None = None) -> str | None:
    found = extractor.extract(text, role="user", question=question)
    values = [c.value for c in found.facts if c.key == "address"]
    assert len(values) <= 1
    return values[0] if values else None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4821 kettle hill rd fenwick ok 73105", "4821 kettle hill rd fenwick ok 73105"),
        ("my new address is no 12 quarry lane", "no 12 quarry lane"),
        ("address 30 kettle hwy ashby al contact no 555 214 0101", "30 kettle hwy ashby al"),
        ("it is 77 old ferry road and my phone is 5550142011", "77 old ferry road"),
        ("77 old ferry road, thanks", "77 old ferry road"),
        ("po box 412 dunmore pa 18512 phone 555 214 0101", "po box 412 dunmore pa 18512"),
        (
            "Ship it to 742 Maple Grove Road, Apt 4B, Portland, OR 97201. Thanks!",
            "742 Maple Grove Road, Apt 4B, Portland, OR 97201",
        ),
        ("I waited at 12 Mill Road, Leeds. Nobody came.", "12 Mill Road, Leeds"),
        ("I live at 12 Oak Street and it is raining", "12 Oak Street"),
        ("5550142011 1357 kettle street", "1357 kettle street"),
        ("2 parcels for 77 old ferry road please", "77 old ferry road"),
        ("My address is 12 Quarry Lane 请寄到这里", "12 Quarry Lane"),
        ("my address is Flat 3\n12 Quarry Lane\nFenwick\n\nGreta", "Flat 3\n12 Quarry Lane\nFenwick"),
        ("寄到上海市徐汇区漕溪路18弄3号楼502室就行", "上海市徐汇区漕溪路18弄3号楼502室"),
        ("地址：江苏省 苏州市 姑苏区 十梓街1号", "江苏省 苏州市 姑苏区 十梓街1号"),
        ("我住在苏州市姑苏区十梓街1号2栋301室，电话13900008642", "苏州市姑苏区十梓街1号2栋301室"),
        ("我们公司位于北京市西城区前门西大街正阳市场3号楼", "北京市西城区前门西大街正阳市场3号楼"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("asked", [False, True])
def test_an_address_ends_where_it_ends(
    extractor: Extractor, text: str, value: str, *, asked: bool
) -> None:
    question = (ASKED_ZH if "号" in value else ASKED) if asked else None
    assert address(extractor, text, question) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("123 main st", "123 main st"),
        ("flat 3, 12 quarry lane, leeds", "flat 3, 12 quarry lane, leeds"),
        ("yes it's lindgren mall tirupur", "lindgren mall tirupur"),
        ("austin texas", "austin texas"),
        ("18 quai nord lyon", "18 quai nord lyon"),
        ("4821 something drive, phone 5550142011", "4821 something drive"),
        ("ulla brandt 77 old ferry road", "ulla brandt 77 old ferry road"),
        ("苏州工业园区星湖街328号创意产业园5栋", "苏州工业园区星湖街328号创意产业园5栋"),
        ("林一诺，13900008642，十梓街1号2栋", "十梓街1号2栋"),
    ],
)
def test_a_bare_reply_is_an_address(extractor: Extractor, text: str, value: str) -> None:
    question = ASKED_ZH if "号" in value else ASKED
    assert address(extractor, text, question) == value


def test_a_name_that_is_asked_for_too_is_no_part_of_the_address(
    extractor: Extractor,
) -> None:
    found = extractor.extract(
        "ulla t brandt 77 old ferry road fenwick ok 73105",
        role="user",
        question="May I have your name, your address and your zip code?",
    )
    facts = {c.key: c.value for c in found.facts}
    assert facts["person_name"] == "ulla t brandt"
    assert facts["address"] == "77 old ferry road fenwick ok"
    assert facts["postcode"] == "73105"


def test_the_number_of_a_told_address_is_no_answer_for_another_type(
    extractor: Extractor,
) -> None:
    found = extractor.extract(
        "my new address is 830 kettle street fenwick ok 73105",
        role="user",
        question="The last four digits of your SSN and your new address?",
    )
    assert [(c.key, c.value) for c in found.facts] == [
        ("address", "830 kettle street fenwick ok 73105")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I already gave you my address", "same as before", "the address is wrong",
        "won 1 st place", "I waited 2 days on the road", "a 2 bedroom place", "10 gb data plan",
        "2 cheese burger", "12th of march", "3 of us", "990 bucks", "of course!",
        "my email address is lena", "the 14th of this month", "I want to see Penguin Highway",
        "the 500 gb hard drive failed", "56 photos of my drive", "i live in a 2 way street",
        "what is the address of your shop?", "change my address please",
        "把地址改成我公司吧", "地址写错了怎么办", "我的包裹到哪个区了", "周边有798艺术区、簋街小吃",
        "北京的快递太慢了", "我在广东省出差", "你想住在剑桥镇的哪片区域呢",
    ],
)  # fmt: skip
@pytest.mark.parametrize("question", [None, ASKED, ASKED_ZH])
def test_talk_is_no_address(extractor: Extractor, text: str, question: str | None) -> None:
    assert address(extractor, text, question) is None


@pytest.mark.parametrize("question", [None, ASKED_ZH])
@pytest.mark.parametrize("lead", ["", "地址问到了："])
def test_spaces_around_numbers_do_not_cut_a_chinese_address(
    extractor: Extractor, lead: str, question: str | None
) -> None:
    value = "苏州市姑苏区平江路 18 号 3 单元 502 室"
    assert address(extractor, lead + value, question) == value
