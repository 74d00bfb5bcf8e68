"""Targets by their spec, and by a name from ragtui.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragtui.datasets.dataset import Dataset
from ragtui.targets.spec import target_kinds
from ragtui.targets.target import TargetError

from .making import answers, cases, opened, write_lines


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    write_lines(tmp_path / "v2.jsonl", [{"id": "c1", "query": "q", "response": "two"}])
    return cases(tmp_path, [{"id": "c1", "query": "q", "response": "one", "ground_truth": "g"}])


def test_kinds_are_found_by_their_files() -> None:
    assert {"recorded", "run", "bm25"} <= set(target_kinds())


def test_names_from_the_workspace(dataset: Dataset, tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text(
        '[targets]\nnew = "recorded:v2.jsonl"\nlatest = "new"\nround = "round"\nnothing = 3\n'
        '[targets.table]\ntarget = "recorded:v2.jsonl"\n',
        "utf-8",
    )
    for name in ("new", "latest", "table"):
        assert answers(opened(name, dataset, tmp_path), "c1")[0].text == "two"
    assert answers(opened("recorded", dataset, tmp_path), "c1")[0].text == "one"
    for spec, message in (
        ("round", "the target 'round' is defined by itself"),
        ("nothing", "[targets] nothing must be a text"),
        ("latst", "did you mean latest?"),
    ):
        with pytest.raises(TargetError) as caught:
            opened(spec, dataset, tmp_path)
        assert message in str(caught.value)


def test_an_unknown_target_lists_those_there_are(dataset: Dataset, tmp_path: Path) -> None:
    with pytest.raises(TargetError, match=r"there is no target 'recoded'; did you mean recorded\?"):
        opened("recoded", dataset, tmp_path)
    with pytest.raises(TargetError, match="there is no target 'x'; there are bm25, "):
        opened("x", dataset, tmp_path)
