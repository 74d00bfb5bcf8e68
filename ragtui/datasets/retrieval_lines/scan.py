"""The fast pass over BEIR's JSON lines: one strict decode a line, ids and places kept, texts dropped.

A line that does not decode is taken apart by ``records.repair``. Large files are cut at line starts and spread over
processes; nothing here loads Polars.
"""

from __future__ import annotations

import io
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

import msgspec

from ragtui.datasets.findings import SHOWN_PER_RULE, Report, shown_per_rule
from ragtui.datasets.retrieval_lines.records import KINDS, is_utf8, repair
from ragtui.datasets.retrieval_lines.tally import tally
from ragtui.datasets.workers import available_cpus, spread

_ALONE: Final = 16 << 20  # bytes that are not worth a second process
_CHUNK: Final = 24 << 20
_SMALL_CHUNK: Final = 6 << 20  # of records that are short, and so take longer a byte
_BUFFER: Final = 1 << 18
_UNDECODED: Final = (msgspec.MsgspecError, RecursionError)

# Before a text's first character come its id, its title and at least this much of keys and quotes: as json.dumps spaces it,
# which is less than the shortest second key could add to the tightest spacing. From there the next quote ends the text.
_BEFORE: Final = len('{"_id": "", "text": "')
_BEFORE_TITLED: Final = len('{"_id": "", "title": "", "text": "')
_AFTER: Final = len('"}\r\n')
_PAIR: Final = len('{"query-id":"","corpus-id":"","score":}') + len('"score":1,') - 1
_TAILS: Final = 64
_QUOTE: Final = 0x22  # as a number: so it is searched for fastest
_BACKSLASH: Final = 0x5C

Texts: TypeAlias = "str | list[Any]"
"""Many texts: joined by line feeds, which travels between processes ten times faster, or a list where one holds a line feed."""


@dataclass(frozen=True)
class Range:
    """A part of a file that begins and ends at line starts. ``data`` stands in for the file where it had to be decoded."""

    kind: str
    path: str
    file: str
    start: int
    end: int
    data: bytes | None = None


@dataclass
class Scanned:
    """A range as scanned. ``texts`` and ``numbers`` hold a value per record; ``lines`` its line, ``places`` where that
    begins in the file. Lines are counted from ``base``, which is 0 until all ranges are put in order; ``lines`` is ``None``
    where every line is a record. ``unreadable`` counts lines that hold something, but no record."""

    texts: dict[str, Texts]
    numbers: dict[str, array[float]]
    lines: array[int] | None
    places: array[int]
    line_count: int
    unreadable: int
    report: Report
    base: int = 0

    @property
    def height(self) -> int:
        return len(self.places)

    @property
    def size(self) -> int:
        """Bytes, about."""
        return self.places[-1] - self.places[0] if self.places else 0


def scan(ranges: Sequence[Range]) -> Iterator[Scanned]:
    """Each range (``cut``) scanned, in order; lines are counted from the start of its file. Work begins at once, and in
    several processes where it is worth that; results come as they are taken."""
    weight = sum(part.end - part.start for part in ranges)
    alone = shown_per_rule() != SHOWN_PER_RULE  # what is listed here is not known to other processes
    many = not alone and weight > _ALONE and available_cpus() > 1 and all(part.data is None for part in ranges)
    return _in_order(ranges, spread(scan_range, ranges) if many else map(scan_range, ranges))


def _in_order(ranges: Sequence[Range], found: Iterator[Scanned]) -> Iterator[Scanned]:
    """The results with their lines counted from the start of each file, whose ranges follow one another."""
    line = 0
    for place, part in enumerate(found):
        if place and ranges[place].path != ranges[place - 1].path:
            line = 0
        part.base = line
        if line:
            part.report.findings = [replace(each, line=each.line + line) for each in part.report.findings]
        line += part.line_count
        yield part


