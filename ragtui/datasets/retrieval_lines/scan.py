"""The fast pass over BEIR's JSON lines: one strict decode a line, ids and places kept, texts dropped.

A line that does not decode is taken apart by ``records.repair``. Large files are cut at line starts and spread over
processes; nothing here loads Polars.
"""

from __future__ import annotations

import io
from array import array
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

import msgspec

from ragtui.datasets import workers
from ragtui.datasets.containers.json_text import is_utf8
from ragtui.datasets.findings import SHOWN_PER_RULE, Report, shown_per_rule
from ragtui.datasets.retrieval_lines.records import KINDS, Kind, Record, repair
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
# A line of no other keys repeats none if it is no longer than its values, the least of keys and quotes around them, and a
# byte less than the shortest key could add.
_SPARE: Final = len('{"_id":"","text":""}') + len('"_id":"x",') - 1
_SPARE_TITLED: Final = len('{"_id":"","title":"","text":""}') + len('"_id":"x",') - 1
_PAIR: Final = len('{"query-id":"","corpus-id":"","score":0}') + len('"score":0,')  # that long with a key twice
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
    """A range as scanned, of ``size`` bytes from ``start``. ``texts`` and ``numbers`` hold a value per record; ``lines`` its
    line, ``None`` where every line is a record, counted from ``base``, which is 0 until all ranges are put in order.
    Documents, whose texts are fetched when they are wanted, have ``sizes``, the bytes of each line, or, where not every line
    is a record, ``places``, where theirs begins. ``unreadable`` counts lines that hold something, but no record."""

    texts: dict[str, Texts]
    numbers: dict[str, array[float]]
    lines: array[int] | None
    line_count: int
    unreadable: int
    report: Report
    places: array[int] | None = None
    sizes: array[int] | None = None
    start: int = 0
    size: int = 0
    base: int = 0


def scan(ranges: Sequence[Range]) -> Iterator[Scanned]:
    """Each range (``cut``) scanned, in order; lines are counted from the start of its file. Work begins at once, and in
    several processes where it is worth that; results come as they are taken."""
    weight = sum(part.end - part.start for part in ranges)
    alone = shown_per_rule() != SHOWN_PER_RULE  # what is listed here is not known to other processes
    many = not alone and weight > _ALONE and available_cpus() > 1 and all(part.data is None for part in ranges)
    return _in_order(ranges, spread(scan_range, ranges) if many else map(scan_range, ranges))


def begin_ahead(corpus: Path) -> None:
    """Starts on a large corpus while what will ask for it is still being loaded."""
    workers.start_ahead()
    workers.begin_ahead(scan_range, [*islice(cut("corpus", corpus, corpus.name, 0), available_cpus())])


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
    sizes = array("Q")
    several: dict[int, int] = {}  # how many records lines have that were taken apart
    unreadable = told = 0
    place, seen = part.start, 0  # brought up to date only where it is asked for
    with _open(part) as stream:
        for raw in step(KINDS[part.kind], stream, sizes, *kept.values()):
            index = len(sizes) - 1
            records = tally(part.kind, raw, report) if told >= shown_per_rule() else None
            if records is None:
                place, seen = place + sum(sizes[seen:index]), index
                records = repair(part.kind, raw, index + 1, place, report)
                told += 1
            for record in records:
                for name, column in kept.items():
                    column.append(getattr(record, name))
            if len(records) != 1:
                several[index] = len(records)
                unreadable += not records and bool(raw.strip())
    found = Scanned(
        texts={name: _packed(kept[name]) for name in texts},
        numbers={name: kept[name] for name in numbers},
        lines=None,
        line_count=len(sizes),
        unreadable=unreadable,
        report=report,
        start=part.start,
        size=part.end - part.start,
    )
    if several:
        indices = [index for index in range(len(sizes)) for _ in range(several.get(index, 1))]
        found.lines = array("I", [index + 1 for index in indices])
        places = list(accumulate(sizes, initial=part.start))
        found.places = array("Q", [places[index] for index in indices]) if part.kind == "corpus" else None
    elif part.kind == "corpus":
        found.sizes = sizes
    return found


def _documents(kind: Kind, stream: Iterable[bytes], sizes: array[int], ids: list[str]) -> Iterator[bytes]:
    """Keeps sound documents; yields lines that must be taken apart. The size of a line is kept before it is yielded."""
    tails: set[bytes] = set()
    other = yield from _documents_alone(kind, stream, sizes, ids, tails)
    if other is None:
        return
    decode = _decoder(kind.record)
    for raw in chain((other,), _sized(stream, sizes)):
        try:
            record = decode(raw)
        except _UNDECODED:
            yield raw
            continue
        if _may_repeat(raw, record.id, record.title, tails) or record.text.isspace():
            yield raw
        else:
            ids.append(record.id)


