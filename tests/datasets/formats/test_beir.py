"""BEIR folders: what is read, what is told about every fault, at which line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragtui.datasets.check import Opened, open_datasets
from ragtui.datasets.findings import Finding, Level, Report, shown_per_rule
from ragtui.datasets.formats import ReadOptions
from ragtui.datasets.retrieval_lines import scan
from ragtui.datasets.retrieval_lines.records import repair
from ragtui.datasets.retrieval_lines.tally import tally

CORPUS = [{"_id": f"d{n}", "title": f"Title {n}", "text": f"Text {n}."} for n in range(1, 6)]
QUERIES = [{"_id": f"q{n}", "text": f"Question {n}?"} for n in range(1, 4)]
QRELS = [
    {"query-id": "q1", "corpus-id": "d1", "score": 1},
    {"query-id": "q2", "corpus-id": "d2", "score": 2},
    {"query-id": "q3", "corpus-id": "d3", "score": 1},
    {"query-id": "q3", "corpus-id": "d4", "score": 0},
]


def lines(records: list[Any]) -> list[str]:
    return [record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records]


def write(
    folder: Path,
    corpus: list[Any] | str | bytes = CORPUS,  # type: ignore[assignment]
    queries: list[Any] | str | bytes = QUERIES,  # type: ignore[assignment]
    qrels: list[Any] | str | bytes | None = QRELS,  # type: ignore[assignment]
    **others: str,
) -> Path:
    """A set in ``folder``; ``others`` are further files, ``__`` in a name standing for a slash and ``_dot_`` for a dot."""
    for name, content in (("corpus", corpus), ("queries", queries), ("qrels", qrels)):
        if content is None:
            continue
        data = content if isinstance(content, str | bytes) else "".join(line + "\n" for line in lines(content))
        (folder / f"{name}.jsonl").write_bytes(
            data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
        )
    for name, text in others.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def opened(folder: Path, **options: Any) -> Opened:
    return open_datasets([str(folder)], ReadOptions(**options), "beir")


def told(folder: Path, **options: Any) -> list[tuple[str, int, str]]:
    """File, line and code of every finding."""
    return [(finding.file, finding.line, finding.code) for finding in opened(folder, **options).findings()]


def finding(folder: Path, code: str, **options: Any) -> Finding:
    found = [each for each in opened(folder, **options).findings() if each.code == code]
    assert len(found) == 1, found
    return found[0]


def with_line(records: list[Any], line: int, text: Any) -> list[Any]:
    """The records with one of them (``line``, from 1) replaced."""
    return [text if place == line else record for place, record in enumerate(records, 1)]


def test_a_sound_set_is_silent_and_whole(tmp_path: Path) -> None:
    result = opened(write(tmp_path))
    assert list(result.findings()) == []
    dataset = result.datasets[0]
    assert dataset.corpus is not None
    assert dataset.corpus.rows() == [
        (f"d{n}", n, sum(len(line) + 1 for line in lines(CORPUS)[: n - 1])) for n in range(1, 6)
    ]
    assert dataset.queries is not None
    assert dataset.queries.rows() == [(f"q{n}", f"Question {n}?", n) for n in range(1, 4)]
    assert dataset.qrels is not None
    assert dataset.qrels.select("query_id", "doc_id", "grade", "line").rows() == [
        ("q1", "d1", 1, 1),
        ("q2", "d2", 2, 2),
        ("q3", "d3", 1, 3),
        ("q3", "d4", 0, 4),
    ]
    assert dict(dataset.counts) == {
        "documents": 5,
        "queries": 3,
        "judgments": 4,
        "judgment_lines": 4,
        "unknown_documents": 0,
        "unknown_queries": 0,
        "evaluable_queries": 3,
    }


FAULTS_OF_A_DOCUMENT: list[tuple[str, str, set[str]]] = [
    ("an id that is a number", '{"_id": 7, "text": "x"}', {"BEIR102"}),
    ("an id that is a fraction", '{"_id": 7.5, "text": "x"}', {"BEIR102"}),
    ("an id of many digits", '{"_id": 123456789012345678901234, "text": "x"}', {"BEIR102", "JSON009"}),
    ("an id that is null", '{"_id": null, "text": "x"}', {"BEIR106"}),
    ("an id that is a boolean", '{"_id": true, "text": "x"}', {"BEIR106"}),
    ("an id that is a list", '{"_id": ["a"], "text": "x"}', {"BEIR106"}),
    ("an empty id", '{"_id": "", "text": "x"}', {"BEIR104"}),
    ("a blank id", '{"_id": "  ", "text": "x"}', {"BEIR111"}),
    ("spaces around an id", '{"_id": " d9", "text": "x"}', {"BEIR111"}),
    ("no id", '{"text": "x"}', {"BEIR101"}),
    ("an id under another name", '{"doc_id": "d9", "text": "x"}', {"BEIR105"}),
    ("no text", '{"_id": "d9"}', {"BEIR101"}),
    ("text under another name", '{"_id": "d9", "contents": "x"}', {"BEIR105"}),
    ("a text that is a number", '{"_id": "d9", "text": 4}', {"BEIR107"}),
    ("a text that is null", '{"_id": "d9", "text": null}', {"BEIR107"}),
    ("a title that is a list", '{"_id": "d9", "text": "x", "title": []}', {"BEIR107"}),
    ("an empty text", '{"_id": "d9", "text": ""}', {"BEIR108"}),
    ("a blank text", '{"_id": "d9", "text": "  \\n"}', {"BEIR108"}),
    ("two faults", '{"_id": 9, "text": 4}', {"BEIR102", "BEIR107"}),
    ("a key twice", '{"_id": "d8", "text": "x", "_id": "d9"}', {"JSON004"}),
    ("a text twice", '{"text": "x", "_id": "d9", "text": "y"}', {"JSON004"}),
    ("a title twice", '{"_id": "d9", "title": "", "text": "y", "title": ""}', {"JSON004"}),
    ("a key twice without spaces", '{"_id":"d9","_id":"d9","text":"y"}', {"JSON004"}),
    ("a key twice in the shortest way", '{"_id":"x","_id":"d9","text":"y"}', {"JSON004"}),
    ("a key twice beside a title", '{"_id":"d9","title":"","_id":"x","text":"y"}', {"JSON004"}),
    ("a title twice, once null", '{"_id":"d9","title":null,"title":"t","text":"y"}', {"JSON004"}),
    ("a key twice after a long text", '{"_id":"d9","text":"' + "é" * 300 + '\\"q\\"","_id":"d9"}', {"JSON004"}),
    ("NaN for a text", '{"_id": "d9", "text": NaN}', {"JSON005"}),
    ("half a character", '{"_id": "d9", "text": "\\ud83d"}', {"JSON006"}),
    ("half a character in a key that is not read", '{"_id": "d9", "text": "x", "m": "\\ud83d"}', {"JSON006"}),
    ("two objects", '{"_id": "d8", "text": "x"}{"_id": "d9", "text": "y"}', {"JSON007"}),
    ("two objects with a space", '{"_id": "d8", "text": "x"} {"_id": "d9", "text": "y"}', {"JSON007"}),
    ("a list", "[]", {"JSON002"}),
    ("a text", '"note"', {"JSON002"}),
    ("a number", "12", {"JSON002"}),
    ("null", "null", {"JSON002"}),
    ("no end of a string", '{"_id": "d9", "text": "x}', {"JSON001"}),
    ("no comma", '{"_id": "d9" "text": "x"}', {"JSON001"}),
    ("a comma too many", '{"_id": "d9", "text": "x",}', {"JSON001"}),
    ("single quotes", "{'_id': 'd9', 'text': 'x'}", {"JSON001"}),
    ("a word of Python", '{"_id": "d9", "text": None}', {"JSON001"}),
    ("a bad escape", '{"_id": "d9", "text": "\\q"}', {"JSON001"}),
    ("a bare tab", '{"_id": "d9", "text": "a\tb"}', {"JSON001"}),
    ("text after the object", '{"_id": "d9", "text": "x"} // note', {"JSON001"}),
    ("deep nesting", '{"_id": "d9", "text": "x", "m": ' + "[" * 100_000 + "}", {"JSON011"}),
    ("a blank line", "", {"BEIR110"}),
    ("white space", " \t", {"BEIR110"}),
]


@pytest.mark.parametrize(
    ("line", "codes"), [pytest.param(line, codes, id=name) for name, line, codes in FAULTS_OF_A_DOCUMENT]
)
@pytest.mark.parametrize("place", [1, 4, 6])
def test_a_faulty_document_is_named_with_all_its_faults(tmp_path: Path, line: str, codes: set[str], place: int) -> None:
    corpus = [*CORPUS[: place - 1], line, *CORPUS[place - 1 :]]
    found = [each for each in told(write(tmp_path, corpus)) if each[2] != "BEIR103"]
    assert set(found) == {("corpus.jsonl", place, code) for code in codes}


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ('{"_id": 123, "text": "x"}', 9, '"_id" is the number 123; ids must be strings: "123"'),
        ('{"text": "é", "_id": 7}', 22, '"_id" is the number 7; ids must be strings: "7"'),
    ],
)
def test_a_number_for_an_id_says_where_and_can_be_put_in_quotes(
    tmp_path: Path, line: str, column: int, message: str
) -> None:
    folder = write(tmp_path, with_line(CORPUS, 3, line), qrels=QRELS[:2])
    each = finding(folder, "BEIR102")
    assert (each.line, each.column, each.message, each.fixable) == (3, column, message, True)
    [edit] = each.fix
    data = (folder / "corpus.jsonl").read_bytes()
    fixed = data[: edit.start] + edit.text.encode() + data[edit.end :]
    assert json.loads(fixed.splitlines()[2])["_id"] == line.split('"_id": ')[1].rstrip("}").split(",")[0]


def test_a_number_for_an_id_is_read_as_its_digits_and_nothing_dangles(tmp_path: Path) -> None:
    corpus = with_line(CORPUS, 1, {"_id": 1, "text": "x"})
    qrels = with_line(QRELS, 1, {"query-id": "q1", "corpus-id": "1", "score": 1})
    assert told(write(tmp_path, corpus, qrels=qrels)) == [("corpus.jsonl", 1, "BEIR102")]


FAULTS_OF_A_JUDGMENT: list[tuple[str, str, list[str]]] = [
    ("underscores", '{"query_id": "q2", "corpus_id": "d2", "score": 1}', ["BEIR105", "BEIR105"]),
    ("one underscore", '{"query_id": "q2", "corpus-id": "d2", "score": 1}', ["BEIR105"]),
    ("other names", '{"qid": "q2", "docid": "d2", "rel": 1}', ["BEIR105", "BEIR105", "BEIR105"]),
    ("a number for a reference", '{"query-id": "q2", "corpus-id": 2, "score": 1}', ["BEIR201", "BEIR202"]),
    ("no score", '{"query-id": "q2", "corpus-id": "d2"}', ["BEIR101"]),
    ("a word for a score", '{"query-id": "q2", "corpus-id": "d2", "score": "high"}', ["BEIR209"]),
    ("null for a score", '{"query-id": "q2", "corpus-id": "d2", "score": null}', ["BEIR209"]),
    ("a boolean for a score", '{"query-id": "q2", "corpus-id": "d2", "score": true}', ["BEIR209"]),
    ("a score in quotes", '{"query-id": "q2", "corpus-id": "d2", "score": "1"}', ["BEIR210"]),
    ("half a point", '{"query-id": "q2", "corpus-id": "d2", "score": 0.5}', ["BEIR206"]),
    ("a whole number with a point", '{"query-id": "q2", "corpus-id": "d2", "score": 2.0}', []),
    ("a negative grade", '{"query-id": "q2", "corpus-id": "d2", "score": -1}', ["BEIR207", "BEIR218"]),
    ("a large grade", '{"query-id": "q2", "corpus-id": "d2", "score": 11}', ["BEIR208"]),
    ("a time for a grade", '{"query-id": "q2", "corpus-id": "d2", "score": 1700000000}', ["BEIR208"]),
    ("an unknown document", '{"query-id": "q2", "corpus-id": "D2", "score": 1}', ["BEIR202"]),
    ("an unknown query", '{"query-id": "q9", "corpus-id": "d2", "score": 1}', ["BEIR203"]),
    ("a key twice", '{"query-id": "q2", "corpus-id": "d2", "score": 1, "score": 2}', ["JSON004"]),
    ("a key twice without spaces", '{"query-id":"q2","corpus-id":"d2","score":1,"score":2}', ["JSON004"]),
    ("NaN", '{"query-id": "q2", "corpus-id": "d2", "score": NaN}', ["JSON005"]),
]


@pytest.mark.parametrize(
    ("line", "codes"), [pytest.param(line, codes, id=name) for name, line, codes in FAULTS_OF_A_JUDGMENT]
)
def test_a_faulty_judgment_is_named(tmp_path: Path, line: str, codes: list[str]) -> None:
    found = told(write(tmp_path, qrels=with_line(QRELS, 2, line)))
    assert sorted(each for each in found if each[0] == "qrels.jsonl") == [("qrels.jsonl", 2, code) for code in codes]
    assert {each[2] for each in found if each[0] != "qrels.jsonl"} <= {"BEIR217"}


def test_an_unknown_document_names_the_one_that_was_meant(tmp_path: Path) -> None:
    line = {"query-id": "q2", "corpus-id": "D2", "score": 1}
    assert finding(write(tmp_path, qrels=with_line(QRELS, 2, line)), "BEIR202").message == (
        'corpus-id D2 is not in corpus.jsonl; nearest "d2"'
    )


def test_underscores_are_read_as_hyphens_and_can_be_renamed(tmp_path: Path) -> None:
    qrels = [{key.replace("-", "_"): value for key, value in record.items()} for record in QRELS]
    folder = write(tmp_path, qrels=qrels)
    result = opened(folder)
    assert [(each.line, each.code, each.fixable) for each in result.findings()] == [
        (line, "BEIR105", True) for line in (1, 1, 2, 2, 3, 3, 4, 4)
    ]
    assert result.datasets[0].counts["evaluable_queries"] == 3
    data = (folder / "qrels.jsonl").read_bytes()
    edits = sorted((edit for each in result.findings() for edit in each.fix), key=lambda edit: -edit.start)
    for edit in edits:
        data = data[: edit.start] + edit.text.encode() + data[edit.end :]
    assert [json.loads(line) for line in data.splitlines()] == QRELS


def test_a_number_for_a_reference_is_an_error_for_a_platform(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        with_line(CORPUS, 2, {"_id": "2", "text": "x"}),
        qrels=[{"query-id": "q2", "corpus-id": 2, "score": 1}],
    )
    assert finding(folder, "BEIR201").level is Level.WARNING
    assert finding(folder, "BEIR201", platform="beir").level is Level.ERROR


class TestFilesOfTheWrongShape:
    @pytest.mark.parametrize("indent", [None, 2])
    def test_an_array_is_one_finding_and_is_read(self, tmp_path: Path, indent: int | None) -> None:
        folder = write(tmp_path, json.dumps(CORPUS, indent=indent) + "\n")
        assert told(folder) == [("corpus.jsonl", 1, "JSON003")]
        assert opened(folder).datasets[0].counts["documents"] == 5

    def test_a_broken_array_is_one_finding_that_says_where(self, tmp_path: Path) -> None:
        text = json.dumps(CORPUS, indent=2).replace('"Text 3."', '"Text 3.')
        folder = write(tmp_path, text, qrels=QRELS[:2])
        each = finding(folder, "JSON003")
        assert each.line == 1
        assert "breaks off at line 15" in each.message
        assert opened(folder).datasets[0].counts["documents"] == 2

    def test_objects_over_several_lines_are_one_finding_and_are_read(self, tmp_path: Path) -> None:
        folder = write(tmp_path, "\n".join(json.dumps(record, indent=2) for record in CORPUS))
        assert told(folder) == [("corpus.jsonl", 1, "JSON010")]
        assert opened(folder).datasets[0].counts["documents"] == 5

    def test_a_list_on_the_first_line_is_only_that_line(self, tmp_path: Path) -> None:
        assert told(write(tmp_path, ["[]", *CORPUS])) == [("corpus.jsonl", 1, "JSON002")]

    @pytest.mark.parametrize(
        ("encoding", "code", "level"),
        [
            ("utf-8-sig", "JSON013", Level.WARNING),
            ("utf-16", "TEXT002", Level.WARNING),
            ("utf-16-le", "TEXT002", Level.WARNING),
        ],
    )
    def test_another_encoding_is_told_once_and_read(
        self, tmp_path: Path, encoding: str, code: str, level: Level
    ) -> None:
        text = "".join(line + "\n" for line in lines([*CORPUS, {"_id": "dé", "text": "Größe"}]))
        result = opened(write(tmp_path, text.encode(encoding)))
        assert [(each.file, each.line, each.code, each.level) for each in result.findings()] == [
            ("corpus.jsonl", 1, code, level)
        ]
        assert result.datasets[0].corpus is not None
        assert result.datasets[0].corpus["doc_id"].to_list()[-1] == "dé"

    def test_a_byte_that_is_no_utf8_is_told_with_line_and_column(self, tmp_path: Path) -> None:
        data = "".join(line + "\n" for line in lines(CORPUS)).encode().replace(b"Text 3", b"Tex\xe9 3")
        each = finding(write(tmp_path, data), "TEXT004")
        assert (each.line, each.column) == (3, lines(CORPUS)[2].index("t 3.") + 1)

    def test_a_bad_byte_in_a_key_that_is_not_read_is_told_too(self, tmp_path: Path) -> None:
        data = (
            "".join(line + "\n" for line in lines(CORPUS))
            .encode()
            .replace(b'"Text 3."', b'"Text 3.", "by": "Andr\xe9"')
        )
        assert told(write(tmp_path, data)) == [("corpus.jsonl", 3, "TEXT004")]

    def test_a_record_cut_off_at_the_end_is_told_apart_from_a_missing_line_feed(self, tmp_path: Path) -> None:
        text = "\n".join(lines(CORPUS))
        assert told(write(tmp_path, text)) == []
        assert told(write(tmp_path, text[:-6], qrels=QRELS[:2])) == [
            ("corpus.jsonl", 5, "JSON008"),
            ("queries.jsonl", 3, "BEIR217"),
        ]

    def test_an_empty_part_is_an_error(self, tmp_path: Path) -> None:
        assert ("corpus.jsonl", 0, "BEIR002") in told(write(tmp_path, ""))

    def test_crlf_is_no_fault(self, tmp_path: Path) -> None:
        assert told(write(tmp_path, "\r\n".join(lines(CORPUS)) + "\r\n")) == []


TSV = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t2\nq3\td3\t1\n"


class TestJudgmentsInColumns:
    def folder(self, tmp_path: Path, text: str, **others: str) -> Path:
        return write(tmp_path, qrels=None, qrels__test_dot_tsv=text, **others)

    def judged(self, folder: Path, **options: Any) -> list[tuple[Any, ...]]:
        qrels = opened(folder, **options).datasets[0].qrels
        return [] if qrels is None else qrels.select("query_id", "doc_id", "grade", "line").rows()

    def test_a_sound_file_is_silent(self, tmp_path: Path) -> None:
        folder = self.folder(tmp_path, TSV)
        assert told(folder) == []
        assert self.judged(folder) == [("q1", "d1", 1, 2), ("q2", "d2", 2, 3), ("q3", "d3", 1, 4)]

    @pytest.mark.parametrize(
        ("change", "codes"),
        [
            (lambda text: text.split("\n", 1)[1], [(1, "BEIR211")]),
            (lambda text: text.replace("\t", " "), [(2, "BEIR215")]),
            (lambda text: text.replace("q2\td2\t2", "q2\td2"), [(3, "BEIR214")]),
            (lambda text: text.replace("q2\td2\t2", "q2\td2\t2\tx"), [(3, "BEIR214")]),
            (lambda text: text.replace("q2\td2\t2", "q2\td2\thigh"), [(3, "BEIR209")]),
            (lambda text: text.replace("q2\td2\t2", "q2\td2\tnan"), [(3, "BEIR209")]),
            (lambda text: text.replace("q2\td2\t2", "\td2\t2"), [(3, "BEIR104")]),
            (lambda text: text.replace("q2\td2", 'q2\t"d2"'), [(3, "BEIR216")]),
            (lambda text: text.replace("q2\td2", "q2\td2\t2\n"), [(4, "BEIR214")]),
            (lambda text: text + "\n", [(5, "BEIR110")]),
            (lambda text: text.replace("\n", "\r\n"), []),
            (lambda text: "\ufeff" + text, [(1, "TEXT001")]),
        ],
    )
    def test_faults_are_named(self, tmp_path: Path, change: Callable[[str], str], codes: list[tuple[int, str]]) -> None:
        found = [
            (line, code) for file, line, code in told(self.folder(tmp_path, change(TSV))) if file == "qrels/test.tsv"
        ]
        assert found == codes

    def test_trec_judgments_are_read(self, tmp_path: Path) -> None:
        folder = self.folder(tmp_path, "q1 0 d1 1\nq2 0 d2 2\nq3 0 d3 1\n")
        assert told(folder) == [("qrels/test.tsv", 1, "BEIR213")]
        assert [row[2] for row in self.judged(folder)] == [1, 2, 1]

    def test_the_test_split_is_read_where_there_are_several(self, tmp_path: Path) -> None:
        folder = self.folder(
            tmp_path, TSV.replace("q3\td3\t1\n", ""), qrels__train_dot_tsv="query-id\tcorpus-id\tscore\nq3\td3\t1\n"
        )
        assert [row[0] for row in self.judged(folder)] == ["q1", "q2"]
        assert [row[0] for row in self.judged(folder, split="train")] == ["q3"]
        assert told(folder) == []  # q3 is judged, though in another split

    def test_a_split_that_is_not_there_lists_those_that_are(self, tmp_path: Path) -> None:
        folder = write(tmp_path, qrels=None, qrels__dev_dot_tsv=TSV, qrels__train_dot_tsv=TSV)
        assert (
            finding(folder, "BEIR003").message
            == "no split is called test and there are several; choose with --split: dev, train"
        )
        assert finding(folder, "BEIR003", split="x").message == 'there is no split "x"; choose with --split: dev, train'

    def test_judgments_in_one_file_have_no_other_split(self, tmp_path: Path) -> None:
        folder = write(tmp_path, qrels__dev_dot_tsv=TSV)
        assert (
            finding(folder, "BEIR003", split="dev").message
            == 'there is no split "dev"; the judgments of this file have none'
        )
        assert "BEIR003" not in [code for _, _, code in told(folder, split="test")]

    def test_a_limit_takes_queries_that_are_judged_where_most_are_not(self, tmp_path: Path) -> None:
        queries = [{"_id": f"x{n}", "text": "other split"} for n in range(9)] + QUERIES
        folder = write(tmp_path, queries=queries)
        taken = opened(folder, limit=2).datasets[0].queries
        assert taken["query_id"].to_list() == ["q1", "q2"]
        assert opened(folder).datasets[0].rows == 9 + len(QUERIES)

    def test_the_only_split_is_read_whatever_its_name(self, tmp_path: Path) -> None:
        folder = write(tmp_path, qrels=None, qrels__dev_dot_tsv=TSV)
        assert len(self.judged(folder)) == 3

    def test_judgments_as_json_lines_win(self, tmp_path: Path) -> None:
        folder = write(tmp_path, qrels__test_dot_tsv=TSV, old_dot_tsv=TSV)
        assert sorted(told(folder)) == [("old.tsv", 0, "BEIR004"), ("qrels/test.tsv", 0, "BEIR004")]
        assert len(self.judged(folder)) == 4


class TestRuns:
    HITS: ClassVar = [("q1", "d1", 2.5), ("q1", "d2", 1.5), ("q2", "d2", 0.5)]

    def run(self, folder: Path, name: str) -> list[tuple[Any, ...]]:
        return opened(folder).datasets[0].runs[name].select("query_id", "doc_id", "score").rows()

    def test_a_hit_a_line(self, tmp_path: Path) -> None:
        text = "".join(json.dumps({"query-id": q, "corpus-id": d, "score": s}) + "\n" for q, d, s in self.HITS)
        assert self.run(write(tmp_path, run_dot_jsonl=text), "run.jsonl") == self.HITS

    def test_a_ranking_a_line_is_scored_by_falling_numbers(self, tmp_path: Path) -> None:
        text = '{"query-id": "q1", "ranking": ["d1", "d2"]}\n{"query-id": "q2", "ranking": []}\n'
        assert self.run(write(tmp_path, results_dot_jsonl=text), "results.jsonl") == [
            ("q1", "d1", 2.0),
            ("q1", "d2", 1.0),
        ]

    def test_trec_ranks_are_not_scores(self, tmp_path: Path) -> None:
        text = "".join(f"{q}\tQ0\t{d}\t{9 - n}\t{s}\ttag more\n" for n, (q, d, s) in enumerate(self.HITS))
        assert self.run(write(tmp_path, run_dot_trec=text), "run.trec") == self.HITS

    def test_mteb_predictions(self, tmp_path: Path) -> None:
        text = json.dumps({"default": {"test": {"q1": {"d1": 2.5, "d2": 1.5}, "q2": {"d2": 0.5}}}})
        assert self.run(write(tmp_path, predictions_dot_json=text), "predictions.json") == self.HITS

    def test_a_file_that_is_called_results_but_is_none_is_left_alone(self, tmp_path: Path) -> None:
        folder = write(tmp_path, results_dot_jsonl='{"query": "Where?", "response": "Here"}\n')
        assert opened(folder).datasets[0].runs == {}


class TestLargeFiles:
    """What holds for one range of lines must hold for many, each in its own process."""

    @pytest.fixture
    def small_ranges(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(scan, "_ALONE", 1000)
        monkeypatch.setattr(scan, "_CHUNK", 700)

    def test_many_ranges_give_what_one_gives(
        self, tmp_path: Path, small_ranges: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        corpus: list[Any] = [{"_id": f"d{n}", "text": "x" * (n % 90 + 1)} for n in range(1, 200)]
        for place, line in (
            (3, '{"_id": 3, "text": "x"}'),
            (77, "nothing"),
            (78, ""),
            (150, '{"_id": "a", "text": "x"}{"_id": "b", "text": "y"}'),
        ):
            corpus[place - 1] = line
        folder = write(tmp_path, corpus)
        many = opened(folder)
        monkeypatch.setattr(scan, "_ALONE", 1 << 30)
        one = opened(folder)
        assert [*many.findings()] == [*one.findings()]
        assert [(each.line, each.code) for each in one.findings() if each.file == "corpus.jsonl"] == [
            (3, "BEIR102"), (77, "JSON001"), (78, "BEIR110"), (150, "JSON007"),
        ]  # fmt: skip
        assert many.datasets[0].corpus is not None
        assert one.datasets[0].corpus is not None
        assert many.datasets[0].corpus.equals(one.datasets[0].corpus)
        assert one.datasets[0].corpus.height == 198

    def test_findings_past_a_thousand_are_counted_over_all_ranges(self, tmp_path: Path, small_ranges: None) -> None:
        corpus = [{"_id": n, "text": "x"} for n in range(3000)]
        result = opened(write(tmp_path, corpus, qrels=[{"query-id": "q1", "corpus-id": "1", "score": 1}]))
        assert result.by_code()["BEIR102"] == (3000, 1000)
        assert [each.line for each in result.findings() if each.code == "BEIR102"] == list(range(1, 1001))


class TestAnyInput:
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
    filled = text.filter(lambda text: text.strip() != "")
    words = st.text(st.characters(categories=["Ll", "Lu", "Nd"], include_characters="-_:/é漢"), min_size=1, max_size=8)

    @given(
        corpus=st.lists(st.fixed_dictionaries({"_id": words, "text": filled}, optional={"title": text, "metadata": st.just({})}),
                        unique_by=lambda record: record["_id"], min_size=1, max_size=20),
        data=st.data(), ascii=st.booleans(), compact=st.booleans(),
    )  # fmt: skip
    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_sound_sets_of_any_text_are_silent(
        self, tmp_path: Path, corpus: list[dict[str, Any]], data: st.DataObject, ascii: bool, compact: bool
    ) -> None:
        separators = (",", ":") if compact else None
        order = [data.draw(st.permutations(list(record))) for record in corpus]
        records = [{key: record[key] for key in keys} for record, keys in zip(corpus, order, strict=True)]
        text = [json.dumps(record, ensure_ascii=ascii, separators=separators) for record in records]
        target = corpus[0]["_id"]
        result = opened(
            write(tmp_path, text, [{"_id": "?", "text": "q"}], [{"query-id": "?", "corpus-id": target, "score": 1}])
        )
        assert [each for each in result.findings() if each.code != "TEXT005"] == []
        assert result.datasets[0].corpus is not None
        assert result.datasets[0].corpus["doc_id"].to_list() == [record["_id"] for record in corpus]

    damages = st.sampled_from(
        [
            lambda line: line[: len(line) // 2],
            lambda line: line.replace('"_id"', '"id"', 1),
            lambda line: line.replace('"text"', '"txet"', 1),
            lambda line: line + line,
            lambda line: line.replace('{"_id": "', '{"_id": "x", "_id": "', 1),
            lambda line: line[:-1] + ", }",
            lambda line: "",
            lambda line: "[" + line + "]",
            lambda line: line.replace('"_id": "d', '"_id": 1', 1).replace('", "ti', ', "ti', 1),
        ]
    )

    @given(place=st.integers(0, 39), damage=damages, size=st.integers(200, 4000))
    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_damage_is_named_at_its_line_and_nowhere_else(
        self, tmp_path: Path, place: int, damage: Callable[[str], str], size: int
    ) -> None:
        corpus = [
            json.dumps({"_id": f"d{n}", "title": f"T{n}", "text": "é\\" * (n % 5) + f"Text {n}"}) for n in range(40)
        ]
        target = (place + 1) % 40
        corpus[place] = damage(corpus[place])
        folder = write(
            tmp_path, corpus, [{"_id": "q", "text": "q"}], [{"query-id": "q", "corpus-id": f"d{target}", "score": 1}]
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scan, "spread", map)
            patch.setattr(scan, "_ALONE", size)
            patch.setattr(scan, "_CHUNK", size)
            found = told(folder)
        assert {(file, line) for file, line, _ in found} == {("corpus.jsonl", place + 1)}

    @given(
        corpus=st.binary(max_size=300),
        queries=st.binary(max_size=200),
        qrels=st.binary(max_size=200),
        tsv=st.booleans(),
    )
    @settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_no_bytes_raise(self, tmp_path: Path, corpus: bytes, queries: bytes, qrels: bytes, tsv: bool) -> None:
        folder = write(tmp_path, corpus, queries, None if tsv else qrels)
        if tsv:
            (folder / "qrels").mkdir(exist_ok=True)
            (folder / "qrels" / "test.tsv").write_bytes(qrels)
            (folder / "qrels.jsonl").unlink(missing_ok=True)
        else:
            (folder / "qrels" / "test.tsv").unlink(missing_ok=True)
        opened(folder)

    fragments = st.lists(
        st.sampled_from(
            ['{"_id": ', '"d1"', "1", ', "text": ', '"x"', "}", "\n", "[", "]", "\\ud800", "NaN", '{"query-id": "q1", "corpus-id": ',
             ', "score": ', "1e999", "\ufeff", " ", "\t", '"', "\\", "q1\td1\t1", "null", "é", "\x00", "-"]
        ),
        max_size=25,
    ).map("".join)  # fmt: skip

    @given(corpus=fragments, queries=fragments, qrels=fragments, run=fragments)
    @settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_no_lines_raise(self, tmp_path: Path, corpus: str, queries: str, qrels: str, run: str) -> None:
        opened(write(tmp_path, corpus, queries, qrels, run_dot_jsonl=run, qrels__dev_dot_tsv=qrels))


def test_repeated_ids_name_the_first_line(tmp_path: Path) -> None:
    corpus = [*CORPUS, {"_id": "d2", "text": "again"}, {"_id": "d2", "text": "and again"}]
    found = list(opened(write(tmp_path, corpus)).findings())
    assert [(each.line, each.message) for each in found] == [
        (6, '"_id" "d2" collides with line 2; ids must be unique'),
        (7, '"_id" "d2" collides with line 2; ids must be unique'),
    ]


def test_ids_shared_by_queries_and_documents_are_counted_once(tmp_path: Path) -> None:
    queries = [{"_id": f"d{n}", "text": "x"} for n in (1, 2)]
    qrels = [{"query-id": f"d{n}", "corpus-id": "d3", "score": 1} for n in (1, 2)]
    each = finding(write(tmp_path, queries=queries, qrels=qrels), "BEIR112")
    assert (each.file, each.line, each.level) == ("queries.jsonl", 1, Level.INFO)
    assert each.message.startswith("the id of 2 queries is one of a document, too")


def test_folders_that_are_named_like_parts_are_none(tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / "qrels" / "test.tsv").mkdir(parents=True)
    assert opened(folder).datasets[0].rows == 3
    (folder / "corpus.jsonl").unlink()
    (folder / "corpus.jsonl").mkdir()
    assert [each.code for each in opened(folder).findings()] == ["BEIR001"]


def test_a_limit_takes_queries_and_no_document(tmp_path: Path) -> None:
    dataset = opened(write(tmp_path), limit=2).datasets[0]
    assert (dataset.rows, dataset.counts["documents"]) == (2, 5)


@pytest.mark.parametrize("missing", ["corpus", "queries", "qrels"])
def test_a_missing_part_is_a_warning_and_an_error_for_a_platform(tmp_path: Path, missing: str) -> None:
    folder = write(tmp_path)
    (folder / f"{missing}.jsonl").unlink()
    assert finding(folder, "BEIR001").level is Level.WARNING
    assert finding(folder, "BEIR001", platform="evalscope").level is Level.ERROR


def test_grades_are_whole_numbers_where_they_are_so_in_the_file(tmp_path: Path) -> None:
    qrels = opened(write(tmp_path)).datasets[0].qrels
    assert qrels is not None
    assert qrels["grade"].dtype == pl.Int64
    half = {"query-id": "q1", "corpus-id": "d5", "score": 0.5}
    qrels = opened(write(tmp_path, qrels=[*QRELS, half])).datasets[0].qrels
    assert qrels is not None
    assert qrels["grade"].to_list() == [1.0, 2.0, 1.0, 0.0, 0.5]


class TestRunsBesideASet:
    def run_text(self, *hits: tuple[str, str, float]) -> str:
        return "".join(json.dumps({"query-id": q, "corpus-id": d, "score": s}) + "\n" for q, d, s in hits)

    SOUND: ClassVar = [("q1", "d1", 1.0), ("q2", "d2", 1.0), ("q3", "d3", 1.0)]

    @pytest.mark.parametrize(
        ("hits", "findings"),
        [
            ([], []),
            ([("q9", "d1", 1.0)], [(4, "BEIR303")]),
            ([("q1", "d9", 1.0)], [(4, "BEIR305")]),
            ([("q1", "d1", 9.0)], [(4, "BEIR306")]),
        ],
    )
    def test_what_does_not_belong_is_told(
        self, tmp_path: Path, hits: list[tuple[str, str, float]], findings: list[tuple[int, str]]
    ) -> None:
        folder = write(tmp_path, run_dot_jsonl=self.run_text(*self.SOUND, *hits))
        assert told(folder) == [("run.jsonl", line, code) for line, code in findings]

    def test_of_a_hit_given_twice_the_last_counts(self, tmp_path: Path) -> None:
        folder = write(tmp_path, run_dot_jsonl=self.run_text(*self.SOUND, ("q1", "d1", 9.0)))
        assert sorted(opened(folder).datasets[0].runs["run.jsonl"].rows()) == [("q1", "d1", 9.0), *self.SOUND[1:]]

    def test_queries_without_a_hit_are_counted(self, tmp_path: Path) -> None:
        folder = write(tmp_path, run_dot_jsonl=self.run_text(*self.SOUND[:2]))
        assert finding(folder, "BEIR304").message == "1 judged queries are not in the run (first q3); they count as 0"


class TestAdvice:
    @pytest.mark.parametrize(
        ("documents", "queries", "codes"),
        [
            (5, 3, {"BEIR402", "BEIR403"}),
            (60, 60, {"BEIR401", "BEIR404", "BEIR405"}),
            (200, 60, {"BEIR404"}),
        ],
    )
    def test_it_is_given_for_a_platform_only(
        self, tmp_path: Path, documents: int, queries: int, codes: set[str]
    ) -> None:
        corpus = [{"_id": f"d{n}", "text": "x"} for n in range(documents)]
        asked = [{"_id": f"q{n}", "text": "x"} for n in range(queries)]
        qrels = [{"query-id": f"q{n}", "corpus-id": f"d{n}", "score": 1} for n in range(queries)]
        if documents == 5:
            qrels.append({"query-id": "q0", "corpus-id": "d4", "score": 0})
        folder = write(tmp_path, corpus, asked, qrels)
        assert told(folder) == []
        result = opened(folder, platform="evalscope")
        assert {each.code for each in result.findings()} == codes
        assert {each.level for each in result.findings()} == {Level.INFO}


class TestLinesPastTheThousandth:
    """Lines whose faults are only counted must be counted, and read, as they would be if told in full."""

    LINES: ClassVar = (
        [("corpus", line) for _, line, _ in FAULTS_OF_A_DOCUMENT]
        + [("queries", line) for _, line, _ in FAULTS_OF_A_DOCUMENT]
        + [("qrels", line) for _, line, _ in FAULTS_OF_A_JUDGMENT]
        + [
            ("corpus", '{"doc_id": 5, "contents": "é"}'),
            ("corpus", '{"_id": 0, "text": "x"}'),
            ("qrels", "{}"),
            ("corpus", "{}"),
        ]
    )

    @pytest.mark.parametrize(("kind", "line"), LINES)
    def test_they_are_read_and_counted_alike(self, kind: str, line: str) -> None:
        raw = line.encode("utf-8", "surrogatepass") + b"\n"
        full = Report("f")
        records = repair(kind, raw, 1, 0, full)
        counted = Report("f")
        counted.counts.update(dict.fromkeys(full.counts, shown_per_rule()))
        quick = tally(kind, raw, counted)
        if quick is None:
            assert counted.counts == dict.fromkeys(full.counts, shown_per_rule())  # it is left to be told in full
        else:
            assert [msgspec.structs.asdict(each) for each in quick] == [
                msgspec.structs.asdict(each) for each in records
            ]
            assert {key: count - shown_per_rule() for key, count in counted.counts.items()} == full.counts

    @pytest.mark.parametrize(
        "line", ['{"_id": 7, "text": "é"}', '{"id": "a", "text": "x"}', "", '{"_id": "a" "text": "x"}', "[]"]
    )
    def test_frequent_faults_are_known_at_once(self, line: str) -> None:
        full = Report("f")
        repair("corpus", line.encode() + b"\n", 1, 0, full)
        counted = Report("f")
        counted.counts.update(dict.fromkeys(full.counts, shown_per_rule()))
        assert tally("corpus", line.encode() + b"\n", counted) is not None


class TestOneFileAlone:
    @pytest.mark.parametrize(
        ("name", "records", "count"),
        [
            ("corpus.jsonl", CORPUS, "documents"),
            ("queries.jsonl", QUERIES, "queries"),
            ("qrels.jsonl", QRELS, "judgments"),
        ],
    )
    def test_it_is_recognised_and_read_without_missing_the_rest(
        self, tmp_path: Path, name: str, records: list[Any], count: str
    ) -> None:
        write(tmp_path)
        result = open_datasets([str(tmp_path / name)])
        assert [each.code for each in result.findings()] == []
        assert [(dataset.format, dataset.counts[count]) for dataset in result.datasets] == [("beir", len(records))]

    def test_its_rows_are_not_loaded_to_find_that_out(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tmp_path)

        def refuse(*_: object) -> None:
            raise AssertionError("the whole file was read")

        monkeypatch.setattr("ragtui.datasets.containers.jsonlines.utf8_of", refuse)
        open_datasets([str(tmp_path / "corpus.jsonl")])


@pytest.mark.parametrize("grade", ["1e400", "-1e400", "1e300", "NaN"])
def test_a_grade_beyond_all_numbers_is_told_and_no_fix_is_made_of_it(tmp_path: Path, grade: str) -> None:
    folder = write(tmp_path)
    (folder / "qrels.jsonl").unlink()
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\nq1\td1\t{grade}\nq2\td2\t1\n")
    result = open_datasets([str(folder)], ReadOptions(platform="beir", select=("BEIR2",)))
    assert (2, True) in {(each.line, each.code in ("BEIR208", "BEIR209")) for each in result.findings()}
    assert not any(each.fix for each in result.findings() if each.line == 2)
