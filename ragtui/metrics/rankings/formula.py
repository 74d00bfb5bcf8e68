"""How a ranking metric is written: a quotient of two sums over one query's documents, as Polars expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Columns:
    """What a formula is written in: one value a document, of one query.

    ``rank`` counts from 1. ``grade`` is null for an unjudged document, ``relevant`` is grade ≥ 1, ``nth`` counts the
    relevant documents up to and including this one. ``hole`` marks a document judged for no query at all.
    ``n_relevant`` and ``n_returned`` belong to the query and are the same for all its documents.
    """

    rank: pl.Expr
    grade: pl.Expr
    relevant: pl.Expr
    nth: pl.Expr
    hole: pl.Expr
    n_relevant: pl.Expr
    n_returned: pl.Expr

    def within(self, k: int | None) -> pl.Expr:
        """Whether the document is among the first ``k``; always true for the whole list."""
        return self.rank >= 1 if k is None else self.rank <= k

    def hits(self, k: int | None) -> pl.Expr:
        """How many of the first ``k`` documents are relevant."""
        return (self.relevant & self.within(k)).sum()


@dataclass(frozen=True, slots=True)
class Formula:
    """``found`` over the retrieved documents, divided by ``ideal`` over the judged ones ranked by grade.

    Both get the columns and the cut and give one value a query; a query whose sum is null counts 0. Without ``ideal``
    the score is ``found``. ``needs_relevant``: a query without a relevant document has no score. ``counts_unjudged``:
    the formula reads ``hole``, for which all retrieved documents within the cut are looked at.
    """

    found: Callable[[Columns, int | None], pl.Expr]
    ideal: Callable[[Columns, int | None], pl.Expr] | None = None
    needs_relevant: bool = True
    counts_unjudged: bool = False
