"""Expressions of packs, with their boundaries, compiled for the engine that takes them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tiered_memory.facts.dialect import (
    for_re2,
    for_regex,
    outside_re2,
    tokens,
    without_look,
)
from tiered_memory.facts.lanes import Expression
from tiered_memory.facts.re2_engine import Re2Error, compile_re2

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tiered_memory.facts.pack_schema import Boundary
    from tiered_memory.facts.re2_engine import Program

__all__ = ["ExpressionError", "compile_expression"]

MAX_SOURCE = 10_000
"""Characters of an expression; the longest shipped one has 400."""

MAX_PROGRAM = 50_000
"""Instructions of a program in RE2; the largest shipped one has 8,000."""

SAID = 3
"""At most so many constructs are named in a warning."""

WHOLE = "tm_whole"
_VALUE = ("(?P<value>", "(?<value>")

# Zero-width only where RE2 has it: `\b` holds between an ASCII word character and
# anything else, a consumed character covers the rest (`_`, two Chinese characters).
_RE2_LEFT: Mapping[str, str] = {
    "token": r"(?:\b|^|[^0-9A-Za-z])",
    "digits": r"(?:^|[^0-9.-]|(?:^|[^0-9])[.-])",
    "loose": "",
}
_RE2_RIGHT: Mapping[str, str] = {
    "token": r"(?:\b|$|[^0-9A-Za-z])",
    "digits": (
        r"(?:$|[^0-9 .-]|[.-](?:$|[^0-9])|"
        r" (?:$|[^0-9]|[0-9](?:$|[^0-9])|[0-9]{5}))"
    ),
    "loose": "",
}
_REGEX_LEFT: Mapping[str, str] = {
    "token": r"(?:(?<![0-9A-Za-z])|(?![0-9A-Za-z_]))",
    "digits": (
        r"(?<![0-9])(?<![0-9][.-])"
        r"(?:(?<! )|(?<=^ )|(?<=[^0-9] )|(?<=(?:^|[^0-9])[0-9] )|(?<=[0-9]{5} ))"
    ),
    "loose": "",
}
_REGEX_RIGHT: Mapping[str, str] = {
    "token": r"(?:(?![0-9A-Za-z])|(?<![0-9A-Za-z_]))",
    "digits": (
        r"(?![0-9])(?![.-][0-9])(?:(?! )|(?= $)|(?= [^0-9])|"
        r"(?= [0-9](?:$|[^0-9]))|(?= [0-9]{5}))"
    ),
    "loose": "",
}


class ExpressionError(ValueError):
    """No engine takes the expression; the text says why, with places in its source."""


def compile_expression(source: str, *, boundary: Boundary, ignore_case: bool) -> Expression:
    """Compile for RE2; for ``regex`` where it holds lookaround or the like.

    Raises:
        ExpressionError: it is no expression, or too large.
    """
    if len(source) > MAX_SOURCE:
        raise ExpressionError(f"longer than {MAX_SOURCE:,} characters")
    _check_names(source)
    wrapped = _wrapped(source, boundary=boundary, ignore_case=ignore_case)
    try:
        if _unbalanced(source):
            compile_re2(for_re2(source))
        program = compile_re2(wrapped)
    except Re2Error:
        outside = outside_re2(source)
        if not outside:
            raise ExpressionError(_what_is_wrong(source)) from None
        reason = ", ".join(map(str, outside[:SAID]))
        return _for_regex(source, boundary=boundary, ignore_case=ignore_case, reason=reason)
    _check_size(program)
    groups = program.groupindex
    whole = groups[WHOLE]
    return Expression(
        source=source,
        lane="re2",
        reason="",
        whole=whole,
        value=groups.get("value", whole),
        program=program,
        wrapped=wrapped,
        left=_left_kind(source, boundary),
        anchored="^" in source.replace("[^", "") and _has_start(source),
    )


def _wrapped(source: str, *, boundary: Boundary, ignore_case: bool) -> str:
    """Give the expression with its boundaries, without lookaround, as RE2 writes it.

    A cue before the value is bounded like a word; the value by ``boundary``.
    """
    flags = "(?i:" if ignore_case else "(?:"
    left = _RE2_LEFT[_left_kind(source, boundary)]
    return f"{left}(?P<{WHOLE}>{flags}{for_re2(source)})){_RE2_RIGHT[boundary]}"


def _for_regex(
    source: str, *, boundary: Boundary, ignore_case: bool, reason: str
) -> Expression:
    _check_without_look(source)
    # Imported by name: its stubs are not everywhere, and most packs never need it.
    regex: Any = importlib.import_module("regex")
    left = _REGEX_LEFT[_left_kind(source, boundary)]
    flags = "(?i-f:" if ignore_case else "(?:"
    try:
        core = for_regex(source)
        regex.compile(core, regex.VERSION1)
        program = regex.compile(
            f"{left}(?P<{WHOLE}>{flags}{core})){_REGEX_RIGHT[boundary]}", regex.VERSION1
        )
    except Re2Error as exc:
        raise ExpressionError(str(exc)) from exc
    except regex.error as exc:
        place = _place_by_regex(source)
        raise ExpressionError(exc.msg if place is None else place) from exc
    groups: Mapping[str, int] = program.groupindex
    whole = groups[WHOLE]
    return Expression(
        source=source,
        lane="regex",
        reason=reason,
        whole=whole,
        value=groups.get("value", whole),
        program=program,
    )


def _left_kind(source: str, boundary: Boundary) -> Boundary:
    value = max(source.find(name) for name in _VALUE)
    return "token" if value > 0 and boundary == "digits" else boundary


def _has_start(source: str) -> bool:
    """Tell whether a ``^`` stands outside classes in brackets."""
    return any(token == "^" for token, _ in tokens(source))


def _check_names(source: str) -> None:
    if f"<{WHOLE}>" in source:
        raise ExpressionError(f"a group may not be named {WHOLE!r}")
    if sum(source.count(name) for name in _VALUE) > 1:
        raise ExpressionError(
            "two groups are named 'value'; write an expression for each, or one group "
            "around both"
        )


def _unbalanced(source: str) -> bool:
    """Tell whether a ``)`` may close what the boundaries opened; escapes are not read."""
    depth = 0
    for char in source:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return True
    return False


def _check_size(program: Program) -> None:
    if program.size > MAX_PROGRAM:
        raise ExpressionError(
            f"too large: {program.size:,} instructions, {MAX_PROGRAM:,} are allowed; "
            "use smaller repetitions"
        )


def _check_without_look(source: str) -> None:
    """Refuse what is too large for RE2 even without lookaround: ``regex`` has no limit."""
    try:
        program = compile_re2(without_look(source))
    except Re2Error as exc:
        said = str(exc)
        if "repetition size" in said or "too large" in said:
            raise ExpressionError(said) from exc
        return
    _check_size(program)


def _what_is_wrong(source: str) -> str:
    """Give RE2's words for it, and the place in ``source`` where it can be told."""
    try:
        compile_re2(for_re2(source))
    except Re2Error as exc:
        said = str(exc)
    else:
        return "cannot be read together with its boundaries"
    what, _, part = said.partition(": ")
    if part and part != source and source.count(part) == 1:
        return f"{said} at position {source.index(part)}"
    place = _place_by_regex(source)
    return said if place is None else f"{what} {place[place.rindex('at position') :]}"


def _place_by_regex(source: str) -> str | None:
    """Give what ``regex`` says of a source that it refuses, with the place from 0."""
    regex: Any = importlib.import_module("regex")
    try:
        regex.compile(source, regex.VERSION1)
    except regex.error as exc:
        return f"{exc.msg} at position {exc.pos}"
    return None
