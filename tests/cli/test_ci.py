"""The workflow that is shipped, run as a build server runs it: every exit status, on answers with a known verdict."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOW = (ROOT / "docs" / "evaluate.yml").read_text("utf-8")
COMMANDS = re.findall(r"^ +- run: (ragtui .+)$", WORKFLOW, re.MULTILINE)
SCRIPT = """
set -uo pipefail
ragtui() { "$PYTHON" -m ragtui "$@"; }
"""


def job(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """One step of the workflow, in a machine's own folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHON": sys.executable}
    return subprocess.run(
        ["bash", "-c", SCRIPT + command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def machine(folder: Path, worse: bool) -> Path:
    (folder / "eval").mkdir(parents=True)
    rows = [
        {"id": f"c{n}", "query": f"When does floor {n} open?", "context": f"Floor {n} opens at {n % 12}.",
         "ground_truth": f"Floor {n} opens at {n % 12}."}
        for n in range(24)
    ]  # fmt: skip
    good = [{"id": row["id"], "response": row["ground_truth"]} for row in rows]
    bad = [{**row, "response": "Nobody has told me that, sorry."} for row in good]
    for name, lines in {"cases": rows, "main": good, "new": bad if worse else good}.items():
        (folder / "eval" / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return folder


def test_the_workflow_has_the_commands_that_are_run_here() -> None:
    assert [line.split()[1] for line in COMMANDS] == ["check", "run", "merge"]


@pytest.mark.parametrize("worse", [False, True])
def test_the_workflow_passes_what_is_as_good_and_fails_what_is_worse(tmp_path: Path, worse: bool) -> None:
    check, run, merge = COMMANDS
    report = machine(tmp_path / "report", worse)
    one = machine(tmp_path / "one", worse)
    done = job(one, check)
    assert done.returncode == 0, done.stdout + done.stderr
    for shard in ("1", "2"):
        command = run.replace("${{ matrix.shard }}/4", f"{shard}/2")
        done = job(one, command)
        assert done.returncode == 0, done.stderr
        shutil.copytree(one / ".ragtui" / "shards", report / "shards" / f"shard-{shard}")
        shutil.rmtree(one / ".ragtui")
        if shard == "1":
            incomplete = job(report, merge)
            assert incomplete.returncode == 3
            assert "shard 2 of 2 is missing" in incomplete.stderr
    done = job(report, merge)
    assert done.returncode == (1 if worse else 0), done.stdout + done.stderr
    told = (report / "report.md").read_text("utf-8")
    assert ("worse than the baseline" in told) is worse
    assert ("Gate passed" in told) is not worse
    assert all((report / f"report.{suffix}").stat().st_size for suffix in ("html", "xml"))
    assert job(report, merge.replace("merge shards", "merge nowhere")).returncode == 2
