"""What the customer asks to remember: ``记住…``, ``please remember that …``; a rule, no model."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from tiered_memory.facts import note_words as words
from tiered_memory.facts.choosing import touches
from tiered_memory.facts.re2_engine import compile_re2
from tiered_memory.facts.spoken_forms import text as plain_form
from tiered_memory.model import Candidate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from tiered_memory.facts.context import Surroundings
    from tiered_memory.facts.lanes import TextView
    from tiered_memory.facts.re2_engine import Found, Program
    from tiered_memory.model import Polarity
    from tiered_memory.text.folding import Folded

__all__ = ["NOTE", "NoteReader", "note_key", "tells_secret"]

NOTE = "note"
"""Type of what is remembered, and key of what has no name; ``note.<name>`` with one."""

NAME_CHARS = 32
VALUE_CHARS = 120
SHORT_VALUE_CHARS = 40
"""Of a value after a mere ``is``: a longer one is a statement, not a name's value."""
CONFIDENCE = 0.9
PATTERN = "note.remember"
MOST = 10
MOST_CUES = 50
REACH = 3 * VALUE_CHARS
"""How many notes a text gives, how many cues of it are looked at, and how far behind each."""

_ENDS = "。！？!?\n"
_QUOTES = " \t\"'“”‘’「」『』《》"


def note_key(name: str) -> str | None:
    """Give ``note.<name>``: Latin in lower case with ``_`` for spaces, Han as written.

    None where the name is empty, longer than 32 characters, or holds anything else.
    """
    plain = "_".join(name.lower().replace("-", " ").split())
    if not 1 <= len(plain) <= NAME_CHARS or not all(map(_names, plain)):
        return None
    return f"{NOTE}.{plain}"


def tells_secret(name: str) -> bool:
    """Tell whether a note of that name would be a password or a code."""
    plain = f" {name.lower().replace('_', ' ').replace('-', ' ')} "
    return any(
        f" {word} " in plain if word.isascii() else word in plain
        for word in words.SECRET_NAMES
    )


def _names(char: str) -> bool:
    ascii_name = char.isascii() and (char.isalnum() or char == "_")
    return ascii_name or "㐀" <= char <= "鿿"


@dataclass(frozen=True, slots=True)
class _Cue:
    """A request to remember; ``end`` is where what it asks for begins.

    ``own``: it is one only before what the customer tells of himself.
    """

    start: int
    end: int
    joint: str
    polite: bool
    takes_back: bool
    zh: bool
    own: bool


class _Cues:
    """An expression with the numbers of its groups."""

    def __init__(self, source: str, *, zh: bool) -> None:
        self._program = compile_re2(source)
        self._groups = dict(self._program.groupindex)
        self._zh = zh

    def read(self, text: str) -> Iterator[_Cue]:
        """Give the cues of ``text``, left to right."""
        for found in self._program.finditer(text):
            spans = {name: found.span(group) for name, group in self._groups.items()}
            start, end = spans["joint"]
            yield _Cue(
                start=spans["cue"][0],
                end=end,
                joint=text[start:end].strip(),
                polite=spans["polite"][0] >= 0,
                takes_back=spans["no"][0] >= 0,
                zh=self._zh,
                own=spans.get("own", (-1, -1))[0] >= 0,
            )


@dataclass(frozen=True, slots=True)
class _Clause:
    """What follows a cue: half-open spans in the folded text."""

    cue: int
    start: int
    end: int
    polarity: Polarity


@dataclass(frozen=True, slots=True)
class _Note:
    name: str
    start: int
    end: int


