"""Writes docs/types.md from the shipped packs: run this file after one was changed."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from tiered_memory.facts.packs import load_patterns, shipped_packs
from tiered_memory.facts.patterns import Pattern
from tiered_memory.settings import FactSettings
from tiered_memory.text.folding import fold

PAGE = Path(__file__).parents[2] / "docs" / "types.md"

HEAD = """# Types of facts

What the shipped pattern packs find, written by `tests/docs/types_page.py` from the packs
themselves. `secrets`, `common` and `ecommerce` are on unless `facts.packs` says otherwise;
`secrets` comes with every other pack. How to add a type, or to change one:
[patterns.md](patterns.md). Beside them there is `note`, what the customer asks to remember:
[notes.md](notes.md).

- **key**: what a fact is stored under; it stands in a reference, `[[order_id:3]]`.
- **normal form**: two values with the same one are the same fact. The value itself is kept as
  the customer wrote it.
- **values**: `one` is superseded by a new one, with its history kept; `many` stand side by side.
- **stored**: `as it is`; `masked`, which leaves at most the last characters readable; `never`.
  `masking` in the settings changes it by type.
- **through the summary**: whether it goes there as a reference, so that no model rewords it.

| type | key | normal form | values | stored | through the summary | packs | languages | example |
|---|---|---|---|---|---|---|---|---|
"""

FORMS = {
    "address": "lower case, white space collapsed",
    "amount": "decimal and currency, `1299.00 CNY`; a range `100.00-200.00 CNY`, a bound `<=50.00 CNY`",
    "compact": "letters and digits alone, upper case",
    "date": "ISO 8601 with its grain: `2026-05-12`, `2026-W20`, `2026-05`, `--05-12`; unclear ones as written",
    "date_month_first": "ISO 8601 with its grain: `2026-05-12`, `2026-W20`, `2026-05`, `--05-12`; unclear ones as written",
    "digits": "digits alone",
    "e164": "E.164, `+8613900008642`, extension as `;ext=12`",
    "email": "domain in lower case",
    "identifier": "upper case, no spaces, no `#`",
    "ip": "shortest form (RFC 5952)",
    "language": "language tag (BCP 47)",
    "lower": "lower case",
    "measure": "number and unit, `2.5 kg`",
    "none": "as written",
    "percent": "`4.5%`",
    "person_name": "lower case, no title",
    "quantity": "number and unit, `2 台`",
    "text": "lower case, one space between words",
    "time": "ISO 8601 `15:30`, a range `14:00/16:00`, `2026-05-12T20:00` for `今晚8点`; as written where morning or afternoon is open",
    "time_zone": "offset `+08:00`, else the zone's name",
    "upper": "upper case",
}
"""What a pack's ``normalize`` gives, in words."""

_STORED = {"store": "as it is", "pseudonym": "sealed, under a pseudonym", "drop": "never"}


def pack_names() -> tuple[str, ...]:
    """Give the names of the shipped packs, those that are on by default first."""
    default = FactSettings().packs
    others = sorted({file.stem for file in shipped_packs().glob("*.yaml")} - set(default))
    return (*default, *others)


def shipped() -> list[tuple[str, Pattern]]:
    """Give all shipped patterns with the name of their pack, in the order of the packs."""
    patterns = load_patterns(FactSettings(packs=pack_names()), {}).patterns
    return [(Path(pattern.origin.rpartition(":")[0]).stem, pattern) for pattern in patterns]


def rows() -> list[tuple[str, ...]]:
    """Give the cells of the table, one row for each type and key."""
    groups: dict[tuple[str, str], list[tuple[str, Pattern]]] = defaultdict(list)
    for pack, pattern in shipped():
        groups[pattern.spec.type, pattern.spec.fact_key].append((pack, pattern))
    return [_row(*key, groups[key]) for key in sorted(groups)]


def _row(name: str, key: str, found: list[tuple[str, Pattern]]) -> tuple[str, ...]:
    found = sorted(found, key=_rank)
    specs = [pattern.spec for _, pattern in found]
    forms = dict.fromkeys(FORMS[spec.normalize] for spec in specs)
    kept = specs[0].sensitivity
    return (
        f"`{name}`",
        f"`{key}`",
        "; ".join(forms) if kept == "store" else "–",
        "–"
        if kept == "drop"
        else " or ".join(dict.fromkeys(spec.cardinality for spec in specs)),
        "; ".join(dict.fromkeys(_stored(pattern) for _, pattern in found)),
        "yes" if specs[0].identifier else "no",
        ", ".join(dict.fromkeys(pack for pack, _ in found)),
        ", ".join(sorted({code for spec in specs for code in spec.languages})),
        _example(found[0][1]),
    )


def _rank(one: tuple[str, Pattern]) -> tuple[bool, bool]:
    """Put first what shows most of a type: what is kept, in the pack that it is from."""
    pack, pattern = one
    dropped = pattern.spec.sensitivity == "drop"
    return dropped, pack == "secrets" and not dropped


def _stored(pattern: Pattern) -> str:
    spec = pattern.spec
    if spec.sensitivity != "mask":
        return _STORED[spec.sensitivity]
    return f"masked, last {spec.mask.keep_last}" if spec.mask.keep_last else "masked"


def _example(pattern: Pattern) -> str:
    example = pattern.spec.examples.match[0]
    value = " ".join(example.values[0].split())
    if pattern.spec.sensitivity != "store":
        return f"`{value if len(value) <= 24 else value[:20] + '…'}`"
    normal = pattern.normalizer(fold(value).text)
    shown = f"`{value}`"
    return (shown if normal == value else f"{shown} → `{normal}`").replace("|", "\\|")


def page() -> str:
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
