"""Masks what is no single text of a message but can hold a secret.

Keys, names, ids, links, the data of files, and what spans several content parts.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import TYPE_CHECKING, Any, cast

from tiered_memory.chat.messages import canonical_json, replace_leaves, text_leaves
from tiered_memory.chat.plain import well_formed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tiered_memory.model import Payload

__all__ = ["sealed", "spanned"]

API_KEYS = frozenset(
    {
        "role",
        "content",
        "name",
        "refusal",
        "tool_calls",
        "tool_call_id",
        "function_call",
        "audio",
    }
)
"""Keys of a request's message in OpenAI's reference; all others are the application's."""
IDS = frozenset({"name", "id", "tool_call_id", "file_id", "filename"})
LINKS = frozenset({"url", "detail"})
DATA = frozenset({"file_data", "data"})
"""Members that are to hold base64, and hold text where somebody put it there."""

JSON_TEXTS = frozenset({"arguments", "input"})

SHORT_DATA = 64
"""Characters up to which what could be base64 is taken for text, when it is none of text."""


def spanned(
    payload: Payload,
    *,
    mask_parts: Callable[[Sequence[str]], tuple[Sequence[str], Mapping[str, int]]],
) -> tuple[Payload, Mapping[str, int]]:
    """Give the payload without what spans its content parts, and how many were masked.

    Nothing is looked at where there are not two parts of text.
    """
    if not isinstance(payload.get("content"), list):
        return payload, {}
    leaves = [leaf for leaf in text_leaves(payload) if leaf.part.startswith("content.")]
    if len(leaves) < 2:
        return payload, {}
    texts, counts = mask_parts([leaf.text for leaf in leaves])
    if not counts:
        return payload, {}
    parts = {leaf.part: text for leaf, text in zip(leaves, texts, strict=True)}
    return replace_leaves(payload, parts), counts


def sealed(
    payload: Payload,
    *,
    mask: Callable[[str], tuple[str, Mapping[str, int]]],
    mask_json: Callable[[str], tuple[str, Mapping[str, int]]],
) -> tuple[Payload, dict[str, int]]:
    """Give the payload without secrets in its structure, and how many were masked.

    Looked at are members that are not the API's (whole, numbers and keys too), names
    and ids, links, files whose data is text, and the keys of arguments. An id is rewritten into
    letters, digits and ``_``, the same each time, so that a result still finds its
    call. One scan, and none for a plain message.
    """
    counts: dict[str, int] = {}
    out = dict(payload)
    extras = {key: value for key, value in payload.items() if key not in API_KEYS}
    if extras:
        text, found = mask_json(canonical_json(extras))
        if found:
            for key in extras:
                del out[key]
            out.update(json.loads(text))
            _add(counts, found)
    strings = list(dict.fromkeys(_structure(out)))
    if not strings:
        return (out if counts else payload), counts
    _, found = mask("\n".join(strings))
    if not found:
        return (out if counts else payload), counts
    return cast("dict[str, Any]", _rewritten(out, mask, counts)), counts


def _structure(value: object, key: str = "") -> Iterator[str]:
    """Give the strings of a payload that are structure, in order."""
    if isinstance(value, dict):
        for name, inner in cast("dict[str, object]", value).items():
            if name not in API_KEYS and not name.isidentifier():
                yield name
            yield from _structure(inner, name)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _structure(inner, key)
    elif isinstance(value, str):
        if key in JSON_TEXTS:
            yield from _keys(_parsed(value))
        elif _is_data(key, value):
            yield _data(value)[1]
        elif key in IDS or key in LINKS:
            yield value


def _is_data(key: str, text: str) -> bool:
    return key in DATA or (key in LINKS and text.startswith("data:"))


def _data(value: str) -> tuple[str, str, bool]:
    """Give what stands before the data, the text in it, and whether that was base64.

    The text is empty where the data is none.
    """
    head, body, encoded = "", value, True
    if value.startswith("data:"):
        head, comma, body = value.partition(",")
        head += comma
        encoded = ";base64" in head
    if not encoded:
        return head, body, False
    packed = "".join(body.split())
    try:
        data = base64.b64decode(packed, validate=True)
    except (binascii.Error, ValueError):
        return head, body, False
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\x00"
    if "\x00" not in text:
        return head, text, True
    return head, (body if len(body) <= SHORT_DATA else ""), False


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in cast("dict[str, object]", value).items():
            if not name.isidentifier():
                yield well_formed(name)
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _keys(inner)


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _rewritten(
    value: object,
    mask: Callable[[str], tuple[str, Mapping[str, int]]],
    counts: dict[str, int],
    key: str = "",
) -> object:
    """Give a copy in which every structural string is masked by itself."""

    def masked(text: str) -> str:
        hidden, found = mask(well_formed(text))
        _add(counts, found)
        return hidden

    if isinstance(value, dict):
        members = cast("dict[str, object]", value).items()
        return {
            name if name in API_KEYS or name.isidentifier() else masked(name): _rewritten(
                inner, mask, counts, name
            )
            for name, inner in members
        }
    if isinstance(value, list):
        items = cast("list[object]", value)
        return [_rewritten(inner, mask, counts, key) for inner in items]
    return _rewritten_text(value, mask, counts, key) if isinstance(value, str) else value


def _rewritten_text(
    text: str,
    mask: Callable[[str], tuple[str, Mapping[str, int]]],
    counts: dict[str, int],
    key: str,
) -> str:
    if key in JSON_TEXTS:
        parsed = _parsed(text)
        if not any(mask(name)[1] for name in _keys(parsed)):
            return text
        return well_formed(canonical_json(_rewritten(parsed, mask, counts)))
    head, body, encoded = _data(text) if _is_data(key, text) else ("", text, False)
    if not head and not encoded and key not in (IDS | LINKS | DATA):
        return text
    hidden, found = mask(body)
    if not found:
        return text
    _add(counts, found)
    if encoded:
        return head + base64.b64encode(hidden.encode()).decode()
    if key not in IDS:
        return head + hidden
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in hidden)


def _add(counts: dict[str, int], more: Mapping[str, int]) -> None:
    for kind, count in more.items():
        counts[kind] = counts.get(kind, 0) + count
