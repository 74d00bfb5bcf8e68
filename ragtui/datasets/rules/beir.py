"""Rules about one line of a BEIR file (codes BEIR1xx, 2xx, 3xx): built here, called by the readers of those files."""

from __future__ import annotations

from typing import Final

from ragtui.datasets.findings import Edit, Finding, Level, counted
from ragtui.datasets.rules import rule

TOOLS: Final = ("beir", "evalscope", "mteb")  # what reads such folders


@rule("BEIR001", "missing-part", Level.WARNING, platforms=TOOLS, remedy="add the file")
def missing_part(part: str, names: str) -> Finding:
    """A retrieval set is a folder with corpus.jsonl, queries.jsonl and qrels.jsonl or qrels/<split>.tsv. What is there is
    opened, but without all three nothing can be evaluated."""
    return Finding("BEIR001", Level.WARNING, f"no {part}: {names} is not there")


@rule("BEIR002", "empty-part", remedy="fill the file")
def empty_part(file: str, noun: str) -> Finding:
    """A file of the retrieval set is there but holds not one record that can be read."""
    return Finding("BEIR002", Level.ERROR, f"the file holds no {noun}", file=file)


@rule("BEIR003", "unknown-split", example="ragtui check my_set --split train", remedy="name a split that is there")
def unknown_split(file: str, wanted: str | None, there: list[str]) -> Finding:
    """Judgments come in splits, one file each, and splits are never mixed. Without --split, test is taken, else the only
    one there is; several others are not chosen from."""
    message = f'there is no split "{wanted}"' if wanted else "no split is called test and there are several"
    remedy = f"choose with --split: {', '.join(there)}" if there else "the judgments of this file have none"
    return Finding("BEIR003", Level.ERROR, f"{message}; {remedy}", file=file)


@rule("BEIR004", "unused-file", Level.INFO, example="qrels.tsv beside corpus.jsonl", remedy="move it to qrels/test.tsv")
def unused_file(file: str, why: str) -> Finding:
    """A file lies in the folder that looks like a part of the set but is not read as one."""
    return Finding("BEIR004", Level.INFO, f"not read: {why}", file=file)


@rule(
    "BEIR005",
    "judgments-elsewhere",
    example="qrels.jsonl, for BEIR",
    remedy="write the judgments in the other form, too",
)
def judgments_elsewhere(platform: str, needed: str, there: str) -> Finding:
    """Judgments come as qrels.jsonl, which EvalScope and MTEB read, or as qrels/<split>.tsv, which BEIR reads. None of them
    looks for the other. Told with --for one of them."""
    return Finding("BEIR005", Level.ERROR, f"{platform} reads judgments from {needed}; here is {there}")


@rule("BEIR101", "missing-key", example='{"text": "No id here."}', remedy="add the key")
def missing_key(line: int, column: int, key: str, found: list[str]) -> Finding:
    """A record lacks a key that every reader needs. Some loaders then file it under no id at all, some take a default, and
    the scores are wrong without a word."""
    keys = ", ".join(f'"{each}"' for each in found[:6]) or "none"
    return Finding(
        "BEIR101", Level.ERROR, f'"{key}" is missing; keys found: {keys}', line=line, column=column, field=key
    )


@rule("BEIR102", "id-not-text", fix="safe", example='{"_id": 123, "text": "…"}', remedy='put the id in quotes: "123"')
def _id_not_text() -> None:
    """The id of a document or query is a number. Ids must be strings, also digits: a number and a string never match, so
    every judgment that names it misses without a word. ragtui reads it as its digits."""


@rule("BEIR104", "empty-id", example='{"_id": "", "text": "…"}', remedy="give it an id")
def empty_id(line: int, column: int, key: str) -> Finding:
    """An id is empty, so nothing can refer to the record."""
    return Finding("BEIR104", Level.ERROR, f'"{key}" is empty', line=line, column=column, field=key)


@rule(
    "BEIR105",
    "misnamed-key",
    fix="safe",
    example='{"query_id": "q1", "corpus_id": "d1", "score": 1}',
    remedy="rename the key",
)
def misnamed_key(line: int, column: int, key: str, found: str, fix: tuple[Edit, ...]) -> Finding:
    """A key has another name than readers look for, such as query_id for query-id or id for _id. EvalScope then lets all
    judgments collapse into one without an error. ragtui reads it as the key that was meant."""
    message = f'"{key}" is missing; found "{found}", read as that'
    return Finding("BEIR105", Level.ERROR, message, line=line, column=column, field=found, fix=fix)


