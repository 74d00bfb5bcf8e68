"""``ragtui convert SRC DST --to FORMAT``: a dataset in another format, and what is lost on the way."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragtui.cli._stop import could_not_run

if TYPE_CHECKING:
    from ragtui.datasets.dataset import Dataset


def command(
    source: Annotated[str, typer.Argument(metavar="SRC", help="A dataset of any format that is read.")],
    target: Annotated[Path, typer.Argument(metavar="DST", help="The file (or folder) to write.")],
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help="deepset-qa, beir, azure, pinecone, table, ragas, …")
    ],
    part: Annotated[
        str | None, typer.Option(help="Read SRC as one part of a BEIR set: corpus, queries or qrels.")
    ] = None,
    map_: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="A=B", help="The column B feeds the input (or, with --part, the key) A."),
    ] = None,
    format: Annotated[str | None, typer.Option(help="Read SRC as this format instead of sniffing.")] = None,
    split: Annotated[str | None, typer.Option(help="The judgments to use, where there are several.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="This many cases or queries only.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Convert a dataset to another format. Text stays as it is; what the format cannot hold is named.

    Status: 0 written, 2 could not run.
    """
    from ragtui.datasets.check import CannotOpen
    from ragtui.datasets.writing import writers
    from ragtui.datasets.writing.conversion import convert
    from ragtui.experiments import wording

    if to not in writers():
        could_not_run(f"cannot write the format {to!r}; known are {', '.join(writers())}")
    if part is not None and (part not in ("corpus", "queries", "qrels") or to != "beir"):
        could_not_run("--part is corpus, queries or qrels, and goes with --to beir")
    _refuse_overwriting(Path(source), target, force)
    mapping = _mapping(map_ or [])
    try:
        if part is not None:
            written, lost = _convert_part(part, source, target, mapping)
            lost = [f"lost: {line}" for line in lost]
            told = wording.count(written, "record")
        else:
            dataset = _opened(source, format, split, limit)
            lost = convert(dataset, target, to, mapping)
            told = wording.count(dataset.rows, "query" if dataset.cases is None else "case")
    except CannotOpen as error:
        could_not_run(str(error))
    except OSError as error:
        could_not_run(f"{error.filename or target}: {error.strerror or error}")
    if not quiet:
        from ragtui.text import cell

        for line in lost:
            typer.echo(f"ragtui: {cell(line)}", err=True)
        typer.echo(f"Wrote {told} to {cell(str(target))}.")


def _convert_part(part: str, source: str, target: Path, mapping: dict[str, str]) -> tuple[int, list[str]]:
    from ragtui.datasets.writing.parts import write_part

    if not Path(source).is_file():
        could_not_run(f"{source}: no such file")
    return write_part(part, Path(source), target, mapping)


def _opened(source: str, format: str | None, split: str | None, limit: int | None) -> Dataset:
    from ragtui.datasets.check import open_datasets
    from ragtui.datasets.formats import ReadOptions
    from ragtui.workspace import Workspace, WorkspaceError

    try:
        options = ReadOptions(split=split, limit=limit, workspace=Workspace.open("."))
    except WorkspaceError as error:
        could_not_run(str(error))
    opened = open_datasets([source], options, format, whole=True)
    if len(opened.datasets) != 1:
        names = ", ".join(dataset.path for dataset in opened.datasets[:8])
        could_not_run(f"{source}: holds {len(opened.datasets)} datasets; name one: {names}")
    return opened.datasets[0]


def _mapping(given: list[str]) -> dict[str, str]:
    pairs = {}
    for text in given:
        name, equals, column = text.partition("=")
        if not equals or not name.strip() or not column.strip():
            could_not_run(f"--map {text}: write it as NAME=COLUMN")
        pairs[name.strip()] = column.strip()
    return pairs


def _refuse_overwriting(source: Path, target: Path, force: bool) -> None:
    if target.exists() and source.exists() and target.resolve() == source.resolve():
        could_not_run(f"{target}: is what is read; name another place")
    if (
        target.exists()
        and not force
        and not (target.is_dir() and not any(target.iterdir()))
        and not str(target).startswith("/dev/")
    ):
        could_not_run(f"{target}: is there already; --force replaces it")
