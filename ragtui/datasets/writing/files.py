"""Rows put into files: CSV, JSON lines, JSON. Text stays text, and letters beyond ASCII are written as they are."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragtui.workspace import replacing


@contextmanager
def text_to(path: Path) -> Iterator[io.TextIOWrapper]:
    """A text stream to what becomes ``path`` when all went well.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as raw:
        stream = io.TextIOWrapper(raw, encoding="utf-8", errors="replace", newline="", write_through=False)
        yield stream
        stream.flush()
        stream.detach()


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]], delimiter: str = ",") -> None:
    """Rows with LF line ends; null is an empty cell, a list its JSON."""
    with text_to(path) as stream:
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([cell(value) for value in row] for row in rows)


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """An object a line."""
    with text_to(path) as stream:
        for record in records:
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def write_list(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """One JSON list, an object a line."""
    with text_to(path) as stream:
        stream.write("[")
        for place, record in enumerate(records):
            stream.write((",\n " if place else "\n ") + json.dumps(record, ensure_ascii=False))
        stream.write("\n]\n")


def write_json(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """JSON lines where the name says so, else a list."""
    (write_lines if path.suffix.lower() in (".jsonl", ".ndjson") else write_list)(path, records)


def cell(value: Any) -> str:
    """A value as the text of a cell."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def one_text(values: Sequence[str] | None) -> str | None:
    """Several texts as one, with a blank line between; null stays null."""
    return None if values is None else "\n\n".join(values)
