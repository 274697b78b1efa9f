from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.packs import load_patterns
from tiered_memory.facts.resolve import resolve
from tiered_memory.settings import FactSettings

if TYPE_CHECKING:
    from tiered_memory.model import Candidate


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor(load_patterns(FactSettings(), {}), max_chars=32_768)


def inline(**values: Any) -> Extractor:
    pattern = {"id": "a.b", "type": "order_id", "regex": ["A[0-9]{4}"], **values}
    settings = FactSettings(packs=(), patterns=(pattern,))
    return Extractor(load_patterns(settings, {}), max_chars=200)


def read(extractor: Extractor, text: str, question: str | None = None) -> list[Candidate]:
    found = extractor.extract(text, role="user", question=question)
    for candidate in found.facts:
        place = slice(candidate.start, candidate.end)
        assert found.masked[place] == candidate.value
    return list(found.facts)


def stated(extractor: Extractor, text: str, question: str | None = None) -> list[str]:
    found = read(extractor, text, question)
    return [f"{c.key}={c.value}" for c in found if c.polarity == "assert"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("订单A8801没到", ["order_id=A8801"]),
        ("我的邮箱是mei.chen@example.cn，谢谢", ["email=mei.chen@example.cn"]),
        ("202631300008642，手机13900008642", ["phone=13900008642"]),
        ("订单号202631300008642还没发货", ["order_id=202631300008642"]),
        ("charged $1,234.50 on March 9th", ["amount=$1,234.50", "date=March 9th"]),
        (
            "我叫顾小满，电话１３９００００８６４２",
            ["person_name=顾小满", "phone=１３９００００８６４２"],
        ),
        ("打138\u200b0000\u200b8642", ["phone=138\u200b0000\u200b8642"]),
        ("the lamp is broken", []),
    ],
)
def test_values_are_slices_of_what_was_written(
    extractor: Extractor, text: str, values: list[str]
) -> None:
    assert stated(extractor, text) == values


def test_a_value_has_a_normal_form_beside_what_was_written(extractor: Extractor) -> None:
    (phone,) = read(extractor, "电话１３９—００００—８６４２")
    assert (phone.value, phone.normalized) == ("１３９—００００—８６４２", "+8613900008642")


@pytest.mark.parametrize("role", ["assistant", "system", "tool", "developer"])
def test_a_question_types_the_bare_answer_of_users_alone(
    extractor: Extractor, role: str
) -> None:
    question = "May I have your order number, please?"
    found = extractor.extract("A8801", role=role, question=question)
    assert found.facts == ()
    asked = extractor.extract("A8801", role="user", question=question)
    assert [c.value for c in asked.facts] == ["A8801"]
    told = extractor.extract("order A8801, card 4012888888881881", role=role)
    assert told.masked == "order A8801, card [card_number ****1881]"


def test_spans_are_in_the_masked_text(extractor: Extractor) -> None:
    text = "card 4012888888881881, order A8801"
    found = extractor.extract(text, role="user", part="content.1.text", index=3)
    card, order = found.facts
    assert card.masked
    assert card.value == card.normalized == "[card_number ****1881]"
    assert found.masked[order.start : order.end] == "A8801"
    assert {(c.part, c.index) for c in found.facts} == {("content.1.text", 3)}
    assert found.masked_counts == {"card_number": 1}


def test_a_dropped_secret_leaves_no_fact(extractor: Extractor) -> None:
    assert read(extractor, "my password is hunter2") == []


@pytest.mark.parametrize(
    ("question", "text", "values"),
    [
        ("May I have your order number?", "7300215", ["order_id=7300215"]),
        ("May I have your order number?", "Sure, it's 7300215.", ["order_id=7300215"]),
        ("请提供一下您的订单号", "2026310000864", ["order_id=2026310000864"]),
        ("请问您怎么称呼？", "顾小满", ["person_name=顾小满"]),
        ("What is your name, please?", "lena brandt", ["person_name=lena brandt"]),
        ("What is your name, please?", "Sure", []),
        ("Shall I go on?", "7300215", []),
        ("Your order number is on its way.", "7300215", []),
        (None, "7300215", []),
    ],
)
def test_the_question_before_types_a_bare_answer(
    extractor: Extractor, question: str | None, text: str, values: list[str]
) -> None:
    assert stated(extractor, text, question) == values


