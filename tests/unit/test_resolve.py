from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from tiered_memory.facts.resolve import resolve
from tiered_memory.model import Candidate, Fact, FactStatus

if TYPE_CHECKING:
    from tiered_memory.model import FactChanges, Source

THEN = datetime(2026, 1, 1, tzinfo=UTC)


def said(key: str, value: str, **more: Any) -> Candidate:
    one = key in {"phone", "person_name"}
    values: dict[str, Any] = {
        "type": key,
        "key": key,
        "value": value,
        "normalized": value,
        "part": "content",
        "start": 0,
        "end": len(value),
        "cardinality": "one" if one else "many",
    }
    return Candidate(**{**values, **more})


def known(
    number: int, key: str, value: str, *, source: Source = "regex", **more: Any
) -> Fact:
    one = key in {"phone", "person_name"}
    values: dict[str, Any] = {
        "type": key,
        "key": key,
        "owner": "self",
        "value": value,
        "normalized": value,
        "status": FactStatus.CURRENT,
        "confidence": 0.9,
        "pattern": "",
        "cardinality": "one" if one else "many",
        "masked": False,
        "identifier": True,
        "seq": 1,
        "part": "content",
        "start": 0,
        "end": len(value),
        "last_seq": 1,
        "revision": 1,
    }
    return Fact(
        fact_id=number,
        number=number,
        source=source,
        first_seen=THEN,
        last_seen=THEN,
        **{**values, **more},
    )


def added(changes: FactChanges) -> list[str]:
    return [candidate.value for candidate in changes.added]


SUPERSEDED, RETRACTED = FactStatus.SUPERSEDED, FactStatus.RETRACTED


def test_a_first_value_is_added() -> None:
    changes = resolve([said("phone", "1")], [])
    assert (added(changes), changes.ended, changes.seen) == (["1"], {}, {})


def test_a_key_of_one_value_takes_the_newest() -> None:
    changes = resolve([said("phone", "2")], [known(7, "phone", "1")])
    assert (added(changes), changes.ended) == (["2"], {7: (SUPERSEDED, 0)})


def test_a_key_of_many_values_keeps_both() -> None:
    changes = resolve([said("order_id", "2")], [known(7, "order_id", "1")])
    assert (added(changes), changes.ended) == (["2"], {})


def test_a_value_stated_again_is_only_seen() -> None:
    again = said("phone", "1")
    changes = resolve([again], [known(7, "phone", "1")])
    assert (changes.added, changes.ended, changes.seen) == ((), {}, {7: again})


def test_another_owner_is_another_fact() -> None:
    changes = resolve([said("phone", "2", owner="contact.wife")], [known(7, "phone", "1")])
    assert (added(changes), changes.ended) == (["2"], {})


def test_a_denied_value_is_retracted() -> None:
    changes = resolve([said("phone", "1", polarity="negate")], [known(7, "phone", "1")])
    assert (changes.added, changes.ended) == ((), {7: (RETRACTED, None)})


def test_a_denial_of_an_unknown_value_changes_nothing() -> None:
    changes = resolve([said("phone", "9", polarity="negate")], [known(7, "phone", "1")])
    assert (changes.added, changes.ended, changes.seen) == ((), {}, {})


def test_a_denial_without_a_value_takes_back_a_key_of_one() -> None:
    denial = said("phone", "", polarity="negate")
    assert resolve([denial], [known(7, "phone", "1")]).ended == {7: (RETRACTED, None)}


def test_denied_and_another_given_is_superseded_in_either_order() -> None:
    old = said("order_id", "1", polarity="negate")
    new = said("order_id", "2", why={"corrects": "1"})
    for order in ([old, new], [new, old]):
        changes = resolve(order, [known(7, "order_id", "1"), known(8, "order_id", "3")])
        assert (added(changes), changes.ended) == (["2"], {7: (SUPERSEDED, 0)})


def test_a_correction_without_the_old_value_needs_one_candidate() -> None:
    new = said("order_id", "2", why={"corrects": "*"})
    only = resolve([new], [known(7, "order_id", "1")])
    assert only.ended == {7: (SUPERSEDED, 0)}
    several = resolve([new], [known(7, "order_id", "1"), known(8, "order_id", "3")])
    assert (added(several), several.ended) == (["2"], {})


def test_a_correction_to_a_value_that_is_known_ends_the_other() -> None:
    new = said("order_id", "2", why={"corrects": "1"})
    changes = resolve([new], [known(7, "order_id", "1"), known(8, "order_id", "2")])
    assert changes.added == ()
    assert set(changes.seen) == {8}
    assert changes.ended == {7: (SUPERSEDED, 8)}


def correction(value: str, **more: Any) -> Candidate:
    return said("correction", value, **more)


def test_a_correction_without_a_type_takes_that_of_what_it_corrects() -> None:
    pair = [
        correction("A1", polarity="negate"),
        correction("A2", why={"corrects": "A1"}),
    ]
    changes = resolve(pair, [known(7, "order_id", "A1"), known(8, "sku", "B1")])
    (new,) = changes.added
    assert (new.type, new.key, new.value, new.cardinality) == (
        "order_id",
        "order_id",
        "A2",
        "many",
    )
    assert changes.ended == {7: (SUPERSEDED, 0)}


