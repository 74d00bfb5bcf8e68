"""The report for programs: strict JSON with means, comparison and gate; in ASCII, so that no terminal obeys what a name
holds."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, Final

from ragtui.experiments.gates import Judgement
from ragtui.experiments.results import MetricComparison, MetricSummary, Results
from ragtui.experiments.slices import Slice, slices

SUFFIX: Final = ".json"


def render(results: Results, judgement: Judgement) -> str:
    return json.dumps(content(results, judgement), indent=2, allow_nan=False) + "\n"


def content(results: Results, judgement: Judgement) -> dict[str, Any]:
    """The report as values."""
    plan = results.plan
    return {
        "version": 1,
        "experiment": results.experiment,
        "dataset": plan.dataset,
        "judge": plan.judge,
        "status": results.status.value,
        "candidate": plan.candidate,
        "baseline": plan.baseline,
        "group": plan.group,
        "metrics": [_summary(each) for each in results.summaries()],
        "comparison": [_comparison(each) for each in results.comparisons()],
        **({"remarks": list(results.remarks)} if results.remarks else {}),
        **({"cluster": results.cluster} if results.cluster is not None else {}),
        **(
            {"slices": [_slice(each) for name in results.slicing for each in slices(results, name)]}
            if results.slicing
            else {}
        ),
        "causes": dict(results.causes()),
        "labels": dict(results.labelled()),
        "gate": {
            "passed": judgement.passed,
            "reasons": [*judgement.reasons, *judgement.incomplete],
            "remarks": list(judgement.remarks),
            "incomplete": bool(judgement.incomplete),
        },
    }


def _summary(each: MetricSummary) -> dict[str, Any]:
    return {
        "metric": each.metric,
        "side": each.side.value,
        "mean": each.mean,
        "strict_mean": each.strict_mean,
        "ci95": None if each.ci95 is None else list(each.ci95),
        "n_scored": each.n_scored,
        "n_total": each.n_total,
        "states": {state.value: n for state, n in each.states.items()},
        "pass_rate": each.pass_rate,
        "threshold": each.threshold,
    }


def _comparison(each: MetricComparison) -> dict[str, Any]:
    return {
        "metric": each.metric,
        "delta": each.delta,
        "ci95": None if each.ci95 is None else list(each.ci95),
        "p": each.p,
        "p_holm": each.p_holm,
        "test": each.test or None,
        "n_pairs": each.n_pairs,
        "wins": each.wins,
        "ties": each.ties,
        "losses": each.losses,
        "new": each.new,
        "missing": each.missing,
        "mde": each.mde,
        **({"sources": each.sources} if each.sources is not None else {}),
    }


def _slice(each: Slice) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(each).items()}
