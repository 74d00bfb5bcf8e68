"""Makes plans: metrics, targets and judge as asked for, pinned to the content they will run on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from ragtui.datasets.check import open_dataset
from ragtui.datasets.conversations import per_turn
from ragtui.datasets.dataset import Dataset, Role, Shape
from ragtui.datasets.findings import Report
from ragtui.datasets.formats import ReadOptions
from ragtui.datasets.mapping import column_of, metric_inputs, unresolved
from ragtui.datasets.near_names import nearest
from ragtui.datasets.references import DATA, MappingError, parse_reference
from ragtui.datasets.settings import as_said
from ragtui.experiments.answering import pin, setups_of
from ragtui.experiments.case_inputs import origins, query_frame, resolved
from ragtui.experiments.fingerprint import file_fingerprint, fingerprint
from ragtui.experiments.plan import Plan, PlannedMetric
from ragtui.experiments.store import Entry
from ragtui.judges.profile import EMBEDDED, Profile, profile
from ragtui.metrics.groups import load_group, propose
from ragtui.metrics.metric import Metric
from ragtui.metrics.own.files import own_metrics
from ragtui.metrics.registry import Own, metric, metrics, resolve_all
from ragtui.targets import open_target
from ragtui.targets.recorded import own_responses
from ragtui.targets.setup_script import find as find_setup
from ragtui.targets.spec import is_live
from ragtui.workspace import Workspace

AVERAGES: Final = ("default", "trec_eval", "trec_eval-c", "beir")
MOST_REPEATS: Final = 1_000


class PlanError(ValueError):
    """A plan cannot be made; the message is one line with the remedy."""


def make_plan(
    dataset: Dataset,
    workspace: Workspace,
    *,
    metrics: str | Sequence[str] | None = None,
    group: str | None = None,
    candidate: str = "recorded",
    baseline: str | None = None,
    judge: str = "embedded",
    strategy: str = "auto",
    mapping: Mapping[str, str] | None = None,
    thresholds: Mapping[str, float] | None = None,
    repeats: int = 1,
    seed: int = 0,
    limit: int | None = None,
    split: str | None = None,
    average: str = "default",
    setup: str | None = None,
    per: str = "conversation",
    replay: str = "turn",
) -> Plan:
    """The plan of an experiment; equal arguments over equal content give the same plan.

    ``metrics`` are specs (or one text with commas), or ``group`` names a Metric Group of the workspace; with neither,
    what fits the dataset and what the candidate brings is proposed. ``mapping`` gives references by ``input`` or
    ``METRIC.input``; a plain ``response`` says what ``recorded`` replays. ``thresholds`` replaces thresholds by metric.
    ``setup`` names the setup script of every case that names none; ``per`` and ``replay`` are those of ``Plan``, and with
    ``turn`` the dataset must have been opened per turn.

    Raises:
        PlanError: something cannot be planned (an unknown average, a threshold off the scale, nothing to score).
        MetricError, JudgeError, TargetError: a metric, judge or target cannot be used as named.
    """
    for name in (dataset.path, candidate, baseline or ""):
        _check_name(name)
    candidate, baseline, mapping = _answering(dataset, candidate, baseline, dict(mapping or {}))
    if metrics is None and group is None:
        metrics = proposed(dataset, _brought(dataset, workspace, candidate) | set(mapping))
    own = own_metrics(workspace)
    chosen, group_thresholds = _chosen(workspace, metrics or (), group, own)
    if average not in AVERAGES:
        raise PlanError(f"there is no average {average!r}; choose among {', '.join(AVERAGES)}")
    if not 1 <= repeats <= MOST_REPEATS:
        raise PlanError(f"--repeats must be 1 to {MOST_REPEATS:,}")
    _refuse_what_is_for_rankings(dataset, split, average)
    _refuse_nothing_to_run(dataset)
    for name in [*setups_of(dataset, workspace), *([setup] if setup else [])]:
        find_setup(name, workspace)
    candidate = default_run(dataset) if dataset.shape is Shape.RETRIEVAL and candidate == "recorded" else candidate
    wanted = {**group_thresholds, **_named(thresholds or {}, chosen, own)}
    judged = profile(judge, workspace, strategy=strategy)
    return Plan(
        dataset=dataset.name,
        dataset_format=dataset.format,
        fingerprint=fingerprint_of(dataset, candidate, baseline),
        contents=_contents(dataset, workspace, candidate, baseline),
        metrics=tuple(pinned(each, wanted.get(each.name), dataset, mapping) for each in chosen),
        candidate=candidate,
        baseline=baseline,
        judge=judge,
        judge_model=f"{judged.provider}:{judged.model}@{judged.base_url}" if judged.model else judged.provider,
        judge_version=_version(judged) if any(each.question for each in chosen) else "",
        strategy=judged.chosen_strategy if judged.model else "auto",
        group=group,
        repeats=repeats,
        seed=seed,
        limit=limit,
        split=split,
        average=average,
        mapping=mapping,
        setup=setup,
        per=per,
        replay=replay,
    )


def _check_name(name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise PlanError(f"{name}: the file's name is not UTF-8, results cannot be kept under it; rename it") from error


def _answering(
    dataset: Dataset, candidate: str, baseline: str | None, mapping: dict[str, str]
) -> tuple[str, str | None, dict[str, str]]:
    """A mapping that says which column is the response says what ``recorded`` replays: that column, with what lies
    beside it. It is said of that side alone, so it leaves the mapping.

    Raises:
        PlanError: the reference leads nowhere.
    """
    stated = mapping.get("response")
    if stated is None or dataset.shape is not Shape.CASES or "recorded" not in (candidate, baseline):
        return candidate, baseline, mapping
    try:
        reference = parse_reference(stated)
        missing = unresolved(dataset, reference)
    except MappingError as error:
        raise PlanError(f"--map: {error}") from error
    if missing is not None:
        raise PlanError(f"--map response={stated}: {missing}")
    column, whole = column_of(dataset, reference)
    if reference.source != DATA or (whole and own_responses(dataset) == (column,)):
        return candidate, baseline, mapping
    spec = f"recorded:{column if whole else reference}"
    rest = {name: value for name, value in mapping.items() if name != "response"}
    return spec if candidate == "recorded" else candidate, spec if baseline == "recorded" else baseline, rest


def check_inputs(names: Collection[str], workspace: Workspace) -> None:
    """Makes sure that what a mapping feeds is an input: ``input`` of any metric, or ``METRIC.input`` of that one.

    Raises:
        PlanError: it is none; the message lists the valid ones. MetricError: there is no such metric.
    """
    own = own_metrics(workspace)
    for name in names:
        of, _, wanted = name.rpartition(".")
        owners = (metric(of, own),) if of else metrics(own)
        valid = sorted({each for owner in owners for each in (*owner.inputs, *owner.optional)})
        if wanted not in valid:
            near = nearest(wanted, valid)
            said = f" (did you mean {near}?)" if near else ""
            whose = f"{owners[0].name} has no input" if of else "no metric has the input"
            raise PlanError(f"--map {name}: {whose} {wanted!r}{said}; inputs are {', '.join(valid) or 'none'}")


def _version(judged: Profile) -> str:
    """The version of the embedded judge; a model's is its name."""
    from ragtui.judges.embedded.version import version

    return version() if judged.provider == EMBEDDED.provider else ""


