"""What the exact values of the cases in JSON and of retrieval sets mean; see ``case_values``."""

from __future__ import annotations

from typing import Any

import polars as pl

from ragtui.datasets.check import Opened
from ragtui.datasets.dataset import Dataset
from ragtui.datasets.findings import Level
from ragtui.datasets.mapping import inputs_frame, metric_inputs, present
from ragtui.datasets.references import parse_reference
from tests.datasets.case_values import Case, check, lines_with, rows_of


def only(opened: Opened) -> Dataset:
    assert len(opened.datasets) == 1
    return opened.datasets[0]


def column(dataset: Dataset, name: str) -> list[Any]:
    return rows_of(dataset)[name].to_list()


@check("documents", "judgments", "evaluable_queries", "unknown_documents", "unknown_queries")
def _counts(value: int, opened: Opened, case: Case) -> None:
    names = {"documents", "judgments", "evaluable_queries", "unknown_documents", "unknown_queries"}
    wanted = {name: each for name, each in case.toml["value"].items() if name in names}
    assert value in wanted.values()
    if wanted.get("judgments") == 0:
        assert only(opened).qrels is None
        wanted.pop("judgments")
    assert {name: only(opened).counts[name] for name in wanted} == wanted


@check("distinct_ids", "documents_in_array")
def _documents(value: int, opened: Opened, case: Case) -> None:
    corpus = only(opened).corpus
    assert corpus is not None
    assert corpus["doc_id"].n_unique() == value


@check("queries_in_array")
def _queries(value: int, opened: Opened, case: Case) -> None:
    assert only(opened).rows == value


@check("errors")
def _errors(value: int, opened: Opened, case: Case) -> None:
    assert opened.total(Level.ERROR) == value


@check("lines")
def _lines(value: int, opened: Opened, case: Case) -> None:
    assert only(opened).counts["judgment_lines"] == value


@check("distinct_pairs")
def _pairs(value: int, opened: Opened, case: Case) -> None:
    qrels = only(opened).qrels
    assert qrels is not None
    assert qrels.height == value
    last = qrels.filter(pl.col("query_id") == "q2")
    assert last.select("grade", "line").row(0) == (0, 5)  # the last of two that conflict


@check("undisputed_pairs")
def _undisputed(value: int, opened: Opened, case: Case) -> None:
    conflicts = [finding for finding in opened.findings() if finding.code == "BEIR205"]
    assert only(opened).counts["judgments"] - len(conflicts) == value


@check("queries_without_judgment")
def _unjudged(value: list[str], opened: Opened, case: Case) -> None:
    told = [finding.message for finding in opened.findings() if finding.code == "BEIR217"]
    assert [message for message, query in zip(told, value, strict=True) if f"query {query} " in message] == told


@check("mean_recall_at_2", "n", "excluded")
def _recall_inputs(value: float, opened: Opened, case: Case) -> None:
    """The run and the judgments a recall is computed of: q1 finds one of two, q2 its only one, q3 and q4 have none."""
    dataset = only(opened)
    assert dataset.qrels is not None
    run = dataset.runs["results.jsonl"].with_columns(
        rank=pl.col("score").rank("ordinal", descending=True).over("query_id")
    )
    relevant = dataset.qrels.filter(pl.col("grade") > 0)
    hits = relevant.join(run.filter(pl.col("rank") <= 2), on=["query_id", "doc_id"], how="left")
    recall = hits.group_by("query_id").agg(pl.col("rank").is_not_null().mean())["rank"]
    found = {"mean_recall_at_2": recall.mean(), "n": len(recall), "excluded": dataset.rows - len(recall)}
    assert value in found.values()


@check("line1_suggestion", "line3_suggestion")
def _suggestion(value: str, opened: Opened, case: Case) -> None:
    assert any(f'"{value}"' in finding.message for finding in opened.findings())


@check("line2_text")
def _untouched(value: str, opened: Opened, case: Case) -> None:
    queries = only(opened).queries
    assert queries is not None
    assert queries["text"][1] == value


@check("row1_context", "row101_ground_truth", "row2_context_preferred")
def _cell(value: str, opened: Opened, case: Case) -> None:
    dataset = only(opened)
    stated = {
        "row1_context": ("context", 0),
        "row101_ground_truth": ("ground_truth", 100),
        "row2_context_preferred": ("context", 1),
    }
    name, row = next(stated[key] for key, each in case.toml["value"].items() if key in stated and each == value)
    assert column(dataset, name)[row] == value


@check("row2_context_other")
def _other(value: str, opened: Opened, case: Case) -> None:
    assert any(value in finding.message for finding in opened.findings())


@check("ground_truth_present", "ground_truth_missing")
def _ground_truths(value: int, opened: Opened, case: Case) -> None:
    filled = only(opened).cases["ground_truth"].is_not_null().sum()  # type: ignore[index]
    assert value in (filled, only(opened).rows - filled)


@check("rows_cut", "rows_complete", "rows_old", "rows_typo")
def _rows_by_file(value: int, opened: Opened, case: Case) -> None:
    files = {name.removeprefix("rows_"): each for name, each in case.toml["value"].items() if name.startswith("rows_")}
    assert {dataset.name: dataset.rows for dataset in opened.datasets} == files


@check("line_of")
def _entry_lines(value: dict[str, int], opened: Opened, case: Case) -> None:
    told = {finding.field: finding.line for finding in opened.findings() if finding.code.startswith("MAP")}
    assert told == {name: line for name, line in value.items() if name in told}
    sound = {entry["input"] for entry in case.toml["mapping"] if entry["status"] == "ok"}
    assert value.keys() - told.keys() == sound
    for entry in case.toml["mapping"]:
        if "suggestion" in entry:
            finding = next(each for each in opened.findings() if each.field == entry["input"])
            assert entry["suggestion"].removeprefix("${data.").rstrip("}") in finding.message


@check("present")
def _present(value: dict[str, int], opened: Opened, case: Case) -> None:
    dataset = only(opened)
    assert {name: present(dataset, parse_reference(name)) for name in value} == value


@check("mapping")
def _mapping(value: dict[str, str], opened: Opened, case: Case) -> None:
    dataset = next(dataset for dataset in opened.datasets if dataset.name == "old")
    fields = {
        "user_input": "query",
        "response": "response",
        "retrieved_contexts": "context",
        "reference": "ground_truth",
    }
    assert dict(dataset.fields) == {fields[new]: old for old, new in value.items()}
    told = next(
        finding.message for finding in opened.findings() if finding.file == "old.jsonl" and finding.level is Level.INFO
    )
    assert all(f"{old} as {new}" in told for old, new in value.items())


@check("items")
def _items(value: dict[str, int], opened: Opened, case: Case) -> None:
    dataset = only(opened)
    frame = inputs_frame(dataset, metric_inputs(dataset, {}, "groundedness", ["context"]))
    sizes = dict(zip(column(dataset, "_line"), frame["context"].list.len(), strict=True))
    assert {line: sizes[int(line)] for line in value} == value
    for line in lines_with(opened, Level.ERROR):
        assert sizes[line] is None  # unreadable is not one context, and not none


@check("row1_question", "row2_question", "row2_expected")
def _unwrapped(value: str, opened: Opened, case: Case) -> None:
    assert any(value in edit.text for finding in opened.findings() for edit in finding.fix)
