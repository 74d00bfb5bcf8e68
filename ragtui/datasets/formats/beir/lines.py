"""Judgments and runs written in columns: BEIR's tab-separated judgments, TREC's judgments and runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.containers.encoding import decode
from ragtui.datasets.findings import Edit, Finding, Level, More, Report, shown_per_rule
from ragtui.datasets.formats.beir.parts import is_trec_hit
from ragtui.datasets.rules import beir as rules

if TYPE_CHECKING:
    import polars as pl

_EXACT: Final = 1e15  # a number below is written by all its digits
_HEADS: Final = {
    "query-id", "query_id", "qid", "queryid", "query", "topic", "corpus-id", "corpus_id", "doc_id", "docid", "doc-id",
    "document_id", "pid", "score", "rel", "relevance", "grade", "label", "judgment", "judgement",
}  # fmt: skip
_SAMPLED: Final = 1000
_HEADER: Final = "query-id\tcorpus-id\tscore\n"


@dataclass(frozen=True)
class Layout:
    """How a file's columns are parted and where query, document and number are; ``fields`` is how many a line must have
    (at least, for a run)."""

    name: str  # "tsv", "spaces", "trec", "run"
    fields: int
    tabs: bool
    query: int
    document: int
    number: int


_TSV: Final = Layout("tsv", 3, True, 0, 1, 2)
_SPACES: Final = Layout("spaces", 3, False, 0, 1, 2)
_TREC: Final = Layout("trec", 4, False, 0, 2, 3)
RUN: Final = Layout("run", 6, False, 0, 2, 4)


@dataclass(frozen=True)
class Lines:
    """The lines of a text file that hold anything: ``raw``, ``line`` and ``at``, the byte at which it begins. ``start`` is the
    byte its text begins at; ``exact`` says that the text is the file's own, so that fixes can be placed."""

    frame: pl.DataFrame
    start: int
    exact: bool

    def rewritten(self, frame: pl.DataFrame, mend: Callable[[str], str]) -> tuple[Edit, ...]:
        """The fix that writes ``mend`` of each line in its place, where that is something else."""
        if not self.exact:
            return ()
        rows = ((at, raw, mend(raw)) for at, raw in frame.select("at", "raw").iter_rows())
        return tuple(Edit(at, at + len(raw.encode()), new) for at, raw, new in rows if new != raw)

    def place_of(self, line: int) -> tuple[int, str]:
        """Where a line begins, and its text."""
        row = self.frame.row(int(self.frame["line"].search_sorted(line)), named=True)
        return int(row["at"]), str(row["raw"])

    def field_fix(self, line: int, position: int, text: str) -> tuple[Edit, ...]:
        """The fix that writes ``text`` into a field of a line with tabs."""
        if not self.exact:
            return ()
        at, raw = self.place_of(line)
        fields = raw.split("\t")
        begin = at + sum(len(field.encode()) + 1 for field in fields[:position])
        return (Edit(begin, begin + len(fields[position].encode()), text),)


def read_judgments(path: Path, report: Report, only_digits: bool = False) -> pl.DataFrame | None:
    """The judgments of a file in columns, ``query_id, doc_id, grade, line``; ``None`` where it holds something else.

    BEIR's three columns with tabs and a header are what is wanted; three columns without header or tabs and TREC's four
    are read with a finding. A run (six columns) is not. With ``only_digits`` a whole number written otherwise is one, too.
    """
    lines = text_lines(path, report)
    sample = lines.frame["raw"].head(_SAMPLED).to_list()
    if not sample:
        return _empty("grade")
    layout = layout_of(sample)
    first = int(lines.frame["line"][0])
    if layout is RUN:
        report.add(rules.run_as_judgments(first, lines.frame.height))
        return None
    body = lines.frame
    headed = is_header(sample[0])
    if headed:
        body = body.slice(1)
    if layout is _TREC:
        report.add(rules.trec_judgments(first, _from_trec(lines, body, headed)))
    elif not headed:
        report.add(rules.no_header(first, (Edit(lines.start, lines.start, _HEADER),)))
    if layout is _SPACES and body.height:
        fix = lines.rewritten(lines.frame, lambda raw: "\t".join(raw.split()))
        report.add(rules.spaces_for_tabs(int(body["line"][0]), body.height, fix))
    if only_digits and layout is _TSV:
        _each(_wordy_grades(body), lambda row: _wordy(lines, *row), report)
    return parse(body, layout, "grade", report, lines)


