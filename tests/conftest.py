"""Shared by all tests: the event loop's backend, and no blocking of it by the package."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from blockbuster import blockbuster_ctx

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background job ignores Ctrl+C, and so would the children of the tests.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def nothing_blocks_the_loop() -> Iterator[None]:
    """Make a blocking call of the package on the event loop an error.

    But for an upgrade through an engine that is not ours, which says that it blocks.
    """
    with blockbuster_ctx("tiered_memory") as blockbuster:
        for function in blockbuster.functions.values():
            function.can_block_in("tiered_memory/store/migrate.py", {"upgrade"})
        yield
