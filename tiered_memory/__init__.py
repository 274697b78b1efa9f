"""Tiered conversation memory for customer-service chat agents."""

from __future__ import annotations
