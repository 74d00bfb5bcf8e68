"""Small faulty inputs from public reports: each must give exactly the findings and values that its case.toml states."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tests.datasets.json_case_values  # noqa: F401  declares more checks
from ragtui.datasets.check import Opened, open_datasets
from ragtui.datasets.files import file_names
from ragtui.datasets.findings import Finding, Level
from ragtui.datasets.formats import ReadOptions
from tests.datasets.case_values import CHECKS, Case

CASES = Path(__file__).parent.parent / "cases"
KINDS = {"encoding", "csv", "jsonl", "values", "ids", "beir", "offsets", "files", "schema", "mapping", "xlsx", "ui"}

# What a case calls its profile: the format it is read as, and the platform it is judged for.
PROFILES = {
    "azure-jsonl": ("azure", None),
    "azure-csv": ("azure", None),
    "evalscope": ("beir", "evalscope"),
    "deepset-rag-with-context": ("deepset-retrieval", None),
}
MAPPINGS = {"mapping.toml", "eval_config.json"}

# A case that allows a warning it does not state: (case, line). 05 is a set of which only the queries are there.
ALLOWED = {("09", 4), ("05", 0)}

# A case that allows two levels, of which one was chosen: (case, file, line).
CHOSEN = {("43", "qrels.jsonl", 2): "error"}

# Cases whose columns say nothing: the format is the one asked for.
NAMELESS = {"65"}


def load(folder: Path) -> Case:
    toml = tomllib.loads((folder / "case.toml").read_text("utf-8"))
    format, platform = PROFILES.get(toml["profile"], (toml["profile"], None))
    files = toml["files"]
    names = None
    if (folder / "workspace").is_dir():
        names = file_names(folder / "workspace")
        files = [file for file in files if not file.startswith("workspace")]
    mapping = next((folder / file for file in files if file in MAPPINGS), None)
    paths = [str(folder)] if format == "beir" else [str(folder / file) for file in files if file not in MAPPINGS]
    return Case(folder, toml, tuple(paths), format, ReadOptions(platform=platform, files=names, mapping=mapping))


def dataset_cases() -> Iterator[Any]:
    for folder in sorted(CASES.iterdir()):
        if (folder / "case.toml").is_file():
            case = load(folder)
            if case.kind in KINDS:
                yield pytest.param(case, id=folder.name)


@pytest.fixture(scope="module")
def opened_cases() -> dict[Path, Opened]:
    return {}


@pytest.fixture
def opened(case: Case, opened_cases: dict[Path, Opened]) -> Opened:
    if case.folder not in opened_cases:
        opened_cases[case.folder] = open_datasets(case.paths, case.options, case.format)
    return opened_cases[case.folder]


def stated_in(case: Case) -> list[dict[str, Any]]:
    """The findings a case states, with the level that was chosen where it allows two."""
    number = case.toml["id"]
    return [
        {**stated, "level": CHOSEN.get((number, stated["file"], stated["line"]), stated["level"])}
        for stated in case.toml.get("finding", [])
    ]


def matches(finding: Finding, stated: dict[str, Any]) -> bool:
    return (
        finding.file == stated["file"]
        and finding.line == stated["line"]
        and finding.level.value == stated["level"]
        and stated.get("column") in (None, finding.field)
        and stated.get("row") in (None, finding.row)
        and stated.get("sheet") in (None, finding.sheet)
        and stated.get("cell") in (None, finding.cell)
    )


@pytest.mark.parametrize("case", dataset_cases())
def test_every_stated_finding_is_there(case: Case, opened: Opened) -> None:
    left = list(opened.findings())
    for stated in stated_in(case):
        found = next((finding for finding in left if matches(finding, stated)), None)
        assert found is not None, f"no finding for {stated}; there are {left}"
        left.remove(found)


@pytest.mark.parametrize("case", dataset_cases())
def test_no_other_error_or_warning_is_there(case: Case, opened: Opened) -> None:
    left = list(opened.findings())
    for stated in stated_in(case):
        left.remove(next(finding for finding in left if matches(finding, stated)))
    if case.toml["severity"] == "none":
        assert not left
    assert not [finding for finding in left if finding.level is Level.ERROR]
    warnings = [finding for finding in left if finding.level is Level.WARNING]
    assert not [finding for finding in warnings if (case.toml["id"], finding.line) not in ALLOWED]


@pytest.mark.parametrize("case", dataset_cases())
def test_every_stated_value_holds(case: Case, opened: Opened) -> None:
    for name, value in case.toml.get("value", {}).items():
        CHECKS[name](value, opened, case)


@pytest.mark.parametrize("case", [param for param in dataset_cases() if param.values[0].toml.get("offset")])
def test_right_offsets_are_named(case: Case, opened: Opened) -> None:
    for stated in case.toml["offset"]:
        told = [finding for finding in opened.findings() if finding.line == stated["line"]]
        assert bool(told) != stated["ok"]
        for finding in told:
            assert f"{stated['right_start']}..{stated['right_end']}" in finding.message
            assert repr(stated["slice"]) in finding.message


@pytest.mark.parametrize("case", [param for param in dataset_cases() if param.values[0].toml.get("name")])
def test_near_file_names_are_explained(case: Case, opened: Opened) -> None:
    for stated in case.toml["name"]:
        told = [finding.message for finding in opened.findings() if finding.line == stated["line"]]
        if stated["difference"] in ("exact", "not given"):
            assert not told
        elif stated["suggestion"] and stated["difference"] != "normalisation":
            assert f'did you mean "{stated["suggestion"]}" (differs in {stated["difference"]})' in told[0]


@pytest.mark.parametrize("case", [param for param in dataset_cases() if param.values[0].toml["id"] not in NAMELESS])
def test_the_format_is_found_without_being_named(case: Case) -> None:
    sniffed = open_datasets(case.paths, case.options)
    assert {dataset.format for dataset in sniffed.datasets} == {case.format}
