"""The strategy for small and unknown models: many yes-or-no questions, from which score and reason are built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ragtui.judges.applicability import text_of
from ragtui.judges.embedded.facts import facts
from ragtui.judges.judge import Question, Verdict
from ragtui.judges.prompts import Messages, Schema, claim_messages, denial_messages, numbered, yes_no_messages
from ragtui.judges.refusals import declines, states_nothing
from ragtui.judges.reply import read_choice
from ragtui.judges.sentences import sentences
from ragtui.metrics.score import Evidence, Inputs, State

if TYPE_CHECKING:
    from ragtui.judges.openai import Interview, OpenAIJudge

_YES_NO: Final = {"yes": "yes", "no": "no", "true": "yes", "false": "no"}
_DENIALS: Final = {
    "contradicted": "contradicted",
    "contradiction": "contradicted",
    "not mentioned": "neutral",
    "neutral": "neutral",
    "not": "neutral",
}
_SHOWN: Final = 90
_BY_CLAIMS: Final = ("groundedness", "response_completeness", "similarity", "facts")
ONE_REFERENCE: Final = ("response_completeness", "similarity", "facts")
"""Questions that are put once for each reference."""

ANSWERS: Final = "Does the answer give what the question asks for, whether right or wrong?"
WHOLE: Final = "Does the answer cover every part of the question?"
HELPS: Final = "Does the text hold information that is needed to answer the question?"
ALL_THERE: Final = "Do the texts together hold everything that is needed to answer the question?"


def first_calls(question: Question) -> list[tuple[Messages, Schema]] | None:
    """What is sent whatever the replies are, for a question with one reference; what follows from a reply is made of the
    same texts. ``None``: not by claims."""
    if question.name in _BY_CLAIMS:
        return [
            claim_messages(heading, texts, claim)
            for heading, texts, claims in _sides(question.name, question.inputs)
            for claim in claims
        ]
    if question.name == "relevance":
        return [yes_no_messages(_query_and(question.inputs, "response", "ANSWER"), ANSWERS)]
    if question.name == "retrieval":
        return [yes_no_messages(_query_and(question.inputs, "context", "TEXT"), HELPS)]
    return None


async def ask_by_claims(judge: OpenAIJudge, question: Question, interview: Interview) -> Verdict | None:
    """The verdict on a question with one reference, or ``None`` where it cannot be taken apart."""
    if question.name == "relevance":
        return await _relevance(judge, question.inputs, interview)
    if question.name == "retrieval":
        return await _retrieval(judge, question.inputs, interview)
    if question.name not in _BY_CLAIMS:
        return None
    sides = _sides(question.name, question.inputs)
    if not any(claims for _, _, claims in sides):
        return Verdict(State.NOT_APPLICABLE, reason=_nothing(question))
    found = [[await _judged(judge, side, claim, interview) for claim in side[2]] for side in sides]
    return _verdict(question.name, found)


def _nothing(question: Question) -> str:
    response = text_of(question.inputs, "response")
    if question.name != "groundedness":
        return "the ground truth states nothing"
    refused = any(declines(each.text) for each in sentences(response))
    return f"the response {'declines to answer' if refused else 'states nothing'}: nothing to verify"


Side = tuple[str, tuple[str, ...], list[str]]
"""A heading, the texts under it, and the claims that are held against them."""


def _sides(name: str, inputs: Inputs) -> list[Side]:
    response = text_of(inputs, "response")
    if name == "groundedness":
        context = inputs.get("context", ())
        texts = (context,) if isinstance(context, str) else tuple(context)
        return [("TEXT", texts, _claims(response))]
    reference = text_of(inputs, "ground_truth")
    sides: list[Side] = [("TEXT", (response,), [fact.text for fact in facts(reference)])]
    if name == "similarity":
        sides.append(("TEXT", (reference,), _claims(response)))
    return sides


def _claims(text: str) -> list[str]:
    return [each.text for each in sentences(text) if not declines(each.text) and not states_nothing(each.text)]


def _query_and(inputs: Inputs, name: str, heading: str) -> list[tuple[str, str]]:
    value = inputs.get(name, "")
    texts = (value,) if isinstance(value, str) else tuple(value)
    return [("QUESTION", text_of(inputs, "query")), *(numbered(heading, texts) or [(heading, "")])]


async def _judged(judge: OpenAIJudge, side: Side, claim: str, interview: Interview) -> Evidence:
    heading, texts, _ = side
    if await _yes(judge, *claim_messages(heading, texts, claim), interview):
        return Evidence(claim, "entailed")
    messages, schema = denial_messages(heading, texts, claim)
    verdict, repaired = await judge.put(messages, schema, _read_denial, interview)
    interview.repaired |= repaired
    note = "the text says otherwise" if verdict == "contradicted" else "the text does not say so"
    return Evidence(claim, verdict, note=note)


async def _yes(judge: OpenAIJudge, messages: Messages, schema: Schema, interview: Interview) -> bool:
    answer, repaired = await judge.put(messages, schema, _read_yes, interview)
    interview.repaired |= repaired
    return answer == "yes"


def _read_yes(text: str | None, finish: str | None) -> tuple[str, bool]:
    return read_choice(text, finish, "answer", _YES_NO)


def _read_denial(text: str | None, finish: str | None) -> tuple[str, bool]:
    return read_choice(text, finish, "answer", _DENIALS)


def _verdict(name: str, found: list[list[Evidence]]) -> Verdict:
    evidence = tuple(found[0])
    if name == "facts":
        return Verdict(State.SCORED, None, reason=counted(evidence), evidence=evidence)
    shares = [sum(each.verdict == "entailed" for each in side) / len(side) for side in found if side]
    return Verdict(State.SCORED, 1 + 4 * sum(shares) / len(shares), reason=_reason(found), evidence=evidence)


def counted(evidence: tuple[Evidence, ...]) -> str:
    """ "2 entailed, 1 neutral"."""
    counts = {name: sum(each.verdict == name for each in evidence) for name in ("entailed", "contradicted", "neutral")}
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def _reason(found: Sequence[Sequence[Evidence]]) -> str:
    every = [each for side in found for each in side]
    faults = [each for each in every if each.verdict != "entailed"]
    if not faults:
        return f"all {len(every)} statements are supported" if len(every) > 1 else "the statement is supported"
    first = min(faults, key=lambda each: each.verdict)  # a contradiction before what is only missing
    flat = " ".join(first.claim.split())
    claim = flat if len(flat) <= _SHOWN else flat[: _SHOWN - 1].rstrip() + "…"
    return f"“{claim}”: {first.note} ({len(every) - len(faults)} of {len(every)} statements supported)"


async def _relevance(judge: OpenAIJudge, inputs: Inputs, interview: Interview) -> Verdict:
    data = _query_and(inputs, "response", "ANSWER")
    if not text_of(inputs, "response").strip():
        return Verdict(State.SCORED, 1.0, reason="the response is empty")
    if not await _yes(judge, *yes_no_messages(data, ANSWERS), interview):
        return Verdict(State.SCORED, 1.0, reason="the answer does not give what the question asks for")
    if not await _yes(judge, *yes_no_messages(data, WHOLE), interview):
        return Verdict(State.SCORED, 3.0, reason="the answer covers only a part of the question")
    return Verdict(State.SCORED, 5.0, reason="the answer covers the whole question")


async def _retrieval(judge: OpenAIJudge, inputs: Inputs, interview: Interview) -> Verdict:
    context = inputs.get("context", ())
    chunks = [context] if isinstance(context, str) else list(context)
    if not await _yes(judge, *yes_no_messages(_query_and(inputs, "context", "TEXT"), HELPS), interview):
        return Verdict(State.SCORED, 1.0, reason="no chunk holds what is needed to answer")
    first_query = ("QUESTION", text_of(inputs, "query"))
    rank = 0
    while rank < len(chunks) - 1 and not await _yes(
        judge, *yes_no_messages([first_query, ("TEXT", chunks[rank])], HELPS), interview
    ):
        rank += 1
    whole = await _yes(judge, *yes_no_messages(_query_and(inputs, "context", "TEXT"), ALL_THERE), interview)
    score = (5 if whole else 3) - (0 if rank == 0 else 1)
    where = f"chunk {rank + 1} of {len(chunks)} is the first that helps"
    return Verdict(
        State.SCORED, float(score), reason=where + ("" if whole else "; something that is needed is missing")
    )
