"""Azure AI evaluation data: JSON lines (or CSV) of queries, responses, contexts, ground truths, or of conversations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ragtui.datasets.case_ids import identify, own_id_column
from ragtui.datasets.containers import reading_of
from ragtui.datasets.containers.table import Table
from ragtui.datasets.conversations import last_said, messages_of
from ragtui.datasets.dataset import Column, Dataset, Role, Shape
from ragtui.datasets.formats import ReadOptions, Sniff, Source
from ragtui.datasets.formats.table import guess_roles
from ragtui.datasets.list_cells import ContextColumns
from ragtui.datasets.near_names import intended
from ragtui.datasets.record_reading import columns_of, records_of
from ragtui.datasets.rules import run_rules

if TYPE_CHECKING:
    import polars as pl

    from ragtui.datasets.findings import Report

ROLES: Final = {
    "query": Role.INPUT,
    "conversation": Role.INPUT,
    "response": Role.RESPONSE,
    "context": Role.CONTEXT,
    "ground_truth": Role.EXPECTED,
    "retrieval_ground_truth": Role.EXPECTED,
    "retrieved_documents": Role.RETRIEVED_IDS,
    "tool_definitions": Role.IGNORED,
    "tool_calls": Role.IGNORED,
}
TEXTS: Final = ("query", "response", "context", "ground_truth")
_TURN: Final = {"query": "user", "response": "assistant"}


@dataclass(frozen=True)
class AzureTable:
    """A table read as Azure's. ``columns`` gives the column for each of Azure's names that is there, or nearly; ``mapped``
    says that a mapping file tells which columns are used."""

    table: Table
    columns: dict[str, str]
    mapped: bool = False


class Azure:
    """The format of what ``azure.ai.evaluation.evaluate`` takes."""

    id = "azure"
    title = "Azure AI evaluation data"
    platforms = ("azure",)

    def sniff(self, source: Source) -> Sniff | None:
        if source.is_folder:
            return None
        table = reading_of(source).table
        if table is None or table.container not in ("jsonl", "csv"):
            return None
        own = [name for name in table.names if name in ROLES]
        if not {"query", "conversation", "response"} & set(own):
            return None
        lines = table.container == "jsonl"
        if len(own) == 1 and own[0] != "conversation":
            return Sniff(35, f"JSON lines with {own[0]}") if lines and own[0] == "query" else None
        return Sniff(
            60 if lines else 28 + 8 * (len(own) > 2), f"{'JSON lines' if lines else 'CSV'} with {', '.join(own[:4])}"
        )

    def read(self, source: Source, sniff: Sniff, report: Report, options: ReadOptions) -> list[Dataset]:
        table = records_of(source, report, options)
        if table is None:
            return []
        azure = AzureTable(table, intended(table.headers, table.names, tuple(ROLES)), options.mapping is not None)
        run_rules(azure, report, options.runs)
        roles = guess_roles(table) | {name: ROLES[wanted] for wanted, name in azure.columns.items()}
        contexts = tuple(name for name in table.names if roles.get(name) is Role.CONTEXT)
        run_rules(ContextColumns(table, contexts), report, options.runs)
        inputs = [name for name in table.names if roles.get(name) is Role.INPUT]
        named = azure.columns.get("query") or azure.columns.get("conversation")
        frame, findings = identify(table, inputs or list(table.names), named, own_id_column(table))
        report.extend(findings)
        fields = {wanted: name for wanted, name in azure.columns.items() if wanted in TEXTS}
        columns = columns_of(table, roles)
        if "conversation" in azure.columns:
            frame, added = _with_last_turn(frame, azure.columns["conversation"], fields)
            fields |= {wanted: wanted for wanted in added}
            columns += tuple(
                Column(wanted, ROLES[wanted], len(columns) + place, int(frame[wanted].is_not_null().sum()))
                for place, wanted in enumerate(added)
            )
        return [
            Dataset(
                name=source.path.stem, path=source.shown, location=source.path, format=self.id, why=sniff.why, shape=Shape.CASES,
                cases=frame, columns=columns, fields=fields, encoding=table.encoding, delimiter=table.delimiter,
                header_line=table.header_line or None, counts={"records": table.height},
            )
        ]  # fmt: skip


FORMAT: Final = Azure()


def _with_last_turn(frame: pl.DataFrame, column: str, fields: dict[str, str]) -> tuple[pl.DataFrame, list[str]]:
    """The cases with query, response and context of each conversation's last turn, where no column of that name is there."""
    import polars as pl

    added: list[pl.Series] = []
    conversations = [messages_of(cell) for cell in frame[column]]
    for wanted, role in _TURN.items():
        if wanted not in fields and wanted not in frame.columns:
            added.append(pl.Series(wanted, [last_said(messages, role) for messages in conversations], dtype=pl.String))
    if "context" not in fields and "context" not in frame.columns:
        contexts = [last_said(messages, "assistant", "context") for messages in conversations]
        if any(context is not None for context in contexts):
            added.append(pl.Series("context", contexts, dtype=pl.String))
    if "_name" in frame.columns and added and added[0].name == "query":
        frame = frame.with_columns(added[0].fill_null("").alias("_name"))
    return frame.with_columns(added), [series.name for series in added]
