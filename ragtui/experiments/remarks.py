"""What has to be said beside an experiment's figures, wherever they are shown."""

from __future__ import annotations

from typing import Final

from ragtui import text
from ragtui.experiments.plan import Plan
from ragtui.experiments.planning import judged_by_another_version
from ragtui.experiments.results import Results

HEURISTIC: Final = (
    "The embedded judge is a heuristic: it compares words, numbers, names and negations, and is weak outside English."
)
OLD_JUDGE: Final = (
    "These scores are of another version of the embedded judge than the one installed: run it again for current ones."
)


_LONGEST: Final = 1_000  # characters of a remark


def judge_is_heuristic(plan: Plan) -> bool:
    """Whether any score of the plan is the embedded judge's."""
    return plan.judge_model == "embedded" and any(each.question for each in plan.metrics)


def remarks(results: Results) -> list[str]:
    """Sentences for people who read the figures: what the judge is, whether its scores are current, and what there is to
    say of the answers."""
    said = [HEURISTIC] if judge_is_heuristic(results.plan) else []
    said += [OLD_JUDGE] if judged_by_another_version(results.plan) else []
    return [*said, *(text.cell(each, _LONGEST) for each in results.remarks)]
