"""Matching the labels of a dataset with files: four states, what a person picked, and what becomes of it when files change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from ragtui.datasets.containers import reading_of
from ragtui.datasets.containers.table import LINE, Table
from ragtui.datasets.dataset import Dataset
from ragtui.datasets.discover import split_sheet
from ragtui.datasets.files import Candidate, FileIndex, FileMatch, MatchState
from ragtui.datasets.findings import Edit
from ragtui.datasets.fixes.edits import apply
from ragtui.datasets.formats import Source
from ragtui.datasets.near_names import plain_name
from ragtui.workspace import Workspace, write_atomically

_COLUMNS: Final = (
    "file_name",
    "filename",
    "file",
    "expected_file_name",
    "gold_file_name",
    "expected_file",
    "expected_article",
)
_SEARCHED: Final = 2_000


class MatchingError(Exception):
    """Labels cannot be matched; the message is one line."""


@dataclass(frozen=True)
class Label:
    """One file name that labels use, in how many ``rows``, first at ``line``. ``file`` is what it is matched with: the file of
    that name, or the one a person ``picked``. ``rejected``: a person said that none of the candidates is it. ``reset``: an
    earlier pick or rejection no longer stands, because the files changed."""

    label: str
    rows: int
    line: int
    state: MatchState
    file: str | None = None
    candidates: tuple[Candidate, ...] = ()
    picked: bool = False
    rejected: bool = False
    reset: bool = False


@dataclass(frozen=True)
class Matching:
    """The labels of one dataset against the files named by ``files`` (a folder or a listing; empty: not started).
    ``added`` and ``removed`` are names since it was last saved."""

    dataset: str
    column: str
    files: str = ""
    labels: tuple[Label, ...] = ()
    names: tuple[str, ...] = field(default=(), repr=False)
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def counts(self) -> dict[MatchState, int]:
        """How many labels are in each state, all four of them."""
        return {state: sum(label.state is state for label in self.labels) for state in MatchState}

    def label(self, name: str) -> Label:
        """
        Raises:
            MatchingError: no label is called so.
        """
        found = next((each for each in self.labels if each.label == name), None)
        if found is None:
            raise MatchingError(f"no label names the file {name!r}")
        return found

    def with_pick(self, name: str, file: str) -> Matching:
        """The label matched with ``file``.

        Raises:
            MatchingError: there is no such label, or no such file.
        """
        label = self.label(name)
        if file not in self.names:
            near = FileIndex(self.names).match(file).candidates
            raise MatchingError(f"there is no file {file!r}" + (f"; nearest is {near[0].name!r}" if near else ""))
        return self._with(replace(label, state=MatchState.MATCHED, file=file, picked=True, rejected=False, reset=False))

    def with_rejection(self, name: str) -> Matching:
        """The label with none of its candidates.

        Raises:
            MatchingError: there is no such label.
        """
        label = self.label(name)
        return self._with(
            replace(label, state=MatchState.NO_MATCH, file=None, picked=False, rejected=True, reset=False)
        )

    def without_pick(self, name: str) -> Matching:
        """The label as if nobody had picked or rejected anything.

        Raises:
            MatchingError: there is no such label.
        """
        label = self.label(name)
        return self._with(_fresh(label.label, label.rows, label.line, FileIndex(self.names).match(label.label)))

    def with_best(self, least: float) -> Matching:
        """Every label with candidates matched with the best of them, where that alone scores ``least`` or more."""
        found = self
        for label in self.labels:
            best = label.candidates[:2]
            alone = bool(best) and (len(best) < 2 or best[0].score > best[1].score)
            if label.state is MatchState.CANDIDATES_FOUND and alone and best[0].score >= least:
                found = found.with_pick(label.label, best[0].name)
        return found

    def _with(self, label: Label) -> Matching:
        return replace(self, labels=tuple(label if each.label == label.label else each for each in self.labels))


def label_column(dataset: Dataset) -> str | None:
    """The column whose cells name files."""
    known = dataset.fields.get("gold_file_name")
    if known is not None:
        return known
    by_plain = {plain_name(column.name): column.name for column in reversed(dataset.columns)}
    return next((by_plain[name] for name in _COLUMNS if name in by_plain), None)


def matching_of(dataset: Dataset, names: Sequence[str] | None, files: str, saved: Matching | None = None) -> Matching:
    """The labels of a dataset against ``names``; without any nothing is started. What was saved still stands where the
    files it speaks of are as they were.

    Raises:
        MatchingError: no column names files.
    """
    table, column = _table(dataset)
    counted: dict[str, tuple[int, int]] = {}
    for row, text in table.rows_where(~table.empty(column), column):
        rows, line = counted.get(text, (0, int(table.frame[LINE][row])))
        counted[text] = (rows + 1, line)
    if names is None:
        labels = [Label(text, rows, line, MatchState.NOT_STARTED) for text, (rows, line) in counted.items()]
        return Matching(dataset.path, column, "", tuple(labels))
    index = FileIndex(names)
    before = {} if saved is None else {each.label: each for each in saved.labels}
    there = set(index.names)
    found = []
    for number, (text, (rows, line)) in enumerate(counted.items()):
        fresh = _fresh(text, rows, line, index.match(text, search=number < _SEARCHED))
        found.append(_kept(fresh, before.get(text), there))
    known = set(saved.names) if saved is not None else there
    return Matching(
        dataset.path, column, files, tuple(found), tuple(index.names),
        tuple(name for name in index.names if name not in known),
        tuple(name for name in (saved.names if saved is not None else ()) if name not in there),
    )  # fmt: skip


def _fresh(text: str, rows: int, line: int, match: FileMatch) -> Label:
    return Label(text, rows, line, match.state, match.file, match.candidates)


def _kept(fresh: Label, before: Label | None, there: set[str]) -> Label:
    """What a person said before, where it still can be so."""
    if before is None or not (before.picked or before.rejected):
        return fresh
    if before.picked and before.file in there:
        return replace(fresh, state=MatchState.MATCHED, file=before.file, picked=True)
    same = {each.name for each in fresh.candidates} <= {each.name for each in before.candidates}
    if before.rejected and fresh.state is not MatchState.MATCHED and same:
        return replace(fresh, state=MatchState.NO_MATCH, rejected=True)
    return replace(fresh, reset=True)


def mended(dataset: Dataset, matching: Matching) -> tuple[bytes, int]:
    """The dataset's file with the names of the files written into its labels, and how many cells that changes.

    Raises:
        MatchingError: the file cannot be edited (a workbook, or not UTF-8).
    """
    table, column = _table(dataset)
    files = {each.label: each.file for each in matching.labels if each.file is not None and each.file != each.label}
    edits: list[Edit] = []
    changed = 0
    for row, text in table.rows_where(~table.empty(column), column):
        if (file := files.get(text)) is not None:
            fix = table.cell_fix(row, column, file)
            if not fix:
                raise MatchingError(
                    f"{dataset.path}: names cannot be written into it; fix its encoding, or save it as CSV"
                )
            edits.extend(fix)
            changed += 1
    return apply(table.read_bytes(), sorted(edits, key=lambda edit: edit.start)), changed


def _table(dataset: Dataset) -> tuple[Table, str]:
    column = label_column(dataset)
    source = Source(dataset.location, dataset.path, sheet=split_sheet(dataset.path)[1])
    table = None if dataset.location.is_dir() else reading_of(source).table
    if column is None or table is None or column not in table.names:
        raise MatchingError(f"{dataset.path}: no column names files (file_name)")
    return table, column


# What is kept in the workspace


def load(workspace: Workspace, dataset: Dataset) -> Matching | None:
    """What was saved for a dataset, ``None`` where nothing was.

    Raises:
        MatchingError: the file that keeps it cannot be read.
    """
    path = _place(workspace, dataset)
    if not path.is_file():
        return None
    try:
        kept = json.loads(path.read_text("utf-8"))
        labels = tuple(_label(each) for each in kept["labels"])
        return Matching(kept["dataset"], kept["column"], kept["files"], labels, tuple(kept["names"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise MatchingError(f"{path}: cannot be read ({error}); remove it to start again") from error


def save(workspace: Workspace, dataset: Dataset, matching: Matching) -> None:
    """
    Raises:
        OSError: it cannot be written.
    """
    kept = {
        "version": 1, "dataset": matching.dataset, "column": matching.column, "files": matching.files,
        "names": matching.names, "labels": [asdict(each) for each in matching.labels if each.picked or each.rejected],
    }  # fmt: skip
    write_atomically(_place(workspace, dataset), json.dumps(kept, ensure_ascii=False, indent=1) + "\n")


def forget(workspace: Workspace, dataset: Dataset) -> None:
    """Removes what was saved."""
    _place(workspace, dataset).unlink(missing_ok=True)


def _place(workspace: Workspace, dataset: Dataset) -> Path:
    where = dataset.location.resolve()
    try:
        name = where.relative_to(workspace.root).as_posix()
    except ValueError:
        name = str(where)
    digest = hashlib.sha256(f"{name}#{dataset.name}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return workspace.state / "matches" / f"{digest}.json"


def _label(kept: Mapping[str, Any]) -> Label:
    candidates: Iterable[Mapping[str, Any]] = kept["candidates"]
    return Label(
        **{**kept, "state": MatchState(kept["state"]), "candidates": tuple(Candidate(**each) for each in candidates)}
    )
