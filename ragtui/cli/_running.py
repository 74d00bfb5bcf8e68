"""What ``ragtui run`` does with what it was asked for: plan, preflight, run with progress, report, judge."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from ragtui.datasets.dataset import Dataset
    from ragtui.datasets.findings import Report
    from ragtui.experiments.gates import Gates, Judgement
    from ragtui.experiments.metrics_file import MetricsFile
    from ragtui.experiments.plan import Plan
    from ragtui.experiments.preflight import Preflight
    from ragtui.experiments.progress import Progress
    from ragtui.experiments.store import Store
    from ragtui.experiments.stored_results import StoredResults
    from ragtui.workspace import Workspace


@dataclass(frozen=True)
class Wishes:
    """The options of ``ragtui run`` as given; see there."""

    dataset: str
    group: str | None
    metrics: str | None
    candidate: str
    baseline: str | None
    judge: str
    strategy: str
    mapping: tuple[str, ...]
    mapping_file: Path | None
    format: str | None
    split: str | None
    limit: int | None
    repeats: int
    concurrency: int | None
    budget: float | None
    average: str
    setup: str | None
    per: str
    replay: str
    cluster: str | None
    slices: tuple[str, ...]
    new: bool
    fresh: bool
    fail_under: tuple[str, ...]
    fail_if_worse: bool
    max_error_rate: float
    scores: Path | None
    reports: tuple[Path, ...]
    worst: int
    plan_only: bool
    yes: bool
    quiet: bool
    shard: str | None = None


def errors_of_a_run() -> tuple[type[Exception], ...]:
    """What is told as one line: the run could not be made."""
    from ragtui.datasets.check import CannotOpen
    from ragtui.experiments.gates import GateError
    from ragtui.experiments.grouping import GroupError
    from ragtui.experiments.metrics_file import MetricsFileError
    from ragtui.experiments.planning import PlanError
    from ragtui.experiments.reports import ReportError
    from ragtui.experiments.shards import ShardError
    from ragtui.experiments.store import StoreError
    from ragtui.judges.profile import JudgeError
    from ragtui.metrics.spec import MetricError
    from ragtui.targets.target import TargetError
    from ragtui.workspace import WorkspaceError

    return (
        CannotOpen, GateError, GroupError, JudgeError, MetricError, MetricsFileError, PlanError, ReportError, ShardError,
        StoreError, TargetError, WorkspaceError,
    )  # fmt: skip


def rescore_and_report(wishes: Wishes) -> int:
    """Scores the stored responses of the experiment that ``wishes.dataset`` names, and returns the exit status.

    Raises:
        One of ``errors_of_a_run``: nothing was run.
    """
    from ragtui.cli.results_output import console
    from ragtui.experiments.gates import INTERRUPTED
    from ragtui.experiments.planning import PlanError, opened_again
    from ragtui.experiments.rescoring import rescored_plan
    from ragtui.experiments.store import Store
    from ragtui.workspace import Workspace

    if wishes.group and wishes.metrics:
        raise PlanError("give --group or --metrics, not both")
    workspace = Workspace.open(".")
    with Store.open(workspace, write=True) as store:
        entry = store.entry(wishes.dataset)
        dataset, report = opened_again(entry, workspace)
        plan = rescored_plan(
            entry, dataset, workspace, metrics=wishes.metrics, group=wishes.group, judge=wishes.judge or None,
            strategy=wishes.strategy or None, repeats=wishes.repeats or None,
        )  # fmt: skip
        gates = _gates(wishes, plan)
        check_files(wishes.reports, wishes.scores)
        talk = None if wishes.quiet else console(stderr=True)
        found = _preflight(plan, dataset, workspace, report, talk, wishes)
        if wishes.plan_only:
            return 0
        if not _agreed(found, wishes):
            return INTERRUPTED
        plan = replace(plan, round=store.next_round(plan) if wishes.new else store.last_round(plan))
        return _run(plan, dataset, workspace, store, gates, wishes, talk)


def run_and_report(wishes: Wishes) -> int:
    """Does it all and returns the exit status.

    Raises:
        One of ``errors_of_a_run``: nothing was run.
    """
    from ragtui.cli._sharding import part_of, run_shard, shard_wished
    from ragtui.cli.results_output import console
    from ragtui.datasets.settings import as_said
    from ragtui.experiments.gates import INTERRUPTED
    from ragtui.experiments.grouping import check_columns, check_slices
    from ragtui.experiments.planning import check_split, check_stated
    from ragtui.experiments.rounds import round_to_run
    from ragtui.experiments.store import Store
    from ragtui.workspace import Workspace

    workspace = Workspace.open(".")
    dataset, report = _opened(wishes, workspace)
    dataset = as_said(workspace, dataset)
    check_split(report)
    shard = shard_wished(wishes, dataset)
    plan = _plan(wishes, dataset, workspace)
    check_stated((each.partition("=")[0].strip() for each in wishes.mapping), plan, dataset, workspace)
    check_columns(dataset, [wishes.cluster] if wishes.cluster else [])
    check_slices(dataset, wishes.slices)
    gates = _gates(wishes, plan)
    check_files(wishes.reports, wishes.scores)
    talk = None if wishes.quiet else console(stderr=True)
    mine = dataset if shard is None else part_of(dataset, shard)
    found = _preflight(plan, mine, workspace, report, talk, wishes)
    if wishes.plan_only:
        return 0
    if not (_agreed(found, wishes) and allowed(plan, dataset, workspace, wishes.yes)):
        return INTERRUPTED
    if shard is not None:
        return run_shard(plan, dataset, workspace, shard, wishes, talk)
    with Store.open(workspace, write=True) as store:
        before = replace(plan, round=store.last_round(plan))
        plan = replace(plan, round=round_to_run(plan, store, workspace, wishes.new))
        if talk is not None and plan.round > before.round and not wishes.new:
            said = f"finished before: `ragtui show {before.id}` has what was said then; live targets are asked anew"
            talk.print(f"  {said}", soft_wrap=True)
        return _run(plan, dataset, workspace, store, gates, wishes, talk)


def _opened(wishes: Wishes, workspace: Workspace) -> tuple[Dataset, Report]:
    from ragtui.datasets.check import open_dataset
    from ragtui.datasets.conversations import per_turn
    from ragtui.datasets.formats import ReadOptions

    options = ReadOptions(split=wishes.split, limit=wishes.limit, workspace=workspace)
    dataset, report = open_dataset(wishes.dataset, wishes.format, options)
    return (per_turn(dataset) if wishes.per == "turn" else dataset), report


def _plan(wishes: Wishes, dataset: Dataset, workspace: Workspace) -> Plan:
    from ragtui.experiments.planning import PlanError, make_plan

    if wishes.group and wishes.metrics:
        raise PlanError("give --group or --metrics, not both")
    settings = _settings(wishes)
    if settings is not None and settings.faults:
        raise PlanError("; ".join(settings.faults))
    return make_plan(
        dataset,
        workspace,
        metrics=list(settings.settings) if settings else wishes.metrics,
        thresholds=settings.thresholds if settings else None,
        group=wishes.group,
        candidate=wishes.candidate,
        baseline=wishes.baseline,
        judge=wishes.judge,
        strategy=wishes.strategy,
        mapping=_mapping(wishes, dataset, workspace),
        repeats=wishes.repeats,
        limit=wishes.limit,
        split=wishes.split,
        average=wishes.average,
        setup=wishes.setup,
        per=wishes.per,
        replay=wishes.replay,
    )


def _settings(wishes: Wishes) -> MetricsFile | None:
    """``--metrics FILE.toml``: the file names the metrics, their thresholds and a gate."""
    from ragtui.experiments.metrics_file import read_metrics_file

    named = wishes.metrics or ""
    return read_metrics_file(Path(named)) if named.endswith(".toml") else None


def _mapping(wishes: Wishes, dataset: Dataset, workspace: Workspace) -> dict[str, str]:
    """What ``ragtui.toml`` says of this dataset, then the mapping file's entries, then those of ``--map``, which win."""
    from ragtui.datasets.settings import saved_mapping
    from ragtui.experiments.mapping_file import stated_in
    from ragtui.experiments.planning import PlanError, check_inputs
    from ragtui.metrics.own.files import own_metrics

    found = saved_mapping(workspace, dataset)
    if wishes.mapping_file is not None:
        found |= stated_in(wishes.mapping_file, dataset, own_metrics(workspace))
    for each in wishes.mapping:
        name, equals, reference = each.partition("=")
        if not equals or not name.strip() or not reference.strip():
            raise PlanError(f"--map {each!r}: write INPUT=REFERENCE, as query=${{data.question}} or query=question")
        check_inputs([name.strip()], workspace)
        found[name.strip()] = reference.strip()
    return found


