"""Haystack evaluation results: rows of questions, contexts, answers and metrics, or the same in columns of one object."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.containers.json_text import value_of
from ragtui.datasets.containers.table import LINE, ROW, Table, unique_names
from ragtui.datasets.dataset import Role
from ragtui.datasets.record_format import Known, RecordFormat, Records

if TYPE_CHECKING:
    import polars as pl

KNOWN: Final = (
    Known("questions", Role.INPUT, "query", ("question",)),
    Known("contexts", Role.CONTEXT, "context", ("context",), is_list=True),
    Known("predicted_answers", Role.RESPONSE, "response", ("responses", "predicted_answer")),
    Known("true_answers", Role.EXPECTED, "ground_truth", ("ground_truth_answers", "true_answer")),
)
_ENDINGS: Final = {"_responses": "predicted_answers", "_predicted_answers": "predicted_answers", "_ground_truth_answers": "true_answers",
                   "_true_answers": "true_answers"}  # fmt: skip


def _telling(records: Records) -> int:
    sure = {name: column for name, column in records.columns.items() if name not in records.misspelt}
    if sure.get("questions") != "questions":
        return 0
    others = [name for name in ("contexts", "predicted_answers", "true_answers") if name in sure]
    compared = any(header.endswith(tuple(_ENDINGS)) for header in records.table.headers)
    return 80 if len(others) >= 2 or (others and compared) else 0


def _in_rows(table: Table) -> Table:
    """A result object, which holds a list per column, as rows; the first run's answers of a comparison under the usual names."""
    if table.container == "json" and {"inputs", "results"} <= set(table.names):
        table = _from_columns(table, _object(table, "inputs"), _object(table, "results"))
    names = list(table.names)
    for place, header in enumerate(table.headers):
        wanted = next((wanted for ending, wanted in _ENDINGS.items() if header.endswith(ending)), None)
        if wanted is not None and wanted not in names and "questions" in names:
            names.append(wanted)
            frame = table.frame.with_columns(table.frame[table.names[place]].alias(wanted))
            table = replace(table, frame=frame, names=(*table.names, wanted), headers=(*table.headers, wanted))
    return table


def _object(table: Table, name: str) -> dict[str, Any]:
    """The object in the first row of a column, empty where something else is there."""
    cell = table.frame[name][0] if table.frame.height else None
    try:
        value = value_of(cell) if isinstance(cell, str) else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _from_columns(table: Table, inputs: dict[str, Any], results: dict[str, Any]) -> Table:
    import polars as pl

    columns: dict[str, list[Any]] = {key: values for key, values in inputs.items() if isinstance(values, list)}
    for metric, result in results.items():
        if isinstance(result, dict) and isinstance(result.get("individual_scores"), list):
            columns[metric] = result["individual_scores"]
    if not columns:
        return table
    names = unique_names(list(columns))
    height = max(map(len, columns.values()), default=0)
    line = int(table.frame[LINE][0])
    series = [pl.Series(LINE, [line] * height, dtype=pl.UInt32), pl.Series(ROW, range(1, height + 1), dtype=pl.UInt32)]
    series += [
        _column(name, values + [None] * (height - len(values)))
        for name, values in zip(names, columns.values(), strict=True)
    ]
    return replace(
        table,
        headers=tuple(columns),
        names=names,
        frame=pl.DataFrame(series),
        kinds={},
        places=None,
    )


def _column(name: str, values: list[Any]) -> pl.Series:
    import polars as pl

    filled = [value for value in values if value is not None]
    if filled and all(isinstance(value, list) and all(isinstance(each, str) for each in value) for value in filled):
        return pl.Series(name, values, dtype=pl.List(pl.String))
    texts = [
        value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values
    ]
    return pl.Series(name, texts, dtype=pl.String)


FORMAT: Final = RecordFormat(
    "haystack", "Haystack evaluation results", KNOWN, _telling, ("haystack",), prepare=_in_rows
)
