"""Validators of the user's own, named ``python:module:function`` in a pack."""

from __future__ import annotations

import importlib
import inspect
import logging
import threading
from typing import TYPE_CHECKING, Any, cast

from tiered_memory.facts.pack_sources import like

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["PREFIX", "FailureCount", "PluggedValidator", "load_function"]

PREFIX = "python:"

logger = logging.getLogger(__name__)


class FailureCount:
    """Counts failures of validators by pattern id; shared by threads."""

    __slots__ = ("_counts", "_lock")

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def note(self, name: str) -> int:
        """Count one, and give how many there are now."""
        with self._lock:
            self._counts[name] = self._counts.get(name, 0) + 1
            return self._counts[name]

    def counts(self) -> Mapping[str, int]:
        """Give the failures by pattern id."""
        with self._lock:
            return dict(self._counts)


class PluggedValidator:
    """A function of the user's that fails closed, as the pattern's type wants it.

    Where it raises, or gives neither True, False nor None, the match is dropped; a
    value of a type that is masked is masked. Counted, and logged the first time.
    """

    __slots__ = ("_failures", "_function", "_pattern", "_sensitive", "raised")

    def __init__(
        self,
        function: Callable[[str], Any],
        *,
        pattern: str,
        sensitive: bool,
        failures: FailureCount,
    ) -> None:
        self._function = function
        self._pattern = pattern
        self._sensitive = sensitive
        self._failures = failures
        self.raised: str | None = None

    def __call__(self, value: str) -> bool | None:
        """Give what the function says of a value."""
        try:
            answer = self._function(value)
        except Exception as exc:  # noqa: BLE001 (the user's code, at our edge)
            return self._failed(f"raised {type(exc).__qualname__}")
        if answer is None or isinstance(answer, bool):
            return answer
        return self._failed(f"gave {type(answer).__qualname__}, not a bool or None")

    def _failed(self, what: str) -> bool:
        self.raised = what
        if self._failures.note(self._pattern) == 1:
            logger.warning("the validator of pattern %r %s", self._pattern, what)
        return self._sensitive


def load_function(name: str) -> Callable[[str], Any]:
    """Import what ``python:module:function`` names.

    Raises:
        ValueError: it cannot be imported, or is no function of one text; says which.
    """
    module_name, _, path = name.removeprefix(PREFIX).partition(":")
    if not module_name or not path:
        raise ValueError(f"write python:module:function, not {name!r}")
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as exc:
        raise ValueError(
            f"module {module_name!r} cannot be imported ({type(exc).__qualname__}: {exc}); "
            "its folder must be on the import path, e.g. in PYTHONPATH"
        ) from exc
    for part in path.split("."):
        if not hasattr(found, part):
            raise ValueError(f"{module_name!r} has no {path!r}{like(part, dir(found))}")
        found = getattr(found, part)
    if not callable(found):
        raise ValueError(f"{name!r} is no function")
    if inspect.iscoroutinefunction(found):
        raise ValueError(f"{name!r} is async; a validator answers at once")
    try:
        inspect.signature(found).bind("")
    except (TypeError, ValueError) as exc:
        raise ValueError(f"{name!r} does not take one text") from exc
    return cast("Callable[[str], Any]", found)