def test_a_correction_of_nothing_known_is_dropped() -> None:
    pair = [correction("A1", polarity="negate"), correction("A2", why={"corrects": "A1"})]
    changes = resolve(pair, [known(8, "sku", "B1")])
    assert (changes.added, changes.ended, changes.seen) == ((), {}, {})


def test_a_lone_correction_corrects_the_one_value_of_its_shape() -> None:
    lone = correction("A2", why={"corrects": "*"})
    facts = [known(7, "order_id", "A1"), known(8, "phone", "13900008642")]
    assert resolve([lone], facts).ended == {7: (SUPERSEDED, 0)}
    twice = [*facts, known(9, "sku", "C3")]
    assert resolve([lone], twice).added == ()


def test_a_recognizers_value_takes_no_place_from_a_stated_one() -> None:
    guess = said("person_name", "Li", source="ner")
    changes = resolve([guess], [known(7, "person_name", "Wang")])
    assert (changes.added, changes.ended, changes.seen) == ((), {}, {})


def test_a_stated_value_takes_the_place_of_a_recognizers() -> None:
    changes = resolve(
        [said("person_name", "Li")], [known(7, "person_name", "Wang", source="ner")]
    )
    assert (added(changes), changes.ended) == (["Li"], {7: (SUPERSEDED, 0)})


def test_a_recognizers_value_once_stated_becomes_a_stated_one() -> None:
    changes = resolve(
        [said("person_name", "Li")], [known(7, "person_name", "Li", source="ner")]
    )
    assert (added(changes), changes.ended) == (["Li"], {7: (SUPERSEDED, 0)})


def test_a_recognizer_retracts_nothing() -> None:
    denial = said("phone", "1", polarity="negate", source="ner")
    assert resolve([denial], [known(7, "phone", "1")]).ended == {}


def test_quoted_words_take_no_place_from_a_stated_value() -> None:
    quoted = said("phone", "2", why={"quoted": "yes"})
    assert resolve([quoted], [known(7, "phone", "1")]).added == ()
    assert added(resolve([quoted], [])) == ["2"]


def test_of_several_values_of_one_key_the_last_of_the_batch_stands() -> None:
    batch = [said("phone", "2"), said("phone", "3")]
    changes = resolve(batch, [known(7, "phone", "1")])
    assert added(changes) == ["2", "3"]
    assert changes.ended == {7: (SUPERSEDED, 0), 0: (SUPERSEDED, -1)}


def test_a_value_that_comes_back_in_the_batch_is_a_row_of_its_own() -> None:
    batch = [said("phone", "2"), said("phone", "1")]
    changes = resolve(batch, [known(7, "phone", "1")])
    assert added(changes) == ["2", "1"]
    assert changes.ended == {7: (SUPERSEDED, 0), 0: (SUPERSEDED, -1)}


def test_a_value_of_the_batch_gives_way_to_a_stored_one_that_corrects_it() -> None:
    batch = [said("order_id", "2"), said("order_id", "1", why={"corrects": "2"})]
    changes = resolve(batch, [known(7, "order_id", "1")])
    assert (added(changes), changes.ended) == (["2"], {0: (SUPERSEDED, 7)})
    assert set(changes.seen) == {7}


def test_a_value_taken_back_in_the_batch_leaves_the_old_one() -> None:
    batch = [said("phone", "2"), said("phone", "2", polarity="negate")]
    changes = resolve(batch, [known(7, "phone", "1")])
    assert (added(changes), changes.ended) == (["2"], {0: (RETRACTED, None)})


def test_a_value_stated_twice_in_the_batch_is_one_row() -> None:
    again = said("phone", "2")
    changes = resolve([said("phone", "2"), again], [])
    assert (added(changes), changes.seen) == (["2"], {0: again})


def test_a_further_number_that_becomes_the_one_is_ended_as_further() -> None:
    facts = [known(7, "phone", "1"), known(8, "phone.alternate", "2")]
    changes = resolve([said("phone", "2")], facts)
    assert changes.ended == {7: (SUPERSEDED, 0), 8: (SUPERSEDED, 0)}


def test_a_denied_further_number_is_retracted() -> None:
    facts = [known(7, "phone", "1"), known(8, "phone.alternate", "2")]
    denial = said("phone", "2", polarity="negate")
    assert resolve([denial], facts).ended == {8: (RETRACTED, None)}


def test_the_one_number_said_again_as_a_further_one_is_only_seen() -> None:
    again = said("phone.alternate", "1", cardinality="many")
    assert set(resolve([again], [known(7, "phone", "1")]).seen) == {7}


def test_facts_that_ended_are_not_current() -> None:
    old = replace(known(7, "phone", "1"), status=SUPERSEDED)
    changes = resolve([said("phone", "1")], [old])
    assert (added(changes), changes.ended) == (["1"], {})


# -- what only somebody else said ----------------------------------------------


def test_a_confirmed_value_that_is_new_becomes_a_row() -> None:
    changes = resolve([said("phone", "1", source="confirmed")], [])
    assert [c.source for c in changes.added] == ["confirmed"]


