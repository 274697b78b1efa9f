"""Values under pseudonyms: sealed for the store, opened to be put back.

AES-256-GCM (NIST SP 800-38D) with a random nonce of 96 bits; a key of its own for each
session, by HKDF-SHA256 (RFC 5869) from the user's. Session and pseudonym are bound to a
ciphertext as its associated data, so that a row that was moved does not open.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import importlib.util
import json
import os
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tiered_memory.errors import SettingsError, VaultError
from tiered_memory.facts.pseudonyms import Hidden, Pseudonyms
from tiered_memory.model import VaultEntry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tiered_memory.state import SessionState

__all__ = ["Vault", "open_vault"]

KEY_BYTES = 32
NONCE_BYTES = 12
SESSIONS = 1_000
"""Sessions whose opened values stay in memory, the least recently used go first."""

MAKE_KEY = (
    'python -c "import base64, secrets; '
    'print(base64.b64encode(secrets.token_bytes(32)).decode())"'
)
INSTALL = "pip install 'tiered-memory[vault]'"


@dataclass(slots=True)
class _Keys:
    """A session's own keys under one of the user's: to seal, and to make pseudonyms."""

    cipher: Any
    naming: bytes


@dataclass(slots=True)
class _Opened:
    """What is in memory of a session."""

    keys: dict[str, _Keys] = field(default_factory=dict[str, _Keys])
    values: dict[VaultEntry, Hidden] = field(default_factory=dict[VaultEntry, Hidden])


class Vault:
    """Seals and opens values; thread-safe.

    Args:
        keys: of 32 bytes; the first seals, all open.
        env: the environment variable that they came from, for errors.
    """

    def __init__(self, keys: Sequence[bytes], *, env: str) -> None:
        self._keys = {_key_id(key): key for key in keys}
        self._current = _key_id(keys[0])
        self._env = env
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, _Opened] = OrderedDict()

    def pseudonyms(self, state: SessionState) -> Pseudonyms:
        """Give the session's pseudonyms, to mask with.

        Some 25 µs at first, and 5 µs for each value that is not in memory. Values under a
        key that is not at hand count as unknown: they get a new pseudonym.
        """
        known = self._opened(state.session_id, state.vault)
        naming = self._of(state.session_id, self._current).naming

        def code(type_name: str, normalized: str) -> str:
            text = f"{type_name}\x00{normalized}".encode()
            digest = hmac.new(naming, text, hashlib.sha256).digest()
            return base64.b32encode(digest).decode()

        return Pseudonyms(code, known.values())

    def seal(self, session_id: str, hidden: Iterable[Hidden]) -> tuple[VaultEntry, ...]:
        """Give the rows of new values; each has a nonce of its own."""
        return tuple(self._sealed(session_id, one) for one in hidden)

    def open(self, state: SessionState, names: Iterable[str]) -> dict[str, str]:
        """Give the values of those of ``names`` that are the session's pseudonyms.

        Raises:
            VaultError: a value was sealed with a key that is not at hand.
        """
        wanted = {entry.pseudonym: entry for entry in state.vault}
        entries = [wanted[name] for name in names if name in wanted]
        for entry in entries:
            if entry.key_id not in self._keys:
                raise VaultError(
                    f"a value was sealed with the key {entry.key_id}, which {self._env} does "
                    "not hold; add that key behind the current one, after a comma",
                    key_id=entry.key_id,
                    env=self._env,
                )
        opened = self._opened(state.session_id, entries)
        return {entry.pseudonym: opened[entry.pseudonym].value for entry in entries}

    def _opened(
        self, session_id: str, entries: Iterable[VaultEntry]
    ) -> Mapping[str, Hidden]:
        """Give what ``entries`` hold, by pseudonym, oldest first."""
        with self._lock:
            values = self._session(session_id).values
        found: dict[str, Hidden] = {}
        for entry in entries:
            if entry.key_id not in self._keys or entry.pseudonym in found:
                continue
            hidden = values.get(entry)
            if hidden is None:
                hidden = values[entry] = self._unsealed(session_id, entry)
            found[entry.pseudonym] = hidden
        return found

    def _sealed(self, session_id: str, hidden: Hidden) -> VaultEntry:
        nonce = os.urandom(NONCE_BYTES)
        text = json.dumps(
            [hidden.type, hidden.value, hidden.normalized], ensure_ascii=False
        )
        cipher = self._of(session_id, self._current).cipher
        return VaultEntry(
            pseudonym=hidden.pseudonym,
            key_id=self._current,
            nonce=nonce,
            sealed=cipher.encrypt(
                nonce, text.encode(), _bound(session_id, hidden.pseudonym)
            ),
        )

    def _unsealed(self, session_id: str, entry: VaultEntry) -> Hidden:
        from cryptography.exceptions import InvalidTag

        cipher = self._of(session_id, entry.key_id).cipher
        bound = _bound(session_id, entry.pseudonym)
        try:
            text: bytes = cipher.decrypt(entry.nonce, entry.sealed, bound)
        except InvalidTag as exc:
            raise VaultError(
                "a row of the vault does not open with its key: it was changed, or it is "
                "another session's",
                key_id=entry.key_id,
                env=self._env,
            ) from exc
        type_name, value, normalized = json.loads(text)
        return Hidden(
            pseudonym=entry.pseudonym, type=type_name, value=value, normalized=normalized
        )

    def _of(self, session_id: str, key_id: str) -> _Keys:
        with self._lock:
            keys = self._session(session_id).keys
            if key_id not in keys:
                keys[key_id] = _derived(self._keys[key_id], session_id)
            return keys[key_id]

    def _session(self, session_id: str) -> _Opened:
        """Give the session's place in memory; the lock is held."""
        opened = self._sessions.get(session_id)
        if opened is None:
            opened = self._sessions[session_id] = _Opened()
            if len(self._sessions) > SESSIONS:
                self._sessions.popitem(last=False)
        self._sessions.move_to_end(session_id)
        return opened


