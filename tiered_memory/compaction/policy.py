"""When turns leave the window, and which; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.chat.turns import turns, units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.chat.turns import Turn
    from tiered_memory.model import Message
    from tiered_memory.settings import Settings
    from tiered_memory.state import SessionState

__all__ = [
    "FoldPlan",
    "due",
    "expected_tokens",
    "fixed_part_too_large",
    "limit_tokens",
    "plan",
    "window_tokens",
    "worth_it",
]

SHARE = 0.5
"""A segment is asked to cost at most this share of the turns that it stands for."""

LEAST_TOKENS = 48
"""No segment is asked to be shorter: below it a digest says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldPlan:
    """What one fold takes out of the window.

    Attributes:
        messages: those that go, oldest first, without gaps; at least one.
        context: the pinned user message that the first of them answer, where it left
            the window before; shown to the summarizer again.
        pinned_seq: user message of a newest turn that goes in part, or None.
        tokens: what the prompt is relieved of, before the segment comes.
        turns: how many turns go, wholly or in part.
    """

    messages: tuple[Message, ...]
    context: Message | None
    pinned_seq: int | None
    tokens: int
    turns: int

    @property
    def from_seq(self) -> int:
        """Give the seq of the first message that goes."""
        return self.messages[0].seq

    @property
    def to_seq(self) -> int:
        """Give the seq of the last message that goes: the new boundary."""
        return self.messages[-1].seq


def limit_tokens(settings: Settings, *, window: int) -> int:
    """Give what a prompt may cost; ``window`` is the model's, in tokens."""
    room = (settings.context_window or window) - settings.max_output_tokens
    return max(1, min(settings.effective_window, room - settings.reserve_tokens))


def window_tokens(state: SessionState, settings: Settings) -> int:
    """Give what the window costs as shown: results of finished turns by their short form."""
    newest = _newest_start(state.window)
    shorten = settings.tool_results.after_turn == "shorten"
    return sum(
        _shown(message, finished=shorten and place < newest)
        for place, message in enumerate(state.window)
    )


def due(
    state: SessionState,
    settings: Settings,
    *,
    prompt_tokens: int,
    limit: int | None = None,
) -> str | None:
    """Give why a fold is due (``turns``, ``tokens`` or ``budget``), or None.

    Args:
        state: as it is now.
        settings: their ``window`` marks and ``compaction.at``.
        prompt_tokens: what a prompt of ``state`` costs, window and summary included.
        limit: what it may cost; ``effective_window`` when None.
    """
    window = settings.window
    tokens = window_tokens(state, settings)
    if tokens >= window.fold_tokens:
        return "tokens"
    count = sum(message.role == "user" for message in state.window)
    if count >= window.keep_turns + window.batch_turns:
        return "turns"
    mark = settings.compaction.at * (limit or settings.effective_window)
    if prompt_tokens > mark and not fixed_part_too_large(
        state, settings, prompt_tokens=prompt_tokens, limit=limit
    ):
        return "budget"
    return None


def fixed_part_too_large(
    state: SessionState,
    settings: Settings,
    *,
    prompt_tokens: int,
    limit: int | None = None,
) -> bool:
    """Tell whether no fold can bring a prompt below ``compaction.at``.

    So where all but the window passes it by itself: folding would go on for ever.
    """
    mark = settings.compaction.at * (limit or settings.effective_window)
    return prompt_tokens - window_tokens(state, settings) >= mark


