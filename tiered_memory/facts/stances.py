"""For or against what a preference speaks: ``喜欢吃辣`` and ``不喜欢辣`` are contraries."""

from __future__ import annotations

from dataclasses import dataclass

from tiered_memory.facts.expressions import expression

__all__ = ["Stance", "stance"]

OPINIONS = frozenset(
    {"preference", "dislike", "constraint", "contact_preference", "allergy"}
)
"""Types whose values say yes or no to something."""

_AGAINST_ZH = (
    "不喜欢", "不习惯", "不可以", "不允许", "不方便", "不能", "不许", "不准", "不要", "不用", "不想",
    "不爱", "不再", "从不", "讨厌", "受不了", "不", "别", "勿",
)  # fmt: skip
_PLAIN_ZH = (
    "喜欢", "偏好", "偏爱", "习惯", "允许", "可以", "方便", "现在", "以后", "一般", "平时", "其实", "给我",
    *"能想要爱请都也又再了的吧啊哦对吃喝用穿是很最更我",
)  # fmt: skip
"""Longer ones first: each is taken out before the next is looked for."""

_WORD = expression(r"[a-z0-9][a-z0-9'’]*")

_AGAINST_EN = frozenset(
    [
        "not",
        "no",
        "never",
        "dislike",
        "hate",
        "stop",
        "cannot",
        "don't",
        "dont",
        "doesn't",
        "isn't",
        "aren't",
        "can't",
        "won't",
        "don’t",
        "doesn’t",
        "isn’t",
        "aren’t",
        "can’t",
        "won’t",
    ]
)
_PLAIN_EN = frozenset(
    [
        "i",
        "me",
        "my",
        "we",
        "us",
        "our",
        "you",
        "do",
        "does",
        "be",
        "is",
        "are",
        "am",
        "a",
        "an",
        "the",
        "some",
        "any",
        "to",
        "on",
        "in",
        "at",
        "by",
        "via",
        "over",
        "for",
        "prefer",
        "like",
        "love",
        "enjoy",
        "want",
        "eat",
        "drink",
        "wear",
        "really",
        "always",
        "only",
        "can",
        "may",
        "could",
        "would",
        "should",
        "will",
        "allowed",
        "allow",
        "ok",
        "okay",
        "fine",
        "welcome",
        "permitted",
        "please",
        "anymore",
        "more",
        "longer",
        "now",
        "still",
        "actually",
        "also",
        "again",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stance:
    """``about``: Han characters and words that are left without yes and no."""

    about: tuple[str, frozenset[str]]
    positive: bool

    def contradicts(self, other: Stance) -> bool:
        """Tell whether ``other`` says the contrary about the same thing."""
        return self.about == other.about and self.positive is not other.positive


def stance(type_name: str, normalized: str) -> Stance | None:
    """Give what a normal form says yes or no to; None where its type is no opinion.

    Each word against turns it once: ``喜欢不辣的`` is against ``辣``. Number (``calls``),
    order and little words do not count.
    """
    if type_name not in OPINIONS:
        return None
    text = normalized.lower()
    against = 0
    for word in _AGAINST_ZH:
        against += text.count(word)
        text = text.replace(word, " ")
    for word in _PLAIN_ZH:
        text = text.replace(word, " ")
    han = "".join(char for char in text if "\u4e00" <= char <= "\u9fff")
    words: set[str] = set()
    for word in _WORD.findall(text):
        if word in _AGAINST_EN:
            against += 1
        elif word not in _PLAIN_EN:
            words.add(_singular(word))
    if not han and not words:
        return None
    return Stance(about=(han, frozenset(words)), positive=against % 2 == 0)


def _singular(word: str) -> str:
    plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return word.removesuffix("s") if plural else word
