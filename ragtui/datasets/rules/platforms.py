"""Rules about using a dataset on one platform (``--for``)."""

from __future__ import annotations

from collections.abc import Sequence

from ragtui.datasets.findings import Finding, Level
from ragtui.datasets.rules import rule


@rule(
    "FILE201",
    "wrong-format",
    Level.ERROR,
    example="a BEIR folder for deepset",
    remedy="write it in a format that is loaded there: `ragtui convert SRC DST --to FORMAT`; or name another platform",
)
def wrong_format(title: str, platform: str, writable: Sequence[str] = ()) -> Finding:
    """The platform named by --for does not load this format at all, however sound the data is. Each platform loads its own:
    deepset its CSVs, EvalScope, BEIR and MTEB a BEIR folder, Azure JSON lines, Pinecone JSON."""
    way = f"; `ragtui convert SRC DST --to {writable[0]}`" if writable else ""
    others = f" (or {', '.join(writable[1:])})" if writable[1:] else ""
    return Finding("FILE201", Level.ERROR, f"{platform} does not load this format ({title}){way}{others}")
