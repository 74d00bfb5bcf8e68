"""The judge judged: how far its verdicts agree with those of people, beyond chance, and at which threshold best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ragtui.experiments import blind_sample, labels, wording
from ragtui.experiments.labels import Given, Label
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.experiments.statistics import Agreement, kappa, wilson
from ragtui.experiments.store import Store, StoreError
from ragtui.judges.consistency import FLAG, contradiction

if TYPE_CHECKING:
    from ragtui.experiments.stored_results import StoredResults

FEW: Final = 30
LOW: Final = 0.4
FAIR: Final = 0.6  # from here on a judge may stand in for a person (Landis and Koch 1977: "substantial")
_LOPSIDED: Final = 0.1
_FACTS: Final = ("correctness", "completeness", "alignment")


@dataclass(frozen=True, slots=True)
class Pair:
    """One case as judge and person see it. ``person`` is the person's own score, ``None`` where only agree or wrong was
    said; ``blind`` whether the judge's score was hidden then."""

    case_id: str
    judge: float
    judge_passed: bool
    person: float | None
    person_passed: bool
    blind: bool


@dataclass(frozen=True, slots=True)
class Threshold:
    """The judge's threshold that agrees best with the people, with the agreement that it would have; found on the same
    labels, so that it flatters itself."""

    value: float
    kappa: float
    observed: float


@dataclass(frozen=True)
class JudgeAgreement:
    """Judge against people on pass or fail of one metric. ``table[person][judge]`` counts cases, fail before pass.

    ``blind``: all labels are of the blind random sample; else they are ``biased``. ``left_out`` counts labels that say
    nothing of these verdicts: given to another response, or beside a blind sample with the score in sight.
    """

    metric: str
    side: Side
    threshold: float
    judge: str
    pairs: tuple[Pair, ...]
    blind: bool
    left_out: int
    in_sight: int
    contradicting: tuple[str, ...] = ()  # cases whose reason or claims do not fit the judge's score
    higher_is_better: bool = True
    scale: tuple[float | None, float | None] = field(default=(1.0, 5.0))
    of_rows: int = 0  # labels of rows, which are no opinions of a metric

    @property
    def n(self) -> int:
        return len(self.pairs)

    @cached_property
    def table(self) -> tuple[tuple[int, int], tuple[int, int]]:
        def count(person: bool, judge: bool) -> int:
            return sum((each.person_passed, each.judge_passed) == (person, judge) for each in self.pairs)

        return (count(False, False), count(False, True)), (count(True, False), count(True, True))

    @cached_property
    def agreement(self) -> Agreement | None:
        """Of pass and fail; ``None`` without labels."""
        return kappa(self.table)

    @property
    def observed_interval(self) -> tuple[float, float] | None:
        """Wilson's interval of the share of cases on which both agree."""
        return wilson(self.table[0][0] + self.table[1][1], self.n)

    @property
    def base_rate(self) -> float | None:
        """The share of cases that people pass."""
        return sum(self.table[1]) / self.n if self.n else None

    @property
    def judge_rate(self) -> float | None:
        """The share of cases that the judge passes."""
        return (self.table[0][1] + self.table[1][1]) / self.n if self.n else None

    @cached_property
    def of_scores(self) -> Agreement | None:
        """Quadratically weighted kappa of the scores themselves, each at the nearest whole number of a 1 to 5 scale;
        ``None`` on other scales and where people gave no scores."""
        low, high = self.scale
        scored = [(each.person, each.judge) for each in self.pairs if each.person is not None]
        if not scored or low is None or high is None or not 2 <= high - low <= 10:
            return None
        size = round(high - low) + 1
        counts = [[0] * size for _ in range(size)]
        for person, judge in scored:
            counts[_place(person or 0.0, low, size)][_place(judge, low, size)] += 1
        return kappa(counts, "quadratic")

    @cached_property
    def best(self) -> Threshold | None:
        """``None`` where people passed all or none, or the judge gave one score only."""
        if self.base_rate in (None, 0.0, 1.0):
            return None
        found = [each for value in self._cuts if (each := self._at(value)) is not None]
        return max(found, key=lambda each: (round(each.kappa, 9), -abs(each.value - self.threshold)), default=None)

    @property
    def _cuts(self) -> list[float]:
        return sorted({self.threshold, *(each.judge for each in self.pairs)})

    def _at(self, value: float) -> Threshold | None:
        counts = [[0, 0], [0, 0]]
        for each in self.pairs:
            passes = each.judge >= value if self.higher_is_better else each.judge <= value
            counts[each.person_passed][passes] += 1
        found = kappa(counts)
        return None if found is None or found.kappa is None else Threshold(value, found.kappa, found.observed)

    @property
    def warnings(self) -> list[str]:
        """What keeps these figures from being trusted, a line each."""
        found = []
        if self.n and not self.blind:
            found.append(
                "biased: these labels were given with the judge's score in sight, to cases that were looked for; "
                "label a blind sample"
            )
        if 0 < self.n < FEW:
            found.append(
                f"few labels: {self.n} of the {FEW} from which kappa begins to mean something; read the interval"
            )
        found += self._warnings_of_kappa()
        return found

    def _warnings_of_kappa(self) -> list[str]:
        agreed = self.agreement
        if agreed is None:
            return []
        if agreed.kappa is None:
            return [f"kappa is undefined: {_constant(self.table)} gave every case the same verdict"]
        found = []
        if round(agreed.kappa, 9) < LOW:
            found.append("kappa is low: this judge does not stand in for a person on this metric")
        elif round(agreed.kappa, 9) < FAIR:
            found.append("kappa is moderate: look at the cases where judge and person differ before relying on it")
        elif agreed.low is not None and agreed.low < LOW:
            found.append(f"kappa may be as low as {agreed.low:.2f}: more labels would tell")
        rate = self.base_rate or 0.0
        if not _LOPSIDED <= rate <= 1 - _LOPSIDED:
            found.append(f"people pass {rate:.0%}: with so few of the other kind kappa rests on a handful of cases")
        return found

    @property
    def differing(self) -> list[Pair]:
        """The cases on which judge and person differ, the widest apart first."""
        apart = [each for each in self.pairs if each.judge_passed != each.person_passed]
        return sorted(
            apart, key=lambda each: -abs(each.judge - (each.person if each.person is not None else each.judge))
        )


