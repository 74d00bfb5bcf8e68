"""Test cases for Azure AI evaluation, sound and damaged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from files import (
    ANSWERS,
    ASKS_NOTHING,
    CONTEXTS,
    QUESTIONS,
    TRUTHS,
    Fault,
    Row,
    at,
    bytes_of,
    jsonl,
    less,
    lines_of,
    renamed,
    table,
)


def azure() -> Iterator[Fault]:
    rows: list[Row] = [
        {"query": q, "context": "\n".join(c), "response": a, "ground_truth": t}
        for q, c, a, t in zip(QUESTIONS, CONTEXTS, ANSWERS, TRUTHS, strict=True)
    ]
    yield from bytes_of("jsonl", "rows.jsonl", jsonl(rows), rows)
    yield from lines_of(rows)
    for name in ("query", "context", "response", "ground_truth"):
        yield Fault(f"{name} missing in a row", jsonl(less(rows, name, 2)), "rows.jsonl", less(rows, name, 2))
        yield Fault(f"{name} null in a row", jsonl(at(rows, 2, **{name: None})), "rows.jsonl", less(rows, name, 2))
        yield Fault(f"{name} missing in all", jsonl(less(rows, name)), "rows.jsonl", less(rows, name))
    for name, value in (("a number", 42), ("a boolean", True), ("a list", ["a", "b"]), ("an object", {"text": "a"})):
        changed = at(rows, 1, response=value)
        yield Fault(f"response is {name}", jsonl(changed), "rows.jsonl", changed)
    said = less(at(rows, 1, response=[{"role": "assistant", "content": "Yes."}]), "ground_truth")
    yield Fault("response is a list of messages", jsonl(said), "rows.jsonl", said)
    yield Fault("query is empty", jsonl(at(rows, 1, query="")), "rows.jsonl", at(rows, 1, query=""), ASKS_NOTHING)
    yield Fault("response is empty", jsonl(at(rows, 1, response="")), "rows.jsonl", at(rows, 1, response=""))
    lists = [{**row, "context": list(c)} for row, c in zip(rows, CONTEXTS, strict=True)]
    yield Fault("contexts are lists", jsonl(lists), "rows.jsonl", lists)
    yield Fault("NaN", jsonl(rows).replace(b'"4.20"', b"NaN"), "rows.jsonl", rows)
    for name, value in (("extra", {"a": 1}), ("two words", "x"), ("huge", 2**70), ("page", 3), ("none", None)):
        yield Fault(f"a further column, {name}", jsonl([{**row, name: value} for row in rows]), "rows.jsonl", rows)
    for name, value in (
        ("created_at", "2024-05-01"),
        ("date", 20240501),
        ("timestamp", 1714521600),
        ("created_at", "last week"),
        ("modified", "2024-05-01T08:00:00Z"),
        ("DateTime", "2024-05-01"),
        ("updated_at", 1714521600000),
        ("date_of_issue", "2024-05-01"),
        ("run_time", 12.5),
    ):
        yield Fault(f"{name}: {value}", jsonl([{**row, name: value} for row in rows]), "rows.jsonl", rows)
    yield Fault("question, answer", jsonl(renamed(rows, query="question", response="answer")), "rows.jsonl", rows)
    yield Fault("Query, Response", jsonl(renamed(rows, query="Query", response="Response")), "rows.jsonl", rows)
    yield from _azure_tables(rows)
    yield from _azure_conversations(rows)
    yield from _azure_documents()


def _azure_tables(rows: list[Row]) -> Iterator[Fault]:
    yield from bytes_of("csv", "rows.csv", table(rows), rows)
    yield Fault("semicolons", table(rows, ";"), "rows.csv", rows)
    yield Fault("tabs", table(rows, "\t"), "rows.csv", rows)
    yield Fault("spaces in a header", table(rows).replace(b",response", b", response", 1), "rows.csv", rows)
    yield Fault("a header twice", table(rows).replace(b"context,response", b"response,response", 1), "rows.csv", rows)
    yield Fault(
        "a field too many", table(rows) + b"a,b,c,d,e\n", "rows.csv", [*rows, dict(zip(rows[0], "abcd", strict=True))]
    )
    yield Fault(
        "a field too few", table(rows) + b"a,b,c\n", "rows.csv", [*rows, dict(zip(rows[0], "abc", strict=False))]
    )
    yield Fault(
        "a quote not closed", table(rows) + b'a,b,c,"d\n', "rows.csv", [*rows, dict(zip(rows[0], "abcd", strict=True))]
    )
    for word in ("NA", "None", "null", "nan", "N/A", "n/a", "true", "007", "1e5"):
        changed = at(rows, 1, response=word)
        yield Fault(f"the answer is {word}", table(changed), "rows.csv", changed)
    yield Fault("an empty cell", table(at(rows, 1, context="")), "rows.csv", at(rows, 1, context=""))
    yield Fault("an empty ground truth", table(at(rows, 1, ground_truth="")), "rows.csv", at(rows, 1, ground_truth=""))
    yield Fault("CSV called .txt", table(rows), "rows.txt", rows)
    yield Fault("JSON lines called .json", jsonl(rows), "rows.json", rows)
    yield Fault("TSV", table(rows, "\t"), "rows.tsv", rows)


def _azure_conversations(rows: list[Row]) -> Iterator[Fault]:
    def talk(row: Row, **more: Any) -> Row:
        said = [{"role": "user", "content": row["query"]}, {"role": "assistant", "content": row["response"], **more}]
        return {"conversation": {"messages": said}}

    sound = [talk(row, context="Boats.") for row in rows]
    yield Fault("conversations", jsonl(sound), "talks.jsonl", sound)
    for name, value in (
        ("a text", "Hi"),
        ("a list of messages", sound[1]["conversation"]["messages"]),
        ("no messages", {"messages": []}),
        ("no role", {"messages": [{"content": "Hi"}]}),
        ("an unknown role", {"messages": [{"role": "human", "content": "Hi"}]}),
        ("no answer", {"messages": [{"role": "user", "content": "Hi"}]}),
    ):
        yield Fault(f"conversation: {name}", jsonl(at(sound, 1, conversation=value)), "talks.jsonl", sound)
    both = [{**talk(row), "query": row["query"], "response": row["response"]} for row in rows]
    yield Fault("conversation and query", jsonl(both), "talks.jsonl", both)


def _azure_documents() -> Iterator[Fault]:
    truth = [{"document_id": "d1", "query_relevance_label": 3}, {"document_id": "d2", "query_relevance_label": 0}]
    hits = [{"document_id": "d2", "relevance_score": 0.9}, {"document_id": "d1", "relevance_score": 0.4}]
    row = {"query": "q", "retrieval_ground_truth": truth, "retrieved_documents": hits}
    yield Fault("documents", jsonl([row]), "hits.jsonl", [row])
    for name, changed in (
        ("no hits", {"retrieved_documents": []}),
        ("no truth", {"retrieval_ground_truth": []}),
        ("a label in quotes", {"retrieval_ground_truth": [{"document_id": "d1", "query_relevance_label": "3"}]}),
        ("a label 0.5", {"retrieval_ground_truth": [{"document_id": "d1", "query_relevance_label": 0.5}]}),
        ("a label of 7", {"retrieval_ground_truth": [{"document_id": "d1", "query_relevance_label": 7}]}),
        ("a score in quotes", {"retrieved_documents": [{"document_id": "d1", "relevance_score": "0.5"}]}),
        ("no score", {"retrieved_documents": [{"document_id": "d1"}]}),
        ("names only", {"retrieved_documents": ["d1", "d2"]}),
    ):
        yield Fault(f"documents: {name}", jsonl([row, {**row, **changed}]), "hits.jsonl", [row, {**row, **changed}])
