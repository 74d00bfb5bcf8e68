"""``ragtui label``: what a person thinks of a row or a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ragtui.experiments.labels import Given
    from ragtui.experiments.plan import Side
    from ragtui.experiments.store import Store


def command(
    experiment: Annotated[str, typer.Argument(help="Its id, the beginning of it, or last.")],
    case: Annotated[str | None, typer.Argument(help="The case's id; without: the labels given so far.")] = None,
    label: Annotated[
        str | None,
        typer.Argument(
            help="r retrieval fault, m model fault, b bad label or reference, i ignore; of a verdict (--metric): a agree, "
            "w judge is wrong, or your own score, as 4."
        ),
    ] = None,
    metric: Annotated[str | None, typer.Option(help="The metric whose verdict is meant.")] = None,
    side: Annotated[str, typer.Option(help="candidate or baseline.")] = "candidate",
    note: Annotated[str | None, typer.Option(help="A note on the row.")] = None,
    author: Annotated[str | None, typer.Option(help="Whose label it is [default: you].")] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Take the label away.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take your last step back.")] = False,
    agreement: Annotated[
        bool, typer.Option("--agreement", help="How far the judge agrees with the labels: kappa, best threshold.")
    ] = False,
    blind: Annotated[
        bool,
        typer.Option(
            "--blind", help="The next case of a blind random sample (--metric); with a case: your score of it."
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Label a case of an experiment, list its labels, take one back, or see how far judge and people agree.

    Labels belong to the dataset and the case, so they are there again when the experiment is run anew.
    """
    from ragtui.cli._stop import could_not_run
    from ragtui.experiments.store import StoreError
    from ragtui.workspace import WorkspaceError

    try:
        if agreement or blind:
            _alone(agreement, blind, remove or undo or note is not None)
            lines = _judge_judged(experiment, case, label, metric, side, author, agreement)
        else:
            lines = _do(experiment, case, label, metric, side, note, author, remove, undo)
    except (StoreError, WorkspaceError) as error:
        could_not_run(str(error))
    if not quiet:
        from ragtui.text import cell

        for line in lines:
            typer.echo(cell(line))


def _do(
    experiment: str,
    case: str | None,
    label: str | None,
    metric: str | None,
    side_name: str,
    note: str | None,
    author: str | None,
    remove: bool,
    undo: bool,
) -> list[str]:
    """Does what was asked and returns what to say."""
    from ragtui.experiments import labels
    from ragtui.experiments.labelled_answers import told_apart
    from ragtui.experiments.plan import Side
    from ragtui.experiments.store import Store, StoreError
    from ragtui.workspace import Workspace

    if side_name not in [each.value for each in Side]:
        raise StoreError(f"there is no side {side_name!r}; it is candidate or baseline")
    side = Side(side_name)
    if undo and (case or label or remove or metric or note):
        raise StoreError("--undo takes your last step back, whatever it was; give nothing beside it")
    if remove and (case is None or label is not None or note is not None):
        raise StoreError("--remove needs the case, and no label beside it")
    if case is None and not undo:
        store = Store.open(Workspace.open("."))
        given = labels.labels(store, labels.dataset_of(store, experiment), author)
        mine, others = told_apart(store, store.entry(experiment), given)
        said = [
            *map(_said, mine),
            *(f"{_said(each)}, given to another answer, in {each.experiment}" for each in others),
        ]
        return said or ["no labels yet"]
    with Store.open(Workspace.open("."), write=True) as store:
        if undo:
            store.entry(experiment)
            done = labels.undo(store, author)
            return ["nothing to undo"] if done is None else [f"undone: {_said(done[0] or done[1])}"]
        assert case is not None
        if remove:
            gone = labels.remove(store, experiment, case, side=side, metric=metric, author=author)
            return ["there was no such label" if gone is None else f"removed: {_said(gone)}"]
        if not label and note is None:
            raise StoreError("name a label (r, m, b, i; a, w or a score with --metric), or give a --note")
        given_now = labels.give(
            store, experiment, case, label or "", side=side, metric=metric, note=note, author=author
        )
        return [_said(given_now)]