@rule("BEIR106", "id-unusable", example='{"_id": null, "text": "…"}', remedy="give it an id in quotes")
def id_unusable(line: int, column: int, key: str, kind: str) -> Finding:
    """An id is null, a boolean, a list or an object: it can name nothing. Some loaders make the text "None" of it."""
    return Finding(
        "BEIR106", Level.ERROR, f'"{key}" is {kind}; ids must be strings', line=line, column=column, field=key
    )


@rule("BEIR107", "not-text", example='{"_id": "d1", "text": 5}', remedy="put the text in quotes")
def not_text(line: int, column: int, key: str, kind: str) -> Finding:
    """Text or title is something else than a string."""
    return Finding(
        "BEIR107", Level.ERROR, f'"{key}" is {kind}; a string is needed', line=line, column=column, field=key
    )


@rule("BEIR108", "empty-document", Level.WARNING, example='{"_id": "d1", "text": ""}', remedy="remove the document")
def _empty_document() -> None:
    """A document has neither text nor title. It can be retrieved but can help nobody."""


@rule("BEIR109", "empty-query", example='{"_id": "q1", "text": ""}', remedy="write the query, or remove it")
def _empty_query() -> None:
    """A query has no text, so there is nothing to search for."""


def empty_text(line: int, column: int, query: bool) -> Finding:
    """BEIR109 for a query, BEIR108 for a document."""
    if query:
        return Finding("BEIR109", Level.ERROR, "the query is empty", line=line, column=column, field="text")
    return Finding("BEIR108", Level.WARNING, "the document has no text", line=line, column=column, field="text")


@rule("BEIR110", "blank-line", Level.WARNING, fix="safe", platforms=("beir",), remedy="remove the line")
def blank_line(line: int, fix: tuple[Edit, ...] = ()) -> Finding:
    """A line is blank. BEIR's own loader stops at it; EvalScope and MTEB skip it, and so does ragtui."""
    return Finding("BEIR110", Level.WARNING, "blank line", line=line, fix=fix)


@rule(
    "BEIR113",
    "no-title",
    platforms=("beir", "mteb"),
    advice=True,
    example='{"_id": "d1", "text": "…"}',
    remedy='write "title": "" where there is none, as `ragtui convert DIR NEW --to beir` does',
)
def no_title(file: str, line: int, count: int, documents: int) -> Finding:
    """Documents have no title, or null for one. BEIR joins title and text and stops at the first document without; MTEB does
    so where only some have one. Given with --for beir or mteb. There is no fix: it would change most lines of a corpus for
    the sake of one loader; converting writes the set anew."""
    message = f"no title in {count:,} of {counted(documents, 'document')}; an empty one is needed"
    return Finding("BEIR113", Level.ERROR, message, file=file, line=line, field="title")


@rule(
    "BEIR201",
    "reference-not-text",
    Level.WARNING,
    fix="safe",
    example='{"query-id": 7, …}',
    platforms=TOOLS,
    remedy='write "7"',
)
def _reference_not_text() -> None:
    """A judgment or hit names its query or document by a number. It means the id with these digits, but a loader that does
    not convert finds no such query or document."""


def id_not_text(
    line: int, column: int, key: str, reference: bool, what: str, text: str, fix: tuple[Edit, ...]
) -> Finding:
    """BEIR201 for a reference in a judgment, BEIR102 for the id of a record."""
    message = f'"{key}" is {what}; ids must be strings: "{text}"'
    if reference:
        return Finding("BEIR201", Level.WARNING, message, line=line, column=column, field=key, fix=fix)
    return Finding("BEIR102", Level.ERROR, message, line=line, column=column, field=key, fix=fix)


@rule(
    "BEIR209",
    "no-grade",
    example='{"query-id": "q1", "corpus-id": "d1", "score": "high"}',
    remedy="write a whole number",
)
def no_grade(line: int, column: int, key: str, what: str) -> Finding:
    """A judgment without a number says nothing. EvalScope takes a missing score for 1."""
    return Finding(
        "BEIR209", Level.ERROR, f'"{key}" is {what}; a number is needed', line=line, column=column, field=key
    )


@rule("BEIR210", "grade-in-quotes", Level.WARNING, fix="safe", example='{"score": "1"}', remedy="remove the quotes")
def grade_in_quotes(line: int, column: int, key: str, value: str, fix: tuple[Edit, ...]) -> Finding:
    """A grade is written as text. Most loaders convert it, some refuse it."""
    message = f'"{key}" is the text "{value[:40]}"; write the number'
    return Finding("BEIR210", Level.WARNING, message, line=line, column=column, field=key, fix=fix)


