"""What each side of an experiment in the store found for a query, beside the judgments."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import polars as pl

from ragtui.experiments.plan import Side
from ragtui.experiments.results import RankedDocument
from ragtui.experiments.store import StoreError, marks

if TYPE_CHECKING:
    from ragtui.experiments.stored_results import StoredResults

_AT_ONCE: Final = 2_000  # queries whose judgments are held in memory


def ranking(results: StoredResults, side: Side, position: int) -> tuple[RankedDocument, ...]:
    """What one side found for a query, best first, then the relevant documents that it did not find; empty where
    there are neither."""
    scores: dict[str, float] = {}
    for _, grades, listed in rankings(results, side, [position], scores):
        found = [
            RankedDocument(rank, doc, scores.get(doc), grades.get(doc)) for rank, doc in enumerate(listed, start=1)
        ]
        there = set(listed)
        missing = [doc for doc, grade in grades.items() if grade > 0 and doc not in there]
        missing.sort(key=lambda doc: (-grades[doc], doc))
        return (*found, *(RankedDocument(None, doc, None, grades[doc]) for doc in missing))
    return ()


def rankings(
    results: StoredResults, side: Side, positions: list[int], scores: dict[str, float] | None = None
) -> Iterator[tuple[int, dict[str, int], list[str]]]:
    """``(position, grades by document, documents best first)`` of queries that have judgments or a ranking;
    ``scores`` is filled with the documents' scores."""
    path = results.store.file(results.experiment, f".{side}.ranking.parquet")
    listed: dict[int, list[str]] = {}
    if path.is_file():
        whole = pl.scan_parquet(path, glob=False).filter(pl.col("position").is_in(positions))
        try:
            mine = whole.sort("position", "rank").collect()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise StoreError(f"{path}: is damaged; run the experiment again with --fresh") from error
        for position, doc, score in mine.select("position", "doc_id", "score").iter_rows():
            listed.setdefault(position, []).append(doc)
            if scores is not None:
                scores[doc] = score
    for start in range(0, len(positions), _AT_ONCE):
        part = positions[start : start + _AT_ONCE]
        sql = f"SELECT position, judgments FROM cases WHERE experiment = ? AND position IN ({marks(part)})"
        for row in results.store.query(sql, results.number, *part):
            if row["judgments"] is not None:
                judged = json.loads(row["judgments"])["documents"] or []
                grades = {each["doc_id"]: each["grade"] for each in judged}
                yield row["position"], grades, listed.get(row["position"], [])


def unjudged(ranking: tuple[tuple[str, float], ...] | None) -> tuple[RankedDocument, ...]:
    """A ranking that no judgment is known of."""
    return tuple(RankedDocument(rank, doc, score, None) for rank, (doc, score) in enumerate(ranking or (), start=1))
