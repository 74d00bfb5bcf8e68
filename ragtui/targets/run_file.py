"""Rankings from a run file: ``run:FILE`` in TREC form, as JSON lines (a hit or a ranking a line) or MTEB predictions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragtui.datasets.dataset import Dataset, Shape
from ragtui.targets.files import find_file
from ragtui.targets.target import Case, Response, TargetError
from ragtui.workspace import Workspace

if TYPE_CHECKING:
    import polars as pl

KIND: Final = "run"


def open_kind(rest: str, dataset: Dataset, workspace: Workspace) -> RunFile:
    """Opens a run of the dataset by its name, or any run file."""
    if dataset.shape is not Shape.RETRIEVAL:
        raise TargetError(f"{dataset.path} holds test cases, no judged documents; use recorded:FILE")
    if not rest:
        names = ", ".join(f"run:{name}" for name in dataset.runs)
        raise TargetError(f"name a run file, as run:results.trec{f'; the dataset has {names}' if names else ''}")
    if rest in dataset.runs:
        return RunFile(f"run:{rest}", dataset.runs[rest])
    frame = read_run_file(find_file(rest, dataset, workspace, "run file"))
    _refuse_strangers(rest, frame, dataset)
    return RunFile(f"run:{rest}", frame)


@dataclass(frozen=True)
class RunFile:
    """Looks rankings up by query id; a query that is not in the file has an empty one."""

    spec: str
    frame: pl.DataFrame
    replays: bool = True
    host: str | None = None

    async def respond(self, cases: Sequence[Case]) -> AsyncIterator[Response]:
        for case in cases:
            yield Response(case.case_id, ranking=ranking_of(self.frame, case.case_id))

    async def rankings(self) -> pl.DataFrame:
        """``query_id, doc_id, score`` of all queries in the file."""
        return self.frame

    async def close(self) -> None:
        """Nothing is open."""


def ranking_of(frame: pl.DataFrame, query_id: str) -> tuple[tuple[str, float], ...]:
    """One query's documents with their scores, as they are ranked: equal scores by document id, both descending."""
    import polars as pl

    mine = frame.filter(pl.col("query_id") == query_id)
    order = mine.sort(pl.col("score").cast(pl.Float32), "doc_id", descending=True)
    return tuple(order.select("doc_id", "score").iter_rows())


def read_run_file(path: Path) -> pl.DataFrame:
    """``query_id, doc_id, score``, each pair once (the last of repeated ones).

    Raises:
        TargetError: a line cannot be read, or there is none.
    """
    import polars as pl

    from ragtui.datasets.findings import Level, Report
    from ragtui.datasets.formats.beir.runs import read_run

    report = Report(path.name)
    frame = read_run(path, path.name, report)
    faults = [finding for finding in report.findings if finding.level is Level.ERROR]
    if faults:
        more = f" (and {report.total(Level.ERROR) - 1} more; `ragtui check` lists them)" if len(faults) > 1 else ""
        raise TargetError(f"{path.name}:{faults[0].line}: {faults[0].message}{more}")
    if frame.is_empty():
        raise TargetError(f"{path.name}: holds no hit; a run has a query id, a document id and a score a line")
    pairs = frame.select(pl.col("query_id").hash() * 3 ^ pl.col("doc_id").hash()).to_series()
    if pairs.n_unique() == frame.height:
        return frame.select("query_id", "doc_id", "score")
    return frame.unique(["query_id", "doc_id"], keep="last", maintain_order=True).select("query_id", "doc_id", "score")


def _refuse_strangers(name: str, frame: pl.DataFrame, dataset: Dataset) -> None:
    """A run that answers none of the dataset's queries belongs to another dataset."""
    known = dataset.queries if dataset.queries is not None else dataset.qrels
    if known is None or not frame.join(known.select("query_id"), on="query_id", how="semi").is_empty():
        return
    theirs, ours = frame["query_id"][0], known["query_id"][0] if known.height else "none"
    raise TargetError(
        f"run:{name}: none of its queries is in {dataset.path} (it has {theirs!r}, the dataset {ours!r}); ids must be "
        "the same"
    )
