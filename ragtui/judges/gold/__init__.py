"""Gold claims: short contexts with statements they support, contradict or do not mention, to measure any judge by."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

VERDICTS: Final = ("entailed", "contradicted", "neutral")
PARTS: Final = ("heldout", "tuning")


@dataclass(frozen=True, slots=True)
class GoldClaim:
    """``verdict`` is the right one of ``claim`` against ``context``."""

    passage: str
    domain: str
    context: tuple[str, ...]
    claim: str
    verdict: str


@cache
def gold_claims(part: str = "heldout") -> tuple[GoldClaim, ...]:
    """The claims of one part: ``heldout``, which nothing was ever tuned on, or ``tuning``."""
    text = files("ragtui.judges.gold").joinpath(f"{part}.json").read_text("utf-8")
    return tuple(
        GoldClaim(passage["id"], passage["domain"], tuple(passage["context"]), claim, verdict)
        for passage in json.loads(text)["passages"]
        for verdict in VERDICTS
        for claim in passage[verdict]
    )
