"""Real values where pseudonyms stand, in texts, messages and arguments."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol, cast

from tiered_memory.chat.messages import normalise
from tiered_memory.chat.plain import plain_value
from tiered_memory.errors import VaultError
from tiered_memory.facts.json_leaves import json_leaves
from tiered_memory.facts.pseudonyms import PSEUDONYM
from tiered_memory.facts.re2_engine import compile_re2

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tiered_memory.facts.re2_engine import Program
    from tiered_memory.state import SessionState
    from tiered_memory.vault import Vault

__all__ = ["Dumpable", "Revealer"]


class Dumpable(Protocol):
    """An object of the SDK: a message, a call."""

    def model_dump(self) -> dict[str, Any]:
        """Give its members."""
        ...


class Revealer:
    """Puts values back; pure, thread-safe, linear in the text."""

    def __init__(self, vault: Vault | None) -> None:
        self._vault = vault
        self._form = compile_re2(PSEUDONYM)

    def reveal(self, state: SessionState, given: object) -> Any:
        """Give a copy of ``given`` with the session's values in it.

        A text that is JSON stays JSON, also where it stands in another; what looks like
        a pseudonym and is none of the session's stays.

        Raises:
            MessageError: ``given`` is no text, message or other JSON value.
            VaultError: a value cannot be opened.
        """
        if isinstance(given, str):
            plain: object = str(given)
        elif callable(getattr(given, "model_dump", None)) and hasattr(given, "role"):
            plain = dict(normalise(given))
        else:
            plain = plain_value(given, position=0)
        names = {name for text in _strings(plain) for name in _names(self._form, text)}
        if not names:
            return plain
        if self._vault is not None:
            values = self._vault.open(state, sorted(names))
        elif any(entry.pseudonym in names for entry in state.vault):
            raise VaultError(
                "the session has values under pseudonyms, and no key to open them is set: "
                "see masking.vault_key_env",
                key_id=state.vault[0].key_id,
                env=None,
            )
        else:
            values = {}
        return self._put_back(plain, values) if values else plain

    def _put_back(self, value: object, values: Mapping[str, str]) -> object:
        if isinstance(value, str):
            return self._text(value, values)
        if isinstance(value, list):
            return [self._put_back(item, values) for item in cast("list[object]", value)]
        if isinstance(value, dict):
            return {
                self._plain(key, values): self._put_back(inner, values)
                for key, inner in cast("dict[str, object]", value).items()
            }
        return value

    def _text(self, text: str, values: Mapping[str, str]) -> str:
        leaves = json_leaves(text) if "[" in text else None
        if leaves is None:
            return self._plain(text, values)
        pieces: list[str] = []
        done = 0
        for leaf in leaves:
            if not leaf.quoted or "[" not in leaf.value:
                continue
            shown = self._text(leaf.value, values)
            if shown != leaf.value:
                pieces.append(self._plain(text[done : leaf.start], values, inside=True))
                pieces.append(_quoted(shown, text[leaf.start : leaf.end]))
                done = leaf.end
        pieces.append(self._plain(text[done:], values, inside=True))
        return "".join(pieces)

    def _plain(self, text: str, values: Mapping[str, str], *, inside: bool = False) -> str:
        """Put values into a text, or into the keys of a piece of JSON."""
        pieces: list[str] = []
        done = 0
        for match in self._form.finditer(text):
            value = values.get(text[match.start() : match.end()])
            if value is None:
                continue
            if inside:
                value = json.dumps(value, ensure_ascii=False)[1:-1]
            pieces += (text[done : match.start()], value)
            done = match.end()
        return "".join((*pieces, text[done:]))


def _quoted(value: str, like: str) -> str:
    """Give the JSON string, in ASCII where the one before was."""
    return json.dumps(value, ensure_ascii="\\u" in like)


def _names(form: Program, text: str) -> Iterator[str]:
    if "[" in text:
        for match in form.finditer(text):
            yield text[match.start() : match.end()]


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            yield from _strings(item)
    elif isinstance(value, dict):
        for key, inner in cast("dict[str, object]", value).items():
            yield key
            yield from _strings(inner)
