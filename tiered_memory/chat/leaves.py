"""The texts of a message, each with its place, and a message with other texts in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tiered_memory.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tiered_memory.model import Payload

__all__ = ["Leaf", "replace_leaves", "text_leaves"]

_STRUCTURE = frozenset({"role", "name", "tool_call_id", "id", "type"})
_BINARY = {
    "image_url": frozenset({"url", "detail"}),
    "input_audio": frozenset({"data", "format"}),
    "file": frozenset({"file_data", "file_id"}),
    "audio": frozenset({"id", "data", "expires_at"}),
}
"""Members that hold bytes, ids and addresses: no text that is read or masked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One text of a message.

    Attributes:
        part: dotted place: ``content``, ``content.2.text``, ``refusal``,
            ``tool_calls.0.arguments``, ``tool_calls.0.input``,
            ``function_call.arguments``; else the path in the payload, ``~`` and ``.``
            in its keys as ``~0`` and ``~1``.
        extra: a text under a key that is not the API's own (``reasoning_content`` …):
            to be masked like all others, but not what its sender said.
    """

    part: str
    text: str
    extra: bool = False


def text_leaves(payload: Payload) -> list[Leaf]:
    """Give every text of a message, in the payload's order.

    Not in it are role, name and ids, and the bytes and addresses of images, audio
    and files. Arguments are one leaf: their JSON text.
    """
    leaves: list[Leaf] = []

    def note(part: str, text: str, extra: bool) -> str:
        leaves.append(Leaf(part=part, text=text, extra=extra))
        return text

    _walk(payload, note)
    return leaves


def replace_leaves(payload: Payload, texts: Mapping[str, str]) -> Payload:
    """Give a new payload with other texts at the named parts; the rest is shared.

    Raises:
        MessageError: the payload has no such part.
    """
    left = set(texts)

    def put(part: str, text: str, extra: bool) -> str:
        left.discard(part)
        return texts.get(part, text)

    replaced = _walk(payload, put)
    if left:
        part = min(left)
        raise MessageError(f"the message has no text at {part}", field=part)
    return replaced


def _walk(payload: Payload, visit: Callable[[str, str, bool], str]) -> dict[str, Any]:
    """Rebuild a payload through ``visit(part, text, extra)``; what stays is shared."""
    out = dict(payload)
    for key, value in payload.items():
        if key == "content":
            out[key] = _walk_content(value, visit)
        elif key == "tool_calls" and isinstance(value, list):
            calls = enumerate(cast("list[dict[str, Any]]", value))
            out[key] = [_walk_call(call, f"{key}.{i}", visit) for i, call in calls]
        elif key == "function_call" and isinstance(value, dict):
            out[key] = _walk_function(
                cast("dict[str, Any]", value), key, "arguments", visit
            )
        elif key == "refusal" and isinstance(value, str):
            out[key] = visit(key, value, False)
        elif key not in _STRUCTURE:
            out[key] = _walk_extra(value, _step("", key), _BINARY.get(key), visit)
    return out


def _walk_content(content: object, visit: Callable[[str, str, bool], str]) -> object:
    if isinstance(content, str):
        return visit("content", content, False)
    if not isinstance(content, list):
        return content
    parts = cast("list[dict[str, Any]]", content)
    return [_walk_part(part, f"content.{i}", visit) for i, part in enumerate(parts)]


def _walk_part(
    part: dict[str, Any], place: str, visit: Callable[[str, str, bool], str]
) -> dict[str, Any]:
    out = dict(part)
    kind = part.get("type")
    for key, value in part.items():
        if key in _STRUCTURE:
            continue
        if key == kind and key in {"text", "refusal"}:
            out[key] = visit(f"{place}.{key}", value, False)
        else:
            out[key] = _walk_extra(value, _step(place, key), _BINARY.get(key), visit)
    return out


def _walk_call(
    call: dict[str, Any], place: str, visit: Callable[[str, str, bool], str]
) -> dict[str, Any]:
    custom = call.get("type") == "custom"
    kind, text = ("custom", "input") if custom else ("function", "arguments")
    out = dict(call)
    for key, value in call.items():
        if key == kind and isinstance(value, dict):
            function = cast("dict[str, Any]", value)
            out[key] = _walk_function(function, place, text, visit)
        elif key not in _STRUCTURE:
            out[key] = _walk_extra(value, _step(place, key), None, visit)
    return out


def _walk_function(
    function: dict[str, Any],
    place: str,
    text: str,
    visit: Callable[[str, str, bool], str],
) -> dict[str, Any]:
    out = dict(function)
    for key, value in function.items():
        if key == text and isinstance(value, str):
            out[key] = visit(f"{place}.{text}", value, False)
        elif key != "name":
            out[key] = _walk_extra(value, _step(place, key), None, visit)
    return out


def _walk_extra(
    value: object,
    place: str,
    hidden: frozenset[str] | None,
    visit: Callable[[str, str, bool], str],
) -> object:
    if isinstance(value, str):
        return value if hidden else visit(place, value, True)
    if isinstance(value, list):
        items = enumerate(cast("list[object]", value))
        return [_walk_extra(item, f"{place}.{i}", None, visit) for i, item in items]
    if isinstance(value, dict):
        members = cast("dict[str, object]", value).items()
        return {
            key: inner
            if key in _STRUCTURE or (hidden and key in hidden)
            else _walk_extra(inner, _step(place, key), None, visit)
            for key, inner in members
        }
    return value


def _step(place: str, key: str) -> str:
    name = key.replace("~", "~0").replace(".", "~1")
    return f"{place}.{name}" if place else name
