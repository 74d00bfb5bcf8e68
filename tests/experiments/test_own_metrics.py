"""Metrics of one's own in a run: made on the command line, scored, versioned, stale, and never run unasked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragtui import trust
from ragtui.metrics.metric import Kind
from ragtui.metrics.own.saving import template
from tests.experiments.command_line import Shell
from tests.judges.servers import fake_judge

CODE = """
THRESHOLD = 0.5
def evaluate(session):
    word = session["response"]
    if word == "raise":
        raise ValueError("no such luck")
    if word == "hang":
        import time; time.sleep(9)
    if word == "text":
        return "good"
    expected = session["test_case"]["expected"]["answer"]
    return {"score": float(expected in word), "reason": f"looked for {expected}"}
TIMEOUT = 0.5
"""
ROWS = [
    {"id": word, "query": f"Which {word}?", "response": word, "expected_answer": "yes", "context": ["c"]}
    for word in ("yes", "no", "raise", "hang", "text")
]


@pytest.fixture
def desk(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    home = shell.folder / "home"
    monkeypatch.setattr("platformdirs.user_state_path", lambda name: home / name)
    monkeypatch.setattr(trust, "_allowed_here", set())
    shell.write("cases.jsonl", ROWS)
    (shell.folder / "mine.txt").write_text(CODE)
    made = shell("metrics", "new", "mine", "--code", "--group", "own", "--file", "mine.txt")
    assert made.status == 0, made.err
    return shell


def cells(desk: Shell, *more: str) -> dict[str, dict[str, Any]]:
    out = desk("run", "cases.jsonl", "--yes", "--scores", "s.jsonl", "--max-error-rate", "1", *more)
    assert out.status == 0, out.err
    rows = [json.loads(line) for line in (desk.folder / "s.jsonl").read_text().splitlines()]
    return {row["case_id"]: row for row in rows}


def test_a_code_metric_in_a_run(desk: Shell) -> None:
    found = cells(desk, "--group", "own")
    assert {name: (row["state"], row["cause"], row["score"]) for name, row in found.items()} == {
        "yes": ("scored", None, 1.0),
        "no": ("scored", None, 0.0),
        "raise": ("metric_error", "exception", None),
        "hang": ("metric_error", "timeout", None),
        "text": ("metric_error", "bad_return", None),
    }
    assert (found["no"]["passed"], found["no"]["reason"]) == (False, "looked for yes")
    assert found["raise"]["reason"].startswith("ValueError: no such luck\n\nTraceback")
    assert 'raise ValueError("no such luck")' in found["raise"]["reason"]
    shown = desk("show", "last")
    assert "0.50 (2/5; 3 errors)" in shown.out
    assert "stale" not in shown.out


def test_a_newer_version_makes_an_experiment_stale_and_a_new_run_takes_it(desk: Shell) -> None:
    before = cells(desk, "--group", "own")
    (desk.folder / "mine.txt").write_text("def evaluate(session): return True\n")
    assert desk("metrics", "edit", "mine", "--file", "mine.txt").status == 0
    assert "stale: mine has a newer version" in desk("show", "last").out
    assert "finished (stale)" in " ".join(desk("show").out.split())
    after = cells(desk, "--group", "own")
    assert [row["score"] for row in after.values()] == [1.0] * 5
    assert after["yes"]["metric_version"] != before["yes"]["metric_version"]
    assert after["yes"]["experiment"] != before["yes"]["experiment"]
    assert "stale" not in desk("show", "last").out


def test_an_unfinished_experiment_goes_on_with_the_version_it_began_with(desk: Shell) -> None:
    from ragtui.experiments.pinned_metrics import planned_metrics
    from ragtui.experiments.store import Store
    from ragtui.workspace import Workspace

    cells(desk, "--group", "own")
    (desk.folder / "mine.txt").write_text("def evaluate(session): return True\n")
    desk("metrics", "edit", "mine", "--file", "mine.txt")
    workspace = Workspace.open(desk.folder)
    with Store.open(workspace) as store:
        plan = store.entry("last").plan
    (pinned,) = planned_metrics(plan, workspace)
    assert pinned.version == plan.metrics[0].version
    assert pinned.score is not None
    assert pinned.score({"response": "no", "ground_truth": ("yes",)}).score == 0.0
    pinned.score.close()  # type: ignore[attr-defined]


def test_code_from_elsewhere_does_not_run_before_it_was_seen(desk: Shell) -> None:
    path = desk.folder / "metrics" / "mine.py"
    path.write_text(f"open({str(desk.folder / 'ran')!r}, 'w')\ndef evaluate(session): return 1\n")
    refused = desk("run", "cases.jsonl", "--group", "own")
    assert refused.status == 2
    assert "this would run code that you have not allowed yet: metrics/mine.py" in refused.err
    tried = desk("metrics", "try", "mine", "cases.jsonl")
    assert "ragtui metrics trust mine" in tried.out
    assert desk("metrics", "trust", "mine").status == 2  # there is nobody to ask
    assert not (desk.folder / "ran").exists()
    allowed = desk("metrics", "trust", "mine", "--yes")
    assert "def evaluate(session): return 1" in allowed.out
    assert {row["score"] for row in cells(desk, "--group", "own").values()} == {1.0}
    assert (desk.folder / "ran").exists()


def test_a_metric_is_tried_on_one_case(desk: Shell) -> None:
    tried = json.loads(desk("metrics", "try", "mine", "cases.jsonl", "--case", "no", "--output-format", "json").out)
    assert (tried["case_id"], tried["state"], tried["score"], tried["passed"]) == ("no", "scored", 0.0, False)
    assert tried["inputs"]["ground_truth"] == ["yes"]
    shown = desk("metrics", "try", "mine", "cases.jsonl", "--case", "raise").out
    assert "metric error: exception" in shown
    assert "Traceback" in shown
    assert (
        "has no case 'x'; it begins with yes, no, raise"
        in desk("metrics", "try", "mine", "cases.jsonl", "--case", "x").err
    )
    assert not (desk.folder / ".ragtui" / "ragtui.db").exists()


def test_a_judged_metric_is_asked_of_a_model_with_its_own_prompt(desk: Shell) -> None:
    path = Path("polite.toml")
    path.write_text(
        'prompt = "Judge how polite it is."\ninputs = ["query", "response"]\nscale = [1, 5]\nthreshold = 2\n'
    )
    assert desk("metrics", "new", "polite", "--group", "own", "--file", "polite.toml").status == 0
    with fake_judge() as server:
        judge = f"openai:fake-json@{server.url}"
        tried = desk("metrics", "try", "polite", "cases.jsonl", "--judge", judge).out
        assert "Judge how polite it is." in tried
        assert "--- reply" in tried
        rows = cells(desk, "--metrics", "polite", "--judge", judge)
    assert {row["state"] for row in rows.values()} == {"scored"}
    assert all(row["passed"] == (row["score"] >= 2) for row in rows.values())
    offline = desk("run", "cases.jsonl", "--metrics", "polite", "--plan")
    assert "polite: not on 5 of 5 cases: needs a model judge" in " ".join((offline.out + offline.err).split())


def test_making_and_deleting_on_the_command_line(desk: Shell) -> None:
    assert "must join a group" in desk("metrics", "new", "other").err
    assert "is in use: the group own has it" in desk("metrics", "delete", "mine").err
    assert "Computed by evaluate(session) of" in desk("metrics", "mine").out
    assert "  mine                   any number   computed by metrics/mine.py" in desk("metrics").out
    for name in ("other", "kind"):
        assert desk("metrics", "new", name, "--code" if name == "other" else "--judged", "--group", "g").status == 0
    assert desk("group", "show", "g").out.splitlines()[1].split()[:2] == ["1", "other"]
    assert desk("metrics", "edit", "f1", "--file", "mine.txt").status == 2
    assert len(desk("metrics", "versions", "mine").out.splitlines()) == 1
    desk("group", "remove", "g", "other")
    assert desk("metrics", "delete", "other").status == 0
    assert "there is no metric 'other'" in desk("metrics", "other").err


def test_a_prompt_that_is_still_the_templates_is_told_before_the_run(desk: Shell) -> None:
    (desk.folder / "metrics" / "polite.toml").write_text(template(Kind.JUDGED, "polite"))
    said = desk("run", "cases.jsonl", "--metrics", "polite,f1", "--map", "ground_truth=expected_answer", "--plan").out
    assert "polite is not written yet: the judge would be told “Judge how well the answer ...”" in said
    written = template(Kind.JUDGED, "polite").replace(" ...", " is polite").replace("...", "Rude.")
    (desk.folder / "metrics" / "polite.toml").write_text(written)
    said = desk("run", "cases.jsonl", "--metrics", "polite,f1", "--map", "ground_truth=expected_answer", "--plan").out
    assert "not written yet" not in said
