"""Formats of records that are little more than names: which columns they have, what for, and what they were called before.

A format of this kind is one module under ``formats`` with a ``RecordFormat``; rules about it look at its ``Records``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ragtui.datasets.case_ids import identify, own_id_column
from ragtui.datasets.containers import reading_of
from ragtui.datasets.containers.table import Table
from ragtui.datasets.dataset import Dataset, Role, Shape
from ragtui.datasets.formats import ReadOptions, Sniff, Source
from ragtui.datasets.list_cells import ListColumn, list_column, with_lists
from ragtui.datasets.near_names import intended
from ragtui.datasets.record_reading import columns_of, records_of
from ragtui.datasets.rules import run_rules

if TYPE_CHECKING:
    from ragtui.datasets.findings import Report

DEFAULT_CONTAINERS: Final = frozenset({"csv", "xlsx", "json", "jsonl"})


@dataclass(frozen=True)
class Known:
    """One column a format knows. ``input`` is the metric input it feeds; ``before`` are names it had in older versions, or
    has in another dialect; ``is_list`` columns hold several texts, in text files joined by ``separator`` or printed."""

    name: str
    role: Role = Role.IGNORED
    input: str | None = None
    before: tuple[str, ...] = ()
    is_list: bool = False
    separator: str | None = None


@dataclass(frozen=True)
class Records:
    """A table read as one of these formats. ``columns`` gives the column for each known name that is there; ``older`` those
    found under a name of before, ``misspelt`` those found under nearly the right name; ``lists`` the columns of lists."""

    format: RecordFormat
    table: Table
    columns: Mapping[str, str]
    older: Mapping[str, str] = field(default_factory=dict)
    misspelt: Mapping[str, str] = field(default_factory=dict)
    lists: Mapping[str, ListColumn] = field(default_factory=dict)

    def column_for(self, input: str) -> str | None:
        """The column that feeds a metric input."""
        names = (each.name for each in self.format.known if each.input == input)
        return next((self.columns[name] for name in names if name in self.columns), None)


@dataclass(frozen=True)
class RecordFormat:
    """A format that is a table with known columns.

    ``telling`` says how surely (0 to 100) known columns found in a table show the format; ``prepare`` may reshape the table
    before anything else looks at it.
    """

    id: str
    title: str
    known: tuple[Known, ...]
    telling: Callable[[Records], int]
    platforms: tuple[str, ...] = ()
    containers: frozenset[str] = DEFAULT_CONTAINERS
    prepare: Callable[[Table], Table] = lambda table: table

    def sniff(self, source: Source) -> Sniff | None:
        if source.is_folder:
            return None
        table = reading_of(source).table
        if table is None or table.container not in self.containers:
            return None
        records = self.look(self.prepare(table))
        confidence = self.telling(records) if records.columns else 0
        if not confidence:
            return None
        named = ", ".join(dict.fromkeys(records.table.header_of(column) for column in records.columns.values()))
        return Sniff(confidence, f"{self.id} columns: {named}")

    def look(self, table: Table) -> Records:
        """Which known columns a table has, under which names."""
        wanted = tuple(each.name for each in self.known)
        exact = {name: name for name in wanted if name in table.names}
        older: dict[str, str] = {}
        for each in self.known:
            for name in each.before if each.name not in exact else ():
                if name in table.names and name not in older.values() and name not in exact:
                    older[each.name] = name
                    break
        found = exact | older
        rest = [place for place, name in enumerate(table.names) if name not in found.values()]
        left = tuple(name for name in wanted if name not in found)
        misspelt = intended([table.headers[place] for place in rest], [table.names[place] for place in rest], left)
        return Records(self, table, found | misspelt, older, misspelt)

    def read(self, source: Source, sniff: Sniff, report: Report, options: ReadOptions) -> list[Dataset]:
        table = records_of(source, report, options)
        if table is None:
            return []
        records = self.look(self.prepare(table))
        by_name = {each.name: each for each in self.known}
        lists = {
            name: list_column(records.table, column, by_name[name].separator)
            for name, column in records.columns.items()
            if by_name[name].is_list
        }
        records = Records(self, records.table, records.columns, records.older, records.misspelt, lists)
        run_rules(records, report, options.runs)
        table = with_lists(records.table, list(lists.values()))
        roles = {column: by_name[name].role for name, column in records.columns.items()}
        own = own_id_column(table)
        roles |= {own: Role.ID} if own else {}
        asked = [column for column, role in roles.items() if role is Role.INPUT]
        question = records.column_for("query")
        frame, findings = identify(table, asked or list(table.names), question, own)
        report.extend(findings)
        feeding = {each.input: records.columns.get(each.name) for each in self.known if each.input}
        fields = {input: column for input, column in feeding.items() if column is not None}
        return [
            Dataset(
                name=source.sheet or source.path.stem, path=source.shown, location=source.path, format=self.id, why=sniff.why,
                shape=Shape.CASES, cases=frame, columns=columns_of(table, roles), fields=fields, encoding=table.encoding,
                delimiter=table.delimiter, header_line=table.header_line or None, counts={"records": table.height},
            )
        ]  # fmt: skip
