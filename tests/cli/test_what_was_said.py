"""What the user said of a file in ``ragtui.toml`` counts when it is read and checked: its format, and roles of columns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragtui.datasets.case_ids import hashed
from ragtui.datasets.check import open_dataset
from ragtui.datasets.dataset import Role
from ragtui.datasets.formats import ReadOptions
from ragtui.datasets.settings import save_format
from ragtui.workspace import Workspace
from tests.cli.test_check import ragtui

ROWS = [
    "nr,frage,ans_new,evidence",
    *(f'Q{n},How {n}?,So {n}.,"[""It is {n}.""]"' for n in range(4)),
]
ROLES = 'roles = { nr = "id", frage = "input", ans_new = "response", evidence = "context" }\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "coffee.csv").write_text("\n".join(ROWS) + "\n")
    return tmp_path


def said(folder: Path, text: str) -> None:
    (folder / "ragtui.toml").write_text(f'[datasets."coffee.csv"]\n{text}')


def test_roles_count_in_the_check(folder: Path) -> None:
    asked = ("check", "coffee.csv", "--format", "table")
    before = ragtui(*asked)
    assert before.returncode == 1
    assert re.findall(r"[A-Z]+\d{3}", before.stdout) == ["TBL101"]  # once, and no row "asks the same" as another
    said(folder, ROLES)
    assert ragtui(*asked).returncode == 0
    dataset, _ = open_dataset("coffee.csv", "table", ReadOptions(workspace=Workspace.open(folder)))
    assert {each.name: each.role for each in dataset.columns} == {
        "nr": Role.ID, "frage": Role.INPUT, "ans_new": Role.RESPONSE, "evidence": Role.CONTEXT,
    }  # fmt: skip
    assert dataset.fields == {"query": "frage", "response": "ans_new", "context": "evidence"}
    assert dataset.cases is not None
    assert dataset.cases["_case_id"].to_list() == ["Q0", "Q1", "Q2", "Q3"]
    assert dataset.cases["_name"].to_list()[0] == "How 0?"


def test_what_is_asked_twice_is_a_finding_only_where_it_is_known(folder: Path) -> None:
    rows = [ROWS[0], *(ROWS[1] for _ in range(2))]
    (folder / "coffee.csv").write_text("\n".join(rows) + "\n")
    assert "ID201" not in ragtui("check", "coffee.csv", "--format", "table").stdout
    said(folder, 'roles = { frage = "input" }\n')
    dataset, report = open_dataset("coffee.csv", "table", ReadOptions(workspace=Workspace.open(folder)))
    assert [each.code for each in report.findings] == ["ID201"]
    assert dataset.cases is not None
    assert dataset.cases["_case_id"].to_list()[0] == hashed(["How 0?"])


def test_a_kept_format_counts_until_another_is_chosen(folder: Path) -> None:
    assert ragtui("check", "coffee.csv").returncode == 2
    said(folder, f'format = "table"\n{ROLES}')
    assert ragtui("check", "coffee.csv").returncode == 0
    assert "1 dataset" in ragtui("check").stdout  # found by a scan, too
    assert "frage" in ragtui("run", "coffee.csv", "--plan").stdout
    assert ragtui("doctor").returncode == 0
    dataset, _ = open_dataset("coffee.csv", None, ReadOptions(workspace=Workspace.open(folder)))
    assert dataset.why.startswith("as you chose")
    workspace = save_format(Workspace.open(folder), folder / "coffee.csv", None, None)
    assert "roles" in workspace.table("datasets", "coffee.csv")
    assert ragtui("check", "coffee.csv").returncode == 2


def test_a_kept_format_counts_where_cases_are_converted_and_copied(folder: Path) -> None:
    said(folder, f'format = "table"\n{ROLES}')
    assert ragtui("convert", "coffee.csv", "out.jsonl", "--to", "azure").returncode == 0
    assert '"query": "How 0?"' in (folder / "out.jsonl").read_text()
    assert ragtui("copy", "coffee.csv", "more.jsonl").stdout.startswith("Added 4 cases")
    (folder / "ragtui.toml").write_text("[")
    assert ragtui("convert", "coffee.csv", "other.jsonl", "--to", "azure").returncode == 2


def test_a_format_that_does_not_exist_is_named_by_doctor(folder: Path) -> None:
    said(folder, 'format = "tabel"\n')
    assert "must be one of" in ragtui("doctor").stdout


def test_roles_count_for_what_is_mended(folder: Path) -> None:
    (folder / "coffee.csv").write_text("\n".join([ROWS[0].replace("frage", " frage"), *ROWS[1:]]) + "\n")
    said(folder, f'format = "table"\n{ROLES}')
    result = ragtui("check", "coffee.csv", "--fix")
    assert "TBL101" not in result.stdout
    assert (folder / "coffee.fixed.csv").read_text().startswith("nr,frage,")
