"""What a sheet's values alone do not tell: formulas without a stored result, errors, hidden rows, zeros that only the format
shows. Read from the package's own XML, because calamine gives an empty cell for the first two and drops the rest."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from ragtui.datasets.damaged_zip import NO_ZIP

_MARKS: Final = re.compile(rb"""<f[ >/]|t=["']e["']|hidden=["'](1|true)["']""")
_ZERO_FORMAT: Final = re.compile(r'"?(0{2,})"?')
_REFERENCE: Final = re.compile(r"([A-Z]+)(\d+)")
_TRUE: Final = ("1", "true")


@dataclass
class Oddities:
    """Cells are ``(sheet row, 0-based column)``. ``formulas`` have no stored result, ``errors`` hold one, ``zeros`` says with
    how many digits a number is shown."""

    formulas: dict[tuple[int, int], str] = field(default_factory=dict)
    errors: dict[tuple[int, int], str] = field(default_factory=dict)
    zeros: dict[tuple[int, int], int] = field(default_factory=dict)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[int] = field(default_factory=list)

    @property
    def unknown(self) -> set[tuple[int, int]]:
        """The cells whose value is not in the file."""
        return self.formulas.keys() | self.errors.keys()


def oddities(path: Path, sheet: str) -> Oddities | None:
    """Looks through one sheet; ``None`` where its XML cannot be understood."""
    try:
        with zipfile.ZipFile(path) as package:
            member = sheet_member(package, sheet)
            if member is None:
                return None
            zeros = _zero_styles(package)
            if not zeros and not _MARKS.search(package.read(member)):
                return Oddities()
            with package.open(member) as stream:
                return _scan(ElementTree.iterparse(stream, events=("end",)), zeros)
    except (*NO_ZIP, OSError, KeyError, ElementTree.ParseError):
        return None


def _scan(events: Iterator[tuple[str, ElementTree.Element]], zeros: dict[str, int]) -> Oddities:
    odd = Oddities()
    row_number = 0
    for _, element in events:
        tag = _local(element.tag)
        if tag == "col" and element.get("hidden") in _TRUE:
            odd.hidden_columns.extend(range(int(element.get("min", 1)) - 1, min(int(element.get("max", 1)), 16384)))
        elif tag == "row":
            row_number = int(element.get("r", row_number + 1))
            if element.get("hidden") in _TRUE:
                odd.hidden_rows.append(row_number)
            for place, cell in enumerate(element):
                _look_at(cell, row_number, place, zeros, odd)
            element.clear()
    return odd


def _look_at(cell: ElementTree.Element, row: int, place: int, zeros: dict[str, int], odd: Oddities) -> None:
    at = (row, _column(cell.get("r", ""), place))
    kind = cell.get("t", "n")
    parts = {_local(part.tag): part for part in cell}
    value = parts["v"].text if "v" in parts else None
    if kind == "e":
        odd.errors[at] = value or "an error"
    elif "f" in parts and not value and kind != "str" and "is" not in parts:
        odd.formulas[at] = f"={parts['f'].text}" if parts["f"].text else "a shared formula"
    elif kind == "n" and value and cell.get("s", "") in zeros:
        odd.zeros[at] = zeros[cell.get("s", "")]


def _column(reference: str, place: int) -> int:
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        return place
    number = 0
    for letter in match.group(1):
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def sheet_member(package: zipfile.ZipFile, sheet: str) -> str | None:
    """The package member of a sheet, by way of the workbook's relations."""
    book = ElementTree.fromstring(package.read("xl/workbook.xml"))
    relation = next(
        (
            value
            for element in book.iter()
            if _local(element.tag) == "sheet" and element.get("name") == sheet
            for key, value in element.items()
            if _local(key) == "id"
        ),
        None,
    )
    targets = ElementTree.fromstring(package.read("xl/_rels/workbook.xml.rels"))
    target = next((element.get("Target") for element in targets if element.get("Id") == relation), None)
    if relation is None or target is None:
        return None
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join("xl", target))


def _zero_styles(package: zipfile.ZipFile) -> dict[str, int]:
    """Cell styles that show a number with leading zeros, with the number of digits."""
    if "xl/styles.xml" not in package.namelist():
        return {}
    root = ElementTree.fromstring(package.read("xl/styles.xml"))
    formats = {
        element.get("numFmtId"): len(match.group(1))
        for element in root.iter()
        if _local(element.tag) == "numFmt" and (match := _ZERO_FORMAT.fullmatch(element.get("formatCode") or ""))
    }
    cell_formats = next((element for element in root if _local(element.tag) == "cellXfs"), None)
    return {
        str(place): formats[style.get("numFmtId")]
        for place, style in enumerate(cell_formats if cell_formats is not None else ())
        if style.get("numFmtId") in formats
    }


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]
