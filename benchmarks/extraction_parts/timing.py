"""Microseconds a message costs, by stage."""

from __future__ import annotations

from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING

from tiered_memory.facts.choosing import settled
from tiered_memory.facts.context import ContextReader
from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.lanes import TextView, Timer
from tiered_memory.facts.matches import find_matches
from tiered_memory.facts.packs import load_patterns
from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Callable

    from tiered_memory.facts.patterns import PatternSet
    from tiered_memory.settings import Settings

_ONE = (
    "Hello, I ordered a lamp in your shop and it still has not come, the page says that it "
    "is on its way but nothing moves at all. Could you please look what is going on? "
    "My order number is ORD-2041-55510."
)
_SEVEN = (
    "订单号ORD-2041-55510，快递SF1390000864212，手机13900008642，"
    "邮箱mei.chen@example.cn，金额￥1,299.00，5月12号下单，邮编200031。请问到哪里了？"
    "麻烦帮我查一下，我一直在等这个包裹，昨天打电话也没有人接，客服在线也没有回复，很着急，"
    "如果今天还不能送到的话就请直接给我办理退款吧，真的太慢了，下次不会再买了，谢谢你们的帮助，请尽快回复。"
)
_FILLER = (
    "I have waited for a long time and nobody told me what happened to the parcel. "
    "我等了很久，没有人告诉我包裹怎么了，请尽快处理。"
)

TEXTS = {
    "200_chars_1_fact": (_ONE + " " * 200)[:200].strip(),
    "200_chars_7_facts": _SEVEN[:200],
    "10_kb": (_SEVEN + "\n" + _FILLER * 400)[:6_400],
}


def stages(settings: Settings) -> dict[str, dict[str, float]]:
    """Give, for each text, the best time of each stage in µs; about 5 s."""
    patterns = load_patterns(settings.facts, settings.masking.actions)
    extractor = Extractor.of(patterns, settings.facts)
    return {name: _stages(text, patterns, extractor) for name, text in TEXTS.items()}


def _stages(text: str, patterns: PatternSet, extractor: Extractor) -> dict[str, float]:
    folded = fold(text)
    view = TextView(folded.text)
    matches = settled(find_matches(patterns.facts, view, Timer()), ())
    reader = ContextReader()

    def scan() -> None:
        patterns.secrets.matching(view.data)
        patterns.facts.matching(view.data)

    def match() -> None:
        fresh = TextView(folded.text)
        find_matches(patterns.secrets, fresh, Timer())
        find_matches(patterns.facts, fresh, Timer())

    def context() -> None:
        around = reader.open(view)
        for m in matches:
            spec = m.pattern.spec
            one = spec.cardinality == "one"
            around.standing(m.start, m.end, type_name=spec.type, one=one)

    found = {
        "fold": _best(lambda: fold(text)),
        "set_scan": _best(scan),
        "scan_and_match": _best(match),
        "context": _best(context),
        "whole": _best(lambda: extractor.extract(text, role="user")),
    }
    found["match"] = found["scan_and_match"] - found["set_scan"]
    found["pattern_scan"] = found["fold"] + found["scan_and_match"]
    found["bytes"] = float(len(text.encode()))
    found["facts"] = float(len(extractor.extract(text, role="user").facts))
    return found


def growth(settings: Settings) -> dict[str, dict[str, float]]:
    """Give, for sets of more and more patterns, their number and µs of a pattern scan.

    The text is of 200 characters with one fact; the last set has 200 patterns more, of
    shapes that are not in it. ``ratio`` is to all shipped packs.
    """
    more = tuple(
        {"id": f"more.{n}", "type": f"more_{n}", "regex": [f"Q{n:03}[-_ ]?[0-9]{{6}}"]}
        for n in range(200)
    )
    packs = settings.facts.packs
    wanted = {
        "1_pack": {"packs": ("secrets",)},
        "3_packs": {"packs": ("secrets", "common", "ecommerce")},
        f"{len(packs)}_packs": {"packs": packs},
        f"{len(packs)}_packs_and_200_patterns": {"packs": packs, "patterns": more},
    }
    found: dict[str, dict[str, float]] = {}
    for name, values in wanted.items():
        facts = settings.facts.model_copy(update=values)
        patterns = load_patterns(facts, {})
        text = TEXTS["200_chars_1_fact"]
        found[name] = {
            "patterns": float(len(patterns.patterns)),
            "pattern_scan": _best(partial(_scan, text, patterns)),
        }
    whole = found[f"{len(packs)}_packs"]["pattern_scan"]
    for figures in found.values():
        figures["ratio"] = figures["pattern_scan"] / whole
    return found


def _scan(text: str, patterns: PatternSet) -> None:
    view = TextView(fold(text).text)
    find_matches(patterns.secrets, view, Timer())
    find_matches(patterns.facts, view, Timer())


def _best(run: Callable[[], object], rounds: int = 40) -> float:
    run()
    begun = perf_counter_ns()
    run()
    each = max(1, min(200, 2_000_000 // max(1, perf_counter_ns() - begun)))
    best = float("inf")
    for _ in range(rounds):
        begun = perf_counter_ns()
        for _ in range(each):
            run()
        best = min(best, (perf_counter_ns() - begun) / each / 1_000)
    return best
