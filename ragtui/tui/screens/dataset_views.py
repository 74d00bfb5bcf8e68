"""How datasets and findings look: the frames and passages that the Datasets pane shows."""

from __future__ import annotations

import json
import os
import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ragtui.text import cell, storable
from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.table_column import Painted, TableColumn

if TYPE_CHECKING:
    import polars as pl

    from ragtui.datasets.findings import Finding
    from ragtui.tui.opened import OpenDataset

_LAID_OUT: Final = 1 << 20  # characters of JSON that are laid out
MARKS: Final = {"error": ("✗", "bad"), "warning": ("!", "warn"), "info": ("i", "dim")}


def _line(values: Sequence[Any]) -> Painted:
    return (f"{values[0]}" if values[0] else "–"), "dim"


def _level(values: Sequence[Any]) -> Painted:
    return MARKS.get(values[0], ("", ""))


def _faults(values: Sequence[Any]) -> Painted:
    errors, warnings, infos, kind = values
    if kind == "failed":
        return "✗", "bad"
    if errors is None:
        return "", ""
    shown = [f"{n:,}{mark}" for n, mark in ((errors, "✗"), (warnings, "!"), (infos, "i")) if n]
    return " ".join(shown) or "✓", "bad" if errors else "warn" if warnings else "dim" if infos else "good"


def _rows(values: Sequence[Any]) -> Painted:
    return ("" if values[0] is None else f"{values[0]:,}"), ""


def _dataset_name(values: Sequence[Any]) -> Painted:
    return cell(values[0]), "bad" if values[1] == "failed" else "dim" if values[1] == "part" else ""


LIST_COLUMNS: Final = (
    TableColumn("name", "name", ("kind",), _dataset_name, grow=True, most=60),
    TableColumn("format", "format", most=18),
    TableColumn("rows", "rows", paint=_rows, right=True),
    TableColumn("errors", "findings", ("warnings", "infos", "kind"), _faults, searched=False),
)


def list_frame(datasets: Sequence[OpenDataset]) -> pl.DataFrame:
    """One row a dataset, and under a retrieval set one a part: ``dataset`` is its number, ``part`` the part's key."""
    import polars as pl

    rows: list[dict[str, Any]] = []
    names = shown_names(datasets)
    for number, each in enumerate(datasets):
        known = each.dataset
        kind = "failed" if each.failure else "reading" if known is None else "dataset"
        row = {"dataset": number, "part": "", "name": names[number], "kind": kind, "format": "reading …"}
        if each.reading is not None and known is not None:
            levels = _levels(each)
            row |= {"format": f"reading {each.reading.portion:.0%}", "kind": "reading"}
            row |= {"errors": levels["error"] or None, "warnings": levels["warning"], "infos": levels["info"]}
        elif known is not None or each.failure:
            levels = _levels(each)
            row |= {"format": _format(each), "rows": known.rows if known and each.is_whole else None}
            row |= {"errors": levels["error"], "warnings": levels["warning"], "infos": levels["info"]}
        rows.append(row)
        parts = list(frames_of(each).items())
        if len(parts) > 1:
            last = len(parts) - 1
            for i, (title, frame) in enumerate(parts):
                name = f"{'└' if i == last else '├'} {title}"
                part = {"dataset": number, "part": title, "name": name, "kind": "part", "format": ""}
                rows.append({**part, "rows": frame.height if each.is_whole else None})
    schema = {
        "dataset": pl.UInt32, "part": pl.String, "name": pl.String, "kind": pl.String, "format": pl.String,
        "rows": pl.Int64, "errors": pl.Int64, "warnings": pl.Int64, "infos": pl.Int64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema)


def _levels(opened: OpenDataset) -> dict[str, int]:
    levels = dict.fromkeys(MARKS, 0)
    for (_, level), n in opened.counts.items():
        levels[level] += n
    return levels


def _format(opened: OpenDataset) -> str:
    """A dataset's format, or what there is to be said of it before that."""
    if opened.dataset is None:
        return "cannot be read"
    if opened.is_beginning:
        return "first rows only"
    return "changed on disk" if opened.changed else opened.dataset.format


def so_far(opened: OpenDataset) -> str:
    """That more may be found, where not all is read."""
    return "so far" if opened.reading is not None else "in what was read" if opened.is_beginning else ""


def no_findings(opened: OpenDataset) -> str:
    """What stands in the place of findings."""
    if opened.failure or opened.dataset is None:
        return ""
    return "nothing is wrong that we know of" if opened.is_whole else "nothing found so far"


def shown_names(datasets: Sequence[OpenDataset]) -> list[str]:
    """Names as they are listed; equal ones say in which folder they lie."""
    often = Counter(each.name for each in datasets)
    folders = [os.path.dirname(os.path.normpath(each.dataset.path if each.dataset else each.path)) for each in datasets]
    return [
        f"{each.name}  in {folder or '.'}" if often[each.name] > 1 and each.dataset is not None else each.name
        for each, folder in zip(datasets, folders, strict=True)
    ]


