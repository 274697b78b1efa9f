"""A bot with tools on tiered_memory: ``python examples/bot.py`` (no key, no server).

``model`` stands for any client that speaks the chat-completions API; here it answers by
rule, so that the example runs by itself.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tiered_memory import MemoryEngine, Prompt, Session, Settings

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_order",
            "description": "Look an order up.",
            "parameters": {
                "type": "object",
                "properties": {"order_id": {"type": "string"}},
                "required": ["order_id"],
            },
        },
    }
]


def model(prompt: Prompt) -> dict[str, Any]:
    """Call the tool for a new question, answer from its result afterwards."""
    last = dict(prompt.messages[-1])
    if last["role"] == "tool":
        status = json.loads(last["content"])["status"]
        return {"role": "assistant", "content": f"Your order is {status}."}
    facts = "".join(str(m.get("content")) for m in prompt.messages)
    order = "LMP-4411" if "LMP-4411" in facts else "unknown"
    function = {"name": "get_order", "arguments": json.dumps({"order_id": order})}
    call = {"id": "call_1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def get_order(order_id: str) -> str:
    """Answer as a shop's system would, in JSON."""
    return json.dumps({"order_id": order_id, "status": "on its way"})


async def answer(session: Session, text: str, message_id: str) -> str:
    """Take a customer's message in and give the reply to show."""
    await session.add({"role": "user", "content": text}, message_id=message_id)
    while True:
        prompt = await session.build(tools=TOOLS)
        reply = model(prompt)
        await session.add(reply)
        if not reply.get("tool_calls"):
            return str(reply["content"])
        for call in reply["tool_calls"]:
            arguments = json.loads(call["function"]["arguments"])
            result = get_order(**arguments)
            await session.add(
                {"role": "tool", "tool_call_id": call["id"], "content": result}
            )


async def main() -> None:
    """Talk twice, then show what is remembered."""
    settings = Settings(system_prompt="You are the service assistant of a lamp shop.")
    async with MemoryEngine.open(":memory:", settings=settings) as memory:
        session = memory.session("conversation-42", subject="customer-7")
        print(await answer(session, "Where is my order LMP-4411?", "m-1"))
        print(await answer(session, "And when will it be here?", "m-2"))
        for fact in await session.facts():
            print(fact.key, fact.value, fact.source, f"message {fact.seq}")


asyncio.run(main())
