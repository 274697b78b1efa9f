"""One thread for work that must not run twice at once, and may never come back."""

from __future__ import annotations

import asyncio
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeVar

from tiered_memory.errors import RecognizerError, TieredMemoryError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ReaderThread"]

T = TypeVar("T")


class ReaderThread:
    """Runs calls one after another, in order; belongs to the loop that started it.

    A daemon thread: where a call never ends, the interpreter still can. Such a call
    cannot be stopped.
    """

    def __init__(self, name: str) -> None:
        self._loop = asyncio.get_running_loop()
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._ended = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def call(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Run ``work`` after what was given before; give the future of its result."""
        future: asyncio.Future[T] = self._loop.create_future()

        def run() -> None:
            try:
                result = work()
            except (TieredMemoryError, ValueError) as exc:
                self._tell(_fail, future, exc)
            except BaseException as exc:  # noqa: BLE001 (told to whoever waits, by name)
                name = type(exc).__qualname__
                error = RecognizerError(f"the recognizer raised {name}", reason="error")
                self._tell(_fail, future, error)
            else:
                self._tell(_give, future, result)

        self._calls.put(run)
        return future

    async def aclose(self, within_s: float) -> bool:
        """End the thread after the call under way; False where that takes too long."""
        self._calls.put(None)
        await asyncio.wait({self._ended}, timeout=within_s)
        return self._ended.done()

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
        self._tell(_give, self._ended, None)

    def _tell(self, say: Callable[..., None], *values: object) -> None:
        try:
            self._loop.call_soon_threadsafe(say, *values)
        except RuntimeError:
            return  # the loop is closed, and nobody waits


def _give(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[T], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