class NoteReader:
    """Reads requests to remember from a user's text; holds only compiled expressions."""

    def __init__(self) -> None:
        self._cues = (_Cues(words.CUE_EN, zh=False), _Cues(words.CUE_ZH, zh=True))
        self._named = tuple(map(_Named, (words.NAMED_EN, words.NAMED_ZH)))
        self._own = compile_re2(words.OWN_EN)
        self._thing = compile_re2(words.THING)
        self._asks_what = compile_re2(words.ASKS_WHAT)
        self._courtesy = compile_re2(words.COURTESY)
        self._other_clause = compile_re2(words.OTHER_CLAUSE)
        self._same = (compile_re2(words.SAME_EN), compile_re2(words.SAME_ZH))

    def read(
        self,
        folded: Folded,
        view: TextView,
        around: Surroundings,
        *,
        known: Sequence[Candidate],
        blocked: Collection[tuple[int, int]],
        part: str,
        index: int,
    ) -> list[Candidate]:
        """Give the notes in a text, left to right, at most ten.

        ``my project is called Phoenix`` gives its value under ``note.project``; a clause
        without a name is kept whole under ``note``, up to 120 characters. Nothing is
        noted that holds a masked value (``blocked``, in the folded text), that a fact of
        ``known`` says already, or that is asked, supposed or quoted.
        """
        if not any(hint in view.lower for hint in words.HINTS):
            return []
        notes: list[Candidate] = []
        masked = sorted(blocked)
        for clause in self._clauses(view.text):
            standing = around.standing(clause.cue, clause.end, type_name=NOTE, one=False)
            if standing.quoted or standing.reason in {"example", "supposed", "cited"}:
                continue
            if touches(masked, clause.start, clause.end):
                continue
            note = self._note(view.text, clause)
            if tells_secret(note.name) or self._said(folded, clause, note, known):
                continue
            notes.append(_candidate(folded, note, clause.polarity, part=part, index=index))
        return notes[:MOST]

    def _clauses(self, text: str) -> Iterator[_Clause]:
        for cues in self._cues:
            done = 0
            for cue in islice(cues.read(text), MOST_CUES):
                clause = self._clause(text, cue) if cue.start >= done else None
                if clause is not None:
                    done = clause.end
                    yield clause

    def _clause(self, text: str, cue: _Cue) -> _Clause | None:
        """Give the clause behind a cue, without courtesies; None where none is told."""
        start = stop = cue.end
        limit = min(len(text), start + REACH)
        while stop < limit and not _ends(text, stop):
            stop += 1
        said = text[start:stop]
        asked = text[stop : stop + 1] == "?" or said.rstrip(" 了").endswith(("吗", "么"))
        if asked and not cue.polite:
            return None
        found = self._courtesy.search(said)
        while found is not None:
            said = said[: found.start()]
            found = self._courtesy.search(said)
        said = _shortened(said.rstrip(" ,;、").removesuffix("吗"))
        start += len(said) - len(said.lstrip())
        said = said.strip()
        if not self._told(said, cue):
            return None
        return _Clause(
            cue=cue.start,
            start=start,
            end=start + len(said),
            polarity="negate" if cue.takes_back else "assert",
        )

    def _told(self, said: str, cue: _Cue) -> bool:
        """Tell whether ``said`` is a statement, and one to be remembered."""
        if len(said) < (2 if cue.zh else 4) or self._asks_what.search(said) is not None:
            return False
        if cue.zh:
            return not cue.own or said.startswith(("我", "本人", "咱"))
        joint = cue.joint
        if joint.lower().lstrip(", ").startswith("that"):
            return " " in said and self._thing.search(said) is None
        if joint.startswith((":", "-")):
            return True
        return self._own.search(said) is not None

    def _note(self, text: str, clause: _Clause) -> _Note:
        said = text[clause.start : clause.end]
        for named in self._named:
            found = named.read(said, self._other_clause)
            if found is not None:
                name, start, end = found
                return _Note(name, clause.start + start, clause.start + end)
        return _Note("", clause.start, clause.end)

    def _said(
        self, folded: Folded, clause: _Clause, note: _Note, known: Iterable[Candidate]
    ) -> bool:
        """Tell whether a fact says already what the note would."""
        for fact in known:
            start, end = folded.folded_span(fact.start, fact.end)
            if not clause.start <= start < clause.end:
                continue
            if note.name:
                if fact.type != "preference" and start <= note.start and end >= note.end:
                    return True
                continue
            if end < clause.end:
                continue
            before = folded.text[clause.start : start]
            if not before or any(same.search(before) for same in self._same):
                return True
        return False


class _Named:
    """``my project is called Phoenix`` and ``我的项目叫凤凰``: a name and its value."""

    def __init__(self, source: str) -> None:
        self._program: Program = compile_re2(source)
        groups = self._program.groupindex
        self._name, self._value = groups["name"], groups["value"]
        self._plain, self._of = groups["plain"], groups.get("of", 0)

    def read(self, said: str, other_clause: Program) -> tuple[str, int, int] | None:
        """Give name and span of its value in ``said``; None where it has no name."""
        found = self._program.search(said)
        if found is None:
            return None
        name = said[slice(*found.span(self._name))]
        start, end = found.span(self._value)
        plain = found.span(self._plain)[0] >= 0
        for place in range(start, end):
            if said[place] in ",;，；、":
                if plain:
                    return None
                end = place
                break
        other = other_clause.search(said[start:end])
        if other is not None:
            if plain:
                return None
            end = start + other.start()
        while start < end and said[start] in _QUOTES:
            start += 1
        while end > start and said[end - 1] in _QUOTES + ".":
            end -= 1
        if not self._sound(said, name, said[start:end], plain=plain, found=found):
            return None
        return name, start, end

    def _sound(
        self, said: str, name: str, value: str, *, plain: bool, found: Found
    ) -> bool:
        if not value or note_key(name) is None or name in words.NO_NAME:
            return False
        if self._of:
            of = said[slice(*found.span(self._of))] if found.span(self._of)[0] >= 0 else ""
            if any(char in words.VERBS_ZH for char in name) or value.startswith(
                words.CALLING_ZH
            ):
                return False
            if plain and not of.endswith("的"):
                return False
        elif plain and said[:4].lower() == "the ":
            return False
        if value.lower().startswith(words.CLAUSAL):
            return False
        return not plain or len(value) <= SHORT_VALUE_CHARS


def _ends(text: str, place: int) -> bool:
    if text[place] in _ENDS:
        return True
    return text[place] == "." and text[place + 1 : place + 2] in {" ", "", "\n"}


def _shortened(said: str) -> str:
    """Cut a clause that is too long where another begins; nothing is left without one."""
    if len(said) <= VALUE_CHARS:
        return said
    cut = max(said.rfind(mark, 0, VALUE_CHARS + 1) for mark in ",;，；")
    return said[:cut] if cut > 0 else ""


def _candidate(
    folded: Folded, note: _Note, polarity: Polarity, *, part: str, index: int
) -> Candidate:
    start, end = folded.raw_span(note.start, note.end)
    value = folded.text[note.start : note.end]
    key = note_key(note.name) if note.name else NOTE
    return Candidate(
        type=NOTE,
        key=key or NOTE,
        value=folded.raw[start:end],
        normalized=plain_form(value) or value,
        part=part,
        start=start,
        end=end,
        index=index,
        confidence=CONFIDENCE,
        pattern=PATTERN,
        polarity=polarity,
        cardinality="one" if note.name else "many",
        identifier=False,
        why={"note": "asked"},
    )
