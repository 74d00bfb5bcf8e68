"""What the embedded judge makes of each question it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ragtui.judges.applicability import text_of, texts_of, why_nothing
from ragtui.judges.embedded.aboutness import judge_relevance, judge_retrieval, yes_or_no
from ragtui.judges.embedded.facts import facts
from ragtui.judges.embedded.languages import ENGLISH, Language, language_of
from ragtui.judges.embedded.openers import bare_denial, says_nothing, without_opener
from ragtui.judges.embedded.passage import read_passage
from ragtui.judges.embedded.support import CONTRADICTED, ENTAILED, NEUTRAL, Finding, judge_claim
from ragtui.judges.embedded.words import names_in
from ragtui.judges.judge import Question, Verdict
from ragtui.judges.refusals import declines, states_nothing
from ragtui.judges.sentences import sentences
from ragtui.metrics.score import Evidence, Inputs, State

_SHOWN: Final = 90
_SHORT: Final = 3  # words of a fact that says little more than yes or no


def answer(question: Question) -> Verdict:
    """The verdict on a question that the embedded judge does not refuse."""
    nothing = why_nothing(question)
    return _nothing(nothing) if nothing else _QUESTIONS[question.name](question.inputs)


def _nothing(reason: str) -> Verdict:
    return Verdict(State.NOT_APPLICABLE, reason=reason)


def _scored(score: float, reason: str, language: Language, evidence: tuple[Evidence, ...] = ()) -> Verdict:
    weak = "" if language is ENGLISH else f" (heuristic, weak in {language.name})"
    return Verdict(State.SCORED, float(score), reason=reason + weak, evidence=evidence)


def groundedness(inputs: Inputs) -> Verdict:
    """Response against context: 5 where each statement is supported, 1 where the answer is made up or contradicted."""
    response, context = text_of(inputs, "response"), inputs.get("context", ())
    chunks = (context,) if isinstance(context, str) else tuple(context)
    language = language_of(response)
    pieces = [sentence.text for sentence in sentences(response, language.code)]
    claims = [piece for piece in pieces if not declines(piece) and not states_nothing(piece)]
    claims = [piece for piece in claims if not says_nothing(piece, language)]
    if not claims:
        refused = any(declines(piece) for piece in pieces)
        return _nothing(
            "the response declines to answer: nothing to verify"
            if refused
            else "the response states nothing: nothing to verify"
        )
    evidence = verify(claims, response, chunks, language)
    query = text_of(inputs, "query")
    evidence = tuple(each for each in evidence if each.verdict != NEUTRAL or not bare_denial(each.claim, query))
    if not evidence:
        return _nothing("the response only denies what was asked: nothing to verify")
    return _scored(_grounded_score(evidence), _grounded_reason(evidence), language, evidence)


def verify(
    claims: Sequence[str], source: str, chunks: tuple[str, ...], language: Language, question: str = ""
) -> tuple[Evidence, ...]:
    """Each claim of ``source`` held against the chunks (or against an answer to ``question``), with the place that decides."""
    names = names_in(source)
    passage = read_passage(chunks, language)
    found = []
    known: dict[str, Finding] = {}  # a text may say one thing many times
    for claim in claims:
        if (result := known.get(claim)) is None:
            result = known[claim] = judge_claim(without_opener(claim), passage, language, question, names)
        place = None if result.place is None else passage.places[result.place]
        if place is None:
            found.append(Evidence(claim, result.verdict, note=result.fault))
        else:
            spot = place.sentence
            found.append(Evidence(claim, result.verdict, place.chunk, spot.start, spot.end, result.fault))
    return tuple(found)


def _grounded_score(evidence: Sequence[Evidence]) -> int:
    total = len(evidence)
    supported = sum(each.verdict == ENTAILED for each in evidence)
    contradicted = sum(each.verdict == CONTRADICTED for each in evidence)
    if supported == total:
        return 5
    if contradicted:
        return 2 if supported * 2 >= total else 1
    return 1 if not supported else 2 if supported * 2 < total else 3 if supported * 4 < total * 3 else 4


def _grounded_reason(evidence: Sequence[Evidence]) -> str:
    faults = [each for each in evidence if each.verdict == CONTRADICTED] or [
        each for each in evidence if each.verdict != ENTAILED
    ]
    if not faults:
        count = len(evidence)
        return (
            "the statement is supported by the context"
            if count == 1
            else f"all {count} statements are supported by the context"
        )
    first = faults[0]
    more = sum(each.verdict != ENTAILED for each in evidence) - 1
    also = f"; {more} more unsupported" if more else ""
    return f"{first.note}: “{_cut(first.claim)}”{also}"


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else flat[: _SHOWN - 1].rstrip() + "…"


def relevance(inputs: Inputs) -> Verdict:
    """Response against query: is it about what is asked, and does it hold the kind of answer that is asked for?"""
    query, response = text_of(inputs, "query"), text_of(inputs, "response")
    score, reason = judge_relevance(query, response)
    if score is None:
        return _nothing(reason)
    return _scored(score, reason, language_of(query + "\n" + response))


def retrieval(inputs: Inputs) -> Verdict:
    """Query against context: how much of what is asked about do the chunks speak of, and how far up?"""
    query, chunks = text_of(inputs, "query"), texts_of(inputs, "context")
    score, reason = judge_retrieval(query, chunks)
    return _scored(score, reason, language_of(query))


def response_completeness(inputs: Inputs) -> Verdict:
    return _best_reference(inputs, _completeness)


def similarity(inputs: Inputs) -> Verdict:
    return _best_reference(inputs, _similarity)


def _best_reference(inputs: Inputs, judge: Callable[[str, str, str], Verdict]) -> Verdict:
    query = text_of(inputs, "query")
    response, references = text_of(inputs, "response"), texts_of(inputs, "ground_truth")
    if not response.strip():
        return _scored(1, "the response is empty", ENGLISH)
    found = [_without_answer(reference, response) or judge(reference, response, query) for reference in references]
    return max(found, key=lambda verdict: verdict.score or 0.0)


def _without_answer(reference: str, response: str) -> Verdict | None:
    """The verdict where the reference says that there is no answer."""
    if not _only_declines(reference):
        return None
    if _only_declines(response):
        return _scored(5, "both say that there is no answer", language_of(reference))
    return _scored(1, "answers, though the ground truth says that there is no answer", language_of(reference))


def _only_declines(text: str) -> bool:
    pieces = [each.text for each in sentences(text, language_of(text).code)]
    return any(map(declines, pieces)) and all(declines(piece) or states_nothing(piece) for piece in pieces)


def _completeness(reference: str, response: str, query: str) -> Verdict:
    language = language_of(reference)
    evidence = _facts_in(reference, response, language, query)
    if not evidence:
        return _nothing("the ground truth states nothing")
    share = sum(each.verdict == ENTAILED for each in evidence) / len(evidence)
    missing = [each for each in evidence if each.verdict != ENTAILED]
    if missing:
        reason = f"{missing[0].note}: “{_cut(missing[0].claim)}” ({len(missing)} of {len(evidence)})"
    else:
        reason = "the response says all that the ground truth says"
    return _scored(round(1 + 4 * share), reason, language, evidence)


def _similarity(reference: str, response: str, query: str) -> Verdict:
    language = language_of(reference)
    there = _facts_in(reference, response, language, query)
    back = _facts_in(response, reference, language, query, called="the ground truth")
    if not there:
        return _nothing("the ground truth states nothing")
    recall = sum(each.verdict == ENTAILED for each in there) / len(there)
    precision = sum(each.verdict == ENTAILED for each in back) / len(back) if back else 0.0
    score = round(1 + 4 * (0.7 * recall + 0.3 * precision))
    denied = next((each for each in (*there, *back) if each.verdict == CONTRADICTED), None)
    if denied is not None:
        return _scored(min(score, 2), f"{denied.note}: “{_cut(denied.claim)}”", language, there)
    missing = next((each for each in there if each.verdict != ENTAILED), None)
    if missing is not None:
        return _scored(score, f"{missing.note}: “{_cut(missing.claim)}” is missing", language, there)
    reason = "says the same as the ground truth" if precision == 1.0 else "says what the ground truth says, and more"
    return _scored(score, reason, language, there)


def judge_facts(inputs: Inputs) -> Verdict:
    """The facts of the ground truth, each judged against the response. The evidence is the result; there is no score."""
    response, references = text_of(inputs, "response"), texts_of(inputs, "ground_truth")
    options = [
        _facts_in(reference, response, language_of(reference), text_of(inputs, "query")) for reference in references
    ]
    best = max(options, key=lambda evidence: sum(each.verdict == ENTAILED for each in evidence) / max(len(evidence), 1))
    if not best:
        return _nothing("the ground truth states nothing")
    counts = {
        verdict: sum(each.verdict == verdict for each in best) for verdict in ("entailed", "contradicted", "neutral")
    }
    reason = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    language = language_of(references[0])
    weak = "" if language is ENGLISH else f" (heuristic, weak in {language.name})"
    return Verdict(State.SCORED, None, reason=reason + weak, evidence=best)


def _facts_in(
    reference: str, text: str, language: Language, query: str, called: str = "the response"
) -> tuple[Evidence, ...]:
    """The facts of one text held against the other, whose name in the notes is ``called``."""
    found = _held_against(reference, text, language, query)
    return tuple(replace(each, note=each.note.replace("the context", called)) for each in found)


def _held_against(reference: str, text: str, language: Language, query: str) -> tuple[Evidence, ...]:
    if _only_declines(reference):
        return _no_answer(reference, text)
    pieces = [sentence.text for sentence in sentences(text, language.code) if not declines(sentence.text)]
    claims = [fact.text for fact in facts(reference)]
    if not pieces:
        return tuple(Evidence(claim, NEUTRAL, note="not said") for claim in claims)
    found = verify(claims, reference, (text,), language, query)
    said, meant = yes_or_no(text), yes_or_no(reference)
    if not (found and said and meant):
        return found
    first = found[0]
    if said != meant:
        denied = Evidence(
            first.claim, CONTRADICTED, 0, 0, len(text.rstrip()), f"says {said} where the context says {meant}"
        )
        return (denied, *found[1:])
    if first.verdict == NEUTRAL and len(first.claim.split()) <= _SHORT:
        return (Evidence(first.claim, ENTAILED, 0, 0, len(text.rstrip())), *found[1:])
    return found


def _no_answer(reference: str, text: str) -> tuple[Evidence, ...]:
    """The one fact of a reference that says that there is no answer: the other text says so too, or it answers."""
    right = _only_declines(text)
    note = "" if right else "answers, though the ground truth says that there is no answer"
    return (Evidence(reference.strip(), ENTAILED if right else CONTRADICTED, 0, 0, len(text.rstrip()), note),)


_QUESTIONS: Final[Mapping[str, Callable[[Inputs], Verdict]]] = {
    "groundedness": groundedness,
    "relevance": relevance,
    "retrieval": retrieval,
    "similarity": similarity,
    "response_completeness": response_completeness,
    "facts": judge_facts,
}
