"""Workbooks: the sheet's own rows, and cells that are not what they look like."""

from __future__ import annotations

import datetime
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.datasets.check import CannotOpen, open_dataset, open_datasets
from ragtui.datasets.containers.workbook import is_workbook, read_sheet, shortest, visible_sheets
from ragtui.datasets.findings import Level
from ragtui.datasets.formats import Source


def book(path: Path, **sheets: list[list[Any]]) -> Path:
    workbook = xlsxwriter.Workbook(str(path), {"strings_to_formulas": False, "strings_to_urls": False})
    for name, rows in sheets.items():
        sheet = workbook.add_worksheet(name)
        for number, row in enumerate(rows):
            for column, value in enumerate(row):
                if isinstance(value, datetime.date):
                    sheet.write_datetime(number, column, value, workbook.add_format({"num_format": "yyyy-mm-dd"}))
                elif value is not None:
                    sheet.write(number, column, value)
    workbook.close()
    return path


def patch(path: Path, member: str, old: bytes, new: bytes) -> None:
    with zipfile.ZipFile(path) as package:
        members = {name: package.read(name) for name in package.namelist()}
    assert old in members[member]
    members[member] = members[member].replace(old, new)
    with zipfile.ZipFile(path, "w") as package:
        for name, data in members.items():
            package.writestr(name, data)


def cells(path: Path, sheet: str | None = None) -> list[tuple[Any, ...]]:
    table = read_sheet(Source(path, str(path), sheet=sheet)).table
    assert table is not None
    return table.frame.rows()


def found(path: Path) -> list[tuple[str, int, str | None]]:
    return [(each.code, each.line, each.cell) for each in open_datasets([str(path)]).findings()]


HEADER = ["query", "expected_answer"]


def test_rows_keep_the_numbers_they_have_in_the_sheet(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", Cases=[[], [], HEADER, ["a", "1"], [], ["b", "2"], []])
    assert cells(path) == [(4, 1, "a", "1"), (6, 2, "b", "2")]
    assert found(path) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (84, "84"), (1.0, "1"), (0.25, "0.25"), (-3, "-3"), (1e21, "1" + "0" * 21), (True, "TRUE"), ("007", "007"),
        (" x ", " x "), ("=1+1", "=1+1"), (datetime.date(2026, 3, 1), "2026-03-01"), (None, ""),
    ],
)  # fmt: skip
def test_values_become_their_shortest_text(tmp_path: Path, value: Any, text: str) -> None:
    path = book(tmp_path / "a.xlsx", Cases=[HEADER, ["a", value]])
    assert cells(path) == [(2, 1, "a", text)]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_shortest_text_is_the_same_number(number: float) -> None:
    text = shortest(number)
    assert float(text) == number
    assert "e" not in text.lower()


