"""Failure reports FE-03, FE-05 and FE-11: names and addresses, each as a kind."""

from __future__ import annotations

import pytest

from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.packs import load_patterns
from tiered_memory.settings import FactSettings

ZH_NAME = "请问怎么称呼您？"
ZH_ADDRESS = "请提供一下收货地址。"
EN_NAME = "May I have your full name, please?"
EN_ADDRESS = "What is your delivery address?"


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor(load_patterns(FactSettings(), {}), max_chars=32_768)


def read(extractor: Extractor, text: str, question: str | None = None) -> dict[str, str]:
    found = extractor.extract(text, role="user", question=question)
    values: dict[str, str] = {}
    for fact in found.facts:
        assert found.masked[fact.start : fact.end] == fact.value
        if fact.polarity == "assert" and fact.owner == "self":
            assert fact.key not in values, "two values of one key"
            values[fact.key] = fact.value
    return values


# -- FE-03: the label of a field is no value ------------------------------------


@pytest.mark.parametrize("colon", [": ", "：", ":"])
@pytest.mark.parametrize("label", ["收货人", "收件人", "姓名", "联系人"])
def test_a_form_gives_its_values_and_no_label(
    extractor: Extractor, label: str, colon: str
) -> None:
    text = (
        f"{label}{colon}苏小满\n手机号码{colon}13900001234\n"
        f"所在地区{colon}湖北省武汉市江岸区永清街道\n详细地址{colon}解放大道88号3单元"
    )
    assert read(extractor, text) == {
        "person_name": "苏小满",
        "phone": "13900001234",
        "address_region": "湖北省武汉市江岸区永清街道",
        "address": "解放大道88号3单元",
    }


@pytest.mark.parametrize(
    "text",
    [
        "厦门市思明区莲前路，苏小满，13900001234",
        "苏小满 13900001234 厦门市思明区莲前路12号",
        "厦门市思明区莲前路12号，苏小满收，13900001234",
        "13900001234，苏小满，厦门市思明区莲前路12号3栋502室",
    ],
)
def test_a_line_for_the_courier_is_told_apart(extractor: Extractor, text: str) -> None:
    facts = read(extractor, text)
    assert facts["person_name"] == "苏小满"
    assert facts["phone"] == "13900001234"
    assert facts.get("address", "厦门市思明区莲前路").startswith("厦门市思明区莲前路")
    assert "苏小满" not in facts.get("address", "")


@pytest.mark.parametrize(
    "text",
    [
        "姓名：手机号码：地址：",
        "收货人：\n电话：\n地址：",
        "Name: Phone: Address:",
        "name: address:\nphone: email:",
        "姓名和电话都要填吗",
    ],
)
def test_an_empty_form_gives_nothing(extractor: Extractor, text: str) -> None:
    assert read(extractor, text) == {}


def test_an_english_form_gives_its_values(extractor: Extractor) -> None:
    text = "Name: Ulla Brandt\nPhone: (415) 555-0132\nAddress: 12 Quarry Lane, Fenwick"
    assert read(extractor, text) == {
        "person_name": "Ulla Brandt",
        "phone": "(415) 555-0132",
        "address": "12 Quarry Lane, Fenwick",
    }


# -- FE-05: common words, surnames alone, titles --------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "门店怀疑有人串货，请查一下",
        "晚上入住全季，麻烦把快递放前台",
        "张先生会去城西仓库取件",
        "会员卡持卡人钱红的积分没到账",
        "联系人是陈经理，小刘也知道",
        "我是学生，有没有优惠",
        "我叫外卖了，还没到",
        "我叫安装师傅过来了",
        "收货人写我就行",
        "我很高兴，谢谢",
    ],
)
@pytest.mark.parametrize("question", [None, ZH_NAME, ZH_ADDRESS])
def test_words_titles_and_surnames_alone_are_no_names(
    extractor: Extractor, text: str, question: str | None
) -> None:
    assert "person_name" not in read(extractor, text, question)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("我叫周雨桐，之前联系过你们", "周雨桐"),
        ("我叫周雨桐。", "周雨桐"),
        ("您好我的名字是欧阳一诺，想退货", "欧阳一诺"),
        ("姓名：司马青", "司马青"),
        ("收货人：买买提·艾力", "买买提·艾力"),
        ("我叫周雨桐先生，请回电", "周雨桐"),
        ("我叫万晓明，想退货", "万晓明"),
        ("我叫Lena Brandt，想退货", "Lena Brandt"),
    ],
)
@pytest.mark.parametrize("question", [None, ZH_NAME])
def test_a_told_name_is_whole(
    extractor: Extractor, text: str, name: str, question: str | None
) -> None:
    assert read(extractor, text, question)["person_name"] == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("周雨桐", "周雨桐"),
        ("周雨桐女士", "周雨桐"),
        ("您好，我是周雨桐，手机13900001234", "周雨桐"),
        ("好的，姓周，周雨桐", "周雨桐"),
        ("欧阳娜", "欧阳娜"),
        ("阿依古丽·买买提", "阿依古丽·买买提"),
        ("张先生", None),
        ("免贵姓周", None),
        ("叫我小刘就行", None),
        ("高兴", None),
        ("方便的", None),
        ("万一不行呢", None),
        ("成功了吗", None),
        ("好的谢谢", None),
        ("我的订单在哪里", None),
        ("舒适型的", None),
        ("为什么要问这个", None),
    ],
)
def test_a_reply_to_the_question_for_a_name(
    extractor: Extractor, text: str, name: str | None
) -> None:
    assert read(extractor, text, ZH_NAME).get("person_name") == name


