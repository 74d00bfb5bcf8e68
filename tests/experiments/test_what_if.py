"""Ranking metrics at other cuts without running again: equal to a run at those cuts."""

from __future__ import annotations

import json

from ragtui.experiments.opened import at_cuts_of, open_results
from ragtui.workspace import Workspace
from tests.experiments.command_line import Shell


def means(shell: Shell, metrics: str, *more: str) -> dict[tuple[str, str], tuple[float | None, int]]:
    done = shell("run", *more, "--metrics", metrics, "--yes", "--report", "r.json", "--new")
    assert done.status == 0, done.err
    report = json.loads((shell.folder / "r.json").read_text())
    return {(row["metric"], row["side"]): (row["mean"], row["n_scored"]) for row in report["metrics"]}


def cut(shell: Shell, cuts: str) -> dict[tuple[str, str], tuple[float | None, int]]:
    workspace = Workspace.open(shell.folder)
    found = at_cuts_of(open_results("last", workspace), workspace, cuts)
    return {(each.metric, each.side.value): (each.mean, each.n_scored) for each in found}


def beir(shell: Shell) -> None:
    docs = [f"d{n}" for n in range(30)]
    shell.write("set/corpus.jsonl", [{"_id": doc, "text": f"text of {doc}"} for doc in docs])
    shell.write("set/queries.jsonl", [{"_id": f"q{n}", "text": f"question {n}"} for n in range(8)])
    grades = [(q, (q * 7 + step * 5) % 30, 1 + step % 2) for q in range(7) for step in range(4)]
    shell.write("set/qrels.jsonl", [{"query-id": f"q{q}", "corpus-id": f"d{d}", "score": g} for q, d, g in grades])
    for name, spread in (("a", 11), ("b", 13)):
        hits = [(q, (q + rank * spread) % 30, rank // 2) for q in range(6) for rank in range(25)]  # with ties
        shell.write(
            f"set/{name}.run.jsonl", [{"query-id": f"q{q}", "corpus-id": f"d{d}", "score": -r} for q, d, r in hits]
        )


def test_rankings_are_cut_as_a_run_would_cut_them(shell: Shell) -> None:
    beir(shell)
    run = ("set", "--candidate", "run:set/a.run.jsonl", "--baseline", "run:set/b.run.jsonl")
    wanted = means(shell, "nDCG@3,nDCG@7,nDCG@7:exp,Recall@3,Recall@7,MRR@7,Precision@3", *run)
    means(shell, "nDCG@10,nDCG@10:exp,Recall@5,MRR@10,Precision@10,R-precision", *run)
    found = cut(shell, "3 7")
    assert {key: value for key, value in found.items() if key in wanted} == wanted
    assert {k.rpartition("@")[2][0] for k, _ in found} == {"3", "7"}
    shown = shell("show", "last", "--top-k", "3,7")
    assert shown.status == 0
    assert "k 3" in shown.out
    assert "7/8" in shown.out
    assert "cuts are whole numbers" in shell("show", "last", "--top-k", "many").err


def test_contexts_are_cut_from_what_was_stored(shell: Shell) -> None:
    rows = [
        {
            "id": f"c{n}",
            "query": "q",
            "response": "x",
            "ground_truth": f"w{n}",
            "context": [f"w{m} it is" for m in range(6)],
        }
        for n in range(8)
    ]
    shell.write("cases.jsonl", rows)
    wanted = means(shell, "context_recall@2,context_recall@5,context_precision@2", "cases.jsonl")
    assert wanted["context_recall@2", "candidate"] == (0.25, 8)
    means(shell, "context_recall,context_precision:answer,f1", "cases.jsonl")
    found = cut(shell, "2,5")
    assert {key: found[key] for key in found if key in wanted} == {
        key: value for key, value in wanted.items() if key[0] != "context_precision@2"
    }
    assert ("context_precision@2:answer", "candidate") in found
    shown = shell("show", "last").out
    assert "by answer" in " ".join(shown.split())
    assert "no metric of this experiment" in _without_rankings(shell)


def _without_rankings(shell: Shell) -> str:
    means(shell, "f1", "cases.jsonl")
    return shell("show", "last", "--top-k", "3").err