def _alone(agreement: bool, blind: bool, more: bool) -> None:
    from ragtui.experiments.store import StoreError

    if more or (agreement and blind):
        raise StoreError("--agreement and --blind stand alone, beside --metric, --side and --author")


def _judge_judged(
    experiment: str,
    case: str | None,
    label: str | None,
    metric: str | None,
    side_name: str,
    author: str | None,
    agreement: bool,
) -> list[str]:
    """The agreement of judge and people, or a step through a blind sample."""
    from ragtui.experiments import blind_sample
    from ragtui.experiments.plan import Side
    from ragtui.experiments.store import Store, StoreError
    from ragtui.workspace import Workspace

    if side_name not in [each.value for each in Side]:
        raise StoreError(f"there is no side {side_name!r}; it is candidate or baseline")
    side = Side(side_name)
    if agreement:
        if case or label:
            raise StoreError("--agreement is over all labels; name no case")
        return _agreement(Store.open(Workspace.open(".")), experiment, metric, side, author)
    with Store.open(Workspace.open("."), write=case is not None) as store:
        results = store.results(experiment)
        if metric is None:
            blind_sample.judged_metric(results, "")
        assert metric is not None
        if case is None:
            return _next(store, experiment, metric, side, author or "")
        if not label:
            raise StoreError("give your own score after the case, as 4")
        return [_said(blind_sample.give(store, results, case, label, metric, side, author or ""))]


def _agreement(store: Store, experiment: str, metric: str | None, side: Side, author: str | None) -> list[str]:
    from ragtui.experiments.agreement import agreement, lines, rows_only

    plan = store.entry(experiment).plan
    wanted = (
        [metric] if metric else [each.spec for each in plan.metrics if each.question and each.threshold is not None]
    )
    found = [agreement(store, experiment, each, side, author) for each in wanted]
    shown = found if metric else [each for each in found if each.n]
    name, of_rows = wanted[0] if wanted else "NAME", max((each.of_rows for each in found), default=0)
    if of_rows and not any(each.n for each in found):
        how = f"ragtui label {experiment} CASE agree --metric {name}, or ragtui label {experiment} --blind --metric {name}"
        return [rows_only(of_rows), how]
    if not shown:
        return [f"no labels yet; ragtui label {experiment} --blind --metric {name} begins"]
    return [line for each in shown for line in [*lines(each), ""]][:-1]


def _next(store: Store, experiment: str, metric: str, side: Side, author: str) -> list[str]:
    """The next case of the sample, without its score."""
    from ragtui.experiments import blind_sample

    results = store.results(experiment)
    every = blind_sample.sample(results, metric, side)
    waiting = blind_sample.waiting(store, results, metric, side, author)
    if not waiting:
        return [f"all {len(every)} cases that {metric} scored are labelled; see ragtui label {experiment} --agreement"]
    case = results.detail(waiting[0])
    answer = case.side(side)
    texts = [*case.inputs.items(), *((f"expected {name}", text) for name, text in case.expected.items())]
    if answer is not None:
        texts += [("response", answer.response or "")]
        texts += [(f"context {n}", text) for n, text in enumerate(answer.contexts, start=1)]
    done = len(every) - len(waiting)
    remedy = f"ragtui label {experiment} {waiting[0]} SCORE --metric {metric} --blind"
    what = [f"{metric}: {each}" for each in blind_sample.definition(blind_sample.judged_metric(results, metric))]
    head = f"{waiting[0]} ({done} of {len(every)} labelled)"
    return [head, *(f"{name}: {text}" for name, text in texts), "", *what, remedy]


def _said(given: Given | None) -> str:
    if given is None:
        return ""
    where = f"{given.case_id} {given.side}{f' {given.metric}' if given.metric else ''}"
    note = f" “{given.note}”" if given.note else ""
    return f"{where}: {given.value or 'no label'}{note} ({given.author}, {given.at[:16].replace('T', ' ')})"
