"""Leaves on text, all pure: folding, references, shortening, language."""

from __future__ import annotations
