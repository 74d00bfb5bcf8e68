"""The rows of one file, whatever it was written in: what every container gives and every record format reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

LINE: Final = "_line"
ROW: Final = "_row"
RESERVED: Final = frozenset({LINE, ROW, "_case_id", "_name"})

KINDS: Final = ("absent", "null", "text", "number", "boolean", "list", "object", "date")
"""What a cell was before it became text; the categories of the ``kinds`` series, an ``Enum``."""


@dataclass(frozen=True)
class Table:
    """The records of one file or one sheet as they stand, in order. Only records that could be read are here.

    ``headers`` are the column headers (or JSON keys, in order of first appearance) exactly as written. ``names`` are the
    columns of ``frame`` for them, one to one: equal to the header, but unique (see ``unique_names``).

    ``frame`` has ``_line`` (``UInt32``: the physical line the record starts at, or the sheet row), ``_row`` (``UInt32``:
    the 1-based number of the record, unreadable ones counted too), then a column per name: ``String``, or
    ``List(String)`` where every filled cell is a list of texts. Other JSON values are their JSON text. ``""`` is an empty
    cell; null is a JSON ``null`` or a key the record does not have.

    ``kinds`` says per row what a cell was in the file, as an ``Enum`` of ``KINDS``, for every column that holds anything
    but text. A column that is not in it is all text.

    ``header_line`` is the line of the header, 0 where there is none (JSON). ``file`` is the path findings name.
    """

    path: Path
    file: str
    container: str  # "csv", "xlsx", "jsonl", "json"
    headers: tuple[str, ...]
    names: tuple[str, ...]
    frame: pl.DataFrame
    header_line: int = 0
    encoding: str = "utf-8"
    delimiter: str | None = None
    sheet: str | None = None
    kinds: Mapping[str, pl.Series] = field(default_factory=dict)
    lines: int = 0  # physical lines of the file, or rows of the sheet
    facts: Mapping[str, object] = field(default_factory=dict)  # what only this container's own rules look at

    @property
    def height(self) -> int:
        return self.frame.height

    def header_of(self, name: str) -> str:
        """The header as written for a column of ``frame``."""
        return self.headers[self.names.index(name)]

    def repeated(self) -> dict[str, list[int]]:
        """Headers used more than once, with their 1-based positions. Such a header is no name of a column."""
        return {
            header: [position for position, other in enumerate(self.headers, 1) if other == header]
            for header, count in Counter(self.headers).items()
            if count > 1 and header.strip()
        }

    def read_bytes(self) -> bytes:
        """The file's bytes as they are now, for fixes."""
        return self.path.read_bytes()


def unique_names(headers: Sequence[str]) -> tuple[str, ...]:
    """Column names for raw ``headers``: a repeated one becomes ``answer#2`` and ``answer#5`` after its positions, so that
    nobody picks one of them unawares; a blank one becomes ``#3``; a reserved one gets its position too."""
    count = Counter(headers)
    taken = {header for header in headers if count[header] == 1 and header.strip() and header not in RESERVED}
    names: list[str] = []
    for position, header in enumerate(headers, 1):
        name = header
        if header not in taken:
            name = f"{header.strip()}#{position}"
            while name in taken:
                name += "#"
            taken.add(name)
        names.append(name)
    return tuple(names)