def read_trec_run(path: Path, report: Report) -> pl.DataFrame:
    """The hits of a TREC run, ``query_id, doc_id, score, line``. Ranks and what follows the tag are not read."""
    return parse(text_lines(path, report).frame, RUN, "score", report)


def read_trec_judgments(path: Path, report: Report) -> pl.DataFrame:
    """The judgments of a TREC file of four columns."""
    return parse(text_lines(path, report).frame, _TREC, "grade", report)


def text_lines(path: Path, report: Report) -> Lines:
    """The lines of a text file in any encoding; a blank one is a finding (the end of the last line is none)."""
    import polars as pl

    decoded = decode(path.read_bytes())
    report.extend(decoded.findings)
    text = decoded.text
    exact = decoded.encoding == "utf-8" and not any(
        isinstance(each, Finding) and each.code == "TEXT004" for each in decoded.findings
    )
    if "\n" not in text:
        text = text.replace("\r", "\n")
    parts = pl.Series("raw", [text]).str.split("\n").explode()
    sizes = parts.str.len_bytes().cast(pl.Int64) + 1
    at = (sizes.cum_sum() - sizes + decoded.start).alias("at")
    frame = (
        pl.DataFrame([parts.str.strip_suffix("\r"), at, sizes.alias("size")])
        .with_row_index("line", 1)
        .with_columns(pl.col("line").cast(pl.UInt32))
    )
    if text.endswith("\n") or not text:
        frame = frame.head(frame.height - 1)
    filled = pl.col("raw").str.strip_chars().str.len_bytes() > 0
    blank = frame.filter(~filled)
    _each(blank.select("line", "at", "size").rows(), partial(_blank, exact), report)
    return Lines(frame.filter(filled), decoded.start, exact)


def _blank(exact: bool, row: tuple[int, int, int]) -> Finding:
    """A blank line with the fix that removes it."""
    line, at, size = row
    return rules.blank_line(line, (Edit(at, at + size, ""),) if exact else ())


def layout_of(sample: list[str]) -> Layout:
    """The layout most of the sampled lines have."""
    rows = sample[1:] if is_header(sample[0]) and len(sample) > 1 else sample
    if sum(is_trec_hit(line.split()) for line in rows) > len(rows) / 2:
        return RUN
    tabs = Counter(line.count("\t") for line in rows).most_common(1)[0][0]
    words = Counter(len(line.split()) for line in rows).most_common(1)[0][0]
    if tabs != 2 and words == 4:
        return _TREC
    if tabs == 0 and words == 3:
        return _SPACES
    return _TSV


def is_header(line: str) -> bool:
    """Whether a line names columns: its words are usual names and its last is no number."""
    words = [word.strip('"').lower() for word in line.replace(",", " ").split()]
    return len(words) >= 2 and sum(word in _HEADS for word in words) >= 2


