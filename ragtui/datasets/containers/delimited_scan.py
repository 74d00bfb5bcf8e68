"""The fast way through a delimited file: prove from the bytes that its quoting is sound, then let Polars cut it.

What is proven: every quote that opens stands at the start of a field, every quote that closes stands at its end, and every
record has as many delimiters as the header. Then all readers agree about the cells. Where the proof fails the exact reader
(``delimited_records``) takes over; where only the number of fields is wrong the record is left out and reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.findings import shown_per_rule

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

    Positions = npt.NDArray[np.int64]

_BLOCK: Final = 1 << 18  # what stays in a core's own cache
_QUOTE: Final = 0x22
_LF: Final = 0x0A
_CR: Final = 0x0D
_TAB: Final = 0x09
_DELETE: Final = 0x7F
_C2: Final = 0xC2  # begins the letters up to U+00BF, and the control characters U+0080 to U+009F
_C3: Final = 0xC3  # begins Ã, Â, â and their like, after which a doubled encoding has another letter beyond ASCII
_EF: Final = 0xEF  # begins U+FFFD


@dataclass(frozen=True)
class Scanned:
    """``frame`` holds the columns ``0``, ``1``, … of all sound records; ``lines`` and ``rows`` their first lines and
    numbers. ``ragged`` are ``(line, row, raw text)`` of the first thousand of ``ragged_total`` records with a wrong number
    of fields, ``blank`` the lines of blank lines between records. ``lines_total`` counts physical lines of the whole file.
    ``absent`` says what the bytes show not to be anywhere, so that no rule need look for it in the cells."""

    frame: pl.DataFrame
    lines: Positions
    rows: Positions
    ragged: list[tuple[int, int, str]]
    ragged_total: int
    blank: list[int]
    lines_total: int
    absent: frozenset[str]


def scan(data: bytes, start: int, skipped_lines: int, delimiter: str, columns: int) -> Scanned | None:
    """Reads the records of ``data`` from byte ``start`` (after ``skipped_lines`` lines) on, ``None`` where it proves nothing.

    ``data`` is UTF-8 without byte order mark, or what claims to be.
    """
    import numpy as np
    import polars as pl

    codes = np.frombuffer(data, dtype=np.uint8, offset=start) if start < len(data) else np.empty(0, dtype=np.uint8)
    mark = ord(delimiter)
    special = _special(codes, mark)
    which = codes[special]
    feeds, returns, quotes = (special[which == code] for code in (_LF, _CR, _QUOTE))
    if not _quotes_are_sound(codes, quotes, mark) or not _returns_end_lines(codes, quotes, returns):
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
    marks = special[which == mark]
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
    told = np.flatnonzero(ragged)[: shown_per_rule()]
    try:
        texts = [data[start + starts[place] : start + stops[place]].decode("utf-8") for place in told]
    except UnicodeDecodeError:
        return None
    last = int(np.flatnonzero(~blank)[-1]) if (~blank).any() else 0
    return Scanned(
        frame=frame if keep.all() else frame.filter(pl.Series(keep)),
        lines=lines[sound],
        rows=numbers[sound],
        ragged=[(int(lines[place]), int(numbers[place]), text) for place, text in zip(told, texts, strict=True)],
        ragged_total=int(ragged.sum()),
        blank=lines[:last][blank[:last]].tolist(),
        lines_total=skipped_lines + len(feeds) + (1 if len(codes) and codes[-1] != _LF else 0),
        absent=_absent(codes, bool(((which < 0x20) & ~np.isin(which, (_TAB, _LF, _CR))).any())),
    )


def _special(codes: npt.NDArray[np.uint8], mark: int) -> Positions:
    """Where control characters, quotes and delimiters are; block by block, so that no array of the file's size is made."""
    import numpy as np

    found = []
    for at in range(0, len(codes), _BLOCK):
        block = codes[at : at + _BLOCK]
        found.append(np.flatnonzero((block < 0x20) | (block == _QUOTE) | (block == mark)) + at)
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def _absent(codes: npt.NDArray[np.uint8], controls: bool) -> frozenset[str]:
    """Which of ``controls`` (C0 ones are known), ``lost`` letters and ``doubled`` encodings are surely not in the bytes."""
    lost, doubled = False, False
    for at in range(0, len(codes), _BLOCK):
        block = codes[at : at + _BLOCK + 2]  # two more: a character may lie across the end
        controls = controls or bool((block == _DELETE).any())
        if len(block) < 2 or not (block >= 0x80).any():
            continue
        first, second, third = block[:-2], block[1:-1], block[2:]
        controls = controls or bool(((block[:-1] == _C2) & (block[1:] < 0xA0)).any())
        lost = lost or bool(((first == _EF) & (second == 0xBF) & (third == 0xBD)).any())
        doubled = doubled or bool(((first == _C3) & (third >= _C2)).any())
    found = {"controls": controls, "lost": lost, "doubled": doubled}
    return frozenset(name for name, there in found.items() if not there)


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
