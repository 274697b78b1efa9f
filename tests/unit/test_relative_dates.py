"""Days told from the time of the message."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tiered_memory.facts.calendar_steps import Reference
from tiered_memory.facts.clock_times import clock
from tiered_memory.facts.dates import parse_date, parse_month_first
from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.packs import load_patterns
from tiered_memory.model import Candidate
from tiered_memory.settings import FactSettings

THURSDAY = datetime(2026, 11, 26, 15, 20, tzinfo=UTC)
AT = Reference(when=THURSDAY)


@pytest.mark.parametrize(
    ("value", "normal"),
    [
        ("今天", "2026-11-26"),
        ("明天", "2026-11-27"),
        ("大后天", "2026-11-29"),
        ("昨天", "2026-11-25"),
        ("两天前", "2026-11-24"),
        ("三天后", "2026-11-29"),
        ("两周后", "2026-12-10"),
        ("3个月后", "2027-02"),
        ("三年前", "2023"),
        ("上周五", "2026-11-20"),
        ("下周一", "2026-11-30"),
        ("上上个星期三", "2026-11-11"),
        ("周五", "2026-11-27"),
        ("周三", "2026-12-02"),
        ("下周", "2026-W49"),
        ("这个周末", "2026-11-28/2026-11-29"),
        ("下个月3号", "2026-12-03"),
        ("上个月底", "2026-10-31"),
        ("月底", "2026-11-30"),
        ("年底", "2026-12-31"),
        ("去年3月8号", "2025-03-08"),
        ("明年五月", "2027-05"),
        ("3号", "2026-12-03"),
        ("today", "2026-11-26"),
        ("Tomorrow", "2026-11-27"),
        ("the day after tomorrow", "2026-11-28"),
        ("in two days", "2026-11-28"),
        ("3 days ago", "2026-11-23"),
        ("two weeks and 2 days ago", "2026-11-10"),
        ("three weeks from tomorrow", "2026-12-18"),
        ("2 weeks after January 15", "2027-01-29"),
        ("4 months from tomorrow", "2027-03-27"),
        ("next friday", "2026-12-04"),
        ("last Monday", "2026-11-16"),
        ("this past Wednesday", "2026-11-25"),
        ("coming Thursday", "2026-12-03"),
        ("Tuesday of next week", "2026-12-01"),
        ("Monday two weeks from now", "2026-12-07"),
        ("Tuesday the first", "2026-12-01"),
        ("Friday 11/27", "2026-11-27"),
        ("10th of this month", "2026-11-10"),
        ("the 31st", "2026-12-31"),
        ("end of next month", "2026-12-31"),
        ("next week", "2026-W49"),
        ("last month", "2026-10"),
        ("next year", "2027"),
    ],
)
def test_a_day_is_told_from_the_message(value: str, normal: str) -> None:
    assert parse_date(value, AT) == normal


@pytest.mark.parametrize("value", ["31st of this month", "本月31号", "2026年2月30日"])
def test_a_day_that_the_month_has_not_is_no_value(value: str) -> None:
    assert parse_date(value, AT) is None


@pytest.mark.parametrize("value", ["几天前", "soon", "the second item", "03/04"])
def test_what_is_no_certain_day_stays_as_written(value: str) -> None:
    assert parse_date(value, AT) == value


@pytest.mark.parametrize(
    "value", ["明天", "in two days", "下个月3号", "next friday", "月底"]
)
def test_without_a_time_words_stay_as_written(value: str) -> None:
    assert parse_date(value) == value


@pytest.mark.parametrize(
    ("left", "right", "normal"),
    [
        ("i ordered on ", "", "2026-11-20"),
        ("it was delivered ", "", "2026-11-20"),
        ("please deliver on ", "", "2026-11-27"),
        ("every ", "", None),
    ],
)
def test_a_bare_weekday_is_past_where_something_happened(
    left: str, right: str, normal: str | None
) -> None:
    at = Reference(when=THURSDAY, left=left, right=right)
    assert parse_date("friday", at) == normal


def test_a_chinese_weekday_reads_its_own_words() -> None:
    assert parse_date("周五", Reference(when=THURSDAY, right="下的单")) == "2026-11-20"
    assert parse_date("周五", Reference(when=THURSDAY, left="请在")) == "2026-11-27"
    assert parse_date("周五", Reference(when=THURSDAY, left="每")) is None


@pytest.mark.parametrize(
    ("value", "normal"),
    [
        ("今晚8点", "2026-11-26T20:00"),
        ("明早9点半", "2026-11-27T09:30"),
        ("in two hours", "2026-11-26T17:20"),
        ("30分钟前", "2026-11-26T14:50"),
        ("半小时后", "2026-11-26T15:50"),
        ("下午3点", "15:00"),
        ("half past 3 in the afternoon", "15:30"),
        ("quarter to 9 in the morning", "08:45"),
        ("evening 5", "17:00"),
        ("three pm", "15:00"),
        ("2026-11-26T20:00", "2026-11-26T20:00"),
    ],
)
def test_a_time_has_its_day_where_it_says_so(value: str, normal: str) -> None:
    assert clock(value, AT) == normal


def test_a_length_of_time_is_no_time_of_day() -> None:
    assert clock("two hours", AT) is None
    assert clock("half past", AT) is None


def test_chinese_writes_the_month_first() -> None:
    assert parse_month_first("3/4") == "--03-04"
    assert parse_month_first("3/4/2026") == "2026-03-04"
    assert parse_month_first("明天", AT) == "2026-11-27"
    assert parse_month_first("13/4") is None


def read(
    text: str, *, question: str | None = None, timezone: str = "UTC"
) -> list[Candidate]:
    patterns = load_patterns(FactSettings(), {})
    extractor = Extractor(patterns, max_chars=1_000, timezone=timezone)
    taken = extractor.extract(text, role="user", question=question, when=THURSDAY)
    return [c for c in taken.facts if c.type in {"date", "time"}]


def test_the_same_moment_is_another_day_elsewhere() -> None:
    late = datetime(2026, 11, 26, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    patterns = load_patterns(FactSettings(), {})
    for zone, day in (("UTC", "2026-11-28"), ("America/New_York", "2026-11-27")):
        extractor = Extractor(patterns, max_chars=1_000, timezone=zone)
        (fact,) = extractor.extract("改到明天送", role="user", when=late).facts
        assert (fact.value, fact.normalized) == ("明天", day)


@pytest.mark.parametrize(
    ("text", "passing"),
    [
        ("改到明天下午3点半送", [False, False]),
        ("I need it by Friday", [False]),
        ("the refund was due yesterday", [False]),
        ("昨天你们的客服说会联系我", [True]),
        ("I was told yesterday by your colleague", [True]),
        ("快递员说17点49分来过,可是我一整天都在家里", [True]),
        ("The courier says he rang at 13:12 but I was at home", [True]),
        ("约在15:30", [False]),
    ],
)
def test_a_day_is_stored_where_something_is_arranged(
    text: str, passing: list[bool]
) -> None:
    assert [c.passing for c in read(text)] == passing


def test_a_day_that_was_asked_for_is_stored() -> None:
    (told,) = read("昨天")
    (asked,) = read("昨天", question="请问是哪天下的单？")
    assert (told.passing, asked.passing) == (True, False)
    assert asked.normalized == "2026-11-25"


@pytest.mark.parametrize(
    ("text", "key", "normal"),
    [
        ("我9/15下单的台灯", "order_date", "--09-15"),
        ("上周五下的单", "order_date", "2026-11-20"),
        ("I ordered it on March 9th", "order_date", "--03-09"),
        ("请5月12号之前送到", "delivery_date", "--05-12"),
        ("please deliver it by next Friday", "delivery_date", "2026-12-04"),
    ],
)
def test_a_day_of_the_order_has_a_key_of_its_own(text: str, key: str, normal: str) -> None:
    (fact,) = read(text)
    assert (fact.key, fact.normalized, fact.passing) == (key, normal, False)


@pytest.mark.parametrize(
    "text", ["2019年2月29日买的", "1月3次", "今日头条", "三天后悔了", "12号"]
)
def test_what_looks_like_a_day_is_none(text: str) -> None:
    assert [c.value for c in read(text)] == []


@pytest.mark.parametrize(
    "when",
    [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, tzinfo=UTC),
    ],
)
def test_no_time_is_too_far_to_be_read_from(when: datetime) -> None:
    at = Reference(when=when)
    for value in (
        "大前天",
        "大后天",
        "下下个月",
        "999年后",
        "last week",
        "in 9 years",
        "3号",
    ):
        assert parse_date(value, at) is None
    assert clock("in 100 hours", at) in {None, "0001-01-05T04:00"}
    assert clock("昨晚8点", at) in {None, "9999-12-30T20:00"}


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("快递员确认新的派送时间后，您会收到短信通知。", "他11:02来过"),
        (
            "You get a message as soon as the courier has confirmed the slot.",
            "he rang at 2:24 pm",
        ),
    ],
)
def test_an_announcement_asks_for_no_time(said: str, text: str) -> None:
    (time,) = read(text, question=said)
    assert time.passing
    (asked,) = read(
        text, question="请问几点方便？" if "他" in text else "What time suits you?"
    )
    assert not asked.passing