def frames_of(opened: OpenDataset) -> dict[str, pl.DataFrame]:
    """The tables of a dataset by their titles; one for cases, several for a retrieval set."""
    known = opened.dataset
    if known is None:
        return {}
    if known.cases is not None:
        return {"cases": known.cases}
    named = {"queries": known.queries, "corpus": known.corpus, "judgments": known.qrels}
    named |= {f"run {name}": frame for name, frame in known.runs.items()}
    return {title: frame for title, frame in named.items() if frame is not None}


def row_columns(opened: OpenDataset, part: str, frame: pl.DataFrame) -> list[TableColumn]:
    """The columns of the preview: the line first, then the file's columns in their order, with their roles."""
    known = opened.dataset
    line = next((name for name in ("_line", "line") if name in frame.columns), None)
    columns = [TableColumn(line, "line", paint=_line, right=True, searched=False)] if line else []
    if known is not None and part in ("", "cases"):
        for column in sorted(known.columns, key=lambda each: each.position):
            if column.name in frame.columns:
                columns.append(TableColumn(column.name, cell(column.name), most=44))
    else:
        hidden = {"offset", line}
        columns += [TableColumn(name, cell(name), most=60) for name in frame.columns if name not in hidden]
    return columns


def no_rows() -> pl.DataFrame:
    """What stands in the place of rows that could not be read."""
    import polars as pl

    return pl.DataFrame()


def failure_lines(opened: OpenDataset, width: int = 40, *, remedy_first: bool = False) -> str:
    """Why a dataset cannot be read, in lines that a narrow part has room for; empty where it can be. With ``remedy_first``
    what to do stands above the reason, for a part with few lines."""
    if not opened.failure:
        return ""
    if remedy_first:
        reason, _, remedy = opened.failure.rpartition("; ")
        parts = [part for part in (remedy, reason) if part]
        return "\n".join(line for part in parts for line in textwrap.wrap(cell(part), width))
    return "\n".join(["cannot be read ✗", *textwrap.wrap(cell(opened.failure), width)])


# Findings

RULE_COLUMNS: Final = (
    TableColumn("level", "", paint=_level, width=1, searched=False),
    TableColumn("code", "rule", ("level",), lambda values: (cell(values[0]), MARKS.get(values[1], ("", "strong"))[1])),
    TableColumn("count", "rows", paint=_rows, right=True, searched=False),
    TableColumn("name", "what", grow=True, most=60),
)


def rule_frame(opened: OpenDataset, names: dict[str, str]) -> pl.DataFrame:
    """One row a rule that found something, the worst level first, then the most frequent; all together above."""
    import polars as pl

    rank = {level: i for i, level in enumerate(MARKS)}
    found = sorted(opened.counts.items(), key=lambda item: (rank[item[0][1]], -item[1], item[0][0]))
    rows = [(level, code, n, names.get(code, "")) for (code, level), n in found]
    if len(rows) > 1:
        rows.insert(0, ("", "all", sum(row[2] for row in rows), "everything found"))
    return pl.DataFrame(rows, schema=["level", "code", "count", "name"], orient="row")


def finding_columns(findings: Sequence[Finding], wide: bool) -> list[TableColumn]:
    columns = [TableColumn("level", "", paint=_level, width=1, searched=False)]
    if len({finding.file for finding in findings}) > 1:
        columns.append(TableColumn("file", "file", most=20))
    columns.append(TableColumn("line", "line", paint=_line, right=True))
    if wide and any(finding.field for finding in findings):
        columns.append(TableColumn("field", "field", most=18))
    return [*columns, TableColumn("message", "message", grow=True, most=400)]


def in_line_order(findings: Sequence[Finding]) -> list[Finding]:
    """Findings as one reads the files: file by file, each from its top."""
    return sorted(findings, key=lambda finding: (finding.file, finding.line, finding.column, finding.code))


