"""Gates for scripts: what must hold of a run, whether it did, and the exit status that says so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ragtui.experiments import statistics, wording
from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.progress import Status
from ragtui.experiments.results import MetricComparison, MetricSummary, Results
from ragtui.metrics.score import State

if TYPE_CHECKING:
    from ragtui.experiments.compare import Compared
    from ragtui.experiments.metrics_file import MetricsFile

PASSED: Final = 0
FAILED: Final = 1
COULD_NOT_RUN: Final = 2
INCOMPLETE: Final = 3
INTERRUPTED: Final = 130

FALSE_ALARMS: Final = 0.05  # of unchanged runs may fail --fail-if-worse
INCONCLUSIVE_FROM: Final = 0.02  # share of the scale: a smaller drop than the smallest detectable one stays unseen


class GateError(ValueError):
    """A gate cannot be used; the message is one line with the remedy."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The candidate's mean (or pass rate) of a metric must not be worse than ``value``."""

    metric: str
    value: float
    of_pass_rate: bool = False


@dataclass(frozen=True, slots=True)
class Gates:
    limits: tuple[Limit, ...] = ()
    fail_if_worse: bool = False
    max_error_rate: float = 0.0

    @property
    def stand(self) -> bool:
        """Whether there is any gate on the scores."""
        return bool(self.limits) or self.fail_if_worse


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the gates say. ``passed`` is ``None`` without gates; ``incomplete`` says why a verdict is refused."""

    passed: bool | None
    reasons: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        if self.incomplete:
            return INCOMPLETE
        return FAILED if self.passed is False else PASSED


def limit(text: str, plan: Plan) -> Limit:
    """Reads ``METRIC=X`` or ``METRIC.pass_rate=X``.

    Raises:
        GateError: not of that form, a metric the plan does not have, or a value outside its scale.
    """
    name, equals, value = text.rpartition("=")
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not equals or not math.isfinite(number):
        raise GateError(f"--fail-under {text!r}: write METRIC=X or METRIC.pass_rate=X, as groundedness=3.5")
    of_pass_rate = name.endswith(".pass_rate")
    metric = _planned(name.removesuffix(".pass_rate").strip(), plan, text)
    low, high = (0.0, 1.0) if of_pass_rate else plan.metric(metric).scale
    if (low is not None and number < low) or (high is not None and number > high):
        raise GateError(f"--fail-under {text!r}: {value} is outside the scale of {name}, {_ends(low, high)}")
    if of_pass_rate and plan.metric(metric).threshold is None:
        raise GateError(f"--fail-under {text!r}: {metric} has no threshold, so it has no pass rate")
    return Limit(metric, number, of_pass_rate)


def with_file(gates: Gates, settings: MetricsFile | None, plan: Plan) -> Gates:
    """The gates with those of a metrics file: its least pass rate stands for every metric that can have one."""
    if settings is None or settings.min_pass_rate is None:
        return gates
    broken = {fault.rpartition(" for ")[2] for fault in settings.faults}
    wanted = [Limit(each.spec, settings.min_pass_rate, True) for each in plan.metrics if each.spec not in broken]
    return Gates((*gates.limits, *wanted), gates.fail_if_worse, gates.max_error_rate)


def nothing_scored(results: Results) -> bool:
    """Whether there are rows but not one score: never a pass."""
    summaries = results.summaries()
    return bool(summaries) and not any(each.n_scored for each in summaries)


def _planned(name: str, plan: Plan, text: str) -> str:
    from ragtui.metrics.registry import metric
    from ragtui.metrics.spec import MetricError

    known = {each.spec for each in plan.metrics}
    if name in known:
        return name
    try:
        meant = metric(name).name
    except MetricError:
        meant = name
    if meant not in known:
        raise GateError(f"--fail-under {text!r}: the run has no metric {name!r}; it has {', '.join(sorted(known))}")
    return meant


def judge(results: Results, gates: Gates) -> Judgement:
    """Holds results against gates."""
    summaries = results.summaries()
    candidate = [each for each in summaries if each.side is Side.CANDIDATE]
    incomplete = _incomplete(results, summaries, gates.max_error_rate)
    if results.status is Status.FINISHED:
        incomplete = (*incomplete, *_unanswered(candidate, gates, results.plan))
    comparisons = _gated(results.comparisons(), results.plan) if gates.fail_if_worse else []
    return _judged(results.plan, candidate, comparisons, gates, incomplete)


def judge_compared(compared: Compared, gates: Gates) -> Judgement:
    """Holds a comparison of two experiments against gates, which look at B."""
    plan, candidate = compared.b.plan, compared.summaries_b
    incomplete = _unanswered(candidate, gates, plan)
    return _judged(plan, candidate, _gated(compared.comparisons, plan), gates, incomplete)


def _gated(comparisons: Sequence[MetricComparison], plan: Plan) -> list[MetricComparison]:
    """Those that ``--fail-if-worse`` looks at. Time, tokens and cost have gates of their own (``--fail-under
    latency=2000``): a better answer may take longer."""
    return [each for each in comparisons if plan.metric(each.metric).kind != "operational"]


def merged(judgements: Sequence[Judgement], names: Sequence[str]) -> Judgement:
    """Several comparisons' judgements as one, which passes where each does; ``names`` say whose each reason is."""
    if len(judgements) == 1:
        return judgements[0]

    def told(part: str) -> tuple[str, ...]:
        return tuple(
            f"{name}: {each}" for one, name in zip(judgements, names, strict=True) for each in getattr(one, part)
        )

    passed = [each.passed for each in judgements if each.passed is not None]
    return Judgement(all(passed) if passed else None, told("reasons"), told("incomplete"), told("remarks"))


