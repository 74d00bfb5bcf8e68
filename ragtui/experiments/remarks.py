"""What has to be said beside an experiment's figures, wherever they are shown."""

from __future__ import annotations

from typing import Final

from ragtui.experiments.plan import Plan
from ragtui.experiments.planning import judged_by_another_version

HEURISTIC: Final = (
    "The embedded judge is a heuristic: it compares words, numbers, names and negations, and is weak outside English."
)
OLD_JUDGE: Final = (
    "These scores are of another version of the embedded judge than the one installed: run it again for current ones."
)


def judge_is_heuristic(plan: Plan) -> bool:
    """Whether any score of the plan is the embedded judge's."""
    return plan.judge_model == "embedded" and any(each.question for each in plan.metrics)


def remarks(plan: Plan) -> list[str]:
    """Sentences for people who read the figures: what the judge is, and whether its scores are current."""
    said = [HEURISTIC] if judge_is_heuristic(plan) else []
    return [*said, OLD_JUDGE] if judged_by_another_version(plan) else said
