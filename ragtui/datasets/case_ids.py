"""The id of a case: the file's own, else a hash of what is asked. Never its position."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ragtui.datasets.containers.table import LINE, ROW, Table

if TYPE_CHECKING:
    import polars as pl

    from ragtui.datasets.findings import Finding, More

OWN_ID_HEADERS: Final = ("id", "_id", "case_id", "query_id", "question_id", "qid")
CASE_ID: Final = "_case_id"
NAME: Final = "_name"


def own_id_column(table: Table) -> str | None:
    """The column that holds the file's own ids, by its header (case and outer spaces do not matter)."""
    by_header = {
        header.strip().casefold(): name
        for header, name in zip(reversed(table.headers), reversed(table.names), strict=True)
    }
    return next((by_header[wanted] for wanted in OWN_ID_HEADERS if wanted in by_header), None)


def hashed(inputs: Sequence[str | None]) -> str:
    """Twelve hex digits for what is asked: equal for equal inputs, on every machine and in every version.

    Each input goes in with its length in bytes before it, so that no two lists of inputs come to the same text.
    """
    told = "".join("-" if text is None else f"{len(text.encode('utf-8', 'surrogatepass'))}:{text}" for text in inputs)
    return _digest(told)


def _digest(told: str) -> str:
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def identify(
    table: Table,
    inputs: Sequence[str],
    name: str | None = None,
    own: str | None = None,
    collect: Sequence[str] | None = None,
) -> tuple[pl.DataFrame, list[Finding | More]]:
    """The cases of ``table``, a row each: ``_case_id``, ``_line``, ``_name``, then the columns of the table.

    ``inputs`` are the columns that make a case what it is (all that is sent, and filters); ``name`` the column that names
    a row to people; ``own`` the column of the file's own ids. A case without an own id gets a hash of its inputs. Ids are
    made unique with ``-2``, ``-3``; each repetition is a finding.

    With ``collect`` (deepset labels) rows of equal inputs are one case instead: the columns named become lists of their
    distinct filled texts where any case has several rows, every other column keeps the first row's value.
    """
    import polars as pl

    from ragtui.datasets.rules.case_ids import repeated_ids

    frame = table.frame if collect is None else _grouped(table.frame, inputs, collect)
    given: list[str | None] = []
    if own and frame.schema[own] == pl.String:
        given = frame[own].str.strip_chars().replace("", None).to_list()
    asked = _hashes(frame, inputs) if None in given or not given else []
    wanted = [value or asked[row] for row, value in enumerate(given)] if given else asked
    repeated = len(set(wanted)) < len(wanted)
    unique = _unique(wanted) if repeated else wanted
    named = pl.col(name) if name else pl.lit("")
    if name and frame.schema[name] != pl.String:
        named = pl.col(name).list.first()
    cases = frame.select(
        pl.Series(CASE_ID, unique, dtype=pl.String),
        pl.col(LINE),
        named.fill_null("").alias(NAME),
        pl.exclude(LINE, ROW),
    )
    findings: list[Finding | More] = []
    if repeated:
        lines, rows = frame[LINE].to_list(), frame[ROW].to_list()
        findings = list(repeated_ids(table, own, given, wanted, unique, lines, rows, inputs))
    return cases, findings


def _grouped(frame: pl.DataFrame, inputs: Sequence[str], collect: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    keys = [pl.col(column).fill_null("").alias(f"key {place}") for place, column in enumerate(inputs)]
    if not inputs or frame.select(keys).is_unique().all():
        return frame
    types = frame.schema
    texts = {name for name in collect if types[name] == pl.String}
    filled = pl.element().str.len_bytes() > 0
    return (
        frame.group_by(keys, maintain_order=True)
        .agg(pl.col(name) if name in texts else pl.col(name).first() for name in frame.columns)
        .select(
            pl.col(name).list.eval(pl.element().filter(filled)).list.unique(maintain_order=True)
            if name in texts
            else pl.col(name)
            for name in frame.columns
        )
    )


def _hashes(frame: pl.DataFrame, inputs: Sequence[str]) -> list[str]:
    """``hashed`` of every row; a list of texts is joined by NUL characters."""
    import polars as pl

    if not inputs:
        return [hashed([])] * frame.height
    types = frame.schema
    texts = [pl.col(name) if types[name] == pl.String else pl.col(name).list.join("\0") for name in inputs]
    parts = [pl.concat_str(text.str.len_bytes(), pl.lit(":"), text).fill_null("-") for text in texts]
    return [_digest(told) for told in frame.select(pl.concat_str(parts)).to_series()]


def _unique(ids: Sequence[str]) -> list[str]:
    taken = set(ids)
    seen: Counter[str] = Counter()
    unique = []
    for wanted in ids:
        seen[wanted] += 1
        each = wanted
        if seen[wanted] > 1:
            while (each := f"{wanted}-{seen[wanted]}") in taken:
                seen[wanted] += 1
            taken.add(each)
        unique.append(each)
    return unique