def test_a_long_text_is_no_bare_answer(extractor: Extractor) -> None:
    text = "7300215 " + "the lamp flickers and " * 100
    assert stated(extractor, text, "May I have your order number?") == []


def test_what_an_assistant_asks_for_is_known(extractor: Extractor) -> None:
    assert extractor.expected_types("Thanks! What's your phone number?") == ("phone",)
    assert set(extractor.expected_types("请提供订单号和手机号")) == {"order_id", "phone"}
    assert extractor.expected_types("We called your phone.") == ()


@pytest.mark.parametrize(
    "text",
    [
        "订单号是A8801吗？",
        "is my order number A8801?",
        "如果订单号是A8801会怎样",
        "what if my order number is A8801",
        "比如订单A8801",
        "for example order A8801",
        "是不是订单A8801",
    ],
)
def test_what_is_only_asked_or_supposed_is_no_fact(extractor: Extractor, text: str) -> None:
    assert read(extractor, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "where is my order A8801?",
        "订单A8801到了吗？",
        "I have not received order A8801",
        "If order A8801 is late I want my money back",
        "我没有收到订单A8801",
        "the order A8801 I wrote about",
    ],
)
def test_a_question_about_something_else_still_states_the_value(
    extractor: Extractor, text: str
) -> None:
    assert stated(extractor, text) == ["order_id=A8801"]


@pytest.mark.parametrize(
    "text",
    [
        "我的电话不是13900008642",
        "别用13900008642",
        "please don't call 13900008642",
        "my old number is 13900008642",
        "13900008642 is wrong",
        "13900008642这个号码不用了",
    ],
)
def test_a_denied_value_is_taken_back(extractor: Extractor, text: str) -> None:
    (found,) = read(extractor, text)
    assert (found.key, found.polarity) == ("phone", "negate")


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("订单不是A8801，是A8802", "A8801"),
        ("my order is A8801, sorry, I meant order A8802", "A8801"),
        ("之前的订单号说错了，正确的是 ORD-2026-55512345", "*"),
        ("I gave you a wrong order number, the correct one is ORD-2026-55512345", "*"),
    ],
)
def test_a_correction_says_what_it_corrects(
    extractor: Extractor, text: str, old: str
) -> None:
    found = read(extractor, text)
    assert found[-1].key == "order_id"
    assert found[-1].why["corrects"] == old


def test_a_pair_that_no_pattern_knows_is_a_correction_of_something(
    extractor: Extractor,
) -> None:
    old, new = read(extractor, "不是A8801，是A8802")
    assert (old.type, old.polarity, old.value) == ("correction", "negate", "A8801")
    assert (new.type, new.why["corrects"], new.value) == ("correction", "A8801", "A8802")


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("my wife's phone is 13900008642", "contact.wife"),
        ("我老婆的电话是13900008642", "contact.wife"),
        ("我表妹叫李娜，电话是13900008642", "contact.cousin"),
        ("我老婆说我的电话是13900008642", "self"),
        ("My wife paid. My phone is 13900008642", "self"),
        ("我的电话是13900008642", "self"),
        ("I came with my colleague Mia. Her number is 13900008642", "contact.colleague"),
        ("Her number is 13900008642", "contact.other"),
        ("You can call him at 13900008642", "contact.other"),
        ("我同事小李。他的手机号是13900008642", "contact.colleague"),
        ("对方电话13900008642", "contact.other"),
        ("I told my wife about Bob. His phone is 13900008642", "contact.other"),
        ("我跟我爸说了。她的电话是13900008642", "contact.other"),
        ("tell her my number is 13900008642", "self"),
        ("my assistant's phone is 13900008642", "contact.assistant"),
    ],
)
def test_a_value_belongs_to_whom_the_sentence_says(
    extractor: Extractor, text: str, owner: str
) -> None:
    assert [c.owner for c in read(extractor, text) if c.key == "phone"] == [owner]


