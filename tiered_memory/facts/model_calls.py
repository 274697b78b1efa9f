"""One call of the model that proposes facts, whoever made it: in time, and checked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import anyio

from tiered_memory.errors import FactModelError
from tiered_memory.ports import FactReply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tiered_memory.facts.model_replies import ReplyReader, Verdict
    from tiered_memory.facts.model_words import PartText
    from tiered_memory.ports import FactModel, FactRequest

__all__ = ["CallFailed", "ModelCaller"]


@dataclass(slots=True, eq=False)
class CallFailed(Exception):  # noqa: N818 (handled where it is called)
    """A call gave nothing; ``reason`` is a code, never text of a reply."""

    reason: str
    retryable: bool
    retry_after_s: float | None = None


class ModelCaller:
    """Calls ``model``: a ``FactModel``, or a plain coroutine function of the same shape."""

    def __init__(self, model: FactModel, *, timeout_s: float) -> None:
        plugged: object = getattr(model, "propose", model)
        self._propose = cast("Callable[[FactRequest], Awaitable[object]]", plugged)
        self._timeout_s = timeout_s

    async def call(
        self, request: FactRequest, parts: Sequence[PartText], reader: ReplyReader
    ) -> Verdict:
        """Ask the model about a message whose texts are ``parts``; ``reader`` checks it.

        Raises:
            CallFailed: no usable reply in time.
        """
        try:
            with anyio.fail_after(self._timeout_s):
                reply = await self._propose(request)
        except asyncio.CancelledError as exc:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise CallFailed("cancelled", retryable=True) from exc  # the model's own
        except TimeoutError as exc:
            raise CallFailed("timeout", retryable=True) from exc
        except FactModelError as exc:
            after: object = exc.facts.get("retry_after_s")
            raise CallFailed(
                str(exc.facts.get("reason", "error")),
                retryable=exc.facts.get("retryable") is not False,
                retry_after_s=after if isinstance(after, float) else None,
            ) from exc
        except Exception as exc:  # a plugged-in model may raise anything
            raise CallFailed(type(exc).__qualname__, retryable=True) from exc
        if isinstance(reply, str):
            reply = FactReply(text=reply)
        text: object = reply.text if isinstance(reply, FactReply) else None
        if not isinstance(reply, FactReply) or not isinstance(text, str):
            raise CallFailed("no_reply", retryable=False)
        named: object = reply.model
        model = named if isinstance(named, str) else None
        try:
            return reader.read(text, parts, model=model)
        except ValueError as exc:
            raise CallFailed("invalid_json", retryable=True) from exc
