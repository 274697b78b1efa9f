"""Where a postal address in Latin letters ends, and which replies are one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.facts.common_words import is_common
from tiered_memory.facts.latin_names import name_words
from tiered_memory.facts.readings import Reading

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["answers", "extent", "street"]

REACH = 200
"""Characters that are looked at for one address."""

MOST_TOKENS = 30
PHONE_DIGITS = 10

_TOKEN = re.compile(r"[^\W_]+(?:['’./-][^\W_]+)*\.?|\S|\n")

_DIGITS = re.compile(r"[0-9]+(?:-[0-9]+)*(?=$|-[a-z])")

_STREETS = frozenset(
    """
    street st avenue ave av road rd drive dr lane ln boulevard blvd court ct place pl way
    highway hwy square sq terrace ter parkway pkwy circle cir turnpike tpke pike crescent close
    mews row quay walk alley trail trl bypass expressway freeway route rte cross crossing
    commons plaza esplanade promenade grove gardens heights loop broadway nagar marg salai
    chowk colony sector rue calle via viale strasse straße str avenida rua weg allee laan
    straat yard
    """.split()  # noqa: SIM905 (a table of words)
)
_PLACES = frozenset(
    """
    apartment apt flat suite ste unit floor box building bldg tower complex mall house school
    temple church station village town city county district state park garden hills hill beach
    lake river bridge gate estate hall centre center plains shore mountain valley bay island
    port harbor harbour mill market meadow field fields forest wood woods spring springs creek
    room block lot plot door shop office opposite near behind beside college university alley
    arcade bend bluff branch brook common corner corners course cove crest curve dale dam divide
    estates extension ferry fields flats forge fork forks glen green harbor haven hollow inlet
    isle junction key knoll lakes landing light lock lodge manor meadows mills mission neck
    orchard oval overlook pass path pines point prairie ranch rapids rest ridge run shores spur
    stream summit throughway trace track tunnel underpass union viaduct view ville vista well
    wells
    """.split()  # noqa: SIM905 (a table of words)
)
_WITHIN = frozenset(
    """
    north south east west northeast northwest southeast southwest n s e w ne nw se sw new old
    upper lower great little main high first second third fourth fifth sixth seventh eighth
    ninth tenth th nd rd one two three four five saint mount fort royal king queen church mill
    green white black red blue rose oak maple pine cedar elm apple cherry golden silver sunny
    gold stone state national union central county country captain professor doctor no number
    nr ground top mobile reading orange phoenix corner garden garments lake land rock round
    fall falls mt ft p.o po p o of pearl cross ship general memorial service garden gateway
    """.split()  # noqa: SIM905 (a table of words)
)
"""Words of talk that streets and towns are called by."""

# Besides: suffixes of Publication 28 of the United States Postal Service, appendix C.

STATES = frozenset(
    """
    al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj
    nm ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy dc
    """.split()  # noqa: SIM905 (a table of words)
)
"""Two-letter codes of the United States Postal Service, Publication 28, appendix B."""

_REGIONS = frozenset(
    """
    alabama alaska arizona arkansas california colorado connecticut delaware florida georgia
    hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts
    michigan minnesota mississippi missouri montana nebraska nevada hampshire jersey mexico
    york carolina dakota ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia
    washington wisconsin wyoming usa us uk u.s u.s.a america england scotland wales ireland
    india canada australia germany france spain italy austria netherlands belgium switzerland
    sweden norway denmark finland poland portugal turkey brazil china japan singapore malaysia
    zealand
    """.split()  # noqa: SIM905 (a table of words)
)
_CITIES = frozenset(
    """
    newyork london delhi mumbai chennai kolkata bangalore hyderabad paris tokyo beijing
    shanghai dubai miami boston chicago seattle houston dallas denver atlanta
    """.split()  # noqa: SIM905 (a table of words)
)
_LEADS = frozenset(
    [
        "no",
        "number",
        "house",
        "flat",
        "unit",
        "apt",
        "apartment",
        "suite",
        "door",
        "plot",
        "block",
        "shop",
        "p.o",
        "po",
        "box",
    ]
)
_STREETS_AFTER = frozenset(
    """
    street st avenue ave road rd lane ln boulevard blvd highway hwy terrace parkway pkwy
    crescent turnpike tpke circle
    """.split()  # noqa: SIM905 (a table of words)
)
"""Words that make a street of any word before them."""

_LINKS = frozenset(
    """
    the on at to for with from by before after about than or but if when where who what my
    your his her their a an i you we they it is was are be days day hours hour minutes weeks
    week months month years year times miles km people items orders order gb mb per percent
    """.split()  # noqa: SIM905 (a table of words)
)
_FOLLOW = frozenset(
    """
    phone ph mobile contact cell tel telephone email mail e-mail name ssn account card my and
    please thanks thank zip pin this is no number plz pls sir madam
    """.split()  # noqa: SIM905 (a table of words)
)
_FILLERS = frozenset(
    """
    yes yeah yep sure ok okay hi hello it's its it is was this that's that the my our new correct
    full complete delivery shipping billing mailing home postal street current right address
    adress addres will be should supposed to at i i'm im live in ship send deliver change please
    so sorry oh well here use as say for update change changed want would like you can sir
    thank thanks
    """.split()  # noqa: SIM905 (a table of words)
)


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    word: str
    capital: bool


def _tokens(text: str, start: int) -> Iterator[_Token]:
    for found in _TOKEN.finditer(text, start, min(len(text), start + REACH)):
        word = found.group()
        yield _Token(found.start(), found.end(), word.lower().rstrip("."), word.istitle())


def extent(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Read on from where an address begins to where it ends, which may be beyond ``end``.

    Numbers before it that are none of it (a telephone's, a count of goods) are left out.
    """
    tokens = list(_tokens(text, start))
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
            return begin, read
        place = _next_number(tokens, place + 1)
    return None


