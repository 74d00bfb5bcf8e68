"""Figures as words: the same on screen, in print and in reports. Display never contradicts the unrounded value."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ragtui.experiments.plan import Plan, PlannedMetric, Side
from ragtui.experiments.progress import Status
from ragtui.experiments.results import MetricComparison, MetricSummary
from ragtui.metrics.score import State

if TYPE_CHECKING:
    from ragtui.experiments.preflight import Preflight
    from ragtui.experiments.progress import Forecast
    from ragtui.experiments.results import Results
    from ragtui.experiments.slices import Slice

NONE: Final = "–"
ALPHA: Final = 0.05
SIDES: Final = ("candidate", "baseline")


def starts(found: Preflight) -> list[str]:
    """Who is asked for answers and what code is started, a line each."""
    if found.plan.responses_of is not None:
        return [f"scores what experiment {found.plan.responses_of} stored; no target is called"]
    asked = [f"{spec} is asked for the answers to {count(n, 'case')}" for spec, n in found.target_calls.items()]
    code = [each if isinstance(each, str) else each.name for each in found.code]
    return asked + ([f"starts code: {', '.join(code)}"] if code else [])


def takes(found: Preflight) -> str:
    """``takes about 2 min, as earlier runs did``, or that it is not known yet."""
    if found.seconds is None:
        return "time unknown; after five rows there is an estimate of time and cost"
    return f"takes about {duration(found.seconds)} at the pace of earlier runs"


def forecast(told: Forecast) -> str:
    """``about 120,000 tokens, 1.20 to 2.75 USD, 4 min in all``."""
    parts = [f"about {told.tokens:,} tokens"] if told.tokens else []
    parts += [f"{told.cost[0]:.2f} to {told.cost[1]:.2f} USD"] if told.cost is not None else []
    parts += [duration(told.seconds)] if told.seconds is not None else []
    return f"{', '.join(parts)} in all" if parts else ""


def duration(seconds: float) -> str:
    """``12 s``, ``4 min``, ``2.5 h``."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def number(value: float | None, digits: int = 2, against: float | None = None, most: int = 9) -> str:
    """A number as text, with as many more digits as it takes to stay on its side of ``against`` (2.996 against 3), at
    ``most`` so many: what is nearer is rounding and reads ``<3.00`` or ``>3.00``."""
    if value is None:
        return NONE
    text, longer = f"{value:.{digits}f}", digits
    while against is not None and longer < most and not _same_side(text, value, against):
        longer += 1
        text = f"{value:.{longer}f}"
    if against is not None and not _same_side(text, value, against):
        return f"{'<' if value < against else '>'}{number(against, digits)}"
    return text if float(text) != 0 else text.lstrip("-")


def stale(metrics: Sequence[str]) -> str:
    """That newer versions exist than those an experiment was run with; empty where none does."""
    if not metrics:
        return ""
    has = "has a newer version" if len(metrics) == 1 else "have newer versions"
    return f"stale: {', '.join(metrics)} {has} than the one these scores are of; run it again for current ones"


def unfinished(results: Results) -> str:
    """``cancelled``, ``paused: the budget of 2 USD is spent``; empty for what is finished."""
    if results.status is Status.FINISHED:
        return ""
    return ": ".join([results.status.value, *([results.why_unfinished] if results.why_unfinished else [])])


def count(n: int, thing: str) -> str:
    """``1 case``, ``2,000 cases``, ``2 queries``."""
    many = f"{thing[:-1]}ies" if thing.endswith("y") else f"{thing}s"
    return f"{n:,} {thing if n == 1 else many}"


NAMED: Final = 3  # ids that a line names


def missing(side: Side, first: Sequence[str], n: int, of: int) -> str:
    """``candidate: no response recorded for 10 of 12 cases (t-1, t-2, t-3 and 7 more)``; ``first`` are the first ids."""
    rest = f" and {n - NAMED:,} more" if n > NAMED else ""
    return f"{side}: no response recorded for {n:,} of {count(of, 'case')} ({', '.join(first[:NAMED])}{rest})"


def _same_side(text: str, value: float, against: float) -> bool:
    return (float(text) > against) == (value > against) and (float(text) < against) == (value < against)


