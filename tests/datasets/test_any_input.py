"""Ten thousand inputs that nobody meant: whatever a file holds, opening it ends, soon, with findings or one line.

Ten inputs lie in a folder, which is opened as one; bytes, lines, cells, and sound files with damage in random places.
"""

from __future__ import annotations

import csv
import io
import json
import os
import random
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ragtui.cli.findings_output import Style, forms, render
from ragtui.datasets.check import CannotOpen, Opened, open_datasets, platforms
from ragtui.datasets.findings import Level
from ragtui.datasets.formats import ReadOptions, formats

INPUTS: Final = int(os.environ.get("RAGTUI_INPUTS", "2000"))  # 10000 for a thorough look
TOGETHER: Final = 10
KINDS: Final = 5
SECONDS: Final = 30  # for ten small files, on a machine that does other things as well
SAMPLES: Final = Path(__file__).parents[2] / "sample_data"

File = tuple[str, bytes]
NAMES: Final = st.sampled_from(
    [
        "a.csv", "b.jsonl", "c.json", "d.tsv", "e.txt", "f", "set/corpus.jsonl", "set/queries.jsonl", "set/qrels.jsonl",
        "set/qrels/test.tsv", "set/run.trec",
    ]
)  # fmt: skip
OPTIONS: Final = st.builds(
    ReadOptions,
    platform=st.sampled_from([None, *platforms()]),
    limit=st.sampled_from([None, None, 1]),
    skip_hidden=st.booleans(),
    select=st.sampled_from([(), ("ALL",)]),
)
FORMATS: Final = st.sampled_from([None, None, *formats()])
EVERY: Final = settings(
    max_examples=INPUTS // TOGETHER // KINDS, deadline=None, phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)  # fmt: skip


@contextmanager
def soon() -> Iterator[None]:
    """Fails what takes longer than ``SECONDS``."""

    def too_long(*_: Any) -> None:
        raise AssertionError(f"not done after {SECONDS} s")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")


def holds(folder: Path, files: list[File], options: ReadOptions, form: str, format: str | None) -> None:
    """The folder, and each file by its name, is opened or refused in one line; what is found can be printed, and lies in
    the file it names."""
    shutil.rmtree(folder, ignore_errors=True)
    lines: dict[str, int] = {}
    for number, (name, data) in enumerate(files):
        path = folder / str(number) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        lines[str(path.relative_to(folder))] = data.count(b"\n") + data.count(b"\r") + 1
    with soon():
        opened = opened_or_refused(folder, options)
        if opened is not None:
            "".join(render(form, opened, Style(Level.ERROR)))
            for each in opened.findings():
                assert each.line == 0 or each.sheet is not None or each.line <= lines[each.file], each
        if format is not None:
            opened_or_refused(folder / "0" / files[0][0], options, format)


def opened_or_refused(path: Path, options: ReadOptions, format: str | None = None) -> Opened | None:
    try:
        return open_datasets([str(path)], options, format)
    except CannotOpen as error:
        refused = str(error)
    assert "\n" not in refused
    return None


def ten(data: st.SearchStrategy[bytes], names: st.SearchStrategy[str] = NAMES) -> st.SearchStrategy[list[File]]:
    return st.lists(st.tuples(names, data), min_size=TOGETHER, max_size=TOGETHER)


PIECES: Final = st.sampled_from(
    [
        '{"_id": "d1", "text": "x"}', '{"query-id": "q1", "corpus-id": "d1", "score": 1}', '{"query": "Which?", "response": "This."}',
        '{"user_input": "q", "retrieved_contexts": ["c"]}', '{"vars": {"question": "q"}}', '{"conversation": {"messages": []}}',
        '{"samples": [{"input": "q", "target": "t"}]}', "question,text,context,answer_start,answer_end", 'q,"a\nb",0,1', "q\ta\tb",
        "query,expected_answer", "q1\td1\t1", "q1 0 d1 1", "q1 Q0 d1 1 0.5 t", "<DOC><DOCNO>1</DOCNO>", "<top><num>1<title>t", "sep=;",
        "{", "}", "[", "]", '"', "'", ":", ",", ";", "|", "\t", "\n", "\r\n", "\r", "\\", "\\u", "\\ud800", "null", "NaN", "-", "1e999",
        "0.5", "é", "漢", "\u2028", "\x00", "\x1b[31m", "\ufeff", "Ã¶", "\ufffd", "__expected", "[[[[[[", "{{item.x}}", "${data.x}",
    ]
)  # fmt: skip
ENCODINGS: Final = st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "cp1252"])
LINES: Final = st.builds(
    lambda pieces, joint, encoding: joint.join(pieces).encode(encoding, "replace"),
    st.lists(PIECES, max_size=12),
    st.sampled_from(["\n", "", " ", ",", "\r\n"]),
    ENCODINGS,
)