def _judged(
    plan: Plan,
    candidate: Sequence[MetricSummary],
    comparisons: Sequence[MetricComparison],
    gates: Gates,
    incomplete: tuple[str, ...],
) -> Judgement:
    if not gates.stand:
        return Judgement(None, incomplete=incomplete)
    by_metric = {each.metric: each for each in candidate}
    reasons = [
        _missed(each, by_metric[each.metric], plan) if each.metric in by_metric else f"{each.metric}: not compared"
        for each in gates.limits
    ]
    remarks: list[str | None] = []
    if gates.fail_if_worse:
        surely = {each.metric for each in worse(comparisons, plan)}
        reasons += [_worse(each, plan, each.metric in surely) for each in comparisons]
        remarks += [_by_chance(each, plan, comparisons) for each in comparisons if each.metric not in surely]
        remarks += [_inconclusive(each, plan) for each in comparisons]
        if not any(each.n_pairs > 1 for each in comparisons):
            reasons.append("there is nothing to compare: no metric has two cases that both sides scored")
    failed = tuple(each for each in reasons if each)
    return Judgement(not failed, failed, incomplete, tuple(each for each in remarks if each))


def _incomplete(results: Results, summaries: Sequence[MetricSummary], allowed: float) -> tuple[str, ...]:
    reasons = []
    if results.status is not Status.FINISHED:
        why = results.why_unfinished
        reasons += [f"the run is {results.status}", *([why] if why and why != results.status else [])]
    cells, errors = sum(each.n_total for each in summaries), sum(each.errors for each in summaries)
    if errors > allowed * cells:
        share = wording.number(100 * errors / cells, 1)
        reasons.append(f"{errors} of {cells} cells errored ({share} %; --max-error-rate allows {100 * allowed:g} %)")
    return tuple(reasons)


def _unanswered(candidate: Sequence[MetricSummary], gates: Gates, plan: Plan) -> tuple[str, ...]:
    """Why no gate can pass where answers are missing: those that are there may be the good ones."""
    limited = {each.metric for each in gates.limits}
    gated = [
        each
        for each in candidate
        if each.metric in limited or (gates.fail_if_worse and plan.metric(each.metric).kind != "operational")
    ]
    most = max(gated, key=lambda each: each.states.get(State.PENDING, 0), default=None)
    waiting = most.states.get(State.PENDING, 0) if most is not None else 0
    if most is None or not waiting:
        return ()
    return (
        f"{waiting:,} of {wording.count(most.n_total, 'case')} have no answer to score; gates hold for all of them",
    )


