"""``ragtui run``, ``show``, ``compare``, ``export`` and ``label``: what they print, write, and end with."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from typing import Any
from xml.etree import ElementTree as xml

import polars as pl
import pytest

from ragtui.cli import _running
from ragtui.experiments import case_run
from ragtui.experiments.database import StoreError
from ragtui.metrics.metric import Metric
from ragtui.metrics.score import Inputs, Outcome, State
from tests.experiments.command_line import Shell

RIGHT, WRONG = "On floor two.", "In the cellar."
ROWS = [
    {"id": f"c{i}", "query": f"Where is thing {i}?", "ground_truth": RIGHT, "old": WRONG if i % 3 else RIGHT,
     "new": WRONG if i == 4 else RIGHT, "worse": WRONG}
    for i in range(12)
]  # fmt: skip
RUN = ("run", "desk.jsonl", "--metrics", "exact_match,f1", "--candidate", "recorded:new", "--baseline", "recorded:old")


@pytest.fixture
def desk(shell: Shell) -> Shell:
    shell.write("desk.jsonl", ROWS)
    return shell


def test_a_run_prints_means_intervals_differences_and_the_worst_rows_with_reasons(desk: Shell) -> None:
    said = desk(*RUN)
    assert said.status == 0
    assert "exact_match  candidate  0.92 (12/12)" in said.out
    assert "baseline   0.33 (12/12)" in said.out
    assert "Δ          +0.58 (12 pairs)" in said.out
    assert "92 %" in said.out
    assert "exact_match: candidate is better" in said.out
    assert "7 better, 5 equal, 0 worse" in said.out
    assert "c4  Where is thing 4?" in said.out
    assert "says “In the cellar.” where “On floor two.” is expected" in said.out
    assert "12 cases × 2 metrics" in said.err
    assert "\x1b" not in said.out + said.err


def test_quiet_says_nothing_and_ends_the_same(desk: Shell) -> None:
    said = desk(*RUN, "--quiet", "--fail-under", "f1=0.99")
    assert (said.status, said.out, said.err) == (1, "", "")


@pytest.mark.parametrize(
    ("gates", "status", "reason"),
    [
        (["--fail-under", "f1=0.5"], 0, "gate passed"),
        (["--fail-under", "f1=0.99"], 1, "FAILED f1: mean 0.92 is under 0.99"),
        (["--fail-under", "exact_match.pass_rate=0.9"], 0, "gate passed"),
        (["--fail-under", "exact_match.pass_rate=0.92"], 1, "pass rate 0.917 is under 0.92"),
        (["--fail-if-worse"], 0, "gate passed"),
        (["--fail-under", "f1=0.99", "--fail-if-worse"], 1, "FAILED f1"),
    ],
)
def test_gates_decide_the_status_and_say_why(desk: Shell, gates: list[str], status: int, reason: str) -> None:
    said = desk(*RUN, *gates)
    assert said.status == status
    assert reason in said.out


@pytest.mark.parametrize("gate", [["--fail-under", "f1=0.5"], ["--fail-if-worse"]])
def test_no_gate_passes_where_answers_are_missing(desk: Shell, gate: list[str]) -> None:
    desk.write("few.jsonl", [{"id": row["id"], "response": RIGHT} for row in ROWS[:3]])
    run = ("run", "desk.jsonl", "--metrics", "f1", "--candidate", "recorded:few.jsonl", "--baseline", "recorded:old")
    said = desk(*run, *gate)
    assert (said.status, "9 of 12 cases have no answer to score" in said.out) == (3, True)
    assert desk("show", "last", *gate).status == 3
    assert desk(*run).status == 0


def test_the_table_shows_the_p_that_the_verdict_goes_by_and_a_shown_difference_is_not_inconclusive(desk: Shell) -> None:
    said = desk(*RUN, "--fail-if-worse")
    assert "pass · p (Holm)" in said.out
    lines = said.out.splitlines()
    in_table = [line.rsplit(" p ", 1)[1].strip() for line in lines if line.lstrip().startswith("Δ")]
    in_verdicts = [line.rsplit("p (Holm) ", 1)[1].split(";")[0] for line in lines if "candidate is" in line]
    assert in_table == in_verdicts != []
    assert "inconclusive" not in said.out


def test_the_gate_on_regression_looks_at_quality_and_leaves_time_to_a_limit_of_its_own(
    desk: Shell,
) -> None:
    metrics = ("run", "desk.jsonl", "-m", "f1,answer_length", "-c", "recorded:worse", "-b", "recorded:new")
    said = desk(*metrics, "--fail-if-worse")
    assert "FAILED f1" in said.out
    assert "FAILED answer_length" not in said.out


def test_what_the_embedded_judge_is_stands_in_every_report_for_people(desk: Shell) -> None:
    desk("run", "desk.jsonl", "-m", "relevance", "-c", "recorded:new", "--report", "r.md", "--report", "r.html")
    for name in ("r.md", "r.html"):
        assert "The embedded judge is a heuristic" in (desk.folder / name).read_text()
    desk("run", "desk.jsonl", "-m", "f1", "-c", "recorded:new", "--report", "f1.md")
    assert "heuristic" not in (desk.folder / "f1.md").read_text()


def test_a_sure_drop_fails_the_gate_on_regression(desk: Shell) -> None:
    said = desk(
        "run", "desk.jsonl", "-m", "exact_match", "-c", "recorded:worse", "-b", "recorded:new", "--fail-if-worse"
    )
    assert said.status == 1
    assert "FAILED exact_match: worse than the baseline, -0.92" in said.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["absent.jsonl"], "absent.jsonl"),
        (["desk.jsonl", "-m", "f2"], "there is no metric 'f2'"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:newest"], "newest"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--judge", "gpt"], "there is no judge 'gpt'"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--fail-under", "f1=7"], "outside the scale of f1"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--fail-under", "bleu=.1"], "the run has no metric 'bleu'"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--fail-under", "f1"], "write METRIC=X"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--fail-if-worse"], "needs a --baseline"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--report", "x.doc"], "reports end in"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--report", "no/x.json"], "there is no folder no"),
        (["desk.jsonl", "-m", "f1", "-g", "x"], "not both"),
        (["desk.jsonl", "-g", "x"], "there is no Metric Group 'x'"),
        (["desk.jsonl", "-m", "nDCG@10", "-c", "recorded:new"], "no metric can score a single case"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--map", "query"], "write INPUT=REFERENCE"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--map", "truth=old"], "no metric has the input 'truth'"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--map", "f1.context=old"], "f1 has no input 'context'"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--map", "bleu.response=old"], "there is no metric 'bleu'"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--split", "dev"], "--split is for judged documents"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--average", "beir"], "--average is for judged documents"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--repeats", "1001"], "--repeats must be 1 to 1,000"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--budget", "nan"], "nan is not a number"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--max-error-rate", "nan"], "nan is not a number"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--limit", "9" * 20], "is not in the range"),
        (["desk.jsonl", "-m", "f1", "-c", "recorded:new", "--scores", "."], ".: is a folder; name a file"),
    ],
)
def test_what_cannot_run_is_one_line_and_status_2(desk: Shell, arguments: list[str], says: str) -> None:
    said = desk("run", *arguments)
    assert said.status == 2
    assert says in said.err
    assert said.err.strip().splitlines()[-1].startswith("ragtui: ")
    assert "Traceback" not in said.err


def test_errored_cells_make_the_run_incomplete_unless_allowed(desk: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    computed = case_run.CaseRun._without_a_judge

    def sometimes(self: Any, metric: Metric, response: Any, inputs: Inputs) -> Outcome | None:
        if response.text == WRONG:
            return Outcome(State.METRIC_ERROR, cause="exception", reason="boom")
        return computed(self, metric, response, inputs)

    monkeypatch.setattr(case_run.CaseRun, "_without_a_judge", sometimes)
    run = ("run", "desk.jsonl", "-m", "f1", "-c", "recorded:new")
    said = desk(*run, "--fail-under", "f1=0.5")
    assert said.status == 3
    assert "incomplete: 1 of 12 cells errored (8.3 %; --max-error-rate allows 0 %)" in said.out
    assert "go on with: ragtui" in said.err
    assert desk(*run, "--max-error-rate", "0.1").status == 0
    assert desk(*run, "--max-error-rate", "0.1", "--fail-under", "f1=1").status == 0, "the mean is over what was scored"


def test_plan_shows_what_would_be_done_and_does_nothing(desk: Shell) -> None:
    said = desk(*RUN, "--plan")
    assert said.status == 0
    assert "f1: response = ${target.response} (target), ground_truth = ${data.ground_truth} (stated)" in said.out
    assert not (desk.folder / ".ragtui").exists()


def test_the_score_file_holds_every_cell_as_strict_json(desk: Shell) -> None:
    desk(*RUN, "--scores", "s.jsonl")
    lines = (desk.folder / "s.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line, parse_constant=pytest.fail) for line in lines]
    assert len(rows) == 12 * 2 * 2
    assert list(rows[0]) == [
        "experiment", "case_id", "side", "metric", "metric_version", "repeat", "state", "cause", "score", "passed",
        "threshold", "reason", "evidence", "judge", "attempts", "prompt_tokens", "completion_tokens", "cost",
        "latency_ms",
    ]  # fmt: skip
    assert [row["case_id"] for row in rows[::4]] == [row["id"] for row in ROWS], "in the dataset's order"
    worst = next(row for row in rows if (row["case_id"], row["side"], row["metric"]) == ("c4", "candidate", "f1"))
    assert (worst["state"], worst["score"], worst["passed"], worst["threshold"]) == ("scored", 0.0, False, 0.5)


def test_the_json_report_holds_what_scripts_rely_on(desk: Shell) -> None:
    said = desk(*RUN, "--report", "r.json", "--fail-under", "f1=0.99")
    report = json.loads((desk.folder / "r.json").read_text("utf-8"), parse_constant=pytest.fail)
    assert (said.status, report["version"], report["dataset"], report["judge"]) == (1, 1, "desk", "embedded")
    first = report["metrics"][0]
    assert first["metric"] == "exact_match"
    assert first["side"] == "candidate"
    assert (first["mean"], first["n_scored"], first["n_total"]) == (11 / 12, 12, 12)
    assert first["states"] == {"scored": 12}
    assert first["ci95"][0] < first["mean"] < first["ci95"][1]
    compared = report["comparison"][0]
    assert {
        "metric",
        "delta",
        "ci95",
        "p",
        "p_holm",
        "n_pairs",
        "wins",
        "ties",
        "losses",
        "test",
        "new",
        "missing",
        "mde",
    } <= set(compared)
    assert report["gate"]["passed"] is False
    assert report["gate"]["reasons"] == ["f1: mean 0.92 is under 0.99"]


def test_without_gates_the_report_says_null(desk: Shell) -> None:
    desk(*RUN, "--report", "r.json")
    assert json.loads((desk.folder / "r.json").read_text("utf-8"))["gate"]["passed"] is None


def test_the_junit_report_tells_failures_errors_and_skips_apart(desk: Shell) -> None:
    desk("run", "desk.jsonl", "-m", "f1,coherence", "-c", "recorded:new", "--report", "r.xml", "--fail-under", "f1=1")
    suites = {each.get("name"): each for each in xml.parse(desk.folder / "r.xml").getroot()}
    assert suites["f1"].attrib | {} == {"name": "f1", "tests": "12", "failures": "1", "errors": "0", "skipped": "0"}
    assert suites["coherence"].get("skipped") == "12"
    failed = [case.get("name") for case in suites["f1"] if case.find("failure") is not None]
    assert failed == ["c4: Where is thing 4?"]
    assert suites["gate"].get("failures") == "1"


HOSTILE = ["=1+1", "+5 degrees", "-5 degrees", "@home", '\u200b=HYPERLINK("x")', "plain", "a=b"]


def test_cells_that_a_spreadsheet_would_run_are_neutralised_and_numbers_are_not(shell: Shell) -> None:
    rows = [{"id": f"v{i}", "query": "q", "ground_truth": "x", "response": text} for i, text in enumerate(HOSTILE, 1)]
    shell.write("desk.jsonl", rows)
    shell("run", "desk.jsonl", "-m", "f1,answer_length", "--report", "r.csv", "--report", "r.xlsx")
    text = (shell.folder / "r.csv").read_text("utf-8-sig")
    shown = [row["response"] for row in csv.DictReader(io.StringIO(text))]
    assert [after.startswith("'") for after in shown] == [True] * 5 + [False] * 2
    assert [after.removeprefix("'") for after in shown] == HOSTILE
    assert not any(row["answer_length"].startswith("'") for row in csv.DictReader(io.StringIO(text)))
    assert shell("export", "last", "raw.csv", "--raw-cells").status == 0
    raw = csv.DictReader(io.StringIO((shell.folder / "raw.csv").read_text("utf-8-sig")))
    assert [row["response"] for row in raw] == HOSTILE
    sheets = zipfile.ZipFile(shell.folder / "r.xlsx")
    assert not any(b"<f>" in sheets.read(name) for name in sheets.namelist() if name.startswith("xl/worksheets"))


def test_a_cell_longer_than_a_workbook_takes_says_that_it_was_cut(shell: Shell) -> None:
    import openpyxl

    shell.write("desk.jsonl", [{"id": "a", "query": "q", "ground_truth": "x", "response": "word " * 10_000}])
    shell("run", "desk.jsonl", "-m", "f1", "--report", "r.xlsx")
    page = openpyxl.load_workbook(shell.folder / "r.xlsx")["cases"]
    header = [cell.value for cell in page[1]]
    cell = page[2][header.index("response")].value
    assert len(cell) <= 32_767
    assert "cut: " in cell[-60:]


MARKUP = "[/x] [red] \x1b]52;c;aGk=\x07 \u202e <script>alert(1)</script> | `x` https://evil.example \x00"


def test_hostile_text_reaches_neither_terminal_nor_report_raw(shell: Shell) -> None:
    rows = [{"id": f"{MARKUP}{i}", "query": MARKUP, "ground_truth": MARKUP, "response": f"{MARKUP} {i}"} for i in "ab"]
    shell.write("desk.jsonl", rows)
    reports = [
        argument for name in ("r.md", "r.xml", "r.json", "r.csv", "r.xlsx", "r.html") for argument in ("--report", name)
    ]
    said = shell("run", "desk.jsonl", "-m", "f1,groundedness,exact_match", *reports, "--scores", "s.jsonl")
    shown = said.out + said.err + shell("show", "last").out + shell("show").out + shell("label", "last").out
    case = json.loads((shell.folder / "s.jsonl").read_text("utf-8").splitlines()[0])["case_id"]
    shown += shell("label", "last", case, "r", "--note", MARKUP).out + shell("label", "last").out
    assert not set(shown) & {"\x1b", "\x07", "\x00", "\u202e"}
    assert "[red]" in shown
    markdown = (shell.folder / "r.md").read_text("utf-8")
    assert "<script>" not in markdown
    assert "https://evil" not in markdown
    assert "\x1b" not in markdown
    page = (shell.folder / "r.html").read_text("utf-8")
    assert page.count("<script") == 2
    assert not set(page) & {"\x1b", "\x07", "\x00", "\u202e"}
    xml.parse(shell.folder / "r.xml")
    json.loads((shell.folder / "r.json").read_text("utf-8"))


def test_the_page_holds_figures_and_every_case_and_loads_nothing(desk: Shell) -> None:
    desk(*RUN, "--report", "r.html")
    page = (desk.folder / "r.html").read_text("utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data = json.loads(found[1], parse_constant=pytest.fail)
    assert data["total"] == len(data["rows"]) == 12
    assert data["figures"]["rows"][0]["cells"][:2] == ["exact_match", "0.92 (12/12)"]
    assert any("candidate is better" in line for line in data["said"])
    (worst,) = [row for row in data["rows"] if row["cells"][0]["text"] == "c4"]
    assert [cell["ok"] for cell in worst["cells"][2:4]] == [False, False]
    assert ["response", "In the cellar."] in worst["texts"]
    assert "default-src 'none'" in page
    assert not re.search(r"""(?:src|href)\s*=""", page)


def test_show_finds_an_experiment_and_refuses_what_it_does_not_know(desk: Shell) -> None:
    desk(*RUN)
    listed = desk("show")
    assert "recorded:new" in listed.out
    assert "finished" in listed.out
    assert "24/24" not in listed.out, "both sides count"
    assert desk("show", "last", "--worst", "1", "--metric", "f1").out.count("worst by") == 1
    assert desk("show", "zzz").status == 2
    assert desk("show", "last", "--metric", "bleu").status == 2
    assert desk("show", "last", "--fail-under", "f1=0.99").status == 1


def test_nothing_is_written_by_showing(shell: Shell) -> None:
    assert shell("show").status == 0
    assert list(shell.folder.iterdir()) == []


def test_compare_pairs_by_case_id_and_names_who_is_alone(shell: Shell) -> None:
    first = {"k1": "yes", "k2": "no", "k3": "no", "k4": "yes", "k5": "yes"}
    second = {"k5": "no", "k4": "yes", "k3": "yes", "k1": "yes"}
    for name, answers in (("a.jsonl", first), ("b.jsonl", second)):
        shell.write(
            name, [{"id": i, "query": "q", "ground_truth": "yes", "response": text} for i, text in answers.items()]
        )
        shell("run", name, "-m", "exact_match")
    by_name = {row.split()[1]: row.split()[0] for row in shell("show").out.splitlines()[2:]}
    said = shell("compare", by_name["a"], by_name["b"])
    assert said.status == 0
    assert "only in A: k2" in said.out
    assert "0.60 (5/5)" in said.out
    assert "0.75 (4/4)" in said.out
    assert "4 pairs: 1 better, 2 equal, 1 worse" in said.out
    assert "1 → 0" in said.out.replace("1.00", "1").replace("0.00", "0")


def test_compare_refuses_mixed_judges_unless_told(shell: Shell) -> None:
    from tests.judges.servers import fake_judge

    rows = [{"id": i, "query": "where?", "response": "On floor two.", "context": "It is on floor two."} for i in "ab"]
    shell.write("desk.jsonl", rows)
    shell("run", "desk.jsonl", "-m", "groundedness")
    with fake_judge() as server:
        shell("run", "desk.jsonl", "-m", "groundedness", "-j", f"openai:fake@{server.url}", "--strategy", "rubric")
    ids = [row.split()[0] for row in shell("show").out.splitlines()[2:]]
    refused = shell("compare", ids[0], ids[1])
    assert refused.status == 2
    assert "their scores are not comparable; --mixed" in refused.err
    assert shell("compare", ids[0], ids[1], "--mixed").status == 0


def test_an_export_has_every_score_in_the_form_of_its_ending(desk: Shell) -> None:
    desk(*RUN)
    for name in ("x.json", "x.md", "x.csv", "x.xlsx", "x.xml", "x.jsonl", "x.parquet", "x.html"):
        assert desk("export", "last", name).status == 0, name
    frame = pl.read_parquet(desk.folder / "x.parquet")
    assert frame.height == 48
    assert {"case_id", "side", "metric", "score", "state", "passed", "reason"} <= set(frame.columns)
    refused = desk("export", "last", "x.doc")
    assert refused.status == 2
    assert ".parquet" in refused.err


def test_labels_belong_to_the_case_survive_reruns_and_can_be_undone(desk: Shell) -> None:
    desk(*RUN)
    assert desk("label", "last", "c4", "m", "--note", "wrong room").status == 0
    assert "c4 candidate f1: 0.5" in desk("label", "last", "c4", "0.5", "--metric", "f1").out
    desk(*RUN, "--new")
    shown = desk("show", "last")
    assert "c4  Where is thing 4? · model fault" in shown.out
    assert "c4 candidate: model fault “wrong room”" in desk("label", "last").out
    assert "undone: c4 candidate f1: 0.5" in desk("label", "last", "--undo").out
    assert "undone: c4 candidate: model fault" in desk("label", "last", "--undo").out
    assert desk("label", "last").out == "no labels yet\n"
    assert desk("label", "last", "--undo").out == "nothing to undo\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["last", "nobody", "r"], "has no case 'nobody'"),
        (["last", "c1", "z"], "'z' is no label"),
        (["last", "c1", "r", "--metric", "f1"], "name no metric"),
        (["last", "c1", "a"], "name its metric"),
        (["last", "c1", "a", "--metric", "bleu"], "has no metric 'bleu'"),
        (["last", "c1", "r", "--side", "left"], "there is no side 'left'"),
        (["last", "c1"], "name a label"),
        (["last", "c1", ""], "name a label"),
        (["last", "c1", "nan", "--metric", "f1"], "nan is outside the scale of f1, 0 to 1"),
        (["last", "c1", "inf", "--metric", "f1"], "inf is outside the scale of f1, 0 to 1"),
        (["last", "c1", "4", "--metric", "f1"], "4 is outside the scale of f1, 0 to 1"),
        (["last", "c1", "r", "--undo"], "give nothing beside it"),
        (["last", "--remove"], "--remove needs the case"),
        (["last", "c1", "r", "--remove"], "no label beside it"),
        (["nowhere", "--undo"], "there is no experiment 'nowhere'"),
    ],
)
def test_a_label_that_does_not_fit_is_refused(desk: Shell, arguments: list[str], says: str) -> None:
    desk(*RUN)
    said = desk("label", *arguments)
    assert said.status == 2
    assert says in said.err


def test_labels_do_not_stand_at_another_dataset_of_the_same_name(desk: Shell) -> None:
    desk.write("other/desk.jsonl", [{**row, "new": "Elsewhere."} for row in ROWS])
    desk(*RUN)
    assert desk("label", "last", "c4", "m").status == 0
    desk("run", "other/desk.jsonl", *RUN[2:])
    assert desk("label", "last").out == "no labels yet\n"
    assert "model fault" not in desk("show", "last").out
    desk.write("desk.jsonl", [{**row, "new": "Edited."} for row in ROWS])
    desk(*RUN)
    assert "c4 candidate: model fault" in desk("label", "last").out


def test_a_side_that_was_not_run_takes_no_label(desk: Shell) -> None:
    desk("run", "desk.jsonl", "--metrics", "f1", "--candidate", "recorded:new")
    said = desk("label", "last", "c1", "r", "--side", "baseline")
    assert (said.status, said.out) == (2, "")
    assert "has no baseline" in said.err


def test_a_removed_label_is_gone_and_undo_brings_it_back(desk: Shell) -> None:
    desk(*RUN)
    desk("label", "last", "c1", "b")
    assert "removed: c1" in desk("label", "last", "c1", "--remove").out
    assert desk("label", "last").out == "no labels yet\n"
    desk("label", "last", "--undo")
    assert "bad label" in desk("label", "last").out


def test_a_limit_is_a_plan_of_its_own(desk: Shell) -> None:
    desk(*RUN)
    said = desk(*RUN, "--limit", "3")
    assert "(3/3)" in said.out
    assert len(desk("show").out.splitlines()) == 4


def test_a_file_that_cannot_be_written_in_the_end_costs_neither_the_others_nor_the_print(
    desk: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreError("s.jsonl: No space left on device; no scores were written")

    monkeypatch.setattr("ragtui.experiments.scores_file.write_scores", full)
    said = desk(*RUN, "--scores", "s.jsonl", "--report", "r.json")
    assert said.status == 2
    assert "ragtui: s.jsonl: No space left on device; no scores were written; the experiment is kept" in said.err
    assert (desk.folder / "r.json").exists()
    assert "exact_match  candidate  0.92 (12/12)" in said.out


def test_running_again_goes_on_with_what_was_begun_last(desk: Shell) -> None:
    ids = []
    for options in ((), ("--new",), (), ("--new",), ()):
        assert desk(*RUN, *options, "--report", "r.json").status == 0
        ids.append(json.loads((desk.folder / "r.json").read_text("utf-8"))["experiment"])
    assert ids[1] == ids[2] != ids[0]
    assert ids[3] == ids[4] not in ids[:3]


def test_a_damaged_file_beside_the_store_is_made_anew_or_told(desk: Shell) -> None:
    desk(*RUN)
    shown = desk("show", "last").out
    kept = list((desk.folder / ".ragtui" / "experiments").iterdir())
    assert len(kept) == 3, "the frame, and the causes of both sides"
    for path in kept:
        path.write_text("damaged")
    assert desk("show", "last").out == shown


def test_a_read_only_folder_is_one_line(desk: Shell) -> None:
    (desk.folder / ".ragtui").write_text("a file where the state should be")
    said = desk(*RUN)
    assert said.status == 2
    assert ".ragtui" in said.err.splitlines()[-1]


def test_a_mapping_file_feeds_the_metrics_and_map_wins_over_it(shell: Shell) -> None:
    shell.write("desk.jsonl", [{"id": "a", "query": "q", "response": "yes", "right": "yes", "other": "no"}])
    (shell.folder / "map.toml").write_text('ground_truth = "${data.right}"\n', "utf-8")
    run = ("run", "desk.jsonl", "-m", "exact_match", "--mapping", "map.toml")
    assert "1.00 (1/1)" in shell(*run).out
    assert "0.00 (1/1)" in shell(*run, "--map", "ground_truth=other").out
    (shell.folder / "map.toml").write_text("ground_truth == 1\n", "utf-8")
    refused = shell(*run)
    assert refused.status == 2
    assert "map.toml" in refused.err
    assert shell("run", "desk.jsonl", "-m", "exact_match", "--mapping", "absent.toml").status == 2


FAQ = "nr,user_question,bot_answer,passages,gold\n1,Where?,On floor two.,It is on floor two.,On floor two.\n2,Who?,Ann.,Ann did.,Bob.\n"
FAQ_RUN = ("run", "faq.csv", "--map", "query=user_question", "--map", "ground_truth=gold", "--metrics", "exact_match")


def test_a_mapped_response_column_is_what_recorded_replays(shell: Shell) -> None:
    (shell.folder / "faq.csv").write_text(FAQ, "utf-8")
    said = shell(*FAQ_RUN, "--format", "table", "--map", "response=bot_answer", "--scores", "s.jsonl")
    assert said.status == 0
    assert "0.50 (2/2)" in said.out
    scores = [json.loads(line) for line in (shell.folder / "s.jsonl").read_text().splitlines()]
    assert [each["score"] for each in scores] == [1.0, 0.0]


def test_a_mapped_response_speaks_of_the_recorded_side_only(desk: Shell) -> None:
    said = desk("run", "desk.jsonl", "-m", "exact_match", "--map", "response=new", "--baseline", "recorded:old")
    assert "exact_match  candidate  0.92 (12/12)" in said.out
    assert "baseline   0.33 (12/12)" in said.out


def test_a_response_inside_objects_can_be_mapped(shell: Shell) -> None:
    shell.write(
        "out.jsonl",
        [
            {"id": "a", "query": "q", "ground_truth": "x", "result": {"text": "x", "score": 1}},
            {"id": "b", "query": "p", "ground_truth": "y", "result": {"text": "z", "score": 1}},
        ],
    )
    said = shell("run", "out.jsonl", "-m", "exact_match", "--map", "response=${data.result.text}")
    assert (said.status, "0.50 (2/2)" in said.out) == (0, True)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("id=nr", "no metric has the input 'id'; inputs are completion_tokens, context, cost,"),
        ("input=old", "no metric has the input 'input'"),
        ("respons=old", "did you mean response?"),
        ("f1.context=old", "f1 has no input 'context'; inputs are ground_truth, response"),
        ("f2.response=old", "f2"),
        ("response=odl", "--map response=odl: column odl does not exist"),
        ("response=${old}", "--map"),
    ],
)
def test_an_entry_of_map_that_feeds_nothing_is_refused(desk: Shell, entry: str, says: str) -> None:
    said = desk("run", "desk.jsonl", "-m", "f1", "--map", entry)
    assert said.status == 2
    assert says in said.err
    assert len(said.err.strip().splitlines()) == 1


ANSWERED = [{"id": f"c{i}", "response": WRONG if i == 4 else RIGHT} for i in range(12)]


def test_without_metrics_those_are_taken_that_fit_dataset_and_answers_together(desk: Shell) -> None:
    desk.write("bare.jsonl", [{key: row[key] for key in ("id", "query", "ground_truth")} for row in ROWS])
    desk.write("v1.jsonl", ANSWERED)
    timed = [{**row, "context": [RIGHT], "latency_ms": 10 + at} for at, row in enumerate(ANSWERED)]
    desk.write("v2.jsonl", timed)

    def planned(candidate: str) -> set[str]:
        said = desk("run", "bare.jsonl", "--candidate", candidate, "--plan")
        assert said.status == 0
        return set(re.findall(r"^  (\w+): \w+ = ", said.out, re.MULTILINE))

    plain, full = planned("recorded:v1.jsonl"), planned("recorded:v2.jsonl")
    assert {"f1", "exact_match", "relevance", "correctness"} <= plain
    assert not plain & {"groundedness", "latency", "tokens"}
    assert full - plain == {"groundedness", "retrieval", "latency"}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        (
            "m.json",
            '{"evaluator_config": {"f1_score": {"column_mapping": {"response": "${data.no}"}}}}',
            "column no does",
        ),
        (
            "m.json",
            '{"f1": {"column_mapping": {"response": "{{item.new}}"}}}',
            "m.json:1: f1.response: {{item.new}} is not",
        ),
        (
            "m.json",
            '{"f1": {"column_mapping": {"response": "new"}}}',
            'm.json:1: f1.response is the text "new" in every',
        ),
        ("m.json", '{"mine": {"column_mapping": {"response": "${data.new}"}}}', "there is no metric 'mine'"),
        ("m.json", "[]", "m.json: no mapping in this file"),
        ("m.json", "{", "m.json:1: invalid JSON"),
        ("m.toml", "\nresponse = 3\n", "m.toml:2: response is no text but 3"),
        ("m.toml", "response = ", "m.toml: not valid TOML"),
    ],
)
def test_what_a_mapping_file_says_happens_or_the_run_does_not(desk: Shell, name: str, text: str, says: str) -> None:
    (desk.folder / name).write_text(text)
    said = desk("run", "desk.jsonl", "-m", "f1,exact_match", "-c", "recorded:new", "--mapping", name)
    assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
    assert says in said.err


def test_a_mapping_file_may_call_metrics_by_their_other_names(desk: Shell) -> None:
    (desk.folder / "m.json").write_text('{"f1_score": {"column_mapping": {"ground_truth": "${data.old}"}}}')
    desk("run", "desk.jsonl", "-m", "f1,exact_match", "-c", "recorded:old", "--mapping", "m.json", "--report", "r.json")
    means = {
        each["metric"]: each["mean"] for each in json.loads((desk.folder / "r.json").read_text("utf-8"))["metrics"]
    }
    assert means == {"f1": 1.0, "exact_match": pytest.approx(4 / 12)}


def test_the_preflight_says_which_answers_of_a_file_cannot_be_read(desk: Shell) -> None:
    (desk.folder / "answers.jsonl").write_text('{"id": "c0", "answer": "x"}\n{broken\n{"id": "c2", "answer": "y"}\n[\n')
    said = desk("run", "desk.jsonl", "-m", "f1", "-c", "recorded:answers.jsonl")
    assert said.status == 0
    assert "f1: not on 10 of 12 cases: no response recorded" in said.err
    [line] = [each for each in said.err.splitlines() if "recorded:answers.jsonl:2: " in each]
    assert "JSON" in line
    assert "(and 1 more: see `ragtui check`)" in line
    told = "candidate: no response recorded for 10 of 12 cases (c1, c3, c4 and 7 more)"
    assert told in said.err, "before it runs"
    assert told in said.out, "beside its figures"
    both = desk("run", "desk.jsonl", "-m", "f1", "-b", "recorded:answers.jsonl", "-c", "recorded:old").out
    assert "baseline: no response recorded for 10 of 12 cases (c1, c3, c4 and 7 more)" in both


def test_the_preflight_counts_as_the_metrics_do_and_strays_are_named(desk: Shell) -> None:
    cases = [{"id": f"c{i}", "query": "Where?", "ground_truth": RIGHT} for i in range(6)]
    del cases[3]["ground_truth"]
    desk.write("desk.jsonl", [*cases[:4], {**cases[4], "ground_truth": " "}, cases[5]])
    answers: list[dict[str, object]] = [{"id": f"{name}{i}", "response": RIGHT} for name in "cx" for i in range(6)]
    desk.write("v2.jsonl", [{**answers[0], "cost": 0.5}, {**answers[1], "response": ""}, *answers[2:]])
    run = ("run", "desk.jsonl", "-c", "recorded:v2.jsonl", "-m")
    said = desk(*run, "f1,cost,tokens,answer_length,completeness,groundedness")
    for line in (
        "f1: not on 1 of 6 cases: no ground_truth", "f1: not on 1 of 6 cases: the ground truth is empty",
        "cost: not on 5 of 6 cases: the target gave no cost", "tokens: not on 6 of 6 cases: the target gave no token counts",
        "completeness: not on 1 of 6 cases: there is no ground truth to compare with",
        "groundedness: not on 6 of 6 cases: no context",
    ):  # fmt: skip
        assert line in said.err
    assert "answer_length: not on" not in said.err
    for mean in ("(4/6; 2 n/a)", "(1/6; 5 n/a)", "(0/6; 6 n/a)", "(6/6)"):
        assert mean in said.out
    strays = "recorded:v2.jsonl: 6 of its 12 answers are of no case here (x0, x1, x2 and 3 more)"
    assert strays in said.err, "before it runs"
    assert f"candidate: {strays}" in said.out, "beside its figures"
    cut = desk(*run, "f1", "--limit", "2")
    assert "of no case" not in cut.out + cut.err


@pytest.mark.parametrize(
    ("host", "here"),
    [("127.0.0.1:8080", True), ("localhost:11434", True), ("[::1]:80", True), ("127.8.8.8", True),
     ("127.0.0.1.evil.example:80", False), ("localhost.example", False), ("10.0.0.5:80", False), ("api.openai.com", False)],
)  # fmt: skip
def test_only_this_machine_is_this_machine(host: str, here: bool) -> None:
    assert _running._here(host) is here


def test_who_does_not_agree_runs_nothing(desk: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    said = desk("run", "desk.jsonl", "-m", "relevance", "-c", "recorded:new", "-j", "openai:gpt-4o")
    assert said.status == 130
    assert desk("show").out.count("\n") == 2, "the head of an empty list"


def test_why_cells_could_not_be_scored_is_said_where_the_figures_are(desk: Shell) -> None:
    said = desk("run", "desk.jsonl", "-m", "f1", "-c", "python:no_such_module:answer", "--report", "r.md")
    assert said.status == 3
    line = next(line for line in said.out.splitlines() if "target error (exception) in " in line)
    assert "first c" in line
    assert "no_such_module" in line
    assert "no\\_such\\_module" in (desk.folder / "r.md").read_text()
