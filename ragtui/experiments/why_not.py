"""Why a metric has no score for a case before anything is computed or asked."""

from __future__ import annotations

from ragtui.experiments.case_inputs import GIVEN
from ragtui.judges.applicability import why_nothing
from ragtui.judges.judge import Judge, Question
from ragtui.metrics.metric import Kind, Metric
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


def will_not(metric: Metric, inputs: Inputs, recorded: bool) -> str | None:
    """Why a case that ``why_not`` lets pass will have no score after all, as far as that can be known for nothing: inputs that
    are there but blank, measures that a ``recorded`` answer does not have. Each metric is asked itself, so that both say the
    same; only code of the user's own, which may do anything, is left to the run."""
    if metric.question is not None:
        return why_nothing(Question(metric.question, inputs, rubric=metric.rubric))
    if metric.score is None or metric.kind is Kind.CODE:
        return None
    measured = metric.kind is Kind.OPERATIONAL
    if (measured and not recorded) or not (measured or any(_is_blank(value) for value in inputs.values())):
        return None
    outcome = metric.score(inputs)
    return outcome.reason if outcome.state is State.NOT_APPLICABLE else None


def _is_blank(value: str | tuple[str, ...]) -> bool:
    return not any(text.strip() for text in ((value,) if isinstance(value, str) else value))
