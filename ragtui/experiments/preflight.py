"""Before a run: which metric cannot run on which rows and why, what would be asked and sent, and what it may cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from ragtui.datasets.case_ids import CASE_ID
from ragtui.datasets.dataset import Dataset, Shape
from ragtui.datasets.findings import Finding, Level, Report
from ragtui.experiments import wording
from ragtui.experiments.answering import code_of, open_targets
from ragtui.experiments.case_inputs import How, InputColumns, Origin, origins, query_frame, target_cases
from ragtui.experiments.pace import expected_seconds
from ragtui.experiments.pinned_metrics import planned_metrics
from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.rescoring import stored_responses
from ragtui.experiments.store import Store
from ragtui.experiments.why_not import why_not, will_not
from ragtui.judges.judge import Judge
from ragtui.judges.profile import Profile, open_judge, profile
from ragtui.metrics.metric import Kind, Metric
from ragtui.metrics.own.judged_file import placeholders
from ragtui.metrics.score import Inputs, State
from ragtui.targets.recorded import Recorded
from ragtui.targets.target import Response, Target
from ragtui.workspace import Workspace

RUBRIC_TOKENS: Final = 450  # of a judge's instructions, beside the case itself
REPLY_TOKENS: Final = 120
SPREAD: Final = (0.7, 1.6)  # of the estimate, since tokens are counted as a quarter of the characters


@dataclass(frozen=True, slots=True)
class MetricCheck:
    """One metric on one side: how many cases it can score, and why not the others. ``origins`` says where its inputs
    come from."""

    metric: str
    side: Side
    runs_on: int
    of: int
    cannot: Mapping[str, int] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Preflight:
    """What a run would do. ``calls`` counts questions to a model judge (one may take several requests), ``leaving`` the
    cases whose text would be sent to a host outside this process, by host. ``cost`` is (low, high) in USD; ``None``:
    unknown, (0, 0): free.

    ``target_calls`` counts the cases that live targets are asked, by their specs; ``seconds`` is what the run takes at the
    pace of earlier runs with the same judge and targets, ``None`` where there was none. ``code`` are the files and texts
    that would be started, allowed or not. ``proposed`` are inputs taken from a column only because its role fits.
    ``notes`` are remarks on dataset and plan, one line each."""

    plan: Plan
    cases: int
    checks: tuple[MetricCheck, ...]
    judge: str
    calls: int
    leaving: Mapping[str, int]
    tokens: int
    cost: tuple[float, float] | None
    proposed: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    target_calls: Mapping[str, int] = field(default_factory=dict)
    seconds: float | None = None
    code: tuple[Path | str, ...] = ()

    @property
    def nothing_to_do(self) -> bool:
        """Whether no metric can score a single case."""
        return not any(each.runs_on for each in self.checks)


async def _responses(
    target: Target | None, side: Side, dataset: Dataset, plan: Plan, workspace: Workspace
) -> dict[int, Response]:
    """What a side holds: stored, or replayed; an answer that is still to come is taken to have what it should have."""
    positions = range(dataset.rows)
    cases = target_cases(dataset, plan.mapping, positions)
    if target is None:
        stored = {each.case_id: each for each in stored_responses(Store.open(workspace), plan.responses_of or "", side)}
        missing = Response("", State.PENDING)
        return {at: stored.get(case.case_id, missing) for at, case in enumerate(cases)}
    if not target.replays:
        return {at: Response(case.case_id, text="…", contexts=("…",), latency_ms=0.0) for at, case in enumerate(cases)}
    at_of = {case.case_id: at for at, case in enumerate(cases)}
    return {at_of[each.case_id]: each async for each in target.respond(cases)}


def preflight(plan: Plan, dataset: Dataset, workspace: Workspace, report: Report | None = None) -> Preflight:
    """Looks at every case once without asking anyone.

    Raises:
        TargetError: a target cannot be used at all. JudgeError: the judge cannot be used.
    """
    chosen = profile(plan.judge, workspace, strategy=plan.strategy)
    metrics = planned_metrics(plan, workspace)
    notes = [*_findings(report), *_plan_notes(plan), *_unwritten(metrics)]
    import asyncio

    if dataset.shape is Shape.RETRIEVAL:
        asked = asyncio.run(_open_all(plan, dataset, workspace))
        found = _of_queries(plan, dataset, metrics, chosen, notes)
        left = {host: found.cases for host in asked.values() if host is not None}
        found = replace(found, leaving=left, target_calls=dict.fromkeys(asked, found.cases))
    else:
        found = asyncio.run(_of_cases(plan, dataset, workspace, metrics, chosen, notes))
    return replace(found, seconds=expected_seconds(found, chosen, workspace), code=code_of(plan, dataset, workspace))


async def _open_all(plan: Plan, dataset: Dataset, workspace: Workspace) -> dict[str, str | None]:
    """Opens every target once, so that one which cannot be used is heard of before anything is stored; the live ones with
    their hosts."""
    live = {}
    for target in open_targets(plan, dataset, workspace).values():
        await target.close()
        if not target.replays:
            live[target.spec] = target.host
    return live


async def _of_cases(
    plan: Plan, dataset: Dataset, workspace: Workspace, metrics: Sequence[Metric], chosen: Profile, notes: list[str]
) -> Preflight:
    judge = open_judge(chosen)
    where = {each.name: origins(each, dataset, plan.mapping) for each in metrics}
    checks: list[MetricCheck] = []
    leaving: Counter[str] = Counter()
    calls = characters = 0
    asked: dict[str, int] = {}
    targets = open_targets(plan, dataset, workspace) if plan.responses_of is None else {}
    for side, spec in plan.sides:
        target = targets.get(side)
        responses = await _responses(target, side, dataset, plan, workspace)
        answered = {at: each for at, each in responses.items() if each.state is not State.PENDING}
        if side is Side.BASELINE and not answered:
            notes.append(f"baseline {spec}: nothing recorded, the candidate is shown alone")
        elif n := len(responses) - len(answered):
            ids: list[str] = [] if dataset.cases is None else dataset.cases[CASE_ID].to_list()
            first = [ids[at] for at in sorted(responses) if at not in answered][: wording.NAMED]
            notes.append(wording.missing(side, first, n, len(responses)))
        notes += getattr(target, "notes", ())
        notes += target.remarks() if isinstance(target, Recorded) else ()
        if target is not None:
            await target.close()
            if not target.replays:
                asked[spec] = dataset.rows
            if target.host is not None and not target.replays:
                leaving[target.host] += dataset.rows
        counted = _count(metrics, where, judge, dataset, answered, target is None or target.replays)
        of = dataset.rows if side is Side.CANDIDATE else len(answered)
        for metric, (runs_on, cannot) in counted.metrics.items():
            if side is Side.CANDIDATE and of > len(answered):
                cannot["no response recorded"] = of - len(answered)
            checks.append(MetricCheck(metric, side, runs_on, of, cannot, where[metric]))
        calls += counted.calls * plan.repeats
        characters += counted.characters * plan.repeats
        if judge.host is not None:
            leaving[judge.host] += counted.cases
    await judge.close()
    tokens = characters // 4 + calls * (RUBRIC_TOKENS + REPLY_TOKENS)
    free = judge.host is None
    return Preflight(
        plan=plan,
        cases=dataset.rows,
        checks=tuple(checks),
        judge=judge.name,
        calls=0 if free else calls,
        leaving={host: n for host, n in leaving.items() if n},
        tokens=0 if free else tokens,
        cost=(0.0, 0.0) if free else _cost(chosen, calls, characters),
        proposed=_proposed(where),
        notes=tuple(notes),
        target_calls=asked,
    )


@dataclass
class _Counted:
    metrics: dict[str, tuple[int, Counter[str]]]
    calls: int = 0
    characters: int = 0
    cases: int = 0


def _count(
    metrics: Sequence[Metric],
    where: Mapping[str, Mapping[str, Origin]],
    judge: Judge,
    dataset: Dataset,
    answered: Mapping[int, Response],
    recorded: bool,
) -> _Counted:
    """What each metric can score of the answers there are; of answers still to come (not ``recorded``) measures are not known."""
    counted = _Counted({each.name: (0, Counter()) for each in metrics})
    builder = InputColumns(dataset, where).part(0, dataset.rows)
    for position, response in answered.items():
        questions: dict[tuple[str, int], Inputs] = {}
        for metric in metrics:
            inputs = builder.inputs(position, response, where[metric.name])
            reason = why_not(metric, response, inputs, judge)
            runs_on, cannot = counted.metrics[metric.name]
            if reason is not None:
                cannot[reason.reason or reason.cause or reason.state.value] += 1
                continue
            if (nothing := will_not(metric, inputs, recorded)) is not None:
                cannot[nothing] += 1
                continue
            counted.metrics[metric.name] = (runs_on + 1, cannot)
            if metric.question is not None:
                questions[metric.question, hash(tuple(sorted(inputs.items())))] = inputs
        counted.calls += len(questions)
        counted.cases += bool(questions)
        counted.characters += sum(len(text) for each in questions.values() for text in _texts(each))
    return counted


def _texts(inputs: Inputs) -> list[str]:
    return [text for value in inputs.values() for text in ((value,) if isinstance(value, str) else value)]


def _cost(chosen: Profile, calls: int, characters: int) -> tuple[float, float] | None:
    if chosen.price_in is None or chosen.price_out is None:
        return None
    read = characters / 4 + calls * RUBRIC_TOKENS
    dollars = (read * chosen.price_in + calls * REPLY_TOKENS * chosen.price_out) / 1e6
    return dollars * SPREAD[0], dollars * SPREAD[1]


def _proposed(where: Mapping[str, Mapping[str, Origin]]) -> dict[str, str]:
    return {name: o.reference for each in where.values() for name, o in each.items() if o.how is How.PROPOSED}


def _of_queries(
    plan: Plan, dataset: Dataset, metrics: Sequence[Metric], chosen: Profile, notes: list[str]
) -> Preflight:
    import polars as pl

    from ragtui.experiments.retrieval_run import NO_RESPONSES
    from ragtui.metrics.rankings.ranking import NO_JUDGMENTS, NO_RELEVANT

    queries = query_frame(dataset)
    qrels = (
        dataset.qrels if dataset.qrels is not None else pl.DataFrame(schema={"query_id": pl.String, "grade": pl.Int64})
    )
    judged = queries.join(qrels, on="query_id", how="semi").height
    relevant = queries.join(qrels.filter(pl.col("grade") > 0), on="query_id", how="semi").height
    cannot = {NO_JUDGMENTS: queries.height - judged, NO_RELEVANT: judged - relevant}
    left_out = dataset.rows - queries.height
    if left_out > 0:
        notes.append(f"{wording.count(left_out, 'query')} without any judgment left out")
    checks = []
    for side, _ in plan.sides:
        for metric in metrics:
            if metric.kind is Kind.RETRIEVAL and metric.ranking is not None:
                why = {reason: n for reason, n in cannot.items() if n}
                checks.append(MetricCheck(metric.name, side, relevant, queries.height, why))
            else:
                checks.append(MetricCheck(metric.name, side, 0, queries.height, {NO_RESPONSES: queries.height}))
    return Preflight(plan, queries.height, tuple(checks), chosen.name, 0, {}, 0, (0.0, 0.0), {}, tuple(notes))


def _findings(report: Report | None) -> list[str]:
    """What the dataset's own check says, the worst first: counts, and what repeats or hangs loose by name."""
    if report is None:
        return []
    notes = []
    errors, warnings = report.total(Level.ERROR), report.total(Level.WARNING)
    if errors or warnings:
        parts = [wording.count(n, what) for n, what in ((errors, "error"), (warnings, "warning")) if n]
        notes.append(f"the dataset has {' and '.join(parts)}: see `ragtui check`")
    worst = sorted((each for each in report.findings if each.level is not Level.INFO), key=lambda each: each.level.rank)
    return notes + [f"{_place(each)}{each.code} {each.message}" for each in worst[:5]]


def _place(finding: Finding) -> str:
    line = f"{finding.line}:" if finding.line else ""
    return f"{finding.file}:{line} " if finding.file else ""


def _unwritten(metrics: Sequence[Metric]) -> list[str]:
    """Metrics of the user's own whose judge would be told what the template says: its scores would mean nothing."""
    return [
        f"{each.name} is not written yet: the judge would be told “{left[0]}”; `ragtui metrics edit {each.name}`"
        for each in metrics
        if (left := placeholders(each))
    ]


def _plan_notes(plan: Plan) -> list[str]:
    notes = []
    if plan.baseline is not None and plan.baseline == plan.candidate:
        notes.append(f"candidate and baseline are the same: {plan.candidate}")
    return notes
