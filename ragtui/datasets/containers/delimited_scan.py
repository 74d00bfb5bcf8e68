"""The fast way through a delimited file: prove from the bytes that its quoting is sound, then let Polars cut it.

What is proven: every quote that opens stands at the start of a field, every quote that closes stands at its end, and every
record has as many delimiters as the header. Then all readers agree about the cells. Where the proof fails the exact reader
(``delimited_records``) takes over; where only the number of fields is wrong the record is left out and reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.findings import SHOWN_PER_RULE

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

    Positions = npt.NDArray[np.int64]

_BLOCK: Final = 1 << 22
_QUOTE: Final = 0x22
_LF: Final = 0x0A
_CR: Final = 0x0D
_TAB: Final = 0x09


@dataclass(frozen=True)
class Scanned:
    """``frame`` holds the columns ``0``, ``1``, … of all sound records; ``lines`` and ``rows`` their first lines and
    numbers. ``ragged`` are ``(line, row, raw text)`` of the first thousand of ``ragged_total`` records with a wrong number
    of fields, ``blank`` the lines of blank lines between records. ``lines_total`` counts physical lines of the whole file."""

    frame: pl.DataFrame
    lines: Positions
    rows: Positions
    ragged: list[tuple[int, int, str]]
    ragged_total: int
    blank: list[int]
    lines_total: int
    plain: bool


def scan(data: bytes, start: int, skipped_lines: int, delimiter: str, columns: int) -> Scanned | None:
    """Reads the records of ``data`` from byte ``start`` (after ``skipped_lines`` lines) on, ``None`` where it proves nothing.

    ``data`` is UTF-8 without byte order mark, or what claims to be.
    """
    import numpy as np
    import polars as pl

    codes = np.frombuffer(data, dtype=np.uint8, offset=start) if start < len(data) else np.empty(0, dtype=np.uint8)
    control = _where(codes, lambda block: block < 0x20)
    which = codes[control]
    feeds, returns = control[which == _LF], control[which == _CR]
    quotes = _where(codes, lambda block: block == _QUOTE)
    if not _quotes_are_sound(codes, quotes, ord(delimiter)) or not _returns_end_lines(codes, quotes, returns):
        return None
    ends = feeds if not len(quotes) else feeds[np.searchsorted(quotes, feeds) % 2 == 0]
    if not len(ends) or ends[-1] != len(codes) - 1:
        ends = np.append(ends, len(codes))
    starts = np.concatenate([np.zeros(1, dtype=np.int64), ends[:-1] + 1])
    if len(codes) == 0:
        starts = ends = np.empty(0, dtype=np.int64)
    stops = ends - ((ends > starts) & (codes[np.maximum(ends - 1, 0)] == _CR)) if len(ends) else ends
    lines = skipped_lines + 1 + np.searchsorted(feeds, starts)
    blank = stops == starts
    marks = _where(codes, lambda block: block == ord(delimiter))
    if len(quotes):
        marks = marks[np.searchsorted(quotes, marks) % 2 == 0]
    upto = np.searchsorted(marks, ends)
    fields = np.diff(upto, prepend=0) + 1
    ragged = ~blank & (fields != columns)
    numbers = np.cumsum(~blank)
    body: bytes = data
    skip = skipped_lines
    keep = ~blank
    if ragged.any():
        body, skip, keep = _without(data, start, starts, ends, ragged), 0, keep[~ragged]
    try:
        frame = _cut(pl, body, delimiter, columns, skip, bool(len(quotes)))
    except pl.exceptions.PolarsError:
        return None
    if frame.height != len(keep):
        return None
    sound = ~ragged & ~blank
    told = np.flatnonzero(ragged)[:SHOWN_PER_RULE]
    try:
        texts = [data[start + starts[place] : start + stops[place]].decode("utf-8") for place in told]
    except UnicodeDecodeError:
        return None
    last = int(np.flatnonzero(~blank)[-1]) if (~blank).any() else 0
    breaks = len(feeds) + len(returns) + int((which == _TAB).sum())
    return Scanned(
        frame=frame if keep.all() else frame.filter(pl.Series(keep)),
        lines=lines[sound],
        rows=numbers[sound],
        ragged=[(int(lines[place]), int(numbers[place]), text) for place, text in zip(told, texts, strict=True)],
        ragged_total=int(ragged.sum()),
        blank=lines[:last][blank[:last]].tolist(),
        lines_total=skipped_lines + len(feeds) + (1 if len(codes) and codes[-1] != _LF else 0),
        plain=len(control) == breaks and data.isascii() and b"\x7f" not in data,
    )


def _where(codes: npt.NDArray[np.uint8], test: Any) -> Positions:
    """The positions where ``test`` holds, found block by block so that no array of the file's size is made."""
    import numpy as np

    found = [np.flatnonzero(test(codes[at : at + _BLOCK])) + at for at in range(0, len(codes), _BLOCK)]
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def _quotes_are_sound(codes: npt.NDArray[np.uint8], quotes: Positions, delimiter: int) -> bool:
    import numpy as np

    if not len(quotes):
        return True
    if len(quotes) % 2:
        return False
    opening, closing = quotes[0::2], quotes[1::2]
    before = codes[np.maximum(opening - 1, 0)]
    doubled = np.concatenate([[False], opening[1:] == closing[:-1] + 1])
    fits_before = (opening == 0) | (before == delimiter) | (before == _LF) | doubled
    after = codes[np.minimum(closing + 1, len(codes) - 1)]
    doubles = np.concatenate([opening[1:] == closing[:-1] + 1, [False]])
    fits_after = (closing == len(codes) - 1) | (after == delimiter) | (after == _LF) | (after == _CR) | doubles
    return bool(fits_before.all() and fits_after.all())


def _returns_end_lines(codes: npt.NDArray[np.uint8], quotes: Positions, returns: Positions) -> bool:
    """Whether every carriage return outside quotes is followed by a line feed."""
    import numpy as np

    outside = returns[np.searchsorted(quotes, returns) % 2 == 0] if len(quotes) else returns
    if not len(outside):
        return True
    return bool(outside[-1] < len(codes) - 1 and (codes[outside + 1] == _LF).all())


def _without(data: bytes, start: int, starts: Positions, ends: Positions, ragged: npt.NDArray[np.bool_]) -> bytes:
    """The records that are not ``ragged``, joined run by run."""
    parts, reached = [], start
    for place in ragged.nonzero()[0]:
        parts.append(data[reached : start + int(starts[place])])
        reached = min(start + int(ends[place]) + 1, len(data))
    parts.append(data[reached:])
    return b"".join(parts)


def _cut(polars: Any, body: bytes, delimiter: str, columns: int, skip_lines: int, quoted: bool) -> pl.DataFrame:
    schema = {str(place): polars.String for place in range(columns)}
    if not body:
        return polars.DataFrame(schema=schema)  # type: ignore[no-any-return]
    return polars.read_csv(  # type: ignore[no-any-return]
        body,
        has_header=False,
        schema=schema,
        separator=delimiter,
        skip_lines=skip_lines,
        quote_char='"' if quoted else None,
        empty_string_is_null=False,
        infer_schema=False,
        glob=False,
    )
