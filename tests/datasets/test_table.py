"""Tables of test cases: what each column is for, how rows are named, and how cases are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragtui.datasets.case_ids import hashed
from ragtui.datasets.check import open_dataset
from ragtui.datasets.dataset import Dataset, Role
from ragtui.datasets.findings import Finding, Level


def opened(
    tmp_path: Path, text: str, name: str = "cases.csv", format: str | None = None
) -> tuple[Dataset, list[Finding]]:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    dataset, report = open_dataset(str(path), format)
    return dataset, report.findings


def roles(dataset: Dataset) -> dict[str, str]:
    return {column.name: column.role.value for column in dataset.columns}


class TestRoles:
    @pytest.mark.parametrize(
        ("header", "role"),
        [
            ("query", Role.INPUT), ("Question", Role.INPUT), ("input.city", Role.INPUT), ("expected_answer", Role.EXPECTED),
            ("Expected answer", Role.EXPECTED), ("expected", Role.EXPECTED), ("ground_truth", Role.EXPECTED),
            ("gold", Role.EXPECTED), ("response", Role.RESPONSE), ("answer", Role.RESPONSE), ("response_v2", Role.RESPONSE),
            ("contexts", Role.CONTEXT), ("context_v2", Role.CONTEXT), ("retrieved_ids", Role.RETRIEVED_IDS), ("id", Role.ID),
            ("score", Role.IGNORED), ("note", Role.IGNORED),
        ],
    )  # fmt: skip
    def test_headers_say_what_a_column_is_for(self, tmp_path: Path, header: str, role: Role) -> None:
        other = "prompt" if role is not Role.INPUT or header == "input.city" else "expected"
        dataset, _ = opened(tmp_path, f"{other},{header}\na,b\n")
        assert roles(dataset)[header] == role.value

    def test_what_stands_left_of_the_results_is_one_more_input(self, tmp_path: Path) -> None:
        dataset, _ = opened(tmp_path, "query,office,my_answer_key,expected_answer,price\na,b,c,d,e\n")
        assert roles(dataset) == {
            "query": "input", "office": "input", "my_answer_key": "ignored", "expected_answer": "expected", "price": "ignored",
        }  # fmt: skip

    def test_a_header_used_twice_has_no_role(self, tmp_path: Path) -> None:
        dataset, findings = opened(tmp_path, "query,answer,answer\na,b,c\n")
        assert roles(dataset) == {"query": "input", "answer#2": "ignored", "answer#3": "ignored"}
        assert [(finding.code, finding.level) for finding in findings] == [("CSV003", Level.ERROR)]


class TestCases:
    def test_a_row_is_named_after_its_query(self, tmp_path: Path) -> None:
        dataset, _ = opened(tmp_path, "office,query,expected\nLeipzig,Where?,Here\n")
        assert dataset.cases is not None
        assert dataset.cases["_name"].to_list() == ["Where?"]

    def test_the_files_own_ids_are_used(self, tmp_path: Path) -> None:
        dataset, findings = opened(tmp_path, "query,qid,expected\na,7,x\nb, 8 ,x\nc,,x\n")
        assert dataset.cases is not None
        assert dataset.cases["_case_id"].to_list() == ["7", "8", hashed(["c"])]
        assert not findings

    def test_one_id_on_two_rows_is_an_error_and_equal_inputs_a_warning(self, tmp_path: Path) -> None:
        dataset, findings = opened(tmp_path, "query,id,expected\na,1,x\nb,1,x\nc,1-2,x\nd,1,x\n")
        assert dataset.cases is not None
        assert dataset.cases["_case_id"].to_list() == ["1", "1-3", "1-2", "1-4"]
        assert [(finding.code, finding.line, finding.level) for finding in findings] == [
            ("ID202", 3, Level.ERROR),
            ("ID202", 5, Level.ERROR),
        ]
        dataset, findings = opened(tmp_path, "query,expected\na,x\na,y\n", "equal.csv")
        assert dataset.cases is not None
        assert dataset.cases["_case_id"].to_list() == [hashed(["a"]), hashed(["a"]) + "-2"]
        assert [(finding.code, finding.line, finding.level) for finding in findings] == [("ID201", 3, Level.WARNING)]

    def test_a_second_input_tells_rows_apart(self, tmp_path: Path) -> None:
        assert not opened(tmp_path, "query,office,expected\na,Leipzig,x\na,Bilbao,y\n")[1]

    def test_ids_are_the_same_on_every_machine(self) -> None:
        assert hashed(["Who?", None, ""]) == "801ddcf783d3"
        assert hashed(["a", "b"]) != hashed(["ab", ""])
        assert hashed(["a", None]) != hashed(["a", ""])


class TestRules:
    def test_empty_cells(self, tmp_path: Path) -> None:
        _, findings = opened(tmp_path, "query,office,expected\na,,\n,b,c\n \t,b,d\n")
        assert [(finding.code, finding.line, finding.field) for finding in findings] == [
            ("TBL102", 3, "query"), ("TBL102", 4, "query"), ("TBL103", 2, "expected"),
        ]  # fmt: skip

    def test_spaces_around_a_header_are_told_with_a_fix(self, tmp_path: Path) -> None:
        dataset, [finding] = (
            opened(tmp_path, "query ,\u200bexpected\na,b\n")[0],
            opened(tmp_path, "query , expected\na,b\n")[1][:1],
        )
        assert roles(dataset)["query "] == "input"
        assert (finding.code, finding.level, finding.fixable) == ("TBL105", Level.WARNING, True)

    def test_a_key_that_some_json_records_lack_is_told_once(self, tmp_path: Path) -> None:
        lines = ['{"input": "a", "gold": "x"}', '{"input": "b"}', '{"input": "c"}', '{"input": "d", "gold": "y"}']
        _, findings = opened(tmp_path, "\n".join(lines), "cases.jsonl", "table")
        assert [(finding.code, finding.line, finding.field) for finding in findings] == [("TBL104", 2, "gold")]
        assert "2 of 4" in findings[0].message


@pytest.mark.parametrize("name", ["cases.csv", "cases.jsonl"])
def test_control_characters_in_a_header_are_told(tmp_path: Path, name: str) -> None:
    lines = {
        "cases.csv": "query,\x1b[31mexpected\nq,e\n",
        "cases.jsonl": '{"query": "q", "\\u001b[31mexpected": "e"}\n',
    }
    _, findings = opened(tmp_path, lines[name], name, "table")
    assert [(each.code, each.message) for each in findings if each.code == "TEXT006"] == [
        ("TEXT006", "control character U+001B in the header")
    ]
