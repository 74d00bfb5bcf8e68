"""Faulty lines past the thousandth: their faults are known by code only and counted, ten times as fast as told in full."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from ragtui.datasets.containers.json_text import is_utf8
from ragtui.datasets.findings import Level, Report, shown_per_rule
from ragtui.datasets.retrieval_lines.records import (
    KINDS,
    Document,
    Field,
    Filled,
    Kind,
    Query,
    Record,
    near_miss,
)

Faults: TypeAlias = list[tuple[str, Level]]
_decode: Final = msgspec.json.Decoder().decode
_ABSENT: Final = object()
_QUOTED: Final = {name: tuple(f'"{field.key}"'.encode() for field in kind.fields) for name, kind in KINDS.items()}


class _Numbered(msgspec.Struct, gc=False, rename={"id": "_id"}):
    """A document or query that is sound but for its id, which is a number: whole corpora are written so."""

    id: Annotated[int, msgspec.Meta(gt=0, lt=1 << 62)]
    text: Filled
    title: str | None = None


_decode_numbered: Final = msgspec.json.Decoder(_Numbered).decode
_ID_NOT_TEXT: Final = ("BEIR102", Level.ERROR)


def tally(name: str, raw: bytes, report: Report) -> list[Record] | None:
    """The records of a line whose faults were all listed often enough, with the faults counted; ``None`` where any was not,
    or where it takes a closer look to know them."""
    if name in ("corpus", "queries") and report.counts.get((report.file, *_ID_NOT_TEXT), 0) >= shown_per_rule():
        record = _numbered(name, raw)
        if record is not None:
            report.counts[report.file, *_ID_NOT_TEXT] += 1
            return [record]
    known = _known(name, raw)
    if known is None:
        return None
    records, faults = known
    counts, file = report.counts, report.file
    for code, level in faults:
        if counts.get((file, code, level), 0) < shown_per_rule():
            return None
    for code, level in faults:
        counts[file, code, level] += 1
    return records if faults else None


def _numbered(name: str, raw: bytes) -> Record | None:
    try:
        found = _decode_numbered(raw)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if raw.count(b'"_id"') > 1 or raw.count(b'"text"') > 1 or raw.count(b'"title"') > 1:
        return None
    if found.text.isspace() or not (raw.isascii() or is_utf8(raw)):
        return None
    text_id = str(found.id)
    return Document(text_id, found.text, found.title) if name == "corpus" else Query(text_id, found.text)


def _known(name: str, raw: bytes) -> tuple[list[Record], Faults] | None:
    """The records of a line and the codes of its faults; ``None`` where that is not plain to see."""
    try:
        value = _decode(raw)
    except msgspec.MsgspecError:
        return _unreadable(raw)
    except RecursionError:
        return [], [("JSON011", Level.ERROR)]
    if type(value) is not dict:
        return [], [("JSON002", Level.ERROR)]
    for key in _QUOTED[name]:
        if raw.count(key) > 1:
            return None
    return _fields(KINDS[name], value)


def _unreadable(raw: bytes) -> tuple[list[Record], Faults] | None:
    if not raw.strip():
        return [], [("BEIR110", Level.WARNING)]
    doubtful = (b"NaN", b"Infinity", b"\\u", b"}{", b"} {", b"\xef\xbb\xbf")
    if not raw.isascii() or not raw.endswith(b"\n") or any(each in raw for each in doubtful):
        return None
    return [], [("JSON001", Level.ERROR)]


def _fields(kind: Kind, value: dict[str, Any]) -> tuple[list[Record], Faults] | None:
    faults: Faults = []
    made: dict[str, Any] = {}
    for field in kind.fields:
        found = _found(field, kind, value, faults)
        if found is _ABSENT:
            continue
        sound = _value(field, kind, found, faults)
        if sound is _ABSENT:
            return None
        made[field.attribute] = sound
    if kind.record in (Document, Query):
        if "id" not in made:
            return [], faults
        if not made.setdefault("text", "").strip():
            return None
    elif len(made) < len(kind.fields):
        return [], faults
    return [kind.record(**made)], faults


def _found(field: Field, kind: Kind, value: Mapping[str, Any], faults: Faults) -> Any:
    """The field's value, under whatever name it goes."""
    found = value.get(field.key, _ABSENT)
    if found is _ABSENT and field.known_as:
        key = near_miss(field, kind, value)
        faults.append(("BEIR101" if key is None else "BEIR105", Level.ERROR))
        return _ABSENT if key is None else value[key]
    return None if found is _ABSENT else found


def _value(field: Field, kind: Kind, value: Any, faults: Faults) -> Any:
    """What is read of a value, ``_ABSENT`` where that is not plain to see."""
    plain = type(value)
    if field.holds == "id":
        if plain is str and value:
            return value
        if plain is int and 0 < abs(value) < 1 << 63:
            faults.append(("BEIR201", Level.WARNING) if kind.references else ("BEIR102", Level.ERROR))
            return str(value)
    elif field.holds == "title":
        if plain is str or value is None:
            return value
    elif field.holds == "text":
        if plain is str:
            return value
    elif field.holds in ("grade", "score") and plain in (int, float):
        return float(value)
    return _ABSENT
