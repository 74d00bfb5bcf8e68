"""What each exact value of a case means: one check a name, each given the value, what was opened, and the case.

A case with a name that is not here fails, so that no value goes unchecked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from ragtui.datasets.check import Opened
from ragtui.datasets.containers import reading_of
from ragtui.datasets.containers.table import Table
from ragtui.datasets.dataset import Dataset
from ragtui.datasets.findings import Level
from ragtui.datasets.formats import ReadOptions, Source


@dataclass(frozen=True)
class Case:
    """One folder of ``tests/cases`` as it is opened."""

    folder: Path
    toml: dict[str, Any]
    paths: tuple[str, ...]
    format: str | None
    options: ReadOptions

    @property
    def kind(self) -> str:
        return str(self.toml["kind"]).split("/")[0]

    def table(self, path: int = 0) -> Table:
        table = reading_of(Source(Path(self.paths[path]), self.paths[path])).table
        assert table is not None
        return table


Check = Callable[[Any, Opened, Case], None]
CHECKS: dict[str, Check] = {}


def check(*names: str) -> Callable[[Check], Check]:
    def declare(function: Check) -> Check:
        CHECKS.update(dict.fromkeys(names, function))
        return function

    return declare


def rows_of(dataset: Dataset) -> pl.DataFrame:
    assert dataset.cases is not None
    return dataset.cases


def lines_with(opened: Opened, level: Level) -> list[int]:
    return sorted({finding.line for finding in opened.findings() if finding.level is level})


@check("rows")
def _rows(value: int, opened: Opened, case: Case) -> None:
    assert {dataset.rows for dataset in opened.datasets} == {value}


@check("records")
def _records(value: int, opened: Opened, case: Case) -> None:
    unreadable = sum(1 for finding in opened.findings() if finding.code in ("CSV005", "CSV006", "CSV007", "CSV009"))
    assert opened.datasets[0].counts["records"] + unreadable == value


@check("columns")
def _columns(value: int, opened: Opened, case: Case) -> None:
    assert len(opened.datasets[0].columns) == value


@check("header_1")
def _first_header(value: str, opened: Opened, case: Case) -> None:
    assert opened.datasets[0].columns[0].name == value


@check("line_endings")
def _line_endings(value: str, opened: Opened, case: Case) -> None:
    data = Path(case.paths[0]).read_bytes()
    assert data.count(b"\n") == data.count({"CRLF": b"\r\n", "LF": b"\n"}[value]) > 0
    assert not any(
        "\r" in (cell or "") for row in rows_of(opened.datasets[0]).iter_rows() for cell in row if isinstance(cell, str)
    )


@check("encoding", "delimiter", "header_line")
def _described(value: object, opened: Opened, case: Case) -> None:
    assert value in (opened.datasets[0].encoding, opened.datasets[0].delimiter, opened.datasets[0].header_line)


@check("header_row")
def _header_row(value: int, opened: Opened, case: Case) -> None:
    assert opened.datasets[0].header_line == value


@check("row_lines", "row_start_lines")
def _lines(value: list[int], opened: Opened, case: Case) -> None:
    assert rows_of(opened.datasets[0])["_line"].to_list() == value


@check("physical_lines")
def _physical_lines(value: int, opened: Opened, case: Case) -> None:
    assert case.table().lines == value


@check("row2_query", "row2_context", "row1_expected_answer", "row2_expected_answer")
def _cell(value: str, opened: Opened, case: Case) -> None:
    found = [cell for row in rows_of(opened.datasets[0]).iter_rows() for cell in row]
    assert value in found


@check("line4_filters")
def _filters_at_line_4(value: str, opened: Opened, case: Case) -> None:
    assert rows_of(opened.datasets[0]).filter(pl.col("_line") == 4)["filters"].to_list() == [value]


@check("fields_expected", "fields_line3")
def _field_counts(value: int, opened: Opened, case: Case) -> None:
    message = next(finding.message for finding in opened.findings() if finding.code == "CSV005")
    assert str(value) in message


@check("expected_answers_kept")
def _kept(value: list[str], opened: Opened, case: Case) -> None:
    assert rows_of(opened.datasets[0])["expected_answer"].to_list()[: len(value)] == value


@check("missing_rows")
def _missing(value: list[int], opened: Opened, case: Case) -> None:
    assert [finding.row for finding in opened.findings()] == value


@check("row1_context_length", "context_length")
def _context_length(value: int, opened: Opened, case: Case) -> None:
    assert len(rows_of(opened.datasets[0])["context"][0]) == value


@check("row1_answer_start")
def _slices_right(value: int, opened: Opened, case: Case) -> None:
    row = rows_of(opened.datasets[0]).row(0, named=True)
    assert int(row["answer_start"]) == value
    assert row["context"][value : int(row["answer_end"])] == row["text"]


@check("findings")
def _number_of_findings(value: int, opened: Opened, case: Case) -> None:
    assert len(list(opened.findings())) == value


@check("suggestions")
def _suggestions(value: dict[str, str], opened: Opened, case: Case) -> None:
    for header, right in value.items():
        finding = next(each for each in opened.findings() if each.field == header)
        assert f'"{header}"' in finding.message
        assert f'"{right}"' in finding.message
    fields = opened.datasets[0].fields
    assert fields["query"] == " Question "
    assert fields["ground_truth"] == "Text"


@check("answer_start", "answer_end")
def _offset(value: int, opened: Opened, case: Case) -> None:
    row = rows_of(opened.datasets[0]).row(0, named=True)
    assert str(value) in (row["Answer_Start"], row["answer_end"])


@check("errors_at_lines")
def _errors_at(value: list[int], opened: Opened, case: Case) -> None:
    assert lines_with(opened, Level.ERROR) == value


@check("warnings_at_lines")
def _warnings_at(value: list[int], opened: Opened, case: Case) -> None:
    assert lines_with(opened, Level.WARNING) == value


@check("clean_lines")
def _clean(value: list[int], opened: Opened, case: Case) -> None:
    assert not {finding.line for finding in opened.findings()} & set(value)


@check("workspace_files")
def _workspace_files(value: int, opened: Opened, case: Case) -> None:
    assert case.options.files is not None
    assert len(case.options.files) == value


@check("exact")
def _exact(value: int, opened: Opened, case: Case) -> None:
    names = [name for name in rows_of(opened.datasets[0])["file_name"].to_list() if name]
    told = {finding.line for finding in opened.findings() if finding.code.startswith("FILE")}
    assert len(names) - len(told) == value


@check("nfc_length", "nfd_length")
def _normal_forms(value: int, opened: Opened, case: Case) -> None:
    message = next(finding.message for finding in opened.findings() if finding.code == "FILE101")
    assert str(value) in message


@check("y1_length", "y2_length")
def _whole_length(value: int, opened: Opened, case: Case) -> None:
    assert value in [len(text) for text in rows_of(opened.datasets[0])["response"]]


@check("duplicate")
def _duplicate(value: str, opened: Opened, case: Case) -> None:
    (told,) = [finding for finding in opened.findings() if finding.level is Level.ERROR]
    assert told.field == value
    assert value not in opened.datasets[0].fields.values()


@check("positions")
def _positions(value: list[int], opened: Opened, case: Case) -> None:
    (told,) = [finding for finding in opened.findings() if finding.level is Level.ERROR]
    assert all(str(position) in told.message for position in value)


@check("sheet")
def _sheet(value: str, opened: Opened, case: Case) -> None:
    assert all(dataset.path.endswith(f"#{value}") for dataset in opened.datasets)


@check("cached_C3")
def _cached(value: str, opened: Opened, case: Case) -> None:
    cached, uncached = (rows_of(dataset)["expected_answer"].to_list() for dataset in opened.datasets)
    assert cached[1] == value
    assert uncached[1] is None


@check("merged")
def _merged(value: list[str], opened: Opened, case: Case) -> None:
    title, group = value
    told = [finding.message for finding in opened.findings()]
    assert not any(title in message for message in told)  # the title row is an info at most
    assert sum(group in message for message in told) == 1


@check("topics_if_filled")
def _topics(value: list[str], opened: Opened, case: Case) -> None:
    topics = rows_of(opened.datasets[0])["topic"]
    assert topics.replace("", None).forward_fill().to_list() == value
    assert topics.to_list() == [value[0], "", "", value[3]]  # nothing is filled in unasked


@check("A3", "A4", "A5_as_double")
def _ids(value: str, opened: Opened, case: Case) -> None:
    assert value in rows_of(opened.datasets[0])["id"].to_list()


@check("rows_without_hidden")
def _without_hidden(value: int, opened: Opened, case: Case) -> None:
    from ragtui.datasets.check import open_dataset

    assert open_dataset(case.paths[0], case.format, ReadOptions(skip_hidden=True))[0].rows == value


@check("hidden_rows", "hidden_columns")
def _hidden(value: list[object], opened: Opened, case: Case) -> None:
    told = " ".join(finding.message for finding in opened.findings())
    assert all(str(each) in told for each in value)


@check("texts")
def _texts(value: list[str], opened: Opened, case: Case) -> None:
    assert rows_of(opened.datasets[0])["query"].to_list() == value
