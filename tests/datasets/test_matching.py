"""Labels matched with files: the four states, picks that stay, and what becomes of them when the files change."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_check import Done, ragtui

CASE = Path(__file__).parent.parent / "cases" / "55-file-names-nfd-case-extension"
ROWS = "question,text,context,file_name,answer_start,answer_end,filters\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    for name in ("map.txt", "rates.md", "opening-hours.md"):
        (tmp_path / "files" / name).touch()
    rows = ["map.txt", "Rates.md", "rates.txt", "opening-houres.md", "nothing like it.pdf", "", "Rates.md"]
    (tmp_path / "q.csv").write_text(ROWS + "".join(f'q{n},a,"x, a",{name},3,4,\n' for n, name in enumerate(rows)))
    return tmp_path


def match(folder: Path, *arguments: str) -> tuple[Done, dict[str, Any]]:
    done = ragtui("match", "q.csv", *arguments, "--output-format", "json", cwd=folder)
    return done, json.loads(done.stdout) if done.returncode < 2 else {}


def states(report: dict[str, Any]) -> dict[str, str]:
    return {each["label"]: each["state"] for each in report["labels"]}


def test_before_files_are_named_nothing_is_started_and_nothing_is_written(folder: Path) -> None:
    done, report = match(folder)
    assert done.returncode == 1
    assert set(states(report).values()) == {"not started"}
    assert not (folder / ".ragtui").exists()
    assert ragtui("match", "q.csv", "--best", "90", cwd=folder).returncode == 2


def test_four_states_with_scores_and_reasons(folder: Path) -> None:
    done, report = match(folder, "--files", "files")
    assert done.returncode == 1
    assert states(report) == {
        "map.txt": "matched", "Rates.md": "candidates found", "rates.txt": "candidates found",
        "opening-houres.md": "candidates found", "nothing like it.pdf": "no match",
    }  # fmt: skip
    (rates,) = [each for each in report["labels"] if each["label"] == "Rates.md"]
    assert (rates["rows"], rates["line"]) == (2, 3)
    assert rates["candidates"] == [{"name": "rates.md", "score": 100.0, "difference": "case"}]
    assert report["summary"] == {"matched": 1, "no match": 1, "candidates found": 3, "not started": 0}


def test_picks_are_kept_and_written_back_as_a_fix(folder: Path) -> None:
    before = (folder / "q.csv").read_bytes()
    match(folder, "--files", "files", "--pick", "Rates.md=rates.md", "--reject", "nothing like it.pdf")
    done, report = match(folder, "--best", "70")
    assert done.returncode == 0
    assert states(report)["rates.txt"] == "matched"
    assert [each["label"] for each in report["labels"] if each["rejected"]] == ["nothing like it.pdf"]
    assert "wrote 4 names" in match(folder, "--write")[0].stderr
    assert (folder / "q.csv").read_bytes() == before
    wanted = before.replace(b"Rates.md", b"rates.md").replace(b"rates.txt", b"rates.md").replace(b"houres", b"hours")
    assert (folder / "q.fixed.csv").read_bytes() == wanted
    match(folder, "--write", "--in-place")
    assert ((folder / "q.csv").read_bytes(), (folder / "q.csv.orig").read_bytes()) == (wanted, before)
    assert states(match(folder)[1])["rates.md"] == "matched"


def test_only_what_the_change_of_files_touches_is_reset(folder: Path) -> None:
    match(folder, "--files", "files", "--best", "70", "--reject", "nothing like it.pdf")
    (folder / "files" / "rates.md").unlink()
    (folder / "files" / "nothing like it.PDF").touch()
    _, report = match(folder)
    assert (report["added"], report["removed"]) == (["nothing like it.PDF"], ["rates.md"])
    assert [each["label"] for each in report["labels"] if each["reset"]] == [
        "Rates.md",
        "rates.txt",
        "nothing like it.pdf",
    ]
    assert [each["label"] for each in report["labels"] if each["picked"]] == ["opening-houres.md"]
    _, report = match(folder, "--rematch")
    assert not [each for each in report["labels"] if each["picked"] or each["reset"]]


def test_wrong_names_are_refused_with_the_nearest(folder: Path) -> None:
    done = ragtui("match", "q.csv", "--files", "files", "--pick", "Rates.md=rates.mdd", cwd=folder)
    assert (done.returncode, "nearest is 'rates.md'" in done.stderr) == (2, True)
    assert ragtui("match", "q.csv", "--files", "files", "--reject", "none", cwd=folder).returncode == 2
    assert not (folder / ".ragtui").exists(), "nothing is kept of what is refused"


def test_names_from_everywhere_are_matched_as_findings_say(tmp_path: Path) -> None:
    shutil.copytree(CASE, tmp_path / "c")
    done = ragtui("match", "labels.csv", "--files", "workspace", "--output-format", "json", cwd=tmp_path / "c")
    report = json.loads(done.stdout)
    reasons = {c["difference"] for each in report["labels"] for c in each["candidates"]}
    assert {"case", "extension", "path prefix"} <= reasons
    assert report["summary"]["matched"] == 2, "the exact name, and the one in another Unicode form"
