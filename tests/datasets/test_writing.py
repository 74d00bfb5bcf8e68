"""Datasets in other formats: what comes back is what went out, and what does not is named."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.datasets.check import CannotOpen, open_dataset
from ragtui.datasets.copying import records_of
from ragtui.datasets.dataset import Dataset
from ragtui.datasets.writing import writers
from ragtui.datasets.writing.beir import WRITER as BEIR
from ragtui.datasets.writing.cases import INPUTS, written_cases
from ragtui.datasets.writing.conversion import convert
from ragtui.datasets.writing.parts import write_part
from tests.cli.test_check import ragtui

SAMPLES = Path(__file__).parents[2] / "sample_data"
SOURCES = (
    "azure.jsonl",
    "deepset-qa.csv",
    "deepset-retrieval.csv",
    "deepset-rag.csv",
    "pinecone.json",
    "cases.csv",
    "cases.xlsx",
)
ENDINGS = {"azure": (".jsonl", ".csv"), "pinecone": (".json", ".jsonl", ".csv"), "ragas": (".jsonl", ".csv"),
           "table": (".csv", ".tsv", ".xlsx", ".json", ".jsonl"), "deepset-qa": (".csv",), "deepset-retrieval": (".csv",),
           "deepset-rag": (".csv",)}  # fmt: skip
HOLDS = {
    "azure": {"query", "response", "context", "ground_truth"},
    "pinecone": {"query", "response", "ground_truth"},
    "ragas": {"query", "response", "context", "ground_truth", "gold_context", "retrieved_ids", "gold_ids"},
    "table": set(INPUTS) - {"gold_file_name"},
    "deepset-qa": {"query", "ground_truth", "gold_context", "gold_file_name"},
    "deepset-retrieval": {"query", "gold_context", "gold_file_name"},
    "deepset-rag": {"query"},
}


def frame(dataset: Dataset) -> pl.DataFrame:
    return written_cases(dataset, {}).frame


def told(lost: list[str], name: str) -> bool:
    return any(name in line for line in lost)


def test_every_writer_is_tried_here() -> None:
    assert set(writers()) == {*ENDINGS, "beir"}


@pytest.mark.parametrize("source", SOURCES)
def test_what_comes_back_is_what_went_out(source: str, tmp_path: Path) -> None:
    path = str(SAMPLES / source)
    before = written_cases(open_dataset(path)[0], {})
    compared = 0
    for to, endings in ENDINGS.items():
        for ending in endings:
            target = tmp_path / f"{to}{ending}"
            lost = writers()[to].write(before, target)
            after = frame(open_dataset(str(target), to)[0])
            if told(lost, "asks and filters the same"):
                assert after.height < before.frame.height
                continue
            assert after.height == before.frame.height, (to, ending)
            for name in HOLDS[to]:
                if not before.has(name) or told(lost, name) or told(lost, before.headers.get(name, name)):
                    continue
                assert after[name].to_list() == before.frame[name].to_list(), (to, ending, name)
                compared += 1
    assert compared > 10


CELL = st.text("a0 ,;\"'\n\t\\{}[]=é漢🙂\u2028", min_size=1, max_size=8).filter(
    lambda text: text.strip() and not text.lstrip().startswith(("[", "{"))
)


@settings(max_examples=25, deadline=None)
@given(rows=st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=5, unique_by=lambda row: row[0]))
def test_no_text_changes_on_the_way(rows: list[tuple[str, str, str]], tmp_path_factory: pytest.TempPathFactory) -> None:
    tmp_path = tmp_path_factory.mktemp("w")
    source = tmp_path / "in.jsonl"
    keys = ("query", "response", "ground_truth")
    source.write_text(
        "".join(json.dumps(dict(zip(keys, row, strict=True)), ensure_ascii=False) + "\n" for row in rows), "utf-8"
    )
    before = written_cases(open_dataset(str(source), "azure")[0], {})
    for to, ending in (
        ("azure", ".jsonl"),
        ("pinecone", ".csv"),
        ("table", ".tsv"),
        ("table", ".xlsx"),
        ("ragas", ".csv"),
    ):
        target = tmp_path / f"{to}{ending}"
        writers()[to].write(before, target)
        if "\t" in "".join(map("".join, rows)) and ending == ".tsv":
            continue
        after = frame(open_dataset(str(target), to)[0])
        for name in keys:
            assert after[name].to_list() == before.frame[name].to_list(), (to, name)


def test_a_retrieval_set_comes_back_equal(tmp_path: Path) -> None:
    before = open_dataset(str(SAMPLES / "beir"))[0]
    BEIR.write_set(before, tmp_path / "out")
    after = open_dataset(str(tmp_path / "out"))[0]
    for name in ("queries", "qrels"):
        one, other = getattr(before, name), getattr(after, name)
        assert one.drop("line").equals(other.drop("line"))
    assert before.corpus is not None and after.corpus is not None  # noqa: PT018
    assert before.corpus["doc_id"].to_list() == after.corpus["doc_id"].to_list()
    assert set(after.runs) == {f"{name.rpartition('.')[0]}.jsonl" for name in before.runs}
    from ragtui.datasets.texts import corpus

    assert [(each.title, each.text) for part in corpus(before) for each in part] == [
        (each.title, each.text) for part in corpus(after) for each in part
    ]


def test_labels_become_a_retrieval_set_and_say_so(tmp_path: Path) -> None:
    before = open_dataset(str(SAMPLES / "deepset-retrieval.csv"))[0]
    writers()["beir"].write(written_cases(before, {}), tmp_path / "out")
    after, report = open_dataset(str(tmp_path / "out"))
    assert after.rows == before.rows
    assert not [each for each in report.findings if each.level.value == "error"]


def test_values_keep_their_kind_where_the_format_has_kinds(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    record: dict[str, Any] = {
        "id": "007",
        "query": "é",
        "response": "b",
        "n": 5,
        "f": 1.5,
        "on": True,
        "tags": ["x"],
        "o": {"k": None},
    }
    source.write_text(json.dumps(record) + "\n" + json.dumps({"id": "8", "query": "c", "response": "d"}) + "\n")
    assert ragtui("convert", "in.jsonl", "out.jsonl", "--to", "azure", cwd=tmp_path).returncode == 0
    text = (tmp_path / "out.jsonl").read_text("utf-8")
    assert [json.loads(line) for line in text.splitlines()] == [record, {"id": "8", "query": "c", "response": "d"}]
    assert "é" in text
    assert ragtui("convert", "in.jsonl", "out.xlsx", "--to", "table", cwd=tmp_path).returncode == 0
    assert frame(open_dataset(str(tmp_path / "out.xlsx"))[0])["id"].to_list() == ["007", "8"]


class TestOnePart:
    def test_a_corpus_of_any_columns(self, tmp_path: Path) -> None:
        (tmp_path / "c.tsv").write_text('id\tbody\tlang\n007\t"a ""b""\nc"\tén\n\n9\tbad\n', "utf-8")
        done = ragtui(
            "convert", "c.tsv", "corpus.jsonl", "--to", "beir", "--part", "corpus", "--map", "_id=id", cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "corpus.jsonl").read_text() == '{"_id": "007", "title": "", "text": "a \\"b\\"\\nc"}\n'
        assert "lost: not written: lang" in done.stderr
        assert "1 record that cannot be read" in done.stderr

    def test_judgments(self, tmp_path: Path) -> None:
        (tmp_path / "q.jsonl").write_text(
            '{"qid": 1, "docid": "d", "rel": 2.0}\n{"qid": 2, "docid": "d", "rel": "x"}\n'
        )
        assert write_part("qrels", tmp_path / "q.jsonl", tmp_path / "test.tsv", {})[0] == 1
        assert (tmp_path / "test.tsv").read_text() == "query-id\tcorpus-id\tscore\n1\td\t2\n"

    def test_an_unknown_column_is_named_with_the_nearest(self, tmp_path: Path) -> None:
        (tmp_path / "c.csv").write_text("ident,text\n1,a\n")
        done = ragtui(
            "convert", "c.csv", "o.jsonl", "--to", "beir", "--part", "corpus", "--map", "_id=idents", cwd=tmp_path
        )
        assert done.returncode == 2
        assert "nearest is 'ident'" in done.stderr
        assert not (tmp_path / "o.jsonl").exists()

    def test_a_large_corpus_takes_little_memory(self, tmp_path: Path) -> None:
        with (tmp_path / "c.tsv").open("w") as stream:
            stream.write("id\ttext\n")
            stream.writelines(f"{number}\t{'x' * 1000}\n" for number in range(20_000))
        tracemalloc.start()
        written, _ = write_part("corpus", tmp_path / "c.tsv", tmp_path / "o.jsonl", {})
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert written == 20_000
        assert peak < 4_000_000, "of 20 MB"


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,expected_answer\na,b\n")
    (tmp_path / "b.csv").write_text("mine")
    assert ragtui("convert", "a.csv", "b.csv", "--to", "table", cwd=tmp_path).returncode == 2
    assert ragtui("convert", "a.csv", "a.csv", "--to", "table", "--force", cwd=tmp_path).returncode == 2
    assert (tmp_path / "b.csv").read_text() == "mine"
    assert ragtui("convert", "a.csv", "b.csv", "--to", "table", "--force", cwd=tmp_path).returncode == 0
    for arguments in (
        ["--to", "nope"],
        ["--to", "table", "--map", "querry=a"],
        ["--to", "table", "--map", "query=none"],
        ["--to", "beir"],
    ):
        done = ragtui("convert", "a.csv", "c", *arguments, cwd=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), arguments


def test_an_ending_that_promises_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,response,context,expected_answer\na,b,c,c\n")
    dataset = open_dataset(str(tmp_path / "a.csv"))[0]
    says = {"beir": "written as a folder, not as", "azure": r"azure is written as \.jsonl, \.ndjson or \.csv, not as",
            "deepset-qa": r"deepset-qa is written as \.csv, not as"}  # fmt: skip
    for to, writer in writers().items():
        for ending in (".xlsx", ".XLSX", ".parquet", ".tsv", ".json", ".jsonl.gz", ".csv", ".jsonl", ".zip"):
            target = tmp_path / f"{to}-new{ending}"
            if target.suffix.lower() in writer.endings:
                continue
            with pytest.raises(CannotOpen, match=says.get(to, f"{to} is written as")):
                convert(dataset, target, to, {})
            assert not target.exists()
    for name in ("plain", "notes.txt", "v1.2"):  # endings that promise nothing
        convert(dataset, tmp_path / name, "ragas", {})
    with pytest.raises(CannotOpen, match=r"a part corpus is written as \.jsonl or \.ndjson, not as \.tsv"):
        write_part("corpus", tmp_path / "a.csv", tmp_path / "corpus.tsv", {})
    done = ragtui("convert", "a.csv", "q.xlsx", "--to", "azure", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "q.xlsx: azure is written as .jsonl, .ndjson or .csv, not as .xlsx" in done.stderr


OFFSETS_AND_NOTE = ("answer_start, answer_end", "note")
LABELS = """id,question,text,context,file_name,answer_start,answer_end,filters,note
1,q,a b,x a b y,f.txt,2,5,,n1
1,q,b y,x a b y,f.txt,4,7,,n1
1,q,b y,zz b y,g.txt,3,6,,n1
2,other,zz,zz b,g.txt,0,2,,n2
2,other,zz,zz b,g.txt,0,2,,n3
"""


def test_labels_that_are_several_rows_are_kept_whole_or_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(LABELS)
    dataset = open_dataset(str(tmp_path / "a.csv"))[0]
    mixed = [f"lost: {name}: the labels of 1 case differ, and a row holds one value" for name in OFFSETS_AND_NOTE]
    for to, ending in (("table", "csv"), ("table", "jsonl"), ("azure", "csv"), ("azure", "jsonl")):
        target = tmp_path / f"{to}.{ending}"
        assert set(mixed) <= set(convert(dataset, target, to, {})), to
        first, second = open_dataset(str(target), to)[0].cases.select("answer_start", "answer_end", "note").rows()
        assert (first, second[:2]) == ((None, None, "n1"), ("0", "2")) or first == ("", "", "n1")
        assert not second[2]
    assert "lost: not written: file_name, answer_start, answer_end, note" in convert(
        dataset, tmp_path / "r.json", "ragas", {}
    )
    assert convert(dataset, tmp_path / "again.csv", "deepset-qa", {}) == ["lost: not written: note"]
    lines = [line.removesuffix(",n1").removesuffix(",n2") for line in LABELS.splitlines()[:-1]]
    assert (tmp_path / "again.csv").read_text().splitlines() == [lines[0].removesuffix(",note"), *lines[1:]]
    assert [each.get("answer_start") for each in records_of(dataset)] == [None, "0"]


def test_a_context_without_an_answer_is_named_where_labels_are_written(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(
        '[{"user_input": "q", "reference": "a", "reference_contexts": ["has a", "second"]}]'
    )
    dataset = open_dataset(str(tmp_path / "a.json"), "ragas")[0]
    assert "lost: 1 context beside those that hold the answers" in convert(
        dataset, tmp_path / "o.csv", "deepset-qa", {}
    )
