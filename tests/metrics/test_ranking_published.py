"""trec_eval's own test run gives the numbers its makers published."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

from ragtui.metrics.rankings.averages import averages
from ragtui.metrics.rankings.ranking import evaluate
from ragtui.metrics.registry import metric

from .oracle_files import ours

REAL = os.environ.get("RAGTUI_REAL_DATA")
FOLDER = Path(REAL or "") / "trec_eval"
pytestmark = pytest.mark.skipif(
    REAL is None or not FOLDER.is_dir(), reason="RAGTUI_REAL_DATA names no folder with trec_eval"
)

KNOWN = ("map", "Rprec", "recip_rank", "P_", "recall_", "ndcg", "ndcg_cut_", "map_cut_", "success_")


def read(name: str, columns: dict[int, str]) -> pl.DataFrame:
    rows = [line.split() for line in (FOLDER / name).read_text("ascii").splitlines() if line.strip()]
    return pl.DataFrame({column: [row[place] for row in rows] for place, column in columns.items()})


def published(name: str) -> dict[tuple[str, str], float]:
    rows = (line.split() for line in (FOLDER / name).read_text("ascii").splitlines())
    wanted = {"map", "Rprec", "recip_rank", "ndcg"}
    return {
        (query, measure): float(value)
        for measure, query, value in rows
        if measure in wanted or (measure.rpartition("_")[0] in ("P", "recall", "ndcg_cut", "map_cut", "success"))
    }


@pytest.mark.parametrize(
    ("results", "judgments", "output", "average", "deepest"),
    [
        ("results.test", "qrels.test", "out.test.aq", "trec_eval", None),
        ("results.trunc", "qrels.test", "out.test.aqcM", "trec_eval-c", 100),
    ],
)
def test_published_values(results: str, judgments: str, output: str, average: str, deepest: int | None) -> None:
    qrels = read(judgments, {0: "query_id", 2: "doc_id", 3: "grade"}).cast({"grade": pl.Int64})
    run = read(results, {0: "query_id", 2: "doc_id", 4: "score"}).cast({"score": pl.Float64})
    if deepest is not None:
        order = [pl.col("score").cast(pl.Float32), pl.col("doc_id")]
        run = run.sort(order, descending=True).group_by("query_id", maintain_order=True).head(deepest)
    expected = published(output)
    metrics = {measure: metric(ours(measure)) for _, measure in expected}
    frame = evaluate(qrels, run, list(metrics.values()))
    means = dict(averages(frame, average).select("metric", "mean").iter_rows())
    found = {(query, name): score for query, name, score in frame.select("query_id", "metric", "score").iter_rows()}
    compared = 0
    for (query, measure), value in expected.items():
        mine = means[metrics[measure].name] if query == "all" else found.get((query, metrics[measure].name))
        if mine is not None:
            assert mine == pytest.approx(value, abs=6e-5), (query, measure)
            compared += 1
    assert compared > 60
