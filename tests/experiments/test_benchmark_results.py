"""Results of MTEB and EvalScope: a case a task, split and subset, compared by that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragtui.experiments.imported import open_result_file
from ragtui.metrics.score import State
from tests.experiments.command_line import Shell


def mteb(folder: Path, task: str, ndcg: float, german: float | None = None) -> None:
    subsets: list[dict[str, Any]] = [
        {"hf_subset": "default", "languages": ["eng-Latn"], "main_score": ndcg, "ndcg_at_10": ndcg}
    ]
    if german is not None:
        subsets.append({"hf_subset": "de", "languages": ["deu-Latn"], "main_score": german, "ndcg_at_10": german})
    folder.mkdir(exist_ok=True)
    value = {
        "dataset_revision": "x",
        "task_name": task,
        "mteb_version": "2.1.0",
        "evaluation_time": 3.5,
        "scores": {"test": subsets},
    }
    (folder / f"{task}.json").write_text(json.dumps(value))


def test_two_folders_of_mteb_results_are_compared_task_by_task(shell: Shell) -> None:
    for name, shift in (("small", 0.0), ("large", 0.1)):
        for at in range(5):
            mteb(shell.folder / name, f"Task{at}", 0.3 + at / 20 + shift)
    mteb(shell.folder / "small", "Task4", 0.5, german=float("nan"))
    found = open_result_file(shell.folder / "small")
    assert found.metrics == ("main_score", "ndcg_at_10")
    assert found.rows()["case_id"].to_list()[-2:] == ["Task4/test/default", "Task4/test/de"]
    assert found.summaries()[1].states[State.JUDGE_ERROR] == 1, "NaN is a failed score, not a number"
    said = shell("compare", "small", "large")
    assert said.status == 0
    assert "ndcg_at_10: B is better" not in said.out, "five pairs: the smallest p there can be is 0.06"
    assert "5 pairs: 5 better, 0 equal, 0 worse" in said.out
    assert "only in A: Task4/test/de" in said.out
    assert shell("show", "small/Task4.json", "--worst", "0").status == 0


def test_an_evalscope_report_has_a_case_a_subset(shell: Shell) -> None:
    report = {
        "name": "m@ds", "dataset_name": "ds", "model_name": "m",
        "metrics": [
            {"name": "AverageAccuracy", "num": 30, "score": 0.6, "categories": [
                {"name": ["default"], "num": 30, "score": 0.6, "subsets": [
                    {"name": "en", "score": 0.5, "num": 10}, {"name": "de", "score": 0.65, "num": 20}]}]},
        ],
    }  # fmt: skip
    (shell.folder / "ds.json").write_text(json.dumps(report))
    found = open_result_file(shell.folder / "ds.json")
    assert (found.metrics, found.rows()["AverageAccuracy"].to_list()) == (("AverageAccuracy",), [0.5, 0.65])
    assert found.rows()["case_id"].to_list() == ["ds/default/en", "ds/default/de"]


def test_other_folders_and_files_are_none(shell: Shell) -> None:
    (shell.folder / "empty").mkdir()
    assert shell("show", "empty").status == 2
    (shell.folder / "odd.json").write_text('{"task_name": "x", "scores": []}')
    assert shell("show", "odd.json").status == 2
