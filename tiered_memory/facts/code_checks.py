"""Checks of codes, references and host names by their shape: False refuses."""

from __future__ import annotations

from tiered_memory.facts.checksums import is_day

__all__ = ["host", "link", "phone_digits", "reference_letters", "spelt_reference"]

_LEAST_DISTINCT = 5
"""Of ten random digits, 97 in 100 have as many different ones; made-up ones have fewer."""

_SPELT_CHARS = 4
_ZIP_DIGITS = 5
_FILE_STEMS = frozenset({"e", "i", "a", "etc", "no", "vs", "node", "asp", "vb"})


def phone_digits(value: str) -> bool | None:
    """Refuse bare digits that are filled in (``5555555555``) or begin with a day."""
    digits = "".join(char for char in value if "0" <= char <= "9")
    if digits[:2] in {"19", "20"} and is_day(digits[:8]):
        return False
    return None if len(set(digits)) >= _LEAST_DISTINCT else False


def link(value: str) -> bool | None:
    """Refuse a link whose host is to be filled in (``https://xxx.com``)."""
    place = value.partition("://")[2] or value
    return False if _filled_in(_labels(place)) else None


def _labels(place: str) -> list[str]:
    for end in "/?#":
        place = place.partition(end)[0]
    return place.rpartition("@")[2].partition(":")[0].lower().split(".")


def _filled_in(labels: list[str]) -> bool:
    """Tell a host that stands for any: a label of nothing but ``x`` (RFC 2606 has none)."""
    return any(len(label) > 2 and not label.strip("x") for label in labels)


def host(value: str) -> bool | None:
    """Refuse host names without a letter before the top-level domain (``3.co``)."""
    labels = _labels(value)
    if _filled_in(labels):
        return False
    if any(label.startswith("-") or label.endswith("-") for label in labels):
        return False
    if not any(char.isalpha() for label in labels[:-1] for char in label):
        return False
    return False if labels[0] in _FILE_STEMS else None


_NO_REFERENCE = frozenset(
    """
    already below blank cancelled confirmed correct details email everything expired given
    gone here hotel incorrect invalid issue just listed lost missing needed never nothing
    pending please problem received right service shown still system thanks there today
    train unknown urgent wrong yours
    """.split()  # noqa: SIM905 (a table of words)
)


def reference_letters(value: str) -> bool | None:
    """Refuse words that follow ``the reference number is``; letters alone may be one."""
    return False if value.lower() in _NO_REFERENCE else None


_NO_PART = frozenset(
    """
    a an and at by for from have i if im in is it its me my no not now of off ok on one or
    our out she sir so that the them then this to too two up via was we why will with yes
    you am pm gb mb tb kg cc hp km mr mrs ms dr st nd rd th usd eur inr rs num nos id ids
    acc ac act ssn zip tel ph fax ext apt box po age pin car bmw kia day days hour hours
    min mins week year room seat star pax item men kid kids jan feb mar apr may jun jul aug
    sep oct nov dec mon tue wed thu fri sat sun card
    """.split()  # noqa: SIM905 (a table of words)
)
_JOINING = frozenset(
    """
    and for from of or to than am pm jan feb mar apr may jun jul aug sep oct nov dec
    """.split()  # noqa: SIM905 (a table of words)
)
_STATES = frozenset(
    """
    al ak az ar ca co ct de fl ga hi ia id il in ks ky la ma md me mi mn mo ms mt nc nd ne
    nh nj nm nv ny oh ok or pa ri sc sd tn tx ut va vt wa wi wv wy dc
    """.split()  # noqa: SIM905 (a table of words)
)


def spelt_reference(value: str) -> bool | None:
    """Tell a reference spelt in groups (``d 4 ct 58``) from words with a count.

    It neither begins nor ends with a word or a unit, and no count is joined to another
    (``5 to 3``). ``ny 12345`` is a state and its postcode.
    """
    parts = value.lower().split()
    if len(parts) < 2:
        return False
    first = parts[0] in _NO_PART and not (len(parts) > 2 and parts[0] in {"a", "i"})
    if first or parts[-1] in _NO_PART or not _JOINING.isdisjoint(parts):
        return False
    digits = sum("0" <= char <= "9" for char in value)
    chars = sum(char.isalnum() for char in value)
    if digits < 2 or chars < _SPELT_CHARS or digits == chars:
        return False
    if len(parts) == 2 and parts[0] in _STATES and len(parts[1]) in {4, _ZIP_DIGITS}:
        return None if len(parts[1]) < _ZIP_DIGITS and parts[0] not in _ZIPPED else False
    return None


_ZIPPED = frozenset({"ma", "ct", "nj", "nh", "ri", "me", "vt"})
"""States whose postcodes begin with 0, which people leave out."""
