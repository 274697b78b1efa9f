"""What ``benchmarks/extraction.py`` is made of."""

from __future__ import annotations