def _missed(gate: Limit, summary: MetricSummary, plan: Plan) -> str | None:
    metric = plan.metric(gate.metric)
    if gate.of_pass_rate:
        if summary.pass_rate is None:
            return f"{gate.metric}: no pass rate, nothing was scored {wording.counts(summary)}"
        ok, value = summary.pass_rate >= gate.value, summary.pass_rate
        shown = f"pass rate {wording.number(value, 2, gate.value)}"
    elif summary.mean is None:
        return f"{gate.metric}: no mean, nothing was scored {wording.counts(summary)}"
    else:
        value = summary.mean
        ok = value >= gate.value if metric.higher_is_better else value <= gate.value
        shown = f"mean {wording.number(value, max(2, wording.digits_of(metric)), gate.value)}{wording.unit(metric)}"
    relation = "under" if gate.of_pass_rate or metric.higher_is_better else "over"
    return None if ok else f"{gate.metric}: {shown} is {relation} {gate.value:g}"


def worse(comparisons: Sequence[MetricComparison], plan: Plan) -> list[MetricComparison]:
    """The comparisons whose drop is sure: the one-sided 95 % bound is below 0, Holm's correction over them all heeded, so
    that 5 % of unchanged runs fail at most, however many metrics a group has (``benchmarks/gate_false_alarms.py``)."""
    corrected = statistics.holm([each.p_worse for each in comparisons])
    return [
        each
        for each, p in zip(comparisons, corrected, strict=True)
        if each.best is not None and each.best < 0 and p is not None and p < FALSE_ALARMS
    ]


def _by_chance(comparison: MetricComparison, plan: Plan, all_: Sequence[MetricComparison]) -> str | None:
    """What is said of a drop that would count alone, but not among so many metrics."""
    if comparison.best is None or comparison.best >= 0:
        return None
    digits = wording.digits_of(plan.metric(comparison.metric))
    delta = wording.signed_number(comparison.delta, digits)
    return (
        f"{comparison.metric}: {delta}, a drop that would be sure alone but may be chance among "
        f"{wording.count(len(all_), 'metric')}; look at it, or run more cases"
    )


def _worse(comparison: MetricComparison, plan: Plan, surely: bool) -> str | None:
    metric = plan.metric(comparison.metric)
    if comparison.best is None:
        lost = comparison.missing > 0  # scored on the baseline, not on the candidate
        return f"{comparison.metric}: cannot be compared, {wording.pairs(comparison)}" if lost else None
    if not surely:
        return None
    ends = wording.paired_interval(comparison, wording.digits_of(metric))
    delta = wording.signed_number(comparison.delta, wording.digits_of(metric))
    return f"{comparison.metric}: worse than the baseline, {delta} {ends}, over {wording.count(comparison.n_pairs, 'pair')}"


def _inconclusive(comparison: MetricComparison, plan: Plan) -> str | None:
    low, high = plan.metric(comparison.metric).scale
    if comparison.mde is None or low is None or high is None or comparison.best is None or comparison.best < 0:
        return None
    if wording.holds(comparison):  # the difference is shown, so that nothing is open
        return None
    if comparison.mde <= INCONCLUSIVE_FROM * (high - low):
        return None
    smallest = wording.number(comparison.mde)
    pairs = wording.count(comparison.n_pairs, "pair")
    return f"{comparison.metric}: inconclusive, with {pairs} only a drop of {smallest} is detectable with 80 % power"


def _ends(low: float | None, high: float | None) -> str:
    return f"{'' if low is None else f'{low:g}'} to {'any number' if high is None else f'{high:g}'}".strip()
