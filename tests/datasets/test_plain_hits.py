"""The fast way through run files gives what the careful reader gives, or steps aside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragtui.datasets.findings import Report
from ragtui.datasets.formats.beir import runs
from ragtui.datasets.formats.beir.runs import read_run
from ragtui.datasets.plain_hits import plain_hits

IDS = st.text(
    st.characters(codec="utf-8", exclude_characters='"\\', exclude_categories=("Cc", "Cs")), min_size=1, max_size=8
)
HITS = st.lists(
    st.tuples(IDS, IDS, st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9)), min_size=1, max_size=8
)
STYLES = st.sampled_from([(", ", ": "), (",", ":"), (", ", ":")])


def lines(hits: list[tuple[str, str, float]], style: tuple[str, str] = (", ", ": ")) -> list[str]:
    return [
        json.dumps({"query-id": q, "corpus-id": d, "score": s}, ensure_ascii=False, separators=style)
        for q, d, s in hits
    ]


def careful(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[tuple[object, ...]], Report]:
    report = Report(path.name)
    with monkeypatch.context() as patch:
        patch.setattr(runs, "plain_hits", lambda path: None)
        return read_run(path, path.name, report).rows(), report


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hits=HITS, style=STYLES, last=st.sampled_from(["", "\n"]))
def test_sound_files_are_read_alike(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    hits: list[tuple[str, str, float]],
    style: tuple[str, str],
    last: str,
) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(("\n".join(lines(hits, style)) + last).encode())
    found = plain_hits(path)
    assert found is not None
    assert found.rows() == careful(path, monkeypatch)[0]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    hits=HITS,
    place=st.integers(0, 10_000),
    junk=st.sampled_from(['"', "\\", "\n", "\r", "\t", " ", ",", "}", "{", "é", "x", "0", ":", "+", "-", ".", ""]),
)
def test_a_file_with_any_slip_is_read_alike_or_left_to_the_careful_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hits: list[tuple[str, str, float]], place: int, junk: str
) -> None:
    text = "\n".join(lines(hits)) + "\n"
    place %= len(text)
    path = tmp_path / "run.jsonl"
    path.write_bytes((text[:place] + junk + text[place + (place % 2) :]).encode())
    found = plain_hits(path)
    if found is not None:
        rows, report = careful(path, monkeypatch)
        assert found.rows() == rows
        assert not report.findings


@pytest.mark.parametrize(
    "slip",
    [
        '{"corpus-id": "d", "query-id": "q", "score": 1}',
        '{"query-id": 7, "corpus-id": "d", "score": 1}',
        '{"query-id": "q", "corpus-id": "d", "score": "1"}',
        '{"query-id": "q", "corpus-id": "d", "score": NaN}',
        '{"query-id": "q", "corpus-id": "d", "score": 01}',
        '{"query-id": "q", "corpus-id": "d", "score": 1e999}',
        '{"query-id": "q", "corpus-id": "d"}',
        '{"query-id": "", "corpus-id": "d", "score": 1}',
        '{"query-id": "\\u0071", "corpus-id": "d", "score": 1}',
        '{"query-id": "q", "corpus-id": "d", "score": 1, "x": 2}',
        '{"query_id": "q", "corpus-id": "d", "score": 1}',
        '{"query-id"; "q", "corpus-id": "d", "score": 1}',
        "",
        "[]",
    ],
)
def test_one_line_that_is_written_otherwise_is_enough_to_step_aside(tmp_path: Path, slip: str) -> None:
    sound = lines([("q1", "d1", 1.0), ("q1", "d2", 0.5)])
    path = tmp_path / "run.jsonl"
    for place in (1, 2):
        path.write_text("\n".join([*sound[:place], slip, *sound[place:], *sound]) + "\n", "utf-8")
        assert plain_hits(path) is None


@pytest.mark.parametrize("size", range(24, 130, 7))
def test_lines_that_lie_across_blocks_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr("ragtui.datasets.plain_hits._BLOCK", size)
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(lines([(f"q{n}", f"d{n}", n / 8) for n in range(20)])), "utf-8")
    found = plain_hits(path)
    assert found is not None
    assert found.height == 20


def test_a_mark_of_byte_order_and_an_empty_file_are_not_plain(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + lines([("q", "d", 1.0)])[0].encode())
    assert plain_hits(path) is None
    path.write_bytes(b"")
    assert plain_hits(path) is None


def test_a_quotation_mark_behind_the_last_line_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(
        '{"query-id": "q1", "corpus-id": "d1", "score": 1}\n{"query-id": "q1", "corpus-id": "d2", "score": 2}"\n'
    )
    assert plain_hits(path) is None