def agreement(
    store: Store, experiment: str, metric: str, side: Side = Side.CANDIDATE, author: str | None = None
) -> JudgeAgreement:
    """Labels of the experiment's dataset against its verdicts. A label given in another experiment counts where the
    response was the same; of several labels of a case the newest counts. Where any was given blind, only those count.

    Raises:
        StoreError: no such experiment or judged metric, or the metric has no threshold to pass.
    """
    results = store.results(experiment)
    planned = blind_sample.judged_metric(results, metric)
    if planned.threshold is None:
        raise StoreError(f"{metric} has no threshold: without one no case passes or fails")
    dataset = labels.dataset_of(store, experiment)
    known = blind_sample.blind(store, dataset)
    verdicts = _Verdicts(store, results, planned, side)
    found: dict[str, Pair] = {}
    left_out = of_rows = 0
    for given in labels.labels(store, dataset, author):
        of_rows += given.value in labels.CAUSES
        if given.metric != metric or given.side is not side or not given.value:
            continue
        key = (given.case_id, str(given.side), given.metric, given.author, given.value)
        pair = verdicts.pair(given, key in known)
        if pair is None:
            left_out += 1
        elif pair.blind or not (given.case_id in found and found[given.case_id].blind):
            found[given.case_id] = pair
    blind = [each for each in found.values() if each.blind]
    pairs = blind or list(found.values())
    return JudgeAgreement(
        metric,
        side,
        planned.threshold,
        results.plan.judged_by,
        tuple(pairs),
        bool(blind),
        left_out,
        len(found) - len(pairs),
        contradicting(results, planned, side),
        planned.higher_is_better,
        planned.scale,
        of_rows,
    )


