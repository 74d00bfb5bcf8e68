"""Result files of other tools, opened as read-only experiments: any table with an id and columns of scores.

Scores keep their states: text such as "(Failed)" and NaN are ``judge_error`` (cause ``imported``), empty cells are
``pending``; neither is ever a number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import polars as pl

from ragtui.datasets.case_ids import CASE_ID, NAME, identify, own_id_column
from ragtui.datasets.check import CannotOpen, open_dataset
from ragtui.datasets.containers import reading_of
from ragtui.datasets.dataset import Role
from ragtui.datasets.findings import Level, Report
from ragtui.datasets.formats import Source
from ragtui.experiments import tally
from ragtui.experiments.benchmark_results import benchmark_frame
from ragtui.experiments.grouping import sources
from ragtui.experiments.metrics_file import MetricsFile, Setting, known_metric
from ragtui.experiments.plan import Plan, PlannedMetric, Side
from ragtui.experiments.progress import Status
from ragtui.experiments.recomputed import FACTS, again, facts_of, nested_scores
from ragtui.experiments.results import CaseDetail, Cell, MetricComparison, MetricSummary, SideDetail
from ragtui.metrics.score import Evidence, State

IMPORTED: Final = "imported"
NOT_JSON: Final = "JSON005"  # the rule on NaN and Infinity
_NO_SCORE: Final = re.compile(
    r"\s*[\(\[]?\s*(nan|failed|error(ed)?|exception|unscored|none|inf(inity)?|-inf(inity)?)\s*[\)\]]?\s*", re.IGNORECASE
)
_NOT_A_SCORE: Final = re.compile(
    r"(^|[._ ])(id|line|row|index|rank|seed|year|start|end|position|passed|pass|result|label|threshold|status|cause"
    r"|count|page|version|tokens?|total_tokens|k|num|success|line_number|promptIdx|testIdx)$",
    re.IGNORECASE,
)
_UNSCORED: Final = ("unscored", "failed", "error", "errored")


@dataclass(frozen=True)
class _Table:
    name: str
    format: str
    frame: pl.DataFrame
    roles: Mapping[str, Role]
    failed: frozenset[tuple[int, str]] = frozenset()  # line and column of cells that JSON has no number for
    remarks: tuple[str, ...] = ()


def open_result_file(path: Path, settings: MetricsFile | None = None) -> ImportedResults:
    """Opens a result file; ``settings`` give scales, directions and thresholds of its metrics.

    Raises:
        CannotOpen: it is not there, holds no row, or no column of scores.
    """
    table = _with_nested(_read(path))
    if not table.frame.height:
        raise CannotOpen(f"{path}: holds no row, so there is nothing to show or to pass")
    columns = _score_columns(table)
    if not columns:
        raise CannotOpen(f"{path}: no column holds scores; its columns are {', '.join(_names(table.frame))}")
    metrics = tuple(_planned(name, table, column, settings) for name, column in columns.items())
    plan = Plan(table.name, table.format, "", metrics, candidate=str(path), judge=IMPORTED, judge_model=IMPORTED)
    return ImportedResults(path, plan, table, columns)


def _read(path: Path) -> _Table:
    if path.is_dir() or path.suffix.lower() == ".json":
        frame = benchmark_frame(path)
        if frame is not None:
            return _Table(path.stem, "results", frame, {})
    try:
        dataset, report = open_dataset(str(path))
    except CannotOpen:
        return _raw(path)
    if dataset.cases is None:
        raise CannotOpen(f"{path}: a retrieval set, not a table of scores")
    roles = {each.name: each.role for each in dataset.columns if each.role is not Role.IGNORED}
    return _Table(dataset.name, dataset.format, dataset.cases, roles, *_faults(report))


def _with_nested(table: _Table) -> _Table:
    """The table with Pinecone's figures, which lie inside one column, as columns of their own."""
    nested = nested_scores(table.frame)
    columns = [pl.Series(name, values, dtype=pl.String) for name, values in nested.items()]
    return replace(table, frame=table.frame.with_columns(columns)) if nested else table


