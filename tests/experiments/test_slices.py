"""Clusters, slices, sides and more than two experiments: each with its n, and no claim beyond the figures."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ragtui.experiments import statistics
from ragtui.experiments.compare import CompareError, Shown, compare_all
from ragtui.experiments.grouping import GroupError, grouped, looked_at, sources
from ragtui.experiments.imported import open_result_file
from ragtui.experiments.plan import Side
from ragtui.experiments.slices import compared_slices, slices
from ragtui.experiments.store import Store
from ragtui.workspace import Workspace
from tests.experiments.command_line import Shell


def rows(n: int = 40) -> list[dict[str, Any]]:
    """Answers that are right, but for most of topic ``billing``; four questions a document; six cases without a topic."""
    return [
        {
            "id": f"c{at}", "query": f"question {at}", "ground_truth": "On floor two.", "doc": f"d{at // 4}",
            "topic": None if at % 7 == 6 else "billing" if at % 2 else "access", "lang": "de" if at < 20 else "en",
            "good": "On floor two.", "poor": "In the cellar." if at % 2 and at % 5 else "On floor two.",
        }
        for at in range(n)
    ]  # fmt: skip


@pytest.fixture
def desk(shell: Shell) -> Shell:
    shell.write("desk.jsonl", rows())
    for candidate, baseline in (("poor", "good"), ("good", "poor")):
        wanted = (
            "--candidate",
            f"recorded:{candidate}",
            "--baseline",
            f"recorded:{baseline}",
            "--metrics",
            "exact_match",
        )
        assert shell("run", "desk.jsonl", *wanted, "--quiet").status == 0
    return shell


def opened(desk: Shell, candidate: str) -> Any:
    store = Store.open(Workspace.open(desk.folder))
    (entry,) = (each for each in store.list() if each.plan.candidate == f"recorded:{candidate}")
    return store.results(entry.id)


def test_cases_are_grouped_by_any_column_of_the_dataset(desk: Shell) -> None:
    results = opened(desk, "poor")
    assert {"doc", "topic", "lang", "ground_truth"} <= set(results.fields().columns)
    assert grouped(results, "TOPIC")["group"].null_count() == 5
    with pytest.raises(GroupError, match="did you mean topic"):
        grouped(results, "topc")
    with pytest.raises(GroupError, match="has 1 value"):
        sources(results, "ground_truth")
    assert sources(results, "topic")["source"].n_unique() == 7, "a case without a value is a source of its own"


def test_a_slice_has_its_n_and_interval_and_the_worse_one_is_pointed_out(desk: Shell) -> None:
    found = {each.value: each for each in slices(opened(desk, "poor"), "topic")}
    assert list(found) == ["billing", "access", "(none)"]
    assert [(each.n_scored, each.n_total) for each in found.values()] == [(18, 18), (17, 17), (5, 5)]
    assert [each.worse for each in found.values()] == [True, False, False]
    billing = found["billing"]
    assert billing.mean == pytest.approx(4 / 18)
    assert billing.ci95 is not None
    assert billing.ci95[0] < 4 / 18 < billing.ci95[1]
    assert billing.n_pairs == 18
    assert billing.delta == pytest.approx(-14 / 18)
    assert billing.p_holm is not None
    assert billing.p is not None
    assert billing.p < billing.p_holm < 0.001
    assert not any(each.worse for each in slices(opened(desk, "poor"), "lang"))


def test_too_small_slices_are_held_against_nothing(shell: Shell) -> None:
    shell.write(
        "r.jsonl", [{"id": f"c{at}", "score": at / 10, "kind": "rare" if at < 3 else "usual"} for at in range(10)]
    )
    found = slices(open_result_file(shell.folder / "r.jsonl"), "kind")
    assert [(each.value, each.n_scored, each.against_rest, each.worse) for each in found] == [
        ("usual", 7, None, False), ("rare", 3, None, False),
    ]  # fmt: skip
    shell.write("r.jsonl", [{"id": f"c{at}", "score": 1, "kind": f"k{at}"} for at in range(60)])
    with pytest.raises(GroupError, match="has 60 values"):
        slices(open_result_file(shell.folder / "r.jsonl"), "kind")


def test_clusters_widen_intervals_and_are_named(desk: Shell) -> None:
    plain, clustered = opened(desk, "poor"), opened(desk, "poor")
    looked_at(clustered, "lang", ())
    (before,), (after,) = plain.comparisons(), clustered.comparisons()
    assert (before.sources, after.sources, after.test) == (None, 2, "clustered t")
    assert (after.delta, after.n_pairs) == (before.delta, before.n_pairs)
    assert clustered.summaries()[0].ci95 != plain.summaries()[0].ci95
    looked_at(clustered, "doc", ())
    (after,) = clustered.comparisons()
    expected = statistics.paired(
        [1.0] * 40, [0.0 if n % 2 and n % 5 else 1.0 for n in range(40)], [n // 4 for n in range(40)]
    )
    assert (after.sources, after.p) == (10, expected.p)
    said = desk("show", clustered.experiment, "--cluster", "doc", "--slice", "topic", "--worst", "0")
    assert "40 pairs of 10 sources" in said.out
    assert "exact_match is worse where topic is billing" in said.out
    assert "18 of 18 cases" in said.out
    refused = desk("show", clustered.experiment, "--slice", "nope")
    assert (refused.status, "has no column 'nope'" in refused.err) == (2, True)
    refused = desk("run", "desk.jsonl", "--candidate", "recorded:good", "--metrics", "f1", "--cluster", "docs")
    assert (refused.status, "did you mean doc?" in refused.err) == (2, True)


def test_a_report_holds_cluster_and_slices_where_they_were_asked_for(desk: Shell) -> None:
    command = (
        "run",
        "desk.jsonl",
        "--candidate",
        "recorded:poor",
        "--baseline",
        "recorded:good",
        "--metrics",
        "exact_match",
    )
    assert desk(*command, "--quiet", "--report", "o.json", "--cluster", "doc", "--slice", "topic").status == 0
    report = json.loads((desk.folder / "o.json").read_text())
    assert report["cluster"] == "doc"
    assert report["comparison"][0]["sources"] == 10
    assert [(each["value"], each["n_scored"], each["worse"]) for each in report["slices"]] == [
        ("billing", 18, True), ("access", 17, False), ("(none)", 5, False),
    ]  # fmt: skip


def test_sides_and_more_than_two_are_compared_with_one_correction(desk: Shell) -> None:
    poor, good = opened(desk, "poor"), opened(desk, "good")
    shown = [Shown(good, letter="A"), Shown(poor, letter="B"), Shown(poor, Side.BASELINE, "C")]
    worse, same = compare_all(shown)
    assert (worse.letters, same.letters) == (("A", "B"), ("A", "C"))
    assert (worse.comparisons[0].losses, same.comparisons[0].ties) == (16, 40)
    assert worse.comparisons[0].p_holm == pytest.approx(2 * (worse.comparisons[0].p or 0)), "over both comparisons"
    assert worse.rows["exact_match Δ"].sum() == -16
    with pytest.raises(CompareError, match="two experiments or more"):
        compare_all(shown[:1])
    said = desk("compare", good.experiment, poor.experiment, f"{poor.experiment}:baseline", "--slice", "topic")
    assert said.status == 0
    assert "B against A" in said.out
    assert "C against A" in said.out
    assert "B is worse" in said.out
    assert "p (Holm) is over all 2 comparisons above" in said.out
    said = desk("compare", good.experiment, poor.experiment, "--detect", "0.1").out
    assert f"{statistics.rows_needed(worse.comparisons[0].sd or 0, 0.1)} pairs would show a difference of 0.10" in said
    assert "no pair differs" in desk("compare", good.experiment, good.experiment, "--detect", "0.1").out
    gated = desk(
        "compare", good.experiment, f"{poor.experiment}:baseline", poor.experiment, "--fail-if-worse", "--quiet"
    )
    assert gated.status == 1
    refused = desk("compare", good.experiment, "r:baseline")
    assert refused.status == 2


def test_compared_slices_are_those_where_the_difference_is(desk: Shell) -> None:
    (found,) = compare_all([Shown(opened(desk, "good")), Shown(opened(desk, "poor"), letter="B")])
    told = {each.value: (each.n_pairs, each.worse, each.better) for each in compared_slices(found, "topic")}
    assert told == {"access": (17, False, False), "billing": (18, True, False), "(none)": (5, False, False)}


def test_welch_agrees_with_scipy() -> None:
    rng = np.random.default_rng(3)
    for n, m in ((2, 2), (5, 40), (30, 12)):
        one, other = rng.normal(0, 1, n), rng.normal(0.5, 3, m)
        mine, theirs = statistics.unpaired(one, other), stats.ttest_ind(one, other, equal_var=False)
        assert mine is not None
        interval = theirs.confidence_interval()
        assert (mine.p, mine.low, mine.high) == pytest.approx((theirs.pvalue, interval.low, interval.high), rel=1e-9)
    assert statistics.unpaired([1.0], [1.0, 2.0]) is None
    assert statistics.unpaired([1.0, 1.0], [0.0, 0.0]) is None, "no spread, so nothing can be said"


def test_a_few_equal_scores_are_not_sure_by_their_being_equal() -> None:
    rest = np.random.default_rng(5).normal(0.6, 0.3, 25)
    welch = statistics.unpaired([0.4] * 5, rest)
    assert welch is not None
    assert welch.p < 0.02
    assert 0.1 < statistics.drawn([0.4] * 5, rest) < 0.4
    exact = stats.permutation_test(([0.0] * 5, [1.0] * 5), lambda a, b: a.mean() - b.mean()).pvalue
    assert statistics.drawn([0.0] * 5, [1.0] * 5) == pytest.approx(exact, abs=0.006)


def test_slices_stand_in_every_report(desk: Shell) -> None:
    out = desk("show", "last", "--slice", "topic").out
    for name in ("r.md", "r.html"):
        assert desk("run", "desk.jsonl", "--candidate", "recorded:poor", "--baseline", "recorded:good", "--metrics",
                    "exact_match", "--slice", "topic", "--report", name, "--quiet").status == 0  # fmt: skip
    told = next(each for each in slices(opened(desk, "poor"), "topic") if each.value == "billing")
    md, page = ((desk.folder / name).read_text() for name in ("r.md", "r.html"))
    assert "### by topic" in md
    assert f" billing | {told.mean:.2f} ({told.n_scored}/{told.n_total}) | \\[" in md
    assert "- exact\\_match is worse where topic is billing: -" in md
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    (sliced,) = data["slices"]
    assert (sliced["title"], sliced["columns"][:3]) == ("by topic", ["metric", "slice", "mean (n of N)"])
    assert [row[1] for row, worse in zip(sliced["rows"], sliced["worse"], strict=True) if worse] == ["billing"]
    assert sliced["said"][0].startswith("exact_match is worse where topic is billing")
    assert "by topic" in out


def test_a_column_of_too_many_values_is_refused_before_the_run(shell: Shell) -> None:
    shell.write("desk.jsonl", [{**row, "query": f"q{at}"} for at, row in enumerate(rows(60))])
    said = shell("run", "desk.jsonl", "--candidate", "recorded:good", "--metrics", "f1", "--slice", "query")
    assert (said.status, "has 60 values" in said.err) == (2, True)
    assert Store.open(Workspace.open(shell.folder)).list() == []


@pytest.mark.parametrize("option", ["--slice", "--cluster"])
def test_a_column_that_is_not_kept_with_the_cases_is_refused_before_the_run(shell: Shell, option: str) -> None:
    shell.write("desk.jsonl", [{**row, "response": "On floor two."} for row in rows(12)])
    said = shell("run", "desk.jsonl", "--metrics", "f1", option, "id")
    assert (said.status, "has no column 'id' to group its cases by" in said.err) == (2, True)
    assert Store.open(Workspace.open(shell.folder)).list() == []
