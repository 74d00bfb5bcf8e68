"""Rules about deepset's evaluation CSVs: columns, values, offsets, filters, and what deepset advises."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from ragtui.datasets.containers.table import LINE, short
from ragtui.datasets.filters import FiltersError, parse_filters
from ragtui.datasets.findings import Edit, Finding, Level, More, counted, shown_per_rule
from ragtui.datasets.formats.deepset import LABELS, OFFSETS, QA, QUESTION, RAG, RETRIEVAL, DeepsetTable
from ragtui.datasets.near_names import plain_name
from ragtui.datasets.offsets import Diagnosis, diagnose
from ragtui.datasets.rules import rule

if TYPE_CHECKING:
    import polars as pl

_DEEPSET: Final = ("deepset",)
_REQUIRED: Final = {
    QA: ("text", "context", "answer_start", "answer_end"),
    RETRIEVAL: ("text", "context"),
    RAG: LABELS,
}
_EMPTY: Final = {QA: (), RETRIEVAL: ("text",), RAG: LABELS}


@rule("DS101", "no-question-column", Level.ERROR, remedy="name the column of questions question", on=DeepsetTable)
def no_question_column(labels: DeepsetTable) -> Iterator[Finding]:
    """A deepset evaluation set needs a column named question (query is accepted too). Without it there is nothing to ask."""
    if labels.question is None:
        columns = ", ".join(short(header, 30) for header in labels.table.headers[:12])
        yield labels.table.header_finding("DS101", Level.ERROR, f"no column named question; columns are: {columns}")


@rule(
    "DS102",
    "near-header",
    Level.ERROR,
    fix="either",
    example='" Question " for "question"',
    remedy="write the header exactly as deepset names it",
    on=DeepsetTable,
)
def near_headers(labels: DeepsetTable) -> Iterator[Finding]:
    """A header is nearly one that deepset knows: other capitals, spaces, a letter off. deepset ignores columns it does not
    know, so that the labels are lost; here the column is read as what it was meant to be."""
    table = labels.table
    for wanted, name in labels.columns.items():
        header = table.header_of(name)
        if header == wanted:
            continue
        message = f'header "{short(header)}" should be "{wanted}"; it is read as that'
        same = plain_name(header) == wanted
        position = table.names.index(name)
        fix = table.places.edit(table.header_line, position, wanted, same) if table.places else ()
        yield table.header_finding("DS102", Level.ERROR, message, name, fix)


@rule(
    "DS103",
    "columns-missing",
    Level.WARNING,
    example="a RAG set with the column question alone",
    remedy="add the columns and leave them empty, or let `ragtui convert FILE NEW.csv --to deepset-rag` write them",
    platforms=_DEEPSET,
    on=DeepsetTable,
)
def missing_columns(labels: DeepsetTable) -> Iterator[Finding]:
    """deepset wants columns to be there even where they stay empty: a RAG set needs text, context, file_name, answer_start,
    answer_end and filters beside question. There is no fix: it would change every line; `ragtui convert` writes a whole set."""
    there = {*labels.columns, *labels.table.repeated()}
    missing = [wanted for wanted in _REQUIRED[labels.kind] if wanted not in there]
    if missing:
        message = f"{'column' if len(missing) == 1 else 'columns'} missing for {labels.kind}: {', '.join(missing)}"
        yield labels.table.header_finding("DS103", Level.WARNING, message)


@rule(
    "DS104",
    "column-not-empty",
    Level.WARNING,
    example="answers in the text column of a document retrieval set",
    remedy="empty the column, or use the format whose column it is",
    platforms=_DEEPSET,
    on=DeepsetTable,
)
def filled_columns(labels: DeepsetTable) -> Iterator[Finding]:
    """A column that deepset expects to be empty in this kind of set holds values. Filters and, where file names are matched,
    file_name may be filled."""
    allowed = {"filters", "file_name"} if labels.matches_files else {"filters"}
    for wanted in _EMPTY[labels.kind]:
        count = labels.filled.get(wanted, 0)
        if count and wanted not in allowed:
            message = f"{wanted} holds values in {count:,} of {counted(labels.table.height, 'row')}; {labels.kind} leaves it empty"
            yield labels.table.header_finding("DS104", Level.WARNING, message, labels.columns[wanted])


@rule("DS105", "columns-ignored", Level.INFO, example="answer_category, document_id", on=DeepsetTable)
def ignored_columns(labels: DeepsetTable) -> Iterator[Finding]:
    """deepset ignores columns it does not know. They do no harm; if one of them should count, its name is wrong."""
    table = labels.table
    known = {*labels.columns.values(), *(each for each in QUESTION if each in table.names)}
    repeated = table.repeated()
    ignored = [
        header
        for header, name in zip(table.headers, table.names, strict=True)
        if name not in known and header.strip() and header not in repeated
    ]
    if ignored:
        message = f"deepset ignores {', '.join(short(header, 30) for header in ignored[:12])}"
        yield table.header_finding("DS105", Level.INFO, message)


@rule("DS106", "labels-in-workbook", Level.WARNING, remedy="save the sheet as CSV", platforms=_DEEPSET, on=DeepsetTable)
def in_workbook(labels: DeepsetTable) -> Iterator[Finding]:
    """The labels are in a workbook. They are read here; deepset takes evaluation sets as CSV only."""
    if labels.table.container == "xlsx":
        yield labels.table.header_finding(
            "DS106", Level.WARNING, "deepset takes evaluation sets as CSV, not as a workbook"
        )


@rule("DS201", "question-empty", Level.ERROR, remedy="write the question, or remove the row", on=DeepsetTable)
def empty_question(labels: DeepsetTable) -> Iterator[Finding | More]:
    """The question is the one thing that every row must have."""
    if labels.question is not None:
        yield from _empty_cells(labels, "DS201", labels.question, "question is empty")


@rule("DS202", "label-empty", Level.ERROR, remedy="fill the cell, or remove the row", on=DeepsetTable)
def empty_labels(labels: DeepsetTable) -> Iterator[Finding | More]:
    """A question answering row needs the answer in text and what stands around it in context; a document retrieval row
    needs the context. Without them the row can never count as answered."""
    needed = {QA: ("text", "context"), RETRIEVAL: ("context",), RAG: ()}[labels.kind]
    for wanted in needed:
        if wanted in labels.columns and labels.filled[wanted] < labels.table.height:
            yield from _empty_cells(labels, "DS202", labels.columns[wanted], f"{wanted} is empty")


def _empty_cells(labels: DeepsetTable, code: str, name: str, message: str) -> Iterator[Finding | More]:
    hits = labels.table.rows_where(labels.table.empty(name), name)
    yield from labels.table.findings(code, Level.ERROR, name, hits, lambda _: message)


@rule(
    "DS301",
    "offsets-wrong",
    Level.ERROR,
    fix="either",
    example="answer_start 18 where the answer starts at 19",
    remedy="put the offsets in that slice to the text",
    on=DeepsetTable,
)
def wrong_offsets(labels: DeepsetTable) -> Iterator[Finding | More]:
    """answer_start and answer_end (exclusive) count the characters of context. Where the slice is not the text, the answer
    is cut or something else altogether, and exact match, F1 and highlighting go wrong without a word. The message says what
    the slice is, why, and which offsets are right."""
    spans = _failing_spans(labels)
    if spans is None:
        return
    causes: Counter[str] = Counter()
    for index, start, end, text, context in islice(spans.iter_rows(), shown_per_rule()):
        found = diagnose(text, context, start, end)
        if found is not None:
            causes[found.cause] += 1
            yield _offset_finding(labels, index, found)
    if spans.height > shown_per_rule():
        yield More("DS301", Level.ERROR, spans.height - shown_per_rule())
    for cause, unit in (("utf-16", "UTF-16 units (an emoji is two)"), ("bytes", "UTF-8 bytes")):
        if causes[cause] and causes[cause] == causes.total():
            yield _counted_otherwise(labels, causes[cause], unit)


def _offset_finding(labels: DeepsetTable, index: int, found: Diagnosis) -> Finding:
    table = labels.table
    name = labels.columns["answer_start"]
    fix: tuple[Edit, ...] = ()
    if found.right is not None and table.places is not None:
        line = int(table.frame[LINE][index])
        fix = tuple(
            edit
            for wanted, value in zip(OFFSETS, found.right, strict=True)
            for edit in table.places.edit(line, table.names.index(labels.columns[wanted]), str(value), found.safe)
        )
    return table.finding("DS301", Level.ERROR, found.says, index, name, fix)


@rule(
    "DS302",
    "offset-not-a-number",
    Level.ERROR,
    example="answer_start: five",
    remedy="write a whole number",
    on=DeepsetTable,
)
def offset_not_a_number(labels: DeepsetTable) -> Iterator[Finding | More]:
    """An offset must be a whole number, the first character being 0."""
    for wanted in OFFSETS:
        if (name := labels.columns.get(wanted)) is not None and labels.kind == QA:
            bad = ~labels.table.empty(name) & ~_stripped(name).str.contains(r"^[+-]?[0-9]{1,15}(\.0*)?$")
            hits = (
                (row, f'{wanted} is "{short(cell)}", not a whole number' + _too_large(cell))
                for row, cell in labels.table.rows_where(bad, name)
            )
            yield from labels.table.findings("DS302", Level.ERROR, name, hits, str)


def _too_large(cell: object) -> str:
    return " that a text can be long" if re.fullmatch(r"[+-]?[0-9]+(\.0*)?", str(cell).strip()) else ""


@rule("DS303", "offset-written-as-decimal", Level.WARNING, fix="safe", example="4.0", remedy="write 4", on=DeepsetTable)
def decimal_offset(labels: DeepsetTable) -> Iterator[Finding | More]:
    """An offset is written as 4.0, as table programs do with columns that have gaps. It is read as 4; strict readers of
    whole numbers refuse it."""
    table = labels.table
    names = [labels.columns[wanted] for wanted in OFFSETS if wanted in labels.columns]
    if len(names) < 2 or labels.kind != QA:
        return
    decimal = [_stripped(name).str.contains(r"^[+-]?[0-9]+\.0*$") for name in names]
    shown = 0
    for index, _ in table.rows_where(decimal[0] | decimal[1], names[0]):
        shown += 1
        if shown > shown_per_rule():
            continue
        row = [str(table.frame[name][index]) for name in names]
        written, name = next((cell, each) for cell, each in zip(row, names, strict=True) if "." in cell)
        line = int(table.frame[LINE][index])
        fix = tuple(
            edit
            for cell, each in zip(row, names, strict=True)
            if "." in cell and table.places is not None
            for edit in table.places.edit(line, table.names.index(each), _whole(cell))
        )
        message = f"offset written as '{short(written.strip())}'; read as {_whole(written)}"
        yield table.finding("DS303", Level.WARNING, message, index, name, fix)
    yield More("DS303", Level.WARNING, max(0, shown - shown_per_rule()))


def _whole(cell: str) -> str:
    return cell.strip().split(".")[0]


@rule("DS304", "offset-missing", Level.ERROR, remedy="fill both offsets", on=DeepsetTable)
def missing_offset(labels: DeepsetTable) -> Iterator[Finding | More]:
    """A question answering label needs both offsets; with one or none the answer has no place in its context."""
    if labels.kind != QA:
        return
    for wanted in OFFSETS:
        name = labels.columns.get(wanted)
        if name is not None and labels.filled[wanted] < labels.table.height:
            yield from _empty_cells(labels, "DS304", name, f"{wanted} is empty")


@rule("DS305", "offsets-in-another-unit", Level.INFO, remedy="apply the fixes of DS301")
def _counted_otherwise(labels: DeepsetTable, count: int, unit: str) -> Finding:
    """Every wrong span of the file is right when one counts as another program does: browsers and Java count UTF-16 units,
    some exports count bytes. Then it is one fault of one tool, not many of people."""
    rows = "the one failing row fits" if count == 1 else f"all {count:,} failing rows fit"
    return Finding("DS305", Level.INFO, f"{rows} when offsets are counted in {unit}", line=0, sheet=labels.table.sheet)


@rule(
    "DS401", "filters-not-json", Level.ERROR, example="{dept: fares}", remedy='write {"dept": "fares"}', on=DeepsetTable
)
def bad_filters(labels: DeepsetTable) -> Iterator[Finding | More]:
    """The filters cell must hold a JSON object, {"key": "value"}. A row whose filters cannot be read would be searched
    without them."""
    name = labels.columns.get("filters")
    if name is not None:
        found = ((index, why) for index, why, _ in _filters(labels, name) if why)
        yield from labels.table.findings(
            "DS401", Level.ERROR, name, found, lambda why: f"filters are not a JSON object: {why}"
        )


@rule(
    "DS402",
    "filter-key-repeated",
    Level.WARNING,
    fix="safe",
    example='{"lang": "en", "lang": "de"}',
    remedy='write the values as a list: {"lang": ["en", "de"]}',
    on=DeepsetTable,
)
def repeated_filters(labels: DeepsetTable) -> Iterator[Finding | More]:
    """A key stands twice in the filters. deepset's own example does so, but an ordinary JSON reader keeps the last value and
    loses the first in silence. Here all values are kept, as a list."""
    name = labels.columns.get("filters")
    if name is not None:
        cells = labels.table.frame[name]
        for index, _, keys in islice((each for each in _filters(labels, name) if each[2]), shown_per_rule()):
            text = json.dumps(parse_filters(cells[index]).values, ensure_ascii=False)
            fix = labels.table.cell_fix(index, name, text)
            yield labels.table.finding("DS402", Level.WARNING, _repeated_message(keys), index, name, fix)
        total = sum(1 for *_, keys in _filters(labels, name) if keys)
        yield More("DS402", Level.WARNING, max(0, total - shown_per_rule()))


def _repeated_message(keys: tuple[str, ...]) -> str:
    told = ", ".join(f'"{short(key, 30)}"' for key in keys[:5])
    return f"filter key {told} is given more than once; all its values are kept, most readers keep the last"


def _filters(labels: DeepsetTable, name: str) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Per filled cell: row, why it cannot be read (or ""), keys given more than once. Equal cells are read once."""
    known: dict[str, tuple[str, tuple[str, ...]]] = {}
    for cell in labels.table.frame[name].unique().drop_nulls():
        try:
            known[cell] = "", parse_filters(cell).repeated
        except FiltersError as error:
            known[cell] = str(error), ()
    if any(why or repeated for why, repeated in known.values()):
        for index, cell in labels.table.rows_where(~labels.table.empty(name), name):
            yield index, *known[cell]


