"""The chat API's grammar, all pure: messages, turns, validation, healing, counting."""

from __future__ import annotations
