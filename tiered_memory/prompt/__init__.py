"""Tiers to messages: budget, layout, builder; all pure."""

from __future__ import annotations
