"""An experiment of the store, opened for reading: overview, rows and one case whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

import polars as pl

from ragtui.experiments import diagnoses, labels, stored_cells, stored_texts, tally
from ragtui.experiments.frames import averaged, kept, unpacked
from ragtui.experiments.grouping import sources, stored_fields
from ragtui.experiments.labelled_answers import told_apart
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.experiments.progress import Status
from ragtui.experiments.recorder import response_of
from ragtui.experiments.results import CaseDetail, Cell, MetricComparison, MetricSummary
from ragtui.experiments.store import Entry, Store
from ragtui.metrics.score import State
from ragtui.targets.target import Response

_AT_ONCE: Final = 2_000  # cases whose cells are held in memory when all are walked
_TEXTS: Final = ", calls.prompt, calls.reply"


class StoredResults:
    """Reads one experiment as it was when opened; open it again to see what has landed since.

    ``entry`` is its line of the list. Everything is computed when asked for and kept.
    """

    def __init__(self, store: Store, number: int, entry: Entry) -> None:
        self.store = store
        self.number = number
        self.entry = entry
        self.experiment = entry.id
        self.plan = entry.plan
        self.status = entry.status
        self.metrics = tuple(each.spec for each in entry.plan.metrics)
        self.remarks = entry.remarks
        self.cluster: str | None = None
        self.slicing: tuple[str, ...] = ()
        self._folded: dict[tuple[str, Side], pl.DataFrame] = {}
        self._summarised: dict[str | None, list[MetricSummary]] = {}  # by the column that cases are clustered by
        self._compared: dict[str | None, list[MetricComparison]] = {}
        self._known_causes: dict[Side, pl.DataFrame] = {}
        self._known_frames: dict[Side, list[tuple[str, pl.DataFrame]]] = {}

    @property
    def why_unfinished(self) -> str:
        said = self.status is Status.FINISHED or self.entry.message == self.status.value
        return "" if said else self.entry.message

    @property
    def stale(self) -> tuple[str, ...]:
        """Metrics that have a newer version than the one these scores are of."""
        return self.entry.stale

    # -- overview ------------------------------------------------------------------------------------------------

    def summaries(self) -> list[MetricSummary]:
        """Per metric in the group's order, the candidate before the baseline."""
        if self.cluster not in self._summarised:
            self._summarised[self.cluster] = [
                tally.summary(
                    self.folded(metric, side), metric, side, self._sources_of(side), notes=self._notes(metric, side)
                )
                for metric in self.plan.metrics
                for side in self.sides
            ]
        return self._summarised[self.cluster]

    def comparisons(self) -> list[MetricComparison]:
        """Per metric, with Holm's p over all of them; empty without a baseline."""
        if Side.BASELINE not in self.sides:
            return []
        if self.cluster not in self._compared:
            self._compared[self.cluster] = tally.adjusted([self._comparison(metric) for metric in self.plan.metrics])
        return self._compared[self.cluster]

    def _comparison(self, metric: PlannedMetric) -> MetricComparison:
        return tally.comparison(
            self._with_sources(self.folded(metric, Side.CANDIDATE)),
            self.folded(metric, Side.BASELINE),
            metric,
            self.plan.seed,
            "source",
        )

    def _with_sources(self, folded: pl.DataFrame) -> pl.DataFrame:
        """``folded`` cases with the ``source`` of each, where cases are clustered."""
        if self.cluster is None:
            return folded
        named = self.cases.join(sources(self, self.cluster), on="case_id", how="left", maintain_order="left")
        return folded.join(named.select("position", "source"), on="position", how="left", maintain_order="left")

    def _sources_of(self, side: Side) -> pl.Series | None:
        if self.cluster is None:
            return None
        return self._with_sources(pl.DataFrame({"position": self.positions(side)}).sort("position"))["source"]

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        """The sides that have something to show: a baseline that recorded no response at all is none."""
        planned = [side for side, _ in self.plan.sides]
        return tuple(side for side in planned if side is Side.CANDIDATE or len(self.positions(side)))

    def positions(self, side: Side) -> pl.Series:
        """The cases that count on a side: all for the candidate, for the baseline those that it answered."""
        everything = self.cases["position"]
        if side is Side.CANDIDATE:
            return everything
        sql = "SELECT position FROM responses WHERE experiment = ? AND side = ? AND state = 'pending'"
        return everything.filter(~everything.is_in([row[0] for row in self.store.query(sql, self.number, side)]))

    def folded(self, metric: PlannedMetric, side: Side) -> pl.DataFrame:
        """One row a case: see ``tally.folded``."""
        key = (metric.spec, side)
        if key not in self._folded:
            cells = self.cells if self.plan.average == "default" else self._averaged(metric, side)
            self._folded[key] = tally.folded(cells, metric, side, self.positions(side), self.rest)
        return self._folded[key]

    # -- rows ----------------------------------------------------------------------------------------------------

    def rows(self, side: Side = Side.CANDIDATE) -> pl.DataFrame:
        """One row a case of that side, in the dataset's order."""
        compared = side is Side.CANDIDATE and Side.BASELINE in self.sides
        out = tally.rows(
            self.cases.filter(pl.col("position").is_in(self.positions(side).implode())),
            {each.spec: self.folded(each, side) for each in self.plan.metrics},
            {each.spec: self.folded(each, Side.BASELINE) for each in self.plan.metrics} if compared else None,
        )
        causes = self.diagnoses(side).select("position", "cause")
        out = out.join(causes, on="position", how="left", maintain_order="left")
        return out.join(self._labels(side), on="case_id", how="left", maintain_order="left").drop("position")

    def causes(self, side: Side = Side.CANDIDATE) -> Mapping[str, int]:
        """Failing rows per cause of ragtui's, the most frequent first; labelled rows are counted by ``labelled``."""
        return tally.causes(self.rows(side), self.plan.metrics)

    def labelled(self, side: Side = Side.CANDIDATE) -> Mapping[str, int]:
        """Rows per label that a person gave, failing or not."""
        return dict(Counter(self.rows(side)["label"].drop_nulls().to_list()).most_common())

    def fields(self) -> pl.DataFrame:
        """``case_id`` and every column by which cases can be grouped."""
        return stored_fields(self)

    def texts(self, side: Side = Side.CANDIDATE, case_ids: Sequence[str] | None = None) -> pl.DataFrame:
        return stored_texts.texts(self, side, case_ids)

    @cached_property
    def text_columns(self) -> dict[str, tuple[str, str]]:
        """The columns of ``texts`` and where each is stored."""
        return stored_texts.columns(self)

    def reasons(self, side: Side = Side.CANDIDATE, case_ids: Sequence[str] | None = None) -> pl.DataFrame:
        return stored_texts.reasons(self, side, case_ids)

    # -- one case ------------------------------------------------------------------------------------------------

    def detail(self, case_id: str) -> CaseDetail:
        """One case whole.

        Raises:
            KeyError: the experiment has no such case.
        """
        return stored_cells.detail(self, case_id)

    def all_cells(self) -> Iterator[tuple[str, Cell]]:
        """``(case id, cell)`` for every cell of the plan, those that were not reached too, case by case, the candidate first."""
        return stored_cells.all_cells(self)

    def responses(self, side: Side) -> Iterator[tuple[int, Response]]:
        """``(position, response)`` of all that is stored, in the dataset's order, a part at a time."""
        sql = "SELECT * FROM responses WHERE experiment = ? AND side = ? AND position >= ? AND position < ? ORDER BY position"
        for start in range(0, self.cases.height, _AT_ONCE):
            for row in self.store.query(sql, self.number, side, start, start + _AT_ONCE):
                yield row["position"], response_of(row)

    # -- frames --------------------------------------------------------------------------------------------------

    @cached_property
    def cases(self) -> pl.DataFrame:
        """``position``, ``case_id``, ``name`` in the dataset's order."""
        rows = self.store.query(
            "SELECT position, case_id, name FROM cases WHERE experiment = ? ORDER BY position", self.number
        )
        schema = {"position": pl.UInt32, "case_id": pl.String, "name": pl.String}
        return pl.DataFrame([tuple(row) for row in rows], schema=schema, orient="row")

    @cached_property
    def cells(self) -> pl.DataFrame:
        """Every stored cell, with the columns of ``tally.CELLS``."""
        if self.status is Status.FINISHED and (whole := kept(self.store.file(self.experiment))) is not None:
            return whole.select(tally.CELLS.names()).cast(tally.CELLS)
        rows = self.store.query(
            "SELECT position, side, metric, repeat, state, score FROM scores WHERE experiment = ?", self.number
        )
        frames = [pl.DataFrame([tuple(row) for row in rows], schema=tally.CELLS, orient="row")]
        for side in Side:
            for spec, frame in self.frames(side):
                bulk = frame.with_columns(side=pl.lit(side.value), metric=pl.lit(spec), repeat=pl.lit(1))
                frames.append(bulk.select(pl.col(name).cast(kind) for name, kind in tally.CELLS.items()))
        return pl.concat(frames)

    def _averaged(self, metric: PlannedMetric, side: Side) -> pl.DataFrame:
        """A ranking metric's cells as another tool averages them."""
        frame = next((frame for spec, frame in self.frames(side) if spec == metric.spec), None)
        if frame is None:
            return self.cells
        taken = averaged(frame, metric.spec, self.plan.average)
        taken = taken.with_columns(metric=pl.lit(metric.spec), side=pl.lit(side.value), repeat=pl.lit(1))
        return taken.select(pl.col(name).cast(kind) for name, kind in tally.CELLS.items())

    def frames(self, side: Side) -> list[tuple[str, pl.DataFrame]]:
        """The metrics that were computed for all cases at once."""
        if side not in self._known_frames:
            sql = "SELECT metric, frame FROM score_frames WHERE experiment = ? AND side = ?"
            found = self.store.query(sql, self.number, side)
            self._known_frames[side] = [(row["metric"], unpacked(row["frame"])) for row in found]
        return self._known_frames[side]

    @property
    def rest(self) -> State:
        """The state of cells that were not reached."""
        return State.SKIPPED if self.status is Status.CANCELLED else State.PENDING

    def diagnoses(self, side: Side) -> pl.DataFrame:
        """``position``, ``cause`` and ``evidence`` of the cases that were diagnosed."""
        if side not in self._known_causes:
            self._known_causes[side] = diagnoses.diagnoses(self, side)
        return self._known_causes[side]

    def _labels(self, side: Side) -> pl.DataFrame:
        """``case_id``, ``label`` (the last given to this answer, of whichever author), ``note``."""
        found: dict[str, tuple[str | None, str | None]] = {}
        given, _ = told_apart(self.store, self.entry, labels.labels(self.store, self.entry.source))
        for each in given:
            label, note = found.get(each.case_id, (None, None))
            if each.side is side and not each.metric:
                label = each.value or label
            found[each.case_id] = (label, each.note or note)
        rows = [(case_id, label, note) for case_id, (label, note) in found.items()]
        return pl.DataFrame(rows, schema={"case_id": pl.String, "label": pl.String, "note": pl.String}, orient="row")

    def _notes(self, metric: PlannedMetric, side: Side) -> list[str]:
        """Remarks that belong beside a mean: how many queries the run does not hold."""
        if metric.kind != "retrieval":
            return []
        notes = self._criteria(metric, side)
        for spec, frame in self.frames(side):
            if spec == metric.spec:
                absent = frame.filter(pl.col("reason") == "not in the run").height
                notes += [f"{absent} not in the run"] if absent else []
        return notes

    def _criteria(self, metric: PlannedMetric, side: Side) -> list[str]:
        """By what retrieved chunks counted as relevant, where that was found case by case: ``by answer``, or ``by id 12,
        by answer 3``."""
        sql = (
            "SELECT substr(reason, 1, instr(reason, ':') - 1) AS criterion, count(*) AS n FROM scores "
            "WHERE experiment = ? AND side = ? AND metric = ? AND state = 'scored' AND reason LIKE 'by %:%' "
            "GROUP BY criterion ORDER BY n DESC, criterion"
        )
        found = [(row["criterion"], row["n"]) for row in self.store.query(sql, self.number, side, metric.spec)]
        if len(found) < 2:
            return [criterion for criterion, _ in found]
        return [", ".join(f"{criterion} {n:,}" for criterion, n in found)]
