"""The recent tier: the window's messages as the API takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.chat.grammar import heal, validate
from tiered_memory.prompt.shown import Recent, Shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.chat.tokens import MessageCounter
    from tiered_memory.model import Message, Payload
    from tiered_memory.state import SessionState
    from tiered_memory.text.language import Language

__all__ = ["last_user", "recent"]


def recent(
    state: SessionState,
    counter: MessageCounter,
    *,
    language: Language,
    shorten: bool,
    sound: Sequence[Payload] = (),
) -> Recent:
    """Give the window of ``state``, healed, the pinned user message before it.

    With ``shorten``, tool results of finished turns stand in their stored short form.
    Counts nothing but what healing made: stored messages bring their cost. ``sound`` are
    messages that needed no healing before: where the window begins with them it is read
    on from there.
    """
    messages = _messages(state)
    newest = _newest_user(messages)
    payloads: list[Payload] = []
    tokens: list[int] = []
    shortened: dict[int, Shortened] = {}
    for index, message in enumerate(messages):
        if shorten and message.short is not None and index < newest:
            payloads.append(message.short)
            tokens.append(message.short_tokens)
            saved = message.tokens - message.short_tokens
            shortened[message.seq] = Shortened("turn_over", saved)
        else:
            payloads.append(message.payload)
            tokens.append(message.tokens)
    shown = Recent(
        payloads=payloads.copy(),
        tokens=tokens,
        seqs=[message.seq for message in messages],
        newest=newest,
        given=payloads,
        repairs=(),
        shortened=shortened,
    )
    if not _goes_on_soundly(payloads, sound):
        healed = heal(payloads, language=language)
        if healed.repairs:
            shown.payloads = healed.payloads
            shown.repairs = healed.repairs
            _follow(shown, healed.origins, counter)
    return shown


def last_user(payloads: Sequence[Payload], end: int) -> int | None:
    """Give the place of the last user message before ``end``, or None."""
    for place in range(end - 1, -1, -1):
        if payloads[place]["role"] == "user":
            return place
    return None


def _goes_on_soundly(payloads: Sequence[Payload], sound: Sequence[Payload]) -> bool:
    """Tell whether ``payloads`` begin with sound ones and keep to the grammar after.

    At a user message of the sound list nothing is open, so that what comes from there
    on stands for itself.
    """
    same = 0
    for known, payload in zip(sound, payloads, strict=False):
        if known is not payload:
            break
        same += 1
    start = last_user(payloads, same)
    return start is not None and not validate(payloads[start:])


def _follow(
    shown: Recent,
    origins: Sequence[int | None],
    counter: MessageCounter,
) -> None:
    """Put tokens and seqs in the order of the healed messages; count the new ones."""
    tokens, seqs = shown.tokens, shown.seqs
    shown.tokens = [
        tokens[origin]
        if origin is not None and payload is shown.given[origin]
        else counter.message(payload)
        for payload, origin in zip(shown.payloads, origins, strict=True)
    ]
    shown.seqs = [None if origin is None else seqs[origin] for origin in origins]
    left = set(shown.seqs)
    shown.shortened = {q: n for q, n in shown.shortened.items() if q in left}
    newest = last_user(shown.payloads, len(shown.payloads))
    shown.newest = len(shown.payloads) if newest is None else newest


def _messages(state: SessionState) -> Sequence[Message]:
    pinned = state.pinned
    if pinned is None or (state.window and pinned.seq >= state.window[0].seq):
        return state.window
    return (pinned, *state.window)


def _newest_user(messages: Sequence[Message]) -> int:
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user":
            return index
    return len(messages)
