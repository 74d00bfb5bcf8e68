"""Short ways to ask a judge in a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragtui.judges.concurrency import Concurrency
from ragtui.judges.engine import Asked, ask_all
from ragtui.judges.judge import Judge, Question, Verdict
from ragtui.judges.openai import OpenAIJudge
from ragtui.judges.profile import Profile
from ragtui.judges.retry import Patience
from ragtui.workspace import Workspace

HASTY = Patience(first_wait=0.005, longest_wait=0.02, longest_asked_wait=0.03)
NOWHERE = Workspace(Path("/nowhere"))


def model_judge(
    url: str, model: str = "fake", *, strategy: str = "rubric", key: str = "secret-of-the-test", **settings: Any
) -> OpenAIJudge:
    profile = Profile("the judge", "openai", model, url, strategy=strategy, **settings)
    return OpenAIJudge(profile, key, patience=HASTY)


def question(number: int = 1, name: str = "groundedness", **inputs: Any) -> Question:
    case = {
        "query": f"When does gate {number} open?",
        "context": ("The gate opens at nine.",),
        "response": "At nine.",
        "ground_truth": ("Nine",),
    }
    return Question(name, case | inputs)


async def verdicts(judge: Judge, questions: dict[Any, Question], **how: Any) -> dict[Any, Verdict]:
    found, _ = await round_of(judge, questions, **how)
    return found


async def round_of(
    judge: Judge, questions: dict[Any, Question], in_flight: int = 8, **how: Any
) -> tuple[dict[Any, Verdict], Asked]:
    found: dict[Any, Verdict] = {}

    def keep(key: Any, verdict: Verdict) -> None:
        assert key not in found, "a verdict was handed on twice"
        found[key] = verdict

    try:
        asked = await ask_all(
            judge, questions.items(), on_verdict=keep, concurrency=how.pop("concurrency", Concurrency(in_flight)), **how
        )
    finally:
        await judge.close()
    return found, asked
