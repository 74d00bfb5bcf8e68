"""A dataset written in another format, whatever it is read from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from ragtui.datasets.dataset import Dataset, Shape
from ragtui.datasets.discover import CannotOpen
from ragtui.datasets.mapping import unresolved
from ragtui.datasets.references import MappingError, parse_reference
from ragtui.datasets.writing import writers
from ragtui.datasets.writing.cases import INPUTS, written_cases

_OF_DATA: Final = frozenset(
    [
        ".csv",
        ".tsv",
        ".tab",
        ".json",
        ".jsonl",
        ".ndjson",
        ".xlsx",
        ".xlsm",
        ".xls",
        ".ods",
        ".parquet",
        ".arrow",
        ".feather",
        ".zip",
        ".gz",
        ".bz2",
        ".xz",
        ".zst",
    ]
)


def convert(dataset: Dataset, target: Path, to: str, mapping: Mapping[str, str]) -> list[str]:
    """Writes a dataset in the format ``to``; ``mapping`` gives references by metric input. Returns a line for each thing
    that is lost (``lost: …``) or was read from a column of another name.

    Raises:
        CannotOpen: an input or a column is not there, the format cannot hold these cases at all, or the target's ending
            stands for another kind of file.
        OSError: the target cannot be written.
    """
    refuse_ending(target, to, writers()[to].endings)
    for name, reference in mapping.items():
        if name not in INPUTS:
            raise CannotOpen(f"{name}={reference}: there is no input {name!r}; known are {', '.join(INPUTS)}")
        try:
            why = unresolved(dataset, parse_reference(reference)) if dataset.cases is not None else None
        except MappingError as error:
            raise CannotOpen(f"{name}={reference}: {error}") from error
        if why is not None:
            raise CannotOpen(f"{name}={reference}: {why}")
    if to == "beir" and dataset.shape is Shape.RETRIEVAL:
        from ragtui.datasets.writing.beir import WRITER

        return [f"lost: {line}" for line in WRITER.write_set(dataset, target)]
    cases = written_cases(dataset, mapping)
    if not cases.has("query"):
        raise CannotOpen(f"{dataset.path}: no column asks; say which with query=COLUMN")
    lost = writers()[to].write(cases, target)
    notes = [note if "read from" in note else f"lost: {note}" for note in cases.notes]
    return [*notes, *(f"lost: {line}" for line in lost)]


def refuse_ending(target: Path, to: str, endings: Sequence[str]) -> None:
    """Makes sure that a name does not promise another kind of file than is written; no ``endings`` stands for a folder.

    Raises:
        CannotOpen: it does.
    """
    ending = target.suffix.lower()
    if ending not in _OF_DATA or ending in endings or target.is_dir():
        return
    written = f"{', '.join(endings[:-1])} or {endings[-1]}" if len(endings) > 1 else "".join(endings)
    raise CannotOpen(f"{target}: {to} is written as {written or 'a folder'}, not as {ending}; name it so")
