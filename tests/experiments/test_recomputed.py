"""Imported figures of Azure and Pinecone are computed again from their own rows; what does not fit is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragtui.experiments.imported import open_result_file
from tests.experiments.command_line import Shell

REAL = Path(__file__).parent / "oracles" / "azure_evaluate_output.json"


def result_file() -> dict[str, Any]:
    return json.loads(REAL.read_text("utf-8"))  # type: ignore[no-any-return]


def test_a_real_result_file_of_azure_agrees(tmp_path: Path) -> None:
    (tmp_path / "az.json").write_text(json.dumps(result_file()))
    remarks = "\n".join(open_result_file(tmp_path / "az.json").remarks)
    for name in ("f1_score", "bleu", "gleu", "rouge", "rougeL.rouge", "document_retrieval"):
        assert f"{name}: computed again as " in remarks
    assert remarks.count("on 12 of 12 rows; all agree") >= 6
    assert "differ" not in remarks


def test_a_changed_figure_is_named_with_its_row(tmp_path: Path) -> None:
    whole = result_file()
    whole["rows"][3]["outputs.f1.f1_score"] = whole["rows"][3]["outputs.f1.f1_score_score"] = 0.123
    whole["rows"][5]["outputs.docs.document_retrieval"] = 0.77
    (tmp_path / "az.json").write_text(json.dumps(whole))
    results = open_result_file(tmp_path / "az.json")
    remarks = "\n".join(results.remarks)
    assert "f1_score: computed again as f1:azure on 12 of 12 rows; 1 differ: " in remarks
    assert "says 0.123, is " in remarks
    assert "says 0.77, is " in remarks
    case_id = results.cases["case_id"][3]
    cell = next(each for each in results.detail(case_id).sides[0].cells if each.metric == "f1_score")
    assert cell.reason.startswith("the file says 0.123; computed again as f1:azure it is ")
    assert cell.score == 0.123  # the file's word stays the file's word


ASKED = {
    "question": "Which capitals?",
    "answer": "Paris and Barcelona.",
    "ground_truth_answer": "Paris, London, Madrid.",
}
WORDS = ("entailed", "neutral", "contradicted")


def pinecone(metrics: dict[str, float | None], facts: list[Any], key: str = "metrics") -> dict[str, Any]:
    if key == "metrics":
        return {**ASKED, "metrics": metrics, "reasoning": {"evaluated_facts": facts}}
    return {**ASKED, key: metrics, "facts": facts}


def test_pinecones_figures_are_held_against_their_own_facts(shell: Shell) -> None:
    nested = [{"fact": {"content": f"fact {word}"}, "entailment": word} for word in WORDS]
    flat = [{"fact": f"fact {word}", "entailment": {"label": word}} for word in WORDS]
    shell.write(
        "p.jsonl",
        [
            {"id": "published", **pinecone({"correctness": 0.5, "completeness": 0.333, "alignment": 0.398}, nested)},
            {"id": "sdk", **pinecone({"correctness": 0.5, "completeness": 1 / 3, "alignment": 0.4}, flat)},
            {"id": "wrong", **pinecone({"correctness": 0.9, "completeness": 1 / 3, "alignment": 0.4}, nested)},
            {"id": "neutral", **pinecone({"correctness": 1.0, "completeness": 0.0, "alignment": 0.0}, nested[1:2])},
            {"id": "none", **pinecone({"correctness": 0.5, "completeness": 0.5, "alignment": 0.5}, [{"fact": "x", "entailment": "?"}])},
        ],
    )  # fmt: skip
    shown = shell("show", "p.jsonl")
    assert shown.status == 0
    assert (
        "correctness: computed again on 4 of 5 rows; 2 differ: wrong says 0.9, is 0.5; neutral says 1, is not defined"
        in shown.out
    )
    assert "completeness: computed again on 4 of 5 rows; all agree" in shown.out
    assert "alignment: computed again on 4 of 5 rows; all agree" in shown.out
    detail = open_result_file(Path("p.jsonl")).detail("published")
    assert [(each.claim, each.verdict) for each in detail.sides[0].cells[0].evidence] == [
        (f"fact {word}", word) for word in WORDS
    ]


@pytest.mark.parametrize("cell", ["not json", "[1, 2]", '{"correctness": {"a": 1}}', "null", ""])
def test_what_is_no_figure_breaks_nothing(tmp_path: Path, cell: str) -> None:
    rows = [{**ASKED, "metrics": cell, "facts": cell, "score": 0.5}, {**ASKED, "metrics": None, "score": 0.25}]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    results = open_result_file(tmp_path / "x.jsonl")
    assert results.metrics == ("score",)
    assert results.rows()["score"].to_list() == [0.5, 0.25]
