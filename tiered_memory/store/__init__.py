"""What is durable: one writing task per process, readers beside it, migrations."""

from __future__ import annotations
