"""A planted key is looked for in everything that ragtui writes, prints or draws: it must be nowhere, even if echoed."""

from __future__ import annotations

import asyncio
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ragtui.cli import root
from ragtui.experiments.store import Store
from ragtui.workspace import Workspace
from tests.experiments.test_resume import write_cases
from tests.judges.servers import Canned, canned, score
from tests.tui.driving import press, running, screen_text

KEY = "sk-planted-5d20b7f1c94e"
EXPORTS = ("e.json", "e.md", "e.xml", "e.html", "e.csv", "e.xlsx")


def command(*arguments: str) -> str:
    found = CliRunner().invoke(root, list(arguments))
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    return found.output


def runs(folder: Path, url: str) -> list[str]:
    """Everything that is printed by a judge that is listed and tried, runs good and bad, reports and exports."""
    text = f'[judges.lab]\nmodel = "fake"\nbase_url = "{url}"\nkey_env = "LAB_KEY"\n'
    (folder / "ragtui.toml").write_text(text)
    run = ["run", "desk.jsonl", "--metrics", "groundedness,relevance", "--judge", "lab", "--strategy", "rubric"]
    printed = [command("judge"), command("judge", "lab", "--claims", "0")]
    printed.append(command(*run, "--yes", "--scores", "scores.jsonl", "--report", "r.md"))
    printed += [command("show", "last"), *(command("export", "last", name) for name in EXPORTS)]
    printed.append(command(*run[:4], "--judge", f"openai:shut@{url}"))
    printed.append(
        command("run", "desk.jsonl", "--metrics", "relevance", "--judge", f"openai:m@http://u:{KEY}@127.0.0.1/v1")
    )
    return printed


async def test_no_key_in_any_file_print_or_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_cases(tmp_path, 4)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LAB_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    echoed = 0

    def answer(body: dict[str, Any], number: int) -> Canned:
        nonlocal echoed
        echoed += 1
        if body["model"] == "shut":
            return Canned(status=401, error={"message": f"Incorrect API key provided: {KEY}."})
        if number % 5 == 3:
            return Canned(f"Authorization: Bearer {KEY} was sent with it; I give no verdict.")
        if number % 5 == 4:
            return Canned(status=400, error={"message": f"the header held {KEY}"})
        return score(4, f"As your key {KEY} says.")

    async with canned(answer) as server:
        printed = await asyncio.to_thread(runs, tmp_path, server.url)
        assert any(each.get("authorization") == f"Bearer {KEY}" for each in server.headers), "the key is used"
        shown = []
        async with running(tmp_path) as (app, pilot):
            await press(app, pilot, "3")
            shown.append(screen_text(app))
            await press(app, pilot, "J")
            shown += [screen_text(app), app.export_screenshot()]
            await press(app, pilot, "escape", "4", "enter", "p")
            shown += [screen_text(app), app.export_screenshot()]
    assert echoed > 8
    assert "key was refused" in "".join(printed)
    assert "•••" in "".join(printed), "what was echoed is there, without the key"
    for text in (*printed, *shown):
        assert KEY not in text
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert {each.suffix for each in files} >= {".toml", ".sqlite", ".jsonl", ".html", ".xlsx", ".parquet"}
    for path in files:
        assert KEY.encode() not in path.read_bytes(), path
        if path.suffix == ".xlsx":
            with zipfile.ZipFile(path) as book:
                assert all(KEY.encode() not in book.read(name) for name in book.namelist()), path
    with Store.open(Workspace.open(tmp_path)) as store:
        for entry in store.list():
            results = store.results(entry.id)
            for case_id in results.cases["case_id"]:
                assert KEY not in repr(results.detail(case_id)), "squeezed texts are looked into as well"
