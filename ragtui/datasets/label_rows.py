"""Several rows of labels that are one case: what of them one row of a case cannot hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

    from ragtui.datasets.dataset import Dataset

CASE: Final = "_case"
_SEVERAL: Final = "_several"
OFFSETS: Final = ("answer_start", "answer_end")


def label_rows(frame: pl.DataFrame, inputs: Sequence[str]) -> pl.DataFrame:
    """The rows of a table with ``_case``: the position of the case that rows of equal ``inputs`` become, counted in the
    order in which the cases first come."""
    import polars as pl

    keys = [pl.col(name).fill_null("") for name in inputs]
    if not keys:
        return frame.with_columns(pl.int_range(pl.len()).alias(CASE))
    first = pl.col(CASE).first().over(keys)
    rows = frame.with_columns(pl.int_range(pl.len()).alias(CASE))
    return rows.with_columns((first.rank("dense") - 1).cast(pl.Int64).alias(CASE))


def mixed_columns(dataset: Dataset) -> dict[str, frozenset[int]]:
    """For each column that holds one value a case: the positions of cases whose rows say different things there. Offsets
    are such wherever the labels differ in anything, as they mean nothing without their own text and context."""
    import polars as pl

    rows, cases = dataset.labels, dataset.cases
    if rows is None or cases is None:
        return {}
    names = [each for each in rows.columns if each in cases.columns and cases.schema[each] == pl.String]
    offsets = [each for each in names if each.strip().casefold() in OFFSETS]
    labels = [each for each in rows.columns if isinstance(cases.schema.get(each), pl.List)] + offsets
    if not labels:
        return {}
    differ = rows.group_by(CASE).agg(
        *(pl.col(name).fill_null("").n_unique() > 1 for name in names),
        (pl.struct(labels).n_unique() > 1).alias(_SEVERAL),
    )
    found = {}
    for name in names:
        wanted = _SEVERAL if name in offsets else name
        if places := frozenset(differ.filter(pl.col(wanted))[CASE].to_list()):
            found[name] = places
    return found


def without_mixed(frame: pl.DataFrame, mixed: Mapping[str, frozenset[int]]) -> pl.DataFrame:
    """Cases with nothing where their rows say different things: better than what the first of them says."""
    import polars as pl

    at = pl.int_range(pl.len())
    return frame.with_columns(
        pl.when(at.is_in(sorted(places))).then(None).otherwise(pl.col(name)).alias(name)
        for name, places in mixed.items()
        if name in frame.columns
    )


def told(mixed: Mapping[str, frozenset[int]]) -> list[str]:
    """``answer_start, answer_end: the labels of 2 cases differ, and a row holds one value``; a line for each set of cases."""
    by: dict[frozenset[int], list[str]] = {}
    for name, places in mixed.items():
        by.setdefault(places, []).append(name)
    return [
        f"{', '.join(names)}: the labels of {len(places):,} case{'' if len(places) == 1 else 's'} differ, and a row holds "
        "one value"
        for places, names in by.items()
    ]
