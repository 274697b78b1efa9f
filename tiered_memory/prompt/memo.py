"""A bounded memory of what was rendered or counted before."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["Memo"]

Value = TypeVar("Value")


class Memo(Generic[Value]):
    """Results of a pure function by key, least recently used dropped first.

    The function must depend on the key alone, so that a hit and a miss give the same.
    Safe to use from several threads; two that miss together both compute. ``limit``
    bounds the sum of the sizes that callers state; a larger value is not kept.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Hashable, size: int, make: Callable[[], Value]) -> Value:
        """Give the value of ``key``, from ``make()`` where it is not known."""
        with self._lock:
            entry = self._values.get(key)
            if entry is not None:
                self._values.move_to_end(key)
                return entry[0]
        value = make()
        with self._lock:
            if size <= self._limit and key not in self._values:
                self._values[key] = (value, size)
                self._size += size
            while self._size > self._limit:
                _, (_, freed) = self._values.popitem(last=False)
                self._size -= freed
        return value
