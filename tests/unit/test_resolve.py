from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

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
    assert changes.ended == {7: (SUPERSEDED, None)}


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
    assert (added(changes), changes.ended) == (["3"], {7: (SUPERSEDED, 0)})


def test_a_value_taken_back_in_the_batch_leaves_the_old_one() -> None:
    batch = [said("phone", "2"), said("phone", "2", polarity="negate")]
    changes = resolve(batch, [known(7, "phone", "1")])
    assert (changes.added, changes.ended) == ((), {})


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
