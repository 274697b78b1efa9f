"""Recognizers in a process of their own, so that their work takes nothing from the loop's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tiered_memory.errors import RecognizerError, SettingsError
from tiered_memory.facts.entity_frames import FrameError, read_frame, write_frame
from tiered_memory.ports import Entity

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import BinaryIO

    from tiered_memory.ports import EntityRecognizer
    from tiered_memory.settings import NerSettings

__all__ = ["RecognizerProcess"]

START_S = 120.0
"""Models load in 1 to 4 s on a free machine; a child that takes longer than this is killed."""
TRIES = 3
"""A batch is given to so many children, should they die over it."""
BACK_OFF_S = 0.1
"""Wait before a new child; twice as long after each death in a row."""
LONGEST_BACK_OFF_S = 30.0

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from tiered_memory.facts.entity_child import main; main()"
)
"""Finds modules where the host does, be it a script, ``-c`` or a notebook; runs no main."""


class RecognizerProcess:
    """A child process that holds the recognizers of ``settings.ner``.

    One caller at a time asks, in a thread; ``interrupt`` and ``close`` come from any. The
    child is a fresh interpreter (``python -c``), so the host's main module is not run again
    and nothing of the host's memory or open files is in it. A child that died is replaced
    and asked again; ``starting`` is true meanwhile.
    """

    def __init__(self, ner: NerSettings, *, withheld: Collection[str] = ()) -> None:
        """Start nothing yet; ``withheld`` environment variables are not handed on."""
        self._ner = ner
        self._withheld = frozenset(withheld)
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = threading.Event()
        self._interrupted = False
        self._deaths = 0
        self.restarts = 0
        self.starting = False

    @property
    def pid(self) -> int | None:
        """The child's number, while there is one."""
        return None if self._process is None else self._process.pid

    def load(
        self,
    ) -> tuple[dict[str, tuple[EntityRecognizer, Mapping[str, str]]], tuple[str, ...]]:
        """Start the child; give its recognizers by language with their labels, and warnings.

        Takes as long as the models take to load.

        Raises:
            SettingsError: a recognizer cannot be loaded, or the child does not start.
        """
        try:
            hello = self._start()
        except SettingsError:
            self.close()
            raise
        except FrameError as exc:
            self.close()
            raise SettingsError(
                "the recognizers' process ended before it had loaded them; try "
                "ner.mode = 'thread', which shows why",
                field="ner.mode",
            ) from exc
        recognizers: dict[str, tuple[EntityRecognizer, Mapping[str, str]]] = {
            language: (_Remote(self, language), labels)
            for language, labels in hello["labels"].items()
        }
        return recognizers, tuple(hello["missing"])

    def ask(self, language: str, texts: Sequence[str]) -> list[list[Entity]]:
        """Give the entities of each text; blocks for as long as the recognizer works.

        Raises:
            RecognizerError: it raised, children died over these texts ``TRIES`` times, or
                ``interrupt`` or ``close`` came.
        """
        self._interrupted = False
        for _ in range(TRIES):
            try:
                return self._ask(language, texts)
            except FrameError:
                self._kill()
                self._reap()
                if self._stopped.is_set():
                    raise RecognizerError(
                        "the engine is closing", reason="closed"
                    ) from None
                self._deaths += 1
                if self._interrupted:
                    break
        if self._interrupted:
            raise RecognizerError("the recognizers took too long", reason="time")
        raise RecognizerError("the recognizers' process died", reason="crash")

    def interrupt(self) -> None:
        """End the call under way by killing the child; waits for nothing."""
        self._interrupted = True
        self._kill()

    def close(self) -> None:
        """Kill the child, which holds nothing, and wait for its end: milliseconds."""
        self._stopped.set()
        self._kill()
        self._reap()

    def _ask(self, language: str, texts: Sequence[str]) -> list[list[Entity]]:
        if self._process is None or self._process.poll() is not None:
            self._restart()
        reply = self._exchange({"language": language, "texts": list(texts)})
        failed = reply.get("failed")
        if failed is not None:
            raise RecognizerError(f"the recognizer raised {failed}", reason="error")
        self._deaths = 0
        try:
            return [
                [
                    Entity(start=start, end=end, label=label, score=score)
                    for start, end, label, score in entities
                ]
                for entities in reply["entities"]
            ]
        except (KeyError, TypeError, ValueError) as exc:
            raise FrameError("no answer") from exc

    def _restart(self) -> None:
        self.starting = True
        try:
            self._start_again()
        finally:
            self.starting = False

    def _start_again(self) -> None:
        if self._deaths:
            pause = min(LONGEST_BACK_OFF_S, BACK_OFF_S * 2 ** min(self._deaths - 1, 16))
            self._stopped.wait(pause)
        self.restarts += 1
        try:
            self._start()
        except SettingsError as exc:
            raise FrameError("the child cannot load what it had before") from exc

    def _start(self) -> dict[str, Any]:
        """Make a child and wait until it has its models."""
        self._reap()
        if self._stopped.is_set():
            raise FrameError("closing")
        if not sys.executable or getattr(sys, "frozen", False):
            raise SettingsError(
                "ner.mode = 'process' starts a Python interpreter, and sys.executable is "
                "none in this host; use ner.mode = 'thread'",
                field="ner.mode",
            )
        self._process = process = subprocess.Popen(
            [sys.executable, "-P", "-c", _BOOT, json.dumps(_paths())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={k: v for k, v in os.environ.items() if k not in self._withheld},
            start_new_session=True,  # Ctrl+C is for the host, which then closes the pipe
        )
        if self._stopped.is_set():
            process.kill()
        limit = threading.Timer(START_S, process.kill)
        limit.daemon = True
        limit.start()
        try:
            reply = self._exchange({"ner": self._ner.model_dump(mode="json")})
        finally:
            limit.cancel()
        refused = reply.get("refused")
        if refused is not None:
            self._kill()
            raise SettingsError(refused, **reply["facts"])
        return reply

    def _exchange(self, request: Mapping[str, Any]) -> dict[str, Any]:
        process = self._process
        if process is None:
            raise FrameError("no child")
        write_frame(cast("BinaryIO", process.stdin), request)
        return read_frame(cast("BinaryIO", process.stdout))

    def _kill(self) -> None:
        process = self._process
        if process is not None and process.returncode is None:
            process.kill()

    def _reap(self) -> None:
        process = self._process
        if process is None:
            return
        process.wait()
        for stream in (process.stdin, process.stdout):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                continue  # what could not be sent to a dead child
        self._process = None


def _paths() -> list[str]:
    """Give ``sys.path``, the folder at hand in place of an empty entry."""
    return [path or str(Path.cwd()) for path in sys.path]


class _Remote:
    """One language of the child, as an ``EntityRecognizer``."""

    def __init__(self, process: RecognizerProcess, language: str) -> None:
        self._process = process
        self._language = language

    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        return self._process.ask(self._language, texts)
