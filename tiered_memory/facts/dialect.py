r"""An expression in RE2's syntax, as each engine reads it, and what RE2 does not have.

Under ``regex`` the classes ``\d \w \s \b`` and ``[:alpha:]`` are written out in ASCII, ``$`` is
the end of the text alone, and ``(?i)`` folds one character to one, all as in RE2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tiered_memory.facts.re2_engine import Re2Error, compile_re2

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Construct", "for_re2", "for_regex", "outside_re2", "tokens", "without_look"]

_ESCAPE = r"\\Q(?s:.*?)(?:\\E|$)|\\[pP]\{[^}]*\}|\\[xu]\{?[0-9A-Fa-f]*\}?|\\(?s:.)"
_CLASS = r"\[\^?\]?(?:\[:\^?[a-z]+:\]|\\(?s:.)|[^\]\\])*\]"
_GROUP = (
    r"\(\?P=\w+\)|\(\?P?<\w+>|\(\?(?:<=|<!|[=!>|(&R0-9])|\(\?[a-zA-Z-]*[:)]|"
    r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})[+?]?"
)
_TOKEN = compile_re2(f"{_ESCAPE}|{_CLASS}|{_GROUP}|(?s:.)")
_IN_CLASS = compile_re2(rf"\[:\^?[a-z]+:\]|{_ESCAPE}|(?s:.)")

_DIGIT = "0-9"
_WORD = "0-9A-Za-z_"
_SPACE = r"\t\n\f\r "
_PERL: Mapping[str, str] = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_BORDER = f"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))"
_NO_BORDER = f"(?:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))"
_POSIX: Mapping[str, str] = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7F",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1F\x7F",
    "digit": _DIGIT,
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-\/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": _WORD,
    "xdigit": "0-9A-Fa-f",
}
"""RE2's classes in brackets; ``[:space:]`` has the vertical tab, ``\\s`` has not."""

_HAN = (
    "\u2e80-\u2e99\u2e9b-\u2ef3\u2f00-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufa6d\ufa70-\ufad9\U00016fe2-\U00016fe3"
    "\U00016ff0-\U00016ff1\U00020000-\U0002a6df\U0002a700-\U0002b739\U0002b740-\U0002b81d"
    "\U0002b820-\U0002cea1\U0002ceb0-\U0002ebe0\U0002ebf0-\U0002ee5d\U0002f800-\U0002fa1d"
    "\U00030000-\U0003134a\U00031350-\U000323af"
)
"""RE2's ``\\p{Han}`` (script Han of Unicode 15.1): ``regex`` follows another version."""

_NAMES: Mapping[str, str] = {
    "(?<=": "lookbehind",
    "(?<!": "negative lookbehind",
    "(?=": "lookahead",
    "(?!": "negative lookahead",
    "(?>": "atomic group",
    "(?(": "conditional",
    "(?|": "branch reset",
    "(?R": "recursion",
    "(?&": "recursion",
}


class Construct(NamedTuple):
    """Something that RE2 does not have, and where in the expression, from 0."""

    name: str
    text: str
    place: int

    def __str__(self) -> str:
        """Give it as a message says it."""
        return f"{self.name} {self.text} at position {self.place}"


def outside_re2(source: str) -> list[Construct]:
    """Name the lookaround, backreferences and the like in ``source``, left to right."""
    found: list[Construct] = []
    for text, place in tokens(source):
        name = _NAMES.get(text)
        if text.startswith("(?P=") or (text[0] == "\\" and text[1:] in tuple("123456789")):
            name = "backreference"
        elif text.startswith("(?") and text[2:] in tuple("0123456789"):
            name = "recursion"
        elif text[-1] == "+" and text[0] in "*+?{" and len(text) > 1:
            name = "possessive quantifier"
        if name is not None:
            found.append(Construct(name, text, place))
    return found


def without_look(source: str) -> str:
    """Give ``source`` with groups in place of what RE2 lacks: of about the same size."""
    there = {construct.place: construct for construct in outside_re2(source)}
    pieces: list[str] = []
    for text, place in tokens(source):
        construct = there.get(place)
        if construct is None:
            pieces.append(text)
        elif construct.name == "possessive quantifier":
            pieces.append(text[:-1])
        else:
            pieces.append("(?:" if text.startswith("(?") and text[-1] != ")" else "(?:)")
    return for_re2("".join(pieces))


