"""What images, audio and files cost in a prompt; their bytes are never tokenised."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MediaRule", "image_size"]

HEADER_CHARS = 349_528
"""Base64 of 256 KiB: a JPEG's size stands behind its embedded preview."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaRule:
    """Tokens of parts that are no text; all can be set otherwise.

    Images, OpenAI's documented rule: ``low`` detail costs ``base``; other detail is
    scaled down into 2,048 × 2,048, then to a shorter side of 768, and costs ``base``
    and ``tile`` for each 512 × 512 begun. ``unknown`` is the most that this gives.

    Audio: ten tokens a second (OpenAI's documented rate), the length from a WAV
    header, else from the size at 4,000 bytes a second (32 kbit/s: the longest that
    speech codecs in use make of it). A reply's own audio, sent back by its id, is taken
    for half a minute at the documented 20 tokens a second.

    Files: no rule is published; ``page`` (its text and its image) for each 50,000
    bytes begun, ``unknown_file`` where only an id is given.
    """

    base: int = 85
    tile: int = 170
    unknown: int = 1_445
    audio_per_second: int = 10
    reply_audio: int = 600
    page: int = 2_000
    unknown_file: int = 4_000

    def image(self, part: Mapping[str, Any]) -> int:
        """Give the cost of an ``image_url`` part."""
        image: object = part.get("image_url")
        url = image
        if isinstance(image, dict):
            members = cast("dict[str, object]", image)
            if members.get("detail") == "low":
                return self.base
            url = members.get("url")
        size = image_size(url) if isinstance(url, str) else None
        return self.unknown if size is None else self.pixels(*size)

    def pixels(self, width: int, height: int) -> int:
        """Give the cost of an image of high detail by its size in pixels."""
        scale = min(1.0, 2048 / max(width, height))
        scale = min(scale, 768 / min(width, height))
        across = -(-_scaled(width, scale) // 512)
        down = -(-_scaled(height, scale) // 512)
        return self.base + self.tile * across * down

    def audio(self, part: Mapping[str, Any]) -> int:
        """Give the cost of an ``input_audio`` part."""
        audio: object = part.get("input_audio")
        data = (
            cast("Mapping[str, Any]", audio).get("data") if isinstance(audio, dict) else ""
        )
        if not isinstance(data, str):
            return self.audio_per_second
        size = len(data) * 3 // 4
        rate = _wav_rate(_decoded(data[:64])) or 4_000
        return self.audio_per_second * (size // rate + 1)

    def file(self, part: Mapping[str, Any]) -> int:
        """Give the cost of a ``file`` part."""
        file: object = part.get("file")
        data = (
            cast("Mapping[str, Any]", file).get("file_data")
            if isinstance(file, dict)
            else ""
        )
        if not isinstance(data, str) or not data:
            return self.unknown_file
        return self.page * (len(data) * 3 // 4 // 50_000 + 1)


def image_size(url: str) -> tuple[int, int] | None:
    """Give width and height of a base64 data URL's PNG, JPEG, GIF or WEBP.

    None for other addresses and formats and for broken ones. Reads the first 256 KiB.
    """
    if not url.startswith("data:"):
        return None
    comma = url.find(",", 0, 256)
    if comma < 0 or not url[:comma].endswith(";base64"):
        return None
    data = _decoded(url[comma + 1 : comma + 1 + HEADER_CHARS])
    size = _png(data) or _gif(data) or _webp(data) or _jpeg(data)
    return size if size and min(size) > 0 else None


def _scaled(pixels: int, scale: float) -> int:
    # Rounded up by at most a pixel: 512.0000001 from a float is not a tile more.
    return max(1, int(pixels * scale + 0.999) if scale < 1 else pixels)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text[: len(text) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def _wav_rate(data: bytes) -> int:
    """Give bytes a second from a canonical WAV header (RIFF, ``fmt `` first); else 0."""
    if data[:4] != b"RIFF" or data[8:16] != b"WAVEfmt " or len(data) < 32:
        return 0
    return int.from_bytes(data[28:32], "little")


def _png(data: bytes) -> tuple[int, int] | None:
    if data[:8] != b"\x89PNG\r\n\x1a\n" or len(data) < 24:
        return None
    return (int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"))


def _gif(data: bytes) -> tuple[int, int] | None:
    if data[:6] not in (b"GIF87a", b"GIF89a") or len(data) < 10:
        return None
    return (int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little"))


def _webp(data: bytes) -> tuple[int, int] | None:
    """Read the three bitstream headers of RFC 9649."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP" or len(data) < 30:
        return None
    kind = data[12:16]
    if kind == b"VP8X":
        return (
            int.from_bytes(data[24:27], "little") + 1,
            int.from_bytes(data[27:30], "little") + 1,
        )
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if kind == b"VP8 ":
        return (
            int.from_bytes(data[26:28], "little") & 0x3FFF,
            int.from_bytes(data[28:30], "little") & 0x3FFF,
        )
    return None


_JPEG_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})


def _jpeg(data: bytes) -> tuple[int, int] | None:
    """Walk the marker segments of ITU-T T.81 to the frame header."""
    if data[:2] != b"\xff\xd8":
        return None
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if marker == 0xFF:
            place += 1
        elif marker in _JPEG_FRAMES:
            return (
                int.from_bytes(data[place + 7 : place + 9], "big"),
                int.from_bytes(data[place + 5 : place + 7], "big"),
            )
        else:
            place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return None
