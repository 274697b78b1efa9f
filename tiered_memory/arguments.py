"""Checks what callers pass to public methods: a typed error that names the argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tiered_memory.errors import MessageError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MAX_ID", "check_build", "check_count", "check_name"]

MAX_ID = 255
"""Characters of a session id, subject or message id: the width of their columns."""
MAX_NUMBER = 2**62
"""Above it no database column holds a number."""


def check_name(field: str, value: object) -> None:
    """Refuse what cannot name a session, subject, message or key.

    Raises:
        MessageError: naming ``field``.
    """
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_ID:
        raise MessageError(
            f"{field} must be a text of 1 to {MAX_ID} characters", field=field
        )
    if "\x00" in value or any("\ud800" <= char <= "\udfff" for char in value):
        raise MessageError(
            f"{field} holds a NUL or half a surrogate pair, which no database stores",
            field=field,
        )


def check_count(field: str, value: object, *, least: int) -> None:
    """Refuse what is no whole number from ``least`` on.

    Raises:
        SettingsError: naming ``field`` and the value.
    """
    if type(value) is not int or not least <= value <= MAX_NUMBER:
        raise SettingsError(
            f"{field} must be a whole number of at least {least}, not {value!r}",
            field=field,
            value=value,
        )


def check_build(
    *, system: object, model: object, max_output_tokens: object, tools: object
) -> None:
    """Check the arguments of ``Session.build``.

    Raises:
        SettingsError: naming the argument.
    """
    for field, value in (("system", system), ("model", model)):
        if value is not None and not isinstance(value, str):
            raise SettingsError(f"{field} must be a text", field=field)
    if max_output_tokens is not None:
        check_count("max_output_tokens", max_output_tokens, least=1)
    if tools is None:
        return
    if not isinstance(tools, list | tuple) or not all(
        isinstance(tool, dict) for tool in cast("list[Mapping[str, object]]", tools)
    ):
        raise SettingsError(
            "tools must be a list of tool schemas, each a dict", field="tools"
        )
