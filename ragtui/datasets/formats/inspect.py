"""Inspect datasets and logs: input, target, choices; in a log the model's output beside them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ragtui.datasets.containers.json_text import value_of
from ragtui.datasets.containers.table import Table
from ragtui.datasets.dataset import Role
from ragtui.datasets.record_format import Known, RecordFormat, Records

KNOWN: Final = (
    Known("id", Role.ID),
    Known("input", Role.INPUT, "query"),
    Known("target", Role.EXPECTED, "ground_truth"),
    Known("completion", Role.RESPONSE, "response"),
    Known("choices", Role.INPUT, None, is_list=True),
    Known("metadata"),
    Known("epoch"),
    Known("scores"),
    Known("sandbox"),
    Known("files"),
    Known("setup"),
)


def _telling(records: Records) -> int:
    sure = {name for name in records.columns if name not in records.misspelt}
    if not {"input", "target"} <= sure:
        return 0
    if {"epoch", "scores"} <= sure:
        return 85
    return 70 if sure & {"choices", "sandbox", "setup", "files"} else 50


def _with_completion(table: Table) -> Table:
    """A log's samples with what the model completed, which lies inside ``output``, as a column."""

    import polars as pl

    kinds = table.kinds.get("output")
    if "completion" in table.names or kinds is None or not (kinds == "object").any():
        return table
    texts: list[str | None] = []
    for cell, kind in zip(table.frame["output"].to_list(), kinds.to_list(), strict=True):
        try:
            value = value_of(cell).get("completion") if kind == "object" else None
        except RecursionError:
            value = None
        texts.append(value if isinstance(value, str) else None)
    frame = table.frame.with_columns(pl.Series("completion", texts, dtype=pl.String))
    return replace(table, frame=frame, headers=(*table.headers, "completion"), names=(*table.names, "completion"))


FORMAT: Final = RecordFormat(
    "inspect", "Inspect dataset or log", KNOWN, _telling, ("inspect",), prepare=_with_completion
)
