"""Which files of a folder are the parts of a BEIR set, judged by their names and by what their first lines hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from ragtui.datasets.containers.encoding import decode, decode_head
from ragtui.datasets.findings import Finding, More

_HEAD: Final = 1 << 16
_LOOKED_AT: Final = 20  # records
_RUN_NAMES: Final = ("run", "result", "prediction", "ranking")
_RUN_SUFFIXES: Final = {".jsonl", ".json", ".tsv", ".txt", ".trec", ".run"}
_ID_KEYS: Final = {"_id", "id", "doc_id", "docid", "qid", "query_id"}
_TEXT_KEYS: Final = {"text", "contents", "content", "body", "query", "question", "title"}
_QUERY_KEYS: Final = {"query-id", "query_id", "qid"}
_DOCUMENT_KEYS: Final = {"corpus-id", "corpus_id", "doc_id", "docid", "doc-id"}
_GRADE_KEYS: Final = {"score", "relevance", "rel", "grade", "label"}
_KEY: Final = re.compile(r'"([A-Za-z_-]+)"\s*:')


@dataclass(frozen=True)
class Parts:
    """The files of one set. ``splits`` are the judgments by the name of their split; ``unused`` are files that look like
    parts but are not read, with the reason."""

    corpus: Path | None = None
    queries: Path | None = None
    qrels: Path | None = None
    splits: Mapping[str, Path] = field(default_factory=dict)
    runs: tuple[Path, ...] = ()
    unused: tuple[tuple[Path, str], ...] = ()

    @property
    def judgments(self) -> bool:
        return self.qrels is not None or bool(self.splits)

    def files(self) -> list[Path]:
        """Every file that belongs to the set, unused ones too."""
        single = [path for path in (self.corpus, self.queries, self.qrels) if path is not None]
        return [*single, *self.splits.values(), *self.runs, *(path for path, _ in self.unused)]


def parts_of(folder: Path, splits_first: bool = False) -> Parts:
    """The parts that lie in ``folder``, in ``qrels/`` and in ``runs/`` below it. Of judgments in both forms ``qrels.jsonl`` is
    taken, or the splits with ``splits_first``."""
    files = {path.name.lower(): path for path in sorted(folder.iterdir(), reverse=True) if path.is_file()}
    qrels = files.get("qrels.jsonl")
    below = folder / "qrels"
    splits = {path.stem: path for path in _below(below) if path.suffix == ".tsv"}
    unused: list[tuple[Path, str]] = []
    if qrels is not None and splits and splits_first:
        unused.append((qrels, "qrels/<split>.tsv is read in its place"))
        qrels = None
    elif qrels is not None and splits:
        unused += [(path, "qrels.jsonl is read in its place") for path in splits.values()]
        splits = {}
    taken = {"corpus.jsonl", "queries.jsonl", "qrels.jsonl"}
    rest = [path for name, path in sorted(files.items()) if name not in taken and not is_leftover(path)]
    runs = [path for path in (*rest, *_below(folder / "runs")) if is_run(path)]
    for path in rest:
        if path not in runs and path.suffix.lower() == ".tsv" and _looks_like_judgments(path):
            unused.append((path, "judgments are read from qrels.jsonl or qrels/<split>.tsv"))
    return Parts(files.get("corpus.jsonl"), files.get("queries.jsonl"), qrels, splits, tuple(runs), tuple(unused))


def is_leftover(path: Path) -> bool:
    """Whether the file is a fix or a backup that ragtui itself wrote."""
    return path.suffix == ".orig" or ".fixed" in path.suffixes


def kind_of_lines(path: Path) -> str | None:
    """What the first records of a JSON lines file are: ``corpus``, ``queries``, ``qrels``, ``hits``, ``rankings``."""
    keys = first_keys(path)
    if not keys:
        return None
    if keys & _QUERY_KEYS and keys & {"ranking"}:
        return "rankings"
    if keys & _QUERY_KEYS and keys & _DOCUMENT_KEYS and keys & (_GRADE_KEYS | {"rank"}):
        named = path.name.lower()
        return "hits" if named.startswith(_RUN_NAMES) or "rank" in keys else "qrels"
    if "_id" in keys and keys & _TEXT_KEYS:
        return "queries" if "quer" in path.name.lower() else "corpus"
    return None


def looks_like(kind: str, path: Path) -> bool:
    """Whether the first records of a file have the keys of its kind, or usual names for them."""
    keys = first_keys(path)
    if kind in ("corpus", "queries"):
        return bool(keys & _ID_KEYS and keys & _TEXT_KEYS)
    return bool(keys & (_QUERY_KEYS | {"query"}) and keys & _DOCUMENT_KEYS)


def first_keys(path: Path) -> set[str]:
    """The keys of the first records that can be read, of JSON lines or of a JSON array."""
    head = decode_head(_head(path))
    if head.text is None:
        return set()
    keys: set[str] = set()
    for record in _first_records(head.text):
        keys.update(record)
    return keys or set(_KEY.findall(head.text[:4096]))


def is_run(path: Path) -> bool:
    """Whether a file is a retrieval run: named like one and, in its first lines, written like one."""
    suffix = path.suffix.lower()
    if suffix not in _RUN_SUFFIXES or not (path.name.lower().startswith(_RUN_NAMES) or path.parent.name == "runs"):
        return False
    if suffix in (".jsonl", ".json"):
        return kind_of_lines(path) in ("hits", "rankings") or is_predictions(path)
    head = decode_head(_head(path)).text or ""
    lines = [line.split() for line in head.splitlines()[:_LOOKED_AT] if line.strip()]
    return bool(lines) and sum(is_trec_hit(fields) for fields in lines) > len(lines) / 2


def is_trec_hit(fields: list[str]) -> bool:
    """Whether fields are ``query Q0 document rank score tag``; anything may follow the tag."""
    return len(fields) >= 6 and fields[1].upper() in ("Q0", "0") and _is_number(fields[3]) and _is_number(fields[4])


def is_predictions(path: Path) -> bool:
    """Whether a JSON file maps query ids to ``{document id: score}``, as MTEB writes predictions (below a subset and split
    or not)."""
    head = (decode_head(_head(path)).text or "")[:4096].lstrip()
    inner = head[1:].lstrip().split(":", 1)[-1].lstrip() if head.startswith('{"') else ""
    for _ in range(3):
        if not inner.startswith("{"):
            return False
        value = inner[1:].lstrip().split(":", 1)[-1].lstrip()
        if value[:1].isdigit() or value[:1] == "-":
            return True
        inner = value
    return False


def _looks_like_judgments(path: Path) -> bool:
    head = decode_head(_head(path)).text or ""
    lines = [line for line in head.splitlines()[:_LOOKED_AT] if line.strip()]
    fields = [line.split("\t") for line in lines[1:]]
    return bool(fields) and all(len(each) == 3 and _is_number(each[2]) for each in fields[:-1] or fields)


def _below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(_HEAD)


def _first_records(text: str) -> Iterator[Mapping[str, object]]:
    seen = 0
    for line in text.lstrip("\ufeff").split("\n"):
        if not line.strip():
            continue
        seen += 1
        if seen > _LOOKED_AT:
            return
        try:
            value = msgspec.json.decode(line)
        except (msgspec.MsgspecError, RecursionError):
            yield from _array_records(text) if seen == 1 else ()
            continue
        if isinstance(value, dict):
            yield value
        elif isinstance(value, list):
            yield from (each for each in value[:_LOOKED_AT] if isinstance(each, dict))


def _array_records(text: str) -> Iterator[Mapping[str, object]]:
    """The first objects of an array or of objects over several lines; the text may be cut off."""
    import json

    position = text.find("{")
    for _ in range(_LOOKED_AT):
        if position < 0:
            return
        try:
            value, position = json.JSONDecoder().raw_decode(text, position)
        except (ValueError, RecursionError):
            return
        if isinstance(value, dict):
            yield value
        position = text.find("{", position)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def as_utf8(path: Path) -> tuple[bytes, tuple[Finding | More, ...]] | None:
    """The file's text as UTF-8 with what is wrong with its encoding, ``None`` where it is UTF-8 as it stands."""
    if decode_head(_head(path)).encoding in (None, "utf-8"):
        return None
    decoded = decode(path.read_bytes())
    return decoded.text.encode("utf-8", "replace"), decoded.findings
