"""Matching labels' file names with files: exact, or near with the reason why."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.datasets.check import open_dataset
from ragtui.datasets.files import FileIndex, FilesError, MatchState, difference, file_names
from ragtui.datasets.formats import ReadOptions

NAMES = [
    "Rates 2026.TXT",
    "opening-hours.md",
    "pier map.txt",
    unicodedata.normalize("NFD", "Gebühren.txt"),
    "Ferry_Plan.pdf",
]


@pytest.mark.parametrize(
    ("label", "name", "why"),
    [
        ("rates 2026.txt", "Rates 2026.TXT", "case"),
        ("opening-hours.txt", "opening-hours.md", "extension"),
        ("Opening-hours.txt", "opening-hours.md", "extension and case"),
        ("pier map.txt ", "pier map.txt", "trailing space"),
        (" pier map.txt", "pier map.txt", "leading space"),
        ("pier  map.txt", "pier map.txt", "inner spaces"),
        ("docs/opening-hours.md", "opening-hours.md", "path prefix"),
        ("docs\\opening-hours.md", "opening-hours.md", "path prefix"),
        ("opening_hours.md", "opening-hours.md", "spelling"),
        ("openning-hours.md", "opening-hours.md", "spelling"),
        ("Ferry Plan.pdf", "Ferry_Plan.pdf", "spelling"),
        ("docs/Pier map.txt ", "pier map.txt", "path prefix and trailing space and case"),
    ],
)
def test_the_nearest_name_and_why(label: str, name: str, why: str) -> None:
    match = FileIndex(NAMES).match(label)
    assert match.state is MatchState.CANDIDATES_FOUND
    assert match.candidates[0].name == name
    assert match.candidates[0].difference == why


def test_the_four_states() -> None:
    index = FileIndex(NAMES)
    assert index.match("opening-hours.md").state is MatchState.MATCHED
    assert index.match("opening-hours.MD").state is MatchState.CANDIDATES_FOUND
    assert index.match("lost.txt").state is MatchState.NO_MATCH
    assert index.match("").state is MatchState.NOT_STARTED


def test_another_unicode_form_is_a_match_and_says_so() -> None:
    match = FileIndex(NAMES).match("Gebühren.txt")
    assert match.state is MatchState.MATCHED
    assert match.normalised
    assert match.file == NAMES[3]


@given(st.sampled_from(NAMES), st.text(max_size=3), st.integers(0, 20))
@settings(max_examples=200, deadline=None)
def test_no_label_is_matched_that_is_not_the_name(name: str, added: str, place: int) -> None:
    label = name[:place] + added + name[place:]
    match = FileIndex(NAMES).match(label)
    if match.state is MatchState.MATCHED:
        assert unicodedata.normalize("NFC", label) == unicodedata.normalize("NFC", match.file or "")
    for candidate in match.candidates:
        assert difference(label, candidate.name) != "nothing"


def test_names_come_from_a_folder_or_a_listing(tmp_path: Path) -> None:
    (tmp_path / "files" / "deep").mkdir(parents=True)
    (tmp_path / "files" / ".git").mkdir()
    for name in ("b.txt", "deep/a.txt", ".hidden", ".git/config"):
        (tmp_path / "files" / name).touch()
    (tmp_path / "list.txt").write_bytes(b"\xef\xbb\xbfb.txt\r\n\r\na.txt\r\n")
    assert file_names(tmp_path / "files") == ("a.txt", "b.txt")
    assert file_names(tmp_path / "list.txt") == ("b.txt", "a.txt")


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe"])
def test_names_that_cannot_be_read_say_why(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "list.txt").write_bytes(content)
    with pytest.raises(FilesError):
        file_names(tmp_path / "list.txt")


def test_ten_thousand_unknown_labels_against_ten_thousand_files_end_soon(tmp_path: Path) -> None:
    rows = "".join(f"Question {number}?,unknown-{number:05}.txt\n" for number in range(10_000))
    (tmp_path / "labels.csv").write_text("question,file_name\n" + rows)
    names = tuple(f"document {number:05} of the archive.md" for number in range(10_000))
    _, report = open_dataset(str(tmp_path / "labels.csv"), options=ReadOptions(files=names, select=("FILE",)))
    assert sum(report.counts.values()) == 10_000


def test_without_names_nothing_is_matched(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("question,context,file_name\nQ?,A context.,nowhere.txt\n")
    _, report = open_dataset(str(tmp_path / "labels.csv"))
    assert not [finding for finding in report.findings if finding.code.startswith("FILE")]
