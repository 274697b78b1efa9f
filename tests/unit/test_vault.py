from __future__ import annotations

import base64
import sys
from dataclasses import replace

import pytest

from tiered_memory.errors import SettingsError, VaultError
from tiered_memory.facts.pseudonyms import Hidden
from tiered_memory.state import SessionState
from tiered_memory.vault import Vault, open_vault

ONE, TWO = bytes(range(32)), bytes(range(1, 33))
PHONE = Hidden(
    pseudonym="[phone-AAAAAAAA]", type="phone", value="139 0", normalized="+861390"
)


def state(vault: Vault, session_id: str = "s") -> SessionState:
    return replace(SessionState.empty(session_id), vault=vault.seal(session_id, [PHONE]))


def test_no_two_ciphertexts_are_alike_and_none_shows_the_value() -> None:
    vault = Vault([ONE], env="K")
    entries = [vault.seal("s", [PHONE])[0] for _ in range(50)]
    assert len({e.nonce for e in entries}) == len({e.sealed for e in entries}) == 50
    assert all(b"139" not in e.sealed for e in entries)
    assert len({e.key_id for e in entries}) == 1


def test_what_was_sealed_opens_in_another_process_with_the_same_key() -> None:
    made = state(Vault([ONE], env="K"))
    assert Vault([TWO, ONE], env="K").open(made, [PHONE.pseudonym]) == {
        PHONE.pseudonym: "139 0"
    }


def test_what_is_asked_for_and_not_there_is_left_out() -> None:
    vault = Vault([ONE], env="K")
    assert vault.open(state(vault), ["[phone-BBBBBBBB]"]) == {}


@pytest.mark.parametrize("change", ["session", "name", "bytes"])
def test_a_row_that_was_moved_or_changed_does_not_open(change: str) -> None:
    made = state(Vault([ONE], env="K"))
    entry = made.vault[0]
    if change == "session":
        made = replace(made, session_id="t")
    elif change == "name":
        made = replace(made, vault=(replace(entry, pseudonym="[phone-BBBBBBBB]"),))
    else:
        made = replace(made, vault=(replace(entry, sealed=entry.sealed[:-1] + b"\0\0"),))
    with pytest.raises(VaultError) as caught:
        Vault([ONE], env="K").open(made, [made.vault[0].pseudonym])
    assert "139" not in str(caught.value)


def test_names_differ_by_session_key_type_and_form_and_by_nothing_else() -> None:
    vaults = [Vault([ONE], env="K"), Vault([ONE], env="K"), Vault([TWO], env="K")]
    names = [
        vault.pseudonyms(SessionState.empty(session)).name(kind, form, "v")
        for vault, session, kind, form in [
            (vaults[0], "s", "phone", "1"), (vaults[1], "s", "phone", "1"),
            (vaults[2], "s", "phone", "1"), (vaults[0], "t", "phone", "1"),
            (vaults[0], "s", "email", "1"), (vaults[0], "s", "phone", "2"),
        ]
    ]  # fmt: skip
    assert names[0] == names[1]
    assert len(set(names)) == 5


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(ONE).decode(), base64.urlsafe_b64encode(bytes([251]) * 32).decode(),
        ONE.hex(), ONE.hex().upper(), f" {ONE.hex()} , {base64.b64encode(TWO).decode()}",
    ],
)  # fmt: skip
def test_keys_are_read_in_base64_and_hex(text: str) -> None:
    assert open_vault("K", {"K": text}, wanted_by="") is not None


def test_no_key_is_needed_where_nothing_gets_a_pseudonym() -> None:
    assert open_vault("K", {}, wanted_by="") is None
    with pytest.raises(SettingsError, match="masking of phone") as caught:
        open_vault("K", {"K": " "}, wanted_by="masking of phone")
    assert caught.value.facts["field"] == "masking.vault_key_env"


def test_a_missing_package_is_named_with_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(SettingsError, match=r"tiered-memory\[vault\]"):
        open_vault("K", {"K": ONE.hex()}, wanted_by="masking of phone")


def test_memory_holds_a_limited_number_of_sessions() -> None:
    vault = Vault([ONE], env="K")
    states = [state(vault, f"s{n}") for n in range(1_100)]
    for made in states:
        assert vault.open(made, [PHONE.pseudonym])
    assert len(vault._sessions) == 1_000
    assert vault.open(states[0], [PHONE.pseudonym])
