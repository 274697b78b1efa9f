from __future__ import annotations

from tests.docs import types_page


def test_the_page_says_what_the_packs_say() -> None:
    assert types_page.PAGE.read_text(encoding="utf-8") == types_page.page()


def test_every_normal_form_in_words_is_one_that_a_pack_uses() -> None:
    used = {pattern.spec.normalize for _, pattern in types_page.shipped()}
    assert used == set(types_page.FORMS)


def test_every_pack_is_on_the_page() -> None:
    named = {name for row in types_page.rows() for name in row[6].split(", ")}
    assert named == set(types_page.pack_names())