HEADERS: Final = st.sampled_from(
    """question,text,context,file_name,answer_start,answer_end,filters
    query,expected_answer
    id,query,response,ground_truth
    question,answer,ground_truth_answer
    user_input,retrieved_contexts,response
    input,actual_output,retrieval_context,context
    questions,contexts,predicted_answers
    question,__expected
    input,expectedOutput,metadata
    query,query,response
    Query ,Réponse,
    query-id,corpus-id,score""".splitlines()
).map(lambda header: header.strip().split(","))
CELL: Final = st.one_of(
    st.text(max_size=4),
    st.sampled_from(
        [
            "",
            "NA",
            "0",
            "-1",
            "1e9",
            "['a', 'b']",
            "['a' 'b']",
            '["a", 1]',
            '{"a": 1}',
            "{a: 1}",
            "a|b",
            "=1+1",
            " ",
            "None",
        ]
    ),
)


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    out = io.StringIO(newline="")
    delimiter = draw(st.sampled_from([",", ",", ";", "\t", "|"]))
    quoting: Any = draw(st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting)
    writer.writerow(draw(HEADERS))
    for row in draw(st.lists(st.lists(CELL, min_size=1, max_size=5), max_size=3)):
        writer.writerow(row)
    return out.getvalue().encode(draw(ENCODINGS), "replace")


SOUND: Final = [
    path for path in sorted(SAMPLES.rglob("*.*")) if path.suffix in (".csv", ".json", ".jsonl", ".xlsx", ".trec")
]


@st.composite
def damaged(draw: st.DrawFn) -> File:
    """A sample with bytes taken out, put in or changed; only its beginning, so that it is quickly read, but workbooks whole."""
    path = draw(st.sampled_from(SOUND))
    data = bytearray(path.read_bytes() if path.suffix == ".xlsx" else path.read_bytes()[: draw(st.integers(0, 3000))])
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(data)))
        data[place : place + draw(st.sampled_from([0, 0, 1, 9]))] = draw(
            st.one_of(st.binary(max_size=3), st.sampled_from([b'"', b"\n", b"{", b",", b"\0"]))
        )
    inside = "set/" if path.parent.name == "beir" else ""
    return inside + path.name, bytes(data)


CHUNK: Final = {"document_id": "1", "query_relevance_label": 4, "relevance_score": 0.5}
TURNS: Final = [
    {"role": "user", "content": "q"},
    {"role": "assistant", "content": "a", "context": {"citations": [{"id": "x"}]}},
]
PEERS: Final[dict[str, Any]] = {
    "ragas.jsonl": {"user_input": "q", "response": "r", "retrieved_contexts": ["c"], "reference": "x", "rubrics": {"a": "b"}},
    "deepeval.json": [{"input": "q", "actual_output": "a", "retrieval_context": ["c"], "tools_called": [{"name": "t"}]}] * 2,
    "tested.json": {"testCases": [{"name": "t", "input": "q", "actualOutput": "a", "metricsData": [{"name": "m", "score": 0.5}]}]},
    "promptfoo.json": {"results": {"results": [{"vars": {"question": "q"}, "response": {"output": "x"}, "testIdx": 0,
                       "gradingResult": {"pass": True, "score": 1, "componentResults": [{"pass": True, "assertion": {}}]}}]}},
    "tests.json": [{"vars": {"question": "q", "context": "c"}, "assert": [{"type": "equals", "value": "x"}]}] * 2,
    "langfuse.jsonl": {"id": "1", "input": {"question": "q"}, "expectedOutput": {"answer": "a"}, "metadata": {"a": 1}},
    "inspect.json": {"samples": [{"id": 1, "epoch": 1, "input": "q", "target": "t", "output": {"completion": "x"},
                                  "scores": {"m": {"value": "C"}}}]},
    "talk.jsonl": {"input": [{"role": "user", "content": "q"}], "target": ["a", "b"], "choices": ["a", "b"], "id": 1},
    "haystack.json": {"inputs": {"question": ["a", "b"], "contexts": [["c"], ["d"]], "predicted_answers": ["x", "y"]},
                      "results": {"m": {"score": 0.5, "individual_scores": [1, 0]}}},
    "ragchecker.json": {"results": [{"query_id": "1", "query": "q", "gt_answer": "g", "response": "r",
                        "retrieved_context": [{"doc_id": "d", "text": "t"}], "metrics": {"f1": 1.0}}]},
    "scored.json": {"rows": [{"inputs.query": "q", "outputs.f1.f1_score": 0.5}], "metrics": {"m": 1}, "studio_url": None},
    "conversation.jsonl": {"conversation": {"messages": TURNS}},
    "retrieved.jsonl": {"query": "q", "ground_truth": [CHUNK], "retrieved_documents": [CHUNK]},
    "pinecone.json": [{"question": "q", "answer": "a", "ground_truth_answer": "g", "metrics": {"correctness": 0.5},
                       "reasoning": {"evaluated_facts": [{"fact": {"content": "x"}, "entailment": "entailed"}]}}] * 2,
    "set/run.json": {"q1": {"d1": 0.5, "d2": 0.25}},
}  # fmt: skip
ODD: Final[list[Any]] = [
    None, True, 0, -1, 1.5, 10**30, float("nan"), float("inf"), "", [], {}, [[]], [None], {"": None}, "\x00\x1b[31m", "\ud83d",
    "\u202e", "x" * 200, "NaN", "1e400", ["a", 1, None], {"a": {"b": [1]}}, "[1,2", "['a' 'b']", "{a: 1}", "${data.x}", "9" * 400, "٣",
]  # fmt: skip
KEYS: Final = ["", " ", "#1", "_line", "_row", "_case_id", "question#2", "\x1bkey"]


