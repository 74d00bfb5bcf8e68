"""How far a sheet reaches: one stray value in its last corner makes it seventeen thousand million cells, for which there is
no memory on any machine, and the reader would take the whole process down with it."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from ragtui.datasets.containers.sheet_oddities import sheet_member
from ragtui.datasets.containers.table import column_letters
from ragtui.datasets.damaged_zip import NO_ZIP

MOST: Final = 60_000_000  # cells between the first and the last, empty ones too
_DAMAGED: Final = (*NO_ZIP, OSError, KeyError, ElementTree.ParseError)
_CHUNK: Final = 1 << 20
_OVERLAP: Final = 64
_WIDE: Final = {letters: re.compile(rb"""r=["'][A-Z]{%d}[0-9]""" % letters) for letters in (3, 2)}
_DEEP: Final = {digits: re.compile(rb"""r=["'][A-Z]{1,3}[0-9]{%d}["']""" % digits) for digits in (7, 6, 5, 4)}
_CELL: Final = re.compile(rb"""\br=["']([A-Z]{1,3})(\d{1,7})["']""")


def beyond_reading(path: Path, sheet: str) -> str | None:
    """Why a sheet cannot be read because of its size, ``None`` where it can (or is damaged, which its reader tells)."""
    try:
        with zipfile.ZipFile(path) as package:
            member = sheet_member(package, sheet)
            if member is None or _at_most(package, member) <= MOST:
                return None
            rows, columns = _reach(package, member)
    except _DAMAGED:
        return None
    if rows * columns <= MOST:
        return None
    corner = f"{column_letters(columns - 1)}{rows}"
    return f"the sheet {sheet} reaches to {corner}, {rows:,} rows of {columns:,} cells; delete what lies far outside"


def _at_most(package: zipfile.ZipFile, member: str) -> int:
    """How many cells there may be, by the longest names of columns and rows, which are quickly found."""
    letters, digits = 1, 3
    for part in _parts(package, member):
        letters = next((each for each, pattern in _WIDE.items() if each > letters and pattern.search(part)), letters)
        digits = next((each for each, pattern in _DEEP.items() if each > digits and pattern.search(part)), digits)
    return int(min(26**letters * 1.1, 16_384) * min(10**digits, 1_048_576))


def _parts(package: zipfile.ZipFile, member: str) -> Iterator[bytes]:
    """The member a part at a time, each beginning with the end of the one before."""
    kept = b""
    with package.open(member) as stream:
        while chunk := stream.read(_CHUNK):
            yield kept + chunk
            kept = chunk[-_OVERLAP:]


def _reach(package: zipfile.ZipFile, member: str) -> tuple[int, int]:
    rows, columns = 0, b""
    for part in _parts(package, member):
        for match in _CELL.finditer(part):
            rows = max(rows, int(match[2]))
            columns = max(columns, match[1], key=lambda letters: (len(letters), letters))
    number = 0
    for letter in columns:
        number = number * 26 + letter - ord("A") + 1
    return rows, number
