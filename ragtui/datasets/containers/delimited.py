"""CSV and its like: text in rows, with the line each record starts at."""

from __future__ import annotations

import codecs
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from ragtui.datasets.containers import HEAD_BYTES, Head, Reading
from ragtui.datasets.containers.delimited_places import DelimitedPlaces, quoted
from ragtui.datasets.containers.delimited_records import Fault, Record, field_spans, records
from ragtui.datasets.containers.delimited_scan import Scanned, scan
from ragtui.datasets.containers.dialect import NAMES, Dialect, lines_of, sniff_dialect
from ragtui.datasets.containers.encoding import Decoded, decode, decode_head
from ragtui.datasets.containers.table import LINE, ROW, Table, unique_names
from ragtui.datasets.findings import Edit, Finding, Level, Report, shown_per_rule
from ragtui.datasets.rules import csv as rules
from ragtui.datasets.rules import text as rules_text

if TYPE_CHECKING:
    import polars as pl

    from ragtui.datasets.formats import Source

_CHUNK: Final = 1 << 20
_PACKED: Final = 1 << 15  # records that are held as Python objects at a time
_REWRITTEN: Final = 1 << 23  # bytes; the text of a larger file is not kept for a fix
_SHARE: Final = 0.7  # of the work; the rest is that of the rules
_SOON_READ: Final = HEAD_BYTES  # bytes that the exact reader has read before numpy, which the fast one needs, is loaded
_TAB_SUFFIXES: Final = {".tsv", ".tab"}


class Delimited:
    """The container of all text that is nothing else."""

    id = "csv"

    def claims(self, source: Source, head: Head) -> int:
        return 5 if head.text and head.text.strip() else 0

    def read(self, source: Source) -> Reading:
        return read_delimited(source)

    def first_rows(self, source: Source, rows: int) -> Table | None:
        return first_records(source, rows)


CONTAINER: Final = Delimited()


@dataclass(frozen=True)
class _Header:
    """The header as written, and how many physical lines and bytes (after the byte order mark) come before the first row."""

    names: list[str]
    line: int
    lines: int
    bytes: int


def read_delimited(source: Source) -> Reading:
    """Reads a whole file. Every record that can be read is in the table; what cannot is a finding."""
    data = source.path.read_bytes()
    report = Report(source.file)
    head = decode_head(data[:HEAD_BYTES])
    soon_read = len(data) <= _SOON_READ and "numpy" not in sys.modules
    if not soon_read and head.encoding == "utf-8" and (fast := _read_fast(data, head, source, report)):
        return Reading(fast, report)
    decoded, size = decode(data), len(data)
    del data  # of a large file one copy is enough
    return Reading(_read_exact(size, decoded, source, report), report)


def first_records(source: Source, rows: int) -> Table | None:
    """The first records of a file from as much of its beginning as they need."""
    size, chunk = source.path.stat().st_size, _CHUNK
    while True:
        with source.path.open("rb") as stream:
            data = stream.read(chunk)
        table = _read_exact(len(data), decode(data), source, Report(source.file))
        if chunk >= size or (table is not None and table.height > rows):
            return None if table is None else replace(table, frame=table.frame.head(rows))
        chunk *= 4


