"""What a response took: time, tokens, money, length. Never judged, never compared with a reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ragtui.metrics.metric import Definition, Kind, Metric
from ragtui.metrics.score import Inputs, Outcome, not_applicable, scored, texts
from ragtui.metrics.wording.words import words


def _number(inputs: Inputs, name: str) -> float | None:
    value = " ".join(texts(inputs, name)).strip()
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def latency(inputs: Inputs) -> Outcome:
    """Milliseconds from asking to the whole answer."""
    value = _number(inputs, "latency_ms")
    return not_applicable("the target gave no latency") if value is None else scored(value)


def tokens(inputs: Inputs) -> Outcome:
    """Tokens of prompt and answer together, as the target counted them."""
    prompt, completion = (_number(inputs, name) for name in ("prompt_tokens", "completion_tokens"))
    if prompt is None and completion is None:
        return not_applicable("the target gave no token counts")
    if prompt is None or completion is None:
        return not_applicable(f"the target counted no {'prompt' if prompt is None else 'completion'} tokens")
    return scored(prompt + completion, f"{prompt:g} in the prompt, {completion:g} in the answer")


def cost(inputs: Inputs) -> Outcome:
    """US dollars, as the target gave them."""
    value = _number(inputs, "cost")
    return not_applicable("the target gave no cost") if value is None else scored(value)


def answer_length(inputs: Inputs) -> Outcome:
    """Words of the response; a character is a word in scripts without spaces."""
    if "response" not in inputs:
        return not_applicable("no response")
    return scored(len(words(" ".join(texts(inputs, "response")))))


def _definition(
    name: str, summary: str, inputs: str, unit: str, score: Callable[[Inputs], Outcome], text: str, *aliases: str
) -> Definition:
    made = Metric(
        name,
        Kind.OPERATIONAL,
        summary,
        optional=tuple(inputs.split()),
        scale=(0.0, None),
        higher_is_better=False,
        unit=unit,
        score=score,
        definition=f"{text} Lower counts as better; no threshold. Reference and context play no part.",
        source="ragtui",
    )
    return Definition(made, aliases=dict.fromkeys(aliases, name))


DEFINITIONS: Final = (
    _definition(
        "latency",
        "how long did the answer take?",
        "latency_ms",
        "ms",
        latency,
        "Milliseconds from asking to the whole answer, measured by ragtui or recorded (column latency_ms or "
        "latency_s). Not applicable where unknown; an empty response has a latency too.",
        "latency_ms",
        "query_latency",
    ),
    _definition(
        "tokens",
        "how many tokens did the answer take?",
        "prompt_tokens completion_tokens",
        "tokens",
        tokens,
        "Tokens of prompt and answer as the target counted them. Not applicable where either count is unknown: nothing "
        "is estimated.",
        "total_tokens",
    ),
    _definition(
        "cost",
        "what did the answer cost?",
        "cost",
        "USD",
        cost,
        "US dollars as the target gave them. Not applicable where unknown, never 0.",
        "cost_usd",
    ),
    _definition(
        "answer_length",
        "how long is the answer?",
        "response",
        "words",
        answer_length,
        "Words of the response; in Chinese, Japanese, Thai and other scripts without spaces a character is a word. An "
        "empty response has 0.",
        "response_length",
    ),
)
