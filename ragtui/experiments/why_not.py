"""Why a metric has no score for a case before anything is computed or asked."""

from __future__ import annotations

from ragtui.experiments.case_inputs import GIVEN
from ragtui.judges.judge import Judge
from ragtui.metrics.metric import Metric
from ragtui.metrics.score import Inputs, Outcome, State, not_applicable
from ragtui.targets.target import Response

NEEDS_JUDGMENTS = "needs judged documents: a dataset of corpus, queries and judgments"


def why_not(metric: Metric, response: Response, inputs: Inputs, judge: Judge) -> Outcome | None:
    """The outcome of a cell that needs no computing: its target failed, an input is not there, the judge cannot answer
    such questions. ``None`` where it can be scored."""
    if response.state is State.TARGET_ERROR and any(name in GIVEN for name in (*metric.inputs, *metric.optional)):
        return Outcome(State.TARGET_ERROR, cause=response.cause, reason=response.message)
    if metric.score is None and metric.question is None:
        return not_applicable(NEEDS_JUDGMENTS)
    missing = [name for name in metric.inputs if name not in inputs]
    if missing:
        return not_applicable(f"no {' and no '.join(missing)}")
    if metric.score is not None:
        return None
    assert metric.question is not None
    refusal = judge.refuses(metric.question)
    return not_applicable(refusal) if refusal is not None else None