def judged_by_another_version(plan: Plan) -> bool:
    """Whether a plan's scores come from another version of the embedded judge than the one that is installed."""
    embedded = plan.judge_model == EMBEDDED.provider and any(each.question for each in plan.metrics)
    return embedded and plan.judge_version != _version(EMBEDDED)


def _chosen(
    workspace: Workspace, metrics: str | Sequence[str], group: str | None, own: Own
) -> tuple[tuple[Metric, ...], dict[str, float]]:
    if group is not None:
        found = load_group(workspace, group)
        return found.metrics, dict(found.thresholds)
    return resolve_all(metrics, own), {}


def _brought(dataset: Dataset, workspace: Workspace, candidate: str) -> frozenset[str]:
    """The metric inputs that the candidate adds to what the dataset holds.

    Raises:
        TargetError: it cannot be used at all.
    """
    if dataset.shape is Shape.RETRIEVAL or not dataset.rows:
        return frozenset()
    gives: frozenset[str] = getattr(open_target(candidate, dataset, workspace), "gives", frozenset())
    return gives


def proposed(dataset: Dataset, brought: Collection[str] = ()) -> tuple[str, ...]:
    """The metrics that fit what a dataset holds and what a target brings, all of which the embedded judge can answer.

    Raises:
        PlanError: none does.
    """
    there = {"qrels"} if dataset.shape is Shape.RETRIEVAL else _inputs_of(dataset) | set(brought)
    found = propose(there)
    if not found:
        raise PlanError(f"{dataset.path}: no metric fits its columns; name them with --metrics and --map")
    return found


