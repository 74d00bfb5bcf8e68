"""Answers that decline are told from answers that state something about what is not so."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.judges.refusals import _DECLINING, _REFUSALS, _flat, declines, states_nothing


@pytest.mark.parametrize(
    "sentence",
    [
        "I'm sorry, but I can't help with that.",
        "I could not find anything about it in the documents.",
        "I do not know.",
        "The help articles do not say this.",
        "The provided context doesn't contain information about prices.",
        "The documents give no details on this.",
        "There is no information available on that topic.",
        "This is not mentioned in the context.",
        "No answer was found.",
        "Ich kann dazu leider nichts finden.",
        "Die Hilfeartikel sagen dazu nichts.",
        "Je ne trouve pas cette information.",
        "Lo siento, no tengo esa información.",
        "No he encontrado nada sobre eso.",
        "no he encontrado",
        "No se menciona en el contexto.",
        "Los documentos no mencionan el precio.",
        "Das wird in den Artikeln nicht erwähnt.",
        "Não encontrei essa informação.",
        "抱歉，我找不到相关信息。",
        "申し訳ありませんが、わかりません。",
    ],
)
def test_these_decline(sentence: str) -> None:
    assert declines(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The token is valid for 90 days.",
        "The system does not allow guests.",
        "The information desk does not open on Sunday.",
        "You cannot find this button in the old app.",
        "No fee is charged.",
        "The documents must be signed.",
        "The hotel has no car park.",
        "Der Token gilt nicht im Ausland.",
        "No hay reembolso después de 30 días.",
        "El contrato no incluye la limpieza.",
        "Hunde sind nicht erlaubt.",
        "请走北门。",
    ],
)
def test_these_state_something(sentence: str) -> None:
    assert not declines(sentence)
    assert not states_nothing(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Is there anything else?",
        "Sure! Here is how:",
        "I hope this helps!",
        "Let me know if you need more.",
        "Yes.",
        "Nein.",
        "Sources: [1], [2]",
        "几点？",
    ],
)
def test_these_state_nothing(sentence: str) -> None:
    assert states_nothing(sentence)


@pytest.mark.parametrize("needed", _DECLINING)
def test_whatever_a_pattern_matches_has_one_of_the_words_that_are_looked_for_first(needed: tuple[str, ...]) -> None:
    @settings(max_examples=12, deadline=None, database=None, derandomize=True)
    @given(st.one_of([st.from_regex(re.compile(each, re.IGNORECASE), fullmatch=True) for each in _DECLINING[needed]]))
    def holds(sentence: str) -> None:
        if _REFUSALS[needed].search(_flat(sentence)):
            assert declines(sentence)

    holds()