def scan_range(part: Range) -> Scanned:
    """One pass over one range, in whichever process."""
    texts, numbers, step = _LOOPS[part.kind]
    kept: dict[str, Any] = {**{name: [] for name in texts}, **{name: array("d") for name in numbers}}
    report = Report(part.file)
    sizes: list[int] = []
    several: dict[int, int] = {}  # how many records lines have that were taken apart
    unreadable = told = 0
    decode = msgspec.json.Decoder(KINDS[part.kind].record).decode
    keep = [column.append for column in kept.values()]
    place, seen = part.start, 0  # brought up to date only where it is asked for
    with _open(part) as stream:
        for raw in step(decode, stream, sizes.append, *keep):
            index = len(sizes) - 1
            records = tally(part.kind, raw, report) if told >= shown_per_rule() else None
            if records is None:
                place, seen = place + sum(sizes[seen:index]), index
                records = repair(part.kind, raw, index + 1, place, report)
                told += 1
            for record in records:
                for name, append in zip(kept, keep, strict=True):
                    append(getattr(record, name))
            if len(records) != 1:
                several[index] = len(records)
                unreadable += not records and bool(raw.strip())
    places = array("Q", accumulate(sizes, initial=part.start))
    places.pop()
    lines: array[int] | None = None
    if several:
        indices = [index for index in range(len(sizes)) for _ in range(several.get(index, 1))]
        lines = array("I", [index + 1 for index in indices])
        places = array("Q", [places[index] for index in indices])
    packed = {name: _packed(kept[name]) for name in texts}
    return Scanned(packed, {name: kept[name] for name in numbers}, lines, places, len(sizes), unreadable, report)


def _documents(
    decode: Callable[[bytes], Any], stream: BinaryIO, size_of: Callable[[int], None], keep_id: Callable[[str], None]
) -> Iterator[bytes]:
    """Keeps sound documents; yields lines that must be taken apart. The size of a line is counted before it is yielded."""
    tails: set[bytes] = set()
    before, titled, after, quote = _BEFORE, _BEFORE_TITLED, -_AFTER, _QUOTE
    for raw in stream:
        size_of(len(raw))
        try:
            record = decode(raw)
        except _UNDECODED:
            yield raw
            continue
        identity, title, text = record.id, record.title, record.text
        start = len(identity) + (before if title is None else titled + len(title))
        there = raw.find(quote, start, after)
        if (there >= 0 and _is_doubtful(raw, start, there, tails)) or text.isspace():
            yield raw
        else:
            keep_id(identity)


def _queries(
    decode: Callable[[bytes], Any],
    stream: BinaryIO,
    size_of: Callable[[int], None],
    keep_id: Callable[[str], None],
    keep_text: Callable[[str], None],
) -> Iterator[bytes]:
    tails: set[bytes] = set()
    before, after, quote = _BEFORE, -_AFTER, _QUOTE
    for raw in stream:
        size_of(len(raw))
        try:
            record = decode(raw)
        except _UNDECODED:
            yield raw
            continue
        text = record.text
        start = len(record.id) + before
        there = raw.find(quote, start, after)
        if (there >= 0 and _is_doubtful(raw, start, there, tails)) or text.isspace():
            yield raw
        else:
            keep_id(record.id)
            keep_text(text)


def _pairs(
    decode: Callable[[bytes], Any],
    stream: BinaryIO,
    size_of: Callable[[int], None],
    keep_query: Callable[[str], None],
    keep_document: Callable[[str], None],
    keep_score: Callable[[float], None],
) -> Iterator[bytes]:
    limit = _PAIR
    for raw in stream:
        size = len(raw)
        size_of(size)
        try:
            record = decode(raw)
        except _UNDECODED:
            yield raw
            continue
        query, document = record.query, record.document
        if size - len(query) - len(document) > limit and _repeats(raw, b'"query-id"', b'"corpus-id"', b'"score"'):
            yield raw
        else:
            keep_query(query)
            keep_document(document)
            keep_score(record.score)


