"""The texts of an experiment in the store, a row a case: asked, expected and answered, and the reasons given."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from ragtui.experiments.plan import Side

if TYPE_CHECKING:
    from ragtui.experiments.stored_results import StoredResults

_TEXTS: Final = (
    "SELECT case_id, inputs, expected, text, contexts FROM cases LEFT JOIN responses ON "
    "responses.experiment = cases.experiment AND responses.position = cases.position AND side = ? "
    "WHERE cases.experiment = ? ORDER BY cases.position"
)
_REASONS: Final = (
    "SELECT case_id, metric, reason FROM scores JOIN cases USING (experiment, position) "
    "WHERE experiment = ? AND side = ? AND repeat = 1 AND reason != ''"
)


def texts(results: StoredResults, side: Side) -> pl.DataFrame:
    """``case_id``, each input by its name, ``expected NAME``, ``response``, ``contexts`` (a JSON list)."""
    rows = results.store.query(_TEXTS, side, results.number)
    columns: dict[str, Sequence[str | None]] = {"case_id": [row["case_id"] for row in rows]}
    columns |= _columns([json.loads(row["inputs"]) for row in rows], "", columns)
    columns |= _columns([json.loads(row["expected"]) for row in rows], "expected ", columns)
    for name, stored in (("response", "text"), ("contexts", "contexts")):
        values = [row[stored] for row in rows]
        if any(value is not None for value in values):
            columns[name] = values
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def reasons(results: StoredResults, side: Side) -> pl.DataFrame:
    """``case_id`` and per metric ``NAME reason``."""
    by_metric: dict[str, dict[str, str]] = {}
    for row in results.store.query(_REASONS, results.number, side):
        by_metric.setdefault(row["metric"], {})[row["case_id"]] = row["reason"]
    for metric, frame in results.frames(side):
        told = frame.filter(pl.col("reason") != "").join(results.cases, on="position")
        by_metric[metric] = dict(told.select("case_id", "reason").iter_rows())
    out = results.cases.select("case_id")
    for metric in results.metrics:
        given = by_metric.get(metric, {})
        column = pl.Series(f"{metric} reason", [given.get(each) for each in out["case_id"]], dtype=pl.String)
        out = out.with_columns(column)
    return out


def _columns(rows: Sequence[Mapping[str, Any]], prefix: str, taken: Mapping[str, Any]) -> dict[str, list[str | None]]:
    """Objects of text as columns, in the order in which the keys appear; lists become JSON."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    named = {
        key: prefix + key if prefix + key not in (*taken, "response", "contexts") else f"input {key}" for key in keys
    }
    return {named[key]: [_as_text(row.get(key)) for row in rows] for key in keys}


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return value[0]
    return json.dumps(value, ensure_ascii=False)
