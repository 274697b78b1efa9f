"""What is wrong with a pack is told all at once, in its author's words and places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tiered_memory.errors import PackError, SettingsError
from tiered_memory.facts.pack_checks import check_files
from tiered_memory.facts.packs import load_patterns
from tiered_memory.settings import FactSettings

TWO = """\
version: 1
patterns:
  - id: lamps.order
    type: order_id
    regexp: ['HL-[0-9]{6}']
    context: {words: [lamp], windows: 5}
  - id: lamps.serial
    type: serial
    regex: ['SN[0-9', 'SN(?<!x)']
    normalize: uper
    examples: {match: {'SN12': SN12}}
"""


def refused(*files: Path, **settings: Any) -> PackError:
    with pytest.raises(PackError) as caught:
        load_patterns(FactSettings(packs=(), files=files, **settings), {})
    return caught.value


def write(folder: Path, text: str, name: str = "shop.yaml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_all_faults_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    file = write(tmp_path, TWO)
    other = write(tmp_path, "version: 1\npatterns: [\n", "other.yaml")
    error = refused(file, other)
    problems = error.facts["problems"]
    assert isinstance(problems, tuple)
    said = "\n".join(problems)
    assert str(error) == said
    for part in (
        f"{file}:3: pattern 'lamps.order': regex: this key is missing",
        f"{file}:5: pattern 'lamps.order': regexp: there is no such key; did you mean 'regex'?",
        "context.windows: there is no such key; did you mean 'window'?",
        f"{file}:9: pattern 'lamps.serial': regex: missing ]: [0-9 at position 2",
        (
            f"{file}:10: pattern 'lamps.serial': normalize: there is no normal form 'uper'; "
            "did you mean 'upper'?"
        ),
        "examples.no_match: there is none",
        f"{other}:",
    ):
        assert part in said
    assert (error.facts["file"], error.facts["pattern"]) == (str(other), None)


def test_an_inline_pattern_is_named_by_its_place_in_the_settings() -> None:
    good = {"id": "a.a", "type": "a", "regex": ["A1"]}
    bad = {"id": "a.b", "type": "a", "regex": ["(A"]}
    error = refused(patterns=(good, good | {"id": "a.c"}, bad))
    assert str(error).startswith("facts.patterns[2] (a.b): regex: missing )")
    assert (error.facts["file"], error.facts["line"]) == ("facts.patterns", None)
    nameless = refused(patterns=(good, {"type": "a", "regex": ["A"]}))
    assert str(nameless) == "facts.patterns[1]: id: this key is missing"


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ("{}", "examples.match: there is none"),
        ("{match: {A1: A1}}", "examples.no_match: there is none"),
        ("{no_match: [A]}", "examples.match: there is none"),
    ],
)
def test_a_pattern_of_a_file_shows_what_it_takes_and_what_not(
    tmp_path: Path, given: str, missing: str
) -> None:
    pattern = "- {id: a.b, type: a, regex: 'A[0-9]', examples: %s}\n"
    error = refused(write(tmp_path, f"version: 1\npatterns:\n  {pattern % given}"))
    assert missing in str(error)


def test_a_failing_example_says_what_came_instead(tmp_path: Path) -> None:
    text = """\
version: 1
patterns:
  - id: a.b
    type: a
    regex: 'A[0-9]+'
    examples:
      match:
        'A12 or A3': A12
      no_match: ['say A7']
"""
    error = refused(write(tmp_path, text))
    first, second = str(error).splitlines()
    assert first.endswith(
        ":8: pattern 'a.b': examples.match: 'A12 or A3' gives ['A12', 'A3'], not ['A12']"
    )
    assert second.endswith("examples.no_match: 'say A7' gives ['A7'], not nothing")


@pytest.mark.parametrize(
    ("regex", "said"),
    [
        ("(?:x{900}){900}", "invalid repetition size"),
        (r"(?:\p{Han}{1,200}x){1,5}", "too large"),
        ("(?<!x)(?:c|cc)+d", "takes too long on plain text"),
        ("(?=x)(x+x+)+y", "takes too long on plain text"),
    ],
)
def test_an_expression_that_could_hold_up_the_engine_is_refused(
    regex: str, said: str
) -> None:
    error = refused(patterns=({"id": "a.b", "type": "a", "regex": [regex]},))
    assert said in str(error)


def test_an_id_is_unique_over_all_packs_shipped_ones_included(tmp_path: Path) -> None:
    pattern = (
        "- {id: %s, type: a, regex: 'Q', examples: {match: {Q: Q}, no_match: [R]}%s}\n"
    )
    text = "version: 1\npatterns:\n  " + pattern % ("order.shape", "")
    file = write(tmp_path, text)
    with pytest.raises(PackError, match=r"ecommerce.yaml:[0-9]+; say 'override: true'"):
        load_patterns(FactSettings(files=(file,)), {})
    (check,) = check_files([file], FactSettings())
    assert "already used at" in (check.problem or "")
    (check,) = check_files([file], FactSettings(packs=("common",)))
    assert check.problem is None
    assert "ecommerce.yaml" in (check.warning or "")
    wrong = write(
        tmp_path, "version: 1\npatterns:\n  " + pattern % ("order.shap", ", override: true")
    )
    with pytest.raises(PackError, match=r"did you mean 'order\.shape'"):
        load_patterns(FactSettings(files=(wrong,)), {})
    (check,) = check_files([wrong], FactSettings(packs=("common",)))
    assert "did you mean 'order.shape'" in (check.problem or "")


def test_a_shipped_pattern_is_switched_off_by_its_id() -> None:
    patterns = load_patterns(FactSettings(disabled=("phone.nanp",)), {})
    assert "phone.nanp" not in {pattern.id for pattern in patterns.patterns}
    assert patterns.warnings == ()
    with pytest.raises(
        SettingsError, match=r"facts\.disabled: .* did you mean 'phone.nanp'"
    ):
        load_patterns(FactSettings(disabled=("phone.nampa",)), {})


def test_a_mask_is_taken_off_by_id_alone_and_said() -> None:
    settings = FactSettings(disabled=("card.joined",))
    (warning,) = load_patterns(settings, {}).warnings
    assert "card.joined" in warning
    assert "stored unmasked" in warning
    off = {"id": "card.joined", "type": "card_number", "regex": ["x"], "enabled": False}
    inline = ({**off, "override": True},)
    (warning,) = load_patterns(FactSettings(patterns=inline), {}).warnings
    assert "no longer masks" in warning


def test_a_masked_type_that_no_pattern_has_is_named_with_what_is_like_it() -> None:
    with pytest.raises(SettingsError, match=r"masking\.phon: .* did you mean 'phone'"):
        load_patterns(FactSettings(), {"phon": "mask"})
