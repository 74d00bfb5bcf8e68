"""Own metrics are made, changed and deleted; a new one joins a group, its versions are kept, groups follow the newest."""

from __future__ import annotations

import pytest

from ragtui import trust
from ragtui.metrics import groups
from ragtui.metrics.metric import Kind
from ragtui.metrics.own import saving, versions
from ragtui.metrics.own.files import own_file, own_metrics, problems
from ragtui.metrics.registry import metric, metrics
from ragtui.metrics.spec import MetricError
from ragtui.workspace import Workspace

CODE = "def evaluate(session): return 1\n"
JUDGED = 'prompt = "Judge it."\ninputs = ["response"]\n'


def refused(call: object, *arguments: object) -> str:
    with pytest.raises(MetricError) as caught:
        call(*arguments)  # type: ignore[operator]
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_new_metric_joins_a_group_that_is_there_or_made_with_it(workspace: Workspace) -> None:
    made = saving.create(workspace, "mine", Kind.CODE, CODE, "new group")
    assert groups.load_group(made.workspace, "new group").specs == ("mine",)
    made = saving.create(made.workspace, "polite", Kind.JUDGED, JUDGED, "new group")
    group = groups.load_group(Workspace.open(workspace.root), "new group")
    assert [(each.name, each.kind) for each in group.metrics] == [("mine", Kind.CODE), ("polite", Kind.JUDGED)]
    assert trust.is_trusted(workspace, workspace.root / "metrics" / "mine.py")
    own = own_metrics(workspace)
    assert metric("MINE", own).name == "mine"
    assert {"mine", "polite", "f1"} <= {each.name for each in metrics(own)}


def test_without_a_group_or_with_a_full_one_nothing_is_written(workspace: Workspace) -> None:
    assert "must join a group" in refused(saving.create, workspace, "mine", Kind.CODE, CODE, " ")
    full = [f"nDCG@{k}" for k in range(1, 51)]
    changed = groups.save_group(workspace, "full", full)
    assert "50 metrics already" in refused(saving.create, changed, "mine", Kind.CODE, CODE, "full")
    assert "at most 50" in refused(groups.add_metrics, changed, "full", ["f1"])
    assert "at least one metric" in refused(groups.save_group, changed, "none", [])
    assert "cannot be a group's name" in refused(saving.create, changed, "mine", Kind.CODE, CODE, "@@")
    assert list((workspace.root / "metrics").iterdir()) == []


def test_names_that_are_taken_or_cannot_be_are_refused(workspace: Workspace) -> None:
    saving.create(workspace, "mine", Kind.CODE, CODE, "g")
    assert "metrics edit mine" in refused(saving.create, workspace, "Mine", Kind.JUDGED, JUDGED, "g")
    for name in ("f1", "F1_score", "ndcg", "P"):
        assert "comes with ragtui" in refused(saving.create, workspace, name, Kind.CODE, CODE, "g")
    for name in ("a b", "../x", "1st", "a@1", ""):
        assert "cannot be a metric's name" in refused(saving.create, workspace, name, Kind.CODE, CODE, "g")


def test_saving_makes_a_version_that_groups_follow_and_the_old_one_is_kept(workspace: Workspace) -> None:
    workspace = saving.create(workspace, "mine", Kind.CODE, CODE, "g").workspace
    before = groups.load_group(workspace, "g").metrics[0].version
    assert not saving.save(workspace, "mine", CODE).changed
    saved = saving.save(workspace, "mine", "SCALE = (0, 2)\n" + CODE)
    after = groups.load_group(workspace, "g").metrics[0]
    assert saved.changed
    assert (after.version != before, after.scale) == (True, (0, 2))
    assert versions.kept(workspace, "mine") == (before, after.version)
    assert versions.metric_at(workspace, "mine", before).scale == (None, None)
    assert "was not kept" in refused(versions.metric_at, workspace, "mine", "0" * 12)


def test_what_cannot_be_used_is_not_saved(workspace: Workspace) -> None:
    workspace = saving.create(workspace, "polite", Kind.JUDGED, JUDGED, "g").workspace
    workspace = groups.set_threshold(workspace, "g", "polite", 4)
    assert "prompt is missing" in refused(saving.save, workspace, "polite", 'summary = "x"')
    assert "off the new scale" in refused(saving.save, workspace, "polite", JUDGED + "scale = [0, 1]\n")
    file = own_file(workspace, "polite")
    assert file is not None
    assert file.text == JUDGED
    assert "comes with ragtui and cannot be changed" in refused(saving.save, workspace, "f1", CODE)
    assert "did you mean polite?" in refused(saving.save, workspace, "polit", CODE)


def test_a_metric_in_use_cannot_be_deleted(workspace: Workspace) -> None:
    workspace = saving.create(workspace, "mine", Kind.CODE, CODE, "g").workspace
    assert "is in use: the group g has it" in refused(saving.delete, workspace, "mine")
    workspace = groups.save_group(workspace, "g", ["f1"])
    saving.delete(workspace, "mine")
    assert own_file(workspace, "mine") is None
    assert len(versions.kept(workspace, "mine")) == 1


def test_a_file_that_cannot_be_used_takes_nothing_else_down(workspace: Workspace) -> None:
    folder = workspace.root / "metrics"
    (folder / "bad.py").write_text("def")
    (folder / "f1.toml").write_text(JUDGED)
    (folder / "twin.toml").write_text(JUDGED)
    (folder / "twin.py").write_text(CODE)
    (folder / "latin.toml").write_bytes(b'prompt = "\xe9"')
    (folder / "good.py").write_text(CODE)
    (folder / "_shared.py").write_text("x = 1")
    (folder / "folder.py").mkdir()
    own = own_metrics(workspace)
    assert metric("good", own).kind is Kind.CODE
    assert metric("f1", own).kind is Kind.OVERLAP
    assert "metrics/bad.py:1: not valid Python" in refused(metric, "bad", own)
    assert "of that name, too" in refused(metric, "twin", own)
    assert {each.name for each in metrics(own)} >= {"good", "f1", "nDCG@10"}
    told = problems(workspace)
    assert len(told) == 5
    assert any("f1 is the name of a metric that comes with ragtui" in each for each in told)
    assert any("not UTF-8" in each for each in told)
