"""Runs a retrieval set: a ranking a side, all queries scored at once."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ragtui.datasets.dataset import Dataset
from ragtui.experiments.answering import close_target, open_targets
from ragtui.experiments.case_inputs import query_frame, target_cases
from ragtui.experiments.pinned_metrics import planned_metrics
from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.progress import Progress
from ragtui.experiments.recorder import Recorder
from ragtui.metrics.metric import Kind, Metric
from ragtui.metrics.score import State
from ragtui.targets.target import Response, Target
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
        targets = open_targets(self.plan, self.dataset, self.workspace)
        for side, spec in self.plan.sides:
            if self.progress.cancelled:
                return
            failed = {each.case_id for each in self._stored(side) if each.state.is_error}
            if all(self.recorder.has_frame(side, each.name) for each in self.metrics) and not failed:
                self._count(self.queries.height * len(self.metrics), reused=True)
                continue
            self.progress.stage = f"{side}: {spec}"
            try:
                frame = await _frame_of(targets[side])
                if frame is None:
                    await self._ask(side, targets[side])
                    frame = self._answered(side)
                self._score(side, frame)
            finally:
                await close_target(targets[side], side, self.recorder)

    async def _ask(self, side: Side, target: Target) -> None:
        """Asks for the rankings that are not stored yet, and again for those that failed; each is stored as it comes."""
        done = {each.case_id for each in self._stored(side) if not each.state.is_error}
        cases = [
            each for each in target_cases(self.dataset, {}, range(self.queries.height)) if each.case_id not in done
        ]
        positions = dict(self.queries.select("query_id", "position").iter_rows())
        async for response in target.respond(cases):
            if response.state is State.SCORED and response.ranking is None:
                told = "gave no ranking; call it ranking, retrieved_ids, or give documents with their ids"
                response = Response(response.case_id, State.TARGET_ERROR, "bad_output", told)
            self.recorder.respond(side, [(positions[response.case_id], response)])
            if self.progress.cancelled:
                break

    def _stored(self, side: Side) -> list[Response]:
        ids = self.queries["query_id"]
        found = self.recorder.responses(side, 0, self.queries.height)
        return [replace(each, case_id=ids[at]) for at, each in found.items()]

    def _answered(self, side: Side) -> pl.DataFrame:
        """``query_id, doc_id, score`` of what was stored."""
        import polars as pl

        rows = [(each.case_id, *hit) for each in self._stored(side) for hit in each.ranking or ()]
        return pl.DataFrame(
            rows, schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}, orient="row"
        )

    def _with_failures(self, frame: pl.DataFrame, side: Side) -> pl.DataFrame:
        """A metric's frame in which queries whose target failed have that state, with its cause, and no score."""
        import polars as pl

        failed = [(each.case_id, each.cause, each.message) for each in self._stored(side) if each.state.is_error]
        if not failed:
            return frame.with_columns(cause=pl.lit(None, pl.String))
        schema = {"query_id": pl.String, "cause": pl.String, "told": pl.String}
        lost = pl.col("told").is_not_null()
        return (
            frame.join(
                pl.DataFrame(failed, schema=schema, orient="row"), on="query_id", how="left", maintain_order="left"
            )
            .with_columns(
                score=pl.when(~lost).then("score"),
                state=pl.when(lost).then(pl.lit(State.TARGET_ERROR.value)).otherwise(pl.col("state").cast(pl.String)),
                reason=pl.when(lost).then("told").otherwise("reason"),
            )
            .drop("told")
        )

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
            frame = self._with_failures(frame, side)
            self.recorder.score_frame(side, metric.name, frame)
            for state, n in frame["state"].value_counts().iter_rows():
                self._count(n, State(state))

    def _not_applicable(self, metric: Metric) -> pl.DataFrame:
        import polars as pl

        return self.queries.select(
            "position",
            "query_id",
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
