"""Cells are exactly as wide as their column, whatever is in them."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ragtui.text import cell
from ragtui.tui.widgets.table_column import TableColumn, fit, widths

CASE = Path(__file__).parents[1] / "cases" / "93-ui-wide-and-joined-characters"
ROWS = {row["id"]: row["query"] for row in csv.DictReader((CASE / "wide.csv").open(encoding="utf-8", newline=""))}
WIDTHS = {each["row"]: each["cells"] for each in tomllib.loads((CASE / "case.toml").read_text("utf-8"))["width"]}


@given(st.text(max_size=30), st.integers(1, 20), st.booleans())
def test_a_cell_is_exactly_as_wide_as_asked(text: str, width: int, right: bool) -> None:
    assert cell_len(fit(cell(text), width, right)) == width


@pytest.mark.parametrize("row", WIDTHS)
def test_wide_and_joined_characters_are_measured_right(row: str) -> None:
    assert cell_len(cell(ROWS[row])) == WIDTHS[row]


def test_wide_letters_are_cut_between_letters_with_an_ellipsis() -> None:
    shown = fit(cell(ROWS["x6"]), 40)
    assert cell_len(shown) == 40
    assert shown.rstrip().endswith("…")
    assert shown.rstrip(" …") == ROWS["x6"][: len(shown.rstrip(" …"))]


def test_a_column_is_as_wide_as_its_cells_need_up_to_its_most() -> None:
    columns = [TableColumn("a", "a"), TableColumn("b", "b", most=5), TableColumn("c", "c", width=9)]
    painted = [[("xyz", "")], [("123456789", "")], [("", "")]]
    assert widths(columns, painted, 80, 2) == [3, 5, 9]


def test_a_growing_column_takes_what_is_left_and_gives_way() -> None:
    columns = [TableColumn("a", "a", width=10), TableColumn("b", "b", grow=True, most=200)]
    assert widths(columns, [[], [("short", "")]], 80, 2) == [10, 68]
    assert widths(columns, [[], [("x" * 100, "")]], 40, 2) == [10, 28]
    assert widths(columns, [[], [("x" * 100, "")]], 12, 2)[1] == 12
