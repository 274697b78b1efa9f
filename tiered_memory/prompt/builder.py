"""A session's state into a request's messages: pure, deterministic, always within rules."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final, cast

from tiered_memory.chat.grammar import validate
from tiered_memory.chat.messages import normalise, plain_text
from tiered_memory.errors import BudgetError, GrammarError
from tiered_memory.model import Omission, Prompt, RequestOptions
from tiered_memory.prompt import budget, fact_view
from tiered_memory.prompt.cutting import Cutter, core_tokens
from tiered_memory.prompt.draft import PromptDraft, cost
from tiered_memory.prompt.layout import Layout
from tiered_memory.prompt.memo import Memo
from tiered_memory.prompt.recent import last_user, recent
from tiered_memory.prompt.row import Row, fresh
from tiered_memory.prompt.shown import Shown
from tiered_memory.prompt.trace import BuildTrace, same_start, traced
from tiered_memory.text.language import dominant_language

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tiered_memory.chat.models import ModelInfo, ModelTable
    from tiered_memory.chat.tokens import MessageCounter
    from tiered_memory.model import Payload, Segment
    from tiered_memory.prompt.budget import Allotment, Room
    from tiered_memory.settings import Settings
    from tiered_memory.state import SessionState
    from tiered_memory.text.language import Language

__all__ = ["BuildTrace", "PromptBuilder"]

LANGUAGE_CHARS: Final = 2_000
"""Beginning of the first user message that tells a session's language."""
_Rendering = tuple[tuple[object, object], tuple["Segment", ...]]
"""A rendering, with what it was made from: held, so that their ids stay their own."""

REMEMBERED: Final = 512
"""Rendered summaries and heads kept: those of sessions active at once."""
CACHE_KEY_CHARS: Final = 32
"""Length of ``prompt_cache_key``: 128 bits of a hash; OpenAI takes up to 64 characters."""


class PromptBuilder:
    """Builds prompts; remembers what it rendered and counted, which changes no byte."""

    def __init__(
        self, settings: Settings, counter: MessageCounter, models: ModelTable
    ) -> None:
        self._settings = settings
        self._counter = counter
        self._models = models
        self._layout = Layout(settings.layout, counter)
        self._cutter = Cutter(counter, result_tokens=settings.tool_results.max_tokens)
        self._examples = tuple(
            Shown(payload, counter.message(payload))
            for payload in budget.examples(settings)
        )
        self._heads: Memo[tuple[Payload, Shown]] = Memo(REMEMBERED)
        self._rendered: Memo[_Rendering] = Memo(REMEMBERED)

    def build(
        self,
        state: SessionState,
        *,
        system: str | None = None,
        model: str | None = None,
        max_output_tokens: int | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        previous: BuildTrace | None = None,
    ) -> tuple[Prompt, BuildTrace]:
        """Give the prompt of ``state``, and a trace for the session's next build.

        Within an epoch, what stands before the tail (the note of changed facts and the
        newest user message) begins the next prompt too. That breaks where a result is
        shown short once its turn is over, where a late result is put in its place, when
        the prompt reaches the provider's cacheable minimum, and where something had to
        give way.

        ``system``, ``model`` and ``max_output_tokens`` stand in for the settings.
        Costs no I/O and counts only text that this builder has not met before.

        Raises:
            BudgetError: system prompt and newest user message pass the model's window.
            GrammarError: the finished list breaks the API's grammar (a fault here).
        """
        info = self._models.lookup(self._settings.model if model is None else model)
        tool_tokens = self._counter.tools(tools)
        space = budget.room(
            self._settings, info, output=max_output_tokens, tools=tool_tokens
        )
        draft = self._draft(
            state,
            system,
            cacheable=info.cacheable_tokens - tool_tokens,
            sound=() if previous is None else previous.sound,
        )
        allotment = self._fit(draft, space)
        row = Row.of(draft)
        shared = same_start(row.payloads, previous)
        _check(row.payloads, known=shared)
        trace, fingerprint = traced(
            row.payloads,
            row.tokens,
            settled=row.tail,
            sound=() if draft.recent.repairs else tuple(draft.recent.given),
            previous=previous,
        )
        tokens = sum(row.tiers.values())
        prompt = Prompt(
            messages=fresh(row.payloads),
            seq=state.next_seq - 1,
            revision=state.revision,
            fingerprint=fingerprint,
            tokens=tokens,
            budget=budget.spent(space, allotment, row.tiers),
            tiers=row.tiers,
            omitted=_omitted(draft),
            repairs=draft.recent.repairs,
            stable_tokens=sum(row.tokens[:shared]),
            over_budget=max(0, tokens - space.limit),
            model=info.name,
            request_options=_options(state, info, space.output),
        )
        return prompt, trace

    def _fit(self, draft: PromptDraft, space: Room) -> Allotment:
        """Make ``draft`` fit; give how the limit was split before anything gave way."""
        system = cost(*draft.system)
        allotment = budget.allot(
            space.limit,
            self._settings.budget,
            system=system,
            fixed=system + cost(*draft.examples) + draft.facts_tokens(),
        )
        if draft.tokens() > space.limit:
            _refuse_impossible(draft, space)
            self._cutter.fit(draft, space, allotment)
        return allotment

    # -- parts ----------------------------------------------------------------

    def _draft(
        self,
        state: SessionState,
        system: str | None,
        *,
        cacheable: int,
        sound: Sequence[Payload],
    ) -> PromptDraft:
        segments = self._segments(state)
        language = self._language(state)
        draft = PromptDraft(
            layout=self._layout,
            language=language,
            system=self._system(state, system),
            examples=self._examples,
            segments=segments,
            facts=fact_view.view(state, max_facts=self._settings.facts.max_facts),
            frozen=False,
            recent=recent(
                state,
                self._counter,
                language=language,
                shorten=self._settings.tool_results.after_turn == "shorten",
                sound=sound,
            ),
        )
        if self._settings.layout.facts == "epoch":
            draft.frozen = _is_cacheable(draft, cacheable)
        return draft

    def _system(self, state: SessionState, system: str | None) -> tuple[Shown, ...]:
        if system is None and state.head is not None:
            payloads = state.head.payloads
            if len(payloads) == 1:
                return (Shown(payloads[0], state.head.tokens),)
            return tuple(self._head(payload) for payload in payloads)
        text = self._settings.system_prompt if system is None else system
        return (self._layout.message("system", _sound(text)),) if text else ()

    def _head(self, payload: Payload) -> Shown:
        """Count a head's message once; the entry holds it, so that its id stays its own."""
        return self._heads.get(
            id(payload),
            1,
            lambda: (payload, Shown(payload, self._counter.message(payload))),
        )[1]

    def _segments(self, state: SessionState) -> tuple[Segment, ...]:
        if not state.segments:
            return ()
        held = (state.segments, state.references)
        return self._rendered.get(
            (id(held[0]), id(held[1])), 1, lambda: (held, state.rendered_segments())
        )[1]

    def _language(self, state: SessionState) -> Language:
        """Give the language of the words around data; it stands for an epoch."""
        if self._settings.summary.language is not None:
            return self._settings.summary.language
        if state.segments:
            return "zh" if state.segments[-1].language == "zh" else "en"
        for message in (state.pinned, *state.window):
            if message is not None and message.role == "user":
                return dominant_language(plain_text(message.payload)[:LANGUAGE_CHARS])
        return "en"