def test_confirming_a_known_value_is_only_seeing_it() -> None:
    yes = said("phone", "1", source="confirmed")
    changes = resolve([yes], [known(7, "phone", "1")])
    assert (changes.added, changes.ended, changes.seen) == ((), {}, {7: yes})


@pytest.mark.parametrize("source", ["confirmed", "tool"])
def test_what_the_customer_did_not_state_supersedes_nothing_stated(source: str) -> None:
    other = said("phone", "2", source=source)
    changes = resolve([other], [known(7, "phone", "1")])
    assert (changes.added, changes.ended, changes.seen) == ((), {}, {})


def test_a_confirmed_value_that_corrects_supersedes() -> None:
    yes = said("phone", "2", source="confirmed", why={"corrects": "1"})
    changes = resolve([yes], [known(7, "phone", "1")])
    assert (added(changes), changes.ended) == (["2"], {7: (SUPERSEDED, 0)})


def test_a_confirmed_value_makes_a_recognizers_a_sure_one() -> None:
    yes = said("person_name", "Li", source="confirmed")
    changes = resolve([yes], [known(7, "person_name", "Li", source="ner")])
    assert (added(changes), changes.ended) == (["Li"], {7: (SUPERSEDED, 0)})


@pytest.mark.parametrize("source", ["regex", "api"])
def test_the_newest_of_customer_and_application_stands(source: str) -> None:
    other: Source = "api" if source == "regex" else "regex"
    changes = resolve(
        [said("phone", "2", source=source)], [known(7, "phone", "1", source=other)]
    )
    assert (added(changes), changes.ended) == (["2"], {7: (SUPERSEDED, 0)})


def test_the_application_takes_back_all_of_a_key_of_many() -> None:
    gone = said("order_id", "", polarity="negate", source="api")
    facts = [known(7, "order_id", "1"), known(8, "order_id", "2"), known(9, "sku", "3")]
    assert set(resolve([gone], facts).ended) == {7, 8}


def test_quoted_words_correct_and_take_back_nothing_stated() -> None:
    facts = [known(7, "order_id", "1")]
    other = said("order_id", "2", why={"quoted": "yes", "corrects": "1"})
    assert resolve([other], facts).ended == {}
    denial = said("order_id", "1", why={"quoted": "yes"}, polarity="negate")
    assert resolve([denial], facts).ended == {}


# -- spoken of -----------------------------------------------------------------


def test_a_mention_of_a_known_value_is_seen_and_of_another_is_nothing() -> None:
    here = said("order_id", "1", polarity="mention")
    gone = said("order_id", "9", polarity="mention")
    changes = resolve([here, gone], [known(7, "order_id", "1"), known(8, "order_id", "2")])
    assert (changes.added, changes.ended, changes.seen) == ((), {}, {7: here})


# -- contrary preferences ------------------------------------------------------

CONTRARIES = [
    ("preference", "喜欢吃辣", "dislike", "不喜欢辣"),
    ("dislike", "讨厌红色", "preference", "喜欢红色"),
    ("constraint", "不吃香菜", "preference", "爱吃香菜"),
    ("preference", "prefer window seats", "dislike", "don't like a window seat"),
    (
        "contact_preference",
        "calls on weekends are allowed",
        "contact_preference",
        "calls on weekends are not allowed",
    ),
    ("contact_preference", "周末不要打电话", "contact_preference", "周末可以打电话给我"),
    ("allergy", "对花生过敏", "allergy", "对花生不过敏"),
]


@pytest.mark.parametrize(("old_key", "old", "new_key", "new"), CONTRARIES)
def test_the_contrary_of_a_preference_takes_its_place(
    old_key: str, old: str, new_key: str, new: str
) -> None:
    for first, then in (((old_key, old), (new_key, new)), ((new_key, new), (old_key, old))):
        changes = resolve([said(*then)], [known(7, *first)])
        assert (added(changes), changes.ended) == ([then[1]], {7: (SUPERSEDED, 0)})


@pytest.mark.parametrize(
    ("key", "old", "other"),
    [
        ("preference", "喜欢吃辣", "喜欢吃甜"),
        ("preference", "喜欢吃辣", "不喜欢吃甜"),
        ("preference", "prefer window seats", "prefer aisle seats"),
        ("contact_preference", "text me after 6pm", "don't text me before 6pm"),
        ("note", "喜欢吃辣", "不喜欢吃辣"),
    ],
)
def test_other_wishes_stand_beside_one_another(key: str, old: str, other: str) -> None:
    changes = resolve([said(key, other)], [known(7, key, old)])
    assert (added(changes), changes.ended) == ([other], {})


def test_a_guess_is_no_contrary_of_what_was_stated() -> None:
    guess = said("dislike", "不喜欢辣", source="llm")
    assert resolve([guess], [known(7, "preference", "喜欢辣")]).ended == {}


def test_somebody_elses_wish_is_no_contrary() -> None:
    wish = said("dislike", "不喜欢辣", owner="contact.wife")
    assert resolve([wish], [known(7, "preference", "喜欢辣")]).ended == {}