def test_every_visible_sheet_with_a_header_is_a_dataset(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    workbook = openpyxl.Workbook()
    first = workbook.active
    first.title = "One"
    first.append(HEADER)
    first.append(["a", "b"])
    workbook.create_sheet("Empty")
    hidden = workbook.create_sheet("Hidden")
    hidden.append(HEADER)
    hidden.sheet_state = "hidden"
    second = workbook.create_sheet("Two")
    second.append(HEADER)
    second.append(["c", "d"])
    workbook.save(path)
    opened = open_datasets([str(path)])
    assert [dataset.path for dataset in opened.datasets] == [f"{path}#One", f"{path}#Two"]
    assert open_dataset(f"{path}#Two")[0].rows == 1
    with pytest.raises(CannotOpen, match="holds 2 datasets"):
        open_dataset(str(path))
    with pytest.raises(CannotOpen, match="no visible sheet 'Hidden'"):
        open_dataset(f"{path}#Hidden")


def test_a_sheet_with_a_header_alone_is_a_dataset_without_rows(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", Cases=[["query", "response"]])
    assert [(dataset.path, dataset.rows) for dataset in open_datasets([str(path)]).datasets] == [(f"{path}#Cases", 0)]
    assert found(path) == [("XLSX002", 1, None)]


@pytest.mark.parametrize("strays", [["XFD1048576"], ["A1048576", "XFD2"], ["ZZ99999"]])
def test_a_stray_value_in_the_last_corner_is_told_and_not_read(tmp_path: Path, strays: list[str]) -> None:
    path = book(tmp_path / "a.xlsx", Cases=[["query", "response"], ["q", "r"]], Other=[["query"], ["q"]])
    whole = openpyxl.load_workbook(path)
    for stray in strays:
        whole["Cases"][stray] = "stray"
    whole.save(path)
    far = r"XFD1048576, 1,048,576 rows of 16,384" if strays != ["ZZ99999"] else "ZZ99999, 99,999 rows of 702"
    with pytest.raises(CannotOpen, match=f"the sheet Cases reaches to {far} cells; delete"):
        open_datasets([f"{path}#Cases"])
    assert open_datasets([f"{path}#Other"]).datasets[0].rows == 1


def test_a_sign_in_a_sheets_name_or_a_folders_is_part_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "a#b"
    folder.mkdir()
    path = book(folder / "c#d.xlsx", **{"E#f g": [["query"], ["q"]]})
    (folder / "notes.txt").write_text("no dataset")
    for typed in (str(path), f"{path}#E#f g", str(folder)):
        [dataset] = open_datasets([typed]).datasets
        assert (dataset.path, dataset.rows) == (f"{path}#E#f g", 1)


def test_an_error_cell_is_an_error_and_no_value(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    workbook = xlsxwriter.Workbook(str(path))
    sheet = workbook.add_worksheet("Cases")
    sheet.write_row(0, 0, HEADER)
    sheet.write_row(1, 0, ["a", "b"])
    sheet.write(2, 0, "c")
    sheet.write_formula(2, 1, "=1/0", None, "#DIV/0!")
    workbook.close()
    assert cells(path) == [(2, 1, "a", "b"), (3, 2, "c", None)]
    assert found(path) == [("XLSX004", 3, "B3")]


def test_a_formula_whose_stored_result_is_an_empty_text_has_a_result(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    workbook = xlsxwriter.Workbook(str(path))
    sheet = workbook.add_worksheet("Cases")
    sheet.write_row(0, 0, [*HEADER, "note"])
    sheet.write_row(1, 0, ["a", "b"])
    sheet.write_formula(1, 2, '=""', None, "")
    workbook.close()
    patch(path, "xl/worksheets/sheet1.xml", b'<c r="C2">', b'<c r="C2" t="str">')  # as spreadsheets write it
    assert not [code for code, *_ in found(path) if code == "XLSX003"]


def test_merged_cells_are_told_once_however_many_they_cover(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    workbook = xlsxwriter.Workbook(str(path))
    sheet = workbook.add_worksheet("Cases")
    sheet.write_row(0, 0, ["topic", *HEADER])
    sheet.merge_range("A2:A11", "Tickets")
    for row in range(1, 11):
        sheet.write_row(row, 1, [f"q{row}", "a"])
    workbook.close()
    assert found(path) == [("XLSX005", 2, "A2")]


@pytest.mark.parametrize("content", [b"PK\x03\x04 not a zip", b"", b"\xd0\xcf\x11\xe0old"])
def test_what_is_no_workbook_is_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(content)
    assert not is_workbook(path)
    assert visible_sheets(path) == []


@given(at=st.integers(0, 4000), byte=st.integers(0, 255))
@settings(max_examples=60, deadline=None)
def test_a_damaged_workbook_never_raises(tmp_path_factory: pytest.TempPathFactory, at: int, byte: int) -> None:
    path = tmp_path_factory.mktemp("damaged") / "a.xlsx"
    book(path, Cases=[HEADER, ["a", "b"], ["c", 7]])
    data = bytearray(path.read_bytes())
    data[at % len(data)] = byte
    path.write_bytes(data)
    reading = read_sheet(Source(path, str(path)))
    assert reading.table is not None or [each.level for each in reading.report.findings] in ([Level.ERROR], [])