@rule("DS501", "context-short", Level.WARNING, platforms=_DEEPSET, advice=True, on=DeepsetTable)
def short_contexts(labels: DeepsetTable) -> Iterator[Finding | More]:
    """deepset matches a label's context to documents approximately, and contexts under 100 characters never match. Such a
    label counts as not found whatever the pipeline returns."""
    name = labels.columns.get("context")
    if name is not None and labels.kind != RAG:
        length = labels.table.text(name).str.strip_chars().str.len_chars()
        hits = labels.table.rows_where((length > 0) & (length < 100), name)
        message = "context has {} characters; under 100 deepset cannot match it to a document"
        yield from labels.table.findings(
            "DS501", Level.WARNING, name, hits, lambda text: message.format(len(text.strip()))
        )


@rule("DS502", "few-questions", Level.WARNING, platforms=_DEEPSET, advice=True, on=DeepsetTable)
def few_questions(labels: DeepsetTable) -> Iterator[Finding]:
    """deepset advises 50 questions or more; with fewer, a difference between two pipelines is mostly chance."""
    if labels.question is not None and labels.table.height:
        questions = labels.table.frame[labels.question].n_unique()
        if questions < 50:
            yield labels.table.header_finding(
                "DS502", Level.WARNING, f"{counted(questions, 'question')}; deepset advises 50 or more"
            )


