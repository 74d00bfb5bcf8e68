"""``ragtui run`` over judged documents: which set is meant, what is missing from it, and what cannot be run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragtui.experiments.store import Store
from ragtui.workspace import Workspace
from tests.experiments.command_line import Shell

DOCUMENTS = [{"_id": f"d{n}", "title": "", "text": f"number {n}"} for n in range(5)]
QUERIES = [{"_id": f"q{n}", "text": f"number {n}"} for n in range(3)]
QRELS = [{"query-id": f"q{n}", "corpus-id": f"d{n}", "score": 1} for n in range(3)]
RUN = "q0 Q0 d0 1 1.0 r\nq0 Q0 d1 2 1.0 r\nq1 Q0 d1 1 1.0 r\n"
AT_RANK_2 = 0.6309297535714575


@pytest.fixture
def shell(shell: Shell) -> Shell:
    shell.write("set/corpus.jsonl", DOCUMENTS)
    shell.write("set/queries.jsonl", QUERIES)
    shell.write("set/qrels.jsonl", QRELS)
    (shell.folder / "hits.trec").write_text(RUN)
    return shell


def means(shell: Shell, name: str = "r.json") -> dict[str, float | None]:
    report = json.loads((shell.folder / name).read_text("utf-8"))
    return {each["metric"]: each["mean"] for each in report["metrics"]}


def listed(shell: Shell) -> int:
    return len(Store.open(Workspace.open(shell.folder)).list())


@pytest.mark.parametrize("typed", ["set", "set/", "./set"])
def test_a_folder_that_is_a_set_is_run_whatever_else_lies_in_it(shell: Shell, typed: str) -> None:
    (shell.folder / "set" / "other.trec").write_text(RUN)
    (shell.folder / "set" / "notes.csv").write_text("query,response\na,b\n")
    assert shell("run", typed, "-m", "nDCG@3", "--report", "r.json").status == 0
    assert means(shell) == {"nDCG@3": 1.0}


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("run:nowhere.trec", "run file 'nowhere.trec' is not there"),
        ("run:", "name a run file"),
        ("run:set", "run file 'set' is not there"),
        ("recorded:x", "holds judged documents, no responses"),
        ("bm25:porter", "takes nothing after the colon"),
    ],
)
@pytest.mark.parametrize("how", [(), ("--plan",)])
def test_a_target_that_cannot_be_used_is_told_before_anything_is_stored(
    shell: Shell, target: str, says: str, how: tuple[str, ...]
) -> None:
    said = shell("run", "set", "-m", "nDCG@3", "-c", target, *how)
    assert (said.status, said.out) == (2, "")
    assert says in said.err
    assert said.err.count("\n") == 1
    assert listed(shell) == 0


def test_a_target_that_fails_at_once_leaves_no_experiment(shell: Shell) -> None:
    shell.write("set/corpus.jsonl", [{"_id": "d0", "title": "", "text": "!!!"}])
    said = shell("run", "set", "-m", "nDCG@3")
    assert said.status == 2
    assert "its corpus holds no words to search" in said.err
    assert listed(shell) == 0


def test_judgments_and_a_run_are_enough(shell: Shell) -> None:
    (shell.folder / "set" / "queries.jsonl").unlink()
    (shell.folder / "set" / "corpus.jsonl").unlink()
    said = shell("run", "set", "-m", "nDCG@3,Recall@3", "-c", "run:hits.trec", "--report", "r.json")
    assert said.status == 0
    assert "1 not in the run" in said.out
    assert means(shell) == {"nDCG@3": pytest.approx((AT_RANK_2 + 1 + 0) / 3), "Recall@3": pytest.approx(2 / 3)}


def test_nothing_to_ask_is_one_line(shell: Shell) -> None:
    (shell.folder / "set" / "queries.jsonl").unlink()
    (shell.folder / "set" / "qrels.jsonl").unlink()
    said = shell("run", "set", "-m", "nDCG@3")
    assert (said.status, said.err.count("\n")) == (2, 1)
    assert "there is no query to run" in said.err


@pytest.mark.parametrize(
    ("split", "says"),
    [(("--split", "x"), 'there is no split "x"; choose with --split: dev, train'), ((), "there are several")],
)
def test_an_unclear_split_is_refused_with_those_there_are(shell: Shell, split: tuple[str, ...], says: str) -> None:
    (shell.folder / "set" / "qrels.jsonl").unlink()
    (shell.folder / "set" / "qrels").mkdir()
    for name in ("dev", "train"):
        (shell.folder / "set" / "qrels" / f"{name}.tsv").write_text("query-id\tcorpus-id\tscore\nq0\td0\t1\n")
    said = shell("run", "set", "-m", "nDCG@3", *split)
    assert (said.status, said.err.count("\n")) == (2, 1)
    assert says in said.err
    assert "set/qrels" in said.err


def test_a_mapping_for_judged_documents_is_refused(shell: Shell) -> None:
    said = shell("run", "set", "-m", "nDCG@3", "--map", "query=text")
    assert (said.status, said.out) == (2, "")
    assert "need no mapping" in said.err


def test_a_trec_collection_is_searched(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "trec"
    folder.mkdir()
    (folder / "docs.trec").write_text(
        "".join(f"<DOC>\n<DOCNO>d{n}</DOCNO>\nnumber {n}\n</DOC>\n" for n in range(5)), "utf-8"
    )
    (folder / "topics.trec").write_text(
        "".join(f"<top>\n<num>{n}</num><title>\nnumber {n}\n</title>\n</top>\n" for n in range(3)), "utf-8"
    )
    (folder / "qrels").write_text("".join(f"{n} 0 d{n} 1\n" for n in range(3)), "utf-8")
    assert shell("run", "trec", "-m", "nDCG@3", "--report", "r.json").status == 0
    assert means(shell) == {"nDCG@3": 1.0}


def test_of_two_documents_with_one_id_the_last_is_searched(shell: Shell) -> None:
    shell.write("set/corpus.jsonl", [{"_id": "d0", "title": "", "text": "gone"}, *DOCUMENTS])
    assert shell("run", "set", "-m", "nDCG@3", "--report", "r.json").status == 0
    assert means(shell) == {"nDCG@3": 1.0}
