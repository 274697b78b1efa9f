"""What a build remembers for the next one: which messages it began with."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from operator import is_
from typing import TYPE_CHECKING

from tiered_memory.chat.messages import canonical_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.model import Payload

__all__ = ["BuildTrace", "same_start", "traced"]


class _Hash:
    """SHA-256 of the beginning of a list's JSON; copied, never fed, once made."""

    __slots__ = ("_hash",)

    def __init__(self) -> None:
        self._hash = hashlib.sha256(b"[")

    def fed(self, payloads: Sequence[Payload], *, first: bool) -> _Hash:
        """Give the hash after ``payloads`` too; ``first``: none came before."""
        more = _Hash.__new__(_Hash)
        more._hash = self._hash.copy()
        if payloads:
            text = canonical_json(list(payloads))[1:-1]
            more._hash.update((text if first else "," + text).encode())
        return more

    def closed(self) -> str:
        """Give the hash of the whole list, in hex."""
        whole = self._hash.copy()
        whole.update(b"]")
        return whole.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildTrace:
    """The messages of a build, as far as the next one may share them.

    Attributes:
        payloads, tokens: each message in order, and its cost.
        settled: how many messages stood before the tail.
        start: hash of those, so that the next build need not hash them again.
        sound: the window's messages, where they needed no healing.
    """

    payloads: tuple[Payload, ...]
    tokens: tuple[int, ...]
    settled: int
    start: _Hash
    sound: tuple[Payload, ...]


def same_start(payloads: Sequence[Payload], previous: BuildTrace | None) -> int:
    """Give how many leading messages equal those of ``previous``."""
    if previous is None:
        return 0
    count = 0
    for old, new in zip(previous.payloads, payloads, strict=False):
        if old is not new and old != new:
            break
        count += 1
    return count


def traced(
    payloads: Sequence[Payload],
    tokens: Sequence[int],
    *,
    settled: int,
    sound: tuple[Payload, ...],
    previous: BuildTrace | None,
) -> tuple[BuildTrace, str]:
    """Give the trace of a build and its fingerprint.

    Costs a hash of the messages that are new since ``previous``, and of its tail; of
    all, where the state was read anew.
    """
    begin, done = _Hash(), 0
    if previous is not None and _goes_on(payloads[:settled], previous):
        begin, done = previous.start, previous.settled
    start = begin.fed(payloads[done:settled], first=done == 0)
    whole = start.fed(payloads[settled:], first=settled == 0)
    trace = BuildTrace(
        payloads=tuple(payloads),
        tokens=tuple(tokens),
        settled=settled,
        start=start,
        sound=sound,
    )
    return trace, whole.closed()


def _goes_on(payloads: Sequence[Payload], previous: BuildTrace) -> bool:
    """Tell whether ``payloads`` begin with the very objects before the last tail.

    Equal ones are not enough: keys in another order are equal and other bytes.
    """
    known = previous.payloads[: previous.settled]
    return len(payloads) >= len(known) and all(map(is_, known, payloads))
