"""A label belongs to the answer it was given for: another system's answer to the same case has labels of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragtui.experiments import labels
from ragtui.experiments.carried import read_experiment, write_experiment
from ragtui.experiments.plan import Side
from ragtui.experiments.progress import Status
from ragtui.experiments.store import Store
from ragtui.metrics.score import scored
from ragtui.targets.target import Response
from ragtui.workspace import Workspace
from tests.experiments.making import cases, plan, store


@pytest.fixture
def opened(tmp_path: Path) -> Store:
    return store(tmp_path)


def experiment(opened: Store, candidate: str, answer: str, fresh: bool = False) -> str:
    planned = plan(candidate=candidate)
    with opened.begin(planned, "desk.jsonl", cases(["a", "b"]), fresh) as recorder:
        recorder.respond(Side.CANDIDATE, [(at, Response("", text=f"{answer} {at}")) for at in range(2)])
        recorder.score(Side.CANDIDATE, "f1", [(at, 1, scored(0.2)) for at in range(2)])
        recorder.end(Status.FINISHED)
    return planned.id


def shown(opened: Store, name: str) -> dict[str, str | None]:
    return dict(opened.results(name).rows().select("case_id", "label").iter_rows())


def test_another_answer_has_no_label_the_same_text_has_it(opened: Store) -> None:
    first, other, same = (
        experiment(opened, name, text) for name, text in (("v1", "old"), ("v2", "new"), ("v1b", "old"))
    )
    labels.give(opened, first, "a", "m", note="see line 3")
    assert (shown(opened, first)["a"], shown(opened, other)["a"], shown(opened, same)["a"]) == (
        "model fault", None, "model fault",
    )  # fmt: skip
    there = opened.results(other).detail("a")
    assert (dict(there.labels), there.note) == ({}, "")
    assert there.on_other_answers == (f"candidate: model fault (given to another answer, in {first})",)
    assert opened.results(same).detail("a").on_other_answers == ()


def test_each_answer_keeps_its_own_label_through_changes_and_undo(opened: Store) -> None:
    first, other = experiment(opened, "v1", "old"), experiment(opened, "v2", "new")
    labels.give(opened, first, "a", "m")
    labels.give(opened, other, "a", "r")
    labels.give(opened, first, "a", "b")
    assert (shown(opened, first)["a"], shown(opened, other)["a"]) == ("bad label", "retrieval fault")
    assert len(labels.labels(opened, "desk.jsonl")) == 2
    for expected in (("model fault", "retrieval fault"), ("model fault", None), (None, None)):
        labels.undo(opened)
        assert (shown(opened, first)["a"], shown(opened, other)["a"]) == expected
    labels.give(opened, first, "a", "m")
    labels.give(opened, other, "a", "r")
    assert labels.remove(opened, first, "a") is not None
    assert labels.remove(opened, first, "a") is None
    assert (shown(opened, first)["a"], shown(opened, other)["a"]) == (None, "retrieval fault")


def test_what_was_labelled_before_a_fresh_run_is_no_label_of_the_new_answer(opened: Store) -> None:
    first = experiment(opened, "bot", "old")
    labels.give(opened, first, "a", "m")
    assert experiment(opened, "bot", "new", fresh=True) == first
    assert shown(opened, first)["a"] is None


def test_labels_of_both_answers_go_along_to_another_workspace(opened: Store, tmp_path: Path) -> None:
    first, other = experiment(opened, "v1", "old"), experiment(opened, "v2", "new")
    labels.give(opened, first, "a", "m")
    labels.give(opened, other, "a", "r")
    write_experiment(opened.results(first), tmp_path / "one.ragtui")
    (tmp_path / "other").mkdir()
    with Store.open(Workspace(tmp_path / "other"), write=True) as elsewhere:
        read_experiment(tmp_path / "one.ragtui", elsewhere)
        assert shown(elsewhere, first) == {"a": "model fault", "b": None}
