"""What ten thousand texts that are all different leave behind in the recognizers.

Run: ``python benchmarks/recognizer_memory.py [texts]``. Each holds words that no other has, as
order numbers and names do. ``rss`` is the process's memory, ``strings`` what the English
pipeline keeps; neither may grow with the number of texts.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tiered_memory.facts.entities import EntityStage, EntityText
from tiered_memory.facts.recognizers import installed
from tiered_memory.facts.spacy_entities import SpacyEntities
from tiered_memory.settings import NerSettings

BATCH = 32
ROWS = 5


def rss_mb() -> float:
    """Give the process's resident memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4_096 / (1 << 20)


def texts(first: int, count: int) -> list[EntityText]:
    """Give messages whose words are their own."""
    return [
        EntityText(
            text=f"Parcel zq{n:06}x for Tom H{n:06}ly is late. 我是周雨桐，单号zq{n:06}，在杭州市{n}号。",
            part="content",
        )
        for n in range(first, first + count)
    ]


def main() -> None:
    """Read the texts and print a row from time to time."""
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    loaded, missing = installed(NerSettings())
    for warning in missing:
        print(warning)
    stage = EntityStage(loaded)
    english = loaded["en"][0]
    assert isinstance(english, SpacyEntities)
    stage.candidates(texts(0, BATCH))
    print("  texts  rss MB  strings")
    for first in range(0, total, BATCH):
        if first // BATCH % max(1, total // BATCH // ROWS) == 0:
            show(first, english)
        stage.candidates(texts(1_000 + first, BATCH))
    show(total, english)


def show(read: int, english: SpacyEntities) -> None:
    """Print one row."""
    print(f"{read:7} {rss_mb():7.1f} {english.strings():8}", flush=True)


if __name__ == "__main__":
    main()