def score(value: float | None, metric: PlannedMetric) -> str:
    """One case's score with its unit: whole numbers of a 1 to 5 scale as such, else two digits or as many as pass/fail
    needs."""
    if value is None:
        return NONE
    whole = value == int(value) and metric.scale[1] is not None and metric.scale[1] > 1
    text = f"{int(value)}" if whole else number(value, digits_of(metric), metric.threshold)
    return text + unit(metric)


def digits_of(metric: PlannedMetric | None) -> int:
    """Digits a mean of this metric is shown with: milliseconds and tokens need none, money four."""
    known = metric.unit if metric is not None else ""
    return 0 if known in ("ms", "tokens", "words", "characters") else 4 if known == "USD" else 2


def unit(metric: PlannedMetric | None) -> str:
    """`` ms`` behind a figure, or nothing."""
    return f" {metric.unit}" if metric is not None and metric.unit else ""


def counts(summary: MetricSummary) -> str:
    """Over how many of how many, and what the others are: ``(94/100; 4 errors, 2 n/a)``."""
    other = {
        "error": summary.errors,
        "n/a": summary.states.get(State.NOT_APPLICABLE, 0),
        "skipped": summary.states.get(State.SKIPPED, 0),
        "pending": summary.states.get(State.PENDING, 0),
    }
    parts = [f"{n} {word}{'s' if word == 'error' and n > 1 else ''}" for word, n in other.items() if n]
    parts += summary.notes
    return f"({summary.n_scored}/{summary.n_total}{'; ' + ', '.join(parts) if parts else ''})"


def mean(summary: MetricSummary, metric: PlannedMetric | None = None, strict: bool = False) -> str:
    """A mean with its denominator: ``0.83 (94/100; 4 errors, 2 n/a)``, ``no value (0/3; 3 errors)``."""
    value = summary.strict_mean if strict else summary.mean
    if value is None:
        return f"no value {counts(summary)}"
    return f"{number(value, _digits(summary, metric), summary.threshold)}{unit(metric)} {counts(summary)}"


def _digits(summary: MetricSummary, metric: PlannedMetric | None) -> int:
    """As many digits as it takes to tell the ends of the mean's interval apart."""
    digits = digits_of(metric)
    while summary.ci95 and digits < 6 and number(summary.ci95[0], digits) == number(summary.ci95[1], digits):
        if summary.ci95[1] - summary.ci95[0] < 1e-9:
            break
        digits += 1
    return digits


def interval(ci95: tuple[float, float] | None, digits: int = 2, signed: bool = False) -> str:
    """``[4.12, 4.50]``; a dash where there is none."""
    if ci95 is None:
        return NONE
    say = signed_number if signed else number
    while ci95[1] - ci95[0] > 1e-9 and say(ci95[0], digits) == say(ci95[1], digits) and digits < 6:
        digits += 1
    return f"[{say(ci95[0], digits)}, {say(ci95[1], digits)}]"


def mean_interval(summary: MetricSummary, metric: PlannedMetric) -> str:
    """The interval of a mean, with as many digits as the mean."""
    return spread(summary.ci95, _digits(summary, metric))


def spread(ci95: tuple[float, float] | None, digits: int = 2) -> str:
    """The interval of a mean; scores that are all equal say nothing of one."""
    return "all equal" if ci95 is not None and ci95[0] == ci95[1] else interval(ci95, digits)


def signed_number(value: float | None, digits: int = 2) -> str:
    """A difference: ``+0.89``, ``-0.10``, ``0.00``; more digits where it would read as none."""
    if value is None:
        return NONE
    text = number(value, digits, against=0.0, most=17) if abs(value) > 1e-12 else f"{0.0:.{digits}f}"
    return text if text.startswith("-") or float(text) == 0 else f"+{text}"


def p_value(p: float | None) -> str:
    """``.034``, ``<.001``; never 0."""
    if p is None:
        return NONE
    if p < 0.001:
        return "<.001"
    text = number(p, 3, against=ALPHA)
    return text if p >= 1 else text.replace("0.", ".", 1)


def rate(share: float | None) -> str:
    """A pass rate: ``93 %``; never 100 % or 0 % unless it is."""
    if share is None:
        return NONE
    return f"{number(100 * share, 0, against=100.0 if share > 0.5 else 0.0)} %"


