"""Rules about using a dataset on one platform (``--for``)."""

from __future__ import annotations

from ragtui.datasets.findings import Finding, Level
from ragtui.datasets.rules import rule


@rule(
    "FILE201",
    "wrong-format",
    Level.ERROR,
    example="a BEIR folder for deepset",
    remedy="write it in a format that is loaded there: `ragtui convert SRC DST --to FORMAT`; or name another platform",
)
def wrong_format(title: str, platform: str) -> Finding:
    """The platform named by --for does not load this format at all, however sound the data is. Each platform loads its own:
    deepset its CSVs, EvalScope, BEIR and MTEB a BEIR folder, Azure JSON lines, Pinecone JSON."""
    return Finding("FILE201", Level.ERROR, f"{platform} does not load this format ({title})")
