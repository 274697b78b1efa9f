"""Chat messages as applications hold them → plain dicts as the API takes them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from tiered_memory.chat.checks import check_calls, check_content, without_unset
from tiered_memory.chat.leaves import Leaf, replace_leaves, text_leaves
from tiered_memory.chat.plain import canonical_json, plain_value, refused

if TYPE_CHECKING:
    from tiered_memory.model import Payload

__all__ = [
    "ROLES",
    "Leaf",
    "canonical_json",
    "failed_result",
    "normalise",
    "plain_text",
    "replace_leaves",
    "text_leaves",
]

ROLES = ("system", "developer", "user", "assistant", "tool", "function")

_NULLABLE = frozenset({"content", "refusal", "audio", "function_call"})
"""Keys that the API takes as null; other keys of a message that are null go."""


def normalise(message: object, position: int = 0) -> Payload:
    """Give a message as the plain dict that is stored and sent.

    Takes a mapping or an object with ``model_dump()`` (the SDK's messages) and copies
    it deeply. Unknown keys are kept. Dropped are an empty ``tool_calls``, keys that are
    null where the API refuses null, and, of objects, whatever is unset or part of
    replies only. Lone surrogates become U+FFFD, arguments given as an object JSON text.

    Args:
        message: is not changed.
        position: its place in the caller's list, for errors.

    Raises:
        MessageError: naming position, field and what to do.
    """
    dump = getattr(message, "model_dump", None)
    given = dump() if callable(dump) else message
    plain = plain_value(given, position=position)
    if not isinstance(plain, dict):
        raise refused(position, "", "is no message: give a dict or an SDK message object")
    payload = cast("dict[str, Any]", plain)
    if callable(dump):
        payload = without_unset(payload)
    role = payload.get("role")
    if role not in ROLES:
        raise refused(position, "role", f"must be one of {', '.join(ROLES)}")
    for key in [k for k, v in payload.items() if v is None and k not in _NULLABLE]:
        del payload[key]
    if payload.get("tool_calls") == []:
        del payload["tool_calls"]
    check_content(payload, position)
    check_calls(payload, position)
    for key in ("name", "tool_call_id", "refusal"):
        if not isinstance(payload.get(key, ""), str | None):
            raise refused(position, key, "must be a string")
    return payload


def plain_text(payload: Payload) -> str:
    """Give what a message says as text, parts on lines of their own.

    Images, audio, files and unknown parts are shown as ``[image]`` …; a refusal is
    text; calls of tools are not in it. Empty where nothing is said.
    """
    content = payload.get("content")
    pieces: list[str] = []
    if isinstance(content, str):
        pieces.append(content)
    elif isinstance(content, list):
        pieces += [_part_text(part) for part in cast("list[dict[str, Any]]", content)]
    refusal = payload.get("refusal")
    if isinstance(refusal, str):
        pieces.append(refusal)
    audio = payload.get("audio")
    if isinstance(audio, dict):
        transcript = cast("dict[str, Any]", audio).get("transcript")
        pieces.append(transcript if isinstance(transcript, str) else "[audio]")
    return "\n".join(piece for piece in pieces if piece)


MAX_STATUS_CHARS = 65_536
"""Longer results are not parsed to see whether they failed."""

_FAILED = frozenset(
    {"error", "failed", "failure", "fail", "timeout", "失败", "错误", "异常", "超时"}
)
_FAILED_STARTS = (
    "error",
    "exception",
    "traceback",
    "failed",
    "fatal",
    "错误",
    "失败",
    "异常",
)


def failed_result(payload: Payload) -> bool:
    """Tell whether a tool's result says that the call failed.

    Read are ``is_error``, and in a JSON object ``error``/``errors``, ``ok``/``success``
    and ``status``; in other text its first word.
    """
    if payload.get("is_error") is True:
        return True
    text = plain_text(payload).strip()
    if text.startswith("{") and len(text) <= MAX_STATUS_CHARS:
        try:
            value: object = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            return _says_failed(cast("dict[str, object]", value))
    return text[:16].lower().startswith(_FAILED_STARTS)


def _says_failed(value: dict[str, object]) -> bool:
    if value.get("error") or value.get("errors") or value.get("is_error") is True:
        return True
    if value.get("ok") is False or value.get("success") is False:
        return True
    status = value.get("status")
    return isinstance(status, str) and status.strip().lower() in _FAILED


def _part_text(part: dict[str, Any]) -> str:
    kind = str(part.get("type"))
    if kind in {"text", "refusal"}:
        return str(part[kind])
    if kind == "file":
        file: object = part.get("file")
        name = (
            cast("dict[str, Any]", file).get("filename") if isinstance(file, dict) else None
        )
        return f"[file: {name}]" if isinstance(name, str) else "[file]"
    return {"image_url": "[image]", "input_audio": "[audio]"}.get(kind, f"[{kind}]")
