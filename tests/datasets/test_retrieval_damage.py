"""Retrieval sets: sound ones of any text are silent, and one fault in any part is named at its own file and line."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.datasets.check import Opened, open_datasets
from ragtui.datasets.dataset import Dataset
from ragtui.datasets.findings import Level

SIZE: Final = 8
IDS: Final = st.text(
    st.characters(categories=["Lu", "Ll", "Lo", "Nd"], include_characters="-_.:/"), min_size=1, max_size=8
)
TEXTS: Final = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
Parts = dict[str, list[str]]


@pytest.fixture(scope="module")
def tmp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("retrieval")


def opened(folder: Path, parts: Parts) -> Opened:
    shutil.rmtree(folder, ignore_errors=True)
    for name, lines in parts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return open_datasets([str(folder)])


def told(result: Opened) -> set[tuple[str, int]]:
    """File and line of everything worse than a note."""
    return {(each.file, each.line) for each in result.findings() if each.level is not Level.INFO}


def errors(result: Opened) -> set[tuple[str, int]]:
    return {(each.file, each.line) for each in result.findings() if each.level is Level.ERROR}


def only(result: Opened) -> Dataset:
    [dataset] = result.datasets
    return dataset


def beir(documents: list[str], queries: list[str], texts: list[str], tsv: bool = False) -> Parts:
    """Query ``n`` asks for document ``n``; ids are the names given, texts are used in turn."""

    def text(number: int) -> str:
        return f"x{texts[number % len(texts)]}"

    judged = [(query, documents[number % len(documents)], 1 + number % 3) for number, query in enumerate(queries)]
    parts = {
        "corpus.jsonl": [json.dumps({"_id": name, "title": text(n), "text": text(n + 1)}) for n, name in enumerate(documents)],
        "queries.jsonl": [json.dumps({"_id": name, "text": text(n)}, ensure_ascii=False) for n, name in enumerate(queries)],
    }  # fmt: skip
    if tsv:
        return parts | {"qrels/test.tsv": ["query-id\tcorpus-id\tscore", *("\t".join(map(str, row)) for row in judged)]}
    rows = [dict(zip(("query-id", "corpus-id", "score"), row, strict=True)) for row in judged]
    return parts | {"qrels.jsonl": [json.dumps(row) for row in rows]}


def sound_beir(tsv: bool = False) -> Parts:
    return beir([f"d{n}" for n in range(SIZE)], [f"q{n}" for n in range(SIZE)], ["Größe"], tsv)


class TestBeir:
    @given(
        documents=st.lists(IDS, min_size=1, max_size=SIZE, unique=True),
        queries=st.lists(IDS, min_size=1, max_size=SIZE, unique=True),
        texts=st.lists(TEXTS, min_size=1, max_size=4),
        tsv=st.booleans(),
    )
    @settings(max_examples=60, deadline=None)
    def test_sound_sets_have_no_error(
        self, tmp: Path, documents: list[str], queries: list[str], texts: list[str], tsv: bool
    ) -> None:
        result = opened(tmp / "set", beir(documents, queries, texts, tsv))
        assert errors(result) == set()
        dataset = only(result)
        assert dataset.corpus is not None
        assert dataset.queries is not None
        assert dataset.qrels is not None
        assert dataset.corpus["doc_id"].to_list() == documents
        assert dataset.queries["query_id"].to_list() == queries
        assert dataset.qrels["query_id"].to_list() == queries

    SYNTAX: Final[dict[str, Callable[[str, random.Random], str]]] = {
        "cut": lambda line, rng: line[: rng.randrange(1, len(line))],
        "a quote less": lambda line, rng: line.replace('"', "", 1),
        "a comma too many": lambda line, rng: line[:-1] + ",}",
        "a comma less": lambda line, rng: line.replace('", "', '" "', 1),
        "two records": lambda line, rng: line + line,
        "a list": lambda line, rng: f"[{line}]",
        "a number": lambda line, rng: "7",
        "nothing": lambda line, rng: "",
        "NaN": lambda line, rng: line[:-1] + ', "extra": NaN}',
        "a key twice": lambda line, rng: line[:-1] + ", " + line[1:],
    }  # fmt: skip

    @pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl", "qrels.jsonl"])
    @given(place=st.integers(0, SIZE - 1), fault=st.sampled_from(sorted(SYNTAX)), seed=st.integers(0, 99))
    @settings(max_examples=60, deadline=None)
    def test_a_broken_line_is_named(self, tmp: Path, file: str, place: int, fault: str, seed: int) -> None:
        """What refers to a record that is lost hangs loose, and says so; nothing else is told."""
        parts = sound_beir()
        parts[file][place] = self.SYNTAX[fault](parts[file][place], random.Random(seed))
        found = told(opened(tmp / "set", parts))
        follows = {"corpus.jsonl": "qrels.jsonl", "queries.jsonl": "qrels.jsonl", "qrels.jsonl": "queries.jsonl"}
        assert (file, place + 1) in found, fault
        assert found <= {(file, place + 1), (follows[file], place + 1)}, fault

    VALUES: Final = (
        ("corpus.jsonl", "_id", [None, "", True, ["d"], ...]),
        ("corpus.jsonl", "text", [None, 5, False, ["t"], ...]),
        ("corpus.jsonl", "title", [5, True, ["t"]]),
        ("queries.jsonl", "_id", [None, "", {}, ...]),
        ("queries.jsonl", "text", [None, "", " ", 5, ...]),
        ("qrels.jsonl", "query-id", ["q99", None, "", 1.5, ...]),
        ("qrels.jsonl", "corpus-id", ["d99", None, "", 99, ...]),
        ("qrels.jsonl", "score", [None, "high", "", [], True, 0.5, "1", 99, 1e12, ...]),
    )

    @pytest.mark.parametrize(
        ("file", "key", "value"), [(file, key, value) for file, key, values in VALUES for value in values]
    )
    @pytest.mark.parametrize("place", [0, 3, SIZE - 1])
    def test_a_wrong_value_is_named(self, tmp: Path, file: str, key: str, value: Any, place: int) -> None:
        parts = sound_beir()
        record = {**json.loads(parts[file][place]), key: value}
        parts[file][place] = json.dumps({name: each for name, each in record.items() if each is not ...})
        found = told(opened(tmp / "set", parts))
        assert (file, place + 1) in found
        assert {line for _, line in found} == {place + 1}

    @given(place=st.integers(1, SIZE - 1), file=st.sampled_from(["corpus.jsonl", "queries.jsonl", "qrels.jsonl"]))
    @settings(max_examples=20, deadline=None)
    def test_a_record_given_twice_is_named(self, tmp: Path, place: int, file: str) -> None:
        parts = sound_beir()
        parts[file].insert(place, parts[file][0])
        assert told(opened(tmp / "set", parts)) == {(file, place + 1)}

    COLUMNS: Final[dict[str, Callable[[str], str]]] = {
        "a field too many": lambda line: line + "\t7",
        "a field too few": lambda line: line.rpartition("\t")[0],
        "a word for a grade": lambda line: line.rpartition("\t")[0] + "\thigh",
        "no grade": lambda line: line.rpartition("\t")[0] + "\t",
        "half a grade": lambda line: line.rpartition("\t")[0] + "\t0.5",
        "a time for a grade": lambda line: line.rpartition("\t")[0] + "\t1699999999",
        "an unknown query": lambda line: "x" + line,
        "no query": lambda line: line[line.index("\t") :],
        "an unknown document": lambda line: line.replace("\td", "\tD"),
        "quotes": lambda line: line.replace("\td", '\t"d').replace("\t", '"\t', 2).replace('"\t', "\t", 1),
        "nothing": lambda line: "",
    }  # fmt: skip

    @pytest.mark.parametrize("fault", COLUMNS)
    @given(place=st.integers(1, SIZE))
    @settings(max_examples=8, deadline=None)
    def test_a_wrong_judgment_in_columns_is_named(self, tmp: Path, fault: str, place: int) -> None:
        parts = sound_beir(tsv=True)
        parts["qrels/test.tsv"][place] = self.COLUMNS[fault](parts["qrels/test.tsv"][place])
        found = told(opened(tmp / "set", parts))
        assert ("qrels/test.tsv", place + 1) in found
        assert found <= {("qrels/test.tsv", place + 1), ("queries.jsonl", place)}


def trec(texts: list[str]) -> Parts:
    """Documents, topics, judgments and a run; every document and every topic is three lines."""
    numbers = range(len(texts))
    return {
        "docs": [line for n in numbers for line in ("<DOC>", f"<DOCNO>D-{n}</DOCNO>", f"<TEXT>x{texts[n]}</TEXT></DOC>")],
        "topics": [line for n in numbers for line in ("<top>", f"<num> {n + 1}", f"<title> x{texts[n]} </top>")],
        "qrels": [f"{n + 1} 0 D-{n} 1" for n in numbers],
        "run": [f"{n + 1} Q0 D-{n} 1 {9 - n}.5 tag" for n in numbers],
    }  # fmt: skip


class TestTrec:
    PLAIN: Final = st.text(
        st.characters(categories=["Lu", "Ll", "Lo", "Nd"], include_characters=" .,;:'\"&#!?-"), max_size=20
    )

    @given(texts=st.lists(PLAIN, min_size=3, max_size=SIZE))
    @settings(max_examples=40, deadline=None)
    def test_sound_sets_have_no_error(self, tmp: Path, texts: list[str]) -> None:
        result = opened(tmp / "set", trec(texts))
        assert errors(result) == set()
        dataset = only(result)
        assert (dataset.format, dataset.rows) == ("trec", len(texts))
        assert dataset.corpus is not None
        assert dataset.corpus["doc_id"].to_list() == [f"D-{n}" for n in range(len(texts))]

    FAULTS: Final[dict[str, tuple[str, int, Callable[[str], str]]]] = {
        "a document without a number": ("docs", 1, lambda line: ""),
        "a topic without a title": ("topics", 2, lambda line: "</top>"),
        "a judgment of three fields": ("qrels", 0, lambda line: line.replace(" 0 ", " ")),
        "a judgment of five fields": ("qrels", 0, lambda line: line + " 7"),
        "a word for a grade": ("qrels", 0, lambda line: line[:-1] + "high"),
        "a judgment of an unknown document": ("qrels", 0, lambda line: line.replace("D-", "E-")),
        "a judgment of an unknown topic": ("qrels", 0, lambda line: "77" + line),
        "a hit without a score": ("run", 0, lambda line: line.rpartition(" ")[0].rpartition(" ")[0]),
        "a word for a score": ("run", 0, lambda line: line.replace(".5", "high")),
    }  # fmt: skip

    @pytest.mark.parametrize("fault", FAULTS)
    @given(place=st.integers(0, SIZE - 1))
    @settings(max_examples=8, deadline=None)
    def test_a_fault_is_named_in_its_record(self, tmp: Path, fault: str, place: int) -> None:
        file, line, damage = self.FAULTS[fault]
        parts = trec([f"Größe {n}" for n in range(SIZE)])
        high = 3 if file in ("docs", "topics") else 1
        parts[file][high * place + line] = damage(parts[file][high * place + line])
        found = {
            (name, (at - 1) // (3 if name in ("docs", "topics") else 1))
            for name, at in told(opened(tmp / "set", parts))
        }
        assert (file, place) in found
        assert {record for _, record in found} == {place}
