"""The shipped sample data is sound by itself, read here without any of ragtui's readers."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import openpyxl
import pytest

SAMPLES = Path(__file__).parents[2] / "sample_data"
DESK = SAMPLES / "support-desk"
ARTICLES = {path.name: path.read_text("utf-8") for path in sorted((DESK / "articles").iterdir())}
VERSIONS = ("answers_v1.jsonl", "answers_v2.jsonl")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def table(name: str) -> list[dict[str, str]]:
    with (SAMPLES / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def corpus() -> dict[str, dict[str, str]]:
    documents = lines(SAMPLES / "beir" / "corpus.jsonl")
    by_id = {each["_id"]: each for each in documents}
    assert len(by_id) == len(documents)
    return by_id


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    return lines(DESK / "support.jsonl")


def test_the_desk_has_questions_in_four_languages_and_some_that_no_article_answers(cases: list[dict[str, Any]]) -> None:
    assert len({each["id"] for each in cases}) == len(cases) == 60
    assert set(Counter(each["language"] for each in cases)) == {"en", "de", "es", "ja"}
    assert sum(not each["answerable"] for each in cases) == 4
    for each in cases:
        assert each["answerable"] == bool(each["relevant_ids"]) == bool(each["article"]), each["id"]
        assert each["query"].strip() == each["query"]
        assert each["ground_truth"].strip()


def test_what_a_case_refers_to_is_there(cases: list[dict[str, Any]], corpus: dict[str, dict[str, str]]) -> None:
    for each in cases:
        assert set(each["article"]) <= set(ARTICLES), each["id"]
        for passage in each["relevant_ids"]:
            assert any(corpus[passage]["text"] in ARTICLES[name] for name in each["article"]), each["id"]


@pytest.mark.parametrize("version", VERSIONS)
def test_each_version_answered_every_question_from_passages_of_the_index(
    version: str, cases: list[dict[str, Any]], corpus: dict[str, dict[str, str]]
) -> None:
    answers = lines(DESK / version)
    assert [(each["id"], each["query"]) for each in answers] == [(each["id"], each["query"]) for each in cases]
    for each in answers:
        assert each["context"] == [corpus[passage]["text"] for passage in each["retrieved_ids"]], each["id"]
        assert len(set(each["retrieved_ids"])) == (2 if version == VERSIONS[0] else 4), each["id"]
        assert each["response"].strip()
        assert min(each["latency_ms"], each["prompt_tokens"], each["completion_tokens"]) > 0


def test_version_2_finds_most_of_what_version_1_misses_and_misses_little(cases: list[dict[str, Any]]) -> None:
    v1, v2 = (lines(DESK / version) for version in VERSIONS)
    found = [
        (set(case["relevant_ids"]) <= set(a["retrieved_ids"]), set(case["relevant_ids"]) <= set(b["retrieved_ids"]))
        for case, a, b in zip(cases, v1, v2, strict=True)
        if case["answerable"]
    ]
    assert sum(not first and second for first, second in found) >= 15
    assert 1 <= sum(first and not second for first, second in found) <= 3
    assert sum(a["response"] == b["response"] for a, b in zip(v1, v2, strict=True)) < 10


def test_articles_and_index_agree(corpus: dict[str, dict[str, str]]) -> None:
    indexed = Counter(
        name
        for passage, document in corpus.items()
        for name, text in ARTICLES.items()
        if passage.rsplit("-", 1)[0] == Path(name).stem and document["text"] in text
    )
    assert set(indexed) == set(ARTICLES)
    assert min(indexed.values()) >= 3
    assert len(ARTICLES) == 17


def test_answers_of_the_qa_set_stand_where_their_offsets_say() -> None:
    for row in table("deepset-qa.csv"):
        assert row["context"][int(row["answer_start"]) : int(row["answer_end"])] == row["text"], row["question"]
        assert row["context"] in ARTICLES[row["file_name"]], row["question"]
        assert len(row["context"]) > 100
        assert not row["filters"] or json.loads(row["filters"])


def test_passages_of_the_retrieval_set_stand_in_their_articles() -> None:
    rows = table("deepset-retrieval.csv")
    assert len(rows) >= 30
    for row in rows:
        assert row["context"] in ARTICLES[row["file_name"]], row["question"]
        assert not row["text"]


def test_the_rag_set_fills_questions_only() -> None:
    for row in table("deepset-rag.csv"):
        assert [name for name, value in row.items() if value] == ["question"]


def test_judgments_and_run_of_the_beir_set_resolve(corpus: dict[str, dict[str, str]]) -> None:
    queries = {each["_id"]: each["text"] for each in lines(SAMPLES / "beir" / "queries.jsonl")}
    qrels = lines(SAMPLES / "beir" / "qrels.jsonl")
    run = [line.split() for line in (SAMPLES / "beir" / "run-titles.trec").read_text("utf-8").splitlines()]
    assert len(corpus) >= 100
    assert len(queries) >= 50
    assert len({(each["query-id"], each["corpus-id"]) for each in qrels}) == len(qrels)
    assert {each["corpus-id"] for each in qrels} <= set(corpus)
    assert {each["query-id"] for each in qrels if each["score"] > 0} == set(queries)
    assert Counter(each["score"] for each in qrels).keys() == {0, 1, 2}
    assert {query for query, *_ in run} <= set(queries)
    assert {document for _, _, document, *_ in run} <= set(corpus)
    assert {len(line) for line in run} == {6}


def test_half_of_the_index_is_not_the_answer_to_anything(corpus: dict[str, dict[str, str]]) -> None:
    relevant = {e["corpus-id"] for e in lines(SAMPLES / "beir" / "qrels.jsonl") if e["score"] == 2}
    assert len(corpus) - len(relevant) >= 35


def test_single_file_sets_have_what_their_platforms_ask() -> None:
    for row in lines(SAMPLES / "azure.jsonl"):
        assert list(row) == ["query", "context", "response", "ground_truth"]
        assert all(isinstance(value, str) and value for value in row.values())
    for item in json.loads((SAMPLES / "pinecone.json").read_text("utf-8")):
        assert list(item) == ["question", "answer", "ground_truth_answer"]
        assert all(isinstance(value, str) and value for value in item.values())


def test_table_cases_name_articles_that_exist() -> None:
    sheet = openpyxl.load_workbook(SAMPLES / "cases.xlsx").active
    assert sheet is not None
    header, *rows = sheet.iter_rows(values_only=True)
    assert header == ("query", "start_date", "expected_answer", "expected_article")
    assert {row[3] for row in rows} <= set(ARTICLES)
    cases = table("cases.csv")
    assert {row["expected_article"] for row in cases} <= set(ARTICLES)
    assert len({(row["query"], row["office"]) for row in cases}) == len(cases)
    assert len({row["query"] for row in cases}) < len(cases), "the office must matter for some questions"


def test_everything_is_small_and_plain_utf8() -> None:
    files = [path for path in SAMPLES.rglob("*") if path.is_file() and ".ragtui" not in path.parts]
    assert sum(path.stat().st_size for path in files) < 500_000
    for path in files:
        if path.suffix != ".xlsx" and path.name != "cases.csv":
            path.read_text("utf-8")
