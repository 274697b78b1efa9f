"""Frames between the engine and its recognizers' process: a length, then JSON.

Four bytes, big-endian, then so many bytes of JSON in ASCII, so that any ``str`` passes.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO

__all__ = ["FrameError", "read_frame", "write_frame"]

MAX_BYTES = 256 << 20
"""A longer frame is damage: a batch holds far less."""

_LENGTH = struct.Struct(">I")


class FrameError(Exception):
    """The other end is gone, or what it sent is no frame."""


def write_frame(stream: BinaryIO, value: Mapping[str, Any]) -> None:
    """Send ``value``; blocks until the other end has room.

    Raises:
        FrameError: the other end is gone.
    """
    body = json.dumps(value).encode("ascii")
    try:
        stream.write(_LENGTH.pack(len(body)) + body)
        stream.flush()
    except (OSError, ValueError) as exc:
        raise FrameError("the pipe is closed") from exc


def read_frame(stream: BinaryIO) -> dict[str, Any]:
    """Receive a value; blocks until one is there.

    Raises:
        FrameError: the other end is gone, or sent no JSON object.
    """
    (size,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    if size > MAX_BYTES:
        raise FrameError("a frame is too long")
    try:
        value: object = json.loads(_exactly(stream, size))
    except ValueError as exc:
        raise FrameError("a frame holds no JSON") from exc
    if not isinstance(value, dict):
        raise FrameError("a frame holds no object")
    return cast("dict[str, Any]", value)


def _exactly(stream: BinaryIO, size: int) -> bytes:
    try:
        data = stream.read(size)
    except (OSError, ValueError) as exc:
        raise FrameError("the pipe is closed") from exc
    if len(data) < size:
        raise FrameError("the pipe is closed")
    return data
