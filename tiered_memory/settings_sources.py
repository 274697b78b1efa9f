"""Where settings come from: a file, the environment, and what to say when one is wrong."""

from __future__ import annotations

import difflib
import json
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard, cast, get_args

import yaml
from pydantic import BaseModel

from tiered_memory.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

__all__ = ["ENV_PREFIX", "Origins", "anchor_files", "override", "read_file", "refused"]

ENV_PREFIX = "TIERED_MEMORY_"

_WORDS = {
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "dict_type": "must be a table of keys and values",
    "model_type": "must be a table of keys and values",
    "string_type": "must be text",
}
"""What pydantic says in Python's words, said in those of a settings file."""

_IN_JSON = {
    "must be a list": '; write it as JSON: ["a", "b"]',
    "must be a table of keys and values": '; write it as JSON: {"key": "value"}',
    "must be text": "; text that reads as JSON too goes in double quotes",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """Where values were given: the file, and by path the variables above it."""

    file: str | None = None
    variables: Mapping[tuple[str, ...], str]

    def variable(self, loc: tuple[str, ...]) -> str | None:
        """Give the variable that set a value, a part of it, or what it is part of."""
        for path, name in self.variables.items():
            shared = min(len(path), len(loc))
            if path[:shared] == loc[:shared]:
                return name
        return None


def read_file(file: Path) -> dict[str, Any]:
    """Read a settings file, unchecked.

    Raises:
        SettingsError: it is missing, malformed, or holds no keys and values.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise SettingsError(
            f"settings file {file} cannot be read: {exc}", file=str(file)
        ) from exc
    try:
        if file.suffix == ".toml":
            return tomllib.loads(text)
        if file.suffix in {".yaml", ".yml"}:
            loaded: object = yaml.safe_load(text)
        else:
            raise SettingsError(
                f"settings file {file} must end in .toml, .yaml or .yml", file=str(file)
            )
    except (tomllib.TOMLDecodeError, yaml.YAMLError) as exc:
        raise SettingsError(f"settings file {file}: {exc}", file=str(file)) from exc
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise SettingsError(
            f"settings file {file} must hold keys and values", file=str(file)
        )
    return cast("dict[str, Any]", loaded)


def anchor_files(values: dict[str, Any], folder: Path) -> None:
    """Take relative paths of ``facts.files`` from the settings file's folder."""
    facts: object = values.get("facts")
    if not isinstance(facts, dict):
        return
    part = cast("dict[str, Any]", facts)
    names: object = part.get("files")
    if isinstance(names, list):
        part["files"] = [str(folder / str(name)) for name in cast("list[object]", names)]


def override(
    values: dict[str, Any], environ: Mapping[str, str], *, no_setting: str
) -> Mapping[tuple[str, ...], str]:
    """Put the environment's values above those of a file; give what set which path.

    Args:
        values: changed in place.
        environ: the environment.
        no_setting: a variable that holds a key, as is the one that
            ``masking.vault_key_env`` names.

    Raises:
        SettingsError: a variable goes below a value that has no parts.
    """
    keys = _key_variables(values, environ) | {no_setting}
    given: dict[tuple[str, ...], str] = {}
    for name in sorted(environ):
        if not name.startswith(ENV_PREFIX) or name in keys:
            continue
        path = tuple(name[len(ENV_PREFIX) :].lower().split("__"))
        given[path] = name
        place = values
        for parent in path[:-1]:
            inner = place.setdefault(parent, {})
            if not isinstance(inner, dict):
                raise SettingsError(f"{name}: {parent} holds no parts", field=parent)
            place = cast("dict[str, Any]", inner)
        text = environ[name]
        try:
            place[path[-1]] = json.loads(text)
        except json.JSONDecodeError:
            place[path[-1]] = text
    return given


def _key_variables(values: dict[str, Any], environ: Mapping[str, str]) -> set[str]:
    """Give the variables that hold a vault's key, which is no setting."""
    named = {environ.get(f"{ENV_PREFIX}MASKING__VAULT_KEY_ENV", "")}
    masking: object = values.get("masking")
    if isinstance(masking, dict):
        named.add(str(cast("dict[str, Any]", masking).get("vault_key_env", "")))
    return named


def refused(
    exc: ValidationError, model: type[BaseModel], origins: Origins | None = None
) -> SettingsError:
    """Say what is wrong with which setting, and whether file or environment set it."""
    origins = origins or Origins(variables={})
    problems: list[str] = []
    errors = exc.errors(include_url=False, include_context=False)
    for error in errors:
        loc = tuple(str(part) for part in error["loc"])
        variable = origins.variable(loc) if loc else None
        what = _said(error, loc, model)
        if variable is not None:
            what += _IN_JSON.get(what, "")
        said = ": ".join(filter(None, (".".join(loc), what)))
        source = variable or origins.file
        problems.append(said if source is None else f"{source}: {said}")
    return SettingsError(
        "; ".join(problems),
        field=".".join(str(part) for part in errors[0]["loc"]),
        file=origins.file,
    )


def _said(error: ErrorDetails, loc: tuple[str, ...], model: type[BaseModel]) -> str:
    if error["type"] == "extra_forbidden":
        near = difflib.get_close_matches(loc[-1], _names(model, loc[:-1]), n=1)
        return "no such setting" + (f"; did you mean {near[0]!r}?" if near else "")
    return _WORDS.get(error["type"], error["msg"].removeprefix("Value error, "))


def _names(model: type[BaseModel], loc: Iterable[str]) -> list[str]:
    """Give the settings of the part at ``loc``."""
    part: type[BaseModel] | None = model
    for name in loc:
        field = None if part is None else part.model_fields.get(name)
        if field is not None:
            inner = (field.annotation, *get_args(field.annotation))
            part = next((one for one in inner if _is_part(one)), None)
    return [] if part is None else list(part.model_fields)


def _is_part(kind: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
