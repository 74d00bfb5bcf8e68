"""Ranking metrics of an experiment at other cuts, from the rankings and contexts that it kept: nothing is run again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ragtui.experiments.frames import averaged
from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.stored_rankings import rankings
from ragtui.metrics.metric import Metric
from ragtui.metrics.registry import metric
from ragtui.metrics.score import State
from ragtui.metrics.spec import MetricError, Spec, parse

if TYPE_CHECKING:
    from ragtui.datasets.dataset import Dataset
    from ragtui.experiments.stored_results import StoredResults

USUAL_CUTS: Final = (1, 2, 3, 5, 10, 20, 50, 100)
MOST_CUTS: Final = 30


class WhatIfError(ValueError):
    """There is nothing to cut, or not there; the message is one line."""


@dataclass(frozen=True, slots=True)
class AtCut:
    """One metric's mean on one side with only the first ``k`` documents; ``score`` is that of the case asked for."""

    metric: str
    k: int
    side: Side
    mean: float | None
    n_scored: int
    n_total: int
    score: float | None = None


def read_cuts(text: str) -> tuple[int, ...]:
    """Cuts as typed: ``5`` or ``1, 7, 20``; the usual ones for an empty text.

    Raises:
        WhatIfError: they are no whole numbers from 1.
    """
    words = [word for word in re.split(r"[\s,]+", text.strip()) if word]
    if not all(word.isascii() and word.isdecimal() and 0 < int(word) <= 1_000 for word in words):
        raise WhatIfError(f"{text.strip()!r}: cuts are whole numbers from 1 to 1,000, as 1, 5, 20")
    return tuple(sorted({int(word) for word in words}))[:MOST_CUTS] or USUAL_CUTS


def families(plan: Plan) -> tuple[Spec, ...]:
    """The plan's metrics that a cut makes sense for, each once, without their cuts."""
    found: dict[str, Spec] = {}
    for each in plan.metrics:
        spec = Spec(parse(each.spec).base, None, parse(each.spec).variant)
        try:
            metric(str(Spec(spec.base, "1", spec.variant)))
        except MetricError:
            continue
        found[str(spec)] = spec
    return tuple(found.values())


def at_cuts(
    results: StoredResults, cuts: Sequence[int], case_id: str | None = None, dataset: Dataset | None = None
) -> list[AtCut]:
    """Every ranking metric of an experiment at every cut on every side, metric by metric.

    For test cases, whose metrics look at contexts, ``dataset`` is what the experiment was run on.

    Raises:
        WhatIfError: the experiment has no metric that a cut makes sense for.
    """
    wanted = families(results.plan)
    if not wanted:
        raise WhatIfError(
            "no metric of this experiment looks at the first k: nDCG, Recall, context_recall and the like"
        )
    metrics = [metric(str(Spec(each.base, str(k), each.variant))) for each in wanted for k in cuts]
    ranked = [each for each in metrics if each.ranking is not None]
    computed = [each for each in metrics if each.score is not None]
    found: dict[tuple[str, Side], AtCut] = {}
    for side in results.sides:
        for each in (
            *(_of_rankings(results, side, ranked, case_id) if ranked else ()),
            *(_of_contexts(results, side, computed, case_id, dataset) if computed and dataset is not None else ()),
        ):
            found[each.metric, side] = each
    return [found[each.name, side] for each in metrics for side in results.sides if (each.name, side) in found]


def _of_rankings(results: StoredResults, side: Side, metrics: Sequence[Metric], case_id: str | None) -> Iterable[AtCut]:
    import polars as pl

    from ragtui.metrics.rankings.ranking import evaluate

    ids = dict(results.cases.select("position", "case_id").iter_rows())
    qrels: list[tuple[str, str, int]] = []
    run: list[tuple[str, str, float]] = []
    for position, grades, listed in rankings(results, side, list(ids)):
        qrels += [(ids[position], doc, grade) for doc, grade in grades.items()]
        run += [(ids[position], doc, float(-rank)) for rank, doc in enumerate(listed)]  # as they were ranked
    scores = evaluate(
        pl.DataFrame(qrels, schema={"query_id": pl.String, "doc_id": pl.String, "grade": pl.Int64}, orient="row"),
        pl.DataFrame(run, schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}, orient="row"),
        metrics,
        results.cases["case_id"],
    )
    for each in metrics:
        mine = scores.filter(pl.col("metric") == each.name)
        counted = averaged(mine, each.name, results.plan.average)["score"].drop_nulls()
        one = mine.filter(pl.col("query_id") == case_id)["score"] if case_id is not None else pl.Series([None])
        mean = float(counted.sum()) / counted.len() if counted.len() else None
        score = one[0] if one.len() else None
        yield AtCut(each.name, each.k or 0, side, mean, counted.len(), mine.height, score)


def _of_contexts(
    results: StoredResults, side: Side, metrics: Sequence[Metric], case_id: str | None, dataset: Dataset
) -> Iterable[AtCut]:
    from ragtui.experiments.case_inputs import InputColumns, origins

    where = {each.name: origins(each, dataset, _at_cut(results.plan, each)) for each in metrics}
    builder = InputColumns(dataset, where).part(0, dataset.rows)
    ids = results.cases["case_id"].to_list()
    scores: dict[str, list[float]] = {each.name: [] for each in metrics}
    asked: dict[str, float | None] = {}
    total = 0
    for position, response in results.responses(side):
        if response.state is State.PENDING or position >= dataset.rows:
            continue
        total += 1
        for each in metrics:
            assert each.score is not None
            if response.state is State.TARGET_ERROR:
                continue
            outcome = each.score(builder.inputs(position, response, where[each.name]))
            if outcome.score is not None:
                scores[each.name].append(outcome.score)
            if ids[position] == case_id:
                asked[each.name] = outcome.score
    for each in metrics:
        values = scores[each.name]
        mean = sum(values) / len(values) if values else None
        yield AtCut(each.name, each.k or 0, side, mean, len(values), total, asked.get(each.name))


def _at_cut(plan: Plan, each: Metric) -> dict[str, str]:
    """The plan's mapping, with what was stated for the metric at its own cut taken over."""
    base = parse(each.name).base
    taken = {
        f"{each.name}.{name}": reference
        for planned in plan.metrics
        if parse(planned.spec).base == base
        for name, reference in planned.inputs.items()
        if reference.startswith("${data")
    }
    return {**plan.mapping, **taken}
