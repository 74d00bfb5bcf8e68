"""The rows of one file, whatever it was written in: what every container gives and every record format reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from ragtui.datasets.findings import Edit, Finding, Level, More, shown_per_rule

if TYPE_CHECKING:
    import polars as pl

LINE: Final = "_line"
ROW: Final = "_row"
RESERVED: Final = frozenset({LINE, ROW, "_case_id", "_name"})

KINDS: Final = ("absent", "null", "text", "number", "boolean", "list", "object", "date")
"""What a cell was before it became text; the categories of the ``kinds`` series, an ``Enum``."""

Value = TypeVar("Value")


class Places(Protocol):
    """Where cells lie in the file's bytes; ``line`` is the record's (or the header's) first line, ``position`` 0-based."""

    def column(self, line: int, position: int) -> int:
        """The 1-based code point at which the cell starts in that very line; 0 where it starts in a later line."""
        ...

    def edit(self, line: int, position: int, text: str, safe: bool = True) -> tuple[Edit, ...]:
        """The edit that writes ``text`` into the cell; none where that cannot be done."""
        ...

    def rename(self, line: int, position: int, text: str, safe: bool = True) -> tuple[Edit, ...]:
        """The edit that calls the cell's key ``text`` in this record; none where records have no keys of their own."""
        ...


@dataclass(frozen=True)
class Table:
    """The records of one file or one sheet as they stand, in order. Only records that could be read are here.

    ``headers`` are the column headers (or JSON keys, in order of first appearance) exactly as written. ``names`` are the
    columns of ``frame`` for them, one to one: equal to the header, but unique (see ``unique_names``).

    ``frame`` has ``_line`` (``UInt32``: the physical line the record starts at, or the sheet row), ``_row`` (``UInt32``:
    the 1-based number of the record, unreadable ones counted too), then a column per name: ``String``, or
    ``List(String)`` where every filled cell is a list of texts. Other JSON values are their JSON text. ``""`` is an empty
    cell; null is a JSON ``null``, a key the record does not have, or a workbook's cell whose value nobody knows.

    ``kinds`` says per row what a cell was in the file, as an ``Enum`` of ``KINDS``, for every column that holds anything
    but text. A column that is not in it is all text.

    ``header_line`` is the line of the header, 0 where there is none (JSON). ``file`` is the path findings name. ``plain``
    says that the whole file is printable ASCII and line ends; ``absent`` names what else it is known not to hold anywhere:
    ``controls``, ``lost`` letters (U+FFFD), ``doubled`` encodings.
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
    plain: bool = False
    absent: frozenset[str] = frozenset()
    places: Places | None = None
    facts: Mapping[str, object] = field(default_factory=dict)  # what only this container's own rules look at

    @property
    def height(self) -> int:
        return self.frame.height

    def may_hold(self, what: str) -> bool:
        """Whether a rule need look for ``controls``, ``lost`` letters or ``doubled`` encodings at all."""
        return not self.plain and what not in self.absent

    def header_of(self, name: str) -> str:
        """The header as written for a column of ``frame``."""
        return self.headers[self._places[name]]

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def repeated(self) -> dict[str, list[int]]:
        """Headers used more than once, with their 1-based positions. Such a header is no name of a column."""
        return {
            header: [position for position, other in enumerate(self.headers, 1) if other == header]
            for header, count in Counter(self.headers).items()
            if count > 1 and header.strip()
        }

    def text(self, name: str) -> pl.Expr:
        """A column as one text a row, lists joined by line feeds."""
        import polars as pl

        column = pl.col(name)
        return column.list.join("\n") if isinstance(self._types[name], pl.List) else column

    def type_of(self, name: str) -> pl.DataType:
        """What a column of ``frame`` holds."""
        return self._types[name]

    @cached_property
    def _types(self) -> Mapping[str, pl.DataType]:
        return dict(self.frame.schema)  # which a frame makes anew whenever it is asked

    def empty(self, name: str) -> pl.Expr:
        """Where a cell is there but holds nothing but white space. Null is not empty: it is unknown or absent."""
        return ~self.text(name).str.contains(r"\S")

    def filled(self, name: str) -> int:
        """How many rows have more than white space in a column."""
        return self._filled[name]

    @cached_property
    def _filled(self) -> dict[str, int]:
        if not self.names:
            return {}
        counts = self.frame.select((~self.empty(name)).sum().alias(name) for name in self.names).row(0)
        return dict(zip(self.names, (int(count or 0) for count in counts), strict=True))

    def rows_where(self, predicate: pl.Expr, name: str) -> Iterator[tuple[int, str]]:
        """The 0-based index and the text of ``name`` of every row for which ``predicate`` holds."""
        import polars as pl

        hits = (
            self.frame.lazy()
            .select(pl.int_range(pl.len()), self.text(name), predicate.alias("_"))
            .filter(pl.col("_"))
            .collect()
        )
        for index, text, _ in hits.iter_rows():
            yield index, text

    def finding(
        self, code: str, level: Level, message: str, index: int, name: str | None = None, fix: tuple[Edit, ...] = ()
    ) -> Finding:
        """A finding at a row, and at its cell in column ``name``."""
        line = int(self.frame[LINE][index])
        column, cell, header = 0, None, None
        if name is not None:
            position = self.names.index(name)
            header = self.headers[position]
            column = self.places.column(line, position) if self.places else 0
            cell = f"{column_letters(position)}{line}" if self.container == "xlsx" else None
        return Finding(
            code, level, message, line=line, column=column, field=header, row=int(self.frame[ROW][index]),
            sheet=self.sheet, cell=cell, fix=fix,
        )  # fmt: skip

    def header_finding(
        self, code: str, level: Level, message: str, name: str | None = None, fix: tuple[Edit, ...] = ()
    ) -> Finding:
        """A finding at the header line (line 0 for JSON), and at the header of column ``name``."""
        column, cell, header = 0, None, None
        if name is not None:
            position = self.names.index(name)
            header = self.headers[position]
            column = self.places.column(self.header_line, position) if self.places else 0
            cell = f"{column_letters(position)}{self.header_line}" if self.container == "xlsx" else None
        return Finding(
            code,
            level,
            message,
            line=self.header_line,
            column=column,
            field=header,
            sheet=self.sheet,
            cell=cell,
            fix=fix,
        )

    def findings(
        self,
        code: str,
        level: Level,
        name: str,
        hits: Iterable[tuple[int, Value]],
        message: Callable[[Value], str],
        mended: Callable[[Value], str] | None = None,
        safe: bool = True,
        quote: bool = False,
    ) -> Iterator[Finding | More]:
        """A finding for each of ``hits`` (row index, what ``message`` needs); past the first thousand they are only counted.
        ``mended`` makes the text that a fix would put into the cell; with ``quote`` the fix puts its value in quotes."""
        more = 0
        for place, (index, value) in enumerate(hits):
            if place < shown_per_rule():
                fix = self.quoting_fix(index, name) if quote else ()
                if mended is not None:
                    fix = self.cell_fix(index, name, mended(value), safe)
                yield self.finding(code, level, message(value), index, name, fix)
            else:
                more += 1
        if more:
            yield More(code, level, more)

    def cell_fix(self, index: int, name: str, text: str, safe: bool = True) -> tuple[Edit, ...]:
        """The fix that puts ``text`` into a cell that holds a text now; none where its place is not known."""
        is_text = name not in self.kinds or self.kinds[name][index] == "text"
        if self.places is None or not is_text:
            return ()
        return self.places.edit(int(self.frame[LINE][index]), self.names.index(name), text, safe)

    def quoting_fix(self, index: int, name: str) -> tuple[Edit, ...]:
        """The fix that puts a JSON number or boolean in quotes."""
        if self.places is None or self.container not in ("json", "jsonl"):
            return ()
        text = str(self.frame[name][index])
        return self.places.edit(int(self.frame[LINE][index]), self.names.index(name), text)

    def renaming_fix(self, name: str, text: str, safe: bool = True) -> tuple[Edit, ...]:
        """The fix that gives a column another header, or its key another name in every record; none where ``text`` is the
        header of another column."""
        if self.places is None or text in self.headers:
            return ()
        position = self.names.index(name)
        if self.header_line:
            return self.places.edit(self.header_line, position, text, safe)
        lines = dict.fromkeys(self.frame[LINE].to_list())
        return tuple(edit for line in lines for edit in self.places.rename(int(line), position, text, safe))

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


def column_letters(position: int) -> str:
    """The letters of a sheet's column: 0 is A, 26 is AA."""
    letters = ""
    position += 1
    while position:
        position, rest = divmod(position - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def short(text: str, limit: int = 60) -> str:
    """``text`` cut for a message, on one line."""
    line = text.replace("\r\n", "\n").replace("\n", "⏎")
    return line if len(line) <= limit else line[: limit - 1] + "…"


def visible(text: str, limit: int = 200) -> str:
    """``text`` cut for a message, with outer and doubled spaces shown, which else nobody sees."""
    inner = text.replace("  ", "··")
    start = len(inner) - len(inner.lstrip())
    end = len(inner) - len(inner.rstrip()) if start < len(inner) else 0
    return short("·" * start + inner.strip() + "·" * end, limit)