@pytest.mark.parametrize("who", ["the assistant", "The chat assistant", "your assistant"])
def test_the_one_spoken_to_is_no_contact(extractor: Extractor, who: str) -> None:
    (found,) = read(extractor, f"{who} said order A8801")
    assert (found.owner, found.why["quoted"]) == ("self", "yes")


def test_somebody_s_number_leaves_the_customer_s_own(extractor: Extractor) -> None:
    texts = ("My phone is 13900008642", "Meet my colleague Mia. Her phone is 13900007531")
    found = [candidate for text in texts for candidate in read(extractor, text)]
    added = resolve(found, []).added
    assert [(c.owner, c.value) for c in added if c.key == "phone"] == [
        ("self", "13900008642"),
        ("contact.colleague", "13900007531"),
    ]


def test_a_name_that_is_to_be_put_in_is_none(extractor: Extractor) -> None:
    assert read(extractor, "收件人写她的名字") == []


OLD, NEW = "ABC-12345678", "ABC-87654321"


@pytest.mark.parametrize(
    "text",
    [
        f"order {OLD} no wait {NEW}",
        f"order {OLD}, no wait, it's {NEW}",
        f"order {OLD} wait, no, order {NEW}",
        f"order {OLD}, no, sorry, {NEW}",
        f"My order is {OLD}. No, sorry, it's {NEW}",
        f"order {OLD}, scratch that, {NEW}",
        f"order {OLD} strike that {NEW}",
        f"order {OLD}. Sorry, wrong one: {NEW}",
        f"订单{OLD}，等等，是{NEW}",
        f"订单号{OLD}，等一下，应该是{NEW}",
        f"订单{OLD}，不对，是{NEW}",
        f"订单{OLD} 不对 {NEW}",
        f"订单{OLD}，哦不，订单{NEW}",
        "order 7300215000012 no wait 7300215000013",
    ],
)
def test_a_value_taken_back_at_once_leaves_the_other(
    extractor: Extractor, text: str
) -> None:
    changes = resolve(read(extractor, text), [])
    *gone, stays = changes.added
    assert changes.ended == ({0: ("superseded", -1)} if gone else {})
    assert {c.value for c in gone} <= {OLD, "7300215000012"}
    assert stays.key == "order_id"
    assert stays.value in {NEW, "7300215000013"}


@pytest.mark.parametrize(
    "text",
    [
        f"order {OLD} and order {NEW}",
        f"order {OLD}, no refund yet, and order {NEW}",
        f"order {OLD}: I got the wrong order {NEW} instead",
        f"order {OLD} is on hold, hold on, order {NEW} too",
        f"订单{OLD}等等，订单{NEW}也没到",
    ],
)
def test_a_second_value_is_no_correction_without_its_word(
    extractor: Extractor, text: str
) -> None:
    added = resolve(read(extractor, text), []).added
    assert [c.value for c in added if c.key == "order_id"] == [OLD, NEW]


def test_a_further_number_stands_beside_the_first(extractor: Extractor) -> None:
    first, second = read(extractor, "打13900008642或者13900007531都可以")
    assert (first.key, first.cardinality) == ("phone", "one")
    assert (second.key, second.cardinality) == ("phone.alternate", "many")


def test_quoted_words_are_less_sure(extractor: Extractor) -> None:
    (own,) = read(extractor, "订单A8801没到")
    (quoted,) = read(extractor, "客服说订单A8801没到")
    assert quoted.confidence == pytest.approx(own.confidence - 0.3)
    assert quoted.why["quoted"] == "yes"


@pytest.mark.parametrize(
    "text", ["> order A8801", "hello\n  > order A8801\nis not mine", '"> order A8801"']
)
def test_a_line_of_the_message_answered_is_no_fact(extractor: Extractor, text: str) -> None:
    assert read(extractor, text) == []
    (own,) = read(extractor, f"{text}\norder A8802 is mine")
    assert own.value == "A8802"


def test_nothing_is_taken_out_of_a_web_address(extractor: Extractor) -> None:
    text = "看 https://shop.example.com/o?order=A8801&tel=13900008642 谢谢"
    assert [c.key for c in read(extractor, text)] == ["url"]