def _documents_alone(
    kind: Kind, stream: Iterable[bytes], sizes: array[int], ids: list[str], tails: set[bytes]
) -> Generator[bytes, None, bytes | None]:
    """As ``_documents``, up to the first line that has other keys or does not decode, which it returns: the rest of the
    range is likely to be like it."""
    decode = _decoder(kind.alone or kind.record)
    size_of, keep, untitled, titled = sizes.append, ids.append, _SPARE, _SPARE_TITLED
    for raw in stream:
        size = len(raw)
        size_of(size)
        try:
            record = decode(raw)
        except _UNDECODED:
            return raw
        identity, title, text = record.id, record.title, record.text
        spare = size - len(identity) - len(text) - (untitled if title is None else titled + len(title))
        if (spare > 0 and _may_repeat(raw, identity, title, tails)) or text.isspace():
            yield raw
        else:
            keep(identity)
    return None


def _decoder(record: type[Record]) -> Callable[[bytes], Any]:
    return msgspec.json.Decoder(record).decode


def _sized(stream: Iterable[bytes], sizes: array[int]) -> Iterator[bytes]:
    for raw in stream:
        sizes.append(len(raw))
        yield raw


def _queries(
    kind: Kind, stream: Iterable[bytes], sizes: array[int], ids: list[str], texts: list[str]
) -> Iterator[bytes]:
    decode = _decoder(kind.record)
    tails: set[bytes] = set()
    for raw in _sized(stream, sizes):
        try:
            record = decode(raw)
        except _UNDECODED:
            yield raw
            continue
        identity, text = record.id, record.text
        if _may_repeat(raw, identity, None, tails) or text.isspace():
            yield raw
        else:
            ids.append(identity)
            texts.append(text)


def _pairs(
    kind: Kind,
    stream: Iterable[bytes],
    sizes: array[int],
    queries: list[str],
    documents: list[str],
    scores: array[float],
) -> Iterator[bytes]:
    alone, decode = _decoder(kind.alone or kind.record), _decoder(kind.record)
    size_of, keep_query, keep_document, keep_score = sizes.append, queries.append, documents.append, scores.append
    shortest = _PAIR
    for raw in stream:
        size = len(raw)
        size_of(size)
        try:
            record = alone(raw)
            spare = size - len(record.query) - len(record.document) - shortest
        except _UNDECODED:
            try:
                record = decode(raw)  # which may have other keys
                spare = 0
            except _UNDECODED:
                yield raw
                continue
        if spare >= 0 and _repeats(raw, b'"query-id"', b'"corpus-id"', b'"score"'):
            yield raw
        else:
            keep_query(record.query)
            keep_document(record.document)
            keep_score(record.score)


def _rankings(
    kind: Kind, stream: Iterable[bytes], sizes: array[int], queries: list[str], rankings: list[list[str]]
) -> Iterator[bytes]:
    decode = _decoder(kind.record)
    for raw in _sized(stream, sizes):
        try:
            record = decode(raw)
        except _UNDECODED:
            yield raw
            continue
        if _repeats(raw, b'"query-id"', b'"ranking"'):
            yield raw
        else:
            queries.append(record.query)
            rankings.append(record.ranking)


_LOOPS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...], Callable[..., Iterator[bytes]]]]] = {
    "corpus": (("id",), (), _documents),
    "queries": (("id", "text"), (), _queries),
    "qrels": (("query", "document"), ("score",), _pairs),
    "hits": (("query", "document"), ("score",), _pairs),
    "rankings": (("query", "ranking"), (), _rankings),
}


def _may_repeat(raw: bytes, identity: str, title: str | None, tails: set[bytes]) -> bool:
    """Whether a line that decoded may still be at fault: a key twice, or bad bytes in a key that is not read. ``tails``
    remembers what may follow a text."""
    start = len(identity) + (_BEFORE if title is None else _BEFORE_TITLED + len(title))
    first = there = raw.find(_QUOTE, start, -_AFTER)
    while there >= 0 and raw[there - 1] == _BACKSLASH:  # the text's own: before a quote of a key there never is one
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
    first = usual = last = _SMALL_CHUNK
    if (
        kind == "corpus"
    ):  # begun while the program still loads, and at the end shared so that all processes end together
        first = max(_CHUNK, min(3 * _CHUNK, (size - start) // (4 * available_cpus())))
        usual, last = _CHUNK, _CHUNK // 4
    behind_first = start + first * available_cpus()
    with path.open("rb") as stream:
        while start < size:
            end = size
            chunk = first if start < behind_first else usual if size - start > 4 * usual else last
            if start + chunk < size:
                stream.seek(start + chunk - 1)
                stream.readline()
                end = stream.tell()
            yield Range(kind, str(path), file, start, end)
            start = end
