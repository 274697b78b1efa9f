"""Shared by all tests: the event loop's backend, and no blocking on it."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
