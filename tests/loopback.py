"""A server on the loopback that speaks just enough HTTP for a chat completion."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

Chat = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the server sends: a body, or nothing but the end of the connection.

    Attributes:
        hold: wait for ``Loopback.release`` before answering.
        cut: close after this many bytes of the answer.
    """

    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    hold: bool = False
    cut: int | None = None


def completion(text: str | None, **more: Any) -> Answer:
    """A chat completion as the API words it."""
    message = {"role": "assistant", "content": text, "refusal": more.pop("refusal", None)}
    body: Chat = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "served-model",
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": more.pop("finish_reason", "stop"),
                "logprobs": None,
            }
        ],
        "usage": {
            "prompt_tokens": 120,
            "completion_tokens": 9,
            "total_tokens": 129,
            "prompt_tokens_details": {"cached_tokens": 64},
        },
    }
    return Answer(body=json.dumps(body | more))


class Loopback:
    """Answers in turn, the last answer for ever; ``requests`` keeps what came."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._answers = answers
        self.requests: list[Chat] = []
        self.headers: list[dict[str, str]] = []
        self.arrived = asyncio.Event()
        self.release = asyncio.Event()
        self.url = ""

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            await self._answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client went away: what a test of a cut connection is about
        finally:
            writer.close()

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = [line.partition(": ") for line in head.splitlines()[1:] if line]
        headers = {name.lower(): value for name, _, value in lines}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.requests.append(json.loads(body))
        self.headers.append(headers)
        self.arrived.set()
        answer = self._answers[min(len(self.requests), len(self._answers)) - 1]
        if answer.hold:
            await self.release.wait()
        data = answer.body.encode()
        given = {
            "Content-Type": "application/json",
            "Content-Length": str(len(data)),
            "Connection": "close",
            **answer.headers,
        }
        told = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        whole = f"HTTP/1.1 {answer.status} Told\r\n{told}\r\n".encode() + data
        writer.write(whole[: answer.cut])
        await writer.drain()


@asynccontextmanager
async def loopback(*answers: Answer) -> AsyncIterator[Loopback]:
    """Run a server of ``answers`` at ``.url``."""
    served = Loopback(answers)
    server = await asyncio.start_server(served.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    served.url = f"http://127.0.0.1:{port}/v1"
    try:
        yield served
    finally:
        served.release.set()
        server.close()
        await server.wait_closed()
