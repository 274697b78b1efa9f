"""Masks what is no text of a message but can hold a secret: keys, names, ids, links."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from tiered_memory.chat.messages import canonical_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tiered_memory.model import Payload

__all__ = ["sealed"]

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
JSON_TEXTS = frozenset({"arguments", "input"})


def sealed(
    payload: Payload,
    *,
    mask: Callable[[str], tuple[str, Mapping[str, int]]],
    mask_json: Callable[[str], tuple[str, Mapping[str, int]]],
) -> tuple[Payload, dict[str, int]]:
    """Give the payload without secrets in its structure, and how many were masked.

    Looked at are members that are not the API's (whole, numbers and keys too), names
    and ids, links that are no data, and the keys of arguments. An id is rewritten into
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
        elif _is_structure(key, value):
            yield value


def _is_structure(key: str, text: str) -> bool:
    return key in IDS or (key in LINKS and not text.startswith("data:"))


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in cast("dict[str, object]", value).items():
            if not name.isidentifier():
                yield name
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
        hidden, found = mask(text)
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
    if not isinstance(value, str):
        return value
    if key in JSON_TEXTS:
        parsed = _parsed(value)
        if not any(mask(name)[1] for name in _keys(parsed)):
            return value
        return canonical_json(_rewritten(parsed, mask, counts))
    if not _is_structure(key, value):
        return value
    hidden = masked(value)
    if hidden == value or key not in IDS:
        return hidden
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in hidden)


def _add(counts: dict[str, int], more: Mapping[str, int]) -> None:
    for kind, count in more.items():
        counts[kind] = counts.get(kind, 0) + count
