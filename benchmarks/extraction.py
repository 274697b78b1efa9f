"""Facts and masking against marked texts: ``python benchmarks/extraction.py PATH...``.

A PATH is a span file (gzipped JSON lines of ``id, lang, speaker, text, spans``) or a folder
of them; a file's name is its set's. All shipped packs, no recognizer: what
``memory.extract`` gives for one text. A figure with a bound is marked ``ok`` or ``LOW``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from extraction_parts import runs, timing
from extraction_parts.data import load
from extraction_parts.reading import Reader

from tiered_memory import MemoryEngine, Settings
from tiered_memory.facts.packs import shipped_packs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from extraction_parts.data import Row
    from extraction_parts.scoring import Score

AIRLINE = Path(__file__).resolve().parent.parent / "examples" / "airline.yaml"

SCAN_BOUNDS = {"200_chars_1_fact": 100.0, "200_chars_7_facts": 250.0, "10_kb": 2_000.0}
"""µs for folding and all patterns, without reading the surroundings."""


def settings(files: Sequence[Path] = ()) -> Settings:
    """Give settings with every shipped pack, and no recognizer."""
    packs = tuple(sorted(path.stem for path in shipped_packs().glob("*.yaml")))
    return Settings(facts={"packs": packs, "files": tuple(files)}, ner={"mode": "off"})


def read_sets(paths: Iterable[Path]) -> dict[str, list[Row]]:
    """Read all span files, by the name of their set."""
    files: list[Path] = []
    for path in paths:
        files += sorted(path.glob("*.jsonl.gz")) if path.is_dir() else [path]
    sets = {path.name.split(".", 1)[0]: load(path) for path in files}
    return {name: rows for name, rows in sets.items() if rows}


async def measure(sets: dict[str, list[Row]], role: str | None) -> runs.Result:
    """Run everything that the sets at hand allow."""
    result = runs.Result()
    async with MemoryEngine.open(":memory:", settings=settings()) as memory:
        reader = Reader(memory, role)
        for rows in sets.values():
            runs.plain(rows, reader, result)
        if "multidogo" in sets:
            runs.asked(sets["multidogo"], reader, result)
            runs.cards(sets["multidogo"], reader, result)
        if "presidio_research" in sets:
            runs.shapes(sets["presidio_research"], reader, result)
        if "recognizers_text" in sets:
            runs.oracle(sets["recognizers_text"], reader, result)
        runs.key_shapes(reader, result)
    async with MemoryEngine.open(":memory:", settings=settings([AIRLINE])) as memory:
        for name in runs.DOMAIN:
            if name in sets:
                runs.domain(sets[name], Reader(memory, role), result)
    turns = max(1, result.turns)
    masked = 1_000 * result.false_masks / turns
    result.note(
        "masking", "false per 1,000 turns, all sets", masked, result.turns, 1.0, most=True
    )
    result.note(
        "exactness", "values no slice of their text", result.inexact, 1, 0, most=True
    )
    return result


def note_times(result: runs.Result) -> None:
    """Add what a message costs."""
    for name, found in timing.stages(settings()).items():
        for stage, value in found.items():
            bound = SCAN_BOUNDS[name] if stage == "pattern_scan" else None
            result.note(f"µs {name}", stage, value, 1, bound, most=True)
    for name, figures in timing.growth(settings()).items():
        for figure, value in figures.items():
            result.note(f"growth {name}", figure, value, 1, None, most=True)


def print_figures(result: runs.Result) -> None:
    """Print figures against their bounds, by group."""
    print(f"{'':44} {'value':>10} {'of':>7} {'bound':>9}")
    group = ""
    groups = list(dict.fromkeys(f.group for f in result.figures))
    for figure in sorted(result.figures, key=lambda f: groups.index(f.group)):
        if figure.group != group:
            group = figure.group
            print(f"\n{group}")
        value = f"{figure.value:.3f}" if figure.value < 10 else f"{figure.value:,.1f}"
        sign = "<=" if figure.most else ">="
        bound = "" if figure.bound is None else f"{sign} {figure.bound:g}"
        verdict = {None: "", True: "ok", False: "LOW"}[figure.passed]
        print(f"  {figure.name:42} {value:>10} {figure.count:>7} {bound:>9} {verdict}")


def print_scores(scores: Iterable[Score]) -> None:
    """Print precision and recall of every type in every set."""
    head = (
        "prec",
        "recall",
        "F1",
        "hit",
        "miss",
        "near",
        "other",
        "extra",
        "hole",
        "unmark",
    )
    print(f"\n{'by set and type':44}" + "".join(f"{name:>8}" for name in head))
    for score in scores:
        print(f"{score.set}, {score.mode}")
        for name, t in sorted(score.tallies.items()):
            shares = f"{t.precision:8.3f}{t.recall:8.3f}{t.f1:8.3f}"
            counts = (t.hit, t.miss, t.near, t.other, t.extra, t.hole, t.unmarked)
            print(f"  {name:42}{shares}" + "".join(f"{n:8}" for n in counts))


def as_json(result: runs.Result) -> dict[str, Any]:
    """Give all figures, tallies and rows left out."""
    return {
        "figures": [
            {
                "group": f.group,
                "name": f.name,
                "value": f.value,
                "count": f.count,
                "bound": f.bound,
                "bound_is": "most" if f.most else "least",
                "passed": f.passed,
            }
            for f in result.figures
        ],
        "scores": [
            {
                "set": score.set,
                "mode": score.mode,
                "type": name,
                "precision": t.precision,
                "recall": t.recall,
                "f1": t.f1,
                **{slot: getattr(t, slot) for slot in t.__slots__},
            }
            for score in result.scores
            for name, t in sorted(score.tallies.items())
        ],
        "left_out": result.left_out,
    }


def main() -> None:
    """Parse arguments, measure, print; exit 1 where a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--faults", type=Path, help="write every fault, a JSON line each")
    parser.add_argument("--role", choices=("user", "assistant"), help="read all rows as")
    parser.add_argument("--no-times", action="store_true", help="leave out the timing")
    given = parser.parse_args()
    result = asyncio.run(measure(read_sets(given.paths), given.role))
    if not given.no_times:
        note_times(result)
    print_figures(result)
    print_scores(result.scores)
    reasons = sorted({item["why"] for item in result.left_out})
    print("\nrows left out, whose marks contradict themselves or other rows")
    for why in reasons:
        print(f"  {why:60} {sum(i['why'] == why for i in result.left_out):6}")
    if given.json:
        text = json.dumps(as_json(result), ensure_ascii=False, indent=1)
        given.json.write_text(text, encoding="utf-8")
    if given.faults:
        lines = (json.dumps(fault, ensure_ascii=False) for fault in result.faults)
        given.faults.write_text("\n".join(lines) + "\n", encoding="utf-8")
    raise SystemExit(any(f.passed is False for f in result.figures))


if __name__ == "__main__":
    main()
