from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tiered_memory.errors import PackError, SettingsError
from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.pack_checks import check_file
from tiered_memory.facts.packs import load_patterns
from tiered_memory.settings import FactSettings

LAMP = """\
version: 1
patterns:
  - id: lamps.order
    type: order_id
    regex: ['HL-[0-9]{6}']
    normalize: upper
    examples:
      match:
        '订单HL-204817还没到': HL-204817
      no_match:
        - 'AHL-204817'
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "shop.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def refused(folder: Path, text: str) -> PackError:
    with pytest.raises(PackError) as caught:
        load_patterns(FactSettings(packs=(), files=(write(folder, text),)), {})
    return caught.value


def test_a_pack_of_the_users_own_is_read_beside_the_shipped_ones(tmp_path: Path) -> None:
    patterns = load_patterns(FactSettings(files=(write(tmp_path, LAMP),)), {})
    extractor = Extractor(patterns, max_chars=1_000)
    found = extractor.extract("HL-204817 坏了，打13900002222", role="user").facts
    assert [(c.key, c.value) for c in found] == [
        ("order_id", "HL-204817"),
        ("phone", "13900002222"),
    ]


def test_the_shipped_packs_load_without_a_warning() -> None:
    assert load_patterns(FactSettings(), {}).warnings == ()


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("    type: order_id\n", "    kind: order_id\n", 3, "type: this key is missing"),
        ("    regex:", "    colour: red\n    regex:", 5, "colour: there is no such key"),
        ("['HL-[0-9]{6}']", "['HL-[0-9']", 5, "regex"),
        ("HL-204817\n      no", "HL-204818\n      no", 9, "examples.match"),
        ("'AHL-204817'", "'my HL-204817'", 11, "examples.no_match"),
        (
            "normalize: upper",
            "normalize: louder",
            6,
            "there is no normal form 'louder'; did you mean 'lower'?",
        ),
        ("normalize: upper", "validator: magic", 6, "there is no validator 'magic'"),
        ("normalize: upper", "priority: high", 6, "priority"),
        ("还没到': HL-204817", "还没到': 204817", 9, "quotes"),
    ],
    ids=[
        "missing key",
        "unknown key",
        "broken expression",
        "example that does not match",
        "example that must not match",
        "unknown normal form",
        "unknown validator",
        "wrong kind of value",
        "number without quotes",
    ],
)
def test_a_broken_pattern_is_refused_with_file_line_and_pattern(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    assert old in LAMP
    error = refused(tmp_path, LAMP.replace(old, new))
    assert error.facts["line"] == line
    assert error.facts["pattern"] == "lamps.order"
    assert error.facts["file"] == str(tmp_path / "shop.yaml")
    assert said in str(error)


def test_invalid_yaml_is_refused_with_its_line(tmp_path: Path) -> None:
    error = refused(tmp_path, "version: 1\npatterns:\n  - id: [a\n")
    assert error.facts["line"] in {3, 4}
    assert "YAML" in str(error)


def test_a_key_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    text = LAMP.replace("    normalize: upper\n", "    type: sku\n")
    error = refused(tmp_path, text)
    assert error.facts["line"] == 6
    assert "twice" in str(error)


@pytest.mark.parametrize("text", ["", "- a\n", "version: 2\npatterns: []\n"])
def test_a_file_that_is_no_pack_is_refused(tmp_path: Path, text: str) -> None:
    assert refused(tmp_path, text).facts["pattern"] is None


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="cannot be read"):
        load_patterns(FactSettings(packs=(), files=(tmp_path / "none.yaml",)), {})


def test_an_id_is_used_once_unless_it_overrides(tmp_path: Path) -> None:
    again = LAMP.replace("lamps.order", "order.shape")
    with pytest.raises(PackError, match="override: true") as caught:
        load_patterns(FactSettings(files=(write(tmp_path, again),)), {})
    assert caught.value.facts["line"] == 3

    file = write(tmp_path, again.replace("    type:", "    override: true\n    type:"))
    patterns = load_patterns(FactSettings(files=(file,)), {})
    assert [p.spec.regex for p in patterns.patterns if p.id == "order.shape"] == [
        ("HL-[0-9]{6}",)
    ]


def test_a_pattern_that_is_switched_off_finds_nothing(tmp_path: Path) -> None:
    off = LAMP.replace("    type:", "    enabled: false\n    type:")
    patterns = load_patterns(FactSettings(packs=(), files=(write(tmp_path, off),)), {})
    assert patterns.patterns == ()


def test_inline_patterns_are_checked_like_those_of_a_file() -> None:
    inline: dict[str, Any] = {
        "id": "lamps.order",
        "type": "order_id",
        "regex": ["HL-[0-9]{6}"],
        "examples": {"match": {"HL-204817": "HL-204817"}},
    }
    patterns = load_patterns(FactSettings(packs=(), patterns=(inline,)), {})
    assert [p.id for p in patterns.patterns] == ["lamps.order"]
    inline["examples"] = {"match": {"HL-204817": "HL-204818"}}
    with pytest.raises(PackError, match=r"facts\.patterns"):
        load_patterns(FactSettings(packs=(), patterns=(inline,)), {})


def test_an_example_can_hold_the_question_before_it(tmp_path: Path) -> None:
    text = """\
