"""Groups from Azure's files and back: metrics, mapping, thresholds, judge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragtui.metrics.azure_config import criteria_of, evaluator_config, read_azure
from ragtui.metrics.groups import load_group
from ragtui.metrics.spec import MetricError
from ragtui.workspace import Workspace
from tests.cli.test_check import ragtui

CRITERIA = {
    "testing_criteria": [
        {"type": "azure_ai_evaluator", "name": "my groundedness", "evaluator_name": "builtin.groundedness",
         "initialization_parameters": {"deployment_name": "gpt-5-mini", "threshold": 4},
         "data_mapping": {"context": "{{item.docs}}", "response": "{{sample.output_text}}"}},
        {"type": "azure_ai_evaluator", "name": "f1", "evaluator_name": "builtin.f1_score",
         "data_mapping": {"response": "{{sample.output_text}}", "ground_truth": "{{item.truth}}"}},
        {"type": "azure_ai_evaluator", "name": "safe", "evaluator_name": "builtin.violence", "data_mapping": {}},
    ]
}  # fmt: skip


def test_criteria_become_group_mapping_thresholds_and_judge(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps(CRITERIA))
    found = read_azure(path)
    assert found.specs == ("groundedness", "f1:azure")
    assert found.thresholds == {"groundedness": 4.0}
    assert found.model == "gpt-5-mini"
    assert found.mapping == {
        "groundedness.context": "{{item.docs}}", "groundedness.response": "{{sample.output_text}}",
        "f1:azure.response": "{{sample.output_text}}", "f1:azure.ground_truth": "{{item.truth}}",
    }  # fmt: skip
    assert found.lost == ("safe: no metric here is like builtin.violence",)


def test_a_group_goes_out_and_comes_back(tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text(
        '[groups.g]\nmetrics = ["groundedness", "f1", "chrf"]\nthresholds = { f1 = 0.4 }\n'
    )
    group = load_group(Workspace.open(tmp_path), "g")
    mapping = {"response": "${target.response}", "f1.ground_truth": "truth"}
    criteria, lost = criteria_of(group, mapping, "gpt-5-mini")
    assert lost == ["chrf: Azure has no such evaluator"]
    path = tmp_path / "out.json"
    path.write_text(json.dumps(criteria))
    back = read_azure(path)
    assert (back.specs, back.model) == (("groundedness", "f1:azure"), "gpt-5-mini")
    assert back.thresholds == {"groundedness": 3.0, "f1:azure": 0.4}
    assert back.mapping["f1:azure.ground_truth"] == "{{item.truth}}"
    assert back.mapping["groundedness.response"] == "{{sample.output_text}}"
    config, lost = evaluator_config(group, mapping)
    assert config["evaluator_config"]["f1"]["column_mapping"] == {
        "response": "${target.response}",
        "ground_truth": "${data.truth}",
    }
    assert len(lost) == 2
    path.write_text(json.dumps(config))
    assert read_azure(path).specs == ("groundedness", "f1")


def test_the_commands(tmp_path: Path) -> None:
    (tmp_path / "nightly.json").write_text(json.dumps(CRITERIA))
    done = ragtui("group", "import", "nightly.json", cwd=tmp_path)
    assert (done.returncode, "imported nightly" in done.stdout) == (0, True), done.stderr
    assert "lost: safe" in done.stderr
    done = ragtui(
        "group", "export", "nightly", "--as", "foundry", "--mapping", "nightly.json", "--model", "m", cwd=tmp_path
    )
    first = json.loads(done.stdout)["testing_criteria"][0]
    assert first["initialization_parameters"] == {"deployment_name": "m", "threshold": 4}
    assert first["data_mapping"]["context"] == "{{item.docs}}"
    assert "[mapping.groundedness]" in (tmp_path / "nightly.mapping.toml").read_text()
    assert ragtui("group", "import", "nightly.json", cwd=tmp_path).returncode == 2
    assert ragtui("group", "export", "nightly", "--as", "xml", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"a": {"column_mapping": {}}}', "x = 1"])
def test_what_names_no_metric_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(MetricError):
        read_azure(tmp_path / "x.json")
