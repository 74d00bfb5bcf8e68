"""Cases by the value of one of their columns: what hangs together (clusters), and what is looked at apart (slices)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import polars as pl

from ragtui.datasets.near_names import nearest

if TYPE_CHECKING:
    from ragtui.datasets.dataset import Dataset
    from ragtui.experiments.results import Results
    from ragtui.experiments.stored_results import StoredResults

LONGEST: Final = 200  # characters of a value that may name a group


class GroupError(ValueError):
    """The cases cannot be grouped as asked for; the message is one line with the remedy."""


def grouped(results: Results, column: str) -> pl.DataFrame:
    """``case_id`` and ``group``, the value of ``column``; null where a case has none.

    Raises:
        GroupError: no case has such a column; the message names those there are.
    """
    fields = results.fields()
    names = [name for name in fields.columns if name != "case_id"]
    found = column if column in names else next((name for name in names if name.lower() == column.lower()), None)
    if found is None:
        near = nearest(column, names)
        hint = f"did you mean {near}?" if near else f"there are {', '.join(names[:12]) or 'none'}"
        raise GroupError(f"{results.experiment} has no column {column!r} to group its cases by; {hint}")
    return fields.select("case_id", pl.col(found).alias("group"))


def sources(results: Results, column: str) -> pl.DataFrame:
    """``case_id`` and ``source``: its value of ``column``; a case without one is a source of its own.

    Raises:
        GroupError: as ``grouped``; or all cases have one source, so that nothing can be said of their spread.
    """
    found = grouped(results, column)
    if found["group"].drop_nulls().n_unique() < 2:
        raise GroupError(f"column {column!r} has {found['group'].drop_nulls().n_unique()} value in {results.experiment}; "
                         "cases of one source cannot be clustered")  # fmt: skip
    return found.select("case_id", pl.coalesce("group", pl.lit("case ") + pl.col("case_id")).alias("source"))


def check_columns(dataset: Dataset, names: Iterable[str]) -> None:
    """Makes sure, before anything is paid for, that a dataset has the columns that its results are to be grouped by.

    Raises:
        GroupError: it lacks one.
    """
    from ragtui.datasets.dataset import Role

    kept = (Role.INPUT, Role.EXPECTED, Role.IGNORED, Role.RETRIEVED_IDS)  # with an experiment, by case
    there = [each.name for each in dataset.columns if each.role in kept]
    for name in names:
        if name.lower() not in [each.lower() for each in there]:
            near = nearest(name, there)
            hint = f"did you mean {near}?" if near else f"its columns are {', '.join(there[:12]) or 'none'}"
            raise GroupError(f"{dataset.path} has no column {name!r} to group its cases by; {hint}")


def check_slices(dataset: Dataset, names: Iterable[str]) -> None:
    """Makes sure, before anything is paid for, that results can be sliced by these columns.

    Raises:
        GroupError: there is no such column, or it has too many values.
    """
    from ragtui.experiments.slices import MOST

    wanted = list(names)
    check_columns(dataset, wanted)
    there = {} if dataset.cases is None else {each.lower(): each for each in dataset.cases.columns}
    for name in wanted:
        if (column := there.get(name.lower())) is not None and dataset.cases is not None:
            n = dataset.cases[column].drop_nulls().n_unique()
            if n > MOST:
                raise GroupError(f"column {name!r} has {n} values; slices are for columns of at most {MOST}")


def looked_at(results: Results, cluster: str | None, slicing: Iterable[str]) -> None:
    """Has the figures of ``results`` heed sources and show slices.

    Raises:
        GroupError: there is no such column.
    """
    if cluster is not None:
        sources(results, cluster)
    for each in slicing:
        grouped(results, each)
    results.cluster, results.slicing = cluster, tuple(slicing)


def stored_fields(results: StoredResults) -> pl.DataFrame:
    """``case_id`` and every short column of an experiment's cases as text: inputs, expected values, and what no metric
    reads."""
    rows = results.store.query(
        "SELECT case_id, inputs, expected, fields FROM cases LEFT JOIN case_fields USING (experiment, position) "
        "WHERE experiment = ? ORDER BY position",
        results.number,
    )
    known: dict[str, list[str | None]] = {}
    for at, row in enumerate(rows):
        for part in ("fields", "inputs", "expected"):
            for name, value in json.loads(row[part] or "{}").items():
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                column = known.setdefault(name, [None] * len(rows))
                if column[at] is None and len(text) <= LONGEST:
                    column[at] = text
    known.pop("case_id", None)
    return pl.DataFrame(
        {"case_id": [row["case_id"] for row in rows], **known}, schema_overrides=dict.fromkeys(known, pl.String)
    )
