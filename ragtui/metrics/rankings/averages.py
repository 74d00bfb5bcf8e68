"""Means over queries: which queries count is where the tools differ, so it is named and chosen."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import polars as pl

from ragtui.metrics.rankings.ranking import NO_RELEVANT


class Average(StrEnum):
    DEFAULT = "default"
    TREC_EVAL = "trec_eval"
    TREC_EVAL_C = "trec_eval-c"
    BEIR = "beir"


EXPLAINED: Final = {
    Average.DEFAULT: "over queries with at least one relevant document; one that is missing from the run counts 0",
    Average.TREC_EVAL: "over judged queries that are in the run; one without a relevant document counts 0",
    Average.TREC_EVAL_C: "over all judged queries; missing from the run or without a relevant document counts 0",
    Average.BEIR: "nDCG, MAP, Recall and Precision as trec_eval, all other metrics as trec_eval-c",
}

_BEIR_IN_RUN_ONLY: Final = r"^(nDCG|MAP|Recall|Precision)(@|$)"


def averages(scores: pl.DataFrame, average: Average | str = Average.DEFAULT) -> pl.DataFrame:
    """The mean of each metric over the rows of ``ranking.evaluate``.

    Returns:
        One row a metric, in order: ``metric, mean, n_counted, n_total, n_missing, n_without_relevant``. ``mean`` is
        null where no query counts; ``n_missing`` are judged queries that are not in the run, counted as 0 or left out
        as ``average`` says.

    Raises:
        ValueError: no such average.
    """
    judged, in_run, counts = pl.col("judged"), pl.col("in_run"), counted(average)
    return scores.group_by("metric", maintain_order=True).agg(
        mean=pl.col("score").fill_null(0.0).filter(counts).mean(),
        n_counted=counts.sum(),
        n_total=pl.len(),
        n_missing=(judged & ~in_run).sum(),
        n_without_relevant=(pl.col("reason") == NO_RELEVANT).sum(),
    )


def counted(average: Average | str = Average.DEFAULT) -> pl.Expr:
    """Which rows of ``ranking.evaluate`` an average is over; a null score counts 0 there.

    Raises:
        ValueError: no such average.
    """
    judged, in_run = pl.col("judged"), pl.col("in_run")
    answered, beir = judged & in_run, pl.col("metric").str.contains(_BEIR_IN_RUN_ONLY)
    defined = pl.col("score").is_not_null() | ~pl.col("metric").str.starts_with("R_cap")  # no tool counts it as 0
    return (
        defined
        & {
            Average.DEFAULT: pl.col("score").is_not_null(),
            Average.TREC_EVAL: answered,
            Average.TREC_EVAL_C: judged,
            Average.BEIR: pl.when(beir).then(answered).otherwise(judged),
        }[Average(average)]
    )
