"""A message's text to facts: packs, patterns, validators, entities, resolution, masking."""

from __future__ import annotations
