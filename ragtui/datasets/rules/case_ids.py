"""Rules about the ids of cases (codes ID2xx): they pair the two sides of a comparison, so they must be unique."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtui.datasets.containers.table import Table
from ragtui.datasets.findings import Finding, Level, More, shown_per_rule
from ragtui.datasets.rules import rule


@rule(
    "ID201",
    "equal-inputs",
    Level.WARNING,
    example="two rows ask the same question with the same filters",
    remedy="remove one row, or give each row an id in a column called id",
)
def equal_inputs(table: Table, line: int, row: int, first: int, case_id: str) -> Finding:
    """Rows without an id of their own are known by what they ask. Two that ask the same cannot be told apart by it, so the
    later ones get -2, -3 and so on: their pairing across files then hangs on their order."""
    message = f"asks the same as line {first}; its case id is {case_id}"
    return Finding("ID201", Level.WARNING, message, line=line, row=row, sheet=table.sheet)


@rule(
    "ID202", "repeated-case-id", Level.ERROR, example="two rows with the id 17", remedy="give each row an id of its own"
)
def repeated_id(table: Table, line: int, row: int, first: int, field: str, own: str, case_id: str) -> Finding:
    """Scores are stored and compared by case id. With one id on two rows a comparison would pair the wrong answers, so
    the later row is renamed with -2, -3 and so on."""
    message = f'id "{own}" is already used at line {first}; this row is called {case_id}'
    return Finding("ID202", Level.ERROR, message, line=line, row=row, field=field, sheet=table.sheet)


def repeated_ids(
    table: Table,
    own: str | None,
    given: Sequence[str | None],
    wanted: Sequence[str],
    unique: Sequence[str],
    lines: Sequence[int],
    rows: Sequence[int],
    inputs: Sequence[str],
) -> Iterator[Finding | More]:
    """A finding for each row whose id another row had before."""
    first: dict[str, int] = {}
    found = {"ID201": 0, "ID202": 0}
    for place, case_id in enumerate(wanted):
        before = first.setdefault(case_id, place)
        if before == place:
            continue
        is_own = bool(given and given[place])
        code = "ID202" if is_own else "ID201"
        if not is_own and not inputs:
            continue  # nothing is known of what they ask: that is the finding, once
        found[code] += 1
        if found[code] > shown_per_rule():
            continue
        line, row, earlier = lines[place], rows[place], lines[before]
        if is_own and own is not None:
            yield repeated_id(table, line, row, earlier, table.header_of(own), case_id, unique[place])
        else:
            yield equal_inputs(table, line, row, earlier, unique[place])
    yield More("ID201", Level.WARNING, max(0, found["ID201"] - shown_per_rule()))
    yield More("ID202", Level.ERROR, max(0, found["ID202"] - shown_per_rule()))
