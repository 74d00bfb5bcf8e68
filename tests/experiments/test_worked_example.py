"""The usual story, rebuilt on the sample: answers cite a policy that was not retrieved, so retrieval is changed to return
more chunks; groundedness rises and relevance stays. The verdict and the causes must say exactly that."""

from __future__ import annotations

import shutil

import pytest

from ragtui.experiments.plan import Side
from ragtui.experiments.store import Store
from ragtui.workspace import Workspace, bundled
from tests.experiments.command_line import Shell

DESK = """
import json, re
from pathlib import Path

HERE = Path(__file__).parent
LINES = (HERE / "answers_v2.jsonl").read_text("utf-8").splitlines()
REMEMBERED = {row["query"]: row["response"] for row in map(json.loads, LINES)}
CHUNKS = [part.strip() for path in sorted((HERE / "articles").iterdir())
          for part in re.split(r"\\n(?=## )", path.read_text("utf-8"))]

def words(text): return set(re.findall(r"\\w{4,}", text.lower()))

def retrieved(query, k):
    near = lambda chunk: -len(words(query) & words(chunk)) / (8 + len(words(chunk)))
    return sorted(CHUNKS, key=near)[:k]

def one_chunk(query): return {"response": REMEMBERED[query], "contexts": retrieved(query, 1)}
def eight_chunks(query): return {"response": REMEMBERED[query], "contexts": retrieved(query, 8)}
"""


def test_more_chunks_lift_groundedness_and_leave_relevance_and_the_causes_say_why(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "platformdirs.user_state_path", lambda name: shell.folder.parent / f"{shell.folder.name}-home" / name
    )
    shutil.copytree(bundled("sample_data") / "support-desk", shell.folder, dirs_exist_ok=True)
    (shell.folder / "desk.py").write_text(DESK, "utf-8")
    metrics = ("--metrics", "groundedness,relevance", "--worst", "3")
    sides = ("--candidate", "python:desk:eight_chunks", "--baseline", "python:desk:one_chunk")
    said = shell("run", "support.jsonl", *sides, *metrics)
    assert said.status == 0

    results = Store.open(Workspace.open(shell.folder)).results("last")
    means = {(each.metric, each.side): each.mean for each in results.summaries()}
    assert means["groundedness", Side.BASELINE] < 2.7 < 3.3 < means["groundedness", Side.CANDIDATE]
    grounded, relevant = results.comparisons()
    assert (grounded.delta or 0) > 0.8
    assert (grounded.p_holm or 1) < 0.001
    assert (relevant.delta, relevant.losses, relevant.wins) == (0.0, 0, 0)
    assert "groundedness: candidate is better, +" in said.out
    assert "relevance: no pair differs" in said.out

    before, after = results.causes(Side.BASELINE), results.causes()
    assert next(iter(before)) == "retrieval miss"
    assert before["retrieval miss"] > 0.8 * sum(before.values())
    assert after.get("retrieval miss", 0) < 0.6 * before["retrieval miss"]
    locked = results.detail("desk-002").side(Side.BASELINE)
    assert locked is not None
    assert "5 is not in the context" in locked.cells[0].reason, "the reason says what the retrieved context lacks"
    assert locked.cause == "retrieval miss"
    assert locked.cause_evidence.startswith("the context holds 32% of the expected answer's words; 3 of 3 statements")
