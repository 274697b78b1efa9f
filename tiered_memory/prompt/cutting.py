"""What gives way, and in which order, where a prompt has no room for all.

By tokens alone, old things by an eighth of the limit at a time: results of finished turns, the oldest
segments, older turns, the least certain facts beyond the fixed share, results of the
newest turn; and only then the last segment, the other facts, the examples, and steps of
the newest turn. The system prompt and the newest user message never do. Results of the
newest turn that cannot be whole whatever else goes are shortened to the recent share
first, so that one giant result does not cost the conversation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tiered_memory.chat.grammar import RESULT_ROLES
from tiered_memory.model import Omission
from tiered_memory.prompt.budget import PRIMING
from tiered_memory.prompt.draft import cost
from tiered_memory.prompt.fact_view import in_order, least_certain_first
from tiered_memory.prompt.results import SMALLEST_RESULT, ResultShortener
from tiered_memory.prompt.shown import Shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.chat.tokens import MessageCounter
    from tiered_memory.prompt.budget import Allotment, Room
    from tiered_memory.prompt.draft import PromptDraft

__all__ = ["Cutter"]

STEP_PART: Final = 8
"""What is old gives way in steps of this part of the limit."""
SMALL_PART: Final = 4
"""A result that must shrink is shown in a fourth of ``tool_results.max_tokens``."""


class Cutter:
    """Makes drafts fit; knows nothing between two of them."""

    def __init__(self, counter: MessageCounter, *, result_tokens: int) -> None:
        self._results = ResultShortener(counter)
        self._small = max(result_tokens // SMALL_PART, SMALLEST_RESULT)

    def fit(self, draft: PromptDraft, room: Room, allotment: Allotment) -> None:
        """Cut ``draft`` until it costs at most ``room.limit``, as far as can be.

        Where system prompt and newest user message alone pass the limit, cutting what
        is guaranteed a share cannot help: it stays while the model's window holds it.
        """
        limit = room.limit
        facts = _fact_floor(draft, allotment)
        self._shrink_old_results(draft, _stepped(draft, limit))
        newest = sum(draft.recent.tokens[draft.recent.newest :])
        kept = cost(*draft.system) + min(facts, draft.facts_tokens())
        if kept + newest + PRIMING > limit:
            beside = draft.tokens() - newest
            share = max(limit - beside, min(allotment.recent, newest))
            self._shrink_new_results(draft, beside + share)
        self._drop_segments(draft, _stepped(draft, limit), floor=allotment.history)
        self._drop_turns(draft, _stepped(draft, limit))
        self._drop_facts(draft, limit, floor=facts)
        self._shrink_new_results(draft, limit)
        target = limit if core_tokens(draft) <= limit else room.hard
        self._drop_segments(draft, target, floor=0)
        self._drop_facts(draft, target, floor=0)
        self._drop_examples(draft, target)
        self._drop_steps(draft, target, keep=1)
        self._drop_steps(draft, room.hard, keep=0)
        draft.silent = draft.tokens() > target

    # -- results --------------------------------------------------------------

    def _shrink_old_results(self, draft: PromptDraft, limit: int) -> None:
        self._shrink(
            draft,
            range(min(draft.recent.newest, len(draft.recent.payloads))),
            limit,
            cap=self._small,
            reason="budget",
        )

    def _shrink_new_results(self, draft: PromptDraft, limit: int) -> None:
        """Shorten the newest turn's results to one common cap that fits, if any does."""
        recent = draft.recent
        places = [
            index
            for index in range(recent.newest, len(recent.payloads))
            if recent.payloads[index]["role"] in RESULT_ROLES
        ]
        total = draft.tokens()
        if total <= limit or not places:
            return
        sizes = [recent.tokens[index] for index in places]
        cap = _common_cap(sizes, limit - (total - sum(sizes)))
        step = max(limit // STEP_PART, 1)
        cap = max(cap // step * step, min(cap, step))
        for cap_now in (cap, self._small, SMALLEST_RESULT):
            if cap_now >= SMALLEST_RESULT:
                self._shrink(draft, places, limit, cap=cap_now, reason="newest_turn")

    def _shrink(
        self,
        draft: PromptDraft,
        places: Sequence[int],
        limit: int,
        *,
        cap: int,
        reason: str,
    ) -> None:
        """Shorten results above ``cap`` tokens, oldest first, until the draft fits."""
        recent = draft.recent
        total = draft.tokens()
        for index in places:
            if total <= limit:
                break
            payload, before = recent.payloads[index], recent.tokens[index]
            if payload["role"] not in RESULT_ROLES or before <= cap:
                continue
            short = self._results.shorten(payload, cap)
            after = short.tokens
            if after >= before:
                continue
            recent.payloads[index], recent.tokens[index] = short.payload, after
            total -= before - after
            seq = recent.seqs[index]
            if seq is not None:
                saved = recent.shortened.get(seq, Shortened(reason, 0)).tokens
                recent.shortened[seq] = Shortened(reason, saved + before - after)

    # -- history --------------------------------------------------------------

    def _drop_segments(self, draft: PromptDraft, limit: int, *, floor: int) -> None:
        """Leave out the oldest segments; the newest one too if it passes ``floor``."""
        before = cost(draft.summary_block())
        all_segments = draft.segments
        while draft.segments and draft.tokens() > limit:
            last = len(draft.segments) == 1
            if last and cost(draft.summary_block()) <= floor:
                break
            draft.segments = draft.segments[1:]
        count = len(all_segments) - len(draft.segments)
        if count:
            draft.omitted.append(
                Omission(
                    kind="segment",
                    reason="budget",
                    count=count,
                    tokens=before - cost(draft.summary_block()),
                    seqs=tuple(s.to_seq for s in all_segments[:count]),
                )
            )

    # -- turns ----------------------------------------------------------------

    def _drop_turns(self, draft: PromptDraft, limit: int) -> None:
        """Leave out the oldest turns whole, the newest never."""
        recent = draft.recent
        total, end, saved, turns = draft.tokens(), 0, 0, 0
        for index in range(1, recent.newest + 1):
            if index < recent.newest and recent.payloads[index]["role"] != "user":
                continue
            if total - saved + self._line_cost(draft, end) <= limit:
                break
            saved = sum(recent.tokens[:index])
            end = index
            turns += 1
        self._leave_out(draft, 0, end, kind="turns", count=turns)

    def _line_cost(self, draft: PromptDraft, end: int) -> int:
        more = sum(seq is not None for seq in draft.recent.seqs[:end])
        line = draft.layout.left_out(draft.left_out + more, draft.language)
        return cost(line) - cost(draft.left_out_line())

    def _drop_steps(self, draft: PromptDraft, limit: int, *, keep: int) -> None:
        """Leave out the newest turn's oldest units, its last ``keep`` never."""
        recent = draft.recent
        first = recent.newest + 1
        starts = [
            index
            for index in range(first, len(recent.payloads))
            if recent.payloads[index]["role"] not in RESULT_ROLES
        ]
        ends = [*starts[1:], len(recent.payloads)][: max(len(starts) - keep, 0)]
        total, end, saved, steps = draft.tokens(), first, 0, 0
        for stop in ends:
            if total - saved <= limit:
                break
            saved = sum(recent.tokens[first:stop])
            end = stop
            steps += 1
        self._leave_out(draft, first, end, kind="steps", count=steps)

    def _leave_out(
        self, draft: PromptDraft, start: int, end: int, *, kind: str, count: int
    ) -> None:
        if end <= start:
            return
        tokens = sum(draft.recent.tokens[start:end])
        seqs = draft.recent.drop(start, end)
        draft.left_out += len(seqs)
        draft.omitted.append(
            Omission(kind=kind, reason="budget", count=count, tokens=tokens, seqs=seqs)
        )

    # -- fixed ----------------------------------------------------------------

    def _drop_facts(self, draft: PromptDraft, limit: int, *, floor: int) -> None:
        """Leave out the least certain facts until it fits or they cost ``floor``.

        The block then shows what holds now: where facts have no room, a note of what
        changed has none either.
        """
        if draft.tokens() <= limit or draft.facts_tokens() <= floor:
            return
        before, view = draft.facts_tokens(), draft.facts
        ranked = least_certain_first(view.current)
        draft.frozen = False
        low, high = 0, len(ranked)
        while low < high:
            middle = (low + high) // 2
            draft.facts = replace(view, current=in_order(ranked[middle:]))
            if draft.tokens() <= limit or draft.facts_tokens() <= floor:
                high = middle
            else:
                low = middle + 1
        draft.facts = replace(view, current=in_order(ranked[low:]))
        if low:
            draft.omitted.append(
                Omission(
                    kind="facts",
                    reason="budget",
                    count=low,
                    tokens=before - draft.facts_tokens(),
                )
            )

    def _drop_examples(self, draft: PromptDraft, limit: int) -> None:
        if not draft.examples or draft.tokens() <= limit:
            return
        draft.omitted.append(
            Omission(
                kind="examples",
                reason="budget",
                count=len(draft.examples),
                tokens=cost(*draft.examples),
            )
        )
        draft.examples = ()


def core_tokens(draft: PromptDraft) -> int:
    """Give what can never give way: system prompt, newest user message, priming."""
    recent = draft.recent
    newest = recent.tokens[recent.newest] if recent.newest < len(recent.tokens) else 0
    return cost(*draft.system) + newest + PRIMING


def _fact_floor(draft: PromptDraft, allotment: Allotment) -> int:
    """Give the part of the fixed share that system prompt and examples leave to facts."""
    return max(0, allotment.fixed - cost(*draft.system, *draft.examples))


def _stepped(draft: PromptDraft, limit: int) -> int:
    """Give what to cut ``draft`` to: ``limit``, or below it by less than a step.

    What must go grows with each message; in whole steps, what is cut stays the same for
    many messages, and so does the prompt's beginning. By no more than needed, each turn
    would move the cut and the provider's cache would never serve a token.
    """
    over = draft.tokens() - limit
    if over <= 0:
        return limit
    step = max(limit // STEP_PART, 1)
    return limit + over - -(-over // step) * step


def _common_cap(sizes: Sequence[int], space: int) -> int:
    """Give the greatest cap under which ``sizes`` together fit into ``space``."""
    left, many = space, len(sizes)
    for size in sorted(sizes):
        if size * many > left:
            return max(left, 0) // many
        left -= size
        many -= 1
    return max(sizes)