def pass_rate(summary: MetricSummary) -> str:
    """``93 %``, or a dash for a metric without a threshold."""
    if summary.pass_rate is not None:
        return rate(summary.pass_rate)
    return "–" if summary.threshold is None else "no value"


def measure(metric: PlannedMetric) -> str:
    """A metric's scale and the score from which it passes: ``1 to 5, passes from 3``."""
    low, high = ("" if end is None else f"{end:g}" for end in metric.scale)
    scale = f"{low} to {high}" if high else f"{low or 'any'} and up" if low else "any number"
    passes = (
        ""
        if metric.threshold is None
        else f"passes {'from' if metric.higher_is_better else 'up to'} {metric.threshold:g}"
    )
    return ", ".join(part for part in (metric.unit, scale, passes) if part)


def holds(comparison: MetricComparison) -> bool:
    """Whether the difference stands after Holm's correction over the group."""
    return comparison.p_holm is not None and comparison.p_holm < ALPHA


def verdict(comparison: MetricComparison, metric: PlannedMetric, sides: tuple[str, str] = SIDES) -> str:
    """One plain sentence on a difference that claims no more than the figures do; ``sides`` are candidate and baseline
    by the names that are shown."""
    digits = digits_of(metric)
    if comparison.delta is None or comparison.n_pairs < 2 or comparison.p is None:
        shared = f"only {comparison.n_pairs} case" if comparison.n_pairs else "no case"
        return f"{metric.spec}: not compared, {shared} that both sides scored"
    if comparison.ties == comparison.n_pairs:
        return f"{metric.spec}: no pair differs, {pairs(comparison, sides)}{_at_most(comparison)}"
    figures = f"{signed_number(comparison.delta, digits)}{unit(metric)} {paired_interval(comparison, digits)}"
    figures = f"{figures}, {p_holm(comparison)}; {pairs(comparison, sides)}"
    if holds(comparison):
        return f"{metric.spec}: {sides[0]} is {outcome(comparison, metric)}, {figures}"
    smallest = (
        f"; {number(comparison.mde, digits)}{unit(metric)} or more would be seen with 80 % power"
        if comparison.mde
        else ""
    )
    return f"{metric.spec}: no difference shown, {figures}{smallest}"


def _at_most(comparison: MetricComparison) -> str:
    """How many cases may differ although none of these did: the exact 95 % bound, for pairs that do not hang together."""
    if comparison.sources is not None:
        return ""
    share = 1 - 0.05 ** (1 / comparison.n_pairs)
    return f"; of all such cases up to {rate(share)} may (95 %)"


def paired_interval(comparison: MetricComparison, digits: int) -> str:
    """``[+0.71, +1.07]``; what there is instead where the pairs say nothing of the spread."""
    if comparison.ci95 is not None or comparison.n_pairs < 2:
        return interval(comparison.ci95, digits, signed=True)
    return "no pair differs" if comparison.ties == comparison.n_pairs else "all by as much"


def outcome(comparison: MetricComparison, metric: PlannedMetric) -> str:
    """``better``, ``worse``, ``no difference shown`` or ``not compared``: the candidate, by what holds after correction."""
    if comparison.delta is None or comparison.n_pairs < 2 or comparison.p is None:
        return "not compared"
    if not holds(comparison):
        return "no difference shown"
    return "better" if (comparison.delta > 0) == metric.higher_is_better else "worse"


def in_short(comparisons: Sequence[MetricComparison], plan: Plan) -> str:
    """``The candidate is better in 1 of 3 metrics (f1), worse in none; no difference shown in 2 (relevance,
    correctness).``; empty without a baseline."""
    if not comparisons:
        return ""
    by: dict[str, list[str]] = {}
    for each in comparisons:
        by.setdefault(outcome(each, plan.metric(each.metric)), []).append(each.metric)
    told = {word: f"{len(metrics)} ({', '.join(metrics)})" for word, metrics in by.items()}
    if "better" in by:
        told["better"] = f"{len(by['better'])} of {count(len(comparisons), 'metric')} ({', '.join(by['better'])})"
    sure = f"The candidate is better in {told.pop('better', 'no metric')}, worse in {told.pop('worse', 'none')}"
    return "; ".join([sure, *(f"{word} in {metrics}" for word, metrics in told.items())]) + "."


