"""Runs a retrieval set: a ranking a side, all queries scored at once."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import TYPE_CHECKING, Final

from ragtui.datasets.dataset import Dataset
from ragtui.experiments.case_inputs import query_frame, target_cases
from ragtui.experiments.pinned_metrics import planned_metrics
from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.progress import Progress
from ragtui.experiments.recorder import Recorder
from ragtui.metrics.metric import Kind, Metric
from ragtui.metrics.score import State
from ragtui.targets import open_target
from ragtui.targets.target import Target, TargetError
from ragtui.workspace import Workspace

if TYPE_CHECKING:
    import polars as pl

LISTED: Final = 1_000  # documents of a ranking that are kept for looking at
NO_RESPONSES: Final = "needs responses to questions; this dataset holds judged documents"


class RetrievalRun:
    """One run over a retrieval set. ``cells`` is how many there are to do."""

    def __init__(
        self, plan: Plan, dataset: Dataset, workspace: Workspace, recorder: Recorder, progress: Progress
    ) -> None:
        self.plan, self.dataset, self.workspace = plan, dataset, workspace
        self.recorder, self.progress = recorder, progress
        self.metrics = planned_metrics(plan, workspace)
        self.queries = query_frame(dataset)
        self.cells = self.queries.height * len(plan.sides) * len(plan.metrics)
        self.stopped_by = ""
        self.judge = None
        self.questions_expected = 0

    async def run(self, executor: Executor | None = None) -> None:
        """Scores every side that is not stored yet."""
        self.progress.total = self.cells
        for side, spec in self.plan.sides:
            if self.progress.cancelled:
                return
            if all(self.recorder.has_frame(side, each.name) for each in self.metrics):
                self._count(self.queries.height * len(self.metrics), reused=True)
                continue
            self.progress.stage = f"{side}: {spec}"
            self._score(side, await self._ranking(spec))

    async def _ranking(self, spec: str) -> pl.DataFrame:
        """``query_id, doc_id, score`` of a side."""
        import polars as pl

        target = open_target(spec, self.dataset, self.workspace)
        try:
            frame: pl.DataFrame | None = await _frame_of(target)
            if frame is not None:
                return frame
            rows: list[tuple[str, str, float]] = []
            async for response in target.respond(target_cases(self.dataset, {}, range(self.queries.height))):
                if response.state is State.TARGET_ERROR:
                    raise TargetError(f"{spec}: query {response.case_id}: {response.message or response.cause}")
                rows += [(response.case_id, doc, score) for doc, score in response.ranking or ()]
                if self.progress.cancelled:
                    break
            schema = {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
            return pl.DataFrame(rows, schema=schema, orient="row")
        finally:
            await target.close()

    def _score(self, side: Side, ranking: pl.DataFrame) -> None:
        import polars as pl

        from ragtui.metrics.rankings.ranking import evaluate

        if self.progress.cancelled:
            return
        assert self.dataset.qrels is not None
        self.recorder.ranking_frame(side, _listed(ranking, self.queries))
        metrics = [each for each in self.metrics if each.kind is Kind.RETRIEVAL and each.ranking is not None]
        scores = evaluate(self.dataset.qrels, ranking, metrics, self.queries["query_id"]) if metrics else None
        for metric in self.metrics:
            if scores is not None and metric in metrics:
                mine = scores.filter(pl.col("metric") == metric.name)
                frame = self.queries.select("position", "query_id").join(mine, on="query_id", maintain_order="left")
            else:
                frame = self._not_applicable(metric)
            self.recorder.score_frame(side, metric.name, frame.with_columns(cause=pl.lit(None, pl.String)))
            for state, n in frame["state"].value_counts().iter_rows():
                self._count(n, State(state))

    def _not_applicable(self, metric: Metric) -> pl.DataFrame:
        import polars as pl

        return self.queries.select(
            "position",
            metric=pl.lit(metric.name),
            score=pl.lit(None, pl.Float64),
            state=pl.lit(State.NOT_APPLICABLE.value),
            reason=pl.lit(NO_RESPONSES),
            judged=pl.lit(False),
            in_run=pl.lit(False),
        )

    def _count(self, n: int, state: State = State.SCORED, reused: bool = False) -> None:
        self.progress.done += n
        self.progress.states[state] += n
        self.progress.reused += n if reused else 0


async def _frame_of(target: Target) -> pl.DataFrame | None:
    """All rankings of a target at once, where it has them as a frame."""
    whole = getattr(target, "rankings", None)
    return None if whole is None else await whole()


def _listed(ranking: pl.DataFrame, queries: pl.DataFrame) -> pl.DataFrame:
    """The rankings in scored order (ties by document id, descending), with the position of each query."""
    import polars as pl

    return (
        ranking.join(queries.select("position", "query_id"), on="query_id")
        .sort(pl.col("position"), pl.col("score").cast(pl.Float32), pl.col("doc_id"), descending=[False, True, True])
        .with_columns(rank=pl.int_range(1, pl.len() + 1).over("position"))
        .filter(pl.col("rank") <= LISTED)
        .select("position", "rank", "doc_id", "score")
    )
