"""``ragtui match DATASET --files DIR``: which file each label means; picks, rejections, and their way back into the file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragtui.cli._stop import could_not_run
from ragtui.experiments import wording

if TYPE_CHECKING:
    from ragtui.datasets.dataset import Dataset
    from ragtui.datasets.matching import Matching


def command(
    source: Annotated[str, typer.Argument(metavar="DATASET", help="A dataset whose rows name files.")],
    files: Annotated[Path | None, typer.Option(help="The folder (or a listing) of the files; remembered.")] = None,
    pick: Annotated[list[str] | None, typer.Option(metavar="LABEL=FILE", help="The file that a label means.")] = None,
    reject: Annotated[list[str] | None, typer.Option(metavar="LABEL", help="None of its candidates is it.")] = None,
    clear: Annotated[list[str] | None, typer.Option(metavar="LABEL", help="Forget what was picked for it.")] = None,
    best: Annotated[
        float | None, typer.Option(min=0, max=100, metavar="SCORE", help="Pick the best candidates from this score on.")
    ] = None,
    rematch: Annotated[bool, typer.Option("--rematch", help="Forget all picks and match again.")] = False,
    write: Annotated[bool, typer.Option("--write", help="Write the files' names into NAME.fixed.EXT.")] = False,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="With --write: into the file itself; .orig is kept.")
    ] = False,
    format: Annotated[str | None, typer.Option(help="Read DATASET as this format.")] = None,
    output_format: Annotated[str, typer.Option(help="text or json.")] = "text",
) -> None:
    """Match the file names of labels with files: matched, no match, candidates found, not started.

    Picks are kept in the workspace. Status: 0 every label is matched (or rejected), 1 some are not, 2 could not run.
    """
    from ragtui.datasets.check import CannotOpen, open_dataset
    from ragtui.datasets.files import FilesError
    from ragtui.datasets.formats import ReadOptions
    from ragtui.datasets.matching import MatchingError, forget, load, matching_of, save
    from ragtui.workspace import Workspace, WorkspaceError

    if output_format not in ("text", "json"):
        could_not_run(f"unknown output format {output_format!r}; known are text and json")
    try:
        dataset, _ = open_dataset(source, format, ReadOptions(workspace=Workspace.open(".")))
        workspace = Workspace.open(dataset.location)
        if rematch:
            kept = load(workspace, dataset)
            forget(workspace, dataset)
            files = files or (Path(kept.files) if kept and kept.files else None)
        saved = load(workspace, dataset)
        where = str(files.resolve()) if files is not None else saved.files if saved is not None else ""
        found = _picked(matching_of(dataset, _names(where), where, saved), pick or [], reject or [], clear or [], best)
        if where:
            save(workspace, dataset, found)
    except (CannotOpen, MatchingError, FilesError, WorkspaceError) as error:
        could_not_run(str(error))
    except OSError as error:
        could_not_run(f"{error.filename or source}: {error.strerror or error}")
    _print(found, output_format)
    if write:
        _write(dataset, found, in_place)
    if any(each.file is None and not each.rejected for each in found.labels):
        raise typer.Exit(1)


def _names(where: str) -> tuple[str, ...] | None:
    from ragtui.datasets.files import file_names

    return file_names(Path(where)) if where else None


def _picked(found: Matching, pick: list[str], reject: list[str], clear: list[str], best: float | None) -> Matching:
    if not found.files and (pick or reject or clear or best is not None):
        could_not_run("matching has not started; name the files with --files")
    for text in pick:
        label, _, file = text.rpartition("=")
        if not label or not file:
            could_not_run(f"--pick {text}: write it as LABEL=FILE")
        found = found.with_pick(label, file)
    for label in reject:
        found = found.with_rejection(label)
    for label in clear:
        found = found.without_pick(label)
    return found if best is None else found.with_best(best)


def _print(found: Matching, output_format: str) -> None:
    import json

    from ragtui.text import cell

    if output_format == "json":
        labels = [
            {"label": each.label, "rows": each.rows, "line": each.line, "state": each.state.value, "file": each.file,
             "picked": each.picked, "rejected": each.rejected, "reset": each.reset,
             "candidates": [{"name": c.name, "score": c.score, "difference": c.difference} for c in each.candidates]}
            for each in found.labels
        ]  # fmt: skip
        document = {"version": 1, "dataset": found.dataset, "column": found.column, "files": found.files, "labels": labels,
                    "added": found.added, "removed": found.removed,
                    "summary": {state.value: count for state, count in found.counts().items()}}  # fmt: skip
        typer.echo(json.dumps(document, ensure_ascii=False, indent=1))
        return
    if found.added or found.removed:
        typer.echo(f"The files changed: {len(found.added):,} added, {len(found.removed):,} removed.")
    for each in found.labels:
        how = "picked" if each.picked else "rejected" if each.rejected else "reset" if each.reset else ""
        state = f"{each.state.value}{f' ({how})' if how else ''}"
        typer.echo(
            f"{state:<18} {cell(each.label)}"
            + (f"  → {cell(each.file)}" if each.file not in (None, each.label) else "")
        )
        if each.file is None and not each.rejected:
            for one in each.candidates:
                typer.echo(f"{'':<18}   {one.score:5.1f}  {cell(one.name)}  (differs in {one.difference})")
    typer.echo("  ".join(f"{state.value} {count:,}" for state, count in found.counts().items()))


def _write(dataset: Dataset, found: Matching, in_place: bool) -> None:
    from ragtui.datasets.fixes.written import write_mended
    from ragtui.datasets.matching import MatchingError, mended
    from ragtui.text import cell

    try:
        data, changed = mended(dataset, found)
        if not changed:
            typer.echo("Nothing to write: every label has its file's name.", err=True)
            return
        target = write_mended(dataset.location, data, in_place)
    except MatchingError as error:
        could_not_run(str(error))
    except OSError as error:
        could_not_run(f"{error.filename or dataset.path}: cannot be written: {error.strerror or error}")
    typer.echo(f"ragtui: wrote {wording.count(changed, 'name')} to {cell(str(target))}", err=True)
