"""Retrieval measured on answer data: contexts and ids in each case, and Azure's labelled documents."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragtui.metrics.registry import metric
from ragtui.metrics.score import Outcome, State
from ragtui.metrics.wording.matching import CRITERIA

from .oracle_files import azure

LONG = (
    "After five wrong codes in a row the token is locked for twenty minutes; waiting is usually quicker than calling, "
    "because the lock ends by itself."
)


def outcome(spec: str, **inputs: Any) -> Outcome:
    found = metric(spec).score
    assert found is not None
    return found(inputs)


# --- contexts --------------------------------------------------------------------------------------------------------


def test_ids_decide_first_and_the_reason_says_so() -> None:
    found = outcome(
        "context_recall", retrieved_ids=("a", "b"), gold_ids=("b", "c"), context=("x",), gold_context=("x",)
    )
    assert found.score == 0.5
    assert found.reason == "by id: 1 of 2 found at rank 2 among 2"


def test_precision_looks_at_the_ranks_of_relevant_chunks() -> None:
    inputs = {"retrieved_ids": ("x", "a", "y", "b"), "gold_ids": ("a", "b")}
    assert outcome("context_precision", **inputs).score == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert outcome("context_precision@3", **inputs).score == pytest.approx(1 / 2)
    assert outcome("context_recall@3", **inputs).score == 0.5
    assert outcome("recall_multi@3", **inputs).score == 0.5
    assert outcome("recall_single@3", **inputs).score == 1
    assert outcome("recall_single@1", **inputs).score == 0


def test_a_json_list_in_a_cell_is_its_items() -> None:
    found = outcome("recall_multi", retrieved_ids='["a", "b"]', gold_file_name="b")
    assert (found.score, found.reason) == (1, "by file_name: found at rank 2 among 2")


@pytest.mark.parametrize(
    ("criterion", "inputs", "value"),
    [
        (
            "context",
            {"context": ("So: AFTER five   wrong codes it locks.",), "gold_context": "after five wrong codes"},
            1,
        ),
        ("context", {"context": ("東京は日本の首都です。人口は多い。",), "gold_context": "東京は日本の首都です。"}, 1),
        ("context", {"context": ("café au lait",), "gold_context": "cafe\u0301"}, 1),
        ("context", {"context": ("something else",), "gold_context": "after five wrong codes"}, 0),
        ("fuzzy", {"context": (LONG.replace("twenty", "20"),), "gold_context": LONG}, 1),
        ("fuzzy", {"context": ("too short",), "gold_context": "too short"}, 0),
        ("answer", {"context": ("It is Paris, of course.",), "ground_truth": ("Rome", "paris")}, 0.5),
    ],
)
def test_each_criterion(criterion: str, inputs: dict[str, Any], value: float) -> None:
    found = outcome(f"recall_multi:{criterion}", **inputs)
    assert found.score == value
    assert found.reason.startswith(f"by {criterion}: ")


def test_nothing_retrieved_scores_0_and_nothing_known_is_not_applicable() -> None:
    assert outcome("context_recall", context=(), gold_context="x").score == 0
    assert outcome("context_precision", retrieved_ids="[]", gold_ids=("x",)).score == 0
    missing = outcome("context_recall", context=("x",))
    assert missing.state is State.NOT_APPLICABLE
    assert "nothing says what is relevant" in missing.reason
    assert "nothing retrieved is known" in outcome("context_recall", ground_truth=("x",)).reason
    for criterion in CRITERIA:
        assert outcome(f"recall_single:{criterion}", response="x").state is State.NOT_APPLICABLE
    assert outcome("recall_single:id", retrieved_ids=("a",)).reason == "no gold_ids"
    assert outcome("recall_single:fuzzy", gold_context="a").reason == "no context"
    assert outcome("recall_single:answer", context=("a",)).reason == "no ground truth"


# --- Azure's document retrieval --------------------------------------------------------------------------------------

DOCUMENTS = {row["id"]: row for row in azure("doc_retrieval")}
OURS = {"ndcg@3": "nDCG@3:azure", "xdcg@3": "xdcg@3", "fidelity": "fidelity", "top1_relevance": "top1_relevance"}
OURS |= {name: name for name in ("top3_max_relevance", "holes", "holes_ratio")}


def lists(row: dict[str, Any]) -> dict[str, str]:
    given = {
        name: json.dumps(row[name])
        for name in ("retrieval_ground_truth", "retrieved_documents")
        if row[name] is not None
    }
    lowest = row["init"].get("ground_truth_label_min")
    return given if lowest is None else {**given, "ground_truth_label_min": str(lowest)}


def without_package_faults(names: dict[str, Any]) -> list[str]:
    return [
        name
        for name, row in names.items()
        if "metrics" in row["expected"] and not name.startswith(("score_", "PACKAGE_BUG"))
    ]


@pytest.mark.parametrize("case", without_package_faults(DOCUMENTS))
def test_document_retrieval_equals_azures_evaluator(case: str) -> None:
    for name, value in DOCUMENTS[case]["expected"]["metrics"].items():
        if name in OURS:
            found = outcome(OURS[name], **lists(DOCUMENTS[case]))
            if value == "NaN":
                assert found.state is State.NOT_APPLICABLE
            else:
                assert found.score == pytest.approx(value, abs=1e-9), name


def test_labels_are_weighed_as_numbers_not_as_text() -> None:
    """The package pairs labels from 10 on with the wrong weights and says 0.68."""
    row = DOCUMENTS["PACKAGE_BUG_label_10_string_sort"]
    assert row["expected"]["metrics"]["fidelity"] == pytest.approx(0.6818, abs=1e-4)
    assert outcome("fidelity", **lists(row)).score == pytest.approx((2**3 - 1) / (2**3 - 1 + 2**11 - 1))
    assert outcome("nDCG@3:azure", **lists(row)).score == pytest.approx(row["expected"]["metrics"]["ndcg@3"], abs=1e-9)


@pytest.mark.parametrize("case", ["score_bool", "score_nan", "score_string"])
def test_a_score_that_is_no_number_is_said_and_not_ranked(case: str) -> None:
    """The package takes true for 1, and puts NaN anywhere."""
    found = outcome("nDCG@3:azure", **lists(DOCUMENTS[case]))
    assert (found.state, found.cause) == (State.METRIC_ERROR, "bad_input")
    assert "retrieved_documents: the relevance_score of document '1' is" in found.reason


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("label_float", "the query_relevance_label of document '1' is 2.0, no whole number"),
        ("label_bool", "the query_relevance_label of document '1' is True, no whole number"),
        ("label_negative", "the label of document '1' is below 0"),
        ("missing_label_key", "document '1' has no query_relevance_label"),
        ("missing_score_key", "document '1' has no relevance_score"),
    ],
)
def test_lists_that_are_not_as_they_should_be_are_an_error_that_says_why(case: str, reason: str) -> None:
    found = outcome("fidelity", **lists(DOCUMENTS[case]))
    assert (found.state, found.cause) == (State.METRIC_ERROR, "bad_input")
    assert reason in found.reason


def test_without_judged_or_retrieved_documents_not_applicable() -> None:
    assert outcome("holes", **lists(DOCUMENTS["empty_truth"])).reason == "no document is judged"
    assert outcome("holes", **lists(DOCUMENTS["retrieved_none_value"])).reason == "no retrieved_documents"
    broken = outcome("holes", retrieval_ground_truth="[{]", retrieved_documents="[]")
    assert broken.state is State.METRIC_ERROR
    assert "retrieval_ground_truth is not JSON" in broken.reason
    assert "must be a list of objects" in outcome("holes", retrieval_ground_truth="{}", retrieved_documents="[]").reason
