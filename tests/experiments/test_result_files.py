"""Result files of other tools: scores keep their states, means their denominators, pairs their ids."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from ragtui.datasets.check import CannotOpen
from ragtui.experiments.compare import compare
from ragtui.experiments.imported import open_result_file
from ragtui.experiments.metrics_file import MetricsFileError, read_metrics_file
from ragtui.experiments.plan import Side
from ragtui.metrics.score import State
from tests.experiments.command_line import Shell

CASES = Path(__file__).parents[1] / "cases"


def case(number: str) -> Path:
    (found,) = CASES.glob(f"{number}-*")
    return found


def test_one_nan_does_not_poison_the_mean() -> None:
    folder = case("83")
    results = open_result_file(folder / "results.jsonl", read_metrics_file(folder / "thresholds.toml"))
    found = {each.metric: each for each in results.summaries()}
    assert (found["faithfulness"].mean, found["faithfulness"].n_scored) == (0.85, 2)
    assert found["faithfulness"].states[State.JUDGE_ERROR] == 1
    assert found["faithfulness"].pass_rate == 1.0, "2 of 2, not 2 of 3"
    assert found["relevancy"].mean == pytest.approx(0.8)
    assert (found["precision"].mean, found["precision"].n_scored, found["precision"].pass_rate) == (None, 0, None)
    row = results.rows().row(1, named=True)
    assert (row["case_id"], row["faithfulness state"], row["faithfulness passed"]) == ("b2", "judge_error", None)
    assert results.remarks[0].startswith("results.jsonl:2: NaN is not JSON")


@pytest.mark.parametrize(
    ("name", "status", "says"),
    [
        ("empty.jsonl", 2, "holds no row"),
        ("all_unscored.jsonl", 3, "no value (0/3; 3 errors)"),
        ("one.jsonl", 0, "5.00 (1/1)"),
    ],
)
def test_nothing_scored_is_not_a_pass(shell: Shell, name: str, status: int, says: str) -> None:
    folder = case("85")
    said = shell("show", str(folder / name), "--metrics", str(folder / "gate.toml"))
    assert said.status == status
    assert says in said.out + said.err
    assert "nan" not in said.out.lower()
    assert ("100 %" in said.out) == (name == "one.jsonl")


def test_nothing_scored_is_incomplete_even_without_a_gate(shell: Shell) -> None:
    assert shell("show", str(case("85") / "all_unscored.jsonl")).status == 3


def test_each_threshold_is_held_against_its_own_scale_and_direction(shell: Shell) -> None:
    folder = case("87")
    settings = read_metrics_file(folder / "metrics.toml")
    results = open_result_file(folder / "results.jsonl", settings)
    rows = {row["case_id"]: row for row in results.rows().iter_rows(named=True)}
    assert [rows[i]["relevance passed"] for i in ("g1", "g2")] == [True, False]
    assert [rows[i]["f1 passed"] for i in ("g1", "g2")] == [None, None]
    assert [rows[i]["hallucination passed"] for i in ("g1", "g2")] == [True, False]
    said = shell("show", str(folder / "results.jsonl"), "--metrics", str(folder / "metrics.toml"))
    assert said.status == 0
    assert "metrics.toml:8: threshold 3 is outside 0-1 for f1" in said.err
    worst = said.out[said.out.index("worst by hallucination") :]
    assert worst.index("g2") < worst.index("g1")


def test_a_run_refuses_a_threshold_outside_its_scale(shell: Shell) -> None:
    shell.write("desk.jsonl", [{"id": "a", "query": "q", "response": "x", "ground_truth": "x"}])
    (shell.folder / "m.toml").write_text("[f1]\nthreshold = 3\n", "utf-8")
    said = shell("run", "desk.jsonl", "--metrics", "m.toml")
    assert said.status == 2
    assert "m.toml:2: threshold 3 is outside 0-1 for f1" in said.err


def test_a_metrics_file_names_metrics_thresholds_and_a_gate_of_a_run(shell: Shell) -> None:
    shell.write("desk.jsonl", [{"id": i, "query": "q", "response": "x y", "ground_truth": "x"} for i in "ab"])
    (shell.folder / "m.toml").write_text("min_pass_rate = 0.9\nf1 = 0.9\n", "utf-8")
    said = shell("run", "desk.jsonl", "--metrics", "m.toml")
    assert said.status == 1
    assert "FAILED f1: pass rate 0.00 is under 0.9" in said.out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("f1 = 'high'", ":1: f1 is 'high'; it must be a number"),
        ("[f1]\nleast = 1", ":2: 'least' is not known here"),
        ("[f1]\nbetter = 'up'", ":2: better is"),
        ("min_pass_rate = 80", ":1: min_pass_rate is 80"),
        ("f1 = ", "not valid TOML"),
    ],
)
def test_a_metrics_file_that_cannot_be_used_names_the_place(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "m.toml").write_text(text, "utf-8")
    with pytest.raises(MetricsFileError) as refused:
        read_metrics_file(tmp_path / "m.toml")
    assert says in str(refused.value)


def test_runs_are_compared_by_id_not_position() -> None:
    folder = case("89")
    found = compare(open_result_file(folder / "run_a.jsonl"), open_result_file(folder / "run_b.jsonl"))
    (score,) = found.comparisons
    assert (score.n_pairs, score.delta, score.wins, score.losses, score.ties) == (4, 0.5, 1, 1, 2)
    assert (found.only_in_a, found.only_in_b) == (("k2",), ())
    assert (found.summaries_a[0].mean, found.summaries_a[0].n_scored) == (3.2, 5)
    assert (found.summaries_b[0].mean, found.summaries_b[0].n_scored) == (4.0, 4)
    changed = {row["case_id"]: row["score Δ"] for row in found.rows.iter_rows(named=True) if row["score Δ"]}
    assert changed == {"k3": 3.0, "k5": -1.0}


def test_only_in_a_is_named_in_print(shell: Shell) -> None:
    folder = case("89")
    said = shell("compare", str(folder / "run_a.jsonl"), str(folder / "run_b.jsonl"))
    assert said.status == 0
    assert "only in A: k2" in said.out
    assert "3.20 (5/5)" in said.out
    assert "4.00 (4/4)" in said.out


def test_formula_cells_are_neutralised_and_scores_are_not(shell: Shell) -> None:
    said = shell("export", str(case("97") / "results.jsonl"), "o.csv")
    assert "begins with an apostrophe" in said.out
    rows = list(csv.DictReader(io.StringIO((shell.folder / "o.csv").read_text("utf-8-sig"))))
    assert [row["case_id"] for row in rows if row["response"].startswith("'")] == ["v1", "v2", "v3", "v4", "v5"]
    assert [float(row["score"]) for row in rows] == [4, 4, 3, 3, 2, -1, 5]
    assert rows[6]["response"] == "a=b"


def test_words_for_a_failed_score_are_errors_and_empty_cells_are_pending(shell: Shell) -> None:
    (shell.folder / "r.csv").write_text("id,faithfulness\na,0.5\nb,(Failed)\nc,\nd,NaN\ne,nan\n", "utf-8")
    results = open_result_file(shell.folder / "r.csv")
    (found,) = results.summaries()
    assert (found.mean, found.n_scored, found.n_total) == (0.5, 1, 5)
    assert (found.states[State.JUDGE_ERROR], found.states[State.PENDING]) == (3, 1)
    side = results.detail("b").side(Side.CANDIDATE)
    assert side is not None
    assert side.cells[0].cause == "imported"


def test_texts_beside_the_scores_are_shown_with_the_worst_rows(shell: Shell) -> None:
    rows = [{"id": i, "query": f"q{i}", "response": "r", "ground_truth": "g", "relevance": n, "relevance_reason": "off"}
            for i, n in (("a", 5), ("b", 1))]  # fmt: skip
    shell.write("r.jsonl", rows)
    said = shell("show", "r.jsonl")
    assert "relevance  candidate  3.00 (2/2)" in said.out
    assert "50 %" in said.out, "a known metric on its own scale has its usual threshold"
    assert "1  b  qb" in said.out
    assert "off" in said.out
    assert shell("export", "r.jsonl", "o.json").status == 0
    assert json.loads((shell.folder / "o.json").read_text("utf-8"))["judge"] == "imported"
    assert shell("export", "r.jsonl", "o.parquet").status == 2


def test_a_table_without_scores_is_refused(shell: Shell) -> None:
    shell.write("d.jsonl", [{"id": "a", "query": "q", "response": "r"}])
    with pytest.raises(CannotOpen, match="no column holds scores"):
        open_result_file(shell.folder / "d.jsonl")
    assert shell("show", "absent.jsonl").status == 2