def parse(
    lines: pl.DataFrame, layout: Layout, number: str, report: Report, places: Lines | None = None
) -> pl.DataFrame:
    """``query_id, doc_id``, the number under its name, ``line``; lines that cannot be read are findings and left out."""
    import polars as pl

    raw = pl.col("raw")
    cells = raw.str.split("\t") if layout.tabs else raw.str.extract_all(r"\S+")
    frame = lines.lazy().select("line", cells.alias("cells")).with_columns(pl.col("cells").list.len().alias("count"))
    enough = pl.col("count") >= layout.fields if layout is RUN else pl.col("count") == layout.fields
    found = frame.collect()
    wrong = found.filter(~enough).select("line", "count")
    if wrong.height:
        _each(wrong.rows(), lambda row: rules.wrong_fields(row[0], row[1], layout.fields), report)
        found = found.filter(enough)
    picked = found.select(
        pl.col("cells").list.get(layout.query, null_on_oob=True).alias("query_id"),
        pl.col("cells").list.get(layout.document, null_on_oob=True).alias("doc_id"),
        pl.col("cells").list.get(layout.number, null_on_oob=True).alias("text"),
        "line",
    )
    picked = _unquoted(picked, report, places) if layout.tabs else picked
    picked = picked.with_columns(pl.col("text").str.strip_chars().cast(pl.Float64, strict=False).alias(number))
    sound = pl.col(number).is_finite().fill_null(False)
    bad = picked.filter(~sound).select("line", "text")
    if bad.height:
        key = "score"
        _each(bad.rows(), lambda row: rules.no_grade(row[0], 0, key, f'the text "{(row[1] or "")[:40]}"'), report)
    for column, key in (("query_id", "query-id"), ("doc_id", "corpus-id")):
        blank = picked.filter(pl.col(column).str.strip_chars().str.len_bytes() == 0)["line"].to_list()
        _each(blank, lambda line, key=key: rules.empty_id(line, 0, key), report)
        sound &= pl.col(column).str.strip_chars().str.len_bytes() > 0
    return picked.filter(sound).select("query_id", "doc_id", number, "line")


def _wordy_grades(lines: pl.DataFrame) -> list[tuple[int, str]]:
    """Line and text of grades that are whole numbers but not written in digits."""
    import polars as pl

    text = pl.col("raw").str.split("\t").list.get(2, null_on_oob=True).str.strip_chars().str.strip_chars('"')
    number = pl.col("text").cast(pl.Float64, strict=False)
    digits = pl.col("text").str.contains(r"^[+-]?[0-9]+$")
    return (
        lines.select("line", text.alias("text"))
        .filter(~digits & (number == number.round(0)) & (number.abs() < _EXACT))
        .rows()
    )


def _unquoted(picked: pl.DataFrame, report: Report, places: Lines | None) -> pl.DataFrame:
    import polars as pl

    for position, (column, key) in enumerate((("query_id", "query-id"), ("doc_id", "corpus-id"), ("text", "score"))):
        quoted = (
            pl.col(column).str.starts_with('"')
            & pl.col(column).str.ends_with('"')
            & (pl.col(column).str.len_bytes() > 1)
        )
        hits = picked.filter(quoted).select("line", column)
        if hits.height:
            _each(hits.rows(), partial(_quoted, places, position, key), report)
            inner = pl.col(column).str.slice(1, pl.col(column).str.len_chars() - 2)
            picked = picked.with_columns(pl.when(quoted).then(inner).otherwise(pl.col(column)).alias(column))
    return picked


def _quoted(places: Lines | None, position: int, key: str, row: tuple[int, str]) -> Finding:
    fix = places.field_fix(row[0], position, row[1][1:-1]) if places is not None else ()
    return rules.quoted_field(row[0], key, row[1], fix)


def _wordy(lines: Lines, line: int, text: str) -> Finding:
    return rules.grade_not_in_digits(line, text, lines.field_fix(line, 2, str(int(float(text)))))


def _from_trec(lines: Lines, body: pl.DataFrame, headed: bool) -> tuple[Edit, ...]:
    """The fix that makes BEIR's three columns and header of TREC's four; none where a line has not four."""
    if not lines.exact or headed or not (body["raw"].str.extract_all(r"\S+").list.len() == _TREC.fields).all():
        return ()
    header = Edit(lines.start, lines.start, _HEADER)
    fields = (_TREC.query, _TREC.document, _TREC.number)
    rows = lines.rewritten(body, lambda raw: "\t".join(raw.split()[place] for place in fields))
    if rows[0].start != header.start:
        return (header, *rows)
    return (Edit(rows[0].start, rows[0].end, _HEADER + rows[0].text), *rows[1:])


def _empty(number: str) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, number: pl.Float64, "line": pl.UInt32})


def _each(rows: Sequence[Any], say: Callable[..., Finding], report: Report) -> None:
    """A finding for each of the first rows; the others are counted."""
    last: Finding | None = None
    for row in rows[: shown_per_rule()]:
        last = say(row)
        report.add(last)
    if last is not None and len(rows) > shown_per_rule():
        report.extend([More(last.code, Level(last.level), len(rows) - shown_per_rule(), last.file)])