def _gates(wishes: Wishes, plan: Plan) -> Gates:
    from ragtui.experiments.gates import GateError, Gates, limit, with_file

    if wishes.fail_if_worse and plan.baseline is None:
        raise GateError("--fail-if-worse needs a --baseline to compare with")
    gates = Gates(tuple(limit(each, plan) for each in wishes.fail_under), wishes.fail_if_worse, wishes.max_error_rate)
    return with_file(gates, _settings(wishes), plan)


def check_files(reports: Sequence[Path], scores: Path | None) -> None:
    """What cannot be written is told before anything is paid for."""
    from ragtui.datasets.writing.conversion import refuse_ending
    from ragtui.experiments.reports import check_path, check_place

    for path in reports:
        check_path(path)
    if scores is not None:
        refuse_ending(scores, "--scores", (".jsonl", ".ndjson"))
        check_place(scores)


def _preflight(
    plan: Plan, dataset: Dataset, workspace: Workspace, report: Report, talk: Console | None, wishes: Wishes
) -> Preflight:
    from ragtui.cli.results_output import console
    from ragtui.cli.results_output.preflight import print_preflight
    from ragtui.experiments.planning import PlanError
    from ragtui.experiments.preflight import preflight

    found = preflight(plan, dataset, workspace, report)
    if wishes.plan_only:
        print_preflight(found, console(), inputs=True)
    elif talk is not None:
        print_preflight(found, talk)
    if found.nothing_to_do and not wishes.plan_only:
        reasons = {reason: check.metric for check in found.checks for reason in check.cannot}
        said = "; ".join(f"{metric}: {reason}" for reason, metric in reasons.items())
        raise PlanError(f"no metric can score a single case ({said})")
    if wishes.budget is not None and found.calls and found.cost is None:
        raise PlanError("--budget needs the judge's prices: set price_in and price_out in its profile in ragtui.toml")
    return found


