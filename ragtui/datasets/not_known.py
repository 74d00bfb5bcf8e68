"""Why a file, or each sheet of a workbook, is no dataset: as far as that can be said, with what would make it one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from ragtui.datasets.findings import Level
from ragtui.datasets.formats import Source

_NAMED: Final = 5  # sheets that are named


def no_sheet_known(path: str, why_not: Mapping[str, str]) -> str:
    """Why none of a workbook's sheets is a dataset, by sheet."""
    told = [f"sheet {sheet!r}: {why}" for sheet, why in why_not.items()]
    if len(told) == 1:
        return f"{path}, {told[0]}"
    more = f"; and {len(told) - _NAMED:,} more" if len(told) > _NAMED else ""
    return f"{path}: none of its {len(told):,} sheets is a dataset; {'; '.join(told[:_NAMED])}{more}"


def nobody_knows(source: Source) -> str:
    """Why no format takes a file, as far as can be said."""
    from ragtui.datasets.containers import reading_of
    from ragtui.datasets.other_kinds import other_kind

    if source.is_folder:
        return "no dataset ragtui knows"
    if (kind := other_kind(source.path)) is not None:
        return kind
    reading = reading_of(source)
    table = reading.table
    errors = sorted(
        (finding for finding in reading.report.findings if finding.level is Level.ERROR),
        key=lambda finding: finding.code.startswith("TEXT"),  # of bytes that are no JSON the encoding matters least
    )
    told = f"line {errors[0].line}: {errors[0].message}" if errors and errors[0].line else ""
    told = told or (errors[0].message if errors else "")
    if table is None:
        return told or "not a dataset ragtui knows (neither CSV, JSON, JSONL nor XLSX)"
    headers = ", ".join(repr(header) for header in table.headers[:8] if header)
    if not headers:
        return (table.container.startswith("json") and told) or "not a dataset ragtui knows: it has no named columns"
    twice = [header for header, count in Counter(filter(None, table.headers)).items() if count > 1]
    if twice and not told:
        told = f"more than once in the header: {', '.join(map(repr, twice[:8]))}; rename all but one of each"
    if table.container == "jsonl" and table.frame.height == 1 and errors and errors[0].code == "JSON010":
        return f"{told}; if it is one document, name it .json (its keys are {headers})"
    return f"not a dataset ragtui knows; its columns are {headers}; name its format with --format (table takes any)" + (
        f"; {told}" if told else ""
    )
