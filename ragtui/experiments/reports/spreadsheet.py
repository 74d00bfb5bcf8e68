"""What CSV and XLSX reports share: the sheet of cases, and text that no spreadsheet takes for a formula."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ragtui.experiments.plan import Side
from ragtui.experiments.results import Results

if TYPE_CHECKING:
    import polars as pl

_AT_ONCE: Final = 5_000
_FORMULA: Final = re.compile(r"[\s\u200b-\u200f\u2060\ufeff\u00ad]*[=+\-@＝＋－＠\t\r]")
_UNDONE: Final = re.compile(r"'(?=[\s\u200b-\u200f\u2060\ufeff\u00ad]*[=+\-@＝＋－＠\t\r])")
_CONTROLS: Final = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n\r"},
    0x7F: "␡",
    **dict.fromkeys([*range(0x80, 0xA0), *range(0xD800, 0xE000)], "\ufffd"),
}


def neutral(text: str) -> str:
    """Text with an apostrophe in front where a spreadsheet would run it as a formula; ``a=b`` stays as it is."""
    return f"'{text}" if _FORMULA.match(text) else text


def cell_text(text: str) -> str:
    """``neutral`` text whose control characters are pictures, so that printing the file sends a terminal nothing. Tabs and
    ends of lines stay, and so do marks of direction, which right-to-left text needs."""
    return neutral(text.translate(_CONTROLS))


def plain(text: str) -> str:
    """Takes the apostrophe of ``neutral`` away again."""
    return _UNDONE.sub("", text, count=1) if _UNDONE.match(text) else text


def sheets(results: Results, side: Side) -> Iterator[pl.DataFrame]:
    """The whole ``sheet`` of a side, a part at a time: texts are in memory only while they are written."""
    rows = results.rows(side)
    yield from (sheet(results, side, part) for part in (rows.iter_slices(_AT_ONCE) if rows.height else (rows,)))


def sheet(results: Results, side: Side, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of a side, in the order in which they come, with their texts: inputs, expected values, response and contexts by
    name, then the scores with their reasons, cause, label and note."""
    import polars as pl

    case_ids = rows["case_id"].to_list()
    texts, reasons = results.texts(side, case_ids), results.reasons(side, case_ids)
    out = rows.join(texts, on="case_id", how="left", maintain_order="left")
    out = out.join(reasons, on="case_id", how="left", maintain_order="left")
    scores: list[str] = []
    for metric in results.metrics:
        wanted = (metric, f"{metric} state", f"{metric} passed", f"{metric} Δ", f"{metric} reason")
        scores += [name for name in wanted if name in out.columns]
    rest = [name for name in texts.columns if name != "case_id"]
    frame = out.select("case_id", *rest, *scores, "cause", "label", "note")
    enums = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Enum)]
    return frame.with_columns(pl.col(enums).cast(pl.String))
