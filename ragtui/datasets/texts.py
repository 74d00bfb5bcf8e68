"""Texts that are not kept in memory: documents of a corpus by their place in the file, and rows as they stand there."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ragtui.datasets.dataset import Dataset
from ragtui.text import storable

if TYPE_CHECKING:
    import polars as pl

_LONGEST: Final = 64 << 20
_ID_KEYS: Final = ("_id", "id", "doc_id", "docid", "doc-id", "document_id", "corpus-id", "corpus_id", "pid")
_TEXT_KEYS: Final = ("text", "contents", "content", "body", "document", "passage", "context")


@dataclass(frozen=True, slots=True)
class Text:
    """One document: its id, title (empty where it has none) and text, and the line it stands on."""

    doc_id: str
    title: str
    text: str
    line: int

    @property
    def whole(self) -> str:
        """Title and text as MTEB and EvalScope join them: with one space."""
        return f"{self.title} {self.text}".strip() if self.title else self.text


def documents(dataset: Dataset, ids: Collection[str]) -> dict[str, Text]:
    """The documents with these ids, read from the file at their places; ids the corpus does not have are left out. Of
    several documents with one id it is the last, as every loader takes it."""
    import polars as pl

    if dataset.corpus is None or not ids:
        return {}
    wanted = pl.DataFrame({"doc_id": list(ids)}, schema={"doc_id": pl.String})
    found = dataset.corpus.lazy().join(wanted.lazy().unique(), on="doc_id", how="semi").sort("line").collect()
    return {text.doc_id: text for text in _read(dataset, found)}


def corpus(dataset: Dataset, batch: int = 4096) -> Iterator[list[Text]]:
    """All documents in the order of the file, some thousand at a time."""
    if dataset.corpus is None:
        return
    for start in range(0, dataset.corpus.height, batch):
        yield list(_read(dataset, dataset.corpus.slice(start, batch)))


def raw_line(path: Path, line: int, limit: int = 1 << 20) -> str:
    """A physical line of a text file as it stands, without its end, cut after ``limit`` bytes; ``""`` past the end.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as stream:
        for _ in range(line - 1):
            if not stream.readline():
                return ""
        raw = stream.readline(limit)
    return raw.decode("utf-8-sig" if line == 1 else "utf-8", "replace").rstrip("\r\n")


def _read(dataset: Dataset, places: pl.DataFrame) -> Iterator[Text]:
    """The documents at these places (``doc_id, line, offset``)."""
    if dataset.corpus_path is None:
        return
    read = _trec_document if dataset.format == "trec" else _json_document
    with _utf8(dataset.corpus_path) as stream:
        for doc_id, line, offset in places.select("doc_id", "line", "offset").iter_rows():
            stream.seek(offset)
            title, text = read(stream, doc_id)
            yield Text(doc_id, storable(title), storable(text), line)


def _utf8(path: Path) -> BinaryIO:
    """The file, or its text as UTF-8 where it is in another encoding: offsets are counted in that."""
    from io import BytesIO

    from ragtui.datasets.formats.beir.parts import as_utf8

    recoded = as_utf8(path)
    return path.open("rb") if recoded is None else BytesIO(recoded[0])


def _json_document(stream: BinaryIO, doc_id: str) -> tuple[str, str]:
    """Title and text of the object here. Where several objects share the line, the one with the id is taken."""
    first: dict[str, Any] | None = None
    for record in _objects(stream):
        first = first or record
        if any(str(record.get(key)) == doc_id for key in _ID_KEYS):
            return _title_and_text(record)
    return _title_and_text(first or {})


def _objects(stream: BinaryIO) -> Iterator[dict[str, Any]]:
    """The objects from here to the end of the line, or of the first one where that goes on over several lines."""
    import msgspec

    raw = stream.readline()
    try:  # nearly every line is one sound object, which this reads five times as fast
        record = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        record = None
    if isinstance(record, dict):
        yield record
        return
    decode = json.JSONDecoder(strict=False).raw_decode
    while len(raw) < _LONGEST:
        text = raw.decode("utf-8", "replace")
        position, found = 0, False
        try:
            while position < len(text):
                value, position = decode(
                    text, position + len(text[position:]) - len(text[position:].lstrip(" \t\r\n,"))
                )
                found = True
                if isinstance(value, dict):
                    yield value
        except (ValueError, RecursionError):
            pass
        more = stream.readline()
        if found or not more:
            return
        raw += more


def _title_and_text(record: dict[str, Any]) -> tuple[str, str]:
    title = record.get("title")
    text = next((record[key] for key in _TEXT_KEYS if isinstance(record.get(key), str)), "")
    return (title if isinstance(title, str) else ""), text


def _trec_document(stream: BinaryIO, doc_id: str) -> tuple[str, str]:
    from ragtui.datasets.formats.trec import document_at

    return document_at(stream)