def _inputs_of(dataset: Dataset) -> set[str]:
    """The metric inputs that a dataset of cases can give, as far as its columns tell."""
    named = {column.name for column in dataset.columns if column.role is not Role.IGNORED}
    by_role = set(metric_inputs(dataset, {}, "", ("query", "ground_truth")).used)
    recorded = {"response"} if dataset.columns_with(Role.RESPONSE) else set()
    contexts = {"context"} if dataset.columns_with(Role.CONTEXT) else set()
    return {*dataset.fields, *named, *by_role, *recorded, *contexts}


def _refuse_nothing_to_run(dataset: Dataset) -> None:
    """Raises: PlanError: the dataset has nothing that could be scored."""
    if dataset.shape is Shape.CASES and not dataset.rows:
        raise PlanError(f"{dataset.path}: there is no case to run")
    if dataset.shape is Shape.RETRIEVAL and query_frame(dataset).is_empty():
        raise PlanError(f"{dataset.path}: there is no query to run, neither among its queries nor in its judgments")


def _refuse_what_is_for_rankings(dataset: Dataset, split: str | None, average: str) -> None:
    """Raises: PlanError: an option is given that could change nothing."""
    if dataset.shape is Shape.RETRIEVAL:
        return
    for option, given in (("--split", split is not None), ("--average", average != "default")):
        if given:
            raise PlanError(f"{option} is for judged documents; {dataset.path} holds test cases")


def _named(thresholds: Mapping[str, float], chosen: Sequence[Metric], own: Own) -> dict[str, float]:
    """Thresholds by the metrics' full names.

    Raises:
        PlanError: a threshold for a metric that is not in the plan.
    """
    out: dict[str, float] = {}
    for name, value in thresholds.items():
        spec = metric(name, own).name
        if spec not in {each.name for each in chosen}:
            raise PlanError(f"a threshold is given for {name}, which is not among the metrics")
        out[spec] = value
    return out


def pinned(each: Metric, threshold: float | None, dataset: Dataset, mapping: Mapping[str, str]) -> PlannedMetric:
    """A metric as a plan pins it.

    Raises:
        PlanError: the threshold is outside the metric's scale.
    """
    if threshold is not None and not each.on_scale(threshold):
        raise PlanError(f"threshold {threshold:g} is outside the scale of {each.name} ({each.shown_scale})")
    cases = dataset.shape is Shape.CASES
    _check_mapping(each, dataset, mapping)
    return PlannedMetric(
        spec=each.name,
        version=each.version,
        threshold=each.threshold if threshold is None else threshold,
        inputs={name: found.reference for name, found in origins(each, dataset, mapping).items()} if cases else {},
        kind=each.kind.value,
        scale=each.scale,
        higher_is_better=each.higher_is_better,
        unit=each.unit,
        question=each.question,
    )


def _check_mapping(each: Metric, dataset: Dataset, mapping: Mapping[str, str]) -> None:
    """A stated reference must lead to a value.

    Raises:
        PlanError: it does not; the message names the nearest column.
    """
    if dataset.shape is not Shape.CASES:
        return
    try:
        missing = resolved(each, dataset, mapping).missing
    except MappingError as error:
        raise PlanError(f"--map: {error}") from error
    for name, why in missing.items():
        stated = mapping.get(f"{each.name}.{name}") or mapping.get(name)
        if stated is not None:
            raise PlanError(f"--map {name}={stated} ({each.name}): {why}")


def check_split(report: Report) -> None:
    """Makes sure that it is clear which judgments are meant.

    Raises:
        PlanError: the split that was asked for is not there, or there are several and none was.
    """
    for finding in report.findings:
        if finding.code == "BEIR003":
            raise PlanError(f"{report.shown_path(finding.file)}: {finding.message}")


