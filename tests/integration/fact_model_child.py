"""A process that stores a message, says so when a model is asked about it, and hangs."""

from __future__ import annotations

import asyncio
import sys

from tiered_memory import FactReply, FactRequest, MemoryEngine, Settings


class Stuck:
    async def propose(self, request: FactRequest) -> FactReply:
        print("asked", flush=True)
        await asyncio.Event().wait()
        return FactReply(text="")


async def main(path: str) -> None:
    settings = Settings(ner={"mode": "off"}, facts={"packs": ("common",)})
    async with MemoryEngine.open(path, settings=settings, fact_model=Stuck()) as memory:
        text = "Hello, my boat is called Calypso."
        await memory.session("s").add({"role": "user", "content": text})
        await memory.session("s").settled()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