# -- FE-11: a sentence is no name; a bare reply is ------------------------------


def test_the_dialogue_of_the_report(extractor: Extractor) -> None:
    assert read(extractor, "my name is walter holt", "What is your name, please?") == {
        "person_name": "walter holt"
    }
    assert read(extractor, "Greta", "And the second buyer?") == {}
    assert read(extractor, "imran saeed malik", "Name on the card?") == {
        "person_name": "imran saeed malik"
    }
    assert read(extractor, "Sure", "Shall I go on?") == {}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("greta lindholm", "greta lindholm"),
        ("im greta", "greta"),
        ("I'm Greta, where is my parcel?", "Greta"),
        ("this is greta lindholm", "greta lindholm"),
        ("name greta lindholm email me please", "greta lindholm"),
        ("greta lindholm 4471", "greta lindholm"),
        ("greta and 4471", "greta"),
        ("greta ssn 4471", "greta"),
        ("greta xkq 447", "greta"),
        ("greta t lindholm 12 quarry lane", "greta t lindholm"),
        ("Jean-Luc O'Neil van der Berg", "Jean-Luc O'Neil van der Berg"),
        ("Omar bin Salim al-Farsi.", "Omar bin Salim al-Farsi"),
        ("Dr. Zoë Ångström", "Zoë Ångström"),
        ("J. R. Quist", "J. R. Quist"),
        ("yes, it's Greta Lindholm, thanks", "Greta Lindholm"),
        ("my nane is greta lindholm", "greta lindholm"),
        ("Greta is my name", "Greta"),
    ],
)
def test_a_reply_to_the_question_for_a_full_name(
    extractor: Extractor, text: str, name: str
) -> None:
    assert read(extractor, text, EN_NAME)["person_name"] == name


@pytest.mark.parametrize(
    "text",
    [
        "Sure", "yes sure", "okthanks", "hii", "thank you riley", "hi riley", "bye",
        "where is my order", "I don't want to give it", "why do you need it?", "still waiting",
        "thin pizza", "window seat", "10 gb", "audi", "no problem at all", "monday please",
        "my boarding pass", "skype is not working", "i hope so", "riley are you there",
        "Unfortunately, I have no idea.", "That's acceptable.", "how's the weather?",
        "cash on delivery", "kk", "London",
    ],
)  # fmt: skip
@pytest.mark.parametrize("question", [EN_NAME, EN_ADDRESS])
def test_talk_is_neither_a_name_nor_an_address(
    extractor: Extractor, text: str, question: str
) -> None:
    facts = read(extractor, text, question)
    assert "person_name" not in facts
    assert "address" not in facts


@pytest.mark.parametrize(
    "text",
    [
        "my name is on the card", "my name is wrong", "the name was misspelled",
        "the model name is accord", "call me back", "what is my name?",
        "my wife's name is Greta", "his name is Tom Quist", "I'm not happy",
        "this is urgent", "name change please",
    ],
)  # fmt: skip
def test_a_cue_alone_makes_no_name(extractor: Extractor, text: str) -> None:
    assert "person_name" not in read(extractor, text)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "my first name is Ulla, last name Brandt",
            {"first_name": "Ulla", "last_name": "Brandt"},
        ),
        ("surname: White, and I wait", {"last_name": "White"}),
        ("first and last name is ulla brandt", {"person_name": "ulla brandt"}),
    ],
)
def test_parts_of_a_name_are_facts_of_their_own(
    extractor: Extractor, text: str, facts: dict[str, str]
) -> None:
    assert read(extractor, text) == facts
