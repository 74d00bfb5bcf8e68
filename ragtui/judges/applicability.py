"""What every judge leaves unjudged, whatever it is: a case without the texts that a question is about."""

from __future__ import annotations

from ragtui.judges.judge import Question
from ragtui.metrics.score import Inputs


def why_nothing(question: Question) -> str | None:
    """Why there is nothing to judge, or ``None``."""
    inputs, name = question.inputs, question.name
    if name == "groundedness" and not text_of(inputs, "response").strip():
        return "the response is empty: nothing to verify"
    if name == "groundedness" and not texts_of(inputs, "context"):
        return "there is no context to verify the response against"
    if name == "retrieval" and not texts_of(inputs, "context"):
        return "there is no context"
    if name in ("relevance", "retrieval") and not text_of(inputs, "query").strip():
        return "there is no question"
    if name in ("similarity", "response_completeness", "facts") and not texts_of(inputs, "ground_truth"):
        return "there is no ground truth to compare with"
    return None


def text_of(inputs: Inputs, name: str) -> str:
    """An input as one text, empty where it is absent."""
    value = inputs.get(name, "")
    return value if isinstance(value, str) else "\n\n".join(value)


def texts_of(inputs: Inputs, name: str) -> tuple[str, ...]:
    """An input as a list of texts, blank ones left out."""
    value = inputs.get(name, ())
    return tuple(each for each in ((value,) if isinstance(value, str) else value) if each.strip())