def odd(value: Any, rng: random.Random) -> Any:
    """The same with something else in some places, some keys gone and some called otherwise."""
    if rng.random() < 0.12:
        return rng.choice(ODD)
    if isinstance(value, list):
        return [odd(each, rng) for each in value]
    if not isinstance(value, dict):
        return value
    kept = [key for key in value if rng.random() > 0.05]
    renamed = {
        key: rng.choice([*KEYS, key.upper(), f" {key}", f"{key}s"]) if rng.random() < 0.06 else key for key in kept
    }
    return {renamed[key]: odd(value[key], rng) for key in kept}


@st.composite
def odd_records(draw: st.DrawFn) -> File:
    """A file as some tool writes it, with odd values in random places."""
    name = draw(st.sampled_from(sorted(PEERS)))
    rng = draw(st.randoms(use_true_random=False))
    documents = [odd(PEERS[name], rng) for _ in range(3 if name.endswith(".jsonl") else 1)]
    text = "\n".join(json.dumps(each, ensure_ascii=draw(st.booleans())) for each in documents)
    return name, text.encode("utf-8", "surrogatepass")


@pytest.mark.slow
class TestNoInputRaisesOrHangs:
    @given(files=ten(st.binary(max_size=120)), options=OPTIONS, form=st.sampled_from(forms()), format=FORMATS)
    @EVERY
    def test_bytes(self, folder: Path, files: list[File], options: ReadOptions, form: str, format: str | None) -> None:
        holds(folder, files, options, form, format)

    @given(files=ten(LINES), options=OPTIONS, form=st.sampled_from(forms()), format=FORMATS)
    @EVERY
    def test_lines(self, folder: Path, files: list[File], options: ReadOptions, form: str, format: str | None) -> None:
        holds(folder, files, options, form, format)

    @given(
        files=ten(tables(), st.sampled_from(["a.csv", "b.tsv"])),
        options=OPTIONS,
        form=st.sampled_from(forms()),
        format=FORMATS,
    )
    @EVERY
    def test_cells(self, folder: Path, files: list[File], options: ReadOptions, form: str, format: str | None) -> None:
        holds(folder, files, options, form, format)

    @given(
        files=st.lists(damaged(), min_size=TOGETHER, max_size=TOGETHER),
        options=OPTIONS,
        form=st.sampled_from(forms()),
        format=FORMATS,
    )
    @EVERY
    def test_damaged_samples(
        self, folder: Path, files: list[File], options: ReadOptions, form: str, format: str | None
    ) -> None:
        holds(folder, files, options, form, format)

    @given(
        files=st.lists(odd_records(), min_size=TOGETHER, max_size=TOGETHER),
        options=OPTIONS,
        form=st.sampled_from(forms()),
        format=FORMATS,
    )
    @EVERY
    def test_odd_records(
        self, folder: Path, files: list[File], options: ReadOptions, form: str, format: str | None
    ) -> None:
        holds(folder, files, options, form, format)
