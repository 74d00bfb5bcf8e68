"""A finished experiment as one Parquet file, a row a cell, which Polars scans without the store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from ragtui.experiments import tally
from ragtui.experiments.database import explained
from ragtui.experiments.frames import unpacked
from ragtui.experiments.plan import Plan
from ragtui.experiments.store import Store

_AT_ONCE: Final = 200_000
COLUMNS: Final = pl.Schema(
    {
        **dict(tally.CELLS),
        "case_id": pl.String(),
        "cause": pl.String(),
        "reason": pl.String(),
        "evidence": pl.String(),
        "passed": pl.Boolean(),
    }
)


def write_frame(store: Store, number: int, plan: Plan) -> None:
    """Writes ``ID.parquet``: every cell with its case id, reason and evidence; an older file is replaced whole."""
    path = store.file(plan.id)
    whole = cells_frame(store, number, plan)
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        whole.write_parquet(partial, compression="zstd")
        partial.replace(path)


def cells_frame(store: Store, number: int, plan: Plan) -> pl.DataFrame:
    """Every stored cell, case by case: the columns of ``COLUMNS``."""
    cases = pl.DataFrame(
        [tuple(row) for row in store.query("SELECT position, case_id FROM cases WHERE experiment = ?", number)],
        schema={"position": pl.UInt32, "case_id": pl.String},
        orient="row",
    )
    parts = [_with_passed(part.join(cases, on="position", how="left"), plan) for part in _cells(store, number)]
    whole = pl.concat(parts) if parts else pl.DataFrame(schema=COLUMNS)
    return whole.sort("position", "side", "metric", "repeat")


def _cells(store: Store, number: int) -> Iterator[pl.DataFrame]:
    columns = "position, side, metric, repeat, state, score, cause, reason, evidence"
    schema = {**dict(tally.CELLS), "cause": pl.String(), "reason": pl.String(), "evidence": pl.String()}
    with explained(store.path):
        cursor = store.connection.execute(f"SELECT {columns} FROM scores WHERE experiment = ?", (number,))
        while rows := cursor.fetchmany(_AT_ONCE):
            yield pl.DataFrame([tuple(row) for row in rows], schema=schema, orient="row")
    for row in store.query("SELECT side, metric, frame FROM score_frames WHERE experiment = ?", number):
        bulk = unpacked(row["frame"]).with_columns(
            side=pl.lit(row["side"]), metric=pl.lit(row["metric"]), repeat=pl.lit(1), evidence=pl.lit(None, pl.String)
        )
        yield bulk.select(pl.col(name).cast(kind) for name, kind in schema.items())


def _with_passed(cells: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    passed = pl.lit(None, pl.Boolean)
    for each in plan.metrics:
        if each.threshold is not None:
            at_least = pl.col("score") >= each.threshold
            meets = at_least if each.higher_is_better else pl.col("score") <= each.threshold
            passed = pl.when(pl.col("metric") == each.spec).then(meets).otherwise(passed)
    return cells.with_columns(passed=passed).select(COLUMNS.names())
