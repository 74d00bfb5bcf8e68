"""Rules about promptfoo's tests (codes EV3xx)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ragtui.datasets.containers.table import Table, short
from ragtui.datasets.findings import Finding, Level, More
from ragtui.datasets.rules import rule

MAGIC: Final = re.compile(
    r"__(expected\d*|description|prefix|suffix|metric|threshold|providerOutput|providers|prompts|metadata:.+|config:__expected\d*:.+)"
)


@dataclass(frozen=True)
class PromptfooTable:
    """A table read as promptfoo's tests."""

    table: Table


@rule("EV301", "unknown-magic-column", Level.WARNING, example="__expect", remedy="__expected", on=PromptfooTable)
def unknown_magic(promptfoo: PromptfooTable) -> Iterator[Finding]:
    """A column begins with two underscores but is none of promptfoo's own: it becomes a variable nobody uses, and what it was
    to check is not checked."""
    for header, name in zip(promptfoo.table.headers, promptfoo.table.names, strict=True):
        if header.startswith("__") and not MAGIC.fullmatch(header):
            message = f"{short(header)} is no column promptfoo knows"
            yield promptfoo.table.header_finding("EV301", Level.WARNING, message, name)


@rule("EV302", "nothing-expected", Level.INFO, on=PromptfooTable)
def nothing_expected(promptfoo: PromptfooTable) -> Iterator[Finding | More]:
    """A test has no assertion: whatever the model says passes."""
    table = promptfoo.table
    expected = [name for name in table.names if re.fullmatch(r"__expected\d*", name)]
    if expected:
        import polars as pl

        bare = table.frame.select(pl.all_horizontal(table.empty(name).fill_null(True) for name in expected)).to_series()
        rows = ((row, None) for row in bare.arg_true().to_list())
        yield from table.findings("EV302", Level.INFO, expected[0], rows, lambda _: "nothing is expected of this test")
