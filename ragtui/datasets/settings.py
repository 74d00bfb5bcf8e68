"""What the user said about a dataset, kept in ``ragtui.toml``: its format, what columns are for, and which feeds which
metric input.

[datasets."cases.csv"]
format = "table"

[datasets."cases.csv".roles]
office = "input"

[datasets."cases.csv".mapping]
query = "${data.question}"
"f1.response" = "{{item.short_answer}}"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from ragtui.datasets.dataset import Dataset, Role
from ragtui.datasets.formats import ReadOptions, Source
from ragtui.workspace import Workspace

_FEEDS: Final = {
    Role.INPUT: "query",
    Role.EXPECTED: "ground_truth",
    Role.RESPONSE: "response",
    Role.CONTEXT: "context",
    Role.RETRIEVED_IDS: "retrieved_ids",
}


def key_of(workspace: Workspace, dataset: Dataset) -> str:
    """What a dataset is called in ``ragtui.toml``: its path from there, with the sheet of a workbook."""
    name = _file_key(workspace, dataset.location)
    sheet = (
        dataset.path.rpartition("#")[2]
        if "#" in dataset.path and not dataset.location.name.endswith(dataset.path)
        else ""
    )
    return f"{name}#{sheet}" if sheet and dataset.location.suffix.lower() == ".xlsx" else name


def _file_key(workspace: Workspace, location: Path) -> str:
    where = location.resolve()
    return where.relative_to(workspace.root).as_posix() if where.is_relative_to(workspace.root) else str(where)


def said_format(options: ReadOptions, source: Source) -> str | None:
    """The format that was said of a source (of its sheet, else of its file); it may be one that does not exist."""
    if options.workspace is None:
        return None
    for key in _keys_of(options.workspace, options, source):
        said = options.workspace.table("datasets", key).get("format")
        if isinstance(said, str):
            return said
    return None


def said_roles(options: ReadOptions, source: Source) -> dict[str, Role]:
    """The roles that were said of the columns of a source."""
    if options.workspace is None:
        return {}
    return _roles(options.workspace, _keys_of(options.workspace, options, source)[0])


def _keys_of(workspace: Workspace, options: ReadOptions, source: Source) -> list[str]:
    name = _file_key(workspace, options.copies.get(source.path, source.path))
    return [f"{name}#{source.sheet}", name] if source.sheet and source.path.suffix.lower() == ".xlsx" else [name]


def save_format(workspace: Workspace, location: Path, sheet: str | None, format: str | None) -> Workspace:
    """Keeps the format in which a file, or a sheet of one, is to be read; ``None`` leaves that to its content again.

    Raises:
        OSError: ``ragtui.toml`` cannot be written.
    """
    name = _file_key(workspace, location)
    key = f"{name}#{sheet}" if sheet else name
    before = workspace.table("datasets", key)
    after = {name: value for name, value in before.items() if name != "format"} | ({"format": format} if format else {})
    return workspace if after == before else workspace.save("datasets", key, value=after or None)


def saved_roles(workspace: Workspace, dataset: Dataset) -> dict[str, Role]:
    """The roles that were said, by column; words that are none are left out."""
    return _roles(workspace, key_of(workspace, dataset))


def _roles(workspace: Workspace, key: str) -> dict[str, Role]:
    table = workspace.table("datasets", key, "roles")
    known = {role.value for role in Role}
    return {name: Role(word) for name, word in table.items() if isinstance(word, str) and word in known}


def saved_mapping(workspace: Workspace, dataset: Dataset) -> dict[str, str]:
    """``input`` or ``METRIC.input`` to reference."""
    table = workspace.table("datasets", key_of(workspace, dataset), "mapping")
    return {name: text for name, text in table.items() if isinstance(text, str)}


def save(
    workspace: Workspace,
    dataset: Dataset,
    *,
    roles: Mapping[str, Role] | None = None,
    mapping: Mapping[str, str] | None = None,
) -> Workspace:
    """Keeps what was said; what is ``None`` stays as it was.

    Raises:
        OSError: ``ragtui.toml`` cannot be written.
    """
    key = key_of(workspace, dataset)
    told: dict[str, Any] = {
        "roles": {
            name: role.value for name, role in (saved_roles(workspace, dataset) if roles is None else roles).items()
        },
        "mapping": dict(saved_mapping(workspace, dataset) if mapping is None else mapping),
    }
    kept = {name: value for name, value in workspace.table("datasets", key).items() if name not in told}
    filled = kept | {name: table for name, table in told.items() if table}
    if not filled and not workspace.table("datasets", key):
        return workspace
    return workspace.save("datasets", key, value=filled or None)


def with_roles(dataset: Dataset, roles: Mapping[str, Role]) -> Dataset:
    """The dataset with other roles for some columns. A column feeds the metric input of its new role where no other does."""
    changed = {
        column.name: role
        for column in dataset.columns
        if (role := roles.get(column.name)) is not None and role is not column.role
    }
    if not changed:
        return dataset
    columns = tuple(replace(column, role=changed.get(column.name, column.role)) for column in dataset.columns)
    fields = {name: column for name, column in dataset.fields.items() if column not in changed}
    for column, role in changed.items():
        feeds = _FEEDS.get(role)
        if feeds is not None and feeds not in fields:
            fields[feeds] = column
    return replace(dataset, columns=columns, fields=fields, said={**dataset.said, **changed})


def as_said(workspace: Workspace, dataset: Dataset) -> Dataset:
    """The dataset with the roles that were said of it."""
    return with_roles(dataset, saved_roles(workspace, dataset))
