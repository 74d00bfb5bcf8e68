"""What the embedded judge makes of each question."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from ragtui.judges.embedded.judge import EmbeddedJudge
from ragtui.judges.judge import Question, Verdict
from ragtui.metrics.score import State

CHUNKS = (
    "To reset your VPN token, open the portal and choose Reset. The token is valid for 90 days.",
    "Printers are on floor 2.",
)


def ask(name: str, **inputs: Any) -> Verdict:
    return EmbeddedJudge().judge(Question(name, inputs))


def test_groundedness_names_the_sentence_and_its_fault() -> None:
    found = ask(
        "groundedness", response="Open the portal and choose Reset. Your token is valid for 30 days.", context=CHUNKS
    )
    assert found.score == 2
    assert found.reason == "says 30 days where the context has 90 days: “Your token is valid for 30 days.”"
    supported, denied = found.evidence
    assert (supported.verdict, denied.verdict) == ("entailed", "contradicted")
    assert denied.chunk == 0
    assert denied.start is not None
    assert CHUNKS[0][denied.start : denied.end] == "The token is valid for 90 days."


def test_a_supported_answer_scores_five() -> None:
    found = ask("groundedness", response="1. Open the portal.\n2. Choose Reset.\n\nI hope this helps!", context=CHUNKS)
    assert found.score == 5
    assert [each.claim for each in found.evidence] == ["Open the portal.", "Choose Reset."]


@pytest.mark.parametrize(
    ("response", "context", "reason"),
    [
        ("I could not find this in the documents.", CHUNKS, "declines to answer"),
        ("Ich kann dazu leider nichts finden.", CHUNKS, "declines to answer"),
        ("", CHUNKS, "the response is empty"),
        ("Is there anything else?", CHUNKS, "states nothing"),
        ("The token is valid.", (), "no context"),
        ("The token is valid.", ("  ",), "no context"),
    ],
)
def test_where_there_is_nothing_to_verify_there_is_no_score(
    response: str, context: tuple[str, ...], reason: str
) -> None:
    found = ask("groundedness", response=response, context=context)
    assert (found.state, found.score) == (State.NOT_APPLICABLE, None)
    assert reason in found.reason


@pytest.mark.parametrize("name", ["coherence", "fluency", "intent_resolution", "task_adherence", "tool_call_accuracy"])
def test_what_needs_a_model_is_refused_not_guessed(name: str) -> None:
    found = ask(name, query="q", response="r")
    assert found.state is State.NOT_APPLICABLE
    assert "needs a model judge" in found.reason
    assert EmbeddedJudge().refuses(name)


@pytest.mark.parametrize(
    ("query", "response", "score"),
    [
        ("How do I reset my VPN token?", "Open the portal and choose Reset.", 5),
        ("How do I reset my VPN token?", "I cannot answer that.", 2),
        ("How do I reset my VPN token?", "Bananas are yellow.", 1),
        ("How do I reset my VPN token?", "", 1),
        ("How long is the token valid?", "90 days.", 5),
        ("How long is the token valid?", "The token is valid until it expires.", 3),
        ("May I share the token?", "No, never.", 5),
        ("Who wrote Hamlet?", "Shakespeare.", 5),
        ("Who wrote Hamlet?", "It is a tragedy in five acts.", 1),
        ("几点开门？", "九点开门。", 5),
        ("What is the capital of France?", "Paris", 4),
        ("Which file format is accepted?", "CSV.", 4),
        ("Where is the printer?", "On the second floor", 4),
        ("What does the warranty cover?", "I like trains.", 1),
        ("How many days of leave do I get?", "Paris", 1),
        ("¿Tengo que pagar si pierdo el portátil?", "No, no tienes que pagar nada; avisa en 24 horas.", 5),
        ("¿Tengo que pagar si pierdo el portátil?", "No.", 5),
        ("Was kostet ein Farbausdruck?", "15 Cent pro Seite.", 5),
        ("Was kostet ein Farbausdruck?", "Ein farbiger Ausdruck kostet 15 Cent.", 5),
        ("Combien coûte une impression ?", "15 centimes par page", 5),
        ("Wer genehmigt Überstunden?", "Die Teamleitung.", 5),
        ("图书馆几点开门？", "九点。", 5),
    ],
)
def test_relevance(query: str, response: str, score: int) -> None:
    assert ask("relevance", query=query, response=response).score == score


def test_what_words_cannot_tell_in_another_language_is_left_to_a_model_and_not_failed() -> None:
    found = ask(
        "relevance",
        query="Wie setze ich mein Kennwort zurück?",
        response="Im Portal auf Neu klicken und warten, bitte.",
    )
    assert found.state is State.NOT_APPLICABLE
    assert "says little in German: needs a model" in found.reason
    refused = ask("relevance", query="¿Cuál es el precio?", response="No he encontrado el precio.")
    assert (refused.score, refused.reason[:29]) == (2, "the response declines to answ")


@pytest.mark.parametrize(
    ("response", "context"),
    [
        ("Yes, it is free.", "The service is free for members."),
        ("No, parking is not free.", "Parking costs 3 euros an hour and is not free."),
        ("No. You need approval.", "You need approval of your manager."),
        ("Ja, der Token gilt 90 Tage.", "Der Token gilt 90 Tage."),
    ],
)
def test_yes_and_no_in_front_of_a_statement_are_not_looked_for(response: str, context: str) -> None:
    assert ask("groundedness", response=response, context=(context,)).score == 5


def test_yes_in_front_hides_no_contradiction() -> None:
    found = ask("groundedness", response="Yes, parking is free.", context=("Parking is not free.",))
    assert (found.score or 5) < 3


def test_a_bare_denial_of_what_was_asked_has_nothing_to_verify() -> None:
    context = ("The export stops at 500 rows by design; larger ones go through the API.",)
    query = "Is it a bug that the export stops at 500 rows?"
    for response in ("That is not a bug.", "No, it isn't a bug.", "Yes, you can."):
        found = ask("groundedness", query=query, response=response, context=context)
        assert found.state is State.NOT_APPLICABLE, response
    both = ask(
        "groundedness", query=query, response="That is not a bug. The export stops at 500 rows.", context=context
    )
    assert (both.score, len(both.evidence)) == (5, 1)
    denied = ask(
        "groundedness", query=query, response="That is not a bug.", context=("It is a bug and will be fixed.",)
    )
    assert (denied.score or 5) < 3, "what the context contradicts is a fault all the same"
    other = ask("groundedness", query=query, response="It is not dangerous.", context=context)
    assert other.score == 1, "nobody asked that: it is a statement of its own"


def test_retrieval_looks_at_the_rank_of_the_best_chunk() -> None:
    query = "How do I reset my VPN token?"
    assert ask("retrieval", query=query, context=CHUNKS).score == 5
    assert ask("retrieval", query=query, context=CHUNKS[::-1]).score == 4
    assert ask("retrieval", query="Who founded the company?", context=CHUNKS).score == 1
    assert ask("retrieval", query=query, context=()).state is State.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("response", "gold", "score"),
    [
        ("The token is valid for three months.", ("The token is valid for 90 days.",), 5),
        ("90 days", ("The token is valid for 90 days.",), 5),
        ("30 days", ("The token is valid for 90 days.",), 1),
        ("", ("90 days",), 1),
        ("No, you cannot.", ("Yes",), 1),
        ("Yes, of course.", ("Yes",), 5),
        ("30 days", ("60 days", "30 days"), 5),
    ],
)
def test_response_completeness_takes_the_best_reference(response: str, gold: tuple[str, ...], score: int) -> None:
    found = ask("response_completeness", query="How long is the token valid?", response=response, ground_truth=gold)
    assert found.score == score


def test_similarity_is_capped_by_a_contradiction() -> None:
    gold = ("The token is valid for 90 days.",)
    assert (ask("similarity", response="The token is valid for 90 days.", ground_truth=gold).score or 0) == 5
    assert (ask("similarity", response="The token is valid for 30 days.", ground_truth=gold).score or 0) <= 2


def test_facts_of_the_published_example() -> None:
    """Facts, and the figures that follow from them, as Pinecone publishes them."""
    found = ask(
        "facts",
        query="What are the capital cities of France, England and Spain?",
        response="Paris is the capital city of France and Barcelona of Spain",
        ground_truth=("Paris is the capital city of France, London of England and Madrid of Spain.",),
    )
    assert found.score is None
    assert [each.verdict for each in found.evidence] == ["entailed", "neutral", "contradicted"]


@pytest.mark.parametrize(
    ("response", "context", "language"),
    [
        ("Das Passwort muss 12 Zeichen haben.", "Passwörter müssen mindestens 12 Zeichen haben.", "German"),
        ("九点开门。", "九点开门。请走北门。", "Chinese"),
        ("ゲートは九時に開きます。", "ゲートは九時に開きます。入場は無料です。", "Japanese"),
        ("Le bureau est ouvert le lundi.", "Le bureau est ouvert du lundi au vendredi.", "French"),
    ],
)
def test_other_languages_are_judged_and_called_weak(response: str, context: str, language: str) -> None:
    found = ask("groundedness", response=response, context=(context,))
    assert found.score == 5
    assert f"weak in {language}" in found.reason


def test_the_judge_costs_nothing_and_goes_anywhere() -> None:
    judge = EmbeddedJudge()
    assert judge.cache_key(Question("groundedness", {})) is None
    assert judge.host is None
    assert pickle.loads(pickle.dumps(judge)).name == "embedded"


def test_places_of_evidence_are_code_points_also_beside_wide_characters() -> None:
    context = "🚀 Start! The gate opens at nine. 门"
    (found,) = ask("groundedness", response="The gate opens at nine.", context=(context,)).evidence
    assert found.start is not None
    assert context[found.start : found.end] == "The gate opens at nine."


def test_an_empty_chunk_does_not_shift_the_places() -> None:
    (found,) = ask("groundedness", response="The gate opens at nine.", context=("", "The gate opens at nine.")).evidence
    assert (found.chunk, found.start, found.end) == (1, 0, 23)


@pytest.mark.parametrize(
    ("response", "score"), [("I could not find this in the articles.", 5), ("It costs 4 euros.", 1)]
)
def test_where_the_reference_says_that_there_is_no_answer_declining_is_right(response: str, score: int) -> None:
    gold = ("The help articles do not say this.",)
    assert ask("response_completeness", response=response, ground_truth=gold).score == score
    assert ask("similarity", response=response, ground_truth=gold).score == score
    (fact,) = ask("facts", response=response, ground_truth=gold).evidence
    assert fact.verdict == ("entailed" if score == 5 else "contradicted")


def test_pages_that_disagree_do_not_turn_a_supported_claim_into_a_contradicted_one() -> None:
    chunks = ("You can recover a file for 14 days.", "In the old system a deleted file was recovered within 30 days.")
    assert ask("groundedness", response="You can recover a file for 14 days.", context=chunks).score == 5
