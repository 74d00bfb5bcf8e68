"""Scanned files as frames."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.containers.json_shape import Shape, as_lines, elements, shape_of
from ragtui.datasets.findings import Edit, Report
from ragtui.datasets.formats.beir.parts import as_utf8
from ragtui.datasets.retrieval_lines.records import KINDS, repair
from ragtui.datasets.retrieval_lines.scan import Range, Scanned, Texts, cut, scan
from ragtui.datasets.rules import json as json_rules
from ragtui.datasets.rules import rules

if TYPE_CHECKING:
    import polars as pl

_HEAD: Final = 1 << 16
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Wanted:
    """One JSON lines file to be read: a key of ``records.KINDS``, where it lies, and what findings call it."""

    kind: str
    path: Path
    file: str


@dataclass(frozen=True)
class Part:
    """One file of a set as scanned: ``frame`` has what its records hold, their ``line`` and, of documents, ``offset``.
    ``whole`` says whether the file is written as it should be, one object a line; ``unreadable`` counts lines that hold
    something, but no record."""

    kind: str
    file: str
    whole: bool
    unreadable: int
    frame: pl.DataFrame

    def corpus(self) -> pl.DataFrame:
        """``doc_id, line, offset``."""
        return self.frame.select(_renamed("id", "doc_id"), "line", "offset")

    def queries(self) -> pl.DataFrame:
        """``query_id, text, line``."""
        return self.frame.select(_renamed("id", "query_id"), "text", "line")

    def pairs(self, number: str) -> pl.DataFrame:
        """``query_id, doc_id``, the number under its name, ``line``."""
        if self.kind == "rankings":
            return self._ranked()
        return self.frame.select(
            _renamed("query", "query_id"), _renamed("document", "doc_id"), _renamed("score", number), "line"
        )

    def _ranked(self) -> pl.DataFrame:
        import polars as pl

        if not self.frame.height:
            return pl.DataFrame(
                schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64, "line": pl.UInt32}
            )
        size = pl.col("ranking").list.len()
        score = pl.int_ranges(size, 0, -1).cast(pl.List(pl.Float64))
        return (
            self.frame.with_columns(score.alias("score"))
            .filter(size > 0)
            .explode("ranking", "score")
            .select(_renamed("query", "query_id"), _renamed("ranking", "doc_id"), "score", "line")
        )


def _renamed(name: str, to: str) -> pl.Expr:
    """A column under another name."""
    import polars as pl

    return pl.col(name).alias(to)


def read_parts(wanted: Sequence[Wanted], report: Report) -> list[Part]:
    """Scans all files at once, so that large ones share the processes; what is wrong with them is added to ``report``."""
    prepared = [_prepared(each) for each in wanted]
    scanned = scan([part for each in prepared for part in each.ranges])
    import polars as pl  # loads while the processes work, as do the rules

    rules()
    parts = []
    for each, file in zip(prepared, wanted, strict=True):
        pieces, unreadable = [], 0
        report.merge(each.report)
        for part in chain(each.elements, islice(scanned, len(each.ranges))):
            pieces.append(_frame(part))
            unreadable += part.unreadable
            report.merge(part.report)
            report.step(part.size)
        parts.append(Part(file.kind, file.file, each.shape is Shape.LINES, unreadable, pl.concat(pieces, rechunk=True)))
    return parts


def read_part(kind: str, path: Path, file: str, report: Report) -> Part:
    """One file alone."""
    return read_parts([Wanted(kind, path, file)], report)[0]


def _frame(part: Scanned) -> pl.DataFrame:
    """What was scanned of one range."""
    import polars as pl

    columns = [_texts(values).alias(name) for name, values in part.texts.items()]
    columns += [pl.Series(name, values, dtype=pl.Float64) for name, values in part.numbers.items()]
    if part.lines is None:
        lines = pl.int_range(part.base + 1, part.base + part.line_count + 1, dtype=pl.UInt32, eager=True)
    else:
        lines = pl.Series(part.lines, dtype=pl.UInt32) + part.base
    columns.append(lines.alias("line"))
    if part.places is not None:
        columns.append(pl.Series("offset", part.places, dtype=pl.UInt64))
    elif part.sizes is not None:
        sizes = pl.Series("offset", part.sizes, dtype=pl.UInt64)
        columns.append(sizes.cum_sum() - sizes + part.start)
    return pl.DataFrame(columns)


def _texts(values: Texts) -> pl.Series:
    import polars as pl

    if isinstance(values, str):
        return pl.Series([values]).str.split("\n").explode()
    return pl.Series(values, dtype=pl.List(pl.String) if values and isinstance(values[0], list) else pl.String)


@dataclass
class _Prepared:
    """What is known of a file before it is scanned, and what is wrong with its encoding and its shape. ``elements`` are the
    records of a file that is not JSON lines and so has no ``ranges``."""

    shape: Shape
    report: Report
    ranges: list[Range]
    elements: list[Scanned]


def _prepared(wanted: Wanted) -> _Prepared:
    report = Report(wanted.file)
    start, data = 0, None
    recoded = as_utf8(wanted.path)
    if recoded is not None:
        data, findings = recoded
        report.extend(findings)
    with wanted.path.open("rb") as stream:
        head = stream.read(_HEAD) if data is None else data[:_HEAD]
    if head.startswith(_BOM):
        start = len(_BOM)
        report.add(json_rules.byte_order_mark((Edit(0, start, ""),)))
    shape = shape_of(head[start:])
    if shape is Shape.LINES:
        return _Prepared(shape, report, list(cut(wanted.kind, wanted.path, wanted.file, start, data)), [])
    whole = wanted.path.read_bytes() if data is None else data
    return _Prepared(shape, report, [], [_from_elements(wanted.kind, whole, start, shape, report, data is None)])


def _from_elements(kind: str, data: bytes, start: int, shape: Shape, report: Report, exact: bool) -> Scanned:
    """The records of an array or of spread objects, and the one finding that says so."""
    listed = elements(data, shape, start)
    noun = KINDS[kind].noun
    fix = as_lines(data, start, listed.found) if exact and listed.fault is None else ()
    line = data[: len(data) - len(data.lstrip(b" \t\r\n\xef\xbb\xbf"))].count(b"\n") + 1
    if shape is Shape.ARRAY:
        aside = f"; it breaks off at line {listed.fault.line}: {listed.fault.message}" if listed.fault else ""
        report.add(json_rules.array(line, len(listed.found), noun, aside, fix))
    else:
        if listed.found:
            report.add(json_rules.spread(line, len(listed.found), data.rstrip(b" \t\r\n").count(b"\n") + 1, fix))
        report.extend([listed.fault] if listed.fault else [])
    found = Report(report.file)
    columns: dict[str, list[Any]] = {}
    lines, places = array("I"), array("Q")
    for element in listed.found:
        for record in repair(kind, element.raw + b"\n", element.line, element.byte, found, element.before):
            for name in record.__struct_fields__:
                columns.setdefault(name, []).append(getattr(record, name))
            lines.append(element.line)
            places.append(element.byte)
    report.merge(found)
    names = [field.attribute for field in KINDS[kind].fields if field.attribute != "title"]
    numbers = {name: array("d", columns.get(name, [])) for name in names if name == "score"}
    texts: dict[str, Texts] = {name: columns.get(name, []) for name in names if name != "score"}
    return Scanned(texts, numbers, lines, 0, 0, Report(report.file), places if kind == "corpus" else None)
