"""``ragtui doctor``, ``paths`` and ``init``: what is in force, where it came from, and what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragtui.cli import app

CONFIG = """\
[app]
theme = "ragtui-light"   # a comment with = and [brackets]

[judges.house]
model = "big"
base_url = "http://127.0.0.1:8000/v1"
key_env = "HOUSE_KEY"
requests_per_minute = 60

[judges.broken]
modell = "typo"

[groups."two words"]
metrics = ["f1", "nosuchmetric"]
thresholds = { f1 = 0.4 }

[targets.desk]
target = "http:https://desk.example/ask"
headers.Authorization = "Bearer hunter2"
headers.X-Trace = "on"
proxy = "https://me:hunter2@proxy.example"
"""


def ragtui(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        app(list(arguments))
    return int(ended.value.code or 0)


@pytest.fixture
def facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    (tmp_path / "ragtui.toml").write_text(CONFIG, "utf-8")
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    monkeypatch.setenv("HOUSE_KEY", "s3cret")
    monkeypatch.setenv("EDITOR", "/nowhere/vi -n")
    assert ragtui("doctor", "--json") == 1
    out = capsys.readouterr().out
    assert "hunter2" not in out
    assert "s3cret" not in out
    return {f"{each['topic']} {each['name']}": each for each in json.loads(out)["facts"]}


def test_each_setting_names_file_and_line(facts: dict[str, Any], tmp_path: Path) -> None:
    lines = CONFIG.split("\n")
    for name, text in {
        "app.theme": "theme = ",
        "judges.house.requests_per_minute": "requests_per_minute",
        "groups.two words.metrics": "metrics = ",
        "groups.two words.thresholds.f1": "thresholds",
        "targets.desk.headers.X-Trace": "X-Trace",
    }.items():
        file, _, line = facts[f"config {name}"]["origin"].rpartition(":")
        assert file == str(tmp_path / "ragtui.toml")
        assert text in lines[int(line) - 1], name
    assert facts["config app.theme"]["value"] == '"ragtui-light"'
    assert facts["config targets.desk.headers.Authorization"]["value"] == "(not shown)"
    assert facts["config targets.desk.proxy"]["value"] == "(not shown)"


def test_what_is_wrong_is_said_with_the_remedy(facts: dict[str, Any]) -> None:
    wrong = {name: each["problem"] for name, each in facts.items() if each["problem"]}
    assert set(wrong) - {"terminal encoding"} == {
        "config judges.broken",
        "config groups.two words",
        "config targets.desk",
        "terminal EDITOR",
    }
    assert "no option 'proxy'" in wrong["config targets.desk"]
    assert "did you mean model" in wrong["config judges.broken"]
    assert "nosuchmetric" in wrong["config groups.two words"]
    assert facts["judges house"]["value"] == "HOUSE_KEY is set"
    assert facts["versions polars"]["value"][0].isdigit()


WRONG = """\
jobs = "many"
golden = "x.csv"
[apps]
theme = 3
[app]
theme = ["a"]
mouse = "yes"
judge = "embeded"
colour = 1
[keys]
quit = 3
[judges.a]
model = "x"
concurrency = "many"
[judges.b]
model = 3
[groups]
odd = 5
[groups.bad]
metrics = "f1"
[groups.low]
metrics = ["f1"]
thresholds = { f1 = "high" }
[targets]
none = 5
[targets.late]
target = "http:https://desk.example/ask"
timeout = "soon"
[targets.near]
target = "http:https://desk.example/ask"
timeot = 3
[targets.far]
target = "htp:https://desk.example/ask"
[targets.well]
target = "http:https://desk.example/ask"
body = { question = "${data.anything}", filters = "${filters}" }
[targets.told]
target = "recorded:x.jsonl"
concurrency = 3
[targets.bot]
target = "command:./bot"
env = { A = 1 }
[datasets."gone.csv".mapping]
query = 3
[datasets."cases.csv"]
rolls = 3
[datasets."cases.csv".roles]
office = "inputt"
"""
SAID = {
    "jobs": ("no setting has this name", "jobs ="),
    "golden": ("must be a list of texts, not 'x.csv'", "golden ="),
    "apps": ("did you mean app?", "[apps]"),
    "app.theme": ("must be text in quotes, not a list", "theme ="),
    "app.mouse": ("must be true or false, not 'yes'", "mouse ="),
    "app.judge": ("did you mean embedded?", "judge ="),
    "app.colour": ("there are theme, judge, mouse", "colour ="),
    "keys": ('no action "quit"; did you mean "app.quit"?', "[keys]"),
    "judges.a": ("concurrency must be a whole number, not 'many'", "[judges.a]"),
    "judges.b": ("model must be text in quotes, not 3", "[judges.b]"),
    "groups.odd": ("must be a table with a list of metrics", "odd ="),
    "groups.bad": ("metrics must be a list of names", "[groups.bad]"),
    "groups.low": ("the threshold of f1 is 'high'; it must be a number", "[groups.low]"),
    "targets.none": ("must be a text", "none ="),
    "targets.late": ("timeout of a http target must be a number from 0.01 on, not 'soon'", "[targets.late]"),
    "targets.near": ("no option 'timeot'; did you mean timeout?", "[targets.near]"),
    "targets.far": ("did you mean http?", "[targets.far]"),
    "targets.told": ("takes no options", "[targets.told]"),
    "targets.bot": ("env.A must be a text", "[targets.bot]"),
    "datasets.gone.csv": ("there is no such file", "[datasets."),
    "datasets.gone.csv.mapping.query": ("must be a text", "query ="),
    "datasets.cases.csv.rolls": ("did you mean roles?", "rolls ="),
    "datasets.cases.csv.roles.office": ("must be one of input,", "office ="),
}


def test_every_setting_of_another_type_or_name_is_named_with_its_line_and_what_is_expected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ragtui.toml").write_text(WRONG, "utf-8")
    (tmp_path / "cases.csv").write_text("office,question\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert ragtui("doctor", "--json") == 1
    found = [each for each in json.loads(capsys.readouterr().out)["facts"] if each["topic"] == "config"]
    wrong = {each["name"]: each for each in found if each["problem"]}
    assert set(wrong) == set(SAID)
    lines = WRONG.split("\n")
    for name, (said, line) in SAID.items():
        file, _, number = wrong[name]["origin"].rpartition(":")
        assert said in wrong[name]["problem"], name
        assert (file, line in lines[int(number) - 1]) == (str(tmp_path / "ragtui.toml"), True), name


def test_a_config_that_is_no_toml_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ragtui.toml").write_text("[app\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert ragtui("doctor") == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_init_makes_a_workspace_that_is_well_and_changes_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EDITOR", raising=False)
    for name in ("VISUAL", "PAGER"):
        monkeypatch.delenv(name, raising=False)
    assert ragtui("init", "desk") == 0
    config = tmp_path / "desk" / "ragtui.toml"
    config.write_text(config.read_text("utf-8") + "# mine\n", "utf-8")
    assert ragtui("init", "desk") == 0
    assert "already" in capsys.readouterr().out
    assert config.read_text("utf-8").endswith("# mine\n")
    monkeypatch.chdir(tmp_path / "desk")
    ragtui("doctor", "--json")
    found = json.loads(capsys.readouterr().out)["facts"]
    assert [each for each in found if each["problem"] and each["topic"] != "terminal"] == []
    assert ragtui("group", "list") == 0
    assert "answers" in capsys.readouterr().out
    assert ragtui("paths", "store") == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "desk" / ".ragtui" / "ragtui.sqlite")
    assert ragtui("paths", "nowhere") == 2
