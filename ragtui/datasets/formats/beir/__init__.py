"""BEIR folders: corpus, queries and judgments, as BEIR, MTEB and EvalScope read them, with run files beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragtui.datasets.dataset import Dataset, Shape
from ragtui.datasets.findings import Report
from ragtui.datasets.formats import ReadOptions, Sniff, Source
from ragtui.datasets.formats.beir.parts import Parts, first_keys, kind_of_lines, looks_like, parts_of
from ragtui.datasets.formats.beir.titles import untitled
from ragtui.datasets.rules import beir as rules
from ragtui.datasets.rules import rules as all_rules
from ragtui.datasets.rules import run_rules

if TYPE_CHECKING:
    import polars as pl

    from ragtui.datasets.formats.beir.frames import Part

_OWN_KEYS: Final = {"_id", "text", "title", "metadata"}
_NAMES: Final = {
    "corpus": "corpus.jsonl",
    "queries": "queries.jsonl",
    "judgments": "qrels.jsonl or qrels/<split>.tsv",
}


class Beir:
    """The format of a folder whose corpus, queries and judgments belong together, or of one such file alone."""

    id = "beir"
    title = "BEIR retrieval set"
    folders = True
    by_head = True  # sniffing reads no more than the first lines
    platforms = rules.TOOLS

    def sniff(self, source: Source) -> Sniff | None:
        if not source.is_folder:
            return _sniff_file(source.path)
        parts = parts_of(source.path)
        there = [name for name in ("corpus", "queries", "judgments") if getattr(parts, name)]
        sound = [
            kind for kind in ("corpus", "queries", "qrels") if (path := getattr(parts, kind)) and looks_like(kind, path)
        ]
        if not there or not (sound or parts.splits):
            return None
        names = [path.name for path in (parts.corpus, parts.queries, parts.qrels) if path]
        names += [f"qrels/{path.name}" for path in parts.splits.values()][:2]
        if parts.corpus is None and parts.queries is None:
            return None
        return Sniff((60, 80, 95)[len(there) - 1], f"a folder with {', '.join(names)}")

    def parts(self, source: Source) -> frozenset[Path]:
        """The files of a folder that belong to its set and so are no datasets of their own."""
        return frozenset(parts_of(source.path).files()) if source.is_folder else frozenset()

    def read(self, source: Source, sniff: Sniff, report: Report, options: ReadOptions) -> list[Dataset]:
        reading = _Reading(source, report, options)
        by_split = options.platform == "beir"
        parts = parts_of(source.path, by_split) if source.is_folder else _alone(source.path)
        if source.is_folder:
            for name, missing in _NAMES.items():
                if not getattr(parts, name):
                    report.add(rules.missing_part(name, missing))
            if options.platform in rules.TOOLS and parts.judgments and (parts.qrels is None) is not by_split:
                forms = ("qrels/<split>.tsv", "qrels.jsonl")
                report.add(rules.judgments_elsewhere(options.platform, *(forms if by_split else reversed(forms))))
        for path, why in parts.unused:
            report.add(rules.unused_file(reading.name_of(path), why))
        return [reading.dataset(parts, sniff)]


FORMAT: Final = Beir()


def _sniff_file(path: Path) -> Sniff | None:
    if path.suffix.lower() not in (".jsonl", ".json", ".ndjson"):
        return None
    kind = kind_of_lines(path)
    if kind is None:
        return None
    keys = first_keys(path)
    sure = kind in ("qrels", "hits", "rankings") or keys <= _OWN_KEYS
    return Sniff(80 if sure else 55, f"{kind} of a retrieval set: {', '.join(sorted(keys)[:4])}")


def _alone(path: Path) -> Parts:
    """The set that one file makes."""
    kind = path.stem.lower() if path.stem.lower() in ("corpus", "queries", "qrels") else kind_of_lines(path)
    if path.suffix.lower() in (".tsv", ".txt"):
        return Parts(splits={path.stem: path})
    if kind in ("hits", "rankings"):
        return Parts(runs=(path,))
    return Parts(**{kind or "corpus": path})  # type: ignore[arg-type]


@dataclass
class _Reading:
    """One set while it is read."""

    source: Source
    report: Report
    options: ReadOptions
    unreadable: dict[str, int] = field(default_factory=dict)
    whole: bool = True

    def name_of(self, path: Path) -> str:
        """What findings call a file of the set."""
        if not self.source.is_folder:
            return self.source.file
        inside = path.relative_to(self.source.path).as_posix()
        return f"{self.source.file}/{inside}" if self.source.file else inside

    def dataset(self, parts: Parts, sniff: Sniff) -> Dataset:
        """All parts read, checked against each other, and put together."""
        kinds = (
            "qrels",
            "queries",
            "corpus",
        )  # judgments take the longest to become a frame, and can while others work
        named = {kind: path for kind in kinds if (path := getattr(parts, kind)) is not None}
        read = self.read(named)
        corpus, queries, qrels = read.get("corpus"), read.get("queries"), read.get("qrels")
        from ragtui.datasets.formats.beir.runs import read_run
        from ragtui.datasets.retrieval import RetrievalSet
        from ragtui.datasets.rules.retrieval_sets import double_encoded_queries

        self.titles(parts.corpus)
        split = self.split(parts, qrels)
        judgments, elsewhere = self.judgments(parts, qrels, split)
        runs = {path.name: read_run(path, self.name_of(path), self.report) for path in parts.runs}
        judged = qrels.file if qrels else self.name_of(parts.splits[split]) if split else ""
        whole = RetrievalSet(
            documents=corpus.corpus() if corpus else None,
            queries=queries.queries() if queries else None,
            judgments=judgments,
            runs=runs,
            documents_file=corpus.file if corpus else "",
            queries_file=queries.file if queries else "",
            judgments_file=judged,
            run_files={path.name: self.name_of(path) for path in parts.runs},
            unreadable=self.unreadable,
            whole=self.whole,
            judged_elsewhere=elsewhere,
        )
        for frame, file, noun in (
            (whole.documents, whole.documents_file, "documents"),
            (whole.queries, whole.queries_file, "queries"),
            (whole.judgments, whole.judgments_file, "judgments"),
        ):
            if frame is not None and not frame.height and not self.unreadable.get(file):
                self.report.add(rules.empty_part(file, noun))
        run_rules(whole, self.report, self.options.runs, threads=2)
        self.report.extend(double_encoded_queries(whole))
        return Dataset(
            name=self.source.path.name if self.source.is_folder else self.source.path.stem,
            path=self.source.shown, location=self.source.path, format="beir", why=sniff.why, shape=Shape.RETRIEVAL,
            corpus=whole.documents, queries=whole.asked(self.options.limit), qrels=whole.used_judgments,
            runs=whole.used_runs(), corpus_path=parts.corpus, counts=whole.sizes(),
        )  # fmt: skip

    def read(self, named: Mapping[str, Path]) -> dict[str, Part]:
        """The JSON lines files of the set, by kind."""
        from ragtui.datasets.formats.beir.frames import Wanted, read_parts

        wanted = [Wanted(kind, path, self.name_of(path)) for kind, path in named.items()]
        parts = read_parts(wanted, self.report)
        self.unreadable |= {part.file: part.unreadable for part in parts}
        self.whole = all(part.whole for part in parts)
        return {part.kind: part for part in parts}

    def titles(self, corpus: Path | None) -> None:
        """Whether documents lack what the platform asked about cannot do without."""
        if corpus is None or not self.options.runs(all_rules()["BEIR113"]):
            return
        missing, documents, line = untitled(corpus)
        if missing and not (self.options.platform == "mteb" and missing == documents):
            self.report.add(rules.no_title(self.name_of(corpus), line, missing, documents))

    def split(self, parts: Parts, qrels: Part | None) -> str | None:
        """The split to read: the one asked for, else ``test``, else the only one. Anything else is a finding."""
        there = list(parts.splits)
        wanted = self.options.split
        if qrels is not None and wanted not in (None, "test"):
            self.report.add(rules.unknown_split(qrels.file, wanted, []))
        if not there:
            return None
        if wanted in there:
            return wanted
        if wanted is None and ("test" in there or len(there) == 1):
            return "test" if "test" in there else there[0]
        self.report.add(rules.unknown_split(f"{self.name_of(self.source.path / 'qrels')}", wanted, there))
        return None

    def judgments(
        self, parts: Parts, qrels: Part | None, split: str | None
    ) -> tuple[pl.DataFrame | None, pl.Series | None]:
        """The judgments, and the ids of queries that are judged in splits that are not read."""
        from ragtui.datasets.formats.beir.lines import read_judgments

        if qrels is not None:
            return qrels.pairs("grade"), None
        if split is None:
            return None, None
        path = parts.splits[split]
        mine = Report(self.name_of(path))
        frame = read_judgments(path, mine, self.options.runs(all_rules()["BEIR219"]))
        self.report.merge(mine)
        others = [read_judgments(other, Report()) for name, other in parts.splits.items() if name != split]
        import polars as pl

        ids = [other["query_id"] for other in others if other is not None]
        return frame, pl.concat(ids).unique() if ids else None