def _agreed(found: Preflight, wishes: Wishes) -> bool:
    """Whether the user agrees that text leaves this machine; only asked at a terminal."""
    import typer

    hosts = [host for host in found.leaving if not _here(host)]
    if not hosts or wishes.yes or wishes.quiet or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    return typer.confirm(f"Send text to {', '.join(hosts)}?", default=True, err=True)


def allowed(plan: Plan, dataset: Dataset, workspace: Workspace, yes: bool) -> bool:
    """Whether the user lets the run start the code it would start. Who types a target's code out, or says ``--yes``, does;
    what stands in files is asked about, where there is somebody to ask.

    Raises:
        NotAllowed: there is nobody.
    """
    import typer

    from ragtui import trust
    from ragtui.experiments.answering import NotAllowed, code_of, typed_code

    codes = code_of(plan, dataset, workspace)
    typed = typed_code((spec for _, spec in plan.sides), dataset, workspace)
    trust.trust(workspace, *(codes if yes else [each for each in codes if each in typed]))
    left = trust.untrusted(workspace, codes)
    if not left:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise NotAllowed(left, workspace)
    from ragtui.text import cell

    for each in left:
        typer.echo(f"  {cell(trust.shown(workspace, each))}", err=True)
    if not typer.confirm("This runs code that you have not allowed yet. Run it?", default=False, err=True):
        return False
    trust.trust(workspace, *left)
    return True


def _here(host: str) -> bool:
    """Whether ``host`` (with or without a port) is this machine."""
    from ipaddress import ip_address
    from urllib.parse import urlsplit

    name = urlsplit(f"//{host}").hostname or ""
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def _run(
    plan: Plan,
    dataset: Dataset,
    workspace: Workspace,
    store: Store,
    gates: Gates,
    wishes: Wishes,
    talk: Console | None,
) -> int:
    from ragtui.cli._progress import watched
    from ragtui.cli.results_output import console
    from ragtui.cli.results_output.overview import print_results
    from ragtui.experiments.gates import COULD_NOT_RUN, INTERRUPTED, judge
    from ragtui.experiments.grouping import looked_at
    from ragtui.experiments.progress import Progress, Status
    from ragtui.experiments.run import RunOptions, run

    progress = Progress()
    options = RunOptions(wishes.fresh, wishes.concurrency, wishes.budget)
    status = watched(lambda: run(plan, dataset, workspace, store, progress, options), progress, talk)
    results = store.results(plan.id)
    looked_at(results, wishes.cluster, wishes.slices)
    judgement = judge(results, gates)
    all_written = written(results, judgement, wishes.reports, wishes.scores)
    if not wishes.quiet:
        print_results(results, console(), worst=wishes.worst, judgement=judgement)
    if talk is not None and judgement.incomplete:
        say_how_to_go_on(progress, talk)
    if status is Status.CANCELLED:
        return INTERRUPTED
    return judgement.exit_status if all_written or judgement.incomplete else COULD_NOT_RUN


def written(results: StoredResults, judgement: Judgement, reports: Sequence[Path], scores: Path | None) -> bool:
    """Writes the files that were asked for, each that can be; says which cannot, and returns whether all could."""
    from ragtui.cli._stop import say
    from ragtui.experiments.reports import write_report
    from ragtui.experiments.scores_file import write_scores
    from ragtui.experiments.store import StoreError

    works: list[Callable[[], object]] = [partial(write_report, results, judgement, path) for path in reports]
    if scores is not None:
        works.insert(0, partial(write_scores, results, scores))
    missed = 0
    for work in works:
        try:
            work()
        except StoreError as error:
            say(f"{error}; the experiment is kept: ragtui export {results.experiment} FILE")
            missed += 1
    return not missed


def say_how_to_go_on(progress: Progress, talk: Console) -> None:
    from ragtui import text

    if progress.message:
        talk.print(text.cell(progress.message), soft_wrap=True)
    again = [each for each in sys.argv[1:] if each not in ("--new", "--fresh")]
    talk.print(f"everything done is kept; go on with: {text.cell(shlex.join(['ragtui', *again]))}", soft_wrap=True)
