"""Rules about archives (codes ARC…)."""

from __future__ import annotations

from ragtui.datasets.findings import Finding, Level
from ragtui.datasets.rules import rule


@rule(
    "ARC101",
    "archive-refused",
    example="a member called ../../.bashrc",
    remedy="ask for the archive again from where it was exported",
)
def refused(why: str) -> Finding:
    """An archive is refused whole where any of it is not as its manifest says: a name that leads elsewhere, a link, a member
    that is there twice, more bytes than allowed, a hash that differs. Nothing of it is used."""
    return Finding("ARC101", Level.ERROR, f"refused: {why}")
