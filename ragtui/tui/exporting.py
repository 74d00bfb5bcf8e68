"""Writes the rows a table shows, in its order, to a file for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragtui.experiments import wording
from ragtui.workspace import write_atomically

if TYPE_CHECKING:
    from ragtui.experiments.results import Results


def placed(path: Path, started: Path) -> str:
    """The path of a file as typed, with its folder where that is not the one that the app was started in (the demo's, for
    one, becomes the app's own) and the path does not say it."""
    folder = path.resolve().parent
    said = path.is_absolute() or folder == started.resolve()
    return str(path) if said else f"{path} in {shown_folder(folder)}"


def shown_folder(folder: Path) -> str:
    """A folder as people write it."""
    home = Path.home()
    return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) and folder != home else str(folder)


def write_rows(results: Results, case_ids: Sequence[str], path: Path, started: Path) -> str:
    """The cases with texts, scores, reasons, cause and label, as the CSV report has them; returns what to say.

    Raises:
        OSError: it cannot be written.
    """
    import polars as pl

    from ragtui.experiments.plan import Side
    from ragtui.experiments.reports.spreadsheet import cell_text, sheet

    if not path.absolute().parent.is_dir():
        raise OSError(f"there is no folder {path.parent}")
    wanted = pl.DataFrame({"case_id": list(case_ids)}, schema={"case_id": pl.String})
    rows = wanted.join(results.rows(Side.CANDIDATE), on="case_id", how="left", maintain_order="left")
    frame = sheet(results, Side.CANDIDATE, rows)
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for row in (frame.columns, *frame.iter_rows()):
        writer.writerow(cell_text(cell) if isinstance(cell, str) else cell for cell in row)
    write_atomically(path, "\ufeff" + buffer.getvalue())
    said = f"wrote {wording.count(frame.height, 'row')} to {placed(path, started)}"
    return f"{said}; text that a spreadsheet would run begins with an apostrophe"
