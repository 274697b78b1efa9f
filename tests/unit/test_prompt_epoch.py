from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.prompt_states import Talk, builder, texts
from tiered_memory.model import FactStatus, Prompt

LONG_SYSTEM = "You help the customers of a lamp shop. " * 100
SHORT_SYSTEM = "You help."


def build(talk: Talk, system: str = LONG_SYSTEM, **settings: Any) -> Prompt:
    return builder(system_prompt=system, **settings).build(talk.state)[0]


def body(prompt: Prompt, tag: str) -> list[str]:
    """Give the lines of the one block of that name."""
    (block,) = (text for text in texts(prompt.messages) if text.startswith(f"<{tag} "))
    return block.splitlines()[1:-1]


def has(prompt: Prompt, tag: str) -> bool:
    return any(text.startswith(f"<{tag} ") for text in texts(prompt.messages))


def folded() -> Talk:
    talk = Talk().user("Order LMP-1, phone 555-0100").fact("order_id", "LMP-1")
    talk.fact("phone", "555-0100").assistant("ok")
    return talk.fold(1, "Gave order and phone.").user("next")


def test_block_is_live_below_the_cacheable_minimum() -> None:
    talk = folded().user("Now LMP-2").fact("order_id", "LMP-2")
    prompt = build(talk, SHORT_SYSTEM)
    assert prompt.tokens < 1024
    assert body(prompt, "customer_facts") == ["- order_id: LMP-2", "- phone: 555-0100"]
    assert not has(prompt, "fact_changes")


def test_block_is_fixed_from_the_cacheable_minimum_on_and_a_note_gives_the_changes() -> (
    None
):
    talk = folded().assistant("?").user("Now LMP-2, I am Ann").fact("order_id", "LMP-2")
    talk.fact("name", "Ann")
    prompt = build(talk)
    assert prompt.tokens >= 1024
    assert body(prompt, "customer_facts") == ["- order_id: LMP-1", "- phone: 555-0100"]
    assert body(prompt, "fact_changes") == [
        "- name: Ann",
        "- order_id: LMP-2 (changed)",
    ]
    note = texts(prompt.messages)[-2]
    assert note.startswith("<fact_changes ")
    assert texts(prompt.messages)[-1] == "Now LMP-2, I am Ann"


def test_prompt_is_live_exactly_while_the_request_is_below_the_minimum() -> None:
    talk = folded().assistant("?").user("LMP-2 now").fact("order_id", "LMP-2")
    forms = set()
    for length in range(800, 3200, 40):
        prompt = build(talk, "x" * length)
        live = not has(prompt, "fact_changes")
        assert live == (prompt.tokens < 1024)
        forms.add(live)
    assert forms == {True, False}


def test_tool_schemas_count_towards_the_cacheable_minimum() -> None:
    described = {"name": "f", "description": "d" * 3000, "parameters": {}}
    tools = [{"type": "function", "function": described}]
    talk = folded().user("LMP-2 now").fact("order_id", "LMP-2")
    prompt, _ = builder(system_prompt=SHORT_SYSTEM).build(talk.state, tools=tools)
    assert has(prompt, "fact_changes")


def test_live_layout_keeps_the_block_current_at_any_size() -> None:
    talk = folded().user("Now LMP-2").fact("order_id", "LMP-2")
    prompt = build(talk, layout={"facts": "live"})
    assert body(prompt, "customer_facts") == ["- order_id: LMP-2", "- phone: 555-0100"]
    assert not has(prompt, "fact_changes")


def test_before_the_first_fold_the_note_is_the_facts_block() -> None:
    talk = Talk().user("Order LMP-1").fact("order_id", "LMP-1").assistant("ok").user("and?")
    prompt = build(talk)
    assert texts(prompt.messages)[-2].startswith("<customer_facts ")
    assert body(prompt, "customer_facts") == ["- order_id: LMP-1"]
    assert not has(prompt, "fact_changes")


def test_value_taken_back_is_named_in_the_note() -> None:
    talk = folded().user("Forget my phone").retract("phone")
    assert body(build(talk), "fact_changes") == ["- phone: 555-0100 (no longer valid)"]


def test_value_changed_twice_in_an_epoch_is_shown_as_it_is_now() -> None:
    talk = folded().user("LMP-2").fact("order_id", "LMP-2")
    talk.user("LMP-3").fact("order_id", "LMP-3")
    (line,) = body(build(talk), "fact_changes")
    assert line == "- order_id: LMP-3 (changed)"


