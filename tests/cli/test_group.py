"""``ragtui group``: what the app can do with Metric Groups, without a screen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ragtui.cli import root

ANSWERS = ["group", "add", "answers", "groundedness,relevance", "f1"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ragtui(*arguments: str) -> Result:
    return CliRunner().invoke(root, list(arguments))


def refused(*arguments: str) -> str:
    result = ragtui(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return line


def test_a_group_from_nothing_to_deleted(folder: Path) -> None:
    assert "no Metric Group yet" in ragtui("group", "list").stdout
    assert not (folder / "ragtui.toml").exists()
    assert ragtui(*ANSWERS).exit_code == 0
    ragtui("group", "threshold", "answers", "f1", "0.4")
    ragtui("group", "move", "answers", "f1", "1")
    ragtui("group", "remove", "answers", "relevance")
    shown = ragtui("group", "show", "answers").stdout.splitlines()
    assert shown[0] == "answers: 2 metrics"
    assert shown[1].split() == ["1", "f1", "0", "to", "1", "≥", "0.4", "(the", "group's)"]
    assert json.loads(ragtui("group", "show", "answers", "--output-format", "json").stdout) == {
        "name": "answers", "metrics": ["f1", "groundedness"], "thresholds": {"f1": 0.4, "groundedness": 3.0},
    }  # fmt: skip
    ragtui("group", "rename", "answers", "short")
    ragtui("group", "duplicate", "short", "copy")
    assert [line.split()[0] for line in ragtui("group", "list").stdout.splitlines()] == ["short", "copy"]
    assert ragtui("group", "delete", "copy").stdout == "deleted copy\n"
    exported = ragtui("group", "export", "short").stdout
    ragtui("group", "delete", "short")
    (folder / "kept.toml").write_text(exported, "utf-8")
    assert ragtui("group", "import", "kept.toml").stdout == "imported short\n"
    assert "f1, groundedness" in ragtui("group", "list").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["add", "answers", "groundednes"], "did you mean groundedness?"),
        (["remove", "answers", "bleu"], "bleu is not in answers"),
        (["show", "answrs"], "did you mean answers?"),
        (["move", "answers", "f1", "0"], "places are counted from 1"),
        (["threshold", "answers", "f1", "high"], "'high' is no number"),
        (["threshold", "answers", "groundedness", "0.7"], "outside its scale, 1 to 5"),
        (["rename", "answers", "a/b"], "cannot be a group's name"),
        (["duplicate", "answers", "answers"], "already"),
        (["import", "nothing.toml"], "cannot be read"),
        (["propose", "nothing.jsonl"], "no such file"),
    ],
)
def test_what_cannot_be_is_one_line_and_status_2(arguments: list[str], message: str) -> None:
    ragtui(*ANSWERS)
    assert message in refused("group", *arguments)


def test_a_broken_ragtui_toml_is_one_line(folder: Path) -> None:
    (folder / "ragtui.toml").write_text("[groups", "utf-8")
    assert "not valid TOML" in refused("group", "list")


def test_a_proposal_fits_the_dataset_and_can_be_kept(folder: Path) -> None:
    (folder / "cases.jsonl").write_text(
        '{"id": "1", "query": "q", "response": "r", "context": ["c"], "ground_truth": "g"}\n', "utf-8"
    )
    assert ragtui("group", "propose", "cases.jsonl").stdout.split()[:2] == ["groundedness", "relevance"]
    assert "fluency" not in ragtui("group", "propose", "cases.jsonl").stdout
    assert "fluency" in ragtui("group", "propose", "cases.jsonl", "--model").stdout
    assert ragtui("group", "propose", "cases.jsonl", "--save", "mine").stdout.startswith("mine: ")
    assert ragtui("group", "list").stdout.startswith("mine")


def test_hostile_names_reach_no_terminal(folder: Path) -> None:
    (folder / "ragtui.toml").write_text('[groups."\\u001b]52;c;eA==\\u0007x"]\nmetrics = ["f1"]\n', "utf-8")
    for arguments in (["list"], ["show", "x\x1b[31m"], ["add", "x\x1b[31m", "f1"]):
        result = ragtui("group", *arguments)
        assert "\x1b" not in result.stdout + result.stderr
        assert "\x07" not in result.stdout + result.stderr
