"""Results in the shapes of Azure and Ragas: strict JSON with their keys, and the same figures when read back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragtui.experiments.imported import open_result_file
from ragtui.experiments.plan import Side
from ragtui.experiments.results import Results
from tests.experiments.command_line import Shell
from tests.experiments.making import store

EIGHT = ("", "_score", "_passed", "_result", "_reason", "_status", "_threshold", "_properties")


def strict(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def desk(shell: Shell) -> Shell:
    rows: list[dict[str, Any]] = [
        {"id": f"d{n}", "query": f"q {n}", "response": f"It opens at {n}.", "context": [f"The archive opens at {n}.", "ä"],
         "ground_truth": f"At {n} {'it opens' if n % 2 else 'never'}."}
        for n in range(6)
    ]  # fmt: skip
    del rows[3]["ground_truth"]
    rows[4]["response"] = "</script> \u2028 =1+1 NaN"
    shell.write("desk.jsonl", rows)
    assert shell("run", "desk.jsonl", "--metrics", "groundedness,f1,answer_length", "-q").status == 0
    return shell


def means(results: Results) -> dict[str, tuple[float | None, int]]:
    return {each.metric: (each.mean, each.n_scored) for each in results.summaries() if each.side is Side.CANDIDATE}


def test_azure(desk: Shell) -> None:
    assert desk("export", "last", "out.azure.json").status == 0
    whole = strict((desk.folder / "out.azure.json").read_text("utf-8"))
    assert set(whole) == {"rows", "metrics", "studio_url"}
    row = whole["rows"][1]
    assert row["inputs.id"] == "d1"
    assert row["inputs.context"] == "The archive opens at 1.\n\nä"
    assert [f"outputs.f1.f1_score{suffix}" in row for suffix in EIGHT] == [True] * 8
    assert row["outputs.f1.f1_score_result"] == ("pass" if row["outputs.f1.f1_score"] >= 0.5 else "fail")
    unscored = whole["rows"][3]
    assert unscored["outputs.f1.f1_score"] is None
    assert (unscored["outputs.f1.f1_score_status"], unscored["outputs.f1.f1_score_result"]) == ("skipped", "unknown")
    scores = [each["outputs.f1.f1_score"] for each in whole["rows"] if each["outputs.f1.f1_score"] is not None]
    assert len(scores) == 5
    assert whole["metrics"]["f1.f1_score"] == pytest.approx(sum(scores) / 5)
    passed = sum(1 for each in scores if each >= 0.5)
    assert whole["metrics"]["f1.binary_aggregate"] == round(passed / 6, 2), "Azure counts what was not scored too"
    assert "answer_length.binary_aggregate" not in whole["metrics"]


@pytest.mark.parametrize("name", ["out.azure.json", "out.ragas.jsonl"])
def test_read_back_it_has_the_same_figures(desk: Shell, name: str) -> None:
    assert desk("export", "last", name).status == 0
    with store(desk.folder, write=False) as opened:
        mine = means(opened.results("last"))
    read = means(open_result_file(desk.folder / name))
    for metric in ("groundedness", "f1"):
        there = next(value for key, value in read.items() if key.split(".")[-1].removesuffix("_score") == metric)
        assert there[1] == mine[metric][1]
        assert there[0] == pytest.approx(mine[metric][0])


def test_ragas(desk: Shell) -> None:
    assert desk("export", "last", "out.ragas.jsonl").status == 0
    lines = (desk.folder / "out.ragas.jsonl").read_text("utf-8").split("\n")[:-1]
    rows = [strict(line) for line in lines]
    assert list(rows[0]) == [
        "id",
        "user_input",
        "reference",
        "response",
        "retrieved_contexts",
        "groundedness",
        "f1",
        "answer_length",
    ]
    assert rows[0]["retrieved_contexts"] == ["The archive opens at 0.", "ä"]
    assert rows[3]["reference"] is None
    assert rows[3]["f1"] is None
    assert rows[4]["response"] == "</script> \u2028 =1+1 NaN"