def test_note_does_not_hang_on_rows_that_began_and_ended_within_the_epoch() -> None:
    talk = folded().user("LMP-2").fact("order_id", "LMP-2")
    talk.user("LMP-3").fact("order_id", "LMP-3")
    kept = build(talk)
    epoch = {f.fact_id for f in talk.state.epoch_facts()}
    rows = tuple(
        f for f in talk.state.facts if f.ended_revision is None or f.fact_id in epoch
    )
    assert len(rows) < len(talk.state.facts)
    talk.state = replace(talk.state, facts=rows)
    assert build(talk).fingerprint == kept.fingerprint


def test_value_that_came_back_to_the_fixed_one_is_no_change() -> None:
    talk = folded().user("LMP-2").fact("order_id", "LMP-2")
    talk.user("No, LMP-1").fact("order_id", "LMP-1")
    assert not has(build(talk), "fact_changes")


def test_second_value_of_a_key_of_many_joins_the_first() -> None:
    talk = folded().user("Also LMP-9").fact("order_id", "LMP-9", cardinality="many")
    assert body(build(talk), "fact_changes") == ["- order_id: LMP-9"]


def two_orders(*, identifier: bool = True) -> Talk:
    talk = Talk().user("LMP-1 and LMP-2")
    for value in ("LMP-1", "LMP-2"):
        talk.fact("order_id", value, cardinality="many", identifier=identifier)
    return talk


def test_of_several_identifiers_the_one_spoken_of_last_is_marked() -> None:
    talk = two_orders().assistant("ok").user("Where is LMP-1?").mention("LMP-1")
    assert body(build(talk, SHORT_SYSTEM), "customer_facts") == [
        "- order_id: LMP-1 (last mentioned)",
        "- order_id: LMP-2",
    ]


def test_what_is_no_identifier_or_has_no_other_is_not_marked() -> None:
    talk = two_orders(identifier=False).fact("sku", "K-7", cardinality="many")
    assert body(build(talk, SHORT_SYSTEM), "customer_facts") == [
        "- order_id: LMP-1",
        "- order_id: LMP-2",
        "- sku: K-7",
    ]


def test_the_mark_of_a_fixed_block_stays_and_the_note_says_what_is_spoken_of() -> None:
    talk = two_orders().assistant("ok").fold(1, "Gave orders.").user("Hm")
    block = ["- order_id: LMP-1", "- order_id: LMP-2 (last mentioned)"]
    assert body(build(talk), "customer_facts") == block
    assert not has(build(talk), "fact_changes")

    talk.assistant("Yes?").user("LMP-1 then").mention("LMP-1")
    assert body(build(talk), "customer_facts") == block
    assert body(build(talk), "fact_changes") == ["- order_id: LMP-1 (last mentioned)"]

    talk.assistant("Yes?").user("No, LMP-2").mention("LMP-2")
    assert body(build(talk), "customer_facts") == block
    assert not has(build(talk), "fact_changes")


def test_an_old_order_that_is_spoken_of_is_shown_before_newer_ones() -> None:
    talk = Talk().user("x")
    for number in range(4):
        talk.fact("order_id", f"LMP-{number}", cardinality="many")
    talk.assistant("ok").user("LMP-0?").mention("LMP-0")
    prompt = build(talk, SHORT_SYSTEM, facts={"max_facts": 2})
    assert body(prompt, "customer_facts") == [
        "- order_id: LMP-0 (last mentioned)",
        "- order_id: LMP-3",
    ]


def test_value_of_a_key_of_many_says_which_one_it_replaces() -> None:
    talk = Talk().user("LMP-1 and LMP-2")
    for value in ("LMP-1", "LMP-2"):
        talk.fact("order_id", value, cardinality="many")
    talk.assistant("ok").fold(1, "Gave orders.").user("LMP-2 should be LMP-3")
    talk.fact("order_id", "LMP-3", cardinality="many")
    old, new = talk.state.facts[1], talk.state.facts[2]
    ended = replace(
        old,
        status=FactStatus.SUPERSEDED,
        ended_revision=new.revision,
        superseded_by=new.fact_id,
    )
    talk.state = replace(talk.state, facts=(talk.state.facts[0], ended, new))
    assert body(build(talk), "fact_changes") == [
        "- order_id: LMP-3 (instead of LMP-2) (last mentioned)"
    ]


