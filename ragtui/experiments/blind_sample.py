"""A blind random sample of verdicts for a person to judge anew: which cases come next, and that scores were hidden."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from ragtui.experiments import labels
from ragtui.experiments.database import explained, transaction
from ragtui.experiments.labelled_answers import speaks_of
from ragtui.experiments.labels import Given
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.experiments.store import Store, StoreError, now
from ragtui.metrics.judged import RUBRICS
from ragtui.metrics.registry import metric as registered
from ragtui.metrics.spec import MetricError

if TYPE_CHECKING:
    from ragtui.experiments.results import Results

WANTED: Final = 50
"""Labels from which kappa's interval is narrow enough to tell a good judge from a poor one."""


def sample(results: Results, metric: str, side: Side = Side.CANDIDATE) -> list[str]:
    """Every case that was scored by ``metric``, in an order that depends on nothing but the experiment, the metric and
    the ids: whoever stops after any number of them has labelled a random sample.

    Raises:
        StoreError: the experiment has no such judged metric, or none of its cases was scored.
    """
    judged_metric(results, metric)
    frame = results.rows(side)
    scored = frame.filter(frame[metric].is_not_null())["case_id"].to_list()
    if not scored:
        raise StoreError(f"{metric} scored no case of experiment {results.experiment}: there is nothing to sample")
    return sorted(scored, key=lambda case_id: _rank(results.experiment, metric, str(case_id)))


def _rank(experiment: str, metric: str, case_id: str) -> bytes:
    return hashlib.sha256(f"{experiment}\0{metric}\0{case_id}".encode("utf-8", "surrogatepass")).digest()


def judged_metric(results: Results, metric: str) -> PlannedMetric:
    """The metric as planned.

    Raises:
        StoreError: there is none of that name, or no judge gives its scores.
    """
    planned = next((each for each in results.plan.metrics if each.spec == metric), None)
    judged = ", ".join(each.spec for each in results.plan.metrics if each.question)
    if planned is None or planned.question is None:
        what = "has no metric" if planned is None else "has no judge for"
        raise StoreError(f"experiment {results.experiment} {what} {metric!r}; judged are: {judged or 'none'}")
    return planned


def definition(metric: PlannedMetric) -> tuple[str, str]:
    """What a judged metric measures, and what its lowest and highest score mean, a line each; of a metric of the user's own
    only its scale is known."""
    rubric = RUBRICS.get(metric.question or "")
    try:
        asked = registered(metric.spec).summary
    except MetricError:
        asked = ""
    if rubric is None:
        low, high = ("" if end is None else f"{end:g}" for end in metric.scale)
        return asked or metric.spec, f"{low or 'open'} is the lowest, {high or 'open'} the highest score"
    ends = ((score, rubric.levels[score].partition(":")[0].lower()) for score in (rubric.low, rubric.high))
    return asked or metric.spec, "; ".join(f"{score} {meaning}" for score, meaning in ends)


def give(
    store: Store, results: Results, case_id: str, key: str, metric: str, side: Side = Side.CANDIDATE, author: str = ""
) -> Given:
    """Stores a person's own score, given without sight of the judge's.

    Raises:
        StoreError: ``key`` is no score on the metric's scale, or the case is not in the sample.
    """
    if case_id not in sample(results, metric, side):
        raise StoreError(f"{case_id} is not in the sample: {metric} did not score it")
    if labels.value_of(key) in set(labels.Label):
        raise StoreError("a blind label is your own score, as 4: there is no verdict in sight to agree with")
    given = labels.give(store, results.experiment, case_id, key, side=side, metric=metric, author=author or labels.me())
    row = (given.dataset, given.case_id, given.side, given.metric, given.author, given.value, given.experiment, now())
    with explained(store.path), transaction(store.connection):
        store.connection.execute("INSERT OR REPLACE INTO blind_labels VALUES (?,?,?,?,?,?,?,?)", row)
    return given


def blind(store: Store, dataset: str) -> set[tuple[str, str, str, str, str]]:
    """``(case_id, side, metric, author, value)`` of every label that was given blind. One that was changed since with the
    score in sight is not among them, since its value is another."""
    sql = "SELECT case_id, side, metric, author, value FROM blind_labels WHERE dataset = ?"
    return {tuple(row) for row in store.query(sql, dataset)}


def waiting(store: Store, results: Results, metric: str, side: Side = Side.CANDIDATE, author: str = "") -> list[str]:
    """What of the sample has no blind label of this author yet, in order."""
    entry, who = store.entry(results.experiment), author or labels.me()
    dataset = entry.source
    known = blind(store, dataset)
    done = {
        each.case_id
        for each in labels.labels(store, dataset, who)
        if (each.case_id, each.side, each.metric, each.author, each.value) in known
        and (each.side, each.metric) == (side, metric)
        and speaks_of(store, entry, each)
    }
    return [case_id for case_id in sample(results, metric, side) if case_id not in done]
