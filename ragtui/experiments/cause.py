"""Why a row fails: one cause, from its scores, with the evidence that led there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ragtui.experiments.plan import Side

if TYPE_CHECKING:
    from ragtui.experiments.stored_results import StoredResults

SCHEMA = {"position": pl.UInt32, "cause": pl.String, "evidence": pl.String}


def diagnoses(results: StoredResults, side: Side) -> pl.DataFrame:
    """The failing rows of a side: ``position``, ``cause``, ``evidence``."""
    return pl.DataFrame(schema=SCHEMA)