def for_re2(source: str) -> str:
    r"""Write ``\uXXXX`` and ``\Z`` as RE2 reads them."""
    if "\\u" not in source and "\\Z" not in source:
        return source
    pieces: list[str] = []
    place = 0
    while place < len(source):
        if source[place] != "\\":
            pieces.append(source[place])
            place += 1
            continue
        digits = source[place + 2 : place + 6]
        if source.startswith("\\u", place) and _is_hex(digits):
            pieces.append(f"\\x{{{digits}}}")
            place += 6
            continue
        escape = source[place : place + 2]
        pieces.append("\\z" if escape == "\\Z" else escape)
        place += 2
    return "".join(pieces)


def for_regex(source: str) -> str:
    """Write ``source`` for ``regex`` in its version 1, without its flag ``ASCII``.

    Raises:
        Re2Error: it holds what has no equal there.
    """
    lines = any(
        t.startswith("(?") and "m" in t[2:-1] and t[-1] in ":)" for t, _ in tokens(source)
    )
    pieces: list[str] = []
    for text, place in tokens(source):
        if text[0] == "[" and len(text) > 1:
            pieces.append(_class(text))
        elif text == "$" and not lines:
            pieces.append(r"\Z")
        elif text[0] == "\\":
            pieces.append(_escape(text, place))
        else:
            pieces.append(text)
    return "".join(pieces)


def tokens(source: str) -> Iterator[tuple[str, int]]:
    """Give the pieces of an expression with their places; a class in brackets is one."""
    for found in _TOKEN.finditer(source):
        yield found.group(), found.start()


def _escape(text: str, place: int) -> str:
    kind = text[1:2]
    if kind in _PERL:
        return f"[{_PERL[kind]}]"
    if kind in ("D", "W", "S"):
        return f"[^{_PERL[kind.lower()]}]"
    if kind in ("b", "B"):
        return _BORDER if kind == "b" else _NO_BORDER
    if kind == "z":
        return r"\Z"
    if text in (r"\p{Han}", r"\P{Han}"):
        return f"[{_HAN}]" if kind == "p" else f"[^{_HAN}]"
    if kind == "Q":
        return "".join(f"\\{c}" if not c.isalnum() else c for c in _quoted(text))
    if kind == "C":
        raise Re2Error(f"\\C at position {place} (one byte) is not for texts")
    return _code_point(text)


def _quoted(text: str) -> str:
    return text[2:].removesuffix("\\E")


def _code_point(text: str) -> str:
    r"""Write ``\x{4e00}`` as the character; other escapes mean the same in both."""
    if text.startswith("\\x{") and text.endswith("}") and _is_hex(text[3:-1]):
        char = chr(int(text[3:-1], 16))
        return char if char.isalnum() else f"\\{char}"
    return text


def _class(text: str) -> str:
    """Write a class in brackets; what version 1 reads as set operations is escaped."""
    negated = text.startswith("[^")
    body = text[2 if negated else 1 : -1]
    pieces: list[str] = []
    for found in _IN_CLASS.finditer(body):
        piece = found.group()
        if piece.startswith("[:"):
            name = piece.strip("[:]^")
            if name not in _POSIX:
                raise Re2Error(f"there is no class {piece}")
            plain = _POSIX[name]
            pieces.append(f"[^{plain}]" if "^" in piece else plain)
        elif piece[0] == "\\":
            pieces.append(_escape_in_class(piece))
        elif piece in "[]&|~^" or (piece == "-" and pieces[-1:] == ["-"]):
            pieces.append(f"\\{piece}")
        else:
            pieces.append(piece)
    return f"[{'^' if negated else ''}{''.join(pieces)}]"


def _escape_in_class(text: str) -> str:
    kind = text[1:2]
    if kind in _PERL:
        return _PERL[kind]
    if kind in ("D", "W", "S"):
        return f"[^{_PERL[kind.lower()]}]"
    if text in (r"\p{Han}", r"\P{Han}"):
        return _HAN if kind == "p" else f"[^{_HAN}]"
    if kind == "Q":
        return "".join(f"\\{c}" if not c.isalnum() else c for c in _quoted(text))
    return _code_point(text)


def _is_hex(digits: str) -> bool:
    return bool(digits) and all(c in "0123456789abcdefABCDEF" for c in digits)
