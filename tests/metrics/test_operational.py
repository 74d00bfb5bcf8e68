"""What a response took, and whether it answered at all."""

from __future__ import annotations

import pytest

from ragtui.metrics.registry import metric
from ragtui.metrics.score import Outcome, State


def outcome(spec: str, **inputs: str) -> Outcome:
    found = metric(spec).score
    assert found is not None
    return found(inputs)


def test_measured_figures_are_scores_and_unknown_ones_are_not() -> None:
    assert outcome("latency", latency_ms="889.5").score == 889.5
    assert outcome("cost", cost="0.0021").score == 0.0021
    assert outcome("tokens", prompt_tokens="391", completion_tokens="32").score == 423
    assert outcome("latency").reason == "the target gave no latency"
    assert outcome("cost", cost="").state is State.NOT_APPLICABLE
    assert outcome("tokens", prompt_tokens="391").reason == "the target counted no completion tokens"
    for odd in ("nan", "inf", "-1", "fast"):
        assert outcome("latency", latency_ms=odd).state is State.NOT_APPLICABLE


def test_lower_is_better_and_nothing_passes_or_fails() -> None:
    for name in ("latency", "tokens", "cost", "answer_length", "no_answer_ratio"):
        assert not metric(name).higher_is_better
        assert metric(name).passes(1.0) is None


def test_length_is_counted_in_words_of_any_language() -> None:
    assert outcome("answer_length", response="It’s 3.5 km, roughly.").score == 4
    assert outcome("answer_length", response="東京です。").score == 4
    assert outcome("answer_length", response="").score == 0
    assert outcome("answer_length").state is State.NOT_APPLICABLE


NO_ANSWER = [
    ("I don't know.", "English"),
    ("I’m sorry, but I don’t have enough information to answer that.", "English"),
    ("The provided documents do not contain information about this.", "English"),
    ("Unfortunately, the answer cannot be determined from the sources.", "English"),
    ("This isn't mentioned in the provided context.", "English"),
    ("Dazu konnte ich in den Dokumenten leider keine Informationen finden.", "German"),
    ("Die Dokumente enthalten keine Angaben zur Laufzeit.", "German"),
    ("Les documents fournis ne contiennent pas cette information.", "French"),
    ("No hay información en los documentos.", "Spanish"),
    ("Non ho trovato informazioni.", "Italian"),
    ("Não há informação sobre isso.", "Portuguese"),
    ("Ik kan het antwoord niet vinden.", "Dutch"),
    ("Nie wiem.", "Polish"),
    ("В документах нет информации об этом.", "Russian"),
    ("Bilmiyorum.", "Turkish"),
    ("文档中没有提供相关信息。", "Chinese"),
    ("申し訳ありませんが、その情報は見つかりませんでした。", "Japanese"),
    ("죄송하지만 정보를 찾을 수 없습니다.", "Korean"),
    ("لا أعرف", "Arabic"),
]
ANSWERS = [
    "Paris is the capital of France.",
    "You do not need to know the PIN to reset it.",
    "If you can't find your badge, call the desk.",
    "The token expires after 10 minutes.",
    "No, refunds are not possible after 30 days.",
    "Sie können den Token nicht übertragen.",
    "Nicht gefundene Geräte melden Sie bitte.",
    "No puede devolver el producto.",
    "Non è possibile restituire il prodotto.",
    "パスワードは変更できません。",
    "There is no fee.",
]


@pytest.mark.parametrize(("response", "language"), NO_ANSWER)
def test_no_answer_is_found_and_quoted(response: str, language: str) -> None:
    found = outcome("no_answer_ratio", response=response)
    assert found.score == 1
    assert found.reason.endswith(f"({language})")
    quoted = found.reason.split("“")[1].split("”")[0]
    assert quoted.lower() in " ".join(response.replace("’", "'").lower().split())


@pytest.mark.parametrize("response", ANSWERS)
def test_an_answer_is_not_taken_for_none(response: str) -> None:
    assert outcome("no_answer_ratio", response=response).score == 0


def test_only_the_beginning_of_an_answer_counts() -> None:
    long = "The token expires after ten minutes and can be renewed at the desk. " * 5
    assert outcome("no_answer_ratio", response=long + "I don't know who set this.").score == 0


def test_an_empty_response_is_no_answer_and_says_so() -> None:
    found = outcome("no_answer_ratio", response=" ")
    assert (found.score, found.reason) == (1, "the response is empty")
    assert outcome("no_answer_ratio").state is State.NOT_APPLICABLE
