"""Checks what callers pass to public methods: a typed error that names the argument."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from tiered_memory.errors import MessageError, SettingsError
from tiered_memory.text.references import reference

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = [
    "MAX_ID",
    "MAX_VALUE",
    "check_build",
    "check_choice",
    "check_count",
    "check_key",
    "check_moment",
    "check_name",
    "check_share",
    "check_text",
]

MAX_ID = 255
"""Characters of a session id, subject or message id: the width of their columns."""
MAX_VALUE = 500
"""Characters of a fact's value that an application sets: it is shown in every prompt."""
MAX_NUMBER = 2**62
"""Above it no database column holds a number."""


def check_name(field: str, value: object, *, most: int = MAX_ID) -> None:
    """Refuse what cannot name a session, subject, message or key.

    Raises:
        MessageError: naming ``field``.
    """
    if not isinstance(value, str) or not 1 <= len(value) <= most:
        raise MessageError(f"{field} must be a text of 1 to {most} characters", field=field)
    if "\x00" in value or any("\ud800" <= char <= "\udfff" for char in value):
        raise MessageError(
            f"{field} holds a NUL or half a surrogate pair, which no database stores",
            field=field,
        )


def check_key(field: str, value: object) -> None:
    """Refuse what a fact cannot be stored under: it may stand in a reference.

    Raises:
        MessageError: naming ``field``.
    """
    check_name(field, value)
    try:
        reference(str(value), 1)
    except ValueError:
        raise MessageError(
            f"{field} must be 1 to 64 letters, digits, '_', '.' or '-' that begin with a "
            "letter or '_'",
            field=field,
        ) from None


def check_text(field: str, value: object) -> None:
    """Refuse what is no text.

    Raises:
        MessageError: naming ``field``.
    """
    if not isinstance(value, str):
        raise MessageError(
            f"{field} must be a text, not {type(value).__name__}", field=field
        )


def check_choice(field: str, value: object, choices: Collection[str]) -> None:
    """Refuse what is none of ``choices``.

    Raises:
        SettingsError: naming ``field``.
    """
    if value not in choices:
        raise SettingsError(f"{field} must be one of {', '.join(choices)}", field=field)


def check_share(field: str, value: object) -> None:
    """Refuse what is no number from 0 to 1.

    Raises:
        SettingsError: naming ``field``.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise SettingsError(f"{field} must be a number from 0 to 1", field=field)


def check_moment(field: str, value: object) -> None:
    """Refuse what is no time with its zone, or beyond the calendar in UTC.

    Raises:
        SettingsError: naming ``field``.
    """
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise SettingsError(
            f"{field} must be a datetime with a time zone, e.g. datetime.now(timezone.utc)",
            field=field,
        )
    try:
        value.astimezone(UTC)
    except OverflowError:
        raise SettingsError(
            f"{field} is no time of the years 1 to 9999 in UTC", field=field
        ) from None


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
