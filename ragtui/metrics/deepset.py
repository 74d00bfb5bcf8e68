"""deepset's answer metrics: how much of an answer is grounded, and how often there is none."""

from __future__ import annotations

from typing import Final

from ragtui.metrics.metric import Definition, Kind, Metric
from ragtui.metrics.score import Evidence, Inputs, Outcome, not_applicable, scored, texts
from ragtui.metrics.wording.refusals import LANGUAGES, refusal


def no_answer(inputs: Inputs) -> Outcome:
    """1 where the response says that there is no answer, or is empty; else 0. The reason quotes what says so."""
    if "response" not in inputs:
        return not_applicable("no response")
    response = " ".join(texts(inputs, "response"))
    if not response.strip():
        return scored(1, "the response is empty")
    found = refusal(response)
    return scored(1, f"says “{found[0]}” ({found[1]})") if found else scored(0)


def grounded_share(score: float | None, reason: str, evidence: tuple[Evidence, ...]) -> Outcome:
    """The share of sentences that the context supports; from a judge that gives no sentences its 1 to 5, scaled."""
    if evidence:
        supported = sum(each.verdict == "entailed" for each in evidence)
        return scored(
            supported / len(evidence), f"{supported} of {len(evidence)} sentences supported; {reason}", evidence
        )
    if score is None:
        return not_applicable("no sentence of the response can be verified")
    return scored((score - 1) / 4, f"from the judge's {score:g} on 1 to 5; {reason}")


DEFINITIONS: Final = (
    Definition(
        Metric(
            "groundedness_score",
            Kind.JUDGED,
            "which part of the response's sentences does the context support?",
            inputs=("response", "context"),
            optional=("query",),
            threshold=0.5,
            question="groundedness",
            derive=grounded_share,
            definition="Sentences that the context supports, divided by those that state something. A judge that gives "
            "one score from 1 to 5 and no sentences counts as (score - 1) / 4, and the reason says so. An empty "
            "response or one that states nothing, and a case without context, are not applicable. Any language the "
            "judge knows.",
            source="deepset (groundedness observability)",
        ),
    ),
    Definition(
        Metric(
            "no_answer_ratio",
            Kind.OPERATIONAL,
            "how often does the response say that there is no answer?",
            inputs=("response",),
            higher_is_better=False,
            score=no_answer,
            definition="1 where the response says in its first 240 characters that it has no answer, or is empty; "
            f"else 0. Phrases of these languages are known: {', '.join(LANGUAGES)}; the reason quotes the phrase that "
            "matched. Read it together with groundedness: raising one tends to worsen the other. Reference and context "
            "play no part.",
            source="deepset",
        ),
        aliases={"no_answer": "no_answer_ratio"},
    ),
)
