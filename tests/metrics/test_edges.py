"""Every metric at the edges its definition speaks of: nothing answered, no reference, no context, other scripts, long texts."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Final

import pytest

from ragtui.experiments.why_not import why_not
from ragtui.judges.embedded.judge import EmbeddedJudge
from ragtui.judges.judge import Question
from ragtui.metrics.metric import Metric
from ragtui.metrics.registry import metric, metrics, variants
from ragtui.metrics.score import Outcome, State
from ragtui.targets.target import Response

JUDGE: Final = EmbeddedJudge()
USUAL: Final[dict[str, Any]] = {
    "query": "How long is the pass valid?",
    "response": "The pass is valid for 4 hours.",
    "context": ("The pass is valid for 4 hours and can be used once.", "The code expires after 10 minutes."),
    "ground_truth": ("The pass is valid for 4 hours.",),
    "retrieved_ids": ("a.md", "b.md"),
    "gold_ids": ("a.md",),
    "gold_file_name": "a.md",
    "gold_context": "The pass is valid for 4 hours",
    "retrieval_ground_truth": '[{"document_id": "a", "query_relevance_label": 2}]',
    "retrieved_documents": '[{"document_id": "a", "relevance_score": 1.5}]',
    "tool_definitions": "[]",
    "tool_calls": "[]",
    "latency_ms": "12",
    "prompt_tokens": "3",
    "completion_tokens": "4",
    "cost": "0.1",
}
NA: Final = "not_applicable"
SAME: Final = "same"

# An empty response, no reference of any kind, no context and nothing retrieved; SAME: as if nothing were missing.
EDGES: Final[dict[str, tuple[float | str, float | str, float | str]]] = {
    "context_recall": (SAME, NA, NA),
    "context_precision": (SAME, NA, NA),
    "recall_single": (SAME, NA, NA),
    "recall_multi": (SAME, NA, NA),
    "xdcg@3": (SAME, NA, NA),
    "fidelity": (SAME, NA, NA),
    "top1_relevance": (SAME, NA, NA),
    "top3_max_relevance": (SAME, NA, NA),
    "holes": (SAME, NA, NA),
    "holes_ratio": (SAME, NA, NA),
    "f1": (0.0, NA, SAME),
    "exact_match": (0.0, NA, SAME),
    "bleu": (0.0, NA, SAME),
    "gleu": (0.0, NA, SAME),
    "meteor": (0.0, NA, SAME),
    "rouge1": (0.0, NA, SAME),
    "rouge2": (0.0, NA, SAME),
    "rouge3": (0.0, NA, SAME),
    "rouge4": (0.0, NA, SAME),
    "rouge5": (0.0, NA, SAME),
    "rougeL": (0.0, NA, SAME),
    "chrf": (0.0, NA, SAME),
    "groundedness_score": (NA, SAME, NA),
    "groundedness": (NA, SAME, NA),
    "relevance": (1.0, SAME, SAME),
    "coherence": (SAME, SAME, SAME),
    "fluency": (SAME, SAME, SAME),
    "retrieval": (SAME, SAME, NA),
    "similarity": (1.0, NA, SAME),
    "response_completeness": (1.0, NA, SAME),
    "intent_resolution": (SAME, SAME, SAME),
    "task_adherence": (SAME, SAME, SAME),
    "tool_call_accuracy": (SAME, SAME, SAME),
    "correctness": (NA, NA, SAME),
    "completeness": (0.0, NA, SAME),
    "alignment": (0.0, NA, SAME),
    "no_answer_ratio": (1.0, SAME, SAME),
    "latency": (SAME, SAME, SAME),
    "tokens": (SAME, SAME, SAME),
    "cost": (SAME, SAME, SAME),
    "answer_length": (0.0, SAME, SAME),
    "nDCG@10:azure": (SAME, NA, NA),
    "context_recall:id": (SAME, NA, NA),
    "context_recall:file_name": (SAME, NA, NA),
    "context_recall:context": (SAME, NA, NA),
    "context_recall:fuzzy": (SAME, NA, NA),
    "context_recall:answer": (SAME, NA, NA),
    "context_precision:id": (SAME, NA, NA),
    "context_precision:file_name": (SAME, NA, NA),
    "context_precision:context": (SAME, NA, NA),
    "context_precision:fuzzy": (SAME, NA, NA),
    "context_precision:answer": (SAME, NA, NA),
    "recall_single:id": (SAME, NA, NA),
    "recall_single:file_name": (SAME, NA, NA),
    "recall_single:context": (SAME, NA, NA),
    "recall_single:fuzzy": (SAME, NA, NA),
    "recall_single:answer": (SAME, NA, NA),
    "recall_multi:id": (SAME, NA, NA),
    "recall_multi:file_name": (SAME, NA, NA),
    "recall_multi:context": (SAME, NA, NA),
    "recall_multi:fuzzy": (SAME, NA, NA),
    "recall_multi:answer": (SAME, NA, NA),
    "f1:azure": (NA, NA, SAME),
    "f1:squad": (0.0, NA, SAME),
    "exact_match:strict": (0.0, NA, SAME),
    "exact_match:squad": (0.0, NA, SAME),
    "bleu:azure": (NA, NA, SAME),
    "gleu:azure": (NA, NA, SAME),
    "meteor:azure": (NA, NA, SAME),
    "rouge1:azure": (NA, NA, SAME),
    "rouge2:azure": (NA, NA, SAME),
    "rouge3:azure": (NA, NA, SAME),
    "rouge4:azure": (NA, NA, SAME),
    "rouge5:azure": (NA, NA, SAME),
    "rougeL:azure": (NA, NA, SAME),
}

SCRIPTS: Final = {
    "Chinese": "通行证的有效期为四个小时。",
    "Japanese": "パスは4時間有効です。",
    "Thai": "บัตรผ่านใช้ได้สี่ชั่วโมง",
    "Arabic": "التصريح صالح لمدة أربع ساعات.",
    "emoji": "👩‍👩‍👧‍👦 4 h ✅ 🇩🇪",
    "combining": "Dér Pa\u0308ss gilt 4 Stu\u0301nden",
    "controls": "a\x00b\x1b[31m\u202e\ufeff",
    "surrogate": "a \ud83d b",
    "punctuation": "…?!",
    "blank": " \n\t ",
    "100 kB": "The pass is valid for 4 hours. " * 3400,
    "100 kB of one word": "x" * 100_000,
}


def scored_by(each: Metric, inputs: dict[str, Any]) -> Outcome:
    """The outcome of a run of one case, the embedded judge judging."""
    reason = why_not(each, Response("1"), inputs, JUDGE)
    if reason is not None:
        return reason
    if each.score is not None:
        return each.score(inputs)
    verdict = JUDGE.judge(Question(each.question or "", inputs))
    if verdict.state is State.SCORED:
        return each.from_verdict(verdict.score, verdict.reason, verdict.evidence)
    return Outcome(verdict.state, cause=verdict.cause, reason=verdict.reason)


@cache
def of_cases() -> tuple[Metric, ...]:
    """Every metric that scores a case, each cut once, and every variant."""
    found = [*metrics(), *(each for each, _ in variants())]
    return tuple(each for each in found if each.ranking is None and each.k in (None, 3, 10))


def value(outcome: Outcome) -> float | str:
    return outcome.state.value if outcome.score is None else round(outcome.score, 3)


def without(*names: str) -> dict[str, Any]:
    return {name: given for name, given in USUAL.items() if name not in names}


REFERENCES: Final = ("ground_truth", "gold_ids", "gold_file_name", "gold_context", "retrieval_ground_truth")
RETRIEVED: Final = ("context", "retrieved_ids", "retrieved_documents")


@pytest.mark.parametrize("name", [each.name for each in of_cases()])
def test_what_is_missing(name: str) -> None:
    each = metric(name)
    found = [
        value(scored_by(each, {**USUAL, "response": ""})),
        value(scored_by(each, without(*REFERENCES))),
        value(scored_by(each, without(*RETRIEVED))),
    ]
    same = value(scored_by(each, USUAL))
    assert [SAME if given == same else given for given in found] == list(EDGES[name]), name


@pytest.mark.parametrize("name", [each.name for each in of_cases()])
def test_any_text_gives_a_score_on_the_scale_or_says_why_not(name: str) -> None:
    each = metric(name)
    for script, text in SCRIPTS.items():
        if each.question is not None and script == "100 kB":
            text = text[:1200]  # sentence against sentence: the judge's time grows with the square
        inputs = {**USUAL, "response": text, "context": (text, "other"), "ground_truth": (text,), "query": text}
        outcome = scored_by(each, {**inputs, "gold_context": text})
        assert outcome.state in (State.SCORED, State.NOT_APPLICABLE), (name, script, outcome)
        if outcome.score is not None:
            assert math.isfinite(outcome.score), (name, script)
            assert each.on_scale(outcome.score), (name, script, outcome.score)
        assert outcome.state is State.SCORED or outcome.reason, (name, script)


@pytest.mark.parametrize("script", [each for each in SCRIPTS if each not in ("blank", "punctuation", "controls")])
def test_the_same_text_agrees_with_itself_in_any_script(script: str) -> None:
    text = SCRIPTS[script]
    for name in ("f1", "exact_match", "bleu", "gleu", "rouge1", "rougeL", "chrf", "context_recall:answer"):
        found = scored_by(metric(name), {"response": text, "ground_truth": (text,), "context": (text,)})
        assert found.score == pytest.approx(1), (name, script, found)


def test_rankings_with_ids_in_any_script_and_with_nothing_found() -> None:
    import polars as pl

    from ragtui.metrics.rankings.ranking import evaluate

    ids = [text for name, text in SCRIPTS.items() if name != "surrogate"]
    qrels = pl.DataFrame(
        {"query_id": [*ids, "none", "no run"], "doc_id": [*ids, "d", "d"], "grade": [1] * len(ids) + [0, 2]}
    )
    run = pl.DataFrame({"query_id": ids, "doc_id": ids, "score": [1.0] * len(ids)})
    ranked = [each for each in metrics() if each.ranking is not None and each.k in (None, 1)]
    found = evaluate(qrels, run, ranked)
    assert found["score"].is_nan().sum() == 0
    for each in ranked:
        mine = found.filter(pl.col("metric") == each.name)
        good = 0.0 if each.name.startswith("Hole") else 1.0
        assert mine["score"].to_list()[: len(ids)] == [good] * len(ids), each.name
        missing = NA if each.name.startswith(("Judged", "Hole")) else "scored"
        assert mine.filter(pl.col("query_id") == "no run")["state"].to_list() == [missing], each.name
        assert mine.filter(pl.col("query_id") == "none")["state"].to_list() == [NA], each.name
