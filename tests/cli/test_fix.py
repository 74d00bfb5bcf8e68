"""``ragtui check`` with fixes, as scripts see it: what is written where, what is printed, and the status."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_check import ragtui

BAD = b'{"_id": 7, "title": "", "text": "x"}\n{"_id": "8", "title": "", "text": "caf\xc3\xa9"}'
GOOD = BAD.replace(b"7", b'"7"', 1)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(BAD)
    return path


def names(path: Path) -> list[str]:
    return sorted(each.name for each in path.iterdir())


def test_diff_writes_nothing_and_patch_takes_it(corpus: Path) -> None:
    done = ragtui("check", "corpus.jsonl", "--diff", cwd=corpus.parent)
    assert (done.returncode, names(corpus.parent)) == (1, ["corpus.jsonl"])
    assert "BEIR102 1" in done.stderr
    if shutil.which("patch"):
        subprocess.run(["patch", "-p0"], input=done.stdout.encode(), cwd=corpus.parent, check=True, capture_output=True)
        assert corpus.read_bytes() == GOOD
    assert ragtui("check", "corpus.jsonl", "--diff", "--select", "CSV", cwd=corpus.parent).returncode == 0


def test_fix_writes_beside_and_its_status_speaks_of_what_is_left(corpus: Path) -> None:
    done = ragtui("check", "corpus.jsonl", "--fix", cwd=corpus.parent)
    assert done.returncode == 0, done.stdout
    assert corpus.read_bytes() == BAD
    assert (corpus.parent / "corpus.fixed.jsonl").read_bytes() == GOOD
    corpus.write_bytes(BAD + b"\n{")
    done = ragtui("check", "corpus.jsonl", "--fix", "--output-format", "json", cwd=corpus.parent)
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert [(each["file"], each["line"], each["code"]) for each in report["findings"]] == [
        ("corpus.fixed.jsonl", 3, "JSON008")
    ]
    assert report["datasets"][0]["path"] == "corpus.fixed.jsonl"


def test_a_file_without_faults_gets_no_copy(corpus: Path) -> None:
    corpus.write_bytes(GOOD)
    assert ragtui("check", str(corpus), "--fix").returncode == 0
    assert ragtui("check", str(corpus), "--in-place").returncode == 0
    assert ragtui("check", str(corpus), "--diff").stdout == ""
    assert names(corpus.parent) == ["corpus.jsonl"]


def test_in_place_keeps_a_backup_and_no_backup_is_overwritten(corpus: Path) -> None:
    corpus.chmod(0o640)
    (corpus.parent / "corpus.jsonl.orig").write_bytes(b"older")
    assert ragtui("check", "corpus.jsonl", "--fix", "--in-place", cwd=corpus.parent).returncode == 0
    assert (corpus.read_bytes(), corpus.stat().st_mode & 0o777) == (GOOD, 0o640)
    assert (corpus.parent / "corpus.jsonl.orig").read_bytes() == b"older"
    assert (corpus.parent / "corpus.jsonl.1.orig").read_bytes() == BAD
    ragtui("check", "corpus.jsonl", "--in-place", cwd=corpus.parent)
    assert names(corpus.parent) == ["corpus.jsonl", "corpus.jsonl.1.orig", "corpus.jsonl.orig"], "twice changes nothing"


def test_a_folder_becomes_a_folder_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_bytes(BAD)
    (folder / "queries.jsonl").write_bytes(b'{"_id": "q", "text": "?"}\n')
    (folder / "qrels" / "test.tsv").write_bytes(b"q\t7\t1\n")
    (folder / "notes.pdf").write_bytes(b"%PDF")
    assert ragtui("check", "set", "--fix", cwd=tmp_path).returncode == 0
    fixed = tmp_path / "set.fixed"
    assert sorted(str(path.relative_to(fixed)) for path in fixed.rglob("*.*")) == [
        "corpus.jsonl", "qrels/test.tsv", "queries.jsonl",
    ]  # fmt: skip
    assert (fixed / "queries.jsonl").read_bytes() == (folder / "queries.jsonl").read_bytes()
    assert (fixed / "corpus.jsonl").read_bytes() == GOOD
    assert not (fixed / "queries.jsonl").is_symlink()
    assert ragtui("check", ".", "--select", "BEIR", cwd=folder).returncode == 1, "the original is as it was"
    assert "set.fixed" not in ragtui("check", tmp_path.as_posix()).stdout, "a scan passes over it"


def test_output_goes_where_it_is_told(corpus: Path) -> None:
    assert ragtui("check", "corpus.jsonl", "--output", "new/c.jsonl", cwd=corpus.parent).returncode == 0
    assert (corpus.parent / "new" / "c.jsonl").read_bytes() == GOOD
    for arguments in (["--output", "corpus.jsonl"], ["--in-place", "--output", "x"], ["--unsafe-fixes"]):
        done = ragtui("check", "corpus.jsonl", *arguments, cwd=corpus.parent)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), arguments
    assert corpus.read_bytes() == BAD


def test_a_workbook_gets_a_csv_copy(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(["query", " expected_answer "])
    book.active.append(["007", "a, b"])
    book.save(tmp_path / "b.xlsx")
    before = (tmp_path / "b.xlsx").read_bytes()
    ragtui("check", "b.xlsx", "--in-place", cwd=tmp_path)
    assert names(tmp_path) == ["b.fixed.csv", "b.xlsx"]
    assert (tmp_path / "b.xlsx").read_bytes() == before
    assert (tmp_path / "b.fixed.csv").read_bytes() == b'query,expected_answer\n007,"a, b"\n'


def test_killed_before_the_last_step_the_original_is_whole(corpus: Path) -> None:
    program = (
        "import os, pathlib; from ragtui.cli import app\n"
        "pathlib.Path.replace = lambda *_: os.kill(os.getpid(), 9)\n"
        f"app(['check', {str(corpus)!r}, '--in-place'])"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False, capture_output=True).returncode == -9
    assert corpus.read_bytes() == BAD
    assert (corpus.parent / "corpus.jsonl.orig").read_bytes() == BAD


def test_a_rule_says_whether_it_can_be_mended() -> None:
    assert "check --fix" in ragtui("rule", "BEIR102").stdout
    assert "--unsafe-fixes" in ragtui("rule", "FILE102").stdout
    assert "## Fix" not in ragtui("rule", "FILE103").stdout


def test_what_is_shared_with_a_golden_dataset_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("query,expected_answer\nWho?,a\nWhy?,b\n")
    (tmp_path / "dev.csv").write_text("query,expected_answer\nWhere?,a\n  who? ,b\n")
    assert "ID301" not in ragtui("check", "dev.csv", cwd=tmp_path).stdout
    done = ragtui("check", ".", "--golden", "gold.csv", cwd=tmp_path)
    assert [line for line in done.stdout.splitlines() if "ID301" in line] == [
        "./dev.csv:3:0: ID301 asks what the golden dataset gold asks"
    ]
    (tmp_path / "ragtui.toml").write_text('golden = ["gold.csv"]\n')
    assert "dev.csv:3:0: ID301" in ragtui("check", "dev.csv", cwd=tmp_path).stdout
    assert ragtui("check", "dev.csv", "--golden", "none.csv", cwd=tmp_path).returncode == 2


def test_what_is_named_several_ways_is_mended_and_shown_once(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "corpus.jsonl").write_bytes(BAD)
    (tmp_path / "cases.csv").write_text("query,expected_answer\nq,a\n")
    ways = ("cases.csv", "./cases.csv", "set/corpus.jsonl", "./set/corpus.jsonl", "set/../set", ".")
    done = ragtui("check", *ways, "--diff", cwd=tmp_path)
    assert (done.returncode, done.stdout.count('+{"_id": "7"')) == (1, 1)
    done = ragtui("check", *ways, "--in-place", cwd=tmp_path)
    assert done.stderr.count("BEIR102") == 1
    assert done.stderr.count("nothing to fix") == 1  # cases.csv
    assert names(tmp_path / "set") == ["corpus.jsonl", "corpus.jsonl.orig"]
    assert "in 2 datasets" in done.stdout
