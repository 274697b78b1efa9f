"""What a pattern pack may say: the schema of a pack's YAML."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

__all__ = [
    "Boundary",
    "ContextSpec",
    "Example",
    "Examples",
    "MaskSpec",
    "PackSpec",
    "PatternSpec",
    "SlotSpec",
]

Boundary = Literal["token", "digits", "loose"]
Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Word = Annotated[str, Field(min_length=1)]
Key = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]{0,63}$")]
"""May stand in a reference, ``[[order_id:3]]``."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _as_tuple(value: object) -> object:
    if isinstance(value, str):
        return (value,)
    return tuple(cast("list[object]", value)) if isinstance(value, list) else value


Words = Annotated[tuple[Word, ...], BeforeValidator(_as_tuple)]


class ContextSpec(_Part):
    """Words that announce a value within ``window`` characters of it.

    ``required`` drops a match without one; ``to_store`` keeps it, told in passing: it is
    reported and never stored. ``clause`` ends the window at punctuation. ``boost`` is
    added to the score (0.35 as in Presidio's context enhancer). A word of ``unless`` within the
    window, on either side, drops the match.
    """

    words: Words = Field(min_length=1)
    unless: Words = ()
    window: Annotated[int, Field(ge=1, le=400)] = 12
    side: Literal["left", "right", "both"] = "left"
    required: bool = False
    to_store: bool = False
    clause: bool = False
    boost: Score = 0.35


class MaskSpec(_Part):
    """How many characters of a masked value stay readable."""

    keep_last: Annotated[int, Field(ge=0, le=8)] = 0


class SlotSpec(_Part):
    """Words of a question that asks for this type, and what a bare answer looks like."""

    cues: Words = Field(min_length=1)
    bare: Word | None = None


class Example(_Part):
    """A text, after ``question`` where there is one, and the values found in it."""

    text: str
    question: str | None = None
    values: Words = ()


def _example(text: object, given: object) -> object:
    if isinstance(given, dict):
        inner = dict(cast("dict[str, object]", given))
        inner.setdefault("text", text)
        if "value" in inner and "values" not in inner:
            inner["values"] = inner.pop("value")
        return inner
    return {"text": text, "values": given}


def _matches(value: object) -> object:
    if isinstance(value, dict):
        given = cast("dict[object, object]", value)
        return tuple(_example(text, item) for text, item in given.items())
    if isinstance(value, list):
        return tuple(_example(None, item) for item in cast("list[object]", value))
    return value


def _texts(value: object) -> object:
    if isinstance(value, list):
        items = cast("list[object]", value)
        return tuple({"text": item} if isinstance(item, str) else item for item in items)
    return value


class Examples(_Part):
    """Texts that run whenever the pack is loaded.

    ``match`` is ``text: value``, ``text: [values]``, ``text: {question, value}`` or a list
    of ``{text, question, value}``; ``no_match`` a list of texts or ``{text, question}``.
    """

    match: Annotated[tuple[Example, ...], BeforeValidator(_matches)] = ()
    no_match: Annotated[tuple[Example, ...], BeforeValidator(_texts)] = ()


class PatternSpec(_Part):
    """One pattern; see the guide to pattern packs for what each key means."""

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$")]
    type: Key
    key: Key | None = None
    languages: Words = ("zh", "en")
    enabled: bool = True
    priority: Annotated[int, Field(ge=0, le=100)] = 50
    regex: Words = Field(min_length=1)
    boundary: Boundary = "token"
    ignore_case: bool = True
    context: ContextSpec | None = None
    score: Score = 0.6
    threshold: Score = 0.5
    reader: Word | None = None
    validator: Word | None = None
    normalize: Word = "none"
    cardinality: Literal["one", "many"] = "one"
    sensitivity: Literal["store", "pseudonym", "mask", "drop"] = "store"
    mask: MaskSpec = MaskSpec()
    identifier: bool = False
    slot: SlotSpec | None = None
    in_url: bool = False
    deny: Words = ()
    examples: Examples = Examples()
    override: bool = False

    @property
    def fact_key(self) -> str:
        """What the fact is stored under."""
        return self.key or self.type

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if "mask" in self.model_fields_set and self.sensitivity in {"pseudonym", "drop"}:
            raise ValueError(f"mask has no meaning where sensitivity is {self.sensitivity}")
        if self.validator == "none":
            raise ValueError("leave validator out instead of none")
        return self


class PackSpec(_Part):
    """A whole pack."""

    version: Literal[1]
    patterns: Annotated[tuple[dict[str, Any], ...], BeforeValidator(_as_tuple)] = ()