def test_a_pattern_may_ask_to_look_into_web_addresses() -> None:
    url = {"id": "u", "type": "url", "regex": ["https://[^ ]+"], "boundary": "loose"}
    order = {"id": "o", "type": "order_id", "regex": ["A[0-9]{4}"], "in_url": True}
    other = {"id": "p", "type": "part_no", "regex": ["P[0-9]{4}"]}
    patterns = load_patterns(FactSettings(packs=(), patterns=(url, order, other)), {})
    found = read(Extractor(patterns, max_chars=100), "https://a.example/A8801/P8801")
    assert [c.value for c in found] == ["https://a.example/A8801/P8801", "A8801"]


def test_priority_then_length_then_score_decides() -> None:
    def winner(*patterns: dict[str, Any]) -> list[str]:
        chosen = [{"type": p["id"], "boundary": "loose", **p} for p in patterns]
        settings = FactSettings(packs=(), patterns=tuple(chosen))
        extractor = Extractor(load_patterns(settings, {}), max_chars=100)
        return [c.pattern for c in read(extractor, "xx A8801 yy")]

    short = {"id": "short", "regex": ["A88"]}
    long = {"id": "long", "regex": ["A8801"]}
    assert winner(short, long) == ["long"]
    assert winner({**short, "priority": 60}, long) == ["short"]
    assert winner({**long, "id": "sure", "score": 0.9}, long) == ["sure"]
    assert winner(long, {**long, "id": "also"}) == ["also"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("lamp A8801", 1),
        ("A8801 lamp", 0),
        ("lamps A8801", 0),
        ("lamp" + " " * 20 + "A8801", 0),
    ],
)
def test_a_required_word_must_be_near_on_its_side(text: str, count: int) -> None:
    extractor = inline(context={"words": ["lamp"], "window": 8, "required": True})
    assert len(read(extractor, text)) == count


def test_a_word_beside_a_weak_value_lifts_it_over_the_threshold() -> None:
    extractor = inline(score=0.3, context={"words": ["灯"], "side": "right", "boost": 0.3})
    assert read(extractor, "A8801") == []
    (found,) = read(extractor, "A8801灯")
    assert found.confidence == pytest.approx(0.6)
    assert found.why["context"] == "灯"


def test_a_denied_value_of_the_pack_is_never_taken() -> None:
    assert read(inline(deny=["A0000"]), "A0000") == []


def test_a_check_that_fails_drops_a_value_and_one_that_holds_lifts_it() -> None:
    extractor = inline(regex=["[0-9]{16}"], validator="luhn", score=0.1)
    assert read(extractor, "4012888888881882") == []
    assert read(extractor, "4012888888881881")[0].confidence == pytest.approx(0.95)


def test_a_long_text_is_read_up_to_its_limit_and_masked_to_its_end() -> None:
    secret = {
        "id": "s",
        "type": "secret",
        "regex": ["S[0-9]{4}"],
        "sensitivity": "drop",
    }
    order = {"id": "o", "type": "order_id", "regex": ["A[0-9]{4}"]}
    patterns = load_patterns(FactSettings(packs=(), patterns=(secret, order)), {})
    text = "A8801 " + "x" * 90 + " A8802 A8803 S4711"
    found = Extractor(patterns, max_chars=101).extract(text, role="user")
    assert [c.value for c in found.facts] == ["A8801"]
    assert found.masked.endswith("A8803 [secret]")


def test_what_ran_out_of_time_is_said_and_left_out_after_three_times() -> None:
    extractor = inline(regex=["(?=b)b(?:a|aa)+$"], boundary="loose")
    hostile = "b" + "a" * 40 + "!"
    assert [extractor.extract(hostile, role="user").complete for _ in range(3)] == [
        False
    ] * 3
    assert extractor.extract("b" + "a" * 3, role="user").facts == ()


@pytest.mark.parametrize("text", ["", " ", "\n", "。", "😀", "\u200b", "[", "[password]"])
def test_texts_with_nothing_in_them_give_nothing(extractor: Extractor, text: str) -> None:
    found = extractor.extract(text, role="user", question="your order number?")
    assert (found.masked, found.facts) == (text, ())


