"""deepset evaluation CSVs: question answering, document retrieval and RAG share their columns; what is filled tells them apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ragtui.datasets.case_ids import OWN_ID_HEADERS, identify, own_id_column
from ragtui.datasets.containers import reading_of
from ragtui.datasets.containers.table import Table
from ragtui.datasets.dataset import Dataset, Role, Shape
from ragtui.datasets.formats import ReadOptions, Sniff, Source
from ragtui.datasets.label_rows import label_rows
from ragtui.datasets.near_names import intended, plain_name
from ragtui.datasets.record_reading import columns_of, records_of
from ragtui.datasets.rules import run_rules

if TYPE_CHECKING:
    from ragtui.datasets.findings import Report

QUESTION: Final = ("question", "query")
LABELS: Final = ("text", "context", "file_name", "answer_start", "answer_end", "filters")
OFFSETS: Final = ("answer_start", "answer_end")
_TELLING: Final = {"file_name", "filters", *OFFSETS}

QA: Final = "deepset-qa"
RETRIEVAL: Final = "deepset-retrieval"
RAG: Final = "deepset-rag"

_ROLES: Final = {
    "question": Role.INPUT,
    "query": Role.INPUT,
    "filters": Role.INPUT,
    "text": Role.EXPECTED,
    "context": Role.EXPECTED,
    "file_name": Role.EXPECTED,
    "answer_start": Role.EXPECTED,
    "answer_end": Role.EXPECTED,
}
_FIELDS: Final = {"text": "ground_truth", "context": "gold_context", "file_name": "gold_file_name"}


@dataclass(frozen=True)
class DeepsetTable:
    """A table read as one of the three kinds. ``columns`` gives the column for each deepset name that is there, or nearly."""

    table: Table
    kind: str
    columns: dict[str, str]
    matches_files: bool = False

    @property
    def question(self) -> str | None:
        return self.columns.get("question") or self.columns.get("query")

    @cached_property
    def filled(self) -> dict[str, int]:
        """How many rows fill each deepset column that is there."""
        return {wanted: self.table.filled(name) for wanted, name in self.columns.items()}


@dataclass(frozen=True)
class Deepset:
    """One of the three kinds."""

    id: str
    title: str
    platforms: tuple[str, ...] = ("deepset",)

    def sniff(self, source: Source) -> Sniff | None:
        if source.is_folder:
            return None
        table = reading_of(source).table
        if table is None or table.container not in ("csv", "xlsx"):
            return None
        columns = deepset_columns(table)
        confidence = _confidence(table, columns)
        if not confidence:
            return None
        kind, why = _kind(table, columns)
        return Sniff(confidence, why) if kind == self.id else None

    def read(self, source: Source, sniff: Sniff, report: Report, options: ReadOptions) -> list[Dataset]:
        table = records_of(source, report, options)
        if table is None:
            return []
        labels = DeepsetTable(table, self.id, deepset_columns(table), options.files is not None)
        run_rules(labels, report, options.runs)
        columns = labels.columns
        inputs = [name for wanted in (*QUESTION, "filters") if (name := columns.get(wanted))]
        collect = [columns[wanted] for wanted in _FIELDS if wanted in columns]
        cases, findings = identify(table, inputs, labels.question, own_id_column(table), collect)
        report.extend(findings)
        roles = {name: _ROLES[wanted] for wanted, name in columns.items()}
        roles |= {name: Role.ID for name in [own_id_column(table)] if name}
        fields = {"query": labels.question} if labels.question else {}
        fields |= {field: columns[wanted] for wanted, field in _FIELDS.items() if labels.filled.get(wanted)}
        return [
            Dataset(
                name=source.path.stem, path=source.shown, location=source.path, format=self.id, why=sniff.why, shape=Shape.CASES,
                cases=cases, columns=columns_of(table, roles), fields=fields, encoding=table.encoding or None,
                delimiter=table.delimiter, header_line=table.header_line, counts={"records": table.height},
                labels=label_rows(table.frame, inputs) if cases.height < table.height else None,
            )
        ]  # fmt: skip


def deepset_columns(table: Table) -> dict[str, str]:
    """The column for each deepset name, near misses included; ``question`` wins over ``query``."""
    columns = intended(table.headers, table.names, (*QUESTION, *LABELS))
    if "question" in columns:
        columns.pop("query", None)
    return columns


def _confidence(table: Table, columns: dict[str, str]) -> int:
    """How surely a table is deepset's: by the columns only it has, less so with columns it ignores. Misspelt names count
    for little: many tables have contexts or an answer."""
    sure = {wanted for wanted, name in columns.items() if plain_name(table.header_of(name)) == wanted}
    telling = sure & _TELLING
    if not sure & set(QUESTION) and (len(telling) < 2 or not columns.keys() & set(QUESTION)):
        return 0
    others = [
        header
        for header, name in zip(table.headers, table.names, strict=True)
        if header.strip() and name not in columns.values() and plain_name(header) not in OWN_ID_HEADERS
    ]
    if telling:
        return 90 if len(sure) >= 3 else 70
    if len(sure) >= 2:
        return 25 if others else 70
    return 0 if others or len(columns) > 1 else 45


def _kind(table: Table, columns: dict[str, str]) -> tuple[str, str]:
    labels = DeepsetTable(table, "", columns)
    filled = [wanted for wanted in LABELS if labels.filled.get(wanted)]
    if labels.filled.get("text") or any(wanted in filled for wanted in OFFSETS):
        return QA, f"deepset columns; {_listed([each for each in filled if each in ('text', *OFFSETS)])} hold values"
    if "context" in filled:
        return RETRIEVAL, "deepset columns; context holds values, text and offsets do not"
    if len(columns) == 1:
        return RAG, "only a question column"
    return RAG, "deepset columns; only the question is asked for"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


FORMATS: Final = [
    Deepset(QA, "deepset question answering"),
    Deepset(RETRIEVAL, "deepset document retrieval"),
    Deepset(RAG, "deepset RAG"),
]
