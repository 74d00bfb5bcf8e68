"""Names of metrics parse and print; others' names are understood; a wrong one gets the nearest right one."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.metrics.metric import Cut, Kind
from ragtui.metrics.registry import definition, definitions, metric, metrics, resolve, resolve_all
from ragtui.metrics.spec import MetricError, parse


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("nDCG@10", "nDCG@10"),
        ("ndcg@010", "nDCG@10"),
        ("NDCG@10:EXP", "nDCG@10:exp"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.5", "nDCG@5"),
        ("P@1", "Precision@1"),
        ("P_5", "Precision@5"),
        ("recall_100", "Recall@100"),
        ("R@10", "Recall@10"),
        ("map_cut_100", "MAP@100"),
        ("AP@all", "MAP@all"),
        ("recip_rank", "MRR@all"),
        ("recip_rank_10", "MRR@10"),
        ("success_3", "Hit@3"),
        ("hit_rate@3", "Hit@3"),
        ("Rprec", "R-precision"),
        ("r_precision", "R-precision"),
        ("Judged@10", "Judged@10"),
        ("f1_score", "f1"),
        ("F1:Azure", "f1:azure"),
        ("builtin.f1_score", "f1:azure"),
        ("F1ScoreEvaluator", "f1:azure"),
        ("BleuScoreEvaluator", "bleu:azure"),
        ("builtin.coherence", "coherence"),
        ("GroundednessEvaluator", "groundedness"),
        ("document_retrieval", "nDCG@3:azure"),
        ("xdcg", "xdcg@3"),
        ("rougel", "rougeL"),
        ("EM", "exact_match"),
        ("exact-match", "exact_match"),
        ("recall_single@3:fuzzy", "recall_single@3:fuzzy"),
        (" groundedness ", "groundedness"),
    ],
)
def test_a_metric_is_known_by_many_names(written: str, name: str) -> None:
    assert metric(written).name == name


def test_every_name_parses_and_prints_itself() -> None:
    for each in metrics():
        spec = parse(each.name)
        assert metric(each.name).name == str(spec) == each.name
        assert spec.k == each.k
        assert spec.variant == each.variant


def test_every_variant_of_every_metric_can_be_built() -> None:
    for each in definitions().values():
        cut = "@7" if each.cut is not Cut.NEVER else ""
        for variant in each.variants:
            built = metric(f"{each.metric.name}{cut}:{variant}")
            assert built.variant == variant
            assert built.k == (7 if cut else None)


def test_a_name_without_its_cut_stands_for_four() -> None:
    assert [each.name for each in resolve("ndcg")] == ["nDCG@1", "nDCG@3", "nDCG@5", "nDCG@10"]
    assert [each.name for each in resolve("rouge")] == ["rouge1", "rouge2", "rougeL"]
    with pytest.raises(MetricError, match="stands for several metrics"):
        metric("nDCG")


def test_lists_keep_their_order_and_name_each_metric_once() -> None:
    found = resolve_all("f1, groundedness,F1_score,,recall@5")
    assert [each.name for each in found] == ["f1", "groundedness", "Recall@5"]
    with pytest.raises(MetricError, match="no metric is named"):
        resolve_all(" , ")


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("groundednes", "there is no metric 'groundednes'; did you mean groundedness?"),
        ("precison@5", "did you mean Precision?"),
        ("qwertz", "there is no metric 'qwertz'; `ragtui metrics` lists them"),
        ("nDCG@0", "must be a whole number from 1, or all"),
        ("nDCG@ten", "must be a whole number from 1, or all"),
        ("nDCG@-1", "must be a whole number from 1, or all"),
        ("nDCG@10:log", "nDCG has only the variants nDCG:exp, nDCG:azure"),
        ("relevance:azure", "relevance has no variants"),
        ("f1@3", "f1 takes no cut; write f1"),
        ("a b", "is not a metric's name"),
        ("", "is not a metric's name"),
        ("@3", "is not a metric's name"),
    ],
)
def test_a_wrong_name_gets_one_line_with_the_remedy(written: str, message: str) -> None:
    with pytest.raises(MetricError) as caught:
        metric(written)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=40))
def test_any_text_is_a_metric_or_a_clear_error(text: str) -> None:
    try:
        found = resolve(text)
    except MetricError:
        return
    assert found


def test_the_table_has_what_the_product_promises() -> None:
    names = set(definitions())
    assert names >= {"nDCG", "MAP", "Recall", "Precision", "MRR", "Hit", "R-precision", "Judged", "Hole"}
    assert names >= {"context_recall", "context_precision", "recall_single", "recall_multi", "xdcg", "fidelity"}
    assert names >= {"top1_relevance", "top3_max_relevance", "holes", "holes_ratio"}
    assert names >= {"f1", "exact_match", "bleu", "gleu", "meteor", "rouge1", "rouge2", "rougeL", "chrf"}
    assert names >= {
        "groundedness",
        "relevance",
        "coherence",
        "fluency",
        "retrieval",
        "similarity",
        "response_completeness",
    }
    assert names >= {
        "intent_resolution",
        "task_adherence",
        "tool_call_accuracy",
        "groundedness_score",
        "no_answer_ratio",
    }
    assert names >= {"correctness", "completeness", "alignment", "latency", "tokens", "cost", "answer_length"}


def test_each_metric_has_exactly_one_way_to_its_score() -> None:
    for each in metrics():
        ways = [each.score is not None, each.ranking is not None, each.question is not None]
        assert ways.count(True) == 1, each.name


def test_each_metric_says_what_it_does_and_at_which_edges() -> None:
    for each in (*metrics(), metric("nDCG@3:azure")):
        assert each.summary
        assert each.source
        text = each.definition.lower()
        assert len(text) > 80, each.name
        if each.kind is not Kind.OPERATIONAL:
            assert any(
                word in text for word in ("empty", "nothing retrieved", "missing from the run", "not looked at")
            ), each.name
            assert "not applicable" in text or each.name == "task_adherence" or "ground truth" not in each.inputs, (
                each.name
            )
            assert any(word in text for word in ("language", "script", "texts are not looked at")), each.name


def test_thresholds_lie_on_their_scales() -> None:
    for each in metrics():
        assert each.threshold is None or each.on_scale(each.threshold)
        if each.kind in (Kind.RETRIEVAL, Kind.OPERATIONAL):
            assert each.threshold is None, each.name
    assert metric("groundedness").threshold == 3
    assert metric("f1").threshold == 0.5
    assert not metric("groundedness").on_scale(0.7)
    assert metric("latency").passes(5) is None
    assert metric("f1").passes(0.5) is True
    assert metric("f1").passes(0.49999999) is False
    assert metric("holes_ratio").passes(0.2, 0.1) is False


def test_a_definition_is_found_from_any_of_its_metrics() -> None:
    assert definition(metric("nDCG@3:azure")).metric.name == "nDCG"


def test_adding_metrics_is_one_new_file(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """A family file beside the others is found by being there: two metrics, nothing else touched."""
    import ragtui.metrics
    from ragtui.metrics import registry

    folder = tmp_path  # type: ignore[assignment]
    (folder / "politeness.py").write_text(  # type: ignore[operator]
        "from ragtui.metrics.metric import Cut, Definition, Kind, Metric\n"
        "from ragtui.metrics.rankings.formula import Formula\n"
        "from ragtui.metrics.score import scored\n"
        "polite = lambda inputs: scored('please' in inputs['response'])\n"
        "thanks = Metric('thanks', Kind.OVERLAP, 'is it polite?', inputs=('response',), score=polite)\n"
        "misses = Formula(lambda c, k: 1 - c.hits(k) / k)\n"
        "DEFINITIONS = [Definition(thanks), Definition(Metric('Miss', Kind.RETRIEVAL, 'misses', ranking=misses), Cut.MUST)]\n"
    )
    monkeypatch.setattr(ragtui.metrics, "__path__", [*ragtui.metrics.__path__, str(folder)])
    registry.definitions.cache_clear()
    registry._names.cache_clear()
    try:
        assert metric("thanks").score({"response": "yes please"}).score == 1  # type: ignore[misc]
        assert metric("miss@5").k == 5
        import polars as pl

        from ragtui.metrics.rankings.ranking import evaluate

        qrels = pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "grade": [1]})
        run = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0]})
        assert evaluate(qrels, run, [metric("miss@2")])["score"].to_list() == [0.5]
    finally:
        registry.definitions.cache_clear()
        registry._names.cache_clear()
        sys.modules.pop("ragtui.metrics.politeness", None)


def test_the_table_loads_nothing_heavy() -> None:
    heavy = ("polars", "numpy", "sacrebleu", "rapidfuzz", "regex")
    code = f"import sys; from ragtui.metrics.registry import metrics; metrics(); print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