def _rankings(
    decode: Callable[[bytes], Any],
    stream: BinaryIO,
    size_of: Callable[[int], None],
    keep_query: Callable[[str], None],
    keep_ranking: Callable[[list[str]], None],
) -> Iterator[bytes]:
    for raw in stream:
        size_of(len(raw))
        try:
            record = decode(raw)
        except _UNDECODED:
            yield raw
            continue
        if _repeats(raw, b'"query-id"', b'"ranking"'):
            yield raw
        else:
            keep_query(record.query)
            keep_ranking(record.ranking)


_LOOPS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...], Callable[..., Iterator[bytes]]]]] = {
    "corpus": (("id",), (), _documents),
    "queries": (("id", "text"), (), _queries),
    "qrels": (("query", "document"), ("score",), _pairs),
    "hits": (("query", "document"), ("score",), _pairs),
    "rankings": (("query", "ranking"), (), _rankings),
}


def _is_doubtful(raw: bytes, start: int, there: int, tails: set[bytes]) -> bool:
    """Whether a line that decoded may still be at fault: a key twice, or bad bytes in a key that is not read.

    ``start`` is where the text begins if only its id and title come before it, ``there`` the first quote after that.
    ``tails`` remembers what may follow a text.
    """
    first = there
    while raw[there - 1] == _BACKSLASH:  # the text's own: before the first quote of a key there never is one
        there = raw.find(_QUOTE, there + 1, -_AFTER)
        if there < 0:
            return False
    tail = raw[first:]
    if tail in tails:
        return False
    if raw.count(b'"_id"') > 1 or raw.count(b'"text"') > 1 or raw.count(b'"title"') > 1:
        return True
    if not raw.isascii() and not is_utf8(raw):
        return True
    if len(tails) < _TAILS and tail.isascii() and len(tail) < 200 and raw.find(b'"text"', 0, start) > 0:
        tails.add(tail)
    return False


def _repeats(raw: bytes, *keys: bytes) -> bool:
    return any(raw.count(key) > 1 for key in keys) or not (raw.isascii() or is_utf8(raw))


def _packed(values: list[Any]) -> Texts:
    if not values or not isinstance(values[0], str):
        return values
    joined = "\n".join(values)
    return joined if joined.count("\n") == len(values) - 1 else values


class _Window(io.RawIOBase):
    """A raw stream over the bytes of a file from ``start`` to ``end``."""

    def __init__(self, path: str, start: int, end: int) -> None:
        self._stream = open(path, "rb", buffering=0)  # noqa: SIM115
        self._stream.seek(start)
        self._left = end - start

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._stream.readinto(memoryview(buffer)[: self._left]) or 0
        self._left -= count
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()


def _open(part: Range) -> BinaryIO:
    if part.data is not None:
        return io.BytesIO(part.data[part.start : part.end])
    return io.BufferedReader(_Window(part.path, part.start, part.end), _BUFFER)


def cut(kind: str, path: Path, file: str, start: int, data: bytes | None = None) -> Iterator[Range]:
    """A JSON lines file from byte ``start`` in ranges that begin at line starts; one for a file that is small or in memory.

    ``kind`` is a key of ``records.KINDS``; ``file`` is what findings call the file; ``data`` is its text as UTF-8 where
    the file is in another encoding.
    """
    size = path.stat().st_size if data is None else len(data)
    if data is not None or size - start <= _ALONE:
        yield Range(kind, str(path), file, start, size, data)
        return
    chunk = _CHUNK if kind == "corpus" else _SMALL_CHUNK
    with path.open("rb") as stream:
        while start < size:
            end = size
            if start + chunk < size:
                stream.seek(start + chunk - 1)
                stream.readline()
                end = stream.tell()
            yield Range(kind, str(path), file, start, end)
            start = end
