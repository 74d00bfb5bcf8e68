"""Files that are no dataset as they are: what they are instead, and what to do with them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Final

from ragtui.datasets.containers.encoding import decode_head
from ragtui.datasets.damaged_zip import NO_ZIP

_HEAD: Final = 1 << 16
_SAVE: Final = "save the rows as CSV, JSONL or XLSX"
_BEGINNINGS: Final = (
    (b"PAR1", f"a Parquet file, which is not read; {_SAVE}"),
    (b"ARROW1", f"an Arrow file, which is not read; {_SAVE}"),
    (b"FEA1", f"a Feather file, which is not read; {_SAVE}"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a workbook of the old .xls kind, or a protected one; save it as .xlsx"),
    (b"\x1f\x8b", "compressed with gzip; unpack it first"),
    (b"BZh", "compressed with bzip2; unpack it first"),
    (b"\xfd7zXZ\x00", "compressed with xz; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd; unpack it first"),
    (b"SQLite format 3\x00", f"an SQLite database, which is not read; {_SAVE}"),
    (b"%PDF-", "a PDF, no dataset"),
    (b"\x89PNG\r\n", "a picture, no dataset"),
)


def other_kind(path: Path) -> str | None:
    """What a file is that no format takes, with the remedy; ``None`` where its rows say more.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        data = stream.read(_HEAD)
    if not data:
        return "the file is empty"
    for beginning, kind in _BEGINNINGS:
        if data.startswith(beginning):
            return kind
    if data.startswith(b"PK"):
        return _package(path)
    text = decode_head(data).text
    if text is not None and not text.strip("\ufeff \t\r\n\f\x1a"):
        return "the file holds nothing but blank lines"
    if path.suffix.lower() == ".json" and len(data) < _HEAD and text is not None:
        return _bare_value(text)
    return None


def _package(path: Path) -> str | None:
    try:
        with zipfile.ZipFile(path) as package:
            names = package.namelist()
    except NO_ZIP:
        return "a zip or .xlsx that is damaged or cut off; fetch it, or save it, again"
    if "xl/workbook.xml" in names:
        return None  # its reader says why
    if "mimetype" in names and "content.xml" in names:
        return "an OpenDocument file, which is not read; save it as .xlsx or CSV"
    return "a zip that is no archive of ragtui's; unpack it first"


def _bare_value(text: str) -> str | None:
    """What a JSON document is that holds no records; ``None`` where it holds any, or is no JSON."""
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None
    if value == []:
        return "the document is an empty list; a list of records is needed"
    if isinstance(value, dict | list) and value:
        return None
    return f"the document is {json.dumps(value)[:40]}, not a list of records"