def _raw(path: Path) -> _Table:
    """A table that is no dataset: only ids and scores."""
    if not path.is_file():
        raise CannotOpen(f"{path}: no such file")
    if not path.stat().st_size:
        raise CannotOpen(f"{path}: holds no row, so there is nothing to show or to pass")
    reading = reading_of(Source(path, str(path)))
    table = reading.table
    if table is None:
        raise CannotOpen(f"{path}: not a table (neither CSV, JSON, JSONL nor XLSX)")
    own = own_id_column(table)
    frame, _ = identify(table, [name for name in table.names if name != own], None, own)
    return _Table(path.stem, "results", frame, {own: Role.ID} if own else {}, *_faults(reading.report))


def _faults(report: Report) -> tuple[frozenset[tuple[int, str]], tuple[str, ...]]:
    """The cells that hold NaN, and what else is wrong with the file, one line each."""
    failed = frozenset((each.line, each.field) for each in report.findings if each.code == NOT_JSON and each.field)
    told = [each for each in report.findings if each.level is not Level.INFO]
    return failed, tuple(f"{each.file}:{each.line}: {each.message}" for each in told)


def _names(frame: pl.DataFrame) -> list[str]:
    return [name for name in frame.columns if not name.startswith("_")]


def _score_columns(table: _Table) -> dict[str, str]:
    """Metric by column: every column whose filled cells are numbers, or words for a score that failed."""
    found = {}
    for name in _names(table.frame):
        role = table.roles.get(name, Role.IGNORED)
        if role not in (Role.IGNORED, Role.INPUT) or (_NOT_A_SCORE.search(name) and known_metric(name) is None):
            continue
        if table.frame.schema[name] == pl.String and _holds_scores(table.frame[name]):
            if _is_double(name, table.frame):
                continue
            short = _metric_name(name)
            found[short if short not in found else name.removeprefix("outputs.")] = name
    if table.format == "results":
        found |= {name: name for name in _empty_columns(table)}
    if not found and "status" in table.frame.columns:
        found["score"] = "score"
    return found


def _is_double(name: str, frame: pl.DataFrame) -> bool:
    """Whether a column only repeats another one, as Azure writes each score twice: ``bleu`` and ``bleu_score``."""
    other = name.removesuffix("_score")
    return name.startswith("outputs.") and other != name and other in frame.columns and frame[name].equals(frame[other])


def _empty_columns(table: _Table) -> list[str]:
    """Columns that hold nothing at all: metrics of which no row was scored."""
    return [
        name
        for name in _names(table.frame)
        if name not in table.roles and not _NOT_A_SCORE.search(name) and not table.frame[name].drop_nulls().len()
    ]


def _holds_scores(column: pl.Series) -> bool:
    filled = [cell for cell in column.drop_nulls() if cell.strip()]
    kinds = {_kind(cell) for cell in filled}
    return bool(filled) and kinds <= {"number", "failed"} and "number" in kinds


def _kind(cell: str) -> str:
    if _number(cell) is not None:
        return "number"
    return "failed" if _NO_SCORE.fullmatch(cell) else "text"


def _number(cell: str) -> float | None:
    if cell.strip().lower() in ("true", "false"):
        return float(cell.strip().lower() == "true")
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _metric_name(column: str) -> str:
    return column.rpartition("outputs.")[2].rpartition(".")[2] if column.startswith("outputs.") else column


def _planned(name: str, table: _Table, column: str, settings: MetricsFile | None) -> PlannedMetric:
    """What is known of an imported metric: the file's word, else the shipped metric's if the scores fit its scale."""
    values = (
        [n for cell in table.frame[column].drop_nulls() if (n := _number(cell)) is not None]
        if (column in table.frame.columns)
        else []
    )
    said = settings.settings.get(name, Setting()) if settings else Setting()
    known = known_metric(name)
    fits = known is not None and all(known.on_scale(value) for value in values)
    scale = known.scale if known is not None and fits else _guessed_scale(values)
    scale = (said.low if said.low is not None else scale[0], said.high if said.high is not None else scale[1])
    default = known.threshold if known is not None and fits and name not in _silenced(settings) else None
    higher = said.higher_is_better
    if higher is None:
        higher = known.higher_is_better if known is not None else True
    threshold = said.threshold if said.threshold is not None else default
    return PlannedMetric(name, IMPORTED, threshold, scale=scale, higher_is_better=higher, kind=IMPORTED)