def finding_frame(findings: Sequence[Finding]) -> pl.DataFrame:
    import polars as pl

    # Files of one folder are told apart by their names; the folder is in the title.
    folder = os.path.commonpath([os.path.dirname(f.file) for f in findings]) if findings else ""
    rows = [
        (
            f.level.value,
            f.code,
            storable(os.path.relpath(f.file, folder) if folder else f.file),
            f.line,
            None if f.field is None else storable(f.field),
            ("[*] " if f.fixable else "") + storable(f.message),
        )
        for f in findings
    ]
    schema = {
        "level": pl.String, "code": pl.String, "file": pl.String, "line": pl.Int64, "field": pl.String,
        "message": pl.String,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def about(opened: OpenDataset, ready: dict[str, tuple[bool, str]] | None) -> Passage:
    """A dataset described: what it was taken for and why, what it is ready for, its columns and their roles."""
    passage, known = Passage(), opened.dataset
    if opened.failure:
        passage.line(("cannot be read", "bad"))
        passage.text(opened.failure)
    if known is None:
        return passage
    passage.line((known.format, "strong"), (f"  {known.why}", "dim"))
    written = [known.encoding or "", f"delimiter {known.delimiter!r}" if known.delimiter else ""]
    written.append(f"header on line {known.header_line}" if known.header_line else "")
    passage.line((str(known.location), ""), hang=2)
    if any(written):
        passage.line((" · ".join(part for part in written if part), "dim"))
    for name, n in known.counts.items() if opened.is_whole else ():
        passage.line((f"{n:>9,} ", "strong"), (name.replace("_", " "), ""))
    if opened.changed:
        passage.line(("changed on disk since it was read; r reads it again", "warn"))
    if ready is None and opened.is_whole:
        passage.heading("Ready for")
        passage.line(("judging …", "dim"))
    if ready:
        passage.heading("Ready for")
        _readiness(passage, ready)
    if known.columns:
        passage.heading("Columns and roles")
        width = min(24, max(len(column.name) for column in known.columns))
        for column in sorted(known.columns, key=lambda each: each.position):
            share = f"{column.filled:,} of {known.rows:,} filled" if column.filled < known.rows else "all filled"
            tone = "dim" if column.role.value == "ignored" else "cool"
            passage.line((f"{column.name:<{width}}  ", ""), (f"{column.role.value:<13}", tone), (share, "dim"), hang=2)
    if opened.notes:
        passage.heading("Passed over")
        for note in opened.notes:
            passage.text(note)
    if known.fields:
        passage.heading("Fields of the format")
        for name, column_name in known.fields.items():
            passage.line((f"{name:<14}", "cool"), (column_name, ""))
    return passage


def _readiness(passage: Passage, ready: dict[str, tuple[bool, str]]) -> None:
    """The platforms that take it, those that would stumble and over what, and in one line those of other formats."""
    foreign = [platform for platform, (yes, why) in ready.items() if not yes and "does not load this format" in why]
    shown = {platform: said for platform, said in ready.items() if platform not in foreign}
    width = max((len(platform) for platform in shown), default=0) + 2
    for platform, (yes, why) in sorted(shown.items(), key=lambda item: (not item[1][0], item[0])):
        mark, tone = ("✓ ", "good") if yes else ("✗ ", "bad")
        passage.line((mark, tone), (f"{platform:<{width}}", "strong"), (why, "dim"), hang=width + 2)
    if foreign:
        passage.line(("– another format for ", "dim"), (", ".join(foreign), "dim"), hang=2)


def place_of(finding: Finding, frames: dict[str, pl.DataFrame]) -> tuple[str, int] | None:
    """Which table and which of its rows a finding speaks of; ``None`` if it speaks of the whole file."""
    if finding.line <= 0:
        return None
    title = _part_of(finding.file, list(frames))
    if title is None:
        return None
    frame = frames[title]
    lines = frame[next((name for name in ("_line", "line") if name in frame.columns), frame.columns[0])]
    if lines.dtype.is_numeric() is False or len(lines) == 0:
        return None
    # A record may run over several lines: the one that begins last, but not after the finding.
    row = (
        int(lines.search_sorted(finding.line, side="right")) - 1
        if lines.is_sorted()
        else lines.eq(finding.line).arg_max()
    )
    return (title, row) if row is not None and row >= 0 else None


_HELD_AS: Final = {
    "_id": ("doc_id", "query_id"), "query-id": ("query_id",), "corpus-id": ("doc_id",), "score": ("grade", "score"),
}  # fmt: skip


def column_of(field: str | None, shown: Sequence[str]) -> str | None:
    """The column that shows a finding's field, which retrieval sets hold under names of their own."""
    names = [] if field is None else [field, *_HELD_AS.get(field, ())]
    return next((name for name in names if name in shown), None)


def _part_of(file: str, titles: list[str]) -> str | None:
    if len(titles) == 1:
        return titles[0]
    stem = file.rsplit("/", 1)[-1]
    for title in titles:
        word = "qrels" if title == "judgments" else title.removeprefix("run ")
        if word in file or word == stem:
            return title
    return None


def row_passage(title: str, frame: pl.DataFrame, row: int, names: Sequence[str]) -> Passage:
    """One row whole, a heading a column."""
    passage = Passage()
    for name in names:
        value = frame.item(row, name)
        passage.heading(name, note="" if value is not None else "empty", place=name)
        if value is None:
            continue
        if isinstance(value, str):
            passage.text(_laid_out(value))
        elif hasattr(value, "to_list"):
            for number, item in enumerate(value.to_list(), 1):
                passage.line((f"{number}", "accent"))
                passage.text(str(item), indent=2)
        else:
            passage.text(str(value))
    return passage


def _laid_out(text: str) -> str:
    """The text of a JSON object or array, as of a trace or a conversation, on lines of its own; any other as it is."""
    if text[:1] not in ("{", "[") or len(text) > _LAID_OUT:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    deep = isinstance(value, (dict, list)) and any(map(bool, value))
    return json.dumps(value, ensure_ascii=False, indent=2) if deep else text


def rule_passage(code: str, rule: Any) -> Passage:
    """A rule explained: what, an example, the remedy."""
    passage = Passage()
    passage.line((code, "strong"), (f"  {rule.name}", "title"))
    passage.gap()
    passage.text(rule.explanation)
    if rule.example:
        passage.heading("Example")
        passage.text(rule.example)
    if rule.remedy:
        passage.heading("Remedy")
        passage.text(rule.remedy)
    return passage
