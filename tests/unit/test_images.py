from __future__ import annotations

import base64
import struct

import pytest

from tiered_memory.chat.images import MediaRule, image_size


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\rIHDR" + struct.pack(">II", width, height)


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height)


def jpeg(width: int, height: int) -> bytes:
    preview = b"\xff\xe1" + struct.pack(">H", 60_002) + b"\x00" * 60_000
    frame = b"\xff\xc2\x00\x11\x08" + struct.pack(">HH", height, width)
    return b"\xff\xd8" + preview + b"\xff\xff" + frame[1:] + b"\x03"


def webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF\x00\x00\x00\x00WEBP" + kind + b"\x00\x00\x00\x00" + body + b"\x00" * 12


def url(data: bytes, kind: str = "png") -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data + b'rest of it').decode()}"


@pytest.mark.parametrize(
    ("data", "size"),
    [
        pytest.param(png(640, 480), (640, 480), id="png"),
        pytest.param(gif(31, 17), (31, 17), id="gif"),
        pytest.param(jpeg(4000, 3000), (4000, 3000), id="jpeg behind a preview"),
        pytest.param(
            webp(b"VP8X", b"\x00" * 4 + b"\x8f\x01\x00" + b"\x2b\x01\x00"),
            (400, 300),
            id="webp extended",
        ),
        pytest.param(
            webp(b"VP8L", b"\x2f" + struct.pack("<I", 99 | 49 << 14)),
            (100, 50),
            id="webp lossless",
        ),
        pytest.param(
            webp(b"VP8 ", b"\x00" * 6 + struct.pack("<HH", 176, 144)), (176, 144), id="webp"
        ),
    ],
)
def test_an_images_size_is_read_from_its_header(data: bytes, size: tuple[int, int]) -> None:
    assert image_size(url(data)) == size


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/a.png",
        "data:image/png;base64,",
        "data:image/png;base64,%%%%",
        "data:image/svg+xml;utf8,<svg/>",
        url(b"\xff\xd8\xff\xe0\x00\x02"),
        url(png(0, 10)),
        url(b"BM unknown"),
        "",
    ],
)
def test_what_has_no_readable_size_has_none(address: str) -> None:
    assert image_size(address) is None


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        (1024, 1024, 765),
        (2048, 4096, 1105),
        (512, 512, 255),
        (513, 10, 425),
        (1, 1, 255),
        (4096, 1536, 1445),
        (100_000, 10, 765),
    ],
)
def test_pixels_cost_what_the_published_rule_says(
    width: int, height: int, tokens: int
) -> None:
    assert MediaRule().pixels(width, height) == tokens


def test_no_size_costs_more_than_an_unknown_one() -> None:
    rule = MediaRule()
    sizes = (1, 300, 512, 768, 769, 1536, 2048, 5464, 9000, 100_000)
    assert max(rule.pixels(w, h) for w in sizes for h in sizes) <= rule.unknown


def test_low_detail_costs_the_base_whatever_the_size() -> None:
    part = {
        "type": "image_url",
        "image_url": {"url": url(png(4000, 4000)), "detail": "low"},
    }
    assert MediaRule().image(part) == 85


def test_audio_costs_by_its_length() -> None:
    header = b"RIFF\x00\x00\x00\x00WAVEfmt " + struct.pack("<IHHII", 16, 1, 1, 8000, 16_000)
    wav = base64.b64encode(header + b"\x00" * 160_000).decode()
    mp3 = base64.b64encode(b"\xff\xfb" + b"\x00" * 40_000).decode()
    rule = MediaRule()
    assert rule.audio({"input_audio": {"data": wav, "format": "wav"}}) == 110
    assert rule.audio({"input_audio": {"data": mp3, "format": "mp3"}}) == 110


def test_files_cost_by_their_size() -> None:
    rule = MediaRule()
    data = "data:application/pdf;base64," + "A" * 160_000
    assert rule.file({"file": {"file_data": data}}) == 3 * rule.page
    assert rule.file({"file": {"file_id": "f-1"}}) == rule.unknown_file
