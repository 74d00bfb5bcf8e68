"""Pinecone Assistant evaluation data: question, answer and ground-truth answer, in JSON, JSON lines or CSV."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ragtui.datasets.case_ids import identify, own_id_column
from ragtui.datasets.containers import reading_of
from ragtui.datasets.containers.table import Table
from ragtui.datasets.dataset import Dataset, Role, Shape
from ragtui.datasets.formats import ReadOptions, Sniff, Source
from ragtui.datasets.formats.table import guess_roles
from ragtui.datasets.near_names import intended, plain_name
from ragtui.datasets.record_reading import columns_of, records_of
from ragtui.datasets.rules import run_rules

if TYPE_CHECKING:
    from ragtui.datasets.findings import Report

REQUIRED: Final = ("question", "answer", "ground_truth_answer")
_ROLES: Final = {"question": Role.INPUT, "answer": Role.RESPONSE, "ground_truth_answer": Role.EXPECTED}
_FIELDS: Final = {"question": "query", "answer": "response", "ground_truth_answer": "ground_truth"}
_STORED: Final = {"metrics", "reasoning", "usage", "evaluated_facts"}


@dataclass(frozen=True)
class PineconeTable:
    """A table read as Pinecone's. ``columns`` gives the column for each required name that is there, or nearly."""

    table: Table
    columns: dict[str, str]


class Pinecone:
    """The format of what Pinecone's alignment endpoint is asked."""

    id = "pinecone"
    title = "Pinecone Assistant evaluation data"
    platforms = ("pinecone",)

    def sniff(self, source: Source) -> Sniff | None:
        if source.is_folder:
            return None
        table = reading_of(source).table
        if table is None:
            return None
        plain = {plain_name(header) for header in table.headers}
        if "ground_truth_answer" in plain and "question" in plain:
            return Sniff(
                80,
                "question, answer and ground_truth_answer" if "answer" in plain else "question and ground_truth_answer",
            )
        return None

    def read(self, source: Source, sniff: Sniff, report: Report, options: ReadOptions) -> list[Dataset]:
        table = records_of(source, report, options)
        if table is None:
            return []
        pinecone = PineconeTable(table, pinecone_columns(table))
        run_rules(pinecone, report, options.runs)
        roles: dict[str, Role] = {name: role for name, role in guess_roles(table).items() if role is Role.ID}
        roles |= {name: _ROLES[wanted] for wanted, name in pinecone.columns.items()}
        question = pinecone.columns.get("question")
        frame, findings = identify(table, [question] if question else list(table.names), question, own_id_column(table))
        report.extend(findings)
        return [
            Dataset(
                name=source.path.stem, path=source.shown, location=source.path, format=self.id, why=sniff.why, shape=Shape.CASES,
                cases=frame, columns=columns_of(table, roles), encoding=table.encoding, delimiter=table.delimiter,
                fields={_FIELDS[wanted]: name for wanted, name in pinecone.columns.items()},
                header_line=table.header_line or None, counts={"records": table.height},
            )
        ]  # fmt: skip


FORMAT: Final = Pinecone()


def pinecone_columns(table: Table) -> dict[str, str]:
    """The column for each required name, near misses included; ``groundTruth`` is what the Node SDK calls the last."""
    columns = intended(table.headers, table.names, REQUIRED)
    if "ground_truth_answer" not in columns:
        spare = {plain_name(header): name for header, name in zip(table.headers, table.names, strict=True)}
        for word in ("groundtruth", "ground_truth"):
            if word in spare and spare[word] not in columns.values():
                columns["ground_truth_answer"] = spare[word]
                break
    return columns


def is_extra(header: str) -> bool:
    """Whether a column is neither asked for nor part of a stored response."""
    return header not in REQUIRED and header not in _STORED
