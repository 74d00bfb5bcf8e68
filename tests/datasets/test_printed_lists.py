"""Lists of contexts that became text on their way through a spreadsheet, in tables that take a context as text."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from ragtui.datasets.check import open_dataset
from ragtui.datasets.mapping import inputs_frame, metric_inputs

LISTS = {
    "['It is red.', \"It isn't blue.\"]": ["It is red.", "It isn't blue."],
    '["a", "b"]': ["a", "b"],
    "[\"it's\", 'b']": ["it's", "b"],
    "['one, two']": ["one, two"],
}


def table(folder: Path, header: str, cells: list[str], name: str = "cases.csv") -> str:
    with (folder / name).open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(
            [["question", "answer", header], *([f"q{n}", "a", cell] for n, cell in enumerate(cells))]
        )
    return str(folder / name)


@pytest.mark.parametrize("header", ["context", "contexts", "retrieved_context", "passages", "documents"])
def test_a_python_list_is_found_and_read_as_a_list_under_any_name_of_contexts(tmp_path: Path, header: str) -> None:
    dataset, report = open_dataset(table(tmp_path, header, list(LISTS)))
    codes = {finding.code for finding in report.findings if finding.field == header}
    assert codes & {"TBL106", "EV105"}
    contexts = inputs_frame(dataset, metric_inputs(dataset, {}, "", ("context",)))["context"]
    assert contexts.to_list() == list(LISTS.values())


def test_each_printed_list_is_named_with_its_line(tmp_path: Path) -> None:
    _, report = open_dataset(table(tmp_path, "context", ["plain", "['a', 'b']", '["a"]', "['a' 'b']", "array(['a'])"]))
    told = [(each.line, each.code, each.message) for each in report.findings if each.field == "context"]
    assert [each[:2] for each in sorted(told)] == [(3, "TBL106"), (5, "TBL107"), (6, "TBL107")]
    assert "context is a Python list in text; read as a list of 2" in [message for *_, message in told]


def test_azures_table_of_texts_is_held_to_the_same(tmp_path: Path) -> None:
    path = tmp_path / "azure.csv"
    path.write_text("query,context,response,ground_truth\nq,\"['a', 'b']\",r,g\n", "utf-8")
    dataset, report = open_dataset(str(path))
    assert (dataset.format, [each.code for each in report.findings if each.field == "context"]) == ("azure", ["TBL106"])


@pytest.mark.parametrize(
    "prose", ["[1] See page 2.", "[sic] one chunk", "[1, 2]", "[Bob's list](x)", "'quoted' [a]", "[]"]
)
def test_prose_in_brackets_is_no_list(tmp_path: Path, prose: str) -> None:
    _, report = open_dataset(table(tmp_path, "context", [prose]))
    assert not {each.code for each in report.findings} & {"TBL106", "TBL107", "EV105"}