READING: Final = (
    "A mean is over the cases that were scored (n of N): n/a is a case in which the metric has nothing to judge, as where an "
    "answer declines; what failed to be scored is counted as an error, never averaged. Brackets hold 95 % intervals. The "
    "difference is taken case by case; p is corrected for the number of metrics (Holm). Pass is the share of scores that meet "
    "the metric's threshold."
)
CAUSES: Final = {
    "retrieval miss": "what was retrieved does not hold the expected answer",
    "ranked too low": "it was retrieved, but too far down",
    "context ignored": "it was retrieved, and the answer does not use it",
    "ungrounded": "the answer states what the contexts do not",
    "wrong though grounded": "the contexts support the answer, but it is not what the reference says",
    "refused though answerable": "it declines, though there is an answer",
    "right refusal": "it declines, as it should: no fault",
    "label suspect": "the reference may be wrong",
}


def legend(found: Collection[str]) -> str:
    """What the causes that occur mean; empty where there are none."""
    known = [f"{name}: {meaning}" for name, meaning in CAUSES.items() if name in found]
    return "; ".join(known)


def rows_for(comparison: MetricComparison, metric: PlannedMetric, difference: float) -> str:
    """``groundedness: 148 pairs would show a difference of 0.10 with 80 % power; there are 60``."""
    from ragtui.experiments.statistics import rows_needed

    shown = f"{number(difference, max(2, digits_of(metric)))}{unit(metric)}"
    needed = rows_needed(comparison.sd, difference) if comparison.sd else None
    if needed is None:
        alike = "no pair differs" if comparison.ties == comparison.n_pairs else "all pairs differ by as much"
        return f"{metric.spec}: {alike}, so nothing says how many would show a difference of {shown}"
    enough = "there are enough" if needed <= comparison.n_pairs else f"there are {comparison.n_pairs:,}"
    return f"{metric.spec}: {count(needed, 'pair')} would show a difference of {shown} with 80 % power; {enough}"


def pairs(comparison: MetricComparison, sides: tuple[str, str] = SIDES) -> str:
    """``51 pairs: 27 better, 19 equal, 5 worse; 4 scored for the candidate only``."""
    shown = f"{comparison.wins} better, {comparison.ties} equal, {comparison.losses} worse"
    alone = zip((comparison.new, comparison.missing), sides, strict=True)
    extra = [f"{n} scored for {'' if side.isupper() else 'the '}{side} only" for n, side in alone if n]
    of = f" of {count(comparison.sources, 'source')}" if comparison.sources is not None else ""
    return f"{count(comparison.n_pairs, 'pair')}{of}: {shown}{'; ' + ', '.join(extra) if extra else ''}"


def worse_slice(each: Slice, metric: PlannedMetric) -> str:
    """``groundedness is worse where topic is billing: -0.80 [-1.20, -0.40] to the rest, p (Holm) .003; 24 of 24 cases``."""
    digits = digits_of(metric)
    figures = (
        f"{signed_number(each.against_rest, digits)}{unit(metric)} {interval(each.rest_ci95, digits, signed=True)}"
    )
    n = f"{each.n_scored} of {count(each.n_total, 'case')}"
    return f"{metric.spec} is worse where {each.column} is {each.value}: {figures} to the rest, p (Holm) {p_value(each.p_holm)}; {n}"


def p_holm(comparison: MetricComparison) -> str:
    """``p (Holm) .034``: the p that the verdict goes by."""
    return f"p (Holm) {p_value(comparison.p_holm)}" if comparison.p_holm is not None else NONE


def causes(found: Mapping[str, int], labelled: Mapping[str, int] | None = None) -> str:
    """``why rows fail (42 explained): 18 retrieval miss, 24 ungrounded. Labelled by people: 2 model fault``; empty where
    there are none."""
    parts = []
    if total := sum(found.values()):
        parts.append(f"why rows fail ({total:,} explained): {', '.join(f'{n:,} {name}' for name, n in found.items())}")
    if labelled:
        parts.append("Labelled by people: " + ", ".join(f"{n} {name}" for name, n in labelled.items()))
    return ". ".join(parts)


def side_name(side: Side, target: str | None) -> str:
    """``candidate recorded:answer_v2``."""
    return f"{side} {target}" if target else side.value
