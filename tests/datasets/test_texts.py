"""Documents are fetched by their place in the file, whatever that file looks like."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragtui.datasets.check import open_dataset
from ragtui.datasets.dataset import Dataset
from ragtui.datasets.texts import Text, corpus, documents, raw_line

RECORDS = [{"_id": f"d{n}", "title": "Größe" if n % 2 else "", "text": f"Text “{n}”\nmore."} for n in range(6)]
EXPECTED = [Text(record["_id"], record["title"], record["text"], 0) for record in RECORDS]


def folder(tmp_path: Path, data: bytes) -> Dataset:
    (tmp_path / "corpus.jsonl").write_bytes(data)
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "?"}\n')
    return open_dataset(str(tmp_path), "beir")[0]


def lines(**options: bool) -> str:
    return "".join(json.dumps(record, **options) + "\n" for record in RECORDS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(lines().encode(), id="lines"),
        pytest.param(lines(ensure_ascii=False).encode(), id="letters as they are"),
        pytest.param(lines().replace("\n{", "\r\n\r\n{").encode(), id="CRLF and blank lines"),
        pytest.param(lines().rstrip().encode(), id="no line feed at the end"),
        pytest.param(b"\xef\xbb\xbf" + lines().encode(), id="byte order mark"),
        pytest.param(lines(ensure_ascii=False).encode("utf-16"), id="UTF-16"),
        pytest.param(lines().replace("}\n{", "}{").encode(), id="all on one line"),
        pytest.param(json.dumps(RECORDS).encode(), id="array"),
        pytest.param(json.dumps(RECORDS, indent=2).encode(), id="array over lines"),
        pytest.param("\n".join(json.dumps(record, indent=2) for record in RECORDS).encode(), id="objects over lines"),
        pytest.param(lines().replace('"_id"', '"id"').replace('"text"', '"contents"').encode(), id="other names"),
    ],
)
def test_every_document_is_found_again(tmp_path: Path, data: bytes) -> None:
    dataset = folder(tmp_path, data)
    found = documents(dataset, ["d4", "d1", "nobody"])
    assert {text.doc_id: (text.title, text.text) for text in found.values()} == {
        each.doc_id: (each.title, each.text) for each in (EXPECTED[1], EXPECTED[4])
    }
    everything = [text for batch in corpus(dataset, batch=4) for text in batch]
    assert [(text.doc_id, text.title, text.text) for text in everything] == [
        (each.doc_id, each.title, each.text) for each in EXPECTED
    ]


def test_ids_that_are_numbers_are_found_by_their_digits(tmp_path: Path) -> None:
    dataset = folder(tmp_path, b'{"_id": 7, "text": "seven"}\n')
    assert documents(dataset, ["7"])["7"].text == "seven"


def test_of_two_documents_with_one_id_it_is_the_last(tmp_path: Path) -> None:
    dataset = folder(tmp_path, b'{"_id": "a", "text": "first"}\n{"_id": "a", "text": "last"}\n')
    assert documents(dataset, ["a"])["a"].text == "last"


def test_title_and_text_are_joined_by_a_space() -> None:
    assert Text("d", "Title", "text", 1).whole == "Title text"
    assert Text("d", "", "text", 1).whole == "text"


@pytest.mark.parametrize(("line", "text"), [(1, "é"), (2, ""), (3, "c\u2028d"), (4, "")])
def test_a_line_is_shown_as_it_stands(tmp_path: Path, line: int, text: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes("\ufeffé\r\n\nc\u2028d\n".encode())
    assert raw_line(path, line) == text
