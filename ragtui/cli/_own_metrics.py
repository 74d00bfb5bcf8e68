"""Commands of ``ragtui metrics`` for metrics of the user's own: new, edit, try, trust, versions, delete."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from ragtui.cli._stop import could_not_run

if TYPE_CHECKING:
    from ragtui.experiments.trying import Trial
    from ragtui.metrics.metric import Definition
    from ragtui.metrics.own.files import OwnFile
    from ragtui.metrics.own.saving import Saved
    from ragtui.workspace import Workspace

_NAME = typer.Argument(help="The metric's name.")


def add_to(app: typer.Typer) -> None:
    for function in (new, edit, trust, versions, delete):
        app.command()(function)
    app.command("try")(try_)


def found() -> tuple[Mapping[str, Definition], tuple[str, ...]]:
    """The own metrics of the workspace around, and what is wrong with its files."""
    from ragtui.metrics.own.files import own_metrics, problems

    workspace = _workspace()
    return own_metrics(workspace), problems(workspace)


def new(
    name: str = typer.Argument(help="Its name: letters, digits and _."),
    group: str = typer.Option("", "--group", "-g", help="The Metric Group it joins; made if it is not there."),
    code: bool = typer.Option(
        False, "--code/--judged", help="A Python file with def evaluate(session), or a TOML file with a judge's prompt."
    ),
    file: Path = typer.Option(None, "--file", help="Take this file's content; else a template, opened in $EDITOR."),
) -> None:
    """Make a metric of your own. It must join a group: --group NAME."""
    from ragtui.metrics.metric import Kind
    from ragtui.metrics.own import saving
    from ragtui.metrics.own.files import ending_of

    kind = Kind.CODE if code or (file is not None and file.suffix == ".py") else Kind.JUDGED
    if not group.strip():
        could_not_run("a new metric must join a group; name one with --group (it is made if it is not there)")
    workspace = _workspace()
    text = _read(file) if file is not None else saving.template(kind, name)
    if file is None and sys.stdin.isatty():
        text = _edited(text, name, ending_of(kind))
    saved: Saved = _try(saving.create, workspace, name, kind, text, group)
    typer.echo(f"made {_shown(saved)} and put it into {group}")


def edit(
    name: str = _NAME, file: Path = typer.Option(None, "--file", help="Take this file's content instead of $EDITOR.")
) -> None:
    """Edit a metric of your own in $EDITOR; saving makes a new version, which all groups follow."""
    from ragtui.metrics.own import saving

    workspace = _workspace()
    there = _own_file(workspace, name)
    text = _read(file) if file is not None else _edited(_text(there), there.name, there.path.suffix)
    saved: Saved = _try(saving.save, workspace, there.name, text)
    typer.echo(f"saved {_shown(saved)}" if saved.changed else f"{there.name} is as it was")


def trust(name: str = _NAME, yes: bool = typer.Option(False, "--yes", "-y", help="Do not ask.")) -> None:
    """Show the code of a metric and allow it to run, as it is now."""
    from ragtui.metrics.metric import Kind
    from ragtui.metrics.own import saving
    from ragtui.text import block

    workspace = _workspace()
    file = _own_file(workspace, name)
    if file.kind is not Kind.CODE:
        could_not_run(f"{file.shown} is no code; it runs nothing")
    typer.echo(block(_text(file)))
    if not yes and not sys.stdin.isatty():
        could_not_run(f"{file.shown} was not allowed to run: there is nobody to ask; --yes allows it")
    if not yes and not typer.confirm(f"Let {file.shown} run on this machine as it is now?"):
        could_not_run(f"{file.shown} was not allowed to run")
    saving.allow(workspace, file)
    typer.echo(f"{file.shown} (version {file.version}) may run")


def versions(name: str = _NAME) -> None:
    """List the versions of a metric that were saved or run, the newest last."""
    from ragtui.metrics.own import versions as kept

    workspace = _workspace()
    file = _own_file(workspace, name)
    known = [each for each in kept.kept(workspace, file.name) if each != file.version]
    for each in known:
        typer.echo(f"{each}  kept in .ragtui/metrics/")
    typer.echo(f"{file.version}  {file.shown}, the one in use")


def delete(name: str = _NAME) -> None:
    """Delete a metric of your own that no group has."""
    from ragtui.metrics.own import saving

    workspace = _workspace()
    gone: OwnFile = _try(saving.delete, workspace, name)
    typer.echo(f"deleted {gone.shown}; its versions stay in .ragtui/metrics/")


def try_(
    name: str = typer.Argument(help="Any metric, as polite or f1."),
    dataset: str = typer.Argument(help="A dataset, as for `ragtui run`."),
    case: str = typer.Option(None, "--case", help="The case's id; else the first."),
    candidate: str = typer.Option("recorded", help="Who answers, as for `ragtui run`."),
    judge: str = typer.Option("embedded", help="Who judges, as for `ragtui run`."),
    strategy: str = typer.Option("auto", help="auto, rubric or claims."),
    mapping: list[str] = typer.Option([], "--map", metavar="INPUT=REFERENCE", help="Where an input comes from."),
    output_format: str = typer.Option("text", help="text or json."),
) -> None:
    """Score one case by one metric: its inputs, the judge's prompt and reply, the score. Nothing is stored."""
    from ragtui.experiments.trying import try_metric

    workspace = _workspace()
    stated = dict(_pair(each) for each in mapping)
    metric = _try(_metric, workspace, name)
    trial: Trial = _try(
        lambda: try_metric(
            metric, _dataset(dataset), workspace, case_id=case, candidate=candidate, judge=judge, strategy=strategy,
            mapping=stated,
        )
    )  # fmt: skip
    typer.echo(_as_json(trial) if output_format == "json" else _as_text(trial))


