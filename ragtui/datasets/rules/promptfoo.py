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


@dataclass(frozen=True)
class PromptfooTests:
    """The tests with each variable as a column of its own; ``question`` is the variable that asks, where one is called so."""

    table: Table
    variables: tuple[str, ...]
    question: str | None


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


@rule(
    "EV303",
    "nothing-asked",
    example="question,__expected with an empty question",
    remedy="write it, or remove the test",
    on=PromptfooTests,
)
def nothing_asked(tests: PromptfooTests) -> Iterator[Finding | More]:
    """A test has no variable, or its question is empty: the prompt is the same for all such tests."""
    import polars as pl

    table = tests.table
    blank = (
        pl.all_horizontal(table.empty(name).fill_null(True) for name in tests.variables)
        if tests.variables
        else pl.lit(True)
    )
    if tests.question is not None:
        blank |= table.empty(tests.question).fill_null(False)
    rows = table.frame.select(blank.alias("blank")).to_series().arg_true().to_list() if table.height else []
    place = "vars" if "vars" in table.names else tests.question or next(iter(tests.variables), None)
    if place is not None:
        hits = ((row, None) for row in rows)
        yield from table.findings("EV303", Level.ERROR, place, hits, lambda _: "nothing is asked in this test")
