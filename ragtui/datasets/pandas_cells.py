"""What pandas makes of cells of a CSV: several tools read their data with it and then see something else than the file says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ragtui.datasets.containers.table import Table, short

MISSING: Final = (
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL",
    "NaN", "None", "n/a", "nan", "null",
)  # fmt: skip
"""Cells that ``pandas.read_csv`` takes for no value."""

_GUESSED: Final = r"^\s*([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[Tt]rue|TRUE|[Ff]alse|FALSE)\s*$"


def missing(table: Table, name: str, blank: bool = True) -> Iterator[tuple[int, str]]:
    """Index and text of cells that become no value; empty ones only with ``blank``."""
    import polars as pl

    if isinstance(table.type_of(name), pl.List):
        return
    words = [word for word in MISSING if word or blank]
    for index, text in table.rows_where(table.text(name).is_in(words), name):
        yield index, f'"{short(text)}"' if text else "an empty cell"


def is_guessed(table: Table, name: str) -> bool:
    """Whether every filled cell of a column looks like a number (or like true and false), so that pandas makes it one."""
    import polars as pl

    if isinstance(table.type_of(name), pl.List):
        return False
    filled = table.frame[name].drop_nulls().to_frame().filter(~pl.col(name).is_in(MISSING))[name]
    return filled.len() > 0 and bool(filled.str.contains(_GUESSED).all())