version: 1
patterns:
  - id: lamps.serial
    type: serial
    regex: ['SN[0-9]{8}']
    slot: {cues: [serial number, 序列号], bare: '[0-9]{8}'}
    examples:
      match:
        '20481700': {question: 'What is the serial number?', value: '20481700'}
      no_match:
        - '20481700'
        - {text: '20481700', question: 'What is your order number?'}
"""
    assert check_file(write(tmp_path, text))[0].problem is None


def test_an_unknown_shipped_pack_is_a_settings_error_that_names_those_there_are() -> None:
    with pytest.raises(SettingsError, match="common, ecommerce"):
        load_patterns(FactSettings(packs=("bank",)), {})


def test_masking_of_a_type_without_a_pattern_is_a_settings_error() -> None:
    with pytest.raises(SettingsError, match=r"masking\.fone"):
        load_patterns(FactSettings(), {"fone": "mask"})


def test_what_re2_refuses_runs_in_the_other_lane_and_is_said(tmp_path: Path) -> None:
    text = LAMP.replace("'HL-[0-9]{6}'", "'(?<!no )HL-[0-9]{6}'")
    patterns = load_patterns(FactSettings(packs=(), files=(write(tmp_path, text),)), {})
    assert len(patterns.warnings) == 1
    assert "lamps.order" in patterns.warnings[0]
    extractor = Extractor(patterns, max_chars=1_000)
    assert extractor.extract("no HL-204817", role="user").facts == ()
    assert len(extractor.extract("yes HL-204817", role="user").facts) == 1


def test_an_expression_that_is_slow_on_plain_text_is_refused(tmp_path: Path) -> None:
    text = LAMP.replace("'HL-[0-9]{6}'", r"'HL-[0-9]{6}', '(?=a)(?:a|aa)+\1?(?!b)c'")
    assert "regex" in str(refused(tmp_path, text))


def test_check_file_reports_every_pattern(tmp_path: Path) -> None:
    second = LAMP.split("patterns:\n")[1].replace("HL-[0-9]{6}", "HL-[0-9]{7}")
    checks = check_file(write(tmp_path, LAMP + second.replace("lamps.order", "lamps.b")))
    assert [(c.pattern, c.line, c.problem is None) for c in checks] == [
        ("lamps.order", 3, True),
        ("lamps.b", 18, False),
    ]
    assert (checks[0].lane, checks[0].examples, checks[0].type) == ("re2", 2, "order_id")


def test_check_file_says_when_an_id_is_there_twice(tmp_path: Path) -> None:
    checks = check_file(write(tmp_path, LAMP + LAMP.split("patterns:\n")[1]))
    assert checks[0].problem is None
    assert "already used at" in (checks[1].problem or "")
