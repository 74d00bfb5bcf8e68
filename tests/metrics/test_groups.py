"""Metric Groups: named, ordered, 1 to 50 metrics, kept in ragtui.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from ragtui.metrics import groups as g
from ragtui.metrics.registry import metrics
from ragtui.metrics.spec import MetricError
from ragtui.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path)


def written(workspace: Workspace, text: str) -> Workspace:
    workspace.config_path.write_text(text, "utf-8")
    return Workspace.open(workspace.root)


def refused(call: object, *arguments: object) -> str:
    with pytest.raises(MetricError) as caught:
        call(*arguments)  # type: ignore[operator]
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_group_is_written_in_the_order_given_and_read_back(workspace: Workspace) -> None:
    changed = g.save_group(workspace, "answers", ["f1", "Groundedness", "ndcg_cut_10"], {"F1": 0.4})
    assert tomllib.loads(changed.config_path.read_text("utf-8")) == {
        "groups": {"answers": {"metrics": ["f1", "groundedness", "nDCG@10"], "thresholds": {"f1": 0.4}}}
    }
    group = g.load_group(Workspace.open(workspace.root), "answers")
    assert group.specs == ("f1", "groundedness", "nDCG@10")
    assert [group.threshold(each) for each in group.metrics] == [0.4, 3.0, None]


def test_comments_of_the_user_are_kept(workspace: Workspace) -> None:
    workspace = written(
        workspace, '# mine\n[groups.a]\nmetrics = ["f1"]  # one\n\n[targets]\nprod = "recorded:x.jsonl"\n'
    )
    g.add_metrics(workspace, "b", ["bleu"])
    text = workspace.config_path.read_text("utf-8")
    assert "# mine" in text
    assert "# one" in text
    assert "[targets]" in text


def test_adding_appends_and_never_doubles(workspace: Workspace) -> None:
    workspace = g.add_metrics(workspace, "a", ["f1"])
    workspace = g.add_metrics(workspace, "a", ["bleu", "f1_score", "gleu"])
    assert g.load_group(workspace, "a").specs == ("f1", "bleu", "gleu")


def test_a_name_without_its_cut_stands_for_four(workspace: Workspace) -> None:
    workspace = written(workspace, '[groups]\nrank = ["nDCG", "R-precision"]\n')
    assert g.load_group(workspace, "rank").specs == ("nDCG@1", "nDCG@3", "nDCG@5", "nDCG@10", "R-precision")


def test_moving_removing_renaming_duplicating_deleting(workspace: Workspace) -> None:
    workspace = g.save_group(workspace, "a", ["f1", "bleu", "gleu"], {"bleu": 0.3})
    workspace = g.save_group(workspace, "z", ["chrf"])
    workspace = g.move_metric(workspace, "a", "gleu", 0)
    assert g.load_group(workspace, "a").specs == ("gleu", "f1", "bleu")
    workspace = g.move_metric(workspace, "a", "gleu", -1)
    assert g.load_group(workspace, "a").specs == ("f1", "bleu", "gleu")
    workspace = g.duplicate_group(workspace, "a", "b")
    workspace = g.remove_metrics(workspace, "b", ["f1"])
    assert g.load_group(workspace, "b").specs == ("bleu", "gleu")
    assert g.load_group(workspace, "b").thresholds == {"bleu": 0.3}
    workspace = g.remove_metrics(workspace, "b", ["bleu"])
    assert g.load_group(workspace, "b").thresholds == {}
    workspace = g.rename_group(workspace, "a", "first")
    assert g.group_names(workspace) == ("first", "z", "b")
    assert g.load_group(workspace, "first").thresholds == {"bleu": 0.3}
    workspace = g.delete_group(workspace, "first")
    assert [each.name for each in g.groups(Workspace.open(workspace.root))] == ["z", "b"]


def test_thresholds_are_set_and_taken_back(workspace: Workspace) -> None:
    workspace = g.save_group(workspace, "a", ["f1", "groundedness"])
    workspace = g.set_threshold(workspace, "a", "F1", 0.25)
    assert g.load_group(workspace, "a").thresholds == {"f1": 0.25}
    assert "outside its scale, 1 to 5" in refused(g.set_threshold, workspace, "a", "groundedness", 0.7)
    workspace = g.set_threshold(workspace, "a", "f1", None)
    assert g.load_group(workspace, "a").thresholds == {}


def test_the_51st_metric_is_refused(workspace: Workspace) -> None:
    names = [each.name for each in metrics()][:50]
    workspace = g.save_group(workspace, "full", names)
    assert "at most 50 metrics; this would be 51" in refused(g.add_metrics, workspace, "full", ["nDCG@77"])
    assert len(g.load_group(workspace, "full").metrics) == 50


def test_what_cannot_be_is_refused_in_one_line(workspace: Workspace) -> None:
    workspace = g.save_group(workspace, "answers", ["f1"])
    before = workspace.config_path.read_text("utf-8")
    assert "at least one metric" in refused(g.save_group, workspace, "empty", [])
    assert "would be empty" in refused(g.remove_metrics, workspace, "answers", ["f1"])
    assert "did you mean groundedness?" in refused(g.add_metrics, workspace, "answers", ["groundednes"])
    assert "f1 is named twice" in refused(g.save_group, workspace, "x", ["f1", "f1_score"])
    assert "cannot be a group's name" in refused(g.save_group, workspace, "a/b", ["f1"])
    assert "cannot be a group's name" in refused(g.save_group, workspace, "", ["f1"])
    assert "bleu is not in answers; it has f1" in refused(g.remove_metrics, workspace, "answers", ["bleu"])
    assert "did you mean answers?" in refused(g.load_group, workspace, "answer")
    assert "did you mean answers?" in refused(g.delete_group, workspace, "answer")
    assert "there is a Metric Group 'answers' already" in refused(g.duplicate_group, workspace, "answers", "answers")
    assert "in use by e1, e2" in refused(g.delete_group, workspace, "answers", ("e1", "e2"))
    assert "not in the group" in refused(g.save_group, workspace, "x", ["f1"], {"bleu": 0.5})
    assert workspace.config_path.read_text("utf-8") == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[groups]\na = 3\n", "[groups.a]: it must be a table"),
        ('[groups.a]\nmetrics = "f1"\n', "[groups.a]: metrics must be a list of names"),
        ('[groups.a]\nmetrics = ["f2"]\n', "[groups.a]: there is no metric 'f2'; did you mean f1?"),
        ('[groups.a]\nmetrics = ["f1"]\ntreshold = 1\n', "[groups.a]: 'treshold' is not known here"),
        (
            '[groups.a]\nmetrics = ["f1"]\nthresholds = { f1 = "high" }\n',
            "the threshold of f1 is 'high'; it must be a number",
        ),
        (
            '[groups.a]\nmetrics = ["f1"]\nthresholds = { f1 = 1.5 }\n',
            "the threshold 1.5 of f1 is outside its scale, 0 to 1",
        ),
        ("[groups.a]\n", "[groups.a]: a group needs at least one metric"),
    ],
)
def test_a_hand_written_group_with_a_slip_names_file_group_and_remedy(
    workspace: Workspace, text: str, message: str
) -> None:
    workspace = written(workspace, text)
    found = refused(g.load_group, workspace, "a")
    assert found.startswith("ragtui.toml: ")
    assert message in found
    assert g.group_names(workspace) == ("a",)


def test_a_broken_group_can_be_replaced_and_deleted(workspace: Workspace) -> None:
    workspace = written(workspace, '[groups.a]\nmetrics = ["f2"]\n')
    assert g.load_group(g.save_group(workspace, "a", ["f1"]), "a").specs == ("f1",)
    workspace = written(workspace, '[groups.a]\nmetrics = ["f2"]\n')
    assert g.group_names(g.delete_group(workspace, "a")) == ()


def test_groups_travel_as_toml(workspace: Workspace, tmp_path_factory: pytest.TempPathFactory) -> None:
    workspace = g.save_group(workspace, "a", ["f1", "bleu"], {"f1": 0.4})
    text = workspace.config_path.read_text("utf-8")
    other = Workspace.open(tmp_path_factory.mktemp("other"))
    other, names = g.import_groups(other, text, "groups.toml")
    assert names == ("a",)
    assert g.load_group(other, "a") == g.load_group(workspace, "a")
    assert "[groups.a]: there is a Metric Group 'a' already" in refused(g.import_groups, other, text, "groups.toml")
    assert "not valid TOML" in refused(g.import_groups, other, "[", "x.toml")
    assert "holds no Metric Group" in refused(g.import_groups, other, "a = 1", "x.toml")


def test_proposals_fit_the_inputs_and_the_judge() -> None:
    answers = ("query", "response", "context", "ground_truth")
    offline = g.propose(answers)
    assert offline[:3] == ("groundedness", "relevance", "retrieval")
    assert "correctness" in offline
    assert "fluency" not in offline
    assert "context_recall" not in offline
    assert "fluency" in g.propose(answers, judge_offline=False)
    assert "latency" in g.propose((*answers, "latency_ms"))
    assert "latency" not in offline
    assert "context_recall" in g.propose((*answers, "gold_context"))
    assert g.propose(("qrels", "run"))[0] == "nDCG@10"
    assert g.propose(("query",)) == ()
