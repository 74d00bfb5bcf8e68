"""Rules about using a dataset on one platform (``--for``)."""

from __future__ import annotations

from ragtui.datasets.findings import Finding, Level
from ragtui.datasets.rules import rule


@rule("FILE201", "wrong-format", Level.ERROR, example="a BEIR folder for deepset", remedy="convert it")
def wrong_format(title: str, platform: str) -> Finding:
    """The platform the data was to be judged for does not load this format at all, however sound the data is."""
    return Finding("FILE201", Level.ERROR, f"{platform} does not load this format ({title})")
