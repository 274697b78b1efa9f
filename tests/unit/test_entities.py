from __future__ import annotations

from collections.abc import Sequence

import pytest

from tiered_memory.errors import SettingsError
from tiered_memory.facts.entities import EntityStage, EntityText, load_recognizers
from tiered_memory.facts.entity_rules import script, sentences
from tiered_memory.ports import Entity
from tiered_memory.settings import NerModelSettings, NerSettings

ZH = {"PER": "person_name", "LOC": "place"}
EN = {"PERSON": "person_name", "GPE": "place"}


class Words:
    """Finds each known word in a text; remembers what it was asked."""

    def __init__(self, **labels: str) -> None:
        self._labels = labels
        self.asked: list[str] = []

    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        self.asked += texts
        return [
            [
                Entity(start=at, end=at + len(word), label=label)
                for word, label in self._labels.items()
                for at in [text.find(word)]
                if at >= 0
            ]
            for text in texts
        ]


def found(stage: EntityStage, text: str, *taken: tuple[int, int]) -> list[tuple[str, str]]:
    (candidates,) = stage.candidates([EntityText(text=text, part="content", taken=taken)])
    for candidate in candidates:
        assert text[candidate.start : candidate.end] == candidate.value
        assert candidate.source == "ner"
        assert 0.5 <= candidate.confidence <= 0.6
        assert not candidate.identifier
    return [(candidate.key, candidate.value) for candidate in candidates]


def zh(**labels: str) -> EntityStage:
    return EntityStage({"zh": (Words(**labels), ZH)})


def en(*people: str, place: str = "") -> EntityStage:
    words = Words(**dict.fromkeys(people, "PERSON"), **({place: "GPE"} if place else {}))
    return EntityStage({"en": (words, EN)})


def test_a_name_is_the_customers_own_only_after_a_cue() -> None:
    stage = zh(周小帆="PER")
    assert found(stage, "我叫周小帆，之前打过电话") == [("person_name", "周小帆")]
    assert found(stage, "麻烦找周小帆接电话") == [("mentioned_person", "周小帆")]
    assert found(stage, "我不是周小帆") == []


def test_an_english_name_needs_its_cue_right_before_it() -> None:
    stage = en("Lena Brandt")
    assert found(stage, "Hi, I'm Lena Brandt") == [("person_name", "Lena Brandt")]
    assert found(stage, "My name is Lena Brandt.") == [("person_name", "Lena Brandt")]
    assert found(stage, "Your colleague Lena Brandt called") == [
        ("mentioned_person", "Lena Brandt")
    ]
    assert found(stage, "I was in Miami, Lena Brandt too")[0][0] == "mentioned_person"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("我是周小帆，想退货", "person_name"),
        ("我不是周小帆，想退货", None),
        ("你好周小帆，想退货", None),
        ("谢谢，周小帆", None),
        ("请转告周小帆", "mentioned_person"),
    ],
)
def test_whose_a_chinese_name_is(text: str, key: str | None) -> None:
    expected = [] if key is None else [(key, "周小帆")]
    assert found(zh(周小帆="PER"), text) == expected


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("My name is Lena, hello", "person_name"),
        ("Your colleague's name is Lena", "mentioned_person"),
        ("Hi Lena, where is it", None),
        ("thank you Lena", None),
        ("Thanks for the parcel. Lena has it", "mentioned_person"),
    ],
)
def test_whose_an_english_name_is(text: str, key: str | None) -> None:
    keys = [found_key for found_key, _ in found(en("Lena"), text)]
    assert keys == ([] if key is None else [key])


@pytest.mark.parametrize("word", ["Gold Card", "Outlook", "Friday", "Thin Pizza", "Sure"])
def test_words_of_talk_are_no_english_names(word: str) -> None:
    assert found(en(word), f"About {word} then") == []


def test_a_family_name_that_is_a_word_stays_in_its_name() -> None:
    assert found(en("Martha King"), "ask Martha King") == [
        ("mentioned_person", "Martha King")
    ]


