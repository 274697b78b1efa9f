"""Readers: what finds a value's borders where an expression alone cannot."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from tiered_memory.facts import (
    chinese_addresses,
    chinese_names,
    latin_addresses,
    latin_names,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from tiered_memory.facts.readings import Reading

__all__ = ["READERS", "Reader"]


@dataclass(frozen=True, slots=True)
class Reader:
    """Two functions over the folded text; spans are half-open, in its characters.

    Attributes:
        extent: text, start and end of what an expression found, and the types asked for
            → where the value begins and ends, which may be beyond that, or None where it
            is none.
        answers: a reply and the types asked for → values in it.
    """

    extent: Callable[[str, int, int, Collection[str]], tuple[int, int] | None]
    answers: Callable[[str, Collection[str]], Sequence[Reading]]


READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "address_en": Reader(latin_addresses.extent, latin_addresses.answers),
        "address_zh": Reader(chinese_addresses.extent, chinese_addresses.answers),
        "family_name_en": Reader(latin_names.family_extent, latin_names.answers),
        "name_en": Reader(latin_names.extent, latin_names.answers),
        "name_zh": Reader(chinese_names.extent, chinese_names.answers),
    }
)
"""Readers by the name that a pack gives them."""
