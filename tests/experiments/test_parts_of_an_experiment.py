"""What reads an experiment a part at a time: the same as at once, at the cost of the part, whatever is stored."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from ragtui.experiments import diagnoses, stored_texts
from ragtui.experiments.gates import Gates, judge
from ragtui.experiments.plan import Side
from ragtui.experiments.reports import html, junit, spreadsheet, xlsx
from ragtui.experiments.stored_results import StoredResults
from ragtui.metrics.score import Outcome, State, scored
from ragtui.targets.target import Response
from tests.experiments import making

IDS = [f"c{n:02}" for n in range(23)]


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StoredResults:
    """23 cases, worst in the middle; some have an input of their own, one a half surrogate pair, one failed."""
    monkeypatch.setattr(stored_texts, "_AT_ONCE", 4)
    monkeypatch.setattr(diagnoses, "_AT_ONCE", 3)
    monkeypatch.setattr(spreadsheet, "_AT_ONCE", 5)
    store = making.store(tmp_path)
    cases = making.cases(IDS).with_columns(
        inputs=pl.Series(
            [json.dumps({"query": f"q {n}", **({"office": "\ud800"} if n == 17 else {})}) for n in range(len(IDS))]
        )
    )
    with store.begin(making.plan(), "desk.csv", cases) as recorder:
        recorder.respond(
            Side.CANDIDATE,
            [
                (n, Response(each, State.SCORED, text=f"says {n}", contexts=("the archive",)))
                for n, each in enumerate(IDS)
            ],
        )
        grades = [1.0 + abs(n - 11) % 5 for n in range(len(IDS))]
        recorder.score(
            Side.CANDIDATE,
            "groundedness",
            [
                (
                    n,
                    1,
                    scored(grade, f"reason {n}") if n else Outcome(State.JUDGE_ERROR, cause="timeout", reason="slow"),
                )
                for n, grade in enumerate(grades)
            ],
        )
        recorder.score(Side.CANDIDATE, "f1", [(n, 1, scored(n / 22)) for n in range(len(IDS))])
    return store.results("last")


def test_texts_and_reasons_of_some_cases_are_those_of_all(results: StoredResults) -> None:
    wanted = ["c20", "c02", "c17"]
    for read in (results.texts, results.reasons):
        whole, some = read(Side.CANDIDATE), read(Side.CANDIDATE, wanted)
        assert whole["case_id"].to_list() == IDS
        assert some.equals(whole.filter(pl.col("case_id").is_in(wanted)))
        assert read(Side.CANDIDATE, []).schema == whole.schema
    assert results.texts().columns == ["case_id", "query", "office", "expected ground_truth", "response", "contexts"]
    assert results.texts()["office"].null_count() == 22
    assert results.reasons()["groundedness reason"][22] == "reason 22"


def test_a_sheet_in_parts_is_the_sheet(results: StoredResults) -> None:
    whole = spreadsheet.sheet(results, Side.CANDIDATE, results.rows())
    parts = list(spreadsheet.sheets(results, Side.CANDIDATE))
    assert [part.height for part in parts] == [5, 5, 5, 5, 3]
    assert pl.concat(parts).equals(whole)


def test_a_workbook_begins_another_page_where_one_is_full(
    results: StoredResults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import openpyxl

    monkeypatch.setattr(xlsx, "ROW_LIMIT", 10)
    (tmp_path / "report.xlsx").write_bytes(xlsx.render(results, judge(results, Gates())))
    book = openpyxl.load_workbook(tmp_path / "report.xlsx", read_only=True)
    pages = [list(book[name].iter_rows(values_only=True)) for name in ("cases", "cases 2", "cases 3")]
    assert [len(page) for page in pages] == [11, 11, 4]
    assert {page[0] for page in pages} == {pages[0][0]}
    assert [row[0] for page in pages for row in page[1:]] == IDS


def test_causes_found_in_parts_name_every_failing_case(results: StoredResults) -> None:
    rows = results.rows()
    failing = rows.filter(~(pl.col("groundedness passed") & pl.col("f1 passed")))["case_id"].to_list()
    assert len(failing) > 6
    assert set(rows.filter(pl.col("cause").is_not_null())["case_id"]) <= set(failing)
    assert rows["cause"].drop_nulls().len() >= 3


def test_a_page_of_too_many_cases_holds_the_worst_of_each_metric(
    results: StoredResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html, "ROWS", 6)
    held = html._worst(results, results.rows())["case_id"].to_list()
    assert len(held) == 6
    assert {"c01", "c00", "c11"} <= set(held), "the two worst by f1, and the worst by groundedness"
    monkeypatch.setattr(html, "ROWS", 100)
    every = html._worst(results, results.rows())
    assert sorted(every["case_id"]) == IDS
    failed = every.select(
        pl.sum_horizontal(~pl.col("groundedness passed"), ~pl.col("f1 passed").fill_null(False))
    ).to_series()
    assert failed.to_list() == sorted(failed, reverse=True), "those that fail most stand first"


def test_suites_count_what_they_hold(results: StoredResults) -> None:
    from xml.etree import ElementTree

    suites = ElementTree.fromstring("".join(junit.render(results, judge(results, Gates()))))
    for suite in suites:
        found = {kind: len(list(suite.iter(kind))) for kind in ("testcase", "failure", "error", "skipped")}
        said = {name: int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")}
        assert list(found.values()) == list(said.values())
    assert suites[0].attrib["errors"] == "1"


def test_one_case_is_read_without_looking_at_the_others(results: StoredResults) -> None:
    connection, asked = results.store.connection, []
    connection.set_trace_callback(asked.append)
    results.detail("c07")
    connection.set_trace_callback(None)
    (scores,) = (sql for sql in asked if "FROM scores" in sql and "calls.prompt" in sql)
    (used, *_) = (row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {scores}"))
    assert "position>" in used, used
