"""The report for a spreadsheet: a row a case, with texts, scores, reasons, cause and label."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Final

from ragtui.experiments.gates import Judgement
from ragtui.experiments.plan import Side
from ragtui.experiments.reports.spreadsheet import cell_text, sheets
from ragtui.experiments.results import Results

SUFFIX: Final = ".csv"


def render(results: Results, judgement: Judgement, raw_cells: bool = False) -> Iterator[str]:
    """RFC 4180 with a byte order mark, so that spreadsheets read it as UTF-8. Unless ``raw_cells``, text cells that one
    would run as a formula begin with an apostrophe, and control characters are pictures."""
    yield "\ufeff"
    for at, frame in enumerate(sheets(results, Side.CANDIDATE)):
        buffer = io.StringIO()
        writer = csv.writer(buffer)
        for row in (*([frame.columns] if at == 0 else []), *frame.iter_rows()):
            writer.writerow(cell_text(cell) if isinstance(cell, str) and not raw_cells else cell for cell in row)
        yield buffer.getvalue()
