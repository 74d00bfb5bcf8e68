"""TREC files: judgments (qrels), runs, topics and documents, as the Text Retrieval Conference writes them."""

from __future__ import annotations

import html
import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from ragtui.datasets.containers.encoding import decode, decode_head
from ragtui.datasets.dataset import Dataset, Shape
from ragtui.datasets.findings import Report
from ragtui.datasets.formats import ReadOptions, Sniff, Source
from ragtui.datasets.formats.beir.parts import is_trec_hit
from ragtui.datasets.rules import run_rules
from ragtui.datasets.rules import trec as rules

if TYPE_CHECKING:
    import polars as pl

_HEAD: Final = 1 << 16
_LOOKED_AT: Final = 50
_FEW: Final = 10
_NO_DATA: Final = {".csv", ".json", ".jsonl", ".xlsx", ".md", ".py", ".toml", ".zip", ".html"}
_DOCUMENT: Final = re.compile(rb"<DOC>\s*(.*?)</DOC>", re.DOTALL | re.IGNORECASE)
_BOUND: Final = re.compile(rb"<(/?)DOC>", re.IGNORECASE)
_NUMBER: Final = re.compile(rb"<DOCNO>\s*(.*?)\s*</DOCNO>", re.DOTALL | re.IGNORECASE)
_TITLE: Final = re.compile(r"<(TITLE|HEADLINE|HL)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_TAG: Final = re.compile(r"<[^<>]{1,40}>")
_TOPIC: Final = re.compile(r"<top>(.*?)(?:</top>|(?=<top>)|\Z)", re.DOTALL | re.IGNORECASE)
_TOPIC_FIELD: Final = re.compile(
    r"<(\w+)>\s*(?:Number:|Topic:|Description:|Narrative:)?\s*(.*?)(?=<|\Z)", re.DOTALL | re.IGNORECASE
)
_KINDS: Final = ("documents", "topics", "qrels", "run")


@dataclass(frozen=True)
class TrecParts:
    """The files of one TREC set by what they hold; of several of a kind the first, but all runs."""

    documents: Path | None = None
    topics: Path | None = None
    qrels: Path | None = None
    runs: tuple[Path, ...] = ()

    def files(self) -> list[Path]:
        return [path for path in (self.documents, self.topics, self.qrels, *self.runs) if path is not None]


class Trec:
    """The format of a TREC file, or of a folder whose documents, topics and judgments belong together."""

    id = "trec"
    title = "TREC collection"
    folders = True
    by_head = True  # sniffing reads no more than the first lines
    platforms = ("trec",)

    def sniff(self, source: Source) -> Sniff | None:
        if source.is_folder:
            parts = parts_of(source.path)
            if parts.documents is None and not (parts.topics and parts.qrels):
                return None
            names = ", ".join(path.name for path in parts.files()[:4])
            return Sniff(70, f"a folder with TREC files: {names}")
        kind = kind_of(source.path)
        return None if kind is None else Sniff(85 if kind in ("documents", "topics") else 65, f"TREC {kind}")

    def parts(self, source: Source) -> frozenset[Path]:
        """The files of a folder that belong to its set."""
        return frozenset(parts_of(source.path).files()) if source.is_folder else frozenset()

    def read(self, source: Source, sniff: Sniff, report: Report, options: ReadOptions) -> list[Dataset]:
        from ragtui.datasets.formats.beir.lines import read_trec_judgments, read_trec_run
        from ragtui.datasets.retrieval import RetrievalSet

        parts = parts_of(source.path) if source.is_folder else _alone(source.path)
        files = {path: _file_name(source, path) for path in parts.files()}

        def reported(path: Path) -> Report:
            return Report(files[path])

        reports = {path: reported(path) for path in files}
        documents = read_documents(parts.documents, reports[parts.documents]) if parts.documents else None
        topics = read_topics(parts.topics, reports[parts.topics]) if parts.topics else None
        judgments = read_trec_judgments(parts.qrels, reports[parts.qrels]) if parts.qrels else None
        runs = {path.name: read_trec_run(path, reports[path]) for path in parts.runs}
        for each in reports.values():
            report.merge(each)
        whole = RetrievalSet(
            documents=documents, queries=topics, judgments=judgments, runs=runs,
            documents_file=files.get(parts.documents, "") if parts.documents else "",
            queries_file=files.get(parts.topics, "") if parts.topics else "",
            judgments_file=files.get(parts.qrels, "") if parts.qrels else "",
            run_files={path.name: files[path] for path in parts.runs},
        )  # fmt: skip
        run_rules(whole, report, options.runs)
        return [
            Dataset(
                name=source.path.name if source.is_folder else source.path.stem, path=source.shown, location=source.path,
                format=self.id, why=sniff.why, shape=Shape.RETRIEVAL, corpus=documents,
                queries=whole.asked(options.limit), qrels=whole.used_judgments, runs=whole.used_runs(), corpus_path=parts.documents,
                counts=whole.sizes(),
            )
        ]  # fmt: skip


FORMAT: Final = Trec()


def parts_of(folder: Path) -> TrecParts:
    """The TREC files that lie in ``folder``."""
    kinds: dict[str, list[Path]] = {kind: [] for kind in _KINDS}
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith(".") and (kind := kind_of(path)) is not None:
            kinds[kind].append(path)
    first = {kind: paths[0] if paths else None for kind, paths in kinds.items()}
    return TrecParts(first["documents"], first["topics"], first["qrels"], tuple(kinds["run"]))


def kind_of(path: Path) -> str | None:
    """What a file holds, by its first lines: ``documents``, ``topics``, ``qrels``, ``run``."""
    if path.suffix.lower() in _NO_DATA:
        return None
    with path.open("rb") as stream:
        data = stream.read(_HEAD)
    text = decode_head(data).text
    if text is None:
        return None
    start = text.lstrip()[:5].lower()
    if start == "<doc>":
        return "documents"
    if start == "<top>":
        return "topics"
    lines = [line.split() for line in text.split("\n")[:_LOOKED_AT] if line.strip()]
    if len(data) == _HEAD or not lines:
        lines = lines[:-1] or lines
    if _mostly(is_trec_hit, lines):
        return "run"
    return "qrels" if _mostly(_is_judgment, lines) else None


def _mostly(fits: Callable[[list[str]], bool], lines: list[list[str]]) -> bool:
    """Whether lines are what they should be, but for some faulty ones; of a few lines the first must be right."""
    right = sum(map(fits, lines))
    if not lines:
        return False
    return right > 0.8 * len(lines) or (len(lines) < _FEW and right >= 0.5 * len(lines) and fits(lines[0]))


def _is_judgment(fields: list[str]) -> bool:
    return len(fields) == 4 and fields[1] in ("0", "Q0", "1") and re.fullmatch(r"-?\d+", fields[3]) is not None


def read_documents(path: Path, report: Report) -> pl.DataFrame:
    """``doc_id, line, offset`` of every ``<DOC>``; texts stay in the file."""
    import polars as pl

    decoded = decode(path.read_bytes())
    report.extend(decoded.findings)
    data = path.read_bytes() if decoded.encoding == "utf-8" else decoded.text.encode("utf-8", "replace")
    ids: list[str] = []
    lines, offsets = array("I"), array("Q")
    line, counted = 1, 0
    for start, end in _documents(data):
        line += data.count(b"\n", counted, start)
        counted = start
        if end is None:
            report.add(rules.not_closed(line, "<DOC>"))
            continue
        number = _NUMBER.search(data, start, end)
        if number is None or not number[1]:
            report.add(rules.no_number(line))
            continue
        ids.append(number[1].decode("utf-8", "replace"))
        lines.append(line)
        offsets.append(start)
    return pl.DataFrame(
        [
            pl.Series("doc_id", ids, dtype=pl.String),
            pl.Series("line", lines, dtype=pl.UInt32),
            pl.Series("offset", offsets, dtype=pl.UInt64),
        ]
    )


def _documents(data: bytes) -> Iterator[tuple[int, int | None]]:
    """Where each ``<DOC>`` begins and ends; no end where another begins, or the file ends, before it is closed."""
    start: int | None = None
    for bound in _BOUND.finditer(data):
        if start is not None:
            yield start, bound.start() if bound[1] else None
        start = None if bound[1] else bound.start()
    if start is not None:
        yield start, None


def read_topics(path: Path, report: Report) -> pl.DataFrame:
    """``query_id, text, line`` of every ``<top>``: its number and its title (its description where it has none)."""
    import polars as pl

    decoded = decode(path.read_bytes())
    report.extend(decoded.findings)
    rows: list[tuple[str, str, int]] = []
    line, counted = 1, 0
    for match in _TOPIC.finditer(decoded.text):
        line += decoded.text.count("\n", counted, match.start())
        counted = match.start()
        fields = {
            name.lower(): " ".join(html.unescape(value).split()) for name, value in _TOPIC_FIELD.findall(match[1])
        }
        number, text = fields.get("num", ""), fields.get("title") or fields.get("desc", "")
        if not number:
            report.add(rules.no_number(line))
            continue
        if not text:
            report.add(rules.empty_topic(line, number))
        rows.append((number, text, line))
    return pl.DataFrame(rows, schema={"query_id": pl.String, "text": pl.String, "line": pl.UInt32}, orient="row")


def document_at(stream: BinaryIO) -> tuple[str, str]:
    """Title and text of the ``<DOC>`` that begins here, tags taken off."""
    lines: list[bytes] = []
    for raw in stream:
        lines.append(raw)
        if b"</doc>" in raw.lower():
            break
    match = _DOCUMENT.search(b"".join(lines))
    inner = _NUMBER.sub(b"", match[1] if match else b"").decode("utf-8", "replace")
    title = _TITLE.search(inner)
    body = _TAG.sub(" ", inner[: title.start()] + inner[title.end() :] if title else inner)
    return _plain(title[2]) if title else "", _plain(body)


def _plain(text: str) -> str:
    return html.unescape(text).strip()


def _alone(path: Path) -> TrecParts:
    kind = kind_of(path) or "qrels"
    if kind == "run":
        return TrecParts(runs=(path,))
    return TrecParts(
        documents=path if kind == "documents" else None,
        topics=path if kind == "topics" else None,
        qrels=path if kind == "qrels" else None,
    )


def _file_name(source: Source, path: Path) -> str:
    if not source.is_folder:
        return source.file
    return f"{source.file}/{path.name}" if source.file else path.name