def _next_number(tokens: list[_Token], place: int) -> int:
    while place < len(tokens) and not tokens[place].word[:1].isdigit():
        place += 1
    return place


def _named(value: str) -> bool:
    """Tell whether a street has a name or a number: ``1 st place`` has neither."""
    words = [t.word for t in _tokens(value, 0) if t.word]
    if not words or not words[0][0].isdigit():
        return True
    return any(
        any(c.isdigit() for c in w) or (w not in _STREETS and w not in {"nd", "rd", "th"})
        for w in words[1:]
    )


def street(value: str) -> bool:
    """Tell what can be delivered to: a word of streets or places, a state, or a house number."""
    words = [t.word for t in _tokens(value, 0) if t.word]
    letters = sum(c.isalpha() for c in value)
    digits = any(c.isdigit() for c in value)
    known = any(w in _STREETS or w in _PLACES or w in _REGIONS for w in words)
    state = any(w in STATES and n and words[n + 1 : n + 2] for n, w in enumerate(words))
    return letters >= 4 and len(words) > 1 and (digits or known or state)


def answers(text: str, expected: Collection[str]) -> list[Reading]:
    """Give the address in a reply to ``your address, please?``.

    The recipient's name before it belongs to it unless that was asked for as well. What
    says anything else, before or behind, is no address.
    """
    start = _opened(text, "person_name" in expected)
    if start is None:
        return []
    tokens = list(_tokens(text, start))
    end = _read(tokens, text)
    if end is None:
        return []
    value = text[start:end]
    if not street(value) or not _says_where(value):
        return []
    rest = [t.word for t in _tokens(text, end) if t.word and t.word[0].isalnum()]
    if rest and rest[0] not in _FOLLOW and not rest[0].isdigit():
        after = text[end:].lstrip(" ")[:1]
        if after not in {".", ";", "\n", "!", "?", ","}:
            return []
    return [Reading(start, end, whole=not rest)]


