"""Scores rankings: judgments and a run in, one row a query and metric out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Columns:
    """What a formula is written in, one value a judged document: its rank from 1, its grade, whether it is relevant."""

    rank: pl.Expr
    grade: pl.Expr
    relevant: pl.Expr


@dataclass(frozen=True, slots=True)
class Formula:
    """A ranking metric as a quotient of two sums over one query's documents."""

    found: Callable[[Columns, int | None], pl.Expr]
    ideal: Callable[[Columns, int | None], pl.Expr] | None = None