def test_an_extraction_says_why_each_fact_is_one(extractor: Extractor) -> None:
    found = extractor.extract("我的订单号是A8801，卡号4012888888881881", role="user")
    order = next(reason for reason in found.why if reason.type == "order_id")
    assert (order.outcome, order.value) == ("fact", "A8801")
    card = next(reason for reason in found.why if reason.type == "card_number")
    assert card.outcome == "masked"
    assert "4012888888881881" not in repr(found.why)


@pytest.mark.parametrize(
    "text",
    [
        "我打算把电话换成13900008642",
        "我可能会搬到上海市徐汇区漕溪路18号",
        "I'm thinking of changing my e-mail to mei@example.com",
        "I might move to 12 Oak Street, Springfield",
        "should I use mei@example.com or may@example.com?",
        "要不要我给你我的手机号13900008642？",
        "订单A7731是我的吗？",
        "订单是A7731还是A7732？",
        "what's the number? is it 415-555-0132",
    ],
)
def test_what_is_planned_or_offered_is_no_fact(extractor: Extractor, text: str) -> None:
    assert extractor.extract(text, role="user").facts == ()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("订单A7731还是没到", "A7731"),
        ("能否帮我查一下订单A7731", "A7731"),
        ("could you check order A7731?", "A7731"),
        ("客服说订单A7731已经发货", "A7731"),
        ("the driver said order A7731 is lost", "A7731"),
    ],
)
def test_a_value_asked_about_in_passing_is_stated_and_the_customer_s(
    extractor: Extractor, text: str, value: str
) -> None:
    (found,) = extractor.extract(text, role="user").facts
    assert (found.owner, found.value, found.polarity) == ("self", value, "assert")


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("快递员电话是13900008642", "contact.courier"),
        ("The driver's number is 415-555-0132", "contact.driver"),
        ("司机说他到了，我电话13900008642", "self"),
    ],
)
def test_a_number_of_those_who_serve_is_theirs(
    extractor: Extractor, text: str, owner: str
) -> None:
    (found,) = extractor.extract(text, role="user").facts
    assert found.owner == owner


@pytest.mark.parametrize(
    "text", ["把我的手机号13900008642删掉", "please delete my number 415-555-0132"]
)
def test_a_value_to_be_deleted_is_taken_back(extractor: Extractor, text: str) -> None:
    (found,) = extractor.extract(text, role="user").facts
    assert found.polarity == "negate"


@pytest.mark.parametrize(
    "text",
    [
        "I said A7731 but I meant A7732",
        "My order is A7731. Sorry, A7732.",
        "订单号说成了A7731，其实是A7732",
        "wrong: order A7731, right: order A7732",
    ],
)
def test_a_slip_is_put_right(extractor: Extractor, text: str) -> None:
    found = extractor.extract(text, role="user").facts
    assert found[-1].value == "A7732"
    assert found[-1].why["corrects"] == "A7731"


def test_what_matched_and_is_no_fact_is_told_with_its_reason(extractor: Extractor) -> None:
    found = extractor.extract("订单号A8801，比如 https://a.example/A8803", role="user")
    told = {(reason.value, reason.pattern): reason for reason in found.why}
    assert told["A8801", "order.by_cue"].outcome == "fact"
    assert told["A8801", "order.by_cue"].context == "订单号"
    lost = told["A8801", "order.near_cue"]
    assert (lost.outcome, lost.lost_to) == ("overlap", "order.by_cue")
    assert told["https://a.example/A8803", "url.link"].outcome == "example"
    assert [fact.value for fact in found.facts] == ["A8801"]


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({"context": {"words": ["order"], "required": True}}, "context"),
        ({"deny": ["A8801"]}, "deny"),
        ({"validator": "luhn"}, "validator"),
        ({"score": 0.4}, "threshold"),
        ({"normalize": "date"}, "normalize"),
    ],
)
def test_a_key_that_speaks_against_a_match_is_named(
    more: dict[str, Any], outcome: str
) -> None:
    (reason,) = inline(**more).extract("A8801", role="user").why
    assert (reason.outcome, reason.value, reason.pattern) == (outcome, "A8801", "a.b")
