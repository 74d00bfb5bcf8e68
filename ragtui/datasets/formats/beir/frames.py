"""Scanned files as frames."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.containers.json_shape import Shape, elements, shape_of
from ragtui.datasets.findings import Edit, Report
from ragtui.datasets.formats.beir.parts import as_utf8
from ragtui.datasets.formats.beir.records import KINDS, repair
from ragtui.datasets.formats.beir.scan import Scanned, Texts, scan
from ragtui.datasets.rules import json as json_rules

if TYPE_CHECKING:
    import polars as pl

_BOM: Final = b"\xef\xbb\xbf"


class Part:
    """One JSON lines file of a set while it is read: records scanned, nothing loaded of Polars until ``frame``."""

    def __init__(self, kind: str, path: Path, file: str, report: Report) -> None:
        self.kind = kind
        self.file = file
        findings = Report(file)
        self.scanned, self.shape = _scanned(kind, path, file, findings)
        report.merge(findings)

    @property
    def unreadable(self) -> int:
        return sum(part.unreadable for part in self.scanned)

    @property
    def whole(self) -> bool:
        """Whether the file is written as it should be, one object a line."""
        return self.shape is Shape.LINES

    def corpus(self) -> pl.DataFrame:
        """``doc_id, line, offset``."""
        return self._frame({"id": "doc_id"}, places=True)

    def queries(self) -> pl.DataFrame:
        """``query_id, text, line``."""
        return self._frame({"id": "query_id", "text": "text"})

    def pairs(self, number: str) -> pl.DataFrame:
        """``query_id, doc_id``, the number under its name, ``line``."""
        if self.kind == "rankings":
            return self._ranked()
        return self._frame({"query": "query_id", "document": "doc_id", "score": number})

    def _frame(self, names: dict[str, str], places: bool = False) -> pl.DataFrame:
        import polars as pl

        frames = []
        for part in self.scanned:
            columns = [texts(part.texts[name]).alias(as_) for name, as_ in names.items() if name in part.texts]
            columns += [pl.Series(as_, part.numbers[name], dtype=pl.Float64) for name, as_ in names.items() if name in part.numbers]
            lines = (
                pl.int_range(part.base + 1, part.base + part.height + 1, dtype=pl.UInt32, eager=True)
                if part.lines is None
                else pl.Series(part.lines, dtype=pl.UInt32) + part.base
            )
            columns.append(lines.alias("line"))
            if places:
                columns.append(pl.Series("offset", part.places, dtype=pl.UInt64))
            frames.append(pl.DataFrame(columns))
        return pl.concat(frames, rechunk=True)

    def _ranked(self) -> pl.DataFrame:
        import polars as pl

        frame = self._frame({"query": "query_id", "ranking": "ranking"})
        if not frame.height:
            return pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64, "line": pl.UInt32})
        size = pl.col("ranking").list.len()
        score = pl.int_ranges(size, 0, -1).cast(pl.List(pl.Float64))
        return (
            frame.with_columns(score.alias("score"))
            .filter(size > 0)
            .explode("ranking", "score")
            .select("query_id", pl.col("ranking").alias("doc_id"), "score", "line")
        )


def texts(values: Texts) -> pl.Series:
    """Packed texts as a series."""
    import polars as pl

    if isinstance(values, str):
        return pl.Series([values]).str.split("\n").explode()
    return pl.Series(values, dtype=pl.List(pl.String) if values and isinstance(values[0], list) else pl.String)


def _scanned(kind: str, path: Path, file: str, report: Report) -> tuple[list[Scanned], Shape]:
    start, data = 0, None
    recoded = as_utf8(path)
    if recoded is not None:
        data, findings = recoded
        report.extend(findings)
    with path.open("rb") as stream:
        head = stream.read(1 << 16) if data is None else data[: 1 << 16]
    if head.startswith(_BOM):
        start = len(_BOM)
        report.add(json_rules.byte_order_mark((Edit(0, start, ""),)))
    size = path.stat().st_size if data is None else len(data)
    shape = shape_of(head[start:], size <= len(head))
    if shape is Shape.LINES:
        return scan(kind, path, file, start, report, data), shape
    return [_from_elements(kind, path.read_bytes() if data is None else data, start, shape, report)], shape


def _from_elements(kind: str, data: bytes, start: int, shape: Shape, report: Report) -> Scanned:
    """The records of an array or of spread objects, and the one finding that says so."""
    listed = elements(data, shape, start)
    noun = KINDS[kind].noun
    line = data[: len(data) - len(data.lstrip(b" \t\r\n\xef\xbb\xbf"))].count(b"\n") + 1
    if shape is Shape.ARRAY:
        aside = f"; it breaks off at line {listed.fault.line}: {listed.fault.message}" if listed.fault else ""
        report.add(json_rules.array(line, len(listed.found), noun, aside))
    else:
        report.add(json_rules.spread(line, len(listed.found)))
        report.extend([listed.fault] if listed.fault else [])
    found = Report(report.file)
    columns: dict[str, list[Any]] = {}
    lines, places = array("I"), array("Q")
    for element in listed.found:
        for record in repair(kind, element.raw + b"\n", element.line, element.byte, found):
            for name in record.__struct_fields__:
                columns.setdefault(name, []).append(getattr(record, name))
            lines.append(element.line)
            places.append(element.byte)
    report.merge(found)
    numbers = {"score": array("d", columns.get("score", []))}
    wanted = {field.attribute for field in KINDS[kind].fields} - {"score", "title"}
    return Scanned({name: columns.get(name, []) for name in wanted}, numbers, lines, places, 0, 0, Report(report.file))

