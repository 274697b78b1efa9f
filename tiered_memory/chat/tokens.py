"""What messages and tool schemas cost in a request, in tokens."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, cast

from tiered_memory.chat.images import MediaRule
from tiered_memory.chat.messages import canonical_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tiered_memory.model import Payload
    from tiered_memory.ports import TokenCounter

__all__ = ["CALL_TOKENS", "MESSAGE_TOKENS", "REPLY_TOKENS", "MessageCounter"]

MESSAGE_TOKENS = 3
NAME_TOKENS = 1
REPLY_TOKENS = 3
"""Source: ``num_tokens_from_messages`` of the OpenAI cookbook."""

CALL_TOKENS = 12
"""Around a call's name and arguments. OpenAI publishes none; 3 to 8 were seen for one
call, up to 12 where parallel calls are wrapped. The calls' ids are not in the prompt."""

PART_TOKENS = 1
"""A line break between content parts."""

TOOLS_TOKENS = 12
TOOL_TOKENS = 7
PROPERTIES_TOKENS = 3
PROPERTY_TOKENS = 3
ENUM_ITEM_TOKENS = 3
"""Source: ``num_tokens_for_tools`` of the OpenAI cookbook, for gpt-4o; its deduction of 3
for each enum is left out, so that the sum is a bound."""

KEPT_TOOLS = 16

_TEXT_KEYS = frozenset({"text", "refusal"})
_SCHEMA_KEYS = frozenset({"type", "description", "enum", "properties", "items", "required"})


class MessageCounter:
    """Counts messages on top of a counter for plain text.

    Never under the published recipe. What has no published cost is counted by a
    stated bound: calls, images, audio and files, and keys that are not the API's own
    (their text). Safe to use from several threads where ``counter`` is.
    """

    def __init__(
        self, counter: TokenCounter, *, name: str, image_rule: MediaRule | None = None
    ) -> None:
        self._counter = counter
        self._name = name
        self._rule = MediaRule() if image_rule is None else image_rule
        self._tools: OrderedDict[str, int] = OrderedDict()

    @property
    def name(self) -> str:
        """The counter's name; counts under another name are not comparable."""
        return self._name

    def text(self, text: str) -> int:
        """Give the tokens of plain text; linear."""
        return self._counter.count(text)

    def message(self, payload: Payload) -> int:
        """Give a message's share of a request; linear in its text."""
        total = MESSAGE_TOKENS
        for key, value in payload.items():
            if value is None:
                continue
            if key == "content":
                total += self._content(value)
            elif key == "name":
                total += NAME_TOKENS + self.text(str(value))
            elif key == "tool_calls":
                for call in cast("list[dict[str, Any]]", value):
                    total += self._call(call)
            elif key == "function_call":
                total += self._function(cast("dict[str, Any]", value), "arguments")
            elif key == "audio":
                total += self._rule.reply_audio
            else:
                total += self._other(value)
        return total

    def messages(self, payloads: Sequence[Payload]) -> int:
        """Give the cost of a request's messages, the reply's opening included."""
        return sum(map(self.message, payloads)) + REPLY_TOKENS

    def tools(self, schemas: Sequence[Mapping[str, Any]] | None) -> int:
        """Give the cost of a request's ``tools``; the last few lists are remembered."""
        if not schemas:
            return 0
        key = canonical_json([dict(schema) for schema in schemas])
        known = self._tools.get(key)
        if known is not None:
            return known
        total = TOOLS_TOKENS + sum(map(self._tool, schemas))
        self._tools[key] = total
        while len(self._tools) > KEPT_TOOLS:
            self._tools.popitem(last=False)
        return total

    def _other(self, value: object) -> int:
        return self.text(value if isinstance(value, str) else canonical_json(value))

    def _content(self, content: object) -> int:
        if isinstance(content, str):
            return self.text(content)
        parts = cast("list[dict[str, Any]]", content)
        return sum(self._part(part) + PART_TOKENS for part in parts)

    def _part(self, part: dict[str, Any]) -> int:
        kind = part.get("type")
        if kind == "image_url":
            return self._rule.image(part)
        if kind == "input_audio":
            return self._rule.audio(part)
        if kind == "file":
            return self._rule.file(part)
        if kind in _TEXT_KEYS and isinstance(part.get(kind), str):
            return self.text(cast("str", part[kind]))
        return self._other(part)

    def _call(self, call: Mapping[str, Any]) -> int:
        custom = call.get("type") == "custom"
        kind, text = ("custom", "input") if custom else ("function", "arguments")
        return self._function(cast("dict[str, Any]", call[kind]), text)

    def _function(self, function: Mapping[str, Any], text: str) -> int:
        return (
            CALL_TOKENS
            + self.text(str(function["name"]))
            + self.text(str(function.get(text) or ""))
        )

    def _tool(self, schema: Mapping[str, Any]) -> int:
        function: object = schema.get(str(schema.get("type")), schema)
        if not isinstance(function, dict):
            return TOOL_TOKENS + self._other(dict(schema))
        members = cast("dict[str, Any]", function)
        line = f"{members.get('name', '')}:{members.get('description') or ''}"
        total = TOOL_TOKENS + self.text(line)
        for key, value in members.items():
            if key == "parameters" and isinstance(value, dict):
                total += self._schema(cast("dict[str, Any]", value))
            elif key not in {"name", "description", "strict", "type"}:
                total += self._other(value)
        return total

    def _schema(self, schema: Mapping[str, Any]) -> int:
        """Count an object's properties and what nests in them."""
        total = 0
        properties: object = schema.get("properties")
        if isinstance(properties, dict) and properties:
            total += PROPERTIES_TOKENS
            for name, inner in cast("dict[str, object]", properties).items():
                total += PROPERTY_TOKENS + self._property(name, inner)
        if isinstance(schema.get("items"), dict):
            total += PROPERTY_TOKENS + self._property("", schema["items"])
        for key, value in schema.items():
            if key not in _SCHEMA_KEYS and value is not False:
                total += 1 + self._other(value)
        return total

    def _property(self, name: str, value: object) -> int:
        if not isinstance(value, dict):
            return self._other(value)
        schema = cast("dict[str, Any]", value)
        kind: object = schema.get("type", "")
        line = f"{name}:{kind}:{schema.get('description') or ''}"
        total = self.text(line) + self._schema(schema)
        for item in cast("list[object]", schema.get("enum") or []):
            total += ENUM_ITEM_TOKENS + self._other(item)
        return total
