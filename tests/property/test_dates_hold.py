"""Dates, times and sums: one form for one thing, however it is written."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tiered_memory.facts.amounts import parse_amount
from tiered_memory.facts.calendar_steps import Reference
from tiered_memory.facts.dates import parse_date
from tiered_memory.facts.normal_forms import NORMALIZERS, RESOLVERS

days = st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 12, 31))
moments = st.datetimes(
    min_value=datetime(2000, 1, 1),  # noqa: DTZ001 (made aware by the strategy)
    max_value=datetime(2098, 12, 31),  # noqa: DTZ001
    timezones=st.just(UTC),
)
HAN = "〇一二三四五六七八九"
ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
]
WORDS = [
    "今天", "明天", "昨天", "大后天", "上周五", "下周一", "周三", "下下周日", "月底", "下个月3号",
    "去年三月", "两天前", "三周后", "5个月后", "这个周末", "年底", "15号", "下周", "本月",
    "today", "tomorrow", "next friday", "last monday", "in two days", "3 days ago", "sunday",
    "end of the month", "next week", "this weekend", "the 15th", "last year",
    "two weeks after may 3", "tuesday of next week", "10th of this month",
]  # fmt: skip
TIMES = [
    "今晚8点",
    "明早9点",
    "in two hours",
    "半小时前",
    "下午3点",
    "3:30 pm",
    "15:30",
    "9am to 5pm",
]


def _han(number: int) -> str:
    tens, ones = divmod(number, 10)
    return (
        ("" if tens < 2 else HAN[tens])
        + ("十" if tens else "")
        + (HAN[ones] if ones else "")
    )


def _suffix(day: int) -> str:
    return "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


@given(days)
def test_a_day_round_trips_in_each_style(day: date) -> None:
    year = "".join(HAN[int(c)] for c in str(day.year))
    spellings = {
        day.isoformat(),
        f"{day.year}/{day.month}/{day.day}",
        f"{day:%Y.%m.%d}",
        f"{day:%d.%m.%Y}",
        f"{day:%Y%m%d}",
        f"{day.year}年{day.month}月{day.day}日",
        f"{year}年{_han(day.month)}月{_han(day.day)}号",
        f"{day:%B} {day.day}{_suffix(day.day)}, {day.year}",
        f"the {day.day}{_suffix(day.day)} of {day:%B} {day.year}",
        f"{day.day} {day:%b} {day.year}",
        f"{day:%d}-{day:%b}-{day.year}",
        f"{day:%a} {day:%b} {day.day} {day.year}",
    }
    if day.day <= len(ORDINALS):
        spellings.add(f"{day:%B} {ORDINALS[day.day - 1]} {day.year}")
    assert {parse_date(text) for text in spellings} == {day.isoformat()}


@given(days)
def test_a_day_without_a_year_round_trips(day: date) -> None:
    spellings = (
        f"{day.month}月{day.day}号",
        f"{_han(day.month)}月{_han(day.day)}日",
        f"{day:%B} {day.day}",
        f"{day.day} {day:%b}",
    )
    assert {parse_date(text) for text in spellings} == {f"--{day:%m-%d}"}


@given(moments, st.sampled_from(WORDS))
def test_a_normal_form_of_a_day_is_its_own(when: datetime, word: str) -> None:
    at = Reference(when=when)
    once = parse_date(word, at)
    assert once is None or parse_date(once) == once == parse_date(once, at)


@given(moments, st.sampled_from(TIMES))
def test_a_normal_form_of_a_time_is_its_own(when: datetime, word: str) -> None:
    at = Reference(when=when)
    once = RESOLVERS["time"](word, at)
    assert once is not None
    assert RESOLVERS["time"](once, at) in {once, None}
    assert "/" in once or NORMALIZERS["time"](once) == once


@given(moments, st.integers(min_value=1, max_value=90))
def test_chinese_and_english_mean_the_same_day(when: datetime, count: int) -> None:
    at = Reference(when=when)
    pairs = [
        ("今天", "today"),
        ("明天", "tomorrow"),
        ("昨天", "yesterday"),
        ("后天", "the day after tomorrow"),
        (f"{count}天前", f"{count} days ago"),
        (f"{count}天后", f"in {count} days"),
        (f"{count}周后", f"in {count} weeks"),
        (f"{count}个月前", f"{count} months ago"),
        ("上周五", "last friday"),
        ("下周一", "next monday"),
        ("周三", "wednesday"),
        ("下周", "next week"),
        ("下个月", "next month"),
        ("去年", "last year"),
        ("月底", "end of the month"),
        ("这个周末", "this weekend"),
    ]
    for chinese, english in pairs:
        assert parse_date(chinese, at) == parse_date(english, at)
    assert (
        parse_date(f"{count}天后", at) == (when.date() + timedelta(days=count)).isoformat()
    )


@given(
    st.decimals(min_value=0, max_value=10**9, places=2), st.sampled_from(["", "<=", ">="])
)
def test_a_normal_form_of_a_sum_is_its_own(number: object, bound: str) -> None:
    for text in (f"{number}元", f"${number}", f"{number} euros", f"{number}元以下"):
        found = parse_amount(text)
        assert found is not None
        again = parse_amount(found.text())
        assert again is not None
        assert again.text() == found.text()
    coded = parse_amount(f"{bound}{number} CNY")
    assert coded is not None
    assert coded.text() == f"{bound}{number} CNY"


@given(st.integers(min_value=1, max_value=999))
def test_a_sum_is_the_same_in_both_languages(number: int) -> None:
    chinese, english = parse_amount(f"{number}美元"), parse_amount(f"{number} dollars")
    assert chinese == english == parse_amount(f"US${number}")
