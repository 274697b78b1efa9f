"""What a normalised message may not be, and what an SDK's reply object leaves behind."""

from __future__ import annotations

from typing import Any, cast

from tiered_memory.chat.plain import canonical_json, refused

__all__ = ["check_calls", "check_content", "without_unset"]

_OUTPUT_ONLY = frozenset({"annotations", "parsed"})
"""Keys of the SDK's reply objects that are no part of a request's message."""


def without_unset(payload: dict[str, Any]) -> dict[str, Any]:
    """Leave out what an SDK's reply object holds but a request's message may not."""
    kept = cast("dict[str, Any]", _drop_none(payload))
    for key in _OUTPUT_ONLY & kept.keys():
        del kept[key]
    calls: object = kept.get("tool_calls")
    for call in cast("list[object]", calls) if isinstance(calls, list) else ():
        function = _member(call, "function")
        if isinstance(function, dict):
            cast("dict[str, Any]", function).pop("parsed_arguments", None)
    audio_id = _member(kept.get("audio"), "id")
    if audio_id is not None:
        kept["audio"] = {"id": audio_id}
    if payload.get("role") == "assistant":
        kept = {"role": "assistant", "content": kept.pop("content", None), **kept}
    return kept


def _member(value: object, key: str) -> object:
    return cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None


def _drop_none(value: object) -> object:
    if isinstance(value, dict):
        members = cast("dict[str, object]", value).items()
        return {key: _drop_none(inner) for key, inner in members if inner is not None}
    if isinstance(value, list):
        return [_drop_none(inner) for inner in cast("list[object]", value)]
    return value


def check_content(payload: dict[str, Any], position: int) -> None:
    """Refuse content that no request may hold; an assistant's empty list becomes ``""``.

    Raises:
        MessageError: naming position and field.
    """
    content: object = payload.get("content")
    assistant = payload["role"] == "assistant"
    if isinstance(content, str) or (content is None and assistant):
        return
    if content == [] and assistant:
        payload["content"] = ""
        return
    if not isinstance(content, list) or not content:
        raise refused(position, "content", "must be a string or a list of parts, not empty")
    for index, part in enumerate(cast("list[object]", content)):
        kind = cast("dict[str, Any]", part).get("type") if isinstance(part, dict) else None
        field = f"content.{index}"
        if not isinstance(kind, str):
            raise refused(position, field, 'must be an object with a "type"')
        if kind in {"text", "refusal"}:
            text = cast("dict[str, Any]", part).get(kind)
            if not isinstance(text, str):
                raise refused(position, f"{field}.{kind}", "must be a string")


def check_calls(payload: dict[str, Any], position: int) -> None:
    """Refuse broken calls; arguments given as an object become JSON text.

    Raises:
        MessageError: naming position and field.
    """
    if payload["role"] != "assistant":
        for key in ("tool_calls", "function_call"):
            if payload.get(key) is not None:
                raise refused(position, key, "belongs to an assistant message")
        return
    calls: object = payload.get("tool_calls", [])
    if not isinstance(calls, list):
        raise refused(position, "tool_calls", "must be a list")
    for index, call in enumerate(cast("list[object]", calls)):
        _check_call(call, position, f"tool_calls.{index}")
    legacy: object = payload.get("function_call")
    if legacy is not None:
        _check_function(legacy, position, "function_call", "arguments")


def _check_call(call: object, position: int, field: str) -> None:
    if not isinstance(call, dict):
        raise refused(position, field, "must be an object")
    members = cast("dict[str, Any]", call)
    if not isinstance(members.get("id"), str) or not members["id"]:
        raise refused(position, f"{field}.id", "must be a string that is not empty")
    custom = members.get("type") == "custom" or (
        "custom" in members and "function" not in members
    )
    members["type"] = "custom" if custom else "function"
    kind, text = ("custom", "input") if custom else ("function", "arguments")
    _check_function(members.get(kind), position, f"{field}.{kind}", text)


def _check_function(value: object, position: int, field: str, text: str) -> None:
    if not isinstance(value, dict):
        raise refused(position, field, "must be an object with a name")
    function = cast("dict[str, Any]", value)
    if not isinstance(function.get("name"), str) or not function["name"]:
        raise refused(position, f"{field}.name", "must be a string that is not empty")
    given: object = function.get(text)
    if given is None:
        function[text] = "{}" if text == "arguments" else ""
    elif isinstance(given, dict | list):
        function[text] = canonical_json(cast("object", given))
    elif not isinstance(given, str):
        raise refused(position, f"{field}.{text}", "must be a string of JSON")
    if text == "arguments":
        function[text] = _without_lone_escapes(function[text])


def _without_lone_escapes(text: str) -> str:
    """Put U+FFFD's escape for those of lone surrogates, which no UTF-8 holds once read."""
    if "\\ud" not in text and "\\uD" not in text:
        return text
    pieces: list[str] = []
    place = 0
    while place < len(text):
        if text[place] != "\\":
            end = text.find("\\", place)
            end = len(text) if end < 0 else end
            pieces.append(text[place:end])
            place = end
            continue
        size = 6 if text[place + 1 : place + 2] == "u" else 2
        escape = text[place : place + size]
        if _surrogate(escape, "89ab") and _surrogate(text[place + 6 : place + 12], "cdef"):
            size = 12
        elif _surrogate(escape, "89abcdef"):
            escape = "\\ufffd"
        pieces.append(text[place : place + 12] if size == 12 else escape)
        place += size
    return "".join(pieces)


def _surrogate(escape: str, third: str) -> bool:
    return (
        len(escape) == 6
        and escape[:2] == "\\u"
        and escape[2] in "dD"
        and escape[3].lower() in third
    )
