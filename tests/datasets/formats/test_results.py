"""Result files of other tools: known as such, shown by case, and no worse for a score that is no number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragtui.datasets.check import CannotOpen, open_dataset
from ragtui.datasets.dataset import Role
from ragtui.datasets.findings import Level


def test_rows_of_inputs_and_outputs_are_results(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    rows = [
        {"inputs.query": "When?", "inputs.response": "At 9.", "outputs.groundedness.groundedness": score}
        for score in (4, float("nan"))
    ]
    path.write_text(json.dumps({"rows": rows, "metrics": {"groundedness.groundedness": 4.0}}))
    dataset, report = open_dataset(str(path))
    assert dataset.format == "results"
    assert dataset.rows == 2
    assert dataset.fields == {"query": "inputs.query", "response": "inputs.response"}
    assert dataset.columns_with(Role.INPUT) == ["inputs.query"]
    assert [(each.code, each.level, each.line) for each in report.findings if each.code.startswith("JSON")] == [
        ("JSON005", Level.WARNING, 1)
    ]


def test_ids_and_scores_alone_are_results(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text('{"id": "a", "faithfulness": 0.5}\n{"id": "b", "faithfulness": NaN}\n')
    dataset, report = open_dataset(str(path))
    assert dataset.format == "results"
    assert dataset.cases is not None
    assert dataset.cases["_case_id"].to_list() == ["a", "b"]
    assert [(each.level, each.line, each.field) for each in report.findings] == [(Level.WARNING, 2, "faithfulness")]


@pytest.mark.parametrize("text", ["id,price\na,3\n", "score,note\n1,x\n", "id,name\na,b\n"])
def test_a_table_of_other_things_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "goods.csv"
    path.write_text(text)
    with pytest.raises(CannotOpen):
        open_dataset(str(path))


def test_a_question_makes_it_a_table_of_cases(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("id,question,score\na,When?,1\n")
    assert open_dataset(str(path))[0].format == "table"