@pytest.mark.parametrize(
    "word",
    ["陈经理", "小刘", "张总", "张", "hello", "高兴", "全季", "李先生", "林👍一", "莲前路"],
)
def test_titles_and_words_are_no_chinese_names(word: str) -> None:
    assert found(zh(**{word: "PER"}), f"我和{word}说过了，还没处理") == []


@pytest.mark.parametrize("word", ["欧阳娜娜", "买买提·艾力", "林一诺", "王芳", "歐陽修"])
def test_names_of_every_length_are_whole(word: str) -> None:
    assert found(zh(**{word: "PER"}), f"，{word}的快递") == [("mentioned_person", word)]


def test_a_name_without_its_head_is_dropped() -> None:
    assert found(zh(**dict.fromkeys(["买提·艾力"], "PER")), "买买提·艾力来取件") == []


@pytest.mark.parametrize(
    "word", ["7044218", "Hello", "Thanks", "sure", "ops@x", "HAT072", "US"]
)
def test_greetings_and_codes_are_no_english_names(word: str) -> None:
    assert found(en(word), f"well then {word} and more") == []


def test_a_possessive_and_quotes_are_not_part_of_a_name() -> None:
    assert found(
        EntityStage({"en": (Words(**{"Anna's": "PERSON"}), EN)}), "it is Anna's bag"
    ) == [("mentioned_person", "Anna")]
    assert found(zh(**{"“林一诺”": "PER"}), "写的是“林一诺”吗") == [
        ("mentioned_person", "林一诺")
    ]


def test_parts_of_a_chinese_address_are_joined() -> None:
    stage = zh(浙江省="LOC", 杭州市="LOC", 文三路478号="LOC", 多伦多="LOC")
    assert found(stage, "寄浙江省杭州市文三路478号吧") == [
        ("mentioned_address", "浙江省杭州市文三路478号")
    ]
    assert found(stage, "我在多伦多") == [("place", "多伦多")]


def test_what_rules_took_is_not_given_again() -> None:
    text = "我叫周小帆，住杭州市"
    stage = zh(周小帆="PER", 杭州市="LOC")
    assert found(stage, text, (2, 5)) == [("place", "杭州市")]
    assert found(stage, text, (4, 6)) == [("place", "杭州市")]
    assert found(stage, text, (0, len(text))) == []


def test_each_sentence_goes_to_the_recognizer_of_its_script() -> None:
    han, latin = Words(林一诺="PER"), Words(Tom="PERSON")
    stage = EntityStage({"zh": (han, ZH), "en": (latin, EN)})
    text = "昨天林一诺没回电话。 I spoke with Tom yesterday. 12345678! 谢谢你们。"
    assert found(stage, text) == [
        ("mentioned_person", "林一诺"),
        ("mentioned_person", "Tom"),
    ]
    assert all("Tom" not in asked for asked in han.asked)
    assert all("林一诺" not in asked for asked in latin.asked)
    assert not any("12345678" in asked for asked in han.asked + latin.asked)


def test_answers_keep_the_order_of_texts_and_parts() -> None:
    stage = zh(林一诺="PER", 王芳="PER")
    texts = [
        EntityText(text="王芳和林一诺", part="content.0.text"),
        EntityText(text="123", part="content"),
        EntityText(text="林一诺", part="content"),
    ]
    answers = stage.candidates(texts)
    assert [[(c.value, c.part) for c in answer] for answer in answers] == [
        [("王芳", "content.0.text"), ("林一诺", "content.0.text")],
        [],
        [("林一诺", "content")],
    ]


def test_a_name_said_twice_is_one_candidate() -> None:
    class Both:
        def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
            return [
                [Entity(start=i, end=i + 3, label="PER") for i in (4, 0)] for _ in texts
            ]

    assert found(EntityStage({"zh": (Both(), ZH)}), "林一诺，林一诺") == [
        ("mentioned_person", "林一诺")
    ]


def test_labels_that_are_not_mapped_are_left_out() -> None:
    assert found(EntityStage({"zh": (Words(林一诺="ORG"), ZH)}), "找林一诺") == []