def _stripped(name: str) -> pl.Expr:
    import polars as pl

    return pl.col(name).str.strip_chars()


def _failing_spans(labels: DeepsetTable) -> pl.DataFrame | None:
    """``index, start, end, text, context`` of the rows whose two whole offsets do not slice to the text."""
    import polars as pl

    needed = ("text", "context", *OFFSETS)
    if labels.kind != QA or any(wanted not in labels.columns for wanted in needed):
        return None
    text, context, start, end = (labels.columns[wanted] for wanted in needed)
    whole = [_stripped(name).str.extract(r"^\+?(-?[0-9]{1,15})(?:\.0*)?$").cast(pl.Int64) for name in (start, end)]
    spans = (
        labels.table.frame.lazy()
        .select(
            pl.int_range(pl.len()).alias("index"),
            whole[0].alias("start"),
            whole[1].alias("end"),
            pl.col(text).alias("text"),
            pl.col(context).alias("context"),
        )
        .filter(pl.col("start").is_not_null() & pl.col("end").is_not_null() & (pl.col("text").str.len_bytes() > 0))
    )
    length = pl.col("end") - pl.col("start")
    inside = (pl.col("start") >= 0) & (length >= 0)

    def fits(context: pl.Expr, text: pl.Expr) -> pl.Expr:
        slice_ = context.str.slice(pl.col("start").clip(lower_bound=0), length.clip(lower_bound=0))
        return inside & (slice_ == text) & (text.str.len_chars() == length)

    failing = spans.filter(~fits(pl.col("context"), pl.col("text"))).collect()
    if not failing.height:
        return failing
    context_meant, text_meant = (
        pl.col(name).str.replace_all("\\n", "\n", literal=True) for name in ("context", "text")
    )
    return failing.filter(~fits(context_meant, pl.col("text")) & ~fits(context_meant, text_meant))
