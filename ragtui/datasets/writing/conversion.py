"""A dataset written in another format, whatever it is read from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragtui.datasets.dataset import Dataset, Shape
from ragtui.datasets.discover import CannotOpen
from ragtui.datasets.mapping import unresolved
from ragtui.datasets.references import MappingError, parse_reference
from ragtui.datasets.writing import writers
from ragtui.datasets.writing.cases import INPUTS, written_cases


def convert(dataset: Dataset, target: Path, to: str, mapping: Mapping[str, str]) -> list[str]:
    """Writes a dataset in the format ``to``; ``mapping`` gives references by metric input. Returns a line for each thing
    that is lost (``lost: …``) or was read from a column of another name.

    Raises:
        CannotOpen: an input or a column is not there, or the format cannot hold these cases at all.
        OSError: the target cannot be written.
    """
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