def test_owner_and_mask_are_part_of_a_line() -> None:
    talk = Talk().user("x").fact("phone", "555-0111", owner="contact.mother")
    talk.fact("id_card", "11**22", masked=True)
    assert body(build(talk, SHORT_SYSTEM), "customer_facts") == [
        "- id_card: 11**22 (masked)",
        "- phone [contact.mother]: 555-0111",
    ]


def test_a_pseudonym_is_to_be_used_and_so_not_called_masked() -> None:
    talk = Talk().user("x").fact("phone", "[phone-K3F9TQ2A]", masked=True)
    talk.fact("card_number", "[card_number ****1881]", masked=True)
    assert body(build(talk, SHORT_SYSTEM), "customer_facts") == [
        "- card_number: [card_number ****1881] (masked)",
        "- phone: [phone-K3F9TQ2A]",
    ]


def test_words_of_the_block_are_chinese_in_a_chinese_session() -> None:
    talk = Talk().user("身份证号").fact("id_card", "11**22", masked=True)
    talk.fact("order_id", "LMP-1").assistant("好的")
    talk.fold(1, "报了证件号。", language="zh").user("改成 LMP-2").fact("order_id", "LMP-2")
    prompt = build(talk)
    assert body(prompt, "customer_facts")[0] == "- id_card: 11**22（已脱敏）"
    assert body(prompt, "fact_changes") == ["- order_id: LMP-2（已更正）"]


def test_name_that_a_recognizer_found_waits_for_the_next_user_message() -> None:
    talk = Talk().user("I am Ann").fact("name", "Ann", source="ner", late=True)
    assert not has(build(talk, SHORT_SYSTEM), "customer_facts")
    talk.assistant("Hello")
    assert not has(build(talk, SHORT_SYSTEM), "customer_facts")
    talk.user("And?")
    assert body(build(talk, SHORT_SYSTEM), "customer_facts") == ["- name: Ann"]


def test_late_name_leaves_the_one_that_it_replaces_until_then() -> None:
    talk = Talk().user("I am Ann").fact("name", "Ann", source="ner", late=True)
    talk.assistant("Hi").user("I mean Anna").fact("name", "Anna", source="ner", late=True)
    assert body(build(talk, SHORT_SYSTEM), "customer_facts") == ["- name: Ann"]
    talk.assistant("Hi").user("And?")
    assert body(build(talk, SHORT_SYSTEM), "customer_facts") == ["- name: Anna"]


def test_late_name_that_the_fold_took_in_is_in_the_fixed_block_at_once_and_stays() -> None:
    talk = Talk().user("Hi").assistant("Hi").user("I am Ann").assistant("Hi")
    talk.fact("name", "Ann", source="ner", late=True).fold(1, "Greeted.")
    first = build(talk)
    assert body(first, "customer_facts") == ["- name: Ann"]
    assert not has(first, "fact_changes")
    talk.user("And?")
    assert body(build(talk), "customer_facts") == ["- name: Ann"]


def test_facts_beyond_the_bound_are_counted_and_never_called_ended() -> None:
    talk = Talk().user("x")
    for number in range(6):
        talk.fact("order_id", f"LMP-{number}", cardinality="many", confidence=0.8)
    talk.assistant("ok").fold(1, "Gave orders.").user("two more")
    for number in (7, 8):
        talk.fact("order_id", f"LMP-{number}", cardinality="many", confidence=0.95)
    prompt = build(talk, facts={"max_facts": 6})
    assert body(prompt, "customer_facts") == [
        *(f"- order_id: LMP-{n}" for n in range(5)),
        "- order_id: LMP-5 (last mentioned)",
    ]
    assert body(prompt, "fact_changes") == [
        "- order_id: LMP-7",
        "- order_id: LMP-8 (last mentioned)",
    ]
    (omission,) = (o for o in prompt.omitted if o.kind == "facts")
    assert (omission.reason, omission.count) == ("max_facts", 2)


@pytest.mark.parametrize("role", ["system", "developer", "user"])
def test_roles_of_the_blocks_are_the_settings(role: str) -> None:
    prompt = build(folded(), layout={"summary_role": role, "facts_role": role})
    assert [m["role"] for m in prompt.messages][1:3] == [role, role]