def _read_fast(data: bytes, head: Head, source: Source, report: Report) -> Table | None:
    """The table where the quoting is proven sound and the bytes are UTF-8."""
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    body = data[start:] if start else data
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(
            body[: HEAD_BYTES - start]
        )  # a letter cut at the end is left out
    except UnicodeDecodeError:
        return None
    whole = len(data) <= HEAD_BYTES
    if "\n" not in text:
        return None
    dialect = sniff_dialect(text, whole)
    header = _header(text, dialect)
    if header is None or (not whole and header.bytes >= len(text)):
        return None
    source.watch.step(len(data) // 4)
    scanned = scan(body, header.bytes, header.lines, dialect.delimiter, len(header.names))
    source.watch.step(len(data) // 4)
    if scanned is None:
        return None
    if start:
        report.extend(decode(data[:start]).findings)
    for line, row, raw in scanned.ragged:
        fields = [raw[begin:end] for begin, end in field_spans(raw, dialect.delimiter)]
        report.add(rules.field_count(line, row, len(fields), len(header.names), _unquoted(fields), dialect.delimiter))
    report.count("CSV005", Level.ERROR, scanned.ragged_total - len(scanned.ragged))
    table = _fast_table(scanned, header, dialect, source, start, report)
    _report_dialect(table, dialect, not scanned.ragged, len(data), report)
    return table


def _fast_table(
    scanned: Scanned, header: _Header, dialect: Dialect, source: Source, start: int, report: Report
) -> Table:
    import polars as pl

    names = unique_names(header.names)
    cells = [column.alias(name) for column, name in zip(scanned.frame, names, strict=True)]
    places = [pl.Series(LINE, scanned.lines, dtype=pl.UInt32), pl.Series(ROW, scanned.rows, dtype=pl.UInt32)]
    frame = pl.DataFrame(places + cells)
    frame, empty = _without_empty(frame, names)
    _report_empty(sorted([*scanned.blank, *empty]), frame, report)
    table = Table(
        path=source.path, file=source.file, container="csv", headers=tuple(header.names), names=names, frame=frame,
        header_line=header.line, encoding="utf-8", delimiter=dialect.delimiter, lines=scanned.lines_total, absent=scanned.absent,
        places=DelimitedPlaces(source.path, "utf-8", start, dialect.delimiter),
    )  # fmt: skip
    if not table.height and not scanned.ragged:
        report.add(rules.no_rows(table.header_line))
    return table


@dataclass
class _Gathered:
    """What the exact reader found: sound records with their lines and numbers, packed into frames as they come, and the
    lines of blank ones."""

    names: tuple[str, ...]
    blank: list[int] = field(default_factory=list)
    lost: int = 0  # records that could not be read
    _records: list[tuple[int, int, list[str]]] = field(default_factory=list)
    _frames: list[pl.DataFrame] = field(default_factory=list)

    def add(self, line: int, row: int, fields: list[str]) -> None:
        self._records.append((line, row, fields))
        if len(self._records) == _PACKED:
            self._pack()

    def frame(self) -> pl.DataFrame:
        import polars as pl

        self._pack()
        return pl.concat(self._frames)

    def _pack(self) -> None:
        import polars as pl

        lines, rows, cells = zip(*self._records, strict=True) if self._records else ((), (), ())
        columns = zip(*cells, strict=True) if cells else (() for _ in self.names)
        self._frames.append(
            pl.DataFrame(
                [pl.Series(LINE, lines, dtype=pl.UInt32), pl.Series(ROW, rows, dtype=pl.UInt32)]
                + [
                    pl.Series(name, _speakable(column), dtype=pl.String)
                    for name, column in zip(self.names, columns, strict=True)
                ]
            )
        )
        self._records.clear()


def _read_exact(size: int, decoded: Decoded, source: Source, report: Report) -> Table | None:
    """The table by the exact reader, with a finding for everything that stands in the way."""
    text = decoded.text
    dialect = sniff_dialect(text[:HEAD_BYTES], len(text) <= HEAD_BYTES)
    header = _header(text, dialect)
    if header is None:
        report.extend(decoded.findings)
        return None
    report.watch = source.watch
    places = DelimitedPlaces(source.path, decoded.encoding, decoded.start, dialect.delimiter)
    names = unique_names(header.names)
    gathered = _gather(text, header, names, dialect, places, report)
    whole = gathered.frame()
    last = int(whole[LINE][-1]) if whole.height else 0
    frame, empty = _without_empty(whole, names)
    _report_empty(sorted([*(line for line in gathered.blank if line < last), *empty]), frame, report)
    end = "\n" if "\n" in text else "\r"
    table = Table(
        path=source.path, file=source.file, container="csv", headers=tuple(header.names), names=names, frame=frame,
        header_line=header.line, encoding=decoded.encoding, delimiter=dialect.delimiter,
        lines=text.count(end) + (not text.endswith(end)), absent=_absent(text), places=places,
    )  # fmt: skip
    if not table.height and not gathered.lost:
        report.add(rules.no_rows(table.header_line))
    _report_encoding(table, decoded, not gathered.lost, size, report)
    _report_dialect(table, dialect, not gathered.lost, size, report)
    return table


def _gather(
    text: str, header: _Header, names: tuple[str, ...], dialect: Dialect, places: DelimitedPlaces, report: Report
) -> _Gathered:
    lines = lines_of(text) if report.watch is None else report.watch.lines(lines_of(text), _SHARE)
    for _ in range(header.lines):
        next(lines)
    gathered = _Gathered(names)
    for record in records(lines, header.lines, dialect.delimiter, len(header.names)):
        if record.fault is Fault.BLANK:
            gathered.blank.append(record.line)
            continue
        if record.fault is not None:
            report.add(_fault_finding(record, header, dialect, places, report))
        if record.fields is None or record.fault is Fault.RAGGED:
            gathered.lost += 1
        else:
            gathered.add(record.line, record.row, record.fields)
    return gathered


def _header(text: str, dialect: Dialect) -> _Header | None:
    """The first record that is not blank; ``None`` where the text has none."""
    lines = list(lines_of(text[:HEAD_BYTES]))
    rest = "".join(lines[dialect.skipped :])
    if not rest.strip("\r\n"):
        return None
    spans = field_spans(rest, dialect.delimiter)
    end = spans[-1][1]
    names = _unquoted([rest[begin:stop] for begin, stop in spans])
    raw = rest[:end] + ("\r\n" if rest.startswith("\r\n", end) else rest[end : end + 1])
    before = "".join(lines[: dialect.skipped])
    newline = "\n" if "\n" in text else "\r"
    count = raw.count(newline) + (not raw.endswith(newline))
    return _Header(names, dialect.skipped + 1, dialect.skipped + count, len((before + raw).encode()))


def _unquoted(fields: list[str]) -> list[str]:
    return [
        field[1:-1].replace('""', '"') if len(field) > 1 and field[0] == field[-1] == '"' else field for field in fields
    ]


def _speakable(cells: tuple[str, ...]) -> tuple[str, ...] | list[str]:
    """Cells without lone surrogates, which no frame can hold."""
    if all(cell.isascii() for cell in cells):
        return cells
    return [cell.encode("utf-8", "replace").decode() for cell in cells]


def _absent(text: str) -> frozenset[str]:
    if not text.isascii():
        return frozenset()
    controls = any(chr(code) in text for code in (*range(9), 11, 12, *range(14, 32), 127))
    return frozenset({"lost", "doubled"} if controls else {"controls", "lost", "doubled"})


def _without_empty(frame: pl.DataFrame, names: tuple[str, ...]) -> tuple[pl.DataFrame, list[int]]:
    """The rows that have any value, and the lines of those that have none. A quoted empty cell alone in its row is a value."""
    import polars as pl

    if len(names) < 2 or not frame.height:
        return frame, []
    filled = frame.select(pl.any_horizontal(pl.col(name).str.len_bytes() > 0 for name in names)).to_series()
    if filled.all():
        return frame, []
    return frame.filter(filled), frame.filter(~filled)[LINE].to_list()


def _report_empty(lines: list[int], frame: pl.DataFrame, report: Report) -> None:
    """One finding for all rows without values between rows with some."""
    last = int(frame[LINE][-1]) if frame.height else 0
    between = [line for line in lines if line < last]
    if between:
        report.add(rules.empty_row(between[0], len(between)))


def _report_dialect(table: Table, dialect: Dialect, complete: bool, size: int, report: Report) -> None:
    """That a comma does not separate the fields, with the file as comma CSV for a fix."""
    if (dialect.delimiter == "," and not dialect.declared) or table.encoding.startswith(("utf-16", "utf-32")):
        return
    line = 1 if dialect.declared else table.header_line
    finding = rules.other_delimiter(dialect.delimiter, dialect.declared, line, _comma_csv(table, complete, size))
    says_so = dialect.delimiter == "\t" and table.path.suffix.lower() in _TAB_SUFFIXES
    report.add(replace(finding, level=Level.INFO) if says_so else finding)


def _report_encoding(table: Table, decoded: Decoded, complete: bool, size: int, report: Report) -> None:
    """The findings about the encoding; one about UTF-16 also says what separates the fields, so that there is but one."""
    for finding in decoded.findings:
        if isinstance(finding, Finding) and finding.code == "TEXT002" and table.delimiter != ",":
            also = f" and {NAMES.get(table.delimiter or '', repr(table.delimiter))} separated"
            finding = rules_text.wide_encoding(
                decoded.encoding, decoded.start > 0, _comma_csv(table, complete, size), also
            )
        report.extend([finding])


def _comma_csv(table: Table, complete: bool, size: int) -> tuple[Edit, ...]:
    """The edit that makes the whole file comma separated UTF-8; none where records would be lost, or the file is large."""
    if not complete or size > _REWRITTEN:
        return ()
    rows = (table.headers, *table.frame.drop(LINE, ROW).iter_rows())
    lines = (",".join(quoted(cell, ",") for cell in row) or '""' for row in rows)
    return (Edit(0, size, "".join(f"{line}\n" for line in lines)),)


def _fault_finding(
    record: Record, header: _Header, dialect: Dialect, places: DelimitedPlaces, report: Report
) -> Finding:
    line, column, place = record.at
    name = header.names[place] if 0 <= place < len(header.names) else None
    if record.fault is Fault.RAGGED:
        assert record.fields is not None
        return rules.field_count(
            record.line, record.row, len(record.fields), len(header.names), record.fields, dialect.delimiter
        )
    if record.fault is Fault.OPEN_QUOTE:
        return rules.open_quote(line, column, record.row, name, record.until)
    if record.fault is Fault.STRAY_RETURN:
        return rules.stray_return(record.line, record.row)
    if record.fault is Fault.BARE_QUOTE:
        assert record.fields is not None
        listed = len(report.findings) < shown_per_rule()
        fix = places.edit(record.line, place, record.fields[place]) if listed else ()
        return rules.bare_quote(line, column, record.row, name, fix)
    return rules.text_after_quote(line, column, record.row, name)