def _says_where(value: str) -> bool:
    """Tell an address from an order of goods: ``2 agua`` has neither street nor number."""
    words = [t.word for t in _tokens(value, 0) if t.word]
    if any(w in _STREETS or w in _REGIONS or w in _PLACES for w in words):
        return True
    if any(w in STATES and n for n, w in enumerate(words)) and len(words) > 2:
        return True
    return any(len(w) > 1 and w[:2].isdigit() for w in words)


def _opened(text: str, named: bool) -> int | None:
    """Give where the address begins: after fillers, telephone numbers, an asked name."""
    place = 0
    for token in _tokens(text, 0):
        if token.word and token.word not in _FILLERS and token.word[0].isalnum():
            break
        if token.word == "new" and not text[token.end :].lower().startswith(" add"):
            break
        place = token.end
    else:
        return None
    tokens = list(_tokens(text, place))
    skip = _phone(tokens, 0)
    if skip and skip < len(tokens):
        place = tokens[skip].start
    if named:
        words = name_words(text, place)
        after = next(iter(_tokens(text, words[-1][1])), None) if words else None
        if after is not None and (after.word[:1].isdigit() or after.word == "and"):
            place = after.start if after.word != "and" else after.end
        elif after is not None and after.word in _LEADS:
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
        if groups and len(number.group()) > 4 and digits >= 5:
            break
        digits += len(number.group().replace("-", ""))
        groups += len(number.group()) > 1
        if digits >= PHONE_DIGITS or (groups > 2 and digits >= PHONE_DIGITS - 1):
            return count
    return 0


def _read(tokens: list[_Token], text: str) -> int | None:
    """Give the end of the address that begins with the first token."""
    end: int | None = None
    for place, token in enumerate(tokens[:MOST_TOKENS]):
        follows = tokens[place + 1].word if place + 1 < len(tokens) else ""
        step = _step(tokens, place, text)
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
    short = word in _STREETS or word in _PLACES or len(word) <= 2
    return short and bool(follows)


def _step(tokens: list[_Token], place: int, text: str) -> str:
    """Tell whether a token is a ``part``, may stand ``between`` parts, or is a ``stop``."""
    word = tokens[place].word
    follows = tokens[place + 1].word if place + 1 < len(tokens) else ""
    if word in {",", "#", "-", "&", "(", ")"} or word == "\n":
        return "between" if follows and _fits(tokens, place + 1) else "stop"
    if not word or not word[0].isalnum():
        return "stop"
    if any(c.isdigit() for c in word):
        lone = len(word) == 1 and place and _phone(tokens, place + 1)
        return "stop" if (place and _phone(tokens, place)) or lone else "part"
    return "part" if _fits(tokens, place) else "stop"


def _fits(tokens: list[_Token], place: int) -> bool:
    word = tokens[place].word
    follows = tokens[place + 1].word if place + 1 < len(tokens) else ""
    if any(c.isdigit() for c in word):
        return True
    if word in STATES and place:
        last = not follows or not follows[0].isalnum()
        if last or follows[:1].isdigit() or follows in _REGIONS:
            return True
    if len(word) == 1 and place and tokens[place - 1].word[-1:].isdigit():
        return word != "i"
    if word in {"no", "nr"}:
        return follows[:1].isdigit()
    if word == "number":
        before = tokens[place - 1].word if place else "street"
        return follows[:1].isdigit() and (before in _STREETS or before in _PLACES)
    if word in {"ph", "tel", "phn"} or "mail" in word:
        return False
    if word == "mobile":
        return place > 0 and follows in STATES
    if word in {"and", "the"}:
        return False
    known = word in _STREETS or word in _PLACES or word in _REGIONS or word in _CITIES
    if known or word in _WITHIN or not is_common(word):
        return True
    if word in _FOLLOW or word in _FILLERS or word in _LINKS:
        return False
    return tokens[place].capital or _before_street(tokens, place)


def _before_street(tokens: list[_Token], place: int) -> bool:
    """Tell a word of a street's name: the word for street comes within three words."""
    for token in tokens[place + 1 : place + 4]:
        if token.word in _STREETS_AFTER:
            return True
        if token.word in _FOLLOW or token.word in _LINKS or not token.word[:1].isalpha():
            return False
    return False
