"""The recognizers' process, started by ``RecognizerProcess``.

Reads frames on standard input and answers on standard output. The first says which
recognizers to load (``ner``, the settings' part); each later one holds a ``language`` and
``texts``. It keeps nothing, opens no database, refuses the network, and ends when its
input does, also while it reads.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO

from tiered_memory.errors import SettingsError
from tiered_memory.facts.entity_frames import FrameError, read_frame, write_frame
from tiered_memory.facts.recognizers import installed
from tiered_memory.settings import NerSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tiered_memory.ports import EntityRecognizer

__all__ = ["main"]

_NETWORK = frozenset(
    f"socket.{call}"
    for call in (
        "bind", "connect", "getaddrinfo", "gethostbyaddr", "gethostbyname", "sendmsg", "sendto",
    )
)  # fmt: skip


def main() -> None:
    """Serve one engine until it closes the pipe."""
    requests, replies = _pipes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        hello = read_frame(requests)
    except FrameError:
        return
    sys.addaudithook(_refuse_network)
    waiting: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=_listen, args=(requests, waiting), daemon=True).start()
    try:
        loaded, missing = installed(NerSettings.model_validate(hello["ner"]))
    except SettingsError as exc:
        write_frame(replies, {"refused": str(exc), "facts": _plain(exc.facts)})
        return
    labels = {language: dict(names) for language, (_, names) in loaded.items()}
    recognizers = {language: found for language, (found, _) in loaded.items()}
    write_frame(replies, {"labels": labels, "missing": list(missing)})
    while True:
        write_frame(replies, _answer(waiting.get(), recognizers))


def _answer(
    request: Mapping[str, Any], recognizers: Mapping[str, EntityRecognizer]
) -> dict[str, Any]:
    """Give the entities, or the name of what was raised: its text may hold a customer's."""
    try:
        found = recognizers[request["language"]].entities(request["texts"])
        return {
            "entities": [
                [[e.start, e.end, e.label, float(e.score)] for e in entities]
                for entities in found
            ]
        }
    except Exception as exc:  # noqa: BLE001 (the recognizer's own; told to the engine)
        return {"failed": type(exc).__qualname__}


def _listen(requests: BinaryIO, waiting: SimpleQueue[dict[str, Any]]) -> None:
    """Take requests in; with the end of the pipe the process ends, whatever it does."""
    try:
        while True:
            waiting.put(read_frame(requests))
    except FrameError:
        os._exit(0)


def _pipes() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output over; what a recognizer prints goes nowhere."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return requests, replies


def _refuse_network(event: str, _: tuple[Any, ...]) -> None:
    if event in _NETWORK:
        raise PermissionError(
            "the recognizers' process has no network; use ner.mode = 'thread' for a "
            "recognizer that needs it"
        )


def _plain(facts: Mapping[str, object]) -> dict[str, str | None]:
    return {name: None if fact is None else str(fact) for name, fact in facts.items()}