def _omitted(draft: PromptDraft) -> tuple[Omission, ...]:
    omitted = list(draft.omitted)
    reasons: dict[str, list[tuple[int, int]]] = {}
    for seq, short in draft.recent.shortened.items():
        reasons.setdefault(short.reason, []).append((seq, short.tokens))
    for reason, results in sorted(reasons.items()):
        omitted.append(
            Omission(
                kind="tool_result",
                reason=reason,
                count=len(results),
                tokens=sum(tokens for _, tokens in results),
                seqs=tuple(sorted(seq for seq, _ in results)),
            )
        )
    if draft.facts.beyond:
        omitted.append(
            Omission(
                kind="facts",
                reason="max_facts",
                count=len(draft.facts.beyond),
                tokens=0,
            )
        )
    return tuple(omitted)


def _options(state: SessionState, model: ModelInfo, output: int) -> RequestOptions:
    digest = hashlib.sha256(state.session_id.encode()).hexdigest()
    key = digest[:CACHE_KEY_CHARS]
    if model.max_tokens_parameter == "max_tokens":
        return RequestOptions(max_tokens=output, prompt_cache_key=key)
    return RequestOptions(max_completion_tokens=output, prompt_cache_key=key)


def _is_cacheable(draft: PromptDraft, cacheable: int) -> bool:
    """Tell whether the whole request, nothing cut, reaches the cacheable minimum.

    Below it a provider keeps no prefix, so the block may change freely. From it on the
    block stays the epoch's. Both forms are asked, so that the answer does not hang on
    which of them is longer.
    """
    beside = draft.tokens_beside_facts()
    if beside >= cacheable or beside + draft.facts_tokens() >= cacheable:
        return True
    draft.frozen = True
    return beside + draft.facts_tokens() >= cacheable


def _check(payloads: Sequence[Payload], *, known: int) -> None:
    """Hold the finished list to the grammar.

    The first ``known`` messages began a list that passed: it is read on from the last
    user message among them, where nothing is open.

    Raises:
        GrammarError: naming the kinds of problems.
    """
    start = last_user(payloads, known)
    problems = validate(payloads if start is None else payloads[start:])
    if problems:
        raise GrammarError(
            "the prompt breaks the chat API's grammar: "
            + ", ".join(sorted({problem.kind for problem in problems})),
            problems=tuple(problems),
        )


def _refuse_impossible(draft: PromptDraft, space: Room) -> None:
    needed = core_tokens(draft)
    if needed <= space.hard:
        return
    system = cost(*draft.system)
    newest = needed - system - budget.PRIMING
    raise BudgetError(
        f"system prompt ({system}) + newest user message ({newest}) + {budget.PRIMING} = "
        f"{needed} tokens, but window ({space.window}) - output ({space.output}) - reserve "
        f"({space.reserve}) - tools ({space.tools}) leaves {space.hard}; use a model with "
        "a larger window, a lower max_output_tokens, fewer tools or a shorter message",
        needed=needed,
        available=space.hard,
        window=space.window,
        output=space.output,
        reserve=space.reserve,
        tools=space.tools,
        system=system,
        newest=newest,
    )


def _sound(text: str) -> str:
    """Give ``text`` as it goes over the wire: lone surrogates replaced."""
    if text.isascii():
        return text
    return cast("str", normalise({"role": "system", "content": text})["content"])
