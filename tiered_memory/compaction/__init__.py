"""Turns that leave the window to segments of a rolling summary."""

from __future__ import annotations