def contradicting(results: StoredResults, metric: PlannedMetric, side: Side) -> tuple[str, ...]:
    """The cases whose verdict contradicts itself: its reason, or the claims that it lists, do not fit its score. Where
    a score is made of claims in the first place (the embedded judge, the strategy ``claims``) there is nothing to hold
    against it."""
    low, high = metric.scale
    made_of_claims = results.plan.judge_version or results.plan.strategy == "claims"
    if made_of_claims or low is None or high is None or not metric.higher_is_better:
        return ()
    found = []
    for case_id, cell in results.all_cells():
        if (cell.metric, cell.side) == (metric.spec, side) and cell.score is not None:
            of_facts = cell.metric in _FACTS  # made of the claims by their own formula
            if FLAG in cell.reason or (
                not of_facts and contradiction(cell.score, cell.reason, cell.evidence, low, high)
            ):
                found.append(case_id)
    return tuple(dict.fromkeys(found))


class _Verdicts:
    """The judge's verdicts of one experiment on one metric, and what labels of this or another experiment say of them."""

    def __init__(self, store: Store, results: StoredResults, metric: PlannedMetric, side: Side) -> None:
        self._store, self._results, self._metric, self._side = store, results, metric, side
        self._scores = self._scores_of(results)
        self._others: dict[str, tuple[dict[str, float], dict[str, str]]] = {}

    def pair(self, given: Given, blind: bool) -> Pair | None:
        """``None`` where the label says nothing of this verdict."""
        score = self._scores.get(given.case_id)
        there = self._scores if given.experiment == self._results.experiment else self._elsewhere(given)
        if score is None or there is None:
            return None
        person, passed = None, False
        if given.value in (Label.AGREE, Label.WRONG):
            if given.case_id not in there:
                return None
            passed = self._passes(there[given.case_id]) == (given.value == Label.AGREE)
        elif given.value in set(Label):
            return None
        else:
            person = float(given.value)
            passed = self._passes(person)
        return Pair(given.case_id, score, self._passes(score), person, passed, blind)

    def _passes(self, score: float) -> bool:
        return self._metric.passes(score) is True

    def _elsewhere(self, given: Given) -> dict[str, float] | None:
        """The scores of the experiment that a label was given in, if the response there was the same."""
        if given.experiment not in self._others:
            self._others[given.experiment] = self._read(given.experiment)
        scores, responses = self._others[given.experiment]
        mine = self._responses.get(given.case_id)
        return scores if mine is not None and responses.get(given.case_id) == mine else None

    def _read(self, experiment: str) -> tuple[dict[str, float], dict[str, str]]:
        try:
            results = self._store.results(experiment)
            return self._scores_of(results), self._responses_of(results)
        except (StoreError, KeyError):
            return {}, {}  # deleted since

    @cached_property
    def _responses(self) -> dict[str, str]:
        return self._responses_of(self._results)

    def _responses_of(self, results: StoredResults) -> dict[str, str]:
        frame = results.texts(self._side).select("case_id", "response").drop_nulls()
        return dict(frame.iter_rows())

    def _scores_of(self, results: StoredResults) -> dict[str, float]:
        if self._metric.spec not in results.metrics or self._side not in results.sides:
            return {}
        frame = results.rows(self._side).select("case_id", self._metric.spec).drop_nulls()
        return dict(frame.iter_rows())


def _place(score: float, low: float, size: int) -> int:
    return min(size - 1, max(0, round(score - low)))