def _silenced(settings: MetricsFile | None) -> set[str]:
    """Metrics whose threshold in the file cannot be meant: they are shown without pass or fail."""
    if settings is None:
        return set()
    return {fault.rpartition(" for ")[2] for fault in settings.faults}


def _guessed_scale(values: Sequence[float]) -> tuple[float | None, float | None]:
    if values and min(values) >= 0 and max(values) <= 1:
        return 0.0, 1.0
    if values and min(values) >= 1 and max(values) <= 5:
        return 1.0, 5.0
    return None, None


class ImportedResults:
    """A result file as an experiment with the candidate side alone."""

    def __init__(self, path: Path, plan: Plan, table: _Table, columns: Mapping[str, str]) -> None:
        self.experiment = path.name
        self.plan = plan
        self.status = Status.FINISHED
        self.metrics = tuple(each.spec for each in plan.metrics)
        self.cluster: str | None = None
        self.slicing: tuple[str, ...] = ()
        self._table, self._columns = table, columns
        frame = table.frame.with_row_index("position")
        self.cases = frame.select("position", pl.col(CASE_ID).alias("case_id"), pl.col(NAME).alias("name"))
        self._cells = {name: self._read_cells(column) for name, column in columns.items()}
        self._scores = {name: cells["score"].to_list() for name, cells in self._cells.items()}
        self._again = again(frame, columns, self._scores)
        self._facts = facts_of(frame)
        ids = self.cases["case_id"].to_list()
        told = (found.remark(name, ids, self._scores[name]) for name, found in self._again.items())
        self.remarks = (*table.remarks, *told)

    def _read_cells(self, column: str) -> pl.DataFrame:
        frame = self._table.frame
        cells = frame[column].to_list() if column in frame.columns else [None] * frame.height
        status = frame["status"].to_list() if "status" in frame.columns else [None] * frame.height
        lines = frame["_line"].to_list()
        broken = [(line, column) in self._table.failed for line in lines]
        rows = [self._state(cell, said, nan) for cell, said, nan in zip(cells, status, broken, strict=True)]
        states, scores = [state.value for state, _ in rows], [score for _, score in rows]
        return self.cases.select("position").with_columns(
            pl.Series("state", states, dtype=tally.STATES), pl.Series("score", scores, dtype=pl.Float64)
        )

    @staticmethod
    def _state(cell: str | None, status: str | None, nan: bool) -> tuple[State, float | None]:
        score = _number(cell) if cell is not None and cell.strip() else None
        if score is not None:
            return State.SCORED, score
        failed = nan or (cell is not None and cell.strip()) or (status or "").lower() in _UNSCORED
        return (State.JUDGE_ERROR if failed else State.PENDING), None

    def folded(self, metric: PlannedMetric) -> pl.DataFrame:
        cells = self._cells[metric.spec].with_columns(
            side=pl.lit(Side.CANDIDATE.value, tally.SIDES), metric=pl.lit(metric.spec), repeat=pl.lit(1, pl.UInt16)
        )
        folded = tally.folded(cells, metric, Side.CANDIDATE, self.cases["position"], State.PENDING)
        if len(self.metrics) > 1 or metric.threshold is not None or "passed" not in self._table.frame.columns:
            return folded
        said = [_number(cell) if cell is not None else None for cell in self._table.frame["passed"]]
        passed = pl.Series("passed", [None if value is None else value > 0 for value in said], dtype=pl.Boolean)
        return folded.with_columns(passed)

    @property
    def stale(self) -> tuple[str, ...]:
        return ()

    @property
    def why_unfinished(self) -> str:
        return ""

    def summaries(self) -> list[MetricSummary]:
        named = None
        if self.cluster is not None:
            named = self.cases.join(sources(self, self.cluster), on="case_id", how="left", maintain_order="left")[
                "source"
            ]
        return [tally.summary(self.folded(each), each, Side.CANDIDATE, named) for each in self.plan.metrics]

    def comparisons(self) -> list[MetricComparison]:
        return []

    def rows(self, side: Side = Side.CANDIDATE) -> pl.DataFrame:
        out = tally.rows(self.cases, {each.spec: self.folded(each) for each in self.plan.metrics})
        nothing = pl.lit(None, pl.String)
        return out.drop("position").with_columns(cause=nothing, label=nothing, note=nothing)

    def fields(self) -> pl.DataFrame:
        """``case_id`` and every column of the file that is no score."""
        return self.texts()

    def texts(self, side: Side = Side.CANDIDATE, case_ids: Sequence[str] | None = None) -> pl.DataFrame:
        """Every column that is no score, as the file has it."""
        taken = {*self._columns.values(), *(name for name, role in self._table.roles.items() if role is Role.ID)}
        frame = self._table.frame
        texts = [name for name in _names(frame) if name not in taken and frame.schema[name] == pl.String]
        return _only(frame.select(pl.col(CASE_ID).alias("case_id"), *texts), case_ids)

    def reasons(self, side: Side = Side.CANDIDATE, case_ids: Sequence[str] | None = None) -> pl.DataFrame:
        frame = self._table.frame
        out = frame.select(pl.col(CASE_ID).alias("case_id"))
        for name, column in self._columns.items():
            told = next((each for each in (f"{column}_reason", f"{column}.reason") if each in frame.columns), None)
            reason = pl.lit(None, pl.String) if told is None else frame[told]
            out = out.with_columns(reason.alias(f"{name} reason"))
            if name in self._again:
                said = [self._again[name].said(row, score) or None for row, score in enumerate(self._scores[name])]
                both = pl.concat_str(
                    pl.Series(said, dtype=pl.String), f"{name} reason", separator="; ", ignore_nulls=True
                )
                out = out.with_columns(both.replace("", None).alias(f"{name} reason"))
        return _only(out, case_ids)

    def detail(self, case_id: str) -> CaseDetail:
        found = self.rows().filter(pl.col("case_id") == case_id)
        if not found.height:
            raise KeyError(case_id)
        row = {**found.row(0, named=True), "position": self.cases["case_id"].index_of(case_id)}
        reasons = self.reasons().filter(pl.col("case_id") == case_id).row(0, named=True)
        texts = self.texts().filter(pl.col("case_id") == case_id).row(0, named=True)
        facts = self._facts[int(row["position"])] if self._facts is not None else None
        cells = tuple(
            self._cell(each, row, reasons.get(f"{each.spec} reason"), (facts or ()) if each.spec in FACTS else ())
            for each in self.plan.metrics
        )
        roles = self._table.roles
        inputs = {name: text for name, text in texts.items() if roles.get(name) is Role.INPUT and text is not None}
        expected = {name: text for name, text in texts.items() if roles.get(name) is Role.EXPECTED and text is not None}
        answered = next((text for name, text in texts.items() if roles.get(name) is Role.RESPONSE), None)
        side = SideDetail(Side.CANDIDATE, State.SCORED, "", answered, (), (), None, cells)
        return CaseDetail(case_id, row["name"], inputs, expected, (side,), {})

    @staticmethod
    def _cell(
        metric: PlannedMetric, row: Mapping[str, Any], reason: str | None, evidence: tuple[Evidence, ...]
    ) -> Cell:
        state = State(row[f"{metric.spec} state"])
        cause = IMPORTED if state is State.JUDGE_ERROR else None
        score, passed = row[metric.spec], row[f"{metric.spec} passed"]
        return Cell(
            metric.spec, Side.CANDIDATE, 1, state, cause, score, passed, metric.threshold, reason or "", evidence
        )

    def causes(self, side: Side = Side.CANDIDATE) -> Mapping[str, int]:
        return {}

    def labelled(self, side: Side = Side.CANDIDATE) -> Mapping[str, int]:
        return {}


def _only(frame: pl.DataFrame, case_ids: Sequence[str] | None) -> pl.DataFrame:
    return frame if case_ids is None else frame.filter(pl.col("case_id").is_in(list(case_ids)))
