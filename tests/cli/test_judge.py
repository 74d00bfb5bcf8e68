"""``ragtui judge``: the list, a try, and one clear line where something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ragtui.cli import root
from tests.judges.servers import fake_judge


def run(*arguments: str) -> Result:
    return CliRunner().invoke(root, ["judge", *arguments])


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_the_list_names_every_judge_where_text_goes_and_whether_its_key_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_KEY", "sk-hunter2-hunter2")
    Path("ragtui.toml").write_text(
        '[judges.lab]\nmodel = "qwen"\nbase_url = "https://lab.example/v1"\nkey_env = "LAB_KEY"\n'
        '[judges.big]\nmodel = "gpt-5"\n[judges.bad]\nmodle = "x"\n'
    )
    found = run()
    assert found.exit_code == 0
    lab = next(line for line in found.stdout.splitlines() if line.startswith("lab"))
    assert "lab.example" in lab
    assert "LAB_KEY is set" in lab
    assert "OPENAI_API_KEY is not set" in found.stdout
    assert "did you mean model" in found.stdout
    assert "hunter2" not in found.output


def test_the_embedded_judge_says_what_it_is_and_how_often_it_is_right() -> None:
    found = run("embedded", "--claims", "24")
    assert found.exit_code == 0
    assert "heuristic" in found.stdout
    assert "weak outside English" in found.stdout
    assert "kappa" in found.stdout
    assert "24 gold claims (heldout)" in found.stdout


def test_two_judges_side_by_side() -> None:
    with fake_judge() as server:
        found = run("embedded", f"openai:fake@{server.url}", "--strategy", "rubric", "--claims", "9")
        calls = server.stats()["calls"]
    assert found.exit_code == 0
    assert calls == 10
    line = next(line for line in found.stdout.splitlines() if line.startswith("supported or not"))
    assert line.count("/9)") == 2


def test_auto_tries_both_strategies_and_keeps_the_better_for_later_runs() -> None:
    with fake_judge() as server:
        spec = f"openai:fake-yes@{server.url}"
        assert run(spec, "--claims", "0").stdout.rstrip().splitlines()[0].endswith("strategy claims")
        Path("ragtui.toml").write_text(f'[judges.odd]\nmodel = "fake"\nbase_url = "{server.url}"\n')
        found = run("odd", "--claims", "9")
        assert found.exit_code == 0
        head = next(line for line in found.stdout.splitlines() if "odd rubric" in line)
        assert "odd claims" in head
        assert "rubric: right on" in found.stdout, "it answers no yes-or-no question in a usable way"
        assert "not to be trusted" in found.stdout
        assert run("odd", "--claims", "0").stdout.splitlines()[0].endswith("strategy rubric")
        assert "strategy claims" in run("odd", "--claims", "0", "--strategy", "claims").stdout
    Path(".ragtui/judge_checks.json").write_text("[broken")
    assert "claims" in next(line for line in run().stdout.splitlines() if line.startswith("odd"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nosuch"], "there is no judge"),
        (["openai:gpt-5"], "OPENAI_API_KEY"),
        (["openai:m@http://127.0.0.1:9/v1"], "connection refused"),
        (["embedded", "--strategy", "best"], "there is no strategy"),
        (["embedded", "--part", "all"], "heldout or tuning"),
    ],
)
def test_what_is_wrong_is_one_line_and_status_2(arguments: list[str], said: str) -> None:
    found = run(*arguments)
    assert found.exit_code == 2
    assert said in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1
