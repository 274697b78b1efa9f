"""Where a postal address in Latin letters ends, and which replies are one."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from tiered_memory.facts.address_words import (
    ABBREVIATIONS,
    AFTER_A_NUMBER,
    AFTER_ANY_NAME,
    FILLERS,
    FOLLOW,
    LEADS,
    LINKS,
    PLACES,
    REGIONS,
    STATES,
    STREETS,
    WITHIN,
)
from tiered_memory.facts.common_words import CITIES, is_common
from tiered_memory.facts.latin_names import name_words
from tiered_memory.facts.re2_engine import SPACE, compile_re2
from tiered_memory.facts.readings import Reading

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["answers", "extent", "street"]

REACH = 200
"""Characters that are looked at for one address."""

MOST_TOKENS = 30
PHONE_DIGITS = 10

_TOKEN = compile_re2(rf"[\p{{L}}\p{{N}}]+(?:['’./-][\p{{L}}\p{{N}}]+)*\.?|[^{SPACE}]|\n")

_OUTWARD = compile_re2(r"[a-z]{1,2}[0-9][0-9a-z]?$")
_INWARD = compile_re2(r"[0-9][a-z]{2}$")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ENDING = frozenset(("ph", "tel", "phn", "and", "the"))
_OF = frozenset(("of", "for", "with", "to", "by"))
_KNOWN = (STREETS, PLACES, REGIONS, CITIES, WITHIN)
_ZIP = compile_re2(r"(?i)[a-z]([ ,\n]{1,2}[0-9]{5}(?:-[0-9]{4})?)$")
_DIGITS = compile_re2(r"([0-9]+(?:-[0-9]+)*)(?:$|-[a-z])")


class _Token(NamedTuple):
    start: int
    end: int
    word: str
    capital: bool


def _tokens(text: str, start: int) -> Iterator[_Token]:
    for found in _TOKEN.finditer(text, start, min(len(text), start + REACH)):
        word = found.group()
        yield _Token(found.start(), found.end(), word.lower().rstrip("."), word.istitle())


def extent(
    text: str, start: int, end: int, expected: Collection[str] = ()
) -> tuple[int, int] | None:
    """Read on from where an address begins to where it ends, which may be beyond ``end``.

    Numbers before it that are none of it (a telephone's, a count of goods) are left out.
    """
    tokens = list(islice(_tokens(text, start), MOST_TOKENS + 6))
    place = 0
    while place < len(tokens) and tokens[place].start < end:
        skip = _phone(tokens, place)
        if skip:
            place += skip
            continue
        read = _read(tokens[place:], text)
        begin = tokens[place].start
        value = "" if read is None else text[begin:read]
        if read is not None and read >= end and street(value) and _named(value):
            return begin, begin + len(_without_asked(value, expected))
        place = _next_number(tokens, place + 1)
    return None


def _without_asked(value: str, expected: Collection[str]) -> str:
    """Leave out a postcode that was asked for as well: it is a value of its own."""
    found = _ZIP.search(value) if "postcode" in expected else None
    return value if found is None else value[: found.span(1)[0]]


def _next_number(tokens: list[_Token], place: int) -> int:
    while place < len(tokens) and not tokens[place].word[:1].isdigit():
        place += 1
    return place


def _named(value: str) -> bool:
    """Tell whether a street has a name or a number: ``1 st place`` has neither."""
    words = [t.word for t in _tokens(value, 0) if t.word]
    if not words or not words[0][0].isdigit():
        return True
    if len(words[0]) == 1 and words[-1] in AFTER_A_NUMBER and value.islower():
        return False
    return any(
        any(c.isdigit() for c in w) or (w not in STREETS and w not in {"nd", "rd", "th"})
        for w in words[1:]
    )


def street(value: str) -> bool:
    """Tell what can be delivered to: a word of streets or places, a state, or a house number."""
    words = [t.word for t in _tokens(value, 0) if t.word]
    letters = sum(c.isalpha() for c in value)
    digits = any(c.isdigit() for c in value)
    known = any(w in STREETS or w in PLACES or w in REGIONS for w in words)
    state = any(w in STATES and n and words[n + 1 : n + 2] for n, w in enumerate(words))
    return letters >= 4 and len(words) > 1 and (digits or known or state)


def answers(text: str, expected: Collection[str]) -> list[Reading]:
    """Give the address in a reply to ``your address, please?``.

    The recipient's name before it belongs to it unless that was asked for as well. What
    says anything else, before or behind, is no address.
    """
    start = _opened(text, "person_name" in expected)
    end = None if start is None else _read(list(_tokens(text, start)), text)
    if start is None or end is None:
        return []
    value = _without_asked(text[start:end], expected)
    end = start + len(value)
    if not street(value) or not _says_where(value):
        return []
    rest = [t.word for t in _tokens(text, end) if t.word and t.word[0].isalnum()]
    bare = not any(c.isdigit() for c in value)
    if rest and rest[0] not in FOLLOW and not rest[0].isdigit():
        if bare:
            return []
        after = text[end:].lstrip(" ")[:1]
        if after not in {".", ";", "\n", "!", "?", ","}:
            return []
    return [Reading(start, end, whole=not rest)]


def _says_where(value: str) -> bool:
    """Tell an address from an order of goods: ``2 agua`` has neither street nor number."""
    words = [t.word for t in _tokens(value, 0) if t.word]
    if any(w in STREETS or w in REGIONS or w in PLACES for w in words):
        return True
    if any(w in STATES and n for n, w in enumerate(words)) and len(words) > 2:
        return True
    return any(len(w) > 1 and w.isdigit() for w in words) and not any(
        is_common(w) and w not in WITHIN and w not in CITIES for w in words
    )


def _opened(text: str, named: bool) -> int | None:
    """Give where the address begins: after fillers, telephone numbers, an asked name."""
    place = 0
    for token in _tokens(text, 0):
        if token.word and token.word not in FILLERS and token.word[0].isalnum():
            break
        if token.word == "new" and not text[token.end :].lower().startswith(" add"):
            break
        place = token.end
    else:
        return None
    tokens = list(_tokens(text, place))
    skip = _phone(tokens, 0)
    if skip and skip < len(tokens):
        skip += tokens[skip].word == "no" and not _word(tokens, skip + 1)[:1].isdigit()
        place = tokens[min(skip, len(tokens) - 1)].start
    if named:
        words = name_words(text, place)
        after = next(iter(_tokens(text, words[-1][1])), None) if words else None
        if after is not None and (after.word[:1].isdigit() or after.word == "and"):
            place = after.start if after.word != "and" else after.end
        elif after is not None and after.word in LEADS:
            place = after.start
    first = next((t for t in _tokens(text, place) if t.word), None)
    return None if first is None else first.start


def _phone(tokens: list[_Token], place: int) -> int:
    """Give how many tokens a telephone number takes at ``place``; 0 where none stands."""
    digits = groups = 0
    for count, token in enumerate(tokens[place : place + 6], 1):
        number = _DIGITS.match(token.word)
        if number is None:
            if token.word not in {"-", "(", ")", "+"}:
                break
            continue
        said = str(number.group(1))
        size = len(said)
        if (groups and size > 4 and digits >= 5) or (
            not groups and 4 < size < PHONE_DIGITS - 1
        ):
            break
        digits += len(said.replace("-", ""))
        groups += size > 1
        if digits >= PHONE_DIGITS or (groups > 2 and digits >= PHONE_DIGITS - 1):
            return count
    return 0


def _read(tokens: list[_Token], text: str) -> int | None:
    """Give the end of the address that begins with the first token."""
    end: int | None = None
    for place, token in enumerate(tokens[:MOST_TOKENS]):
        follows = tokens[place + 1].word if place + 1 < len(tokens) else ""
        step = _step(tokens, place)
        if step == "stop":
            break
        if step == "part":
            end = token.end
        if text[token.end - 1] == "." and not _short(token.word, follows):
            end = token.end - 1
            break
    return end


def _short(word: str, follows: str) -> bool:
    """Tell whether a full stop ends an abbreviation; none does at the end of all."""
    short = word in ABBREVIATIONS or len(word) <= 2 or word.endswith("str")
    return short and bool(follows) and follows not in _ENDING


def _step(tokens: list[_Token], place: int) -> str:
    """Tell whether a token is a ``part``, may stand ``between`` parts, or is a ``stop``."""
    word = tokens[place].word
    follows = _word(tokens, place + 1)
    if word in {",", "#", "-", "/", "&", "(", ")", "\n"}:
        ends = not follows or follows == "\n" or not _fits(tokens, place + 1)
        return "stop" if ends else "between"
    if not place and word == "of":
        return "stop"
    if not word or not word[0].isalnum() or word[0] >= "㐀" or _postcode(tokens, place):
        return "stop"
    if any(c.isdigit() for c in word):
        lone = len(word) == 1 and place and _phone(tokens, place + 1)
        return "stop" if (place and _phone(tokens, place)) or lone else "part"
    return "part" if _fits(tokens, place) else "stop"


def _word(tokens: list[_Token], place: int) -> str:
    return tokens[place].word if 0 <= place < len(tokens) else ""


def _postcode(tokens: list[_Token], place: int) -> bool:
    """Tell a British postcode, a fact of its own: ``ls1 4ab``, ``ls14ab``."""
    word = tokens[place].word
    if (
        not place
        or len(word) > 7
        or not word[:1].isalpha()
        or not word[1:3].strip(_LETTERS)
    ):
        return False
    return bool(_OUTWARD.match(word) and _INWARD.match(_word(tokens, place + 1))) or (
        bool(_OUTWARD.match(word[:-3])) and bool(_INWARD.match(word[-3:]))
    )


def _fits(tokens: list[_Token], place: int) -> bool:
    """Tell whether a word can be in an address at this place."""
    word, follows = tokens[place].word, _word(tokens, place + 1)
    before = _word(tokens, place - 1)
    if any(c.isdigit() for c in word) or _state(tokens, place):
        return True
    if len(word) == 1 and before[-1:].isdigit():
        return word != "i"
    if word in {"no", "nr", "number"}:
        counts = word != "number" or not place or before in STREETS or before in PLACES
        return counts and follows[:1].isdigit()
    if word == "mobile":
        return place > 0 and follows in STATES
    if word == "us" and before in _OF:
        return False
    if word in _ENDING or "mail" in word:
        return False
    if any(word in words for words in _KNOWN) or not is_common(word):
        return True
    if word in FOLLOW or word in FILLERS or word in LINKS:
        return False
    return tokens[place].capital or _before_street(tokens, place)


def _state(tokens: list[_Token], place: int) -> bool:
    """Tell a state's code: behind something, before a number, a country or the end."""
    follows = _word(tokens, place + 1)
    if not place or tokens[place].word not in STATES:
        return False
    return not follows[:1].isalpha() or follows in REGIONS


def _before_street(tokens: list[_Token], place: int) -> bool:
    """Tell a word of a street's name: the word for street comes within three words."""
    first = tokens[0].word
    if not first[:1].isdigit() and first not in LEADS:
        return False
    numbered = first.isdigit() and len(first) > 2
    for token in tokens[place + 1 : place + 4]:
        if token.word in AFTER_ANY_NAME or (numbered and token.word in AFTER_A_NUMBER):
            return True
        if token.word in FOLLOW or token.word in LINKS or not token.word[:1].isalpha():
            return False
    return False
