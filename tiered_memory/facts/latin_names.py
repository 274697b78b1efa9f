"""Where a person's name in Latin letters ends, and which replies are one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.facts.common_words import FAMILY_WORDS, is_common
from tiered_memory.facts.normal_forms import NOT_NAMES
from tiered_memory.facts.re2_engine import SPACE, compile_re2
from tiered_memory.facts.readings import Reading

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["answers", "extent", "family_extent", "name_words", "opened"]

REACH = 160
"""Characters that are looked at for one name."""

MOST_WORDS = 5
LONGEST_WORD = 20
CODE_LETTERS = 3
"""A word this short before as few digits is a code (``tgh 456``)."""

_LETTERS = r"[\p{L}\p{Nl}\p{No}]+"
_TOKEN = compile_re2(rf"{_LETTERS}(?:['’.-]{_LETTERS})*\.?|[\p{{L}}\p{{N}}]+|[^{SPACE}]")
_SPELT = compile_re2(r" [0-9]{1,5} [a-z]{1,3} [0-9]")
_CHUNK = compile_re2(rf"[^{SPACE},;:]+|[,;:]")
_TITLES = frozenset(
    ["mr", "mrs", "ms", "miss", "mister", "dr", "prof", "professor", "sir", "madam"]
)
_PARTICLES = frozenset(
    """
    de da do dos das del della di du la le van von der den ter ten bin ibn bint binti al el
    abu ben ap st zu af av
    """.split()  # noqa: SIM905 (a table of words)
)
_SUFFIXES = frozenset(["jr", "sr", "ii", "iii", "iv"])
_VOWELS = frozenset("aeiouy")

_FILLERS = frozenset(
    """
    yes yeah yep ya yup sure ok okay oh well great fine certainly absolutely alright of course
    here sorry and it's its it this that's thats that i'm im i’m i am my me myself name names
    the full as was by way
    """.split()  # noqa: SIM905 (a table of words)
)
_LINKED = frozenset(("is", "for", "under", "as"))
"""Fillers only behind another one (``it is``, ``its for``)."""

_LINKING = frozenset(
    """
    it it's its this that that's thats name names is my i am
    """.split()  # noqa: SIM905 (a table of words)
)

_SELF = frozenset(
    """
    it's its is this that's thats i'm im i’m am name names myself me here under for as named
    """.split()  # noqa: SIM905 (a table of words)
)
_GREETINGS = frozenset(
    """
    hi hai hii hello helo hey hiya good morning afternoon evening dear thanks thank thankyou
    thx thnx you u bye goodbye ok okay oh
    """.split()  # noqa: SIM905 (a table of words)
)
_AFTER = frozenset(
    """
    and with my is ssn social security account acc acct ac a/c booking confirmation
    conformation reservation reference email e-mail mail phone mobile cell contact ph tel
    telephone number no card credit debit password passcode passward pwd pin otp policy claim
    zip postcode address adress delivery from dob date born here speaking please sir madam maam
    thanks thank only username user id last first order the i’m im i'm i
    """.split()  # noqa: SIM905 (a table of words)
)
_GIVEN_WORDS = frozenset(["will", "may", "april", "june", "august", "bill", "hope", "art"])
"""Given names that are words of talk: names only before a family name that ends all."""

_SPEAKING = frozenset(["here", "speaking", "this"])
_AFTER_IS = frozenset(["the", "my", "here", "speaking", "calling"])


def opened(text: str) -> tuple[int, bool, bool]:
    """Give where a reply begins to say something, after fillers and greetings.

    The flags: it says that the name comes (``i'm``, ``name``); a greeting is what stands
    before it, so that a single word is the one greeted.
    """
    place, told, greeted, last = 0, False, False, ""
    for token in _TOKEN.finditer(text, 0, REACH):
        word = token.group().lower().rstrip(".")
        if not word or not word[0].isalnum():
            if word and word not in ".,!?:;-–~'\"“”‘’":
                break
            place = token.end()
            continue
        filler, greeting = word in _FILLERS, word in _GREETINGS
        mistyped = _nearly_name(word) and text.startswith(" is ", token.end())
        filler = filler or (word in _LINKED and last in _LINKING)
        if not filler and not greeting and not mistyped:
            break
        last = "name" if mistyped else word
        told = told or word in _SELF or mistyped
        greeted = greeted or (greeting and not filler) or word in {"ok", "okay", "oh"}
        place = token.end()
    if last in {"i", "by", "way", "the"} and not told:
        return len(text), False, False
    return place + _gap(text, place), told, greeted


def _nearly_name(word: str) -> bool:
    """Tell ``name`` with one letter mistyped."""
    return (
        len(word) == len("name")
        and sum(a != b for a, b in zip(word, "name", strict=True)) == 1
    )


def extent(
    text: str, start: int, end: int, expected: Collection[str] = ()
) -> tuple[int, int] | None:
    """Narrow what stands behind ``my name is`` to the name; None where there is none."""
    del end, expected
    found = name_words(text, start)
    return (found[0][0], found[-1][1]) if found else None


def family_extent(
    text: str, start: int, end: int, expected: Collection[str] = ()
) -> tuple[int, int] | None:
    """Narrow what stands behind ``last name``: family names that are words count too."""
    word = _TOKEN.match(text, start, start + REACH)
    if word is not None and word.group().lower() in FAMILY_WORDS:
        plain = _follows(text, word.end()) is not None
        return word.span() if plain else None
    return extent(text, start, end, expected)


def answers(text: str, expected: Collection[str]) -> list[Reading]:
    """Give the name with which a reply to ``your name, please?`` begins.

    Where more was asked for, it may stand alone behind the other value (``4471 lena``).
    """
    start, told, greeted = opened(text)
    found = name_words(text, start)
    if not found and len(expected) > 1:
        return _behind_code(text, start)
    if not found:
        return []
    if "booking_ref" in expected and _spelt(text, found):
        found = found[:-1]
    end = found[-1][1]
    follows = _follows(text, end, single=len(found) == 1 and not told)
    told = told or follows in _SPEAKING
    alone = len(found) > 1 or _stands_alone(text, found[0], told, greeted)
    if follows is None or not alone:
        return []
    return [Reading(found[0][0], end, whole=follows == "")]


def _spelt(text: str, found: Sequence[tuple[int, int]]) -> bool:
    """Tell a last letter that begins a code spelt in groups: ``lena k 4 t 77``."""
    start, end = found[-1]
    return (
        len(found) > 1
        and end - start == 1
        and text[start].islower()
        and _SPELT.match(text, end) is not None
    )


def _behind_code(text: str, start: int) -> list[Reading]:
    """Give the name that is all that follows numbers and codes."""
    place, coded = start, False
    for token in _CHUNK.finditer(text, start, start + REACH):
        word = token.group()
        if any(char.isdigit() for char in word):
            coded = True
        elif word[0].isalpha() and word.lower() not in {"and", "name"}:
            break
        place = token.end()
    place += _gap(text, place)
    found = name_words(text, place) if coded else ()
    if not found or not _stands_alone(text, found[0], told=True, greeted=False):
        return []
    start, end = found[0][0], found[-1][1]
    return [Reading(start, end, whole=False)] if _follows(text, end) == "" else []


def _stands_alone(text: str, span: tuple[int, int], told: bool, greeted: bool) -> bool:
    word = text[slice(*span)]
    if greeted and not told:
        return False
    return len(word) > 2 or (len(word) == 2 and word[0].isupper() and word[1].islower())


def _follows(text: str, end: int, *, single: bool = False) -> str | None:
    """Give the word after a name, "" where the reply ends; None where it goes on talking.

    Of a ``single`` word, talk after a number counts too (``tab 300 keyboard``).
    """
    place = end + _gap(text, end)
    tokens = [
        str(t.group()).lower().rstrip(".") for t in _TOKEN.finditer(text, place, place + 40)
    ]
    words = [t for t in tokens if t]
    if not words or words[0][0] in "\r\n":
        return ""
    first = words[0]
    if first in {"'", "’"} and words[1:2] == ["s"]:
        return None
    if not first[0].isalnum():
        rest = [w for w in words if w[0].isalnum()]
        return first if rest else ""
    if first == "is":
        return first if words[1:2] and words[1] in _AFTER_IS else None
    if first in _AFTER or "mail" in first or words[:2] == ["this", "side"]:
        return first
    if any(c.isdigit() for c in first):
        talk = single and words[1:2] and words[1] not in _AFTER and is_common(words[1])
        return None if talk else first
    if (
        len(first) <= CODE_LETTERS
        and not is_common(first)
        and any(c.isdigit() for w in words[1:2] for c in w)
    ):
        return first
    return first if not _has_vowel(first) else None


def name_words(text: str, start: int) -> Sequence[tuple[int, int]]:
    """Give the spans of a name's words from ``start`` on, titles left out.

    It ends before a word of ordinary talk, a digit, a code, punctuation; empty where no
    name begins there, or where more words follow than a name has.
    """
    found: list[tuple[int, int]] = []
    place = start + _gap(text, start)
    while token := _TOKEN.match(text, place, place + REACH):
        word = token.group()
        after = token.end() + _gap(text, token.end())
        kind = _kind(text, token.start(), word, after, len(found))
        if kind == "end":
            break
        if kind == "word":
            found.append((token.start(), token.end()))
        if len(found) > MOST_WORDS:
            return ()
        place = after
        if word.endswith(".") and kind == "word" and not _abbreviated(word):
            break
    return _trimmed(text, found)


def _kind(text: str, start: int, word: str, after: int, count: int) -> str:
    """Tell whether a token belongs to a name: ``word``, ``title`` (left out), ``end``."""
    lower = word.lower().rstrip(".")
    if not lower or not lower[0].isalpha() or any(c.isdigit() or c >= "㐀" for c in lower):
        return "end"
    if count and start and text[start - 1] in "\r\n":
        return "end"
    if lower in _TITLES and not count:
        return "title"
    if lower.endswith(("'s", "’s")):
        return "end"
    if len(lower) == 1 or (count and lower in _SUFFIXES):
        initial = word.endswith(".") or (word.isupper() and word not in {"A", "I"})
        initial = initial or (lower not in {"a", "i"} and _whole_name(text, after))
        return "word" if count or initial else "end"
    if lower in _PARTICLES:
        return "word"
    if len(lower) > LONGEST_WORD or "mail" in lower or not _has_vowel(lower):
        return "end"
    if lower in NOT_NAMES or lower in _AFTER or is_common(lower):
        if not count:
            given = lower in _GIVEN_WORDS and _whole_name(text, after)
            return "word" if given else "end"
        family = lower in FAMILY_WORDS and _follows(text, after) is not None
        return "word" if family else "end"
    return "end" if count and _is_code(text, lower, after) else "word"


def _whole_name(text: str, start: int) -> bool:
    """Tell a family name that ends the text, so that a letter before it is an initial."""
    word = _TOKEN.match(text, start, start + REACH)
    return (
        word is not None
        and word.group().isalpha()
        and len(word.group()) > CODE_LETTERS
        and not is_common(word.group().lower())
        and not text[word.end() :].strip(" .!")
    )


def _is_code(text: str, word: str, after: int) -> bool:
    if len(word) > CODE_LETTERS:
        return False
    digits = 0
    while text[after + digits : after + digits + 1].isdigit():
        digits += 1
    return 0 < digits <= CODE_LETTERS


def _has_vowel(word: str) -> bool:
    vowels = _VOWELS.intersection(word)
    if vowels and not vowels - {"y"} and len(word) <= CODE_LETTERS:
        return word in {"ty", "ry", "sky"}
    return bool(vowels) or not word.isascii() or word in {"ng", "md"}


def _abbreviated(word: str) -> bool:
    """Tell whether a full stop belongs to its word (``J.``, ``Jr.``), not to the sentence."""
    bare = word.rstrip(".").lower()
    return len(bare) == 1 or bare in _SUFFIXES or bare in _TITLES or "." in bare


def _trimmed(text: str, found: list[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    while found:
        start, end = found[-1]
        word = text[start:end].lower().rstrip(".")
        after = text[end:].lstrip(" ")[:1]
        loose = len(word) == 1 and after.isalpha() and not text[start].isupper()
        particle = word in _PARTICLES and (bool(after) or len(word) < 3)
        if loose or particle or len(word) == 1 == len(found):
            found.pop()
            continue
        if (text[end - 1] == "." and not _abbreviated(text[start:end])) or (
            text[end - 1] == "." and not text[end:].strip()
        ):
            found[-1] = (start, end - 1)
        break
    return found


def _gap(text: str, place: int) -> int:
    end = place
    while text[end : end + 1] in {" ", "\t"}:
        end += 1
    return end - place
