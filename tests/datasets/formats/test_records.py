"""Formats of records (Azure, Pinecone, and those of evaluation frameworks): recognised, read, checked."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragtui.datasets.check import Opened, open_datasets
from ragtui.datasets.dataset import Dataset, Role
from ragtui.datasets.findings import Level
from ragtui.datasets.formats import ReadOptions
from ragtui.datasets.list_cells import read_list
from ragtui.datasets.mapping import inputs_frame, metric_inputs

Row = dict[str, Any]


def as_lines(rows: list[Row]) -> tuple[str, str]:
    return "x.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def as_array(rows: list[Row]) -> tuple[str, str]:
    return "x.json", json.dumps(rows, indent=1)


def as_csv(rows: list[Row]) -> tuple[str, str]:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(key for row in rows for key in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return "x.csv", text.getvalue()


def opened(tmp_path: Path, rows: list[Row], write: Callable[[list[Row]], tuple[str, str]], **options: Any) -> Opened:
    name, text = write(rows)
    format = options.pop("format", None)
    (tmp_path / name).write_text(text, "utf-8")
    return open_datasets([str(tmp_path / name)], ReadOptions(**options), format)


def told(result: Opened) -> list[tuple[int, str, str | None]]:
    return [(each.line, each.code, each.field) for each in result.findings()]


def inputs(dataset: Dataset) -> list[dict[str, Any]]:
    """What a metric is given of each case, absent inputs left out."""
    names = ["query", "response", "context", "ground_truth"]
    frame = inputs_frame(dataset, metric_inputs(dataset, {}, "m", names)).drop("case_id")
    return [{name: value for name, value in row.items() if value is not None} for row in frame.iter_rows(named=True)]


AZURE = [
    {"query": "q1", "context": "c", "response": "r", "ground_truth": "g"},
    {"query": "q2", "context": "c", "response": "r", "ground_truth": "g"},
]
PINECONE = [
    {"question": "q1", "answer": "r", "ground_truth_answer": "g"},
    {"question": "q2", "answer": "r", "ground_truth_answer": "g"},
]
RAGAS = [{"user_input": "q1", "response": "r", "retrieved_contexts": ["c", "d"], "reference": "g"}]
RAGAS_OLD = [{"question": "q1", "answer": "r", "contexts": ["c", "d"], "ground_truth": "g"}]
DEEPEVAL = [
    {"input": "q1", "actual_output": "r", "expected_output": "g", "retrieval_context": ["c", "d"], "context": ["gold"]}
]
DEEPEVAL_CAMEL = [{"input": "q1", "actualOutput": "r", "expectedOutput": "g", "retrievalContext": ["c", "d"]}]
LANGFUSE = [{"id": "it-1", "input": "q1", "expectedOutput": "g", "metadata": {"a": 1}, "status": "ACTIVE"}]
PHOENIX = [{"id": "e1", "input": {"question": "q1"}, "output": {"answer": "g"}, "metadata": {}}]
INSPECT = [{"id": "1", "input": "q1", "target": "g", "choices": ["a", "b"]}]
INSPECT_LOG = [
    {
        "id": 1,
        "epoch": 1,
        "input": "q1",
        "target": "g",
        "output": {"completion": "r"},
        "scores": {"match": {"value": "C"}},
    }
]
HAYSTACK = [{"questions": "q1", "contexts": "['c', 'd']", "true_answers": "g", "predicted_answers": "r", "sas": "0.5"}]
RAGCHECKER = [
    {
        "query_id": "1",
        "query": "q1",
        "gt_answer": "g",
        "response": "r",
        "retrieved_context": [{"doc_id": "7", "text": "c"}, {"doc_id": "8", "text": "d"}],
    }
]
PROMPTFOO = [{"question": "q1", "context": "c", "__expected": "g", "__description": "d"}]
PROMPTFOO_TESTS = [{"vars": {"question": "q1", "context": "c"}, "assert": [{"type": "contains", "value": "g"}]}]

BOTH = {"query": "q1", "response": "r", "context": ["c", "d"], "ground_truth": ["g"]}


@pytest.mark.parametrize(
    ("rows", "write", "format", "first"),
    [
        (AZURE, as_lines, "azure", {**BOTH, "context": ["c"]}),
        (AZURE, as_csv, "azure", {**BOTH, "context": ["c"]}),
        (PINECONE, as_lines, "pinecone", {"query": "q1", "response": "r", "ground_truth": ["g"]}),
        (PINECONE, as_array, "pinecone", {"query": "q1", "response": "r", "ground_truth": ["g"]}),
        (PINECONE, as_csv, "pinecone", {"query": "q1", "response": "r", "ground_truth": ["g"]}),
        (RAGAS, as_lines, "ragas", BOTH),
        (RAGAS, as_array, "ragas", BOTH),
        (RAGAS, as_csv, "ragas", BOTH),
        (RAGAS_OLD, as_lines, "ragas", BOTH),
        (DEEPEVAL, as_array, "deepeval", BOTH),
        (DEEPEVAL_CAMEL, as_lines, "deepeval", BOTH),
        ([{**DEEPEVAL[0], "retrieval_context": "c|d", "context": "gold"}], as_csv, "deepeval", BOTH),
        (LANGFUSE, as_lines, "langfuse", {"query": "q1", "ground_truth": ["g"]}),
        (PHOENIX, as_lines, "phoenix", {"query": '{"question": "q1"}', "ground_truth": ['{"answer": "g"}']}),
        (INSPECT, as_lines, "inspect", {"query": "q1", "ground_truth": ["g"]}),
        (INSPECT_LOG, lambda rows: ("x.json", json.dumps({"version": 2, "eval": {}, "samples": rows})), "inspect",
         {"query": "q1", "response": "r", "ground_truth": ["g"]}),
        (HAYSTACK, as_csv, "haystack", BOTH),
        (RAGCHECKER, lambda rows: ("x.json", json.dumps({"results": rows, "metrics": {}})), "ragchecker", BOTH),
        (PROMPTFOO, as_csv, "promptfoo", {"query": "q1", "context": ["c"], "ground_truth": ["g"]}),
        (PROMPTFOO_TESTS, as_array, "promptfoo", {"query": "q1", "context": ["c"]}),
    ],
)  # fmt: skip
def test_each_is_recognised_and_its_inputs_found(
    tmp_path: Path, rows: list[Row], write: Callable[[list[Row]], tuple[str, str]], format: str, first: Row
) -> None:
    result = opened(tmp_path, rows, write)
    assert [dataset.format for dataset in result.datasets] == [format]
    assert result.total(Level.ERROR) == 0
    assert result.total(Level.WARNING) == 0
    assert inputs(result.datasets[0])[0] == first


@pytest.mark.parametrize(
    ("rows", "write"),
    [(AZURE, as_lines), (PINECONE, as_lines), (RAGAS, as_lines), (DEEPEVAL, as_array), (LANGFUSE, as_lines), (INSPECT, as_lines),
     (HAYSTACK, as_csv), (RAGCHECKER, as_array), (PROMPTFOO, as_csv)],
)  # fmt: skip
def test_expected_values_have_the_role_that_keeps_them_from_targets(
    tmp_path: Path, rows: list[Row], write: Callable[[list[Row]], tuple[str, str]]
) -> None:
    dataset = opened(tmp_path, rows, write).datasets[0]
    expected = dataset.columns_with(Role.EXPECTED)
    assert expected
    assert all(
        dataset.cases is not None and "g" in str(dataset.cases[name][0]) for name in expected if name != "context"
    )
    assert not set(expected) & set(dataset.columns_with(Role.INPUT))


class TestAzure:
    def rows(self, **changes: Any) -> list[Row]:
        """Two rows, of which the second is changed; a value of ``...`` takes the key out."""
        second = {**AZURE[1], **changes}
        return [AZURE[0], {key: value for key, value in second.items() if value is not ...}]

    @pytest.mark.parametrize(
        ("changes", "findings"),
        [
            ({"query": ""}, [(2, "AZ102", "query")]),
            ({"query": " \n"}, [(2, "AZ102", "query")]),
            ({"response": ""}, [(2, "AZ103", "response")]),
            ({"ground_truth": ...}, [(2, "AZ104", "ground_truth")]),
            ({"ground_truth": None}, [(2, "AZ105", "ground_truth")]),
            ({"response": 42}, [(2, "AZ106", "response")]),
            ({"response": True}, [(2, "AZ106", "response")]),
            ({"context": ["a", "b"]}, [(2, "AZ107", "context")]),
            ({"created_at": "2024-05-01"}, [(1, "AZ110", "created_at")]),
            ({"created_at": "soon"}, []),
            ({"my note": "x"}, [(1, "AZ111", "my note")]),
            ({"retrieved_documents": [{"document_id": "a", "relevance_score": 0.5}]}, []),
            ({"retrieved_documents": [{"id": "a"}]}, [(2, "AZ112", "retrieved_documents")]),
            (
                {"retrieval_ground_truth": [{"document_id": "a", "query_relevance_label": 1.5}]},
                [(2, "AZ112", "retrieval_ground_truth")],
            ),
            ({"retrieval_ground_truth": []}, [(2, "AZ112", "retrieval_ground_truth")]),
        ],
    )
    def test_faults_are_named(self, tmp_path: Path, changes: Row, findings: list[tuple[int, str, str]]) -> None:
        assert told(opened(tmp_path, self.rows(**changes), as_lines)) == findings

    def test_a_column_of_nearly_the_right_name_is_read_and_told(self, tmp_path: Path) -> None:
        rows = [{"Query": "q", "response": "r", "ground-truth": "g"}]
        result = opened(tmp_path, rows, as_lines, format="azure")
        assert sorted(told(result)) == [
            (0, "AZ113", "Query"),
            (0, "AZ113", "ground-truth"),
            (1, "AZ111", "ground-truth"),
        ]
        assert inputs(result.datasets[0]) == [{"query": "q", "response": "r", "ground_truth": ["g"]}]

    def test_a_version_of_a_column_is_another_column(self, tmp_path: Path) -> None:
        dataset = opened(tmp_path, [{"query": "q", "response_v1": "r", "response_v2": "s"}], as_lines).datasets[0]
        assert "response" not in dataset.fields
        assert dataset.columns_with(Role.RESPONSE) == ["response_v1", "response_v2"]

    def test_a_number_can_be_put_in_quotes(self, tmp_path: Path) -> None:
        result = opened(tmp_path, self.rows(response=42), as_lines)
        [each] = result.findings()
        [edit] = each.fix
        data = (tmp_path / "x.jsonl").read_bytes()
        fixed = data[: edit.start] + edit.text.encode() + data[edit.end :]
        assert json.loads(fixed.splitlines()[1])["response"] == "42"

    def test_of_a_conversation_the_last_turn_is_what_is_judged(self, tmp_path: Path) -> None:
        messages = [
            {"role": "user", "content": "first"},
            {"role": "assistant", "content": "one"},
            {"role": "user", "content": "second"},
            {"role": "assistant", "content": "two", "context": "c"},
        ]
        result = opened(tmp_path, [{"conversation": {"messages": messages}}], as_lines)
        assert told(result) == []
        assert inputs(result.datasets[0]) == [{"query": "second", "response": "two", "context": ["c"]}]
        assert result.datasets[0].cases is not None
        assert result.datasets[0].cases["_name"].to_list() == ["second"]

    @pytest.mark.parametrize(
        ("conversation", "says"),
        [
            ("hello", 'has no list "messages"'),
            ({"messages": []}, "has no messages"),
            ({"messages": [{"content": "x"}]}, "message 1 has no role"),
            ({"messages": [{"role": "bot", "content": "x"}]}, "message 1 has the unknown role 'bot'"),
            ({"messages": [{"role": "user"}]}, "message 1 has no content"),
            ({"messages": [{"role": "user", "content": "x"}]}, "has no message of the assistant"),
        ],
    )
    def test_a_conversation_of_another_shape_is_told(self, tmp_path: Path, conversation: Any, says: str) -> None:
        [each] = opened(tmp_path, [{"conversation": conversation}], as_lines).findings()
        assert (each.code, each.message) == ("AZ108", f"conversation {says}")

    def test_a_null_conversation_is_told_where_nothing_else_is(self, tmp_path: Path) -> None:
        talk = {"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]}
        records = [
            {"conversation": talk},
            {"conversation": None},
            {"query": "q", "response": "r", "conversation": None},
        ]
        found = [each for each in opened(tmp_path, records, as_lines).findings() if each.code == "AZ108"]
        assert [(each.line, each.message) for each in found] == [
            (2, "conversation is null, and nothing else is in the row")
        ]

    def test_columns_without_a_known_name_need_a_mapping(self, tmp_path: Path) -> None:
        assert told(opened(tmp_path, [{"a": "x", "b": "y"}], as_lines, format="azure")) == [(0, "AZ101", None)]


class TestPinecone:
    @pytest.mark.parametrize(
        ("rows", "findings"),
        [
            ([{**PINECONE[0], "answer": 5}], [(1, "PC103", "answer")]),
            ([{**PINECONE[0], "ground_truth_answer": ""}], [(1, "PC102", "ground_truth_answer")]),
            ([{**PINECONE[0], "ground_truth_answer": None}], [(1, "PC102", "ground_truth_answer")]),
            ([{"question": "q", "ground_truth_answer": "g"}], [(0, "PC101", None)]),
            ([PINECONE[0], {"question": "q", "ground_truth_answer": "g"}], [(2, "PC101", "answer")]),
            ([{**PINECONE[0], "topic": "x"}], [(0, "PC105", None)]),
        ],
    )
    def test_faults_are_named(
        self, tmp_path: Path, rows: list[Row], findings: list[tuple[int, str, str | None]]
    ) -> None:
        assert told(opened(tmp_path, rows, as_lines)) == findings

    def test_the_node_name_is_read(self, tmp_path: Path) -> None:
        rows = [{"question": "q", "answer": "r", "groundTruth": "g"}]
        result = opened(tmp_path, rows, as_lines, format="pinecone")
        assert told(result) == [(0, "PC104", "groundTruth")]
        assert inputs(result.datasets[0]) == [{"query": "q", "response": "r", "ground_truth": ["g"]}]


class TestFrameworks:
    @pytest.mark.parametrize(
        ("changes", "findings"),
        [
            ({"user_input": ""}, [(2, "EV103", "user_input")]),
            ({"reference": ""}, [(2, "EV104", "reference")]),
            ({"retrieved_contexts": []}, [(2, "EV104", "retrieved_contexts")]),
            ({"reference": ...}, [(2, "EV110", "reference")]),
            ({"user_input": ...}, [(2, "EV110", "user_input")]),
            ({"response": 5}, [(2, "EV111", "response")]),
            ({"retrieved_contexts": "c"}, [(2, "EV106", "retrieved_contexts")]),
            ({"retrieved_contexts": "['c']"}, [(2, "EV105", "retrieved_contexts")]),
            ({"retrieved_contexts": "['c' 'd']"}, [(2, "EV107", "retrieved_contexts")]),
        ],
    )
    def test_faults_are_named(self, tmp_path: Path, changes: Row, findings: list[tuple[int, str, str]]) -> None:
        second = {**RAGAS[0], "user_input": "q2", **changes}
        rows = [RAGAS[0], {key: value for key, value in second.items() if value is not ...}]
        assert told(opened(tmp_path, rows, as_lines)) == findings

    def test_older_names_are_an_error_for_the_framework(self, tmp_path: Path) -> None:
        result = opened(tmp_path, RAGAS_OLD, as_lines, platform="ragas")
        assert [(each.code, each.level) for each in result.findings()] == [("EV101", Level.ERROR)]

    def test_a_result_object_in_columns_becomes_rows(self, tmp_path: Path) -> None:
        result = {
            "inputs": {
                "questions": ["q1", "q2"],
                "contexts": [["c", "d"], ["e"]],
                "predicted_answers": ["r", "s"],
                "true_answers": ["g", "h"],
            },
            "results": {"sas": {"score": 0.5, "individual_scores": [0.4, 0.6]}},
        }
        dataset = opened(tmp_path, [result], lambda rows: ("x.json", json.dumps(rows[0]))).datasets[0]
        assert (dataset.format, dataset.rows) == ("haystack", 2)
        assert inputs(dataset)[0] == BOTH
        assert dataset.cases is not None
        assert dataset.cases["sas"].to_list() == ["0.4", "0.6"]

    def test_retrieved_ids_are_a_column_of_their_own(self, tmp_path: Path) -> None:
        dataset = opened(tmp_path, RAGCHECKER, as_array).datasets[0]
        assert dataset.cases is not None
        assert dataset.cases["retrieved_context_ids"].to_list() == [["7", "8"]]

    def test_promptfoo_results_give_outputs(self, tmp_path: Path) -> None:
        rows = [
            {
                "vars": {"query": "q1"},
                "response": {"output": "r"},
                "promptIdx": 0,
                "testIdx": 0,
                "provider": {"id": "p"},
                "success": True,
            }
        ]
        text = json.dumps({"evalId": "e", "results": {"version": 3, "results": rows, "prompts": []}, "config": {}})
        dataset = opened(tmp_path, rows, lambda _: ("x.json", text)).datasets[0]
        assert dataset.format == "promptfoo"
        assert inputs(dataset) == [{"query": "q1", "response": "r"}]

    def test_a_misspelt_magic_column_is_told(self, tmp_path: Path) -> None:
        rows = [{"question": "q", "__expected": "g", "__expectd2": "h"}]
        assert told(opened(tmp_path, rows, as_csv)) == [(1, "EV301", "__expectd2")]


class TestListCells:
    @pytest.mark.parametrize(
        ("text", "items", "how"),
        [
            ('["a", "b"]', ("a", "b"), "json"),
            ('[{"text": "a"}, 5]', ("a", "5"), "json"),
            ("['a', \"b's\"]", ("a", "b's"), "python"),
            ("['a\\n', 'b',]", ("a\n", "b"), "python"),
            ("['a', None, 1.5]", ("a", "None", "1.5"), "python"),
            ("[]", (), "json"),
            ("[ ]", (), "json"),
            ("plain", ("plain",), "plain"),
            (" ", None, "empty"),
            ("['a' 'b']", None, "broken"),
            ("['a'\n 'b']", None, "broken"),
            ("array(['a'])", None, "broken"),
            ("['a", None, "broken"),
            ("['a', ", None, "broken"),
            ("['a'] x", None, "broken"),
            ("[,]", None, "broken"),
            ("[1] as cited", None, "broken"),
        ],
    )
    def test_every_dialect(self, text: str, items: tuple[str, ...] | None, how: str) -> None:
        cell = read_list(text)
        assert (cell.items, cell.how) == (items, how)

    def test_a_separator_splits_text_only(self) -> None:
        assert read_list("a|b", "|").items == ("a", "b")
        assert read_list('["a|b"]', "|").items == ("a|b",)
