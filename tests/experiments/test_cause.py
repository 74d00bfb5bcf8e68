"""Each cause of a failing row is told from the others, and says what it was told by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragtui.experiments.cause import Cause, Signals, coverage, diagnose, diagnose_ranking

GOLD = "A session lasts 12 hours and an idle connection is closed after 45 minutes."
CHUNK = "Harbour VPN: a session lasts 12 hours. An idle connection is closed after 45 minutes."
OTHER = "Printers on the third floor take colour jobs until six."
ROW = Signals("An answer.", (CHUNK, OTHER), (GOLD,), {"groundedness": True, "correctness": True, "relevance": True})


def cause(row: Signals) -> Cause | None:
    found = diagnose(row)
    return found.cause if found else None


def with_scores(row: Signals, **passed: bool) -> Signals:
    return replace(row, passed={**row.passed, **passed})


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (with_scores(replace(ROW, contexts=(OTHER,)), correctness=False), Cause.RETRIEVAL_MISS),
        (with_scores(replace(ROW, contexts=()), correctness=False), Cause.RETRIEVAL_MISS),
        (with_scores(replace(ROW, gold=()), retrieval=False, correctness=False), Cause.RETRIEVAL_MISS),
        (with_scores(replace(ROW, contexts=(OTHER, OTHER, OTHER, CHUNK)), correctness=False), Cause.RANKED_TOO_LOW),
        (with_scores(ROW, correctness=False, groundedness=False), Cause.CONTEXT_IGNORED),
        (replace(with_scores(ROW, correctness=False, groundedness=False), claims=2, entailed=1), Cause.UNGROUNDED),
        (with_scores(ROW, groundedness=False), Cause.UNGROUNDED),
        (with_scores(ROW, correctness=False), Cause.WRONG_THOUGH_GROUNDED),
        (replace(with_scores(ROW, correctness=False), refused=True), Cause.REFUSED),
        (replace(with_scores(ROW, correctness=False), refused=True, contexts=(OTHER,)), Cause.RETRIEVAL_MISS),
        (replace(with_scores(ROW, relevance=False), refused=True, gold_refuses=True), Cause.RIGHT_REFUSAL),
        (with_scores(replace(ROW, contexts=(OTHER,)), correctness=False, retrieval=True), Cause.LABEL_SUSPECT),
        (replace(with_scores(ROW, correctness=False), refused=True, contexts=None), Cause.REFUSED),
        (replace(with_scores(ROW, relevance=False), refused=True, gold=()), None),
        (replace(ROW, passed={"groundedness": True, "relevance": False}, gold=()), None),
        (replace(ROW, passed={"groundedness": True, "relevance": False}), None),
        (replace(with_scores(ROW, fluency=False), refused=True), None),
        (with_scores(ROW, fluency=False), None),
        (with_scores(ROW, relevance=False), None),
    ],
)
def test_the_cause_follows_from_scores_and_texts(row: Signals, expected: Cause | None) -> None:
    assert cause(row) is expected


def test_a_right_answer_from_memory_is_a_retrieval_miss_where_nothing_retrieved_holds_it() -> None:
    row = with_scores(replace(ROW, contexts=(OTHER,)), groundedness=False)
    found = diagnose(row)
    assert found is not None
    assert found.cause is Cause.RETRIEVAL_MISS
    assert "of the expected answer's words, so the right answer is not from there" in found.evidence
    assert cause(replace(row, gold=())) is Cause.UNGROUNDED, "without a reference nothing is known of retrieval"


def test_an_answer_that_copies_the_context_with_another_number_did_not_ignore_it() -> None:
    wrong = with_scores(ROW, correctness=False, groundedness=False)
    copied = replace(wrong, response=GOLD.replace("45", "15"), claims=1, worst_claim="closed after 15 minutes")
    found = diagnose(copied)
    assert found is not None
    assert found.cause is Cause.UNGROUNDED
    assert found.evidence == "its only statement has no support: “closed after 15 minutes”"
    ignored = diagnose(replace(wrong, response="The session ends when one logs out."))
    assert ignored is not None
    assert ignored.evidence == "context 1 holds the expected answer; the answer has 1 of the 10 words they share"


def test_what_is_not_known_of_the_contexts_is_not_said() -> None:
    row = with_scores(replace(ROW, gold=(), contexts=None), retrieval=False, correctness=False)
    found = diagnose(row)
    assert found is not None
    assert found.evidence == "the retrieved contexts do not help with the question"


def test_meaning_counts_before_wording() -> None:
    assert cause(with_scores(ROW, f1=False)) is None
    lexical = replace(ROW, passed={"groundedness": True, "f1": False})
    assert cause(lexical) is Cause.WRONG_THOUGH_GROUNDED


@pytest.mark.parametrize(
    ("gold", "response", "told"),
    [
        (GOLD, "It ends after 12 hours; it is closed when idle for 45 minutes.", ""),
        ("21 days", "You may borrow a licence for up to 21 days, and renew it once.", ""),
        ("Workers in the harbour office may enter on Sundays.", "Sundays, if you work there.", ""),
        ("Bob.", "Bob.", ""),
        ("認証コードは四十五分で失効", "コードは四十五分で失効します", ""),
        (GOLD, GOLD.replace("45", "15"), "it says 15 where the reference says 45"),
        ("21 days", "For 14 days.", "it says 14 where the reference says 21"),
        ("Bob.", "Ann.", "it has 0 of the 1 telling words of the reference"),
        (GOLD, "Ask the help desk to reset the token.", "it has 0 of the 10 telling words of the reference"),
    ],
)
def test_low_wording_alone_does_not_make_a_grounded_answer_wrong(gold: str, response: str, told: str) -> None:
    row = Signals(response, (f"{gold} {response}",), (gold,), {"groundedness": True, "f1": False, "bleu": False})
    found = diagnose(row)
    if not told:
        assert found is None
        return
    assert found is not None
    assert found.cause is Cause.WRONG_THOUGH_GROUNDED
    assert found.evidence.endswith(f"but {told} (no metric compared the meaning)")
    assert cause(replace(row, gold=(gold, response))) is None, "one of the references is enough"


def test_the_evidence_says_what_was_seen() -> None:
    low = diagnose(with_scores(replace(ROW, contexts=(OTHER, OTHER, OTHER, CHUNK)), correctness=False))
    assert low is not None
    assert low.evidence == "the expected answer first stands in context 4"
    made_up = diagnose(replace(with_scores(ROW, groundedness=False), claims=3, entailed=2, worst_claim="valid 30 days"))
    assert made_up is not None
    assert made_up.evidence == "1 of 3 statements has no support: “valid 30 days”"


def test_coverage_counts_numbers_and_scripts_without_spaces() -> None:
    assert coverage("valid for 45 minutes", ("nothing here", "it is valid for 45 minutes"))[0] == 1.0
    assert coverage("valid for 45 minutes", ("it is valid for 30 minutes",))[0] < 1.0
    assert coverage("Bob.", ("Ann did.", "Bob did it."))[:2] == (1.0, 2)
    assert coverage("...", ("Ann did.",)) == (0.0, 0)
    assert cause(replace(ROW, gold=("...",), passed={"groundedness": True, "correctness": False})) is (
        Cause.WRONG_THOUGH_GROUNDED
    ), "a reference without words does not make what was retrieved a miss"
    share, rank = coverage("認証コードは四十五分で失効", ("別の話", "認証コードは四十五分で失効します"))
    assert (share, rank) == (1.0, 2)


@pytest.mark.parametrize(
    ("grades", "ranking", "expected", "evidence"),
    [
        ({"d1": 1}, ["d2", "d3"], Cause.RETRIEVAL_MISS, "the relevant document is not among the 2 retrieved"),
        ({"d1": 1, "d9": 2}, ["d2"], Cause.RETRIEVAL_MISS, "none of the 2 relevant documents is among the 1 retrieved"),
        ({"d3": 1}, ["d1", "d2", "d3"], Cause.RANKED_TOO_LOW, "the first relevant document, d3, is at rank 3"),
        ({"d1": 1, "d9": 1}, ["d1"], Cause.RETRIEVAL_MISS, "1 of 2 relevant documents was not retrieved"),
        ({"d2": 1}, ["d1", "d2"], Cause.RANKED_TOO_LOW, "the relevant document is there, at rank 2"),
        ({"d1": 0}, ["d1"], None, ""),
    ],
)
def test_a_query_fails_for_what_is_missing_or_below_the_cut(
    grades: dict[str, int], ranking: list[str], expected: Cause | None, evidence: str
) -> None:
    found = diagnose_ranking(grades, ranking, k=2)
    assert (found.cause if found else None) is expected
    assert (found.evidence if found else "") == evidence
