"""promptfoo tests (CSV with its magic columns, JSON) and results: variables, assertions, outputs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.case_ids import identify
from ragtui.datasets.containers import reading_of
from ragtui.datasets.containers.json_text import value_of
from ragtui.datasets.containers.table import Table, unique_names
from ragtui.datasets.dataset import Dataset, Role, Shape
from ragtui.datasets.formats import ReadOptions, Sniff, Source
from ragtui.datasets.near_names import plain_name
from ragtui.datasets.record_reading import columns_of, records_of
from ragtui.datasets.rules import run_rules
from ragtui.datasets.rules.promptfoo import MAGIC, PromptfooTable, PromptfooTests

if TYPE_CHECKING:
    from ragtui.datasets.findings import Report

_QUERIES: Final = ("query", "question", "input", "user_input", "prompt")
_RESULT_KEYS: Final = {"vars", "response", "promptIdx", "testIdx", "provider"}


class Promptfoo:
    """The format of what ``promptfoo eval`` takes as tests, and of what it writes."""

    id = "promptfoo"
    title = "promptfoo tests or results"
    platforms = ("promptfoo",)

    def sniff(self, source: Source) -> Sniff | None:
        if source.is_folder:
            return None
        table = reading_of(source).table
        if table is None:
            return None
        magic = [header for header in table.headers if MAGIC.fullmatch(header)]
        if magic:
            return Sniff(85, f"promptfoo columns: {', '.join(magic[:3])}")
        kinds = table.kinds.get("vars")
        if table.container in ("json", "jsonl") and kinds is not None and (kinds == "object").any():
            if len(_RESULT_KEYS & set(table.names)) >= 3:
                return Sniff(85, "promptfoo results: vars, response, promptIdx")
            if len(table.names) == 1 or {"assert", "description", "options"} & set(table.names):
                return Sniff(80, "promptfoo tests: vars")
        return None

    def read(self, source: Source, sniff: Sniff, report: Report, options: ReadOptions) -> list[Dataset]:
        table = records_of(source, report, options)
        if table is None:
            return []
        run_rules(PromptfooTable(table), report, options.runs)
        table = _with_variables(table)
        roles = {name: _role(table, name) for name in table.names}
        inputs = [name for name, role in roles.items() if role is Role.INPUT]
        by_plain = {plain_name(name): name for name in reversed(inputs)}
        asking = next((by_plain[word] for word in _QUERIES if word in by_plain), None)
        question = asking or next(iter(inputs), None)
        run_rules(PromptfooTests(table, tuple(inputs), asking), report, options.runs)
        own = "id" if "id" in table.names and "vars" in table.names and "promptIdx" not in table.names else None
        frame, findings = identify(table, inputs or list(table.names), question, own)
        report.extend(findings)
        fields = {"query": question} if question else {}
        fields |= {
            wanted: name
            for wanted, name in (("context", "context"), ("response", "response.output"))
            if name in table.names
        }
        expected = next((name for name in ("__expected", "assert") if name in table.names), None)
        fields |= {"ground_truth": expected} if expected and _is_plain_text(frame[expected].to_list()) else {}
        return [
            Dataset(
                name=source.path.stem, path=source.shown, location=source.path, format=self.id, why=sniff.why, shape=Shape.CASES,
                cases=frame, columns=columns_of(table, roles), fields=fields, encoding=table.encoding,
                delimiter=table.delimiter, header_line=table.header_line or None, counts={"records": table.height},
            )
        ]  # fmt: skip


FORMAT: Final = Promptfoo()


def _role(table: Table, name: str) -> Role:
    if name.startswith("__expected") or name == "assert":
        return Role.EXPECTED
    if name == "response.output":
        return Role.RESPONSE
    if "vars" in table.names:
        return Role.INPUT if name in table.facts.get("variables", ()) else Role.IGNORED  # type: ignore[operator]
    return Role.IGNORED if name.startswith("__") else Role.CONTEXT if plain_name(name) == "context" else Role.INPUT


def _with_variables(table: Table) -> Table:
    """The table with each variable, and the output of a result, as a column of its own."""
    if "vars" not in table.names:
        return table
    import polars as pl

    rows = [_object(cell) for cell in table.frame["vars"].to_list()]
    variables = [key for key in dict.fromkeys(key for row in rows for key in row) if key not in table.names]
    added = {key: [_text(row.get(key)) for row in rows] for key in variables}
    if "response" in table.names and "promptIdx" in table.names:
        added["response.output"] = [_text(_object(cell).get("output")) for cell in table.frame["response"].to_list()]
    names = unique_names([*table.headers, *added])[len(table.names) :]
    frame = table.frame.with_columns(
        pl.Series(name, values, dtype=pl.String) for name, values in zip(names, added.values(), strict=True)
    )
    facts = {**table.facts, "variables": tuple(names[: len(variables)])}
    return replace(table, frame=frame, headers=(*table.headers, *added), names=(*table.names, *names), facts=facts)


def _object(cell: Any) -> dict[str, Any]:
    try:
        value = value_of(cell) if isinstance(cell, str) else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_plain_text(cells: list[Any]) -> bool:
    """Whether expected cells are the answers themselves, not assertions such as ``contains:x``."""
    filled = [cell for cell in cells if isinstance(cell, str) and cell.strip()]
    return bool(filled) and not any(re.match(r"(not-)?[a-z][a-z-]+(\([^)]*\))?:|\[|\{", cell) for cell in filled)