def open_vault(env: str, environ: Mapping[str, str], *, wanted_by: str) -> Vault | None:
    """Make the vault with the keys in ``env``: base64 or hex, with commas between.

    Args:
        env: name of the environment variable.
        environ: the environment.
        wanted_by: the setting or pack that needs a vault; "" where none does.

    Returns:
        None where no key is set and none is needed.

    Raises:
        SettingsError: a key is needed and missing, is no key of 32 bytes, or
            ``cryptography`` is not installed; says what to do.
    """
    given = [text for part in environ.get(env, "").split(",") if (text := part.strip())]
    if not given:
        if not wanted_by:
            return None
        raise SettingsError(
            f"{wanted_by} wants pseudonyms, whose values are stored sealed, and the "
            f"environment variable {env} holds no key. Make one with: {MAKE_KEY}",
            field="masking.vault_key_env",
            value=env,
        )
    keys = [_key(text, env) for text in given]
    if importlib.util.find_spec("cryptography") is None:
        raise SettingsError(
            f"the vault needs the package cryptography: {INSTALL}",
            field="masking.vault_key_env",
            value=env,
        )
    return Vault(keys, env=env)


def _key(text: str, env: str) -> bytes:
    """Read a key; nothing of it is in the error."""
    if len(text) == 2 * KEY_BYTES:
        try:
            return bytes.fromhex(text)
        except ValueError:
            pass  # base64 of another length, refused below
    try:
        key = base64.b64decode(
            text, altchars=b"-_" if set(text) & set("-_") else None, validate=True
        )
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise SettingsError(
            f"{env} must hold keys of {KEY_BYTES} bytes in base64 or hex, with commas "
            f"between; one of them is something else. Make one with: {MAKE_KEY}",
            field="masking.vault_key_env",
            value=env,
        )
    return key


def _key_id(key: bytes) -> str:
    """Name a key without telling anything of it."""
    return hashlib.sha256(b"tiered-memory vault key id\x00" + key).hexdigest()[:16]


def _derived(key: bytes, session_id: str) -> _Keys:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    info = b"tiered-memory vault 1\x00" + session_id.encode()
    derived = HKDF(algorithm=SHA256(), length=2 * KEY_BYTES, salt=None, info=info).derive(
        key
    )
    return _Keys(cipher=AESGCM(derived[:KEY_BYTES]), naming=derived[KEY_BYTES:])


def _bound(session_id: str, pseudonym: str) -> bytes:
    """Give what a ciphertext is bound to; no two pairs give the same bytes."""
    session = session_id.encode()
    return b"%d:%b:%b" % (len(session), session, pseudonym.encode())
