"""Exports of an experiment: a report, every score as lines, the whole frame, or all of it for
another machine; the file's ending chooses."""

from __future__ import annotations

from pathlib import Path

from ragtui.experiments import carried, result_shapes, wording
from ragtui.experiments.database import StoreError
from ragtui.experiments.finished_frame import cells_frame
from ragtui.experiments.gates import Gates, judge
from ragtui.experiments.reports import ReportError, check_place, csv_report, forms, write_content, write_report
from ragtui.experiments.results import Results
from ragtui.experiments.scores_file import write_scores
from ragtui.experiments.stored_results import StoredResults
from ragtui.workspace import replacing


def export(results: Results, path: Path, raw_cells: bool = False) -> str:
    """Writes one file, replacing an older one whole, and returns what to say about it.

    Raises:
        ReportError: nothing has that ending. StoreError: the file cannot be written.
    """
    ending = path.suffix.lower()
    if result_shapes.shape_of(path) is not None and not raw_cells:
        check_place(path)
        return result_shapes.write_shape(results, path)
    known = sorted({*result_shapes.SHAPES, *forms(), ".jsonl", ".parquet", carried.SUFFIX})
    if ending not in known:
        raise ReportError(f"{path}: exports end in {', '.join(known)}")
    if raw_cells and ending != ".csv":
        raise ReportError("--raw-cells is for .csv only")
    check_place(path)
    if ending in (".jsonl", ".parquet", carried.SUFFIX):
        if not isinstance(results, StoredResults):
            raise ReportError(f"{path}: {ending} is for experiments of the workspace, not for result files")
        if ending == carried.SUFFIX:
            return carried.write_experiment(results, path)
        if ending == ".parquet":
            return _write_frame(results, path)
        return f"wrote {wording.count(write_scores(results, path), 'score')} to {path}"
    judgement = judge(results, Gates())
    if raw_cells:
        write_content(path, csv_report.render(results, judgement, raw_cells=True))
    else:
        write_report(results, judgement, path)
    note = "; text that a spreadsheet would run begins with an apostrophe" if ending == ".csv" and not raw_cells else ""
    return f"wrote {path}{note}"


def _write_frame(results: StoredResults, path: Path) -> str:
    frame = cells_frame(results.store, results.number, results.plan)
    try:
        with replacing(path) as stream:
            frame.write_parquet(stream, compression="zstd")
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}; nothing was written") from error
    return f"wrote {wording.count(frame.height, 'score')} to {path}"