# --- what the commands share ---------------------------------------------------------------------------------------


def _as_text(trial: Trial) -> str:
    from ragtui.text import block

    outcome, metric = trial.outcome, trial.metric
    lines = [f"{metric.name} (version {metric.version}) on case {trial.case_id}", ""]
    for name, value in trial.inputs.items():
        lines.append(f"{name}  {trial.came_from.get(name, '')}".rstrip())
        lines += [f"  {line}" for text in ((value,) if isinstance(value, str) else value) for line in text.split("\n")]
    missing = [name for name in (*metric.inputs, *metric.optional) if name not in trial.inputs]
    lines += [f"not there: {', '.join(missing)}"] if missing else []
    lines += ["", "--- prompt", trial.prompt] if trial.prompt else []
    lines += ["", "--- reply", trial.reply] if trial.reply else []
    passed = {True: ", passes", False: ", fails", None: ""}[trial.passed]
    state = outcome.state.value.replace("_", " ") + (f": {outcome.cause}" if outcome.cause else "")
    lines += ["", f"score {outcome.score:g}{passed}" if outcome.score is not None else state]
    lines += [outcome.reason] if outcome.reason else []
    lines += [f"  {each.verdict}: {each.claim}" for each in outcome.evidence]
    return block("\n".join(lines))


def _as_json(trial: Trial) -> str:
    import json
    from dataclasses import asdict

    outcome = trial.outcome
    row = {
        "metric": trial.metric.name, "metric_version": trial.metric.version, "case_id": trial.case_id,
        "inputs": dict(trial.inputs), "came_from": dict(trial.came_from), "prompt": trial.prompt, "reply": trial.reply,
        "judge": trial.judge or None, "state": outcome.state.value, "cause": outcome.cause, "score": outcome.score,
        "passed": trial.passed, "threshold": trial.metric.threshold, "reason": outcome.reason or None,
        "evidence": [asdict(each) for each in outcome.evidence], "latency_ms": round(trial.seconds * 1000, 1),
    }  # fmt: skip
    return json.dumps(row, indent=1)


def _metric(workspace: Workspace, name: str) -> Any:
    from ragtui.metrics.own.files import own_metrics
    from ragtui.metrics.registry import metric

    return metric(name, own_metrics(workspace))


def _pair(text: str) -> tuple[str, str]:
    name, equals, reference = text.partition("=")
    if not equals or not name.strip() or not reference.strip():
        could_not_run(f"--map {text!r}: write INPUT=REFERENCE, as query=${{data.question}}")
    return name.strip(), reference.strip()


def _dataset(path: str) -> Any:
    from ragtui.datasets.check import open_dataset

    return open_dataset(path)[0]


def _own_file(workspace: Workspace, name: str) -> OwnFile:
    from ragtui.metrics.own.saving import existing

    file: OwnFile = _try(existing, workspace, name)
    return file


def _text(file: OwnFile) -> str:
    if file.problem:
        could_not_run(f"{file.shown}: {file.problem}")
    return file.content.decode("utf-8", "replace")


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        could_not_run(f"{file}: cannot be read: {error}")


def _edited(text: str, name: str, ending: str) -> str:
    """The text as it comes back from the editor, begun from a draft that could not be saved if there is one."""
    import os
    import shlex
    import subprocess

    from ragtui.metrics.own.drafts import draft

    try:
        chosen = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if not chosen and not (sys.stdin.isatty() and sys.stdout.isatty()):
            could_not_run("there is no terminal to edit in; give --file, or set $EDITOR")
        path = draft(_workspace(), name, ending, text)
        words = shlex.split(chosen or "vi")
        status = subprocess.run([*words, str(path)], check=False).returncode
        edited = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        could_not_run(f"the editor did not work: {error}; set $EDITOR")
    if status:
        could_not_run(f"{words[0]} ended with status {status}; nothing was saved")
    return edited


def _shown(saved: Saved) -> str:
    from ragtui.metrics.own.drafts import forget

    metric = saved.definition.metric
    forget(saved.workspace, metric.name)
    return f"{metric.name} (version {metric.version})"


def _try(function: Callable[..., Any], *arguments: Any) -> Any:
    """What the function gives; where it cannot, one line and status 2."""
    from ragtui.cli._running import errors_of_a_run
    from ragtui.experiments.trying import TryError

    expected: tuple[type[Exception], ...] = (TryError, *errors_of_a_run())
    try:
        return function(*arguments)
    except expected as error:
        could_not_run(str(error))
    except OSError as error:
        _cannot_write(error)


def _cannot_write(error: OSError) -> NoReturn:
    could_not_run(f"{error.filename or 'the workspace'}: {error.strerror or error}")


def _workspace() -> Workspace:
    from ragtui.workspace import Workspace, WorkspaceError

    try:
        return Workspace.open()
    except WorkspaceError as error:
        could_not_run(str(error))
