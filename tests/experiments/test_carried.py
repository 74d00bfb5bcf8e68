"""An experiment carried to another machine is the experiment; a file that is not one changes nothing."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ragtui.experiments.carried import MANIFEST, read_experiment
from ragtui.experiments.plan import Side
from ragtui.experiments.store import StoreError
from ragtui.experiments.tags import remarks
from tests.experiments.command_line import Shell
from tests.experiments.making import store
from tests.experiments.test_resume import write_cases
from tests.experiments.test_shards import figures, lines


@pytest.fixture
def carried(shell: Shell) -> Path:
    """An experiment with labels, a note and a baseline, exported."""
    shell.write("desk.jsonl", [
        {"id": f"d{n}", "query": f"q {n}", "response": f"It opens at {n}.", "v1": "No idea.",
         "context": f"The archive opens at {n}.", "ground_truth": f"At {n}.", "team": "ab"[n % 2]}
        for n in range(9)
    ])  # fmt: skip
    line = ("run", "desk.jsonl", "--baseline", "recorded:v1", "--metrics", "groundedness,f1,correctness,completeness")
    assert shell(*line, "-q").status == 0
    assert shell("label", "last", "d3", "m", "--note", "14 for 21").status == 0
    assert shell("experiment", "note", "last", "the one to keep").status == 0
    said = shell("export", "last", "desk.ragtui")
    assert "`ragtui import` takes it in" in said.out
    return shell.folder / "desk.ragtui"


def test_it_is_the_same_there_and_goes_on_without_a_new_score(
    carried: Path, shell: Shell, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path_factory.mktemp("there")
    with store(there) as opened:
        opened.connection.execute("INSERT INTO calls VALUES (7,9,'candidate',0,'q',1,'j',1,1,1,0,0,0,0,NULL,NULL)")
    monkeypatch.chdir(there)
    assert "took in experiment" in shell("import", str(carried)).out
    assert lines(there) == lines(shell.folder)
    assert figures(there) == figures(shell.folder)
    with store(there, write=False) as opened, store(shell.folder, write=False) as own:
        mine, theirs = opened.results("last"), own.results("last")
        assert mine.detail("d3") == theirs.detail("d3")
        assert mine.detail("d3").labels == {"candidate": "model fault"}
        assert mine.fields().equals(theirs.fields())
        assert mine.texts(Side.BASELINE).equals(theirs.texts(Side.BASELINE))
        assert [each.note for each in remarks(opened).values()] == ["the one to keep"]
        assert mine.entry.created == theirs.entry.created
    again = shell("import", str(carried))
    assert again.status == 2
    assert "is here already; --replace" in again.err
    assert "replaced" in shell("import", "--replace", str(carried)).out
    assert lines(there) == lines(shell.folder)
    (there / "desk.jsonl").write_bytes((shell.folder / "desk.jsonl").read_bytes())
    line = ("run", "desk.jsonl", "--baseline", "recorded:v1", "--metrics", "groundedness,f1,correctness,completeness")
    assert shell(*line, "-q").status == 0
    with store(there, write=False) as opened:
        assert len(opened.list()) == 1, "it was run anew"


def rewritten(path: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(path.with_name("bad.ragtui"), "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path.with_name("bad.ragtui")


def _manifest(**change: object) -> Callable[[dict[str, bytes]], None]:
    def apply(members: dict[str, bytes]) -> None:
        members[MANIFEST] = json.dumps({**json.loads(members[MANIFEST]), **change}).encode()

    return apply


def _other_plan(members: dict[str, bytes]) -> None:
    manifest = json.loads(members[MANIFEST])
    manifest["experiment"]["plan"] = manifest["experiment"]["plan"].replace('"repeats": 1', '"repeats": 2')
    members[MANIFEST] = json.dumps(manifest).encode()


def _flipped(members: dict[str, bytes]) -> None:
    data = bytearray(members["scores/00000.parquet"])
    data[len(data) // 2] ^= 0xFF
    members["scores/00000.parquet"] = bytes(data)


def test_a_file_that_is_not_one_is_told_and_changes_nothing(carried: Path, tmp_path: Path) -> None:
    faults: list[tuple[Callable[[dict[str, bytes]], None], str]] = [
        (lambda members: members.pop(MANIFEST) and None, "has no manifest.json"),
        (_manifest(version=99), "newer ragtui"),
        (_manifest(version="1"), "not of the form"),
        (_manifest(members=[]), "not of the form"),
        (_manifest(experiment={}), "cannot be read"),
        (_other_plan, "is not that of experiment"),
        (_flipped, "is damaged"),
        (lambda members: members.update({"../../evil.py": b"x"}), "which no experiment has"),
        (lambda members: members.update({"scores/00001.parquet": b"x"}), "does not hold the members"),
        (lambda members: members.pop("cases/00000.parquet") and None, "does not hold the members"),
    ]
    there = tmp_path / "there"
    with store(there) as opened:
        for change, told in faults:
            with pytest.raises(StoreError, match=told):
                read_experiment(rewritten(carried, change), opened)
        for content in (b"", b"not a zip", carried.read_bytes()[:3000]):
            bad = tmp_path / "cut.ragtui"
            bad.write_bytes(content)
            with pytest.raises(StoreError, match="is no experiment"):
                read_experiment(bad, opened)
        with pytest.raises(StoreError, match="No such file"):
            read_experiment(tmp_path / "nowhere.ragtui", opened)
        assert opened.list() == []
        assert opened.query("SELECT 1 FROM cases") == []


def test_forged_rows_are_refused(carried: Path, tmp_path: Path) -> None:
    import hashlib
    import io

    import polars as pl

    def forged(column: str, value: object) -> Callable[[dict[str, bytes]], None]:
        def apply(members: dict[str, bytes]) -> None:
            frame = pl.read_parquet(io.BytesIO(members["scores/00000.parquet"]))
            buffer = io.BytesIO()
            frame.with_columns(pl.lit(value).alias(column)).write_parquet(buffer)
            data = members["scores/00000.parquet"] = buffer.getvalue()
            manifest = json.loads(members[MANIFEST])
            manifest["members"]["scores/00000.parquet"]["sha256"] = hashlib.sha256(data).hexdigest()
            members[MANIFEST] = json.dumps(manifest).encode()

        return apply

    with store(tmp_path / "there") as opened:
        for column, value, told in (
            ("state", "splendid", "holds a state that there is not"),
            ("metric", "elsewhere", "holds a metric that there is not"),
            ("score", "five", "is not of its kind"),
            ("extra", 1, "does not have the columns"),
        ):
            with pytest.raises(StoreError, match=told):
                read_experiment(rewritten(carried, forged(column, value)), opened)
        assert opened.list() == []


def test_one_that_was_interrupted_goes_on_there(shell: Shell, tmp_path_factory: pytest.TempPathFactory) -> None:
    write_cases(shell.folder, 8)
    line = ("run", "desk.jsonl", "--metrics", "groundedness,f1", "-q")
    assert shell(*line).status == 0
    with store(shell.folder) as opened:
        opened.connection.execute("DELETE FROM scores WHERE position > 3")
        opened.connection.execute("UPDATE experiments SET status = 'interrupted', summary = NULL")
    assert shell("export", "last", "half.ragtui").status == 0
    there = tmp_path_factory.mktemp("there")
    with store(there) as opened:
        found = read_experiment(shell.folder / "half.ragtui", opened)
        assert (found.status, found.cells) == ("interrupted", 8)
        assert opened.entry("last").resumable