def check_stated(names: Iterable[str], plan: Plan, dataset: Dataset, workspace: Workspace) -> None:
    """Makes sure that a stated mapping for one metric (``METRIC.input``) is for a metric of the run.

    Raises:
        PlanError: it is not, so what was meant would not happen.
    """
    there, own = [each.spec for each in plan.metrics], own_metrics(workspace)
    for name in names:
        if dataset.shape is not Shape.CASES:
            raise PlanError(f"--map {name}=…: {dataset.path} holds judged documents, which need no mapping")
        whose, dot, _ = name.rpartition(".")
        if dot and metric(whose, own).name not in there:
            raise PlanError(f"--map {name}=…: there is no metric {whose!r} in the run; it has {', '.join(there)}")


def default_run(dataset: Dataset) -> str:
    """What stands for recorded responses in a retrieval set: its only run, or BM25 where it has none.

    Raises:
        PlanError: it has several runs.
    """
    if len(dataset.runs) > 1:
        names = ", ".join(f"run:{name}" for name in dataset.runs)
        raise PlanError(f"{dataset.path} holds {len(dataset.runs)} runs; choose with --candidate {names}")
    return f"run:{next(iter(dataset.runs))}" if dataset.runs else "bm25"


def fingerprint_of(dataset: Dataset, candidate: str, baseline: str | None) -> str:
    """The content that a plan with these targets is pinned to: of the documents too where they are searched."""
    return fingerprint(dataset, with_corpus="bm25" in (candidate, baseline))


def reopen(entry: Entry, workspace: Workspace) -> Dataset:
    """The dataset of an experiment, as it was when the experiment began, so that it can go on.

    Raises:
        CannotOpen: it is not there any more.
        PlanError: its content has changed since, or that of a file whose responses are replayed, or the embedded judge.
    """
    plan = entry.plan
    if judged_by_another_version(plan):
        raise PlanError(f"the embedded judge has changed since experiment {entry.id} began; run it as a new one")
    dataset, _ = opened_again(entry, workspace)
    if plan.responses_of is not None and fingerprint_of(dataset, plan.candidate, plan.baseline) == plan.fingerprint:
        return dataset
    same = fingerprint_of(dataset, plan.candidate, plan.baseline) == plan.fingerprint
    if not same or _contents(dataset, workspace, plan.candidate, plan.baseline) != dict(plan.contents):
        live = any(is_live(spec, workspace) for _, spec in plan.sides)
        what = "it has" if not same else "what answers has" if live else "its recorded responses have"
        raise PlanError(f"{entry.source}: {what} changed since experiment {entry.id} began; run it as a new one")
    return dataset


def opened_again(entry: Entry, workspace: Workspace) -> tuple[Dataset, Report]:
    """The dataset of an experiment as it is now, with what its check says.

    Raises:
        CannotOpen: it is not there any more.
    """
    plan = entry.plan
    path = entry.source if Path(entry.source).is_absolute() else str(workspace.root / entry.source)
    options = ReadOptions(split=plan.split, limit=plan.limit, workspace=workspace)
    dataset, report = open_dataset(path, plan.dataset_format, options)
    dataset = as_said(workspace, dataset)
    return (per_turn(dataset) if plan.per == "turn" else dataset), report


def source_of(dataset: Dataset, workspace: Workspace) -> str:
    """Where a dataset lies, as an experiment remembers it: from the workspace if inside, with the sheet if it has one."""
    location = dataset.location.absolute()
    inside = location.is_relative_to(workspace.root)
    shown = str(location.relative_to(workspace.root)) if inside else str(location)
    file, name = dataset.location.name, Path(dataset.path).name
    return f"{shown}{name.removeprefix(file)}" if name.startswith(f"{file}#") else shown


def _contents(dataset: Dataset, workspace: Workspace, *targets: str | None) -> dict[str, str]:
    """The content of the files that targets replay or run, by their specs."""
    files = {each: _file_of(each, dataset) for each in targets if each is not None}
    found = {
        spec: file_fingerprint(path) if path is not None else pin(spec, dataset, workspace)
        for spec, path in files.items()
    }
    return {spec: content for spec, content in found.items() if content is not None}


def _file_of(target: str, dataset: Dataset) -> Path | None:
    """The file that a target replays, as far as it is one."""
    kind, _, name = target.partition(":")
    if kind not in ("recorded", "run") or not name:
        return None
    folder = dataset.location if dataset.location.is_dir() else dataset.location.parent
    return next((path for path in (Path(name), folder / name) if path.is_file()), None)
