"""Exports of deepset's search history as sources: the question, the answer, what it was made from, the trace."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ragtui.datasets.archive import export, read
from ragtui.datasets.check import open_dataset, open_datasets
from ragtui.datasets.dataset import Dataset
from ragtui.datasets.formats import ReadOptions

ENTRIES: list[dict[str, Any]] = [
    {
        "search_history_id": "a1",
        "session_id": "s-1",
        "request": {"query": "How do I reset it?", "filters": {"lang": "en"}, "params": {}},
        "response": [
            {"answers": [{"answer": "Open it.", "score": 0.9}], "documents": [{"content": "007"}, {"content": "b"}]}
        ],
        "time": "2026-01-01T00:00:00Z",
        "duration": 1.5,
        "status": "success",
        "pipeline": {"name": "desk"},
        "pipeline_version_id": "v7",
        "feedback": [],
        "note": None,
    },
    {
        "search_history_id": "a2",
        "session_id": "s-1",
        "request": {"query": "And then?", "filters": None, "params": {}},
        "response": [],
        "status": "failed",
        "pipeline": {"name": "desk"},
        "pipeline_version_id": "v7",
    },
]
SPANS = [
    {
        "span_id": "1",
        "component": "retriever",
        "tags": {"haystack.component.output": {"documents": [{"content": "port 22"}]}},
    },
    {"span_id": "2", "component": "llm", "tags": {"outputs": {"replies": ["Port 22."]}}},
]
TRACED: list[dict[str, Any]] = [
    {
        "query_id": "b1",
        "query": "Which port?",
        "status": "success",
        "duration_s": 1.0,
        "pipeline_version_id": "v8",
        "haystack_trace": {"schema_version": "haystack-trace/v1", "run_id": "r", "traces": SPANS, "logs": []},
    }
]


def lines(path: Path, entries: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(each) + "\n" for each in entries))
    return str(path)


def rows(dataset: Dataset) -> list[tuple[Any, ...]]:
    assert dataset.cases is not None
    return dataset.cases.select("_case_id", "query", "answer", "documents").rows()


@pytest.mark.parametrize("whole", [False, True])
def test_what_was_asked_and_said(tmp_path: Path, whole: bool) -> None:
    path = tmp_path / "history.json"
    path.write_text(json.dumps(ENTRIES) if whole else "".join(json.dumps(each) + "\n" for each in ENTRIES))
    opened = open_datasets([str(path)])
    (dataset,) = opened.datasets
    assert dataset.format == "deepset-history"
    assert rows(dataset) == [("a1", "How do I reset it?", "Open it.", ["007", "b"]), ("a2", "And then?", None, None)]
    assert dict(dataset.fields) == {"query": "query", "response": "answer", "context": "documents"}
    assert [each.message for each in opened.findings() if each.code != "JSON001"] == []


def test_what_a_trace_tells_and_that_it_stays_readable(tmp_path: Path) -> None:
    dataset, _ = open_dataset(lines(tmp_path / "traces.jsonl", TRACED))
    assert rows(dataset) == [("b1", "Which port?", "Port 22.", ["port 22"])]
    export(dataset, tmp_path / "cases.zip")
    (trace,) = read(tmp_path / "cases.zip").traces.values()
    assert trace == TRACED[0]["haystack_trace"]
    with zipfile.ZipFile(tmp_path / "cases.zip") as package:
        assert any(name.startswith("traces/") for name in package.namelist())
    again, _ = open_dataset(str(tmp_path / "cases.zip"))
    assert again.cases is not None
    assert json.loads(again.cases["haystack_trace"][0]) == TRACED[0]["haystack_trace"]
    assert rows(again) == rows(dataset)


@pytest.mark.parametrize(
    "damage",
    [
        {"request": "no object"}, {"response": "{"}, {"response": [None, 3, "x", {"answers": 7}, {"documents": [None]}]},
        {"haystack_trace": {"traces": "x"}}, {"haystack_trace": {"traces": [None, {"tags": {"outputs": 3}}]}},
    ],
)  # fmt: skip
def test_entries_of_other_shapes_are_read_as_far_as_they_go(tmp_path: Path, damage: dict[str, Any]) -> None:
    entries = [{**ENTRIES[0], **damage}, ENTRIES[1]]
    (dataset,) = open_datasets([lines(tmp_path / "h.jsonl", entries)], ReadOptions()).datasets
    assert dataset.format == "deepset-history"
    assert dataset.rows == 2