def plan(
    state: SessionState, settings: Settings, *, press: bool = False
) -> FoldPlan | None:
    """Give what a fold takes: oldest whole turns beyond both low marks; None: nothing.

    Never below ``window.min_turns`` while they stay under ``window.fold_tokens``. A
    newest turn that passes ``fold_tokens`` alone gives its oldest whole units; its last
    ``keep_steps`` units stay, and its user message is pinned. A turn with a call that
    waits for its result holds back what follows it, until it is older than
    ``keep_turns + batch_turns`` turns: by then the call is taken as lost.

    Args:
        state: as it is now.
        settings: their ``window`` marks.
        press: go down to ``min_turns`` where the low marks leave nothing to take.
    """
    groups = turns(state.window)
    costs = _costs(groups, settings)
    count = len(groups) - _kept(costs, settings)
    if count <= 0 and press:
        count = len(groups) - settings.window.min_turns
    count = _closed(groups, count, settings)
    messages = [message for turn in groups[: max(count, 0)] for message in turn.messages]
    tokens = sum(costs[: max(count, 0)])
    pinned_seq: int | None = None
    partly = 0
    if groups and count == len(groups) - 1:
        steps, pinned_seq = _steps(state, groups[-1], settings)
        partly = 1 if steps else 0
        messages += steps
        tokens += sum(m.tokens for m in steps if m.seq != pinned_seq)
    if not messages:
        return None
    return FoldPlan(
        messages=tuple(messages),
        context=state.pinned if messages[0].role != "user" else None,
        pinned_seq=pinned_seq,
        tokens=tokens,
        turns=max(count, 0) + partly,
    )


def expected_tokens(folded: int, settings: Settings) -> int:
    """Give the cap of a segment that stands for ``folded`` tokens of turns."""
    cap = settings.summary.segment_tokens
    return min(cap, max(LEAST_TOKENS, int(folded * SHARE)))


def worth_it(fold: FoldPlan, settings: Settings, *, reason: str) -> bool:
    """Tell whether a fold saves more than its segment costs.

    One for the budget's sake must save twice that, so that a prompt near its limit
    does not bring a call with each turn.
    """
    cost = expected_tokens(fold.tokens, settings)
    return fold.tokens > (2 * cost if reason == "budget" else cost)


def _shown(message: Message, *, finished: bool) -> int:
    if finished and message.short is not None:
        return message.short_tokens
    return message.tokens


def _newest_start(window: Sequence[Message]) -> int:
    for place in range(len(window) - 1, -1, -1):
        if window[place].role == "user":
            return place
    return 0


def _costs(groups: Sequence[Turn], settings: Settings) -> list[int]:
    shorten = settings.tool_results.after_turn == "shorten"
    costs = [turn.short_tokens if shorten else turn.tokens for turn in groups]
    if groups:
        costs[-1] = groups[-1].tokens
    return costs


def _kept(costs: Sequence[int], settings: Settings) -> int:
    """Give how many of the newest turns stay; at least one."""
    window = settings.window
    kept = total = 0
    for cost in reversed(costs):
        if kept and (kept >= window.keep_turns or total + cost > window.keep_tokens):
            break
        kept, total = kept + 1, total + cost
    for cost in reversed(costs[: len(costs) - kept]):
        if kept >= window.min_turns or total + cost >= window.fold_tokens:
            break
        kept, total = kept + 1, total + cost
    return kept


def _closed(groups: Sequence[Turn], count: int, settings: Settings) -> int:
    """Lower ``count`` until no call of the first turns has its result still to come."""
    patience = settings.window.keep_turns + settings.window.batch_turns
    while count > 0:
        last = groups[count - 1].last_seq
        first_open = next(
            (
                place
                for place, turn in enumerate(groups[:count])
                if (turn.is_open or turn.closes_seq > last)
                and len(groups) - place <= patience
            ),
            None,
        )
        if first_open is None:
            break
        count = first_open
    return count


def _steps(
    state: SessionState, turn: Turn, settings: Settings
) -> tuple[list[Message], int | None]:
    """Give the messages of an overlong newest turn that go, and its user message's seq."""
    window = settings.window
    head = turn.messages[0]
    pinned = head.seq if head.role == "user" else state.pinned_seq
    if turn.tokens < window.fold_tokens or pinned is None:
        return [], None
    runs = units(turn.messages)
    body = runs[1:] if head.role == "user" else runs
    left = sum(message.tokens for run in body for message in run)
    gone: list[Message] = []
    for run in body[: max(0, len(body) - window.keep_steps)]:
        if left <= window.keep_tokens or turns(run)[0].is_open:
            break
        gone += run
        left -= sum(message.tokens for message in run)
    if not gone:
        return [], None
    return ([head, *gone] if head.role == "user" else gone), pinned
