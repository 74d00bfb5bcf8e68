"""Cases copied between datasets, and rows of an experiment made into cases."""

from __future__ import annotations

import json
from pathlib import Path

from ragtui.datasets.check import open_dataset
from tests.cli.test_check import ragtui


def records(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_cases_are_copied_once_and_know_where_they_are_from(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,query,office,expected_answer\n007,é?,Bilbao,b\n8,c?,Oslo,d\n", "utf-8")
    assert ragtui("copy", "a.csv", "b.jsonl", "--where", "office = 'Bilbao'", cwd=tmp_path).returncode == 0
    (record,) = records(tmp_path / "b.jsonl")
    assert json.loads(str(record.pop("source"))) == {"format": "table", "file": "a.csv", "line": 2}
    assert record == {"id": "007", "query": "é?", "office": "Bilbao", "expected_answer": "b"}
    before = (tmp_path / "b.jsonl").read_bytes()
    done = ragtui("copy", "a.csv", "b.jsonl", "--cases", "007,8", cwd=tmp_path)
    assert "Added 1 case to b.jsonl; 1 there already." in done.stdout
    assert (tmp_path / "b.jsonl").read_bytes().startswith(before)
    assert ragtui("copy", "b.jsonl", "c.jsonl", cwd=tmp_path).returncode == 0
    assert json.loads(str(records(tmp_path / "c.jsonl")[1]["source"]))["file"] == "a.csv", "the first source stays"
    for arguments in (["b.jsonl", "--cases", "9"], ["b.csv"], ["b.jsonl", "--where", "nope = 1"]):
        done = ragtui("copy", "a.csv", *arguments, cwd=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), arguments


def test_rows_of_an_experiment_become_a_dataset(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"id": "x", "query": "Which?", "response": "the blue one", "context": "It is blue.", "ground_truth": "blue"}\n'
        '{"id": "y", "query": "Why?", "response": "because", "context": "No.", "ground_truth": "so"}\n'
    )
    assert ragtui("run", "a.jsonl", "--metrics", "f1", "--quiet", cwd=tmp_path).returncode == 0
    assert ragtui("label", "last", "y", "m", cwd=tmp_path).returncode == 0
    done = ragtui("copy", "last", "worst.jsonl", "--experiment", "--cases", "y", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (record,) = records(tmp_path / "worst.jsonl")
    assert json.loads(str(record.pop("source")))["side"] == "candidate"
    label = record.pop("label")
    assert label
    assert record == {"id": "y", "query": "Why?", "response": "because", "context": "No.", "ground_truth": "so"}
    again, report = open_dataset(str(tmp_path / "worst.jsonl"))
    assert again.rows == 1
    assert not [each for each in report.findings if each.level.value == "error"]
    assert ragtui("copy", "last", "worst.jsonl", "--experiment", "--cases", "nope", cwd=tmp_path).returncode == 2
