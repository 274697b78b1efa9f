from __future__ import annotations

import pytest

from tiered_memory.facts.normal_forms import NORMALIZERS


@pytest.mark.parametrize(
    ("form", "value", "normal"),
    [
        ("time", "15:30", "15:30"),
        ("time", "15:30:20", "15:30:20"),
        ("time", "3:30 pm", "15:30"),
        ("time", "12 am", "00:00"),
        ("time", "12:05 p.m.", "12:05"),
        ("time", "下午3点半", "15:30"),
        ("time", "晚上八点一刻", "20:15"),
        ("time", "凌晨12点", "00:00"),
        ("time", "晚上12点", "00:00"),
        ("time", "中午12点", "12:00"),
        ("time", "半夜11点", "23:00"),
        ("time", "夜里2点", "02:00"),
        ("time", "中午1点", "13:00"),
        ("time", "上午十点三刻", "10:45"),
        ("time", "20点30分", "20:30"),
        ("time", "9:00-18:00", "09:00/18:00"),
        ("time", "9am to 5pm", "09:00/17:00"),
        ("time", "2-4pm", "14:00/16:00"),
        ("time", "下午2点到4点", "14:00/16:00"),
        ("time", "上午10点到下午2点", "10:00/14:00"),
        ("quantity", "两台", "2 台"),
        ("quantity", "12 boxes", "12 boxes"),
        ("quantity", "十二瓶", "12 瓶"),
        ("measure", "2.50公斤", "2.5 kg"),
        ("measure", "20 GB", "20 GB"),
        ("measure", "500M宽带", "500 Mbps"),
        ("measure", "三年", "3 year"),
        ("percent", "4.50 %", "4.5%"),
        ("language", "英文", "en"),
        ("language", "Spanish", "es"),
        ("language", "繁体中文", "zh-Hant"),
        ("time_zone", "UTC+8", "+08:00"),
        ("time_zone", "GMT -5:30", "-05:30"),
        ("time_zone", "北京时间", "+08:00"),
        ("time_zone", "pst", "PST"),
        ("compact", "粤B·8k231", "粤B8K231"),
        ("compact", "3C:5A:b4", "3C5AB4"),
        ("ip", "08.008.08.10", "8.8.8.10"),
        ("ip", "2001:0DB8:0:0:0:0:0:7", "2001:db8::7"),
        ("text", " Blue  Kiln\tLtd. ", "blue kiln ltd"),
    ],
)
def test_two_spellings_have_one_form(form: str, value: str, normal: str) -> None:
    assert NORMALIZERS[form](value) == normal


@pytest.mark.parametrize("value", ["3:30", "3点半", "10点15分"])
def test_a_time_without_its_half_of_the_day_is_not_guessed(value: str) -> None:
    assert NORMALIZERS["time"](value) == value


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("time", "25:00"),
        ("time", "13 pm"),
        ("time", "下午"),
        ("time", "12:75"),
        ("quantity", "几台"),
        ("measure", "2 parsecs"),
        ("language", "klingon"),
        ("time_zone", "UTC+99"),
        ("percent", "a lot"),
        ("ip", "1.2.3"),
        ("compact", "--"),
        ("text", " . "),
    ],
)
def test_what_is_no_value_has_no_form(form: str, value: str) -> None:
    assert NORMALIZERS[form](value) is None
