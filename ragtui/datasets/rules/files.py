"""Rules about the file names of labels, matched against a folder or a listing (``--files``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ragtui.datasets.containers.table import LINE, visible
from ragtui.datasets.files import FileLabels, FileMatch
from ragtui.datasets.findings import Edit, Finding, Level, More, shown_per_rule
from ragtui.datasets.rules import rule


@rule(
    "FILE101",
    "file-name-normalised",
    Level.WARNING,
    fix="safe",
    example="Gebühren.txt with ü as one character where the file has u and ¨",
    remedy="write the name in the form the file has",
    on=FileLabels,
)
def normalised(labels: FileLabels) -> Iterator[Finding | More]:
    """The name and the file look the same but are other characters: one writes ü as one, the other as u and two dots
    (macOS does). They are matched here; a tool that compares bytes does not find the file."""
    misses = [(row, match) for row, match in labels.misses if match.normalised]
    yield from _told(labels, "FILE101", Level.WARNING, misses, _normalised_message)


def _normalised_message(match: FileMatch) -> str:
    forms = f"{len(match.label)} against {len(match.file or '')} characters"
    return f'"{visible(match.label, 80)}" matches a file only after Unicode normalisation ({forms})'


@rule(
    "FILE102",
    "file-name-near",
    Level.ERROR,
    fix="unsafe",
    example="rates 2026.txt where the file is Rates 2026.TXT",
    remedy="write the name as the file has it",
    on=FileLabels,
)
def near(labels: FileLabels) -> Iterator[Finding | More]:
    """There is no file of that name, but one whose name is near. deepset matches names exactly, so that the label stays
    without a file and its row without a score."""
    misses = [(row, match) for row, match in labels.misses if match.candidates]
    yield from _told(labels, "FILE102", Level.ERROR, misses, _near_message)


def _near_message(match: FileMatch) -> str:
    best = match.candidates[0]
    return f'no file is called "{visible(match.label, 80)}"; did you mean "{visible(best.name, 80)}" (differs in {best.difference})?'


@rule("FILE103", "file-name-unknown", Level.ERROR, remedy="add the file, or correct the name", on=FileLabels)
def unknown(labels: FileLabels) -> Iterator[Finding | More]:
    """There is no file of that name and none with a similar one."""
    misses = [(row, match) for row, match in labels.misses if not match.normalised and not match.candidates]
    yield from _told(labels, "FILE103", Level.ERROR, misses, _unknown_message)


def _unknown_message(match: FileMatch) -> str:
    return f'no file is called "{visible(match.label, 80)}", nor anything like it'


def _told(
    labels: FileLabels,
    code: str,
    level: Level,
    misses: list[tuple[int, FileMatch]],
    message: Callable[[FileMatch], str],
) -> Iterator[Finding | More]:
    for row, match in misses[: shown_per_rule()]:
        yield labels.table.finding(code, level, message(match), row, labels.column, _fix(labels, match, row))
    if len(misses) > shown_per_rule():
        yield More(code, level, len(misses) - shown_per_rule())


def _fix(labels: FileLabels, match: FileMatch, row: int) -> tuple[Edit, ...]:
    """The file's name in place of the label: safe where only the Unicode form differs, else for the user to say."""
    table = labels.table
    name = match.file if match.normalised else match.candidates[0].name if match.candidates else None
    if name is None or table.places is None:
        return ()
    line = int(table.frame[LINE][row])
    return table.places.edit(line, table.names.index(labels.column), name, match.normalised)
