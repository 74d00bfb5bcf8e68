"""The claims strategy: yes-or-no questions, from which score, reason and evidence are built."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragtui.judges.judge import Question
from ragtui.metrics.score import State
from tests.judges.asking import model_judge, verdicts
from tests.judges.servers import Canned, canned, user_text

CONTEXT = ("Gate 1 opens at nine. It is free.", "Dogs stay outside.")
ANSWER = "Gate 1 opens at nine. Dogs may enter. Tickets are blue."


def block(text: str, name: str) -> str:
    head = next(line for line in text.splitlines() if line.startswith(f"=== {name} "))
    return text.split(head + "\n")[1].split("\n=== END")[0]


def says(**answers: str) -> Any:
    """Answers by the statement: yes, contradicted or not mentioned."""

    def answer(body: dict[str, Any], _: int) -> Canned:
        text = user_text(body)
        verdict = next(each for part, each in answers.items() if part.replace("_", " ") in block(text, "STATEMENT"))
        if "is the statement correct?" in text:
            return Canned(json.dumps({"answer": "yes" if verdict == "yes" else "no"}))
        return Canned(json.dumps({"answer": verdict}))

    return answer


async def test_groundedness_is_the_mean_support_of_its_statements() -> None:
    asked = Question("groundedness", {"response": ANSWER, "context": CONTEXT, "query": "When?"})
    async with canned(says(opens="yes", Dogs="contradicted", blue="not mentioned")) as server:
        found = (await verdicts(model_judge(server.url, strategy="claims"), {1: asked}))[1]
    assert found.score == pytest.approx(1 + 4 / 3)
    assert [(each.claim, each.verdict) for each in found.evidence] == [
        ("Gate 1 opens at nine.", "entailed"),
        ("Dogs may enter.", "contradicted"),
        ("Tickets are blue.", "neutral"),
    ]
    assert "Dogs may enter." in found.reason
    assert found.attempts == len(server.seen) == 5
    assert found.prompt_tokens == 500


async def test_facts_come_from_the_ground_truth() -> None:
    asked = Question(
        "facts", {"response": "It opens at nine.", "ground_truth": ("It opens at nine. Entry is free.",), "query": "?"}
    )
    async with canned(says(opens="yes", free="not mentioned")) as server:
        found = (await verdicts(model_judge(server.url, strategy="claims"), {1: asked}))[1]
    assert (found.state, found.score) == (State.SCORED, None)
    assert [each.verdict for each in found.evidence] == ["entailed", "neutral"]


async def test_a_refusal_has_nothing_to_verify_and_costs_nothing() -> None:
    asked = Question("groundedness", {"response": "I could not find this in the documents.", "context": CONTEXT})
    async with canned(lambda body, n: Canned("{}")) as server:
        found = (await verdicts(model_judge(server.url, strategy="claims"), {1: asked}))[1]
    assert found.state is State.NOT_APPLICABLE
    assert not server.seen


@pytest.mark.parametrize(("answers", "score"), [(["no"], 1), (["yes", "no"], 3), (["yes", "yes"], 5)])
async def test_relevance(answers: list[str], score: int) -> None:
    asked = Question("relevance", {"query": "When and where?", "response": "At nine."})
    async with canned(lambda body, n: Canned(json.dumps({"answer": answers[n - 1]}))) as server:
        found = (await verdicts(model_judge(server.url, strategy="claims"), {1: asked}))[1]
    assert found.score == score


async def test_what_cannot_be_taken_apart_is_asked_by_rubric() -> None:
    async with canned(lambda body, n: Canned('{"reason": "clear", "score": 4}')) as server:
        found = (
            await verdicts(model_judge(server.url, strategy="claims"), {1: Question("fluency", {"response": "Hi."})})
        )[1]
    assert found.score == 4


async def test_one_unusable_answer_costs_the_cell() -> None:
    asked = Question("groundedness", {"response": ANSWER, "context": CONTEXT})
    async with canned(lambda body, n: Canned("perhaps")) as server:
        found = (await verdicts(model_judge(server.url, strategy="claims"), {1: asked}))[1]
    assert (found.state, found.cause, found.attempts) == (State.JUDGE_ERROR, "unparsable", 2)


async def test_facts_by_rubric_are_one_call() -> None:
    reply = {
        "facts": [{"fact": "It opens at nine.", "verdict": "entailed"}, {"fact": "It is free.", "verdict": "neutral"}]
    }
    asked = Question("facts", {"response": "At nine.", "ground_truth": ("At nine, free.",)})
    async with canned(lambda body, n: Canned(json.dumps(reply))) as server:
        found = (await verdicts(model_judge(server.url), {1: asked}))[1]
    assert found.attempts == 1
    assert found.reason == "1 entailed, 1 neutral"


@pytest.mark.parametrize(
    "reply",
    [
        {"facts": "none"},
        {"facts": [{"fact": "x", "verdict": "true"}]},
        {"facts": [{"verdict": "entailed"}]},
        {"facts": [7]},
    ],
)
async def test_facts_that_do_not_fit_are_unparsable(reply: dict[str, Any]) -> None:
    asked = Question("facts", {"response": "At nine.", "ground_truth": ("At nine, free.",)})
    async with canned(lambda body, n: Canned(json.dumps(reply))) as server:
        found = (await verdicts(model_judge(server.url), {1: asked}))[1]
    assert (found.state, found.cause) == (State.JUDGE_ERROR, "unparsable")


async def test_of_several_references_the_best_counts_and_none_is_asked_after_a_perfect_one() -> None:
    inputs = {
        "response": "It opens at nine.",
        "ground_truth": ("Closed for ever.", "It opens at nine.", "Never asked."),
    }
    async with canned(says(Closed="contradicted", opens="yes")) as server:
        judge = model_judge(server.url, strategy="claims")
        found = (await verdicts(judge, {1: Question("response_completeness", inputs)}))[1]
    assert found.score == 5
    assert len(server.seen) == 3


@pytest.mark.parametrize("strategy", ["rubric", "claims"])
@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("groundedness", {"response": "", "context": CONTEXT}),
        ("groundedness", {"response": "Nine.", "context": ()}),
        ("retrieval", {"query": "When?", "context": ("",)}),
        ("relevance", {"query": " ", "response": "Nine."}),
        ("facts", {"response": "Nine.", "ground_truth": ()}),
    ],
)
async def test_where_there_is_nothing_to_judge_nothing_is_sent(
    strategy: str, name: str, inputs: dict[str, Any]
) -> None:
    async with canned(lambda body, n: Canned("{}")) as server:
        found = (await verdicts(model_judge(server.url, strategy=strategy), {1: Question(name, inputs)}))[1]
    assert found.state is State.NOT_APPLICABLE
    assert found.reason
    assert not server.seen
