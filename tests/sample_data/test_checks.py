"""What the doctor says of the sample data: nothing wrong with the sound sets, every planted fault in the broken ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragtui.datasets.check import open_datasets
from ragtui.datasets.files import file_names
from ragtui.datasets.findings import Level
from ragtui.datasets.formats import ReadOptions

SAMPLES = Path(__file__).parents[2] / "sample_data"
ARTICLES = SAMPLES / "support-desk" / "articles"

SOUND = {
    "support-desk/support.jsonl": ("azure", 60),
    "support-desk/answers_v1.jsonl": ("azure", 60),
    "support-desk/answers_v2.jsonl": ("azure", 60),
    "deepset-qa.csv": ("deepset-qa", 29),
    "deepset-retrieval.csv": ("deepset-retrieval", 29),
    "deepset-rag.csv": ("deepset-rag", 28),
    "beir": ("beir", 86),
    "azure.jsonl": ("azure", 20),
    "pinecone.json": ("pinecone", 14),
    "cases.csv": ("table", 18),
    "cases.xlsx": ("table", 16),
}

BROKEN: dict[str, set[tuple[int | str, ...]]] = {
    "answers.jsonl": {(3, "ID202"), (5, "AZ106"), (6, "JSON005"), (8, "JSON008")},
    "azure.jsonl": {(1, "JSON003")},
    "beir": {
        ("corpus.jsonl", 3, "BEIR102"), ("corpus.jsonl", 7, "JSON001"), ("corpus.jsonl", 12, "BEIR103"),
        ("queries.jsonl", 5, "BEIR102"), ("queries.jsonl", 7, "BEIR101"),
        ("qrels.jsonl", 4, "BEIR105"), ("qrels.jsonl", 9, "BEIR206"), ("qrels.jsonl", 21, "BEIR202"),
        ("qrels.jsonl", 22, "BEIR203"), ("qrels.jsonl", 23, "BEIR205"),
    },
    "cases.csv": {(1, "CSV003"), (2, "TEXT003"), (4, "CSV005")},
    "deepset-qa.csv": {
        (2, "FILE102"), (3, "DS301"), (5, "DS301"), (6, "DS301"), (7, "FILE102"), (14, "DS301"), (15, "FILE103"),
        (16, "FILE102"), (17, "DS402"),
    },
    "pinecone.json": {(7, "PC101"), (17, "PC102")},
}  # fmt: skip
"""Faults planted on purpose, by line and rule. A broken id also breaks what refers to it: those findings come on top."""


def options() -> ReadOptions:
    return ReadOptions(files=file_names(ARTICLES))


def test_the_table_names_every_sample() -> None:
    there = {path.relative_to(SAMPLES).as_posix() for path in SAMPLES.glob("*.*")}
    there |= {path.relative_to(SAMPLES).as_posix() for path in SAMPLES.glob("support-desk/*.jsonl")}
    assert there | {"beir"} == {*SOUND, "README.md", "ragtui.toml"}


@pytest.mark.parametrize("path", SOUND)
def test_a_sound_set_is_recognised_and_nothing_is_wrong_with_it(path: str) -> None:
    opened = open_datasets([str(SAMPLES / path)], options())
    assert [(each.format, each.rows) for each in opened.datasets] == [SOUND[path]]
    assert [each for each in opened.findings() if each.level is not Level.INFO] == []


@pytest.mark.parametrize("path", BROKEN)
def test_every_planted_fault_is_found_on_its_line(path: str) -> None:
    opened = open_datasets([str(SAMPLES / "broken" / path)], options())
    folder = path == "beir"
    found: set[tuple[int | str, ...]] = {
        (*((each.file,) if folder else ()), each.line, each.code) for each in opened.findings()
    }
    assert found >= BROKEN[path]


def test_a_single_file_has_no_finding_that_was_not_planted() -> None:
    for path in (name for name in BROKEN if name != "beir"):
        opened = open_datasets([str(SAMPLES / "broken" / path)], options())
        errors: set[tuple[int | str, ...]] = {
            (each.line, each.code) for each in opened.findings() if each.level is not Level.INFO
        }
        assert errors - {(1, "CSV002")} <= BROKEN[path], path
