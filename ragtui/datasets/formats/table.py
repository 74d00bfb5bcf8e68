"""Test cases in a table: CSV, TSV, sheets, flat JSON. Columns are inputs, expected values, recorded responses and contexts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ragtui.datasets.case_ids import OWN_ID_HEADERS, identify, own_id_column
from ragtui.datasets.containers import reading_of
from ragtui.datasets.containers.table import Table
from ragtui.datasets.dataset import Dataset, Role, Shape
from ragtui.datasets.formats import ReadOptions, Sniff, Source
from ragtui.datasets.list_cells import ContextColumns
from ragtui.datasets.near_names import plain_name
from ragtui.datasets.record_reading import columns_of, records_of
from ragtui.datasets.rules import run_rules
from ragtui.datasets.settings import said_roles, with_roles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragtui.datasets.findings import Report

_QUERIES: Final = ("query", "question", "input", "prompt", "user_input", "user_query", "queries", "questions")
_WORDS: Final = {
    Role.ID: OWN_ID_HEADERS,
    Role.INPUT: _QUERIES,
    Role.EXPECTED: (
        "ground_truth", "ground_truths", "ground_truth_answer", "reference", "reference_answer", "gold", "gold_answer",
        "golden_answer", "target", "label", "ideal", "ideal_answer", "correct_answer", "true_answer", "true_answers",
        "truth", "gt_answer", "solution",
    ),
    Role.RESPONSE: (
        "response", "answer", "output", "actual_output", "prediction", "predicted_answer", "predicted_answers",
        "generated_answer", "model_answer", "responses", "answers",
    ),
    Role.CONTEXT: ("context", "contexts", "retrieved_context", "retrieved_contexts", "retrieval_context", "documents", "passages"),
    Role.RETRIEVED_IDS: ("retrieved_ids", "retrieved_document_ids", "document_ids", "doc_ids"),
}  # fmt: skip
_ROLE_OF: Final = {word: role for role, words in _WORDS.items() for word in words}
_STARTS: Final = (
    (re.compile(r"inputs?[._: ]"), Role.INPUT),
    (re.compile(r"(expected|gold|golden|correct)([._: ]|$)"), Role.EXPECTED),
    (re.compile(r"(response|answer|output)_(v?\d+|baseline|candidate|old|new)$"), Role.RESPONSE),
    (re.compile(r"contexts?_(v?\d+|baseline|candidate|old|new)$"), Role.CONTEXT),
)
_NEVER_SENT: Final = re.compile(r"answer|gold|truth|expected|label|score|reference|correct|grade|note|comment")
_FIELDS: Final = ("query", "response", "context", "ground_truth")


@dataclass(frozen=True)
class Cases:
    """A table with the roles of its columns: what the rules about test cases look at."""

    table: Table
    roles: dict[str, Role]

    def having(self, role: Role) -> list[str]:
        return [name for name in self.table.names if self.roles.get(name) is role]

    @property
    def question(self) -> str | None:
        """What a row is named after: its query, else its first input."""
        return question_of(self.table, self.having(Role.INPUT))


class TableFormat:
    """The format of everything tabular that no platform claims for itself."""

    id = "table"
    title = "table of test cases"
    platforms = ("deepset-dataset",)

    def sniff(self, source: Source) -> Sniff | None:
        if source.is_folder:
            return None
        table = reading_of(source).table
        if table is None:
            return None
        roles = guess_roles(table)
        question = question_of(table, [name for name, role in roles.items() if role is Role.INPUT])
        if question is None:
            return None
        others = [name for name in table.names if roles.get(name) in (Role.EXPECTED, Role.RESPONSE)]
        if not others:
            return Sniff(20, f"a table with the input {question}")
        return Sniff(30, f"a table with the input {question} and {roles[others[0]].value} {others[0]}")

    def read(self, source: Source, sniff: Sniff, report: Report, options: ReadOptions) -> list[Dataset]:
        table = records_of(source, report, options)
        if table is None:
            return []
        guessed, said = guess_roles(table), said_roles(options, source)
        cases = Cases(table, {name: said.get(name, role) for name, role in guessed.items()})
        run_rules(cases, report, options.runs)
        run_rules(ContextColumns(table, tuple(cases.having(Role.CONTEXT))), report, options.runs)
        inputs = cases.having(Role.INPUT)
        frame, findings = identify(table, inputs, cases.question, _own_ids(cases))
        report.extend(findings)
        read = Dataset(
            name=source.sheet or source.path.stem, path=source.shown, location=source.path, format=self.id, why=sniff.why,
            shape=Shape.CASES, cases=frame, columns=columns_of(table, guessed),
            fields={field: field for field in _FIELDS if field in table.names}, encoding=table.encoding or None,
            delimiter=table.delimiter, header_line=table.header_line or None, counts={"records": table.height},
        )  # fmt: skip
        return [with_roles(read, said)]


def _own_ids(cases: Cases) -> str | None:
    """The column of the file's own ids: the one that has that role, else the one that is called so."""
    named = own_id_column(cases.table)
    said = [name for name in cases.having(Role.ID) if name != named]
    return said[0] if said and (named is None or cases.roles.get(named) is not Role.ID) else named


def guess_roles(table: Table) -> dict[str, Role]:
    """A role for every column whose header says it; what stands left of the first expected value or response and says
    nothing of the kind is one more input (an office, a date). Everything else is ignored: never sent anywhere."""
    roles: dict[str, Role] = {}
    for header, name in zip(table.headers, table.names, strict=True):
        role = _said_role(header)
        if role is Role.ID and Role.ID in roles.values():
            role = None
        if role is not None and header == name:
            roles[name] = role
    results = [place for place, name in enumerate(table.names) if roles.get(name) in (Role.EXPECTED, Role.RESPONSE)]
    if results and Role.INPUT in roles.values():
        for header, name in list(zip(table.headers, table.names, strict=True))[: results[0]]:
            if name not in roles and header == name and not _NEVER_SENT.search(plain_name(header)):
                roles[name] = Role.INPUT
    return {name: roles.get(name, Role.IGNORED) for name in table.names}


def _said_role(header: str) -> Role | None:
    plain = plain_name(header)
    if plain in _ROLE_OF:
        return _ROLE_OF[plain]
    return next((role for pattern, role in _STARTS if pattern.match(plain)), None)


def question_of(table: Table, inputs: Iterable[str]) -> str | None:
    """The input a row is named after: ``query``, else one of its synonyms, else the first input."""
    by_plain = {plain_name(table.header_of(name)): name for name in inputs}
    return next((by_plain[word] for word in _QUERIES if word in by_plain), next(iter(by_plain.values()), None))


FORMAT: Final = TableFormat()
