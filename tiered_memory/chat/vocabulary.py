"""Counters for an encoding: tiktoken with a vocabulary that is here, else an estimate."""

from __future__ import annotations

import base64
import gzip
import hashlib
import os
import tempfile
import threading
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from tiered_memory.chat.estimate import EstimatingCounter
from tiered_memory.chat.pieces import PieceCounter
from tiered_memory.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tiered_memory.ports import TokenCounter

__all__ = ["ENCODINGS", "NamedCounter", "load_counter"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedCounter:
    """A counter with the name that its counts are stored under.

    Attributes:
        exact: whether it is the encoding's own tokenizer.
        warning: what to tell the user once, or None.
    """

    name: str
    counter: TokenCounter
    exact: bool
    warning: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Encoding:
    """What tiktoken is made of: source of the ranks, their SHA-256, the splitter."""

    url: str
    sha256: str
    pattern: str
    han: float


_BASE = "https://openaipublic.blob.core.windows.net/encodings/"
_O200K = _Encoding(
    url=_BASE + "o200k_base.tiktoken",
    sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    pattern=(
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*"
        r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
        r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    han=1.1,
)
_CL100K = _Encoding(
    url=_BASE + "cl100k_base.tiktoken",
    sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    pattern=(
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+|"
        r" ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    han=1.7,
)
ENCODINGS: Mapping[str, _Encoding] = MappingProxyType(
    {"o200k_base": _O200K, "o200k_harmony": _O200K, "cl100k_base": _CL100K}
)
"""Source: tiktoken's ``openai_public``; ``o200k_harmony`` differs in special tokens only,
and text that spells one is plain text here."""

ESTIMATE = "estimate"
_LOADING = threading.Lock()


def load_counter(
    encoding: str, *, environ: Mapping[str, str] | None = None
) -> NamedCounter:
    """Give the counter for ``encoding``; reads files, takes about 0.4 s the first time.

    The vocabulary is taken from tiktoken's cache folder (``TIKTOKEN_CACHE_DIR``,
    ``DATA_GYM_CACHE_DIR``, else its default), else from the ``bpe-openai`` wheel;
    either must have the published SHA-256. Where neither is there the counter is an
    estimate, from above. Nothing is downloaded, no variable is changed. Safe to call
    from several threads; a vocabulary is loaded once in a process.

    Args:
        encoding: ``o200k_base``, ``o200k_harmony``, ``cl100k_base`` or ``estimate``.
        environ: where tiktoken's variables are looked up; the process's by default.

    Raises:
        SettingsError: there is no such encoding.
    """
    if encoding == ESTIMATE:
        return NamedCounter(
            name="estimate:o200k_base",
            counter=EstimatingCounter(han=_O200K.han),
            exact=False,
        )
    known = ENCODINGS.get(encoding)
    if known is None:
        raise SettingsError(
            f"there is no encoding {encoding!r}; known are "
            f"{', '.join((*ENCODINGS, ESTIMATE))}",
            field="models.encoding",
            value=encoding,
        )
    name = "o200k_base" if known is _O200K else encoding
    for source in (
        _cached(known, os.environ if environ is None else environ),
        _wheel(name),
    ):
        if source is None:
            continue
        with _LOADING:
            counter = _tokenizer(name, source)
        if counter is not None:
            return NamedCounter(name=name, counter=counter, exact=True)
    return NamedCounter(
        name=f"estimate:{name}",
        counter=EstimatingCounter(han=known.han),
        exact=False,
        warning=(
            f"no vocabulary for {name} is on this machine: tokens are estimated, from "
            "above; install tiered-memory[offline] or fill tiktoken's cache"
        ),
    )


def _cached(encoding: _Encoding, environ: Mapping[str, str]) -> Path | None:
    """Give tiktoken's own cached file: named by the SHA-1 of its address."""
    folder = environ.get("TIKTOKEN_CACHE_DIR", environ.get("DATA_GYM_CACHE_DIR"))
    if folder == "":
        return None
    root = Path(tempfile.gettempdir(), "data-gym-cache") if folder is None else Path(folder)
    name = hashlib.sha1(encoding.url.encode(), usedforsecurity=False).hexdigest()
    return root / name if (root / name).is_file() else None


def _wheel(name: str) -> Path | None:
    spec = find_spec("bpe_openai")
    for root in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(root, "data", f"{name}.tiktoken.gz")
        if file.is_file():
            return file
    return None


@lru_cache(maxsize=8)
def _tokenizer(name: str, source: Path) -> PieceCounter | None:
    """Make the tokenizer from a file; None where its bytes are not the published ones."""
    encoding = ENCODINGS[name]
    data = source.read_bytes()
    if source.suffix == ".gz":
        data = gzip.decompress(data)
    if hashlib.sha256(data).hexdigest() != encoding.sha256:
        return None
    import tiktoken

    lines = (line.split() for line in data.splitlines() if line)
    tokenizer = tiktoken.Encoding(
        name,
        pat_str=encoding.pattern,
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in lines},
        special_tokens={},
    )

    def count(text: str) -> int:
        return len(tokenizer.encode_ordinary(text))

    return PieceCounter(count)