def test_a_long_text_is_cut_and_offsets_still_hold() -> None:
    words = Words(林一诺="PER")
    text = "没有问题，" * 400 + "找林一诺"
    assert found(EntityStage({"zh": (words, ZH)}), text) == [("mentioned_person", "林一诺")]
    assert max(map(len, words.asked)) <= 200


def test_a_recognizer_that_answers_wrongly_is_an_error() -> None:
    class Short:
        def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
            return []

    class Outside:
        def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
            return [[Entity(start=0, end=len(text) + 1, label="PER")] for text in texts]

    for wrong in (Short(), Outside()):
        with pytest.raises(ValueError, match=r"answers|outside"):
            found(EntityStage({"zh": (wrong, ZH)}), "林一诺来了")


def test_scripts_are_told_by_their_letters() -> None:
    assert script("我的iPhone坏了") == "zh"
    assert script("please call 林一诺 tomorrow about the delivery") == "en"
    assert script("13900008642 !!") is None
    assert script("") is None


def test_sentences_cover_the_text_without_gaps() -> None:
    text = "一。二！three. four 4.5 five?\n" + "长" * 450 + ", " + "x" * 90
    spans = list(sentences(text, limit=200))
    assert [start for start, _ in spans[1:]] == [end for _, end in spans[:-1]]
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert all(0 < end - start <= 200 for start, end in spans)


# -- settings to recognizers -------------------------------------------------------


def make_words() -> Words:
    return Words(林一诺="PER")


def make_callable() -> object:
    return lambda texts: [[] for _ in texts]


def make_nothing() -> object:
    return 7


def settings(*names: str, missing: str = "warn", engine: str = "factory") -> NerSettings:
    model = NerModelSettings.model_validate(
        {"language": "zh", "engine": engine, "model": names, "labels": ZH}
    )
    return NerSettings.model_validate({"models": (model,), "missing": missing})


def test_a_factory_is_named_by_module_and_function() -> None:
    stage, warnings = load_recognizers(settings(f"{__name__}:make_words"))
    assert warnings == ()
    assert stage is not None
    assert stage.languages == ("zh",)
    assert found(stage, "找林一诺") == [("mentioned_person", "林一诺")]


def test_a_plain_callable_is_a_recognizer() -> None:
    stage, _ = load_recognizers(settings(f"{__name__}:make_callable"))
    assert stage is not None
    assert found(stage, "找林一诺") == []


def test_the_first_name_that_is_installed_is_used() -> None:
    stage, warnings = load_recognizers(
        settings("no_such_module:x", f"{__name__}:make_words")
    )
    assert stage is not None
    assert warnings == ()


def test_a_missing_recognizer_is_a_warning_or_an_error() -> None:
    stage, warnings = load_recognizers(settings("no_such_module:x"))
    assert stage is None
    assert len(warnings) == 1
    assert "no_such_module:x" in warnings[0]
    with pytest.raises(SettingsError, match="no_such_module"):
        load_recognizers(settings("no_such_module:x", missing="error"))
    stage, warnings = load_recognizers(settings("en_core_web_nowhere", engine="spacy"))
    assert stage is None
    assert len(warnings) == 1
    stage, warnings = load_recognizers(settings("no/such/folder", engine="lac"))
    assert stage is None
    assert len(warnings) == 1


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        ("make_words", "factory"),
        (f"{__name__}:no_such_factory", "factory"),
        (f"{__name__}:make_nothing", "factory"),
        ("json", "spacy"),
    ],
)
def test_a_recognizer_that_cannot_be_one_is_an_error(name: str, engine: str) -> None:
    with pytest.raises(SettingsError):
        load_recognizers(settings(name, engine=engine))


def test_off_loads_nothing() -> None:
    assert load_recognizers(NerSettings(mode="off")) == (None, ())


def test_what_stands_for_a_masked_value_is_no_name() -> None:
    stage = en("K3F9TQ2A", "Lena Brandt")
    assert found(stage, "[person_name-K3F9TQ2A] asked, and Lena Brandt too") == [
        ("mentioned_person", "Lena Brandt")
    ]
    assert found(stage, "[Lena Brandt] asked") == [("mentioned_person", "Lena Brandt")]
