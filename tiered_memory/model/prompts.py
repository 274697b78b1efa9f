"""A prompt, its budget, and what was left out or mended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from openai.types.chat import ChatCompletionMessageParam

__all__ = [
    "Budget",
    "Omission",
    "Prompt",
    "Repair",
    "RequestOptions",
]


class RequestOptions(TypedDict, total=False):
    """Options for ``client.chat.completions.create(**prompt.request_options)``."""

    max_completion_tokens: int
    max_tokens: int
    prompt_cache_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The sum behind a prompt, in tokens: ``limit`` is what is left for it."""

    window: int
    output: int
    reserve: int
    tools: int
    effective: int
    limit: int
    fixed: int
    history: int
    recent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission:
    """Something that the prompt leaves out or shows shortened.

    ``kind``: ``turns``, ``segment``, ``facts``, ``tool_result``, ``text``; last of all
    ``examples`` and ``steps`` (of the newest turn).
    ``count``: how many; ``tokens``: how many tokens were saved.
    """

    kind: str
    reason: str
    count: int
    tokens: int
    seqs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A mend that ``heal`` made in the prompt; the log is as it was.

    ``kind``: ``moved_result``, ``missing_result``, ``orphan_result``,
    ``duplicate_result``, ``empty_message``, ``leading_message`` …
    ``position``: index in the list that came in; ``call_id`` where it has one.
    """

    kind: str
    position: int
    call_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A request's messages and what is known about them.

    Attributes:
        messages: fresh list; the caller may change it.
        seq: last message of the session that it saw.
        fingerprint: SHA-256 of the messages' canonical JSON, in hex.
        tokens: cost of the messages in the request, overhead included.
        tiers: tokens by tier: system, examples, summary, facts, recall, recent.
        stable_tokens: leading tokens that equal the session's last build.
        over_budget: tokens above the effective window's limit, else 0.
    """

    messages: list[ChatCompletionMessageParam]
    seq: int
    revision: int
    fingerprint: str
    tokens: int
    budget: Budget
    tiers: Mapping[str, int]
    omitted: tuple[Omission, ...]
    repairs: tuple[Repair, ...]
    stable_tokens: int
    over_budget: int
    model: str
    request_options: RequestOptions
