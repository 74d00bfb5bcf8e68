"""Retrieval runs in any of the forms tools write them: TREC, JSON lines (a hit or a ranking a line), MTEB predictions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ragtui.datasets.findings import Finding, Level, Report
from ragtui.datasets.formats.beir.frames import read_part
from ragtui.datasets.formats.beir.lines import read_trec_run
from ragtui.datasets.formats.beir.parts import is_predictions, kind_of_lines
from ragtui.datasets.plain_hits import plain_hits
from ragtui.datasets.rules import rule

if TYPE_CHECKING:
    import polars as pl


def read_run(path: Path, file: str, report: Report) -> pl.DataFrame:
    """A run as ``query_id, doc_id, score, line`` (line 0 in a predictions file). Rankings without scores are given falling
    ones: as many as there are hits, down to 1. What cannot be read is a finding."""
    if (plain := plain_hits(path)) is not None:
        return plain
    kind = kind_of_lines(path)
    if kind == "rankings":
        return read_part("rankings", path, file, report).pairs("score")
    if kind in ("hits", "qrels"):
        return read_part("hits", path, file, report).pairs("score")
    if is_predictions(path):
        return _predictions(path, file, report)
    mine = Report(file)
    frame = read_trec_run(path, mine)
    report.merge(mine)
    return frame


@rule("BEIR301", "no-predictions", example='{"q1": {"d1": "high"}}', remedy="map each query id to {document id: score}")
def no_predictions(file: str, what: str) -> Finding:
    """A predictions file does not map query ids to the scores of documents, so no run can be made of it."""
    return Finding("BEIR301", Level.ERROR, f"not a run: {what}", file=file)


def _predictions(path: Path, file: str, report: Report) -> pl.DataFrame:
    import polars as pl

    queries: list[str] = []
    documents: list[str] = []
    scores: list[float] = []
    try:
        content = msgspec.json.decode(path.read_bytes())
    except (msgspec.MsgspecError, RecursionError) as error:
        report.add(no_predictions(file, str(error)))
        content = {}
    for query, hits in _by_query(content).items():
        for document, score in hits.items():
            if isinstance(score, int | float) and not isinstance(score, bool):
                queries.append(query)
                documents.append(document)
                scores.append(float(score))
            else:
                report.add(no_predictions(file, f'the score of "{document}" for query "{query}" is no number'))
    line = pl.Series("line", [0] * len(queries), dtype=pl.UInt32)
    return pl.DataFrame(
        [
            pl.Series("query_id", queries, dtype=pl.String),
            pl.Series("doc_id", documents, dtype=pl.String),
            pl.Series("score", scores, dtype=pl.Float64),
            line,
        ]
    )


def _by_query(content: Any) -> dict[str, dict[str, Any]]:
    """``{query: {document: score}}``, also where it lies below a subset and a split."""
    if not isinstance(content, dict):
        return {}
    found: dict[str, dict[str, Any]] = {}
    for key, inner in content.items():
        if not isinstance(inner, dict):
            continue
        if any(isinstance(value, dict) for value in inner.values()):
            found.update(_by_query(inner))
        else:
            found[key] = inner
    return found