@rule(
    "BEIR211",
    "no-header",
    Level.WARNING,
    fix="safe",
    platforms=("beir", "mteb"),
    remedy="begin with: query-id corpus-id score",
)
def no_header(line: int, fix: tuple[Edit, ...]) -> Finding:
    """qrels/<split>.tsv begins with a header line. BEIR's loader always skips the first line, so without a header the
    first judgment is lost, and its query may vanish from the evaluation. ragtui reads it."""
    message = 'no header "query-id corpus-id score"; BEIR tools would drop this judgment'
    return Finding("BEIR211", Level.WARNING, message, line=line, column=1, fix=fix)


@rule("BEIR212", "run-as-judgments", remedy="put the judgments here; name the run as a target: run:FILE")
def run_as_judgments(line: int, rows: int) -> Finding:
    """The file has the six columns of a TREC run (query, Q0, document, rank, score, tag) where judgments belong. Read
    carelessly, ranks become grades and the last hit looks the most relevant. Nothing of it is used as judgments."""
    message = (
        f"this is a run (query Q0 document rank score tag, {counted(rows, 'line')}), not judgments; none is loaded"
    )
    return Finding("BEIR212", Level.ERROR, message, line=line)


@rule(
    "BEIR213",
    "trec-judgments",
    Level.WARNING,
    fix="safe",
    platforms=TOOLS,
    remedy="write query, document and grade with tabs between, below a header",
)
def trec_judgments(line: int, fix: tuple[Edit, ...] = ()) -> Finding:
    """The file has the four columns of TREC judgments (query, iteration, document, grade), not three with a header. BEIR
    tools fail on it; ragtui reads it."""
    return Finding(
        "BEIR213",
        Level.WARNING,
        "TREC judgments of four columns; BEIR tools need three and a header",
        line=line,
        fix=fix,
    )


@rule("BEIR214", "wrong-number-of-fields", example="q1<tab>d1", remedy="query, document and grade, with tabs between")
def wrong_fields(line: int, found: int, wanted: int) -> Finding:
    """The line has too few or too many fields to be a judgment."""
    return Finding("BEIR214", Level.ERROR, f"{counted(found, 'field')}, {wanted} are needed", line=line)


@rule("BEIR215", "spaces-for-tabs", fix="safe", example="q1 d1 1", remedy="put tabs between the fields")
def spaces_for_tabs(line: int, lines: int, fix: tuple[Edit, ...] = ()) -> Finding:
    """Fields are parted by spaces (or commas). BEIR's loader splits at tabs only and fails; ragtui reads them."""
    message = f"no tabs between the fields of {counted(lines, 'line')}; tabs are needed"
    return Finding("BEIR215", Level.ERROR, message, line=line, fix=fix)


@rule("BEIR216", "quoted-field", Level.WARNING, fix="safe", example='q1<tab>"d1"<tab>1', remedy="remove the quotes")
def quoted_field(line: int, key: str, value: str, fix: tuple[Edit, ...] = ()) -> Finding:
    """A field stands in quotes. Some readers remove them and some keep them as part of the id. ragtui removes them."""
    message = f'"{key}" stands in quotes: {value[:40]}'
    return Finding("BEIR216", Level.WARNING, message, line=line, field=key, fix=fix)


@rule(
    "BEIR219",
    "grade-not-in-digits",
    fix="safe",
    platforms=("beir",),
    advice=True,
    example="q1<tab>d1<tab>2.0",
    remedy="write the whole number: 2",
)
def grade_not_in_digits(line: int, text: str, fix: tuple[Edit, ...] = ()) -> Finding:
    """A grade in qrels/<split>.tsv is a whole number but not written as one. BEIR's loader takes digits only and stops here.
    Given with --for beir."""
    return Finding(
        "BEIR219",
        Level.ERROR,
        f'the grade is written "{text[:40]}"; digits are needed',
        line=line,
        field="score",
        fix=fix,
    )


@rule(
    "BEIR302",
    "no-ranking",
    example='{"query-id": "q1", "ranking": "d1"}',
    remedy="write a list of document ids, best first",
)
def no_ranking(line: int, column: int, key: str, kind: str) -> Finding:
    """A run's line has no list of documents."""
    return Finding(
        "BEIR302", Level.ERROR, f'"{key}" is {kind}; a list of ids is needed', line=line, column=column, field=key
    )
