"""Rankings from run files in every form, and by name."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from ragtui.datasets.dataset import Dataset
from ragtui.targets.run_file import RunFile
from ragtui.targets.target import TargetError

from .making import answers, beir, cases, opened, write_lines

HITS = [("q1", "b", 1.0), ("q1", "a", 2.5), ("q2", "c", 0.5)]


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return beir(
        tmp_path / "set",
        {"a": "about apples", "b": "about bees", "c": "about cats"},
        {"q1": "apples", "q2": "cats", "q3": "dogs"},
        [("q1", "a", 1), ("q2", "c", 1), ("q3", "b", 1)],
    )


def frame(target: object) -> list[tuple[str, str, float]]:
    assert isinstance(target, RunFile)
    return sorted(asyncio.run(target.rankings()).rows())


def test_all_forms_give_the_same_rankings(dataset: Dataset, tmp_path: Path) -> None:
    (tmp_path / "run.trec").write_text("".join(f"{q} Q0 {d} 1 {s} tag\n" for q, d, s in HITS), "utf-8")
    write_lines(tmp_path / "hits.jsonl", ({"query-id": q, "corpus-id": d, "score": s} for q, d, s in HITS))
    (tmp_path / "mteb.json").write_text(json.dumps({"q1": {"a": 2.5, "b": 1.0}, "q2": {"c": 0.5}}), "utf-8")
    for name in ("run.trec", "hits.jsonl", "mteb.json"):
        assert frame(opened(f"run:{name}", dataset, tmp_path)) == sorted(HITS), name
    write_lines(
        tmp_path / "lists.jsonl", [{"query-id": "q1", "ranking": ["a", "b"]}, {"query-id": "q2", "ranking": ["c"]}]
    )
    assert [(q, d) for q, d, _ in frame(opened("run:lists.jsonl", dataset, tmp_path))] == [
        ("q1", "a"),
        ("q1", "b"),
        ("q2", "c"),
    ]


def test_each_query_gets_its_ranking_best_first_ties_by_id(dataset: Dataset, tmp_path: Path) -> None:
    write_lines(
        tmp_path / "r.jsonl",
        ({"query-id": "q1", "corpus-id": d, "score": s} for d, s in [("a", 1), ("c", 2), ("b", 1)]),
    )
    first, third = answers(opened("run:r.jsonl", dataset, tmp_path), "q1", "q3")
    assert first.ranking == (("c", 2.0), ("b", 1.0), ("a", 1.0))
    assert third.ranking == ()


def test_of_repeated_hits_the_last_counts(dataset: Dataset, tmp_path: Path) -> None:
    write_lines(tmp_path / "r.jsonl", ({"query-id": "q1", "corpus-id": "a", "score": s} for s in (1, 3)))
    assert frame(opened("run:r.jsonl", dataset, tmp_path)) == [("q1", "a", 3.0)]


def test_a_run_of_the_dataset_is_used_by_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "run-base.trec").write_text("q1 Q0 a 1 2.0 base\n", "utf-8")
    dataset = beir(folder, {"a": "x"}, {"q1": "x"}, [("q1", "a", 1)])
    assert frame(opened("run:run-base.trec", dataset, tmp_path)) == [("q1", "a", 2.0)]
    with pytest.raises(TargetError, match=r"the dataset has run:run-base\.trec"):
        opened("run:", dataset, tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("q1 Q0 a 1 high tag\n", "r.trec:1: "),
        ("q1 Q0 a 1 1.0 tag\nq1 Q0 b\n", "r.trec:2: "),
        ("x1 Q0 a 1 1.0 tag\n", "none of its queries is in"),
        ("", "r.trec"),
    ],
)
def test_a_run_that_cannot_be_used_names_the_line(dataset: Dataset, tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "r.trec").write_text(content, "utf-8")
    with pytest.raises(TargetError) as caught:
        opened("run:r.trec", dataset, tmp_path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_responses_are_no_rankings(dataset: Dataset, tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="holds judged documents, no responses; use run:FILE or bm25"):
        opened("recorded", dataset, tmp_path)
    with pytest.raises(TargetError, match=r"run file 'nothing\.trec' is not there"):
        opened("run:nothing.trec", dataset, tmp_path)
    other = cases(tmp_path, [{"id": "c", "query": "q", "response": "r"}])
    with pytest.raises(TargetError, match="holds test cases"):
        opened("run:x", other, tmp_path)
