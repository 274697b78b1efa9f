"""Recognizers that a settings file names as ``tests.recognizer_factories:…``.

They run in the engine's process or in a child of it, and tell of themselves by files in the
folder ``$TIERED_TEST_FOLDER``.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Sequence
from pathlib import Path

from tiered_memory import Entity
from tiered_memory.testing import TableRecognizer

TABLE = {"杭州": "LOC", "周雨桐": "PER", "苏州": "LOC"}


def mark(name: str) -> Path:
    return Path(os.environ["TIERED_TEST_FOLDER"]) / name


def table() -> TableRecognizer:
    return TableRecognizer(TABLE)


class _DiesOnce(TableRecognizer):
    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        if not mark("died").exists():
            mark("died").touch()
            os._exit(7)
        return super().entities(texts)


def dies_once() -> TableRecognizer:
    return _DiesOnce(TABLE)


class _DiesOf(TableRecognizer):
    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        if any("poison" in text for text in texts):
            os._exit(7)
        return super().entities(texts)


def dies_of_poison() -> TableRecognizer:
    return _DiesOf(TABLE)


class _Hangs(TableRecognizer):
    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        if any("poison" in text for text in texts):
            mark("hangs").touch()
            while True:
                time.sleep(0.01)
        return super().entities(texts)


def hangs_on_poison() -> TableRecognizer:
    return _Hangs(TABLE)


class _Raises(TableRecognizer):
    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        if any("poison" in text for text in texts):
            raise RuntimeError(texts[0])
        return super().entities(texts)


def raises_on_poison() -> TableRecognizer:
    return _Raises(TABLE)


class _Connects(TableRecognizer):
    """Labels its words only where the network is refused."""

    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        try:
            with socket.socket() as client:
                client.connect(("127.0.0.1", 9))
        except PermissionError:
            return super().entities(texts)
        except OSError:
            pass
        return [[] for _ in texts]


def connects() -> TableRecognizer:
    return _Connects(TABLE)


class _Prints(TableRecognizer):
    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        print("noise", flush=True)
        os.write(1, b"noise")
        return super().entities(texts)


def prints() -> TableRecognizer:
    return _Prints(TABLE)


def broken() -> TableRecognizer:
    raise AttributeError("no model")