def lines(found: JudgeAgreement) -> list[str]:
    """The agreement in words and figures, for a terminal; free of markup."""
    kind = "a blind random sample" if found.blind else "labels in sight of the score"
    head = f"{found.metric}, {found.side}: judge {found.judge} against {wording.count(found.n, 'label')} of people ({kind})"
    if not found.n:
        told = f"{found.metric}, {found.side}: no labels yet of these verdicts"
        return [told, *([rows_only(found.of_rows)] if found.of_rows else []), *_rest(found)]
    return [head, "", *_figures(found), "", *_confusion(found.table), *_rest(found)]


def rows_only(count: int) -> str:
    """What is said where only rows are labelled."""
    said = f"{wording.count(count, 'row')} {'is' if count == 1 else 'are'} labelled, but that says why a row fails"
    return f"{said}; opinions of a metric's score are agree and wrong (a and w on a case), or your own score of a blind sample"


def _figures(found: JudgeAgreement) -> list[str]:
    agreed, share = found.agreement, found.observed_interval
    assert agreed is not None
    assert share is not None
    out = [
        f"agreement         {agreed.observed:.0%} of {found.n}  [{share[0]:.0%}, {share[1]:.0%}]",
        f"Cohen's kappa     {_kappa(agreed, found.table)}",
        f"base rate         people pass {found.base_rate:.0%}, the judge {found.judge_rate:.0%}",
    ]
    if found.of_scores is not None:
        out.append(
            f"kappa of scores   {_kappa(found.of_scores)}  quadratic weights, {wording.count(found.of_scores.n, 'score')}"
        )
    best = found.best
    if best is not None:
        same = " (the one in use)" if best.value == found.threshold else f", in use is {found.threshold:g}"
        sign = "≥" if found.higher_is_better else "≤"
        out.append(f"best threshold    {sign} {best.value:g}: kappa {best.kappa:.2f}, on these same labels{same}")
    return out


def _constant(table: Sequence[Sequence[int]]) -> str:
    """Who gave all cases the same."""
    people = sum(any(row) for row in table) < 2
    judge = sum(any(column) for column in zip(*table, strict=True)) < 2
    return "judge and people" if people and judge else "people" if people else "the judge"


def _kappa(agreed: Agreement, verdicts: Sequence[Sequence[int]] | None = None) -> str:
    if agreed.kappa is None or agreed.low is None or agreed.high is None:
        who = "judge or people" if verdicts is None else _constant(verdicts)
        return f"undefined: {who} gave one value only"
    return f"{agreed.kappa:.2f}  [{agreed.low:.2f}, {min(1.0, agreed.high):.2f}]"


def _confusion(table: Sequence[Sequence[int]]) -> list[str]:
    (both_fail, judge_passes), (judge_fails, both_pass) = table
    return [
        f"{'':<18}{'judge fails':>12}{'judge passes':>14}",
        f"{'person fails':<18}{both_fail:>12,}{judge_passes:>14,}",
        f"{'person passes':<18}{judge_fails:>12,}{both_pass:>14,}",
    ]


def _rest(found: JudgeAgreement) -> list[str]:
    out = [f"⚠ {each}" for each in found.warnings]
    if found.in_sight:
        out.append(f"left out: {wording.count(found.in_sight, 'further label')}, given with the score in sight")
    if found.left_out:
        out.append(f"left out: {wording.count(found.left_out, 'label')} of other responses or of cases without a score")
    if found.contradicting:
        shown = ", ".join(found.contradicting[:8])
        out.append(
            f"{wording.count(len(found.contradicting), 'verdict')} at odds with the judge's own reason or claims: {shown}"
        )
    differing = found.differing
    if differing:
        shown = ", ".join(_apart(each) for each in differing[:8])
        out.append(f"they differ on: {shown}" + (f" and {len(differing) - 8} more" if len(differing) > 8 else ""))
    return ["", *out] if out else []


def _apart(pair: Pair) -> str:
    person = "passes" if pair.person_passed else "fails"
    own = f"{pair.person:g}" if pair.person is not None else person
    return f"{pair.case_id} (judge {pair.judge:g}, person {own})"
