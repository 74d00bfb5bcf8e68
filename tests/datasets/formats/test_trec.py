"""TREC files alone and together: judgments, runs, topics, documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragtui.datasets.check import Opened, open_datasets
from ragtui.datasets.texts import corpus, documents

DOCS = """<DOC>
<DOCNO>A-1</DOCNO>
<TITLE>Gr&ouml;&szlig;e</TITLE>
first
text
</DOC>
<DOC><DOCNO> A-2 </DOCNO><TEXT>second &amp; last</TEXT></DOC>
"""
TOPICS = """<top>
<num>Number: 301</num><title>
One query
</title>
<desc>Description: more words
</top>
<top>
<num> 302
<title> Another
</top>
"""
QRELS = "301 0 A-1 1\n302 0 A-2 2\n"
RUN = "301\tQ0\tA-1\t1\t2.5\ttag\n302 Q0 A-2 9 1.5 tag junk at end\n"


def opened(tmp_path: Path, **files: str) -> Opened:
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    return open_datasets([str(tmp_path)])


def told(result: Opened) -> list[tuple[str, int, str]]:
    return [(each.file, each.line, each.code) for each in result.findings()]


def test_a_folder_of_them_is_one_set(tmp_path: Path) -> None:
    result = opened(tmp_path, docs=DOCS, topics=TOPICS, qrels=QRELS, run=RUN)
    assert told(result) == []
    [dataset] = result.datasets
    assert dataset.format == "trec"
    assert dataset.queries is not None
    assert dataset.queries.rows() == [("301", "One query", 1), ("302", "Another", 7)]
    assert dataset.qrels is not None
    assert dataset.qrels.rows() == [("301", "A-1", 1, 1), ("302", "A-2", 2, 2)]
    assert dataset.runs["run"].rows() == [("301", "A-1", 2.5), ("302", "A-2", 1.5)]
    assert dataset.counts["evaluable_queries"] == 2


def test_documents_are_fetched_without_their_tags(tmp_path: Path) -> None:
    dataset = opened(tmp_path, docs=DOCS, topics=TOPICS, qrels=QRELS).datasets[0]
    found = documents(dataset, ["A-1", "A-2"])
    assert (found["A-1"].title, found["A-1"].text, found["A-1"].line) == ("Größe", "first\ntext", 1)
    assert (found["A-2"].title, found["A-2"].text, found["A-2"].line) == ("", "second & last", 7)
    assert [text.doc_id for batch in corpus(dataset) for text in batch] == ["A-1", "A-2"]


@pytest.mark.parametrize(
    ("files", "findings"),
    [
        ({"qrels": "301 0 A-1 1\n301 0 A-2\n" + "".join(f"301 0 B-{n} 1\n" for n in range(8))}, [("qrels", 2, "BEIR214")]),
        ({"qrels": "301 0 A-1 x\n" + "".join(f"302 0 A-{n} 1\n" for n in range(9))}, [("qrels", 1, "BEIR209")]),
        ({"qrels": "302 0 A-1 1\n", "topics": TOPICS}, [("topics", 1, "BEIR217")]),
        ({"docs": DOCS.replace(" A-2 ", "")}, [("docs", 7, "TREC101")]),
        ({"docs": DOCS.replace("<TEXT>second &amp; last</TEXT></DOC>", "")}, [("docs", 7, "TREC102")]),
        ({"topics": TOPICS.replace("<title> Another", "")}, [("topics", 7, "TREC103")]),
    ],
)  # fmt: skip
def test_faults_are_named(tmp_path: Path, files: dict[str, str], findings: list[Any]) -> None:
    assert told(opened(tmp_path, **files)) == findings


def test_each_file_alone_is_recognised_by_what_it_holds(tmp_path: Path) -> None:
    for name, text in (("a.txt", QRELS), ("b.txt", RUN), ("c.txt", TOPICS), ("d.txt", DOCS)):
        (tmp_path / name).write_text(text, "utf-8")
    why = [open_datasets([str(tmp_path / name)]).datasets[0].why for name in ("a.txt", "b.txt", "c.txt", "d.txt")]
    assert why == ["TREC qrels", "TREC run", "TREC topics", "TREC documents"]


def test_a_document_that_is_not_closed_takes_no_other_with_it(tmp_path: Path) -> None:
    docs = "<DOC><DOCNO>A-0</DOCNO> lost\n" + DOCS + "<doc>\n" * 3
    result = opened(tmp_path, docs=docs, topics=TOPICS, qrels=QRELS)
    assert told(result) == [("docs", line, "TREC102") for line in (1, 9, 10, 11)]
    dataset = result.datasets[0]
    assert dataset.corpus is not None
    assert dataset.corpus["doc_id"].to_list() == ["A-1", "A-2"]
    assert dataset.corpus["line"].to_list() == [2, 8]


def test_unclosed_documents_are_read_in_one_pass(tmp_path: Path) -> None:
    result = opened(tmp_path, docs="<DOC>\n" * 100_000)  # half an hour, if each is looked for to the end
    assert result.by_code() == {"TREC102": (100_000, 1000)}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("q1 0 d1 1\nq1 0 d2 x\n", [2]),
        ("q1 Q0 d1 1 0.5 t\nq1 Q0 d2 2 NaN t\nq1 Q0 d3 3 0.1 t\nq1\n", [2, 4]),
    ],
)
def test_a_small_file_with_a_bad_line_is_still_known(tmp_path: Path, text: str, lines: list[int]) -> None:
    result = opened(tmp_path, file=text)
    assert [each.format for each in result.datasets] == ["trec"]
    assert [line for _, line, _ in told(result)] == lines
