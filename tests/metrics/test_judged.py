"""What judges are asked: every judged metric has its rubric, on its own scale."""

from __future__ import annotations

import pytest

from ragtui.metrics.judged import RUBRICS
from ragtui.metrics.metric import Kind
from ragtui.metrics.registry import metric, metrics
from ragtui.metrics.score import Evidence, State

JUDGED = [each for each in metrics() if each.kind is Kind.JUDGED]


@pytest.mark.parametrize("each", JUDGED, ids=lambda each: each.name)
def test_a_judged_metric_has_a_rubric_for_its_question(each: object) -> None:
    rubric = RUBRICS[each.question]  # type: ignore[attr-defined]
    assert rubric.question == each.question  # type: ignore[attr-defined]
    assert set(each.inputs) <= set(rubric.fields)  # type: ignore[attr-defined]
    assert set(rubric.fields) <= {*each.inputs, *each.optional}  # type: ignore[attr-defined]
    if each.derive is None:  # type: ignore[attr-defined]
        assert (rubric.low, rubric.high) == each.scale  # type: ignore[attr-defined]
    assert list(rubric.levels) == list(range(rubric.low, rubric.high + 1))


def test_scales_and_thresholds() -> None:
    assert all(each.threshold == 3 for each in JUDGED if each.scale == (1, 5))
    assert metric("task_adherence").scale == (0, 1)
    assert metric("task_adherence").passes(1) is True
    assert metric("task_adherence").passes(0) is False


def test_rubrics_say_nothing_twice_and_hold_no_template_marks() -> None:
    for rubric in RUBRICS.values():
        text = " ".join([rubric.task, *rubric.levels.values(), *rubric.rules])
        assert not set("{}<>") & set(text)
        assert len(set(rubric.levels.values())) == len(rubric.levels)


def test_a_verdict_is_the_score_as_it_is() -> None:
    found = metric("relevance").from_verdict(4, "answers it", ())
    assert (found.score, found.reason) == (4, "answers it")
    with pytest.raises(ValueError, match="relevance: a verdict without a score"):
        metric("relevance").from_verdict(None, "", ())


def test_groundedness_score_is_the_share_of_supported_sentences() -> None:
    evidence = tuple(Evidence("s", verdict) for verdict in ("entailed", "neutral", "entailed", "contradicted"))
    share = metric("groundedness_score").from_verdict(2, "cites a policy that is not there", evidence)
    assert share.score == 0.5
    assert share.reason == "2 of 4 sentences supported; cites a policy that is not there"
    assert share.evidence == evidence


def test_groundedness_score_from_a_judge_that_gives_no_sentences_says_so() -> None:
    scaled = metric("groundedness_score").from_verdict(4, "fine", ())
    assert scaled.score == 0.75
    assert "judge's 4 on 1 to 5" in scaled.reason
    assert metric("groundedness_score").from_verdict(None, "", ()).state is State.NOT_APPLICABLE
