"""Keys for tests of the vault, and settings that use one."""

from __future__ import annotations

import base64
from typing import Any

from tiered_memory import Settings

ENV = "SHOP_VAULT_KEY"
KEY = base64.b64encode(bytes(range(32))).decode()
OTHER_KEY = bytes(range(1, 33)).hex()


def settings(**more: Any) -> Settings:
    """Phones and e-mail addresses under pseudonyms."""
    values: dict[str, Any] = {
        "ner": {"mode": "off"},
        "masking": {"phone": "pseudonym", "email": "pseudonym", "vault_key_env": ENV},
    }
    return Settings(**{**values, **more})
