"""Number words, units, months and days, as tables from folded word to value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ragtui.judges.embedded.wordlists import toml_list


def _places(name: str, factor: int = 1) -> dict[str, int]:
    """Each word of a row by its place in it."""
    words = toml_list("numbers.toml")[name].split()
    return {word: place * factor for place, word in enumerate(words) if word != "_"}


SMALL: Final = _places("small")
TENS: Final = _places("tens", 10)
ORDINALS: Final = _places("ordinals")
WEEKDAYS: Final = _places("weekdays")
MONTHS: Final = {**_places("short_months"), "sept": 9, **_places("months")}
SCALES: Final = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "bn": 1e9, "mn": 1e6, "dozen": 12.0,
    "millions": 1e6, "billions": 1e9,
}  # fmt: skip
PARTS: Final = {
    "half": 50.0, "third": 100 / 3, "quarter": 25.0, "fifth": 20.0, "sixth": 100 / 6, "eighth": 12.5, "tenth": 10.0,
    "halves": 50.0, "thirds": 200 / 3, "quarters": 75.0, "fifths": 20.0, "tenths": 10.0,
}  # fmt: skip
CLOCKS: Final = {"noon": 720.0, "midday": 720.0, "midnight": 0.0}
RATES: Final = {
    "hourly": 3600.0, "daily": 86400.0, "weekly": 604800.0, "fortnightly": 1209600.0, "monthly": 2592000.0,
    "yearly": 31536000.0, "annually": 31536000.0, "annual": 31536000.0,
}  # fmt: skip
OFTEN: Final = {"once": 1.0, "twice": 2.0}
CURRENCIES: Final = frozenset("$€£¥₹")

UNITS: Final[Mapping[str, tuple[str, float]]] = {
    word: (kind, float(factor))
    for kind, row in toml_list("units.toml").items()
    for factor, words in row.items()
    for word in words.split()
}
"""Each unit's kind of quantity, and how many base units of that kind it is."""
