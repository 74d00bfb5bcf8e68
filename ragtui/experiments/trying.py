"""One metric on one case, without an experiment: what it was given, what the judge was sent and said, what came of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from ragtui.datasets.case_ids import CASE_ID
from ragtui.datasets.dataset import Dataset, Shape
from ragtui.experiments.case_inputs import InputColumns, origins, query_frame, target_cases
from ragtui.experiments.code_sessions import CodeSessions
from ragtui.experiments.why_not import why_not
from ragtui.judges.judge import Judge, JudgeStopped, Question, Verdict
from ragtui.judges.profile import open_judge, profile
from ragtui.metrics.metric import Kind, Metric
from ragtui.metrics.own.code_score import SESSION, CodeScore
from ragtui.metrics.score import Inputs, Outcome, State, not_applicable
from ragtui.targets import open_target
from ragtui.targets.target import Case, Response
from ragtui.workspace import Workspace

LISTED = 20  # documents of a ranking that are shown


class TryError(ValueError):
    """There is nothing to try the metric on; the message is one line with the remedy."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one try. ``inputs`` are as the metric saw them, ``came_from`` says where each was found, ``prompt``
    and ``reply`` are the judge's, byte for byte (untrusted)."""

    metric: Metric
    case_id: str
    inputs: Inputs
    outcome: Outcome
    came_from: Mapping[str, str] = field(default_factory=dict)
    prompt: str | None = None
    reply: str | None = None
    judge: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> bool | None:
        return None if self.outcome.score is None else self.metric.passes(self.outcome.score)


def try_metric(
    metric: Metric,
    dataset: Dataset,
    workspace: Workspace,
    *,
    case_id: str | None = None,
    candidate: str = "recorded",
    judge: str = "embedded",
    strategy: str = "auto",
    mapping: Mapping[str, str] | None = None,
) -> Trial:
    """Scores one case (the first without ``case_id``) by one metric; blocks, with an event loop of its own.

    Raises:
        TryError: there is no such case, or none at all.
        TargetError, JudgeError: they cannot be used.
    """
    position, found = _place(dataset, case_id)
    start = time.perf_counter()
    try:
        if dataset.shape is Shape.RETRIEVAL:
            trial = asyncio.run(_on_query(metric, dataset, workspace, position, found, candidate))
        else:
            trial = asyncio.run(
                _on_case(metric, dataset, workspace, position, candidate, judge, strategy, dict(mapping or {}))
            )
    finally:
        if isinstance(metric.score, CodeScore):
            metric.score.close()
    return Trial(
        metric, found, trial.inputs, trial.outcome, trial.came_from, trial.prompt, trial.reply, trial.judge,
        time.perf_counter() - start,
    )  # fmt: skip


def _place(dataset: Dataset, case_id: str | None) -> tuple[int, str]:
    ids = query_frame(dataset)["query_id"] if dataset.cases is None else dataset.cases[CASE_ID]
    if not ids.len():
        raise TryError(f"{dataset.path}: there is no case to try a metric on")
    if case_id is None:
        return 0, str(ids[0])
    places = (ids == case_id).arg_true()
    if not places.len():
        some = ", ".join(ids.head(3).to_list())
        raise TryError(f"{dataset.path} has no case {case_id!r}; it begins with {some}")
    return int(places[0]), case_id


async def _answer(
    dataset: Dataset, workspace: Workspace, position: int, spec: str, mapping: Mapping[str, str]
) -> Response:
    case: Case = target_cases(dataset, mapping, [position])[0]
    target = open_target(spec, dataset, workspace)
    try:
        async for response in target.respond([case]):
            return response
    finally:
        await target.close()
    return Response(case.case_id, State.PENDING)


async def _on_case(
    metric: Metric,
    dataset: Dataset,
    workspace: Workspace,
    position: int,
    candidate: str,
    judge: str,
    strategy: str,
    mapping: dict[str, str],
) -> Trial:
    where = {metric.name: origins(metric, dataset, mapping)}
    response = await _answer(dataset, workspace, position, candidate, mapping)
    inputs = InputColumns(dataset, where).part(position, 1).inputs(position, response, where[metric.name])
    came_from = {name: found.reference for name, found in where[metric.name].items()}
    asked = open_judge(profile(judge, workspace, strategy=strategy))
    try:
        if response.state is State.PENDING:
            outcome: Outcome | None = Outcome(State.PENDING, reason="no response is recorded for this case")
        else:
            outcome = why_not(metric, response, inputs, asked)
        verdict: Verdict | None = None
        if outcome is None and metric.question is not None:
            verdict = await _asked(asked, Question(metric.question, inputs, metric.version, 1, metric.rubric))
            outcome = _of_verdict(metric, verdict)
        elif outcome is None:
            outcome = await asyncio.to_thread(_computed, metric, dataset, position, response, inputs)
    finally:
        await asked.close()
    prompt, reply = (verdict.prompt, verdict.reply) if verdict is not None else (None, None)
    return Trial(metric, "", inputs, outcome, came_from, prompt, reply, asked.name if verdict is not None else "")


async def _asked(judge: Judge, question: Question) -> Verdict:
    try:
        return await judge.ask(question)
    except JudgeStopped as stopped:
        return Verdict(State.JUDGE_ERROR, cause="auth", reason=str(stopped))


def _of_verdict(metric: Metric, verdict: Verdict) -> Outcome:
    if verdict.state is State.SCORED:
        return metric.from_verdict(verdict.score, verdict.reason, verdict.evidence)
    return Outcome(verdict.state, cause=verdict.cause, reason=verdict.reason, evidence=verdict.evidence)


def _computed(metric: Metric, dataset: Dataset, position: int, response: Response, inputs: Inputs) -> Outcome:
    assert metric.score is not None
    if metric.kind is Kind.CODE:
        inputs = {**inputs, SESSION: CodeSessions(dataset).of(position, response, inputs)}
    try:
        return metric.score(inputs)
    except Exception as error:
        return Outcome(State.METRIC_ERROR, cause="exception", reason=f"{type(error).__name__}: {error}")


async def _on_query(
    metric: Metric, dataset: Dataset, workspace: Workspace, position: int, query: str, candidate: str
) -> Trial:
    """A ranking metric on one query: its judged documents and the top of its ranking are the inputs."""
    import polars as pl

    from ragtui.experiments.planning import default_run
    from ragtui.metrics.rankings.ranking import evaluate

    if metric.ranking is None or dataset.qrels is None:
        return Trial(metric, query, {}, not_applicable("needs responses to questions; these are judged documents"))
    response = await _answer(
        dataset, workspace, position, default_run(dataset) if candidate == "recorded" else candidate, {}
    )
    schema = {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
    rows = [(query, doc, score) for doc, score in response.ranking or ()]
    run = pl.DataFrame(rows, schema=schema, orient="row")
    row = evaluate(dataset.qrels, run, [metric], [query]).row(0, named=True)
    judged = dataset.qrels.filter(pl.col("query_id") == query).sort("grade", descending=True)
    inputs = {
        "qrels": tuple(f"{doc}  grade {grade}" for doc, grade in judged.select("doc_id", "grade").iter_rows()),
        "run": tuple(f"{doc}  {score:.6g}" for _, doc, score in rows[:LISTED]),
    }
    outcome = Outcome(State(row["state"]), row["score"], reason=row["reason"])
    return Trial(metric, query, inputs, outcome, {"qrels": "the judgments", "run": candidate})
