"""Service conversations made by rule: zh and en, tool calls, corrections, damage."""

from __future__ import annotations

import json
import random
from typing import Any

Chat = dict[str, Any]

QUESTIONS = (
    "我的包裹为什么一直没有更新物流信息？",
    "Could you check whether the kettle is still in stock?",
    "昨天的客服说会回电话，可是没有人联系我。",
    "I would rather have an exchange than a refund.",
    "请问退款多久能到账？",
    "The lamp arrived with a scratch on the left side.",
)
ANSWERS = (
    "我已经为您登记，请稍等。",
    "I have forwarded this to the warehouse and will come back to you.",
    "退款会原路退回，请您放心。",
    "The exchange label will be sent to you today.",
)


def user(text: str) -> Chat:
    return {"role": "user", "content": text}


def assistant(text: str) -> Chat:
    return {"role": "assistant", "content": text}


def calls(*pairs: tuple[str, str, dict[str, Any]]) -> Chat:
    """An assistant message that calls tools: (id, name, arguments) each."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for call_id, name, arguments in pairs
        ],
    }


def result(call_id: str, content: str) -> Chat:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def long_result(rng: random.Random, rows: int = 24) -> str:
    return json.dumps(
        {
            "ok": True,
            "rows": [
                {
                    "order_id": f"ORD-2031-{rng.randrange(10**8):08d}",
                    "status": rng.choice(["shipped", "packed", "returned"]),
                    "price": rng.randrange(100, 90_000) / 100,
                    "city": rng.choice(["杭州", "Berlin", "上海", "Toronto"]),
                }
                for _ in range(rows)
            ],
        },
        ensure_ascii=False,
    )


def conversation(turns: int, *, seed: int = 5) -> list[Chat]:
    """``turns`` turns; tool calls in each third one, a fact in each fifth."""
    rng = random.Random(seed)
    messages: list[Chat] = []
    for turn in range(1, turns + 1):
        text = " ".join(rng.sample(QUESTIONS, 2))
        if turn % 5 == 1:
            text += f" 我的订单号是ORD-2031-{rng.randrange(10**8):08d}。"
        messages.append(user(text))
        if turn % 3 == 0:
            call_id = f"call_{rng.randrange(10**9)}"
            messages.append(calls((call_id, "list_orders", {"limit": 24})))
            messages.append(result(call_id, long_result(rng)))
        messages.append(assistant(" ".join(rng.sample(ANSWERS, 2))))
    return messages
