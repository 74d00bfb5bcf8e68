"""Recorded responses: the dataset's own, a column's, another file's joined by case id."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragtui.metrics.score import State
from ragtui.targets.target import TargetError

from .making import answers, cases, opened, write_lines

ROWS = [
    {"id": "c1", "query": "q1", "ground_truth": "g1", "response": "r1", "context": ["a", "b"]},
    {"id": "c2", "query": "q2", "ground_truth": "g2", "response": "", "context": []},
    {"id": "c3", "query": "q3", "ground_truth": "g3", "response": None, "context": None},
]


def test_the_datasets_own_responses(tmp_path: Path) -> None:
    target = opened("recorded", cases(tmp_path, ROWS), tmp_path)
    first, second, third, unknown = answers(target, "c1", "c2", "c3", "c9")
    assert target.replays
    assert target.host is None
    assert (first.state, first.text, first.contexts) == (State.SCORED, "r1", ("a", "b"))
    assert (second.state, second.text, second.contexts) == (State.SCORED, "", ())
    assert (third.state, third.text) == (State.PENDING, None)
    assert unknown.state is State.PENDING
    assert "no response recorded in" in unknown.message


def test_two_versions_in_two_columns_each_with_its_own_contexts(tmp_path: Path) -> None:
    dataset = cases(
        tmp_path,
        [
            {
                "id": "c1",
                "query": "q",
                "response_v1": "old",
                "response_v2": "new",
                "context_v1": ["x"],
                "context_v2": ["y", "z"],
            },
            {
                "id": "c2",
                "query": "p",
                "response_v1": "old",
                "response_v2": "new",
                "context_v1": ["x"],
                "context_v2": ["y"],
            },
        ],
    )
    (first,) = answers(opened("recorded:response_v1", dataset, tmp_path), "c1")
    (second,) = answers(opened("recorded:response_v2", dataset, tmp_path), "c1")
    assert (first.text, first.contexts) == ("old", ("x",))
    assert (second.text, second.contexts) == ("new", ("y", "z"))
    with pytest.raises(
        TargetError, match="2 columns of responses; name one of recorded:response_v1, recorded:response_v2"
    ):
        opened("recorded", dataset, tmp_path)


def test_another_files_responses_are_joined_by_case_id_not_by_position(tmp_path: Path) -> None:
    dataset = cases(tmp_path, [{"id": f"c{n}", "query": f"q{n}", "ground_truth": "g"} for n in range(4)])
    write_lines(
        tmp_path / "v2.jsonl",
        [
            {"id": "c3", "query": "q3", "response": "three", "context": ["x"], "latency_ms": 889, "prompt_tokens": 391,
             "completion_tokens": 32, "cost_usd": "0.002", "retrieved_ids": ["d1", "d2"]},
            {"id": "c1", "query": "q1", "response": "one", "context": ["y"], "latency_ms": None, "prompt_tokens": None,
             "completion_tokens": None, "cost_usd": None, "retrieved_ids": []},
        ],
    )  # fmt: skip
    zero, one, three = answers(opened("recorded:v2.jsonl", dataset, tmp_path), "c0", "c1", "c3")
    assert zero.state is State.PENDING
    assert (one.text, one.latency_ms, one.cost) == ("one", None, None)
    assert (three.text, three.contexts) == ("three", ("x",))
    assert (three.latency_ms, three.prompt_tokens, three.completion_tokens, three.cost) == (889.0, 391, 32, 0.002)
    assert three.extra["retrieved_ids"] == ["d1", "d2"]
    assert isinstance(three.prompt_tokens, int)


def test_seconds_become_milliseconds(tmp_path: Path) -> None:
    dataset = cases(tmp_path, [{"id": "c1", "query": "q", "response": "r", "latency_s": 1.5}])
    (found,) = answers(opened("recorded", dataset, tmp_path), "c1")
    assert found.latency_ms == 1500


def test_contexts_written_as_json_text_are_lists_and_other_text_is_one_chunk(tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text(
        'id,query,response,context\nc1,q,r,"[""a, b"", ""c""]"\nc2,q2,r,[sic] one chunk\n', "utf-8"
    )
    from ragtui.datasets.check import open_dataset

    dataset = open_dataset(str(tmp_path / "cases.csv"))[0]
    first, second = answers(opened("recorded", dataset, tmp_path), "c1", "c2")
    assert first.contexts == ("a, b", "c")
    assert second.contexts == ("[sic] one chunk",)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("recorded", "has no recorded responses; name who answers, as recorded:FILE"),
        ("recorded:answer_v2.jsonl", "did you mean answers_v2.jsonl?"),
        ("recorded:nothing", "is not there"),
        ("recorded:strangers.jsonl", "none of its case ids is in"),
        ("recorded:no_answers.jsonl", "has no recorded responses"),
        ("run:x.trec", "holds test cases, no judged documents; use recorded:FILE"),
        ("bm25", "has no corpus to search"),
    ],
)
def test_what_cannot_be_used_is_one_line_with_the_remedy(tmp_path: Path, spec: str, message: str) -> None:
    dataset = cases(tmp_path, [{"id": "c1", "query": "q", "ground_truth": "g"}])
    write_lines(tmp_path / "answers_v2.jsonl", [{"id": "c1", "query": "q", "response": "r"}])
    write_lines(tmp_path / "strangers.jsonl", [{"id": "x1", "query": "q", "response": "r"}])
    write_lines(tmp_path / "no_answers.jsonl", [{"id": "c1", "query": "q", "ground_truth": "g"}])
    with pytest.raises(TargetError) as caught:
        opened(spec, dataset, tmp_path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_measure_that_is_no_number_names_its_case(tmp_path: Path) -> None:
    dataset = cases(tmp_path, [{"id": "c1", "query": "q", "response": "r", "latency_ms": "fast"}])
    with pytest.raises(TargetError, match="latency_ms of case c1 is 'fast'"):
        opened("recorded", dataset, tmp_path)


def test_files_are_found_in_the_workspace_and_beside_the_dataset(tmp_path: Path) -> None:
    dataset = cases(tmp_path / "data", [{"id": "c1", "query": "q", "ground_truth": "g"}])
    write_lines(tmp_path / "data" / "beside.jsonl", [{"id": "c1", "query": "q", "response": "beside"}])
    write_lines(tmp_path / "root.jsonl", [{"id": "c1", "query": "q", "response": "root"}])
    assert answers(opened("recorded:beside.jsonl", dataset, tmp_path), "c1")[0].text == "beside"
    assert answers(opened("recorded:root.jsonl", dataset, tmp_path), "c1")[0].text == "root"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", '{"id": "c2", "response": "two"}\n{"id": "c1", "response": "one"}\n'),
        ("a.jsonl", '{"response": "two", "id": 2}\n{"response": "one", "id": 1}\n'),
        ("a.json", '[{"case_id": "c2", "answer": "two"}, {"case_id": "c1", "answer": "one"}]'),
        ("a.csv", "id,response\nc2,two\nc1,one\n"),
        ("a.tsv", "qid\toutput\nc2\ttwo\nc1\tone\n"),
        ("a.csv", "id;bot_answer;latency_ms\nc2;two;20\nc1;one;10\n"),
        (
            "a.jsonl",
            '{"id": "c2", "response": "two", "contexts": ["x"]}\n{"id": "c1", "response": "one", "contexts": []}\n',
        ),
        ("a.jsonl", '{"id": "c2", "answer": "two", "context": ["x"]}\n{"id": "c1", "answer": "one", "context": []}\n'),
    ],
)
def test_a_file_of_answers_needs_an_id_and_one_response_column(tmp_path: Path, name: str, content: str) -> None:
    ids = ["1", "2"] if '"id": 1' in content else ["c1", "c2"]
    dataset = cases(tmp_path, [{"id": each, "query": f"q{each}", "ground_truth": "g"} for each in ids])
    (tmp_path / name).write_text(content, "utf-8")
    first, second = answers(opened(f"recorded:{name}", dataset, tmp_path), *ids)
    assert (first.text, second.text) == ("one", "two")
    if "latency_ms" in content:
        assert (first.latency_ms, second.latency_ms) == (10, 20)
    if "context" in content:
        assert (first.contexts, second.contexts) == ((), ("x",))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("number,response\n1,one\n", "no column holds case ids; call it id (its columns are number, response)"),
        ("id,first,second\nc1,a,b\n", "has no recorded responses; call the one to use response"),
        ("id,response_v1,response_v2\nc1,a,b\n", "has 2 columns of responses; call the one to use response"),
        ("", "the file is empty"),
    ],
)
def test_a_file_that_does_not_tell_its_answers_says_what_it_lacks(tmp_path: Path, content: str, message: str) -> None:
    dataset = cases(tmp_path, [{"id": "c1", "query": "q", "ground_truth": "g"}])
    (tmp_path / "a.csv").write_text(content, "utf-8")
    with pytest.raises(TargetError) as caught:
        opened("recorded:a.csv", dataset, tmp_path)
    assert message in str(caught.value)


def test_contexts_as_python_prints_them_are_lists(tmp_path: Path) -> None:
    from ragtui.datasets.check import open_dataset

    (tmp_path / "cases.csv").write_text(
        'id,query,response,context\nc1,q,r,"[\'a\', ""it\'s""]"\nc2,p,r,plain\n', "utf-8"
    )
    dataset = open_dataset(str(tmp_path / "cases.csv"))[0]
    first, second = answers(opened("recorded", dataset, tmp_path), "c1", "c2")
    assert (first.contexts, second.contexts) == (("a", "it's"), ("plain",))
