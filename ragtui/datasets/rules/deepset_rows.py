"""A rule about the rows of deepset's evaluation CSVs as a whole: labels that stand there twice."""

from __future__ import annotations

from collections.abc import Iterator

from ragtui.datasets.containers.table import LINE
from ragtui.datasets.findings import Finding, Level, More
from ragtui.datasets.formats.deepset import DeepsetTable
from ragtui.datasets.rules import rule


@rule(
    "DS203",
    "label-repeated",
    Level.INFO,
    example="two rows with the same question, text, context, offsets and filters",
    remedy="remove one of the rows",
    on=DeepsetTable,
)
def repeated_labels(labels: DeepsetTable) -> Iterator[Finding | More]:
    """Rows of one question are one case with several labels. A row that says in every deepset column what an earlier one says
    adds nothing: it is counted once here, while deepset may count it twice."""
    import polars as pl

    table, question = labels.table, labels.question
    names = list(labels.columns.values())
    if question is None or table.frame.select(names).is_unique().all():
        return
    keys = [table.text(name).fill_null("") for name in names]
    rows = table.frame.select(pl.int_range(pl.len()).alias("_row"), pl.col(LINE).alias("_at"), *keys)
    repeated = rows.with_columns(first=pl.col("_at").first().over(names), nth=pl.col("_row").rank("dense").over(names))
    found = repeated.filter((pl.col("nth") > 1) & (pl.col(question).str.strip_chars() != ""))
    hits = found.select("_row", "first").iter_rows()
    yield from table.findings(
        "DS203", Level.INFO, question, hits, "the same label as in line {}; it counts once".format
    )
