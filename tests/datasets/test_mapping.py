"""Which column feeds which input: references in both syntaxes, the order in which they resolve, what a metric then gets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.datasets.check import open_dataset, open_datasets
from ragtui.datasets.dataset import Dataset
from ragtui.datasets.formats import ReadOptions
from ragtui.datasets.mapping import Missing, Resolution, inputs_frame, metric_inputs, present
from ragtui.datasets.mapping_files import read_mapping
from ragtui.datasets.references import DATA, TARGET, MappingError, Reference, parse_reference


def dataset(tmp_path: Path, rows: list[dict[str, Any]], format: str = "table", name: str = "data.jsonl") -> Dataset:
    path = tmp_path / name
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return open_dataset(str(path), format)[0]


class TestReferences:
    @pytest.mark.parametrize(
        ("text", "source", "path", "sdk", "cloud"),
        [
            ("${data.query}", DATA, ("query",), "${data.query}", "{{item.query}}"),
            ("${target.response}", TARGET, ("response",), "${target.response}", "{{sample.output_text}}"),
            ("{{item.query}}", DATA, ("query",), "${data.query}", "{{item.query}}"),
            ("{{ item.query }}", DATA, ("query",), "${data.query}", "{{item.query}}"),
            ("{{sample.output_text}}", TARGET, ("response",), "${target.response}", "{{sample.output_text}}"),
            ("{{sample.output_items}}", TARGET, ("output_items",), "${target.output_items}", "{{sample.output_items}}"),
            ("${data.test8_notes}", DATA, ("test8_notes",), "${data.test8_notes}", "{{item.test8_notes}}"),
            ("${data.a.b}", DATA, ("a", "b"), "${data.a.b}", "{{item.a.b}}"),
            ("${data.a[0].b}", DATA, ("a", 0, "b"), "${data.a[0].b}", "{{item.a[0].b}}"),
            ('${data["my column"]}', DATA, ("my column",), '${data["my column"]}', '{{item["my column"]}}'),
            ("${data['it.s']}", DATA, ("it.s",), '${data["it.s"]}', '{{item["it.s"]}}'),
            ("${data.größe}", DATA, ("größe",), "${data.größe}", "{{item.größe}}"),
            ("question", DATA, ("question",), "${data.question}", "{{item.question}}"),
        ],
    )
    def test_both_syntaxes_are_read_and_printed(
        self, text: str, source: str, path: tuple[str | int, ...], sdk: str, cloud: str
    ) -> None:
        reference = parse_reference(text)
        assert reference == Reference(source, path)
        assert (str(reference), reference.cloud()) == (sdk, cloud)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("${dat.notes}", "unknown prefix 'dat' in ${dat.notes}; did you mean ${data.notes}?"),
            ("{{itme.notes}}", "unknown prefix 'itme' in {{itme.notes}}; did you mean {{item.notes}}?"),
            ("${outputs.x}", "unknown prefix 'outputs' in ${outputs.x}; did you mean ${data.x}?"),
            ("${data}", "${data} names no column; did you mean ${data.NAME}?"),
            ("${data.x", "${data.x is not closed"),
            ("${data.x.}", "${data.x.}: cannot read '.'"),
            ("", "the reference is empty"),
        ],
    )
    def test_what_cannot_be_read_says_why(self, text: str, message: str) -> None:
        with pytest.raises(MappingError) as error:
            parse_reference(text)
        assert str(error.value) == message

    names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)

    @given(path=st.lists(names, min_size=1, max_size=4), rest=st.lists(st.integers(0, 99) | names, max_size=3))
    def test_what_is_printed_is_read_back(self, path: list[str], rest: list[str | int]) -> None:
        reference = Reference(DATA, (*path, *rest))
        assert parse_reference(str(reference)) == reference
        assert parse_reference(reference.cloud()) == reference


class TestResolution:
    ROWS: ClassVar = [{"query": "q1", "answer": "a1", "gold": "g1"}, {"query": "q2", "answer": "a2"}]

    def test_the_order_is_metric_general_name(self, tmp_path: Path) -> None:
        data = dataset(tmp_path, self.ROWS)
        mapping = {"query": "gold", "relevance.query": "answer"}
        assert metric_inputs(data, mapping, "relevance", ["query"]).sources["query"].column == "answer"
        assert metric_inputs(data, mapping, "fluency", ["query"]).sources["query"].column == "gold"
        assert metric_inputs(data, {}, "fluency", ["query"]).sources["query"].column == "query"

    def test_inputs_a_mapping_does_not_mention_are_filled_by_name(self, tmp_path: Path) -> None:
        found = metric_inputs(dataset(tmp_path, self.ROWS), {"response": "answer"}, "m", ["query", "response"])
        assert {name: reference.column for name, reference in found.sources.items()} == {
            "query": "query",
            "response": "answer",
        }

    def test_synonyms_are_proposed_and_noted(self, tmp_path: Path) -> None:
        found = metric_inputs(dataset(tmp_path, self.ROWS), {}, "m", ["query", "response", "ground_truth"])
        assert found.sources.keys() == {"query"}
        assert found.notes() == ["response is read from ${data.answer}", "ground_truth is read from ${data.gold}"]
        assert found.used.keys() == {"query", "response", "ground_truth"}

    def test_what_the_target_gives_is_not_looked_for_in_the_data(self, tmp_path: Path) -> None:
        found = metric_inputs(dataset(tmp_path, self.ROWS), {}, "m", ["response"], from_target=["response"])
        assert found.sources == {"response": Reference(TARGET, ("response",))}
        mapped = metric_inputs(dataset(tmp_path, self.ROWS), {"response": "answer"}, "m", ["response"], ["response"])
        assert mapped.sources == {"response": Reference(DATA, ("answer",))}

    def test_what_is_missing_names_the_nearest(self, tmp_path: Path) -> None:
        found = metric_inputs(
            dataset(tmp_path, self.ROWS),
            {"response": "answer_text", "query": "${data.quer}"},
            "m",
            ["query", "response", "context"],
        )
        assert found.missing == {
            "query": Missing("column quer does not exist", "query"),
            "response": Missing("column answer_text does not exist", "answer"),
            "context": Missing("there is no column context", None),
        }

    def test_gold_contexts_are_not_taken_for_retrieved_ones(self, tmp_path: Path) -> None:
        path = tmp_path / "d.csv"
        path.write_text(
            "question,text,context,file_name,answer_start,answer_end,filters\nWho?,Ann,It was Ann.,a.txt,7,10,\n"
        )
        data, _ = open_dataset(str(path))
        found = metric_inputs(data, {}, "m", ["query", "ground_truth", "context", "gold_context"])
        assert {name: reference.column for name, reference in found.sources.items()} == {
            "query": "question", "ground_truth": "text", "gold_context": "context",
        }  # fmt: skip
        assert found.missing.keys() == {"context"}

    @pytest.mark.parametrize(
        ("reference", "count"),
        [
            ("${data.a.b}", 2),
            ("${data.a.c}", 1),
            ("${data.a.x.y}", 1),
            ("${data.l[1]}", 1),
            ("${data.l.t}", 1),
            ("${data.nothing}", 0),
            ("${data.a.nothing}", 0),
        ],
    )
    def test_paths_lead_into_objects_and_lists(self, tmp_path: Path, reference: str, count: int) -> None:
        rows: list[dict[str, Any]] = [
            {"a": {"b": "1", "c": "2", "x.y": "3"}, "l": [{"t": "4"}, {"t": "5"}]},
            {"a": {"b": "6"}, "l": []},
            {},
        ]
        data = dataset(tmp_path, [{"query": "q", **row} for row in rows])
        assert present(data, parse_reference(reference)) == count
        missing = metric_inputs(data, {"response": reference}, "m", ["response"]).missing
        assert bool(missing) == (count == 0)


class TestFrames:
    def frame(self, data: Dataset, *inputs: str, **mapping: str) -> pl.DataFrame:
        return inputs_frame(data, metric_inputs(data, mapping, "m", inputs))

    def test_contexts_and_references_are_lists_all_else_is_text(self, tmp_path: Path) -> None:
        rows = [
            {"query": "q", "context": ["c1", "c2"], "ground_truth": "g"},
            {"query": "", "context": [], "ground_truth": ""},
            {"query": None},
        ]
        frame = self.frame(dataset(tmp_path, rows), "query", "context", "ground_truth")
        assert frame.schema == {
            "case_id": pl.String,
            "query": pl.String,
            "context": pl.List(pl.String),
            "ground_truth": pl.List(pl.String),
        }
        assert frame.drop("case_id").rows() == [("q", ["c1", "c2"], ["g"]), ("", [], []), (None, None, None)]

    def test_a_text_is_a_list_of_one(self, tmp_path: Path) -> None:
        frame = self.frame(
            dataset(tmp_path, [{"query": "q", "context": "[1] is cited"}, {"query": "r", "context": "c"}]), "context"
        )
        assert frame["context"].to_list() == [["[1] is cited"], ["c"]]

    def test_lists_in_text_are_lists_where_all_are(self, tmp_path: Path) -> None:
        rows = [{"query": "q", "context": '["a", "b"]'}, {"query": "r", "context": "[]"}, {"query": "s"}]
        assert self.frame(dataset(tmp_path, rows), "context")["context"].to_list() == [["a", "b"], [], None]

    def test_nested_values_are_taken_out(self, tmp_path: Path) -> None:
        rows = [{"query": "q", "docs": [{"text": "a", "n": 1}, {"text": "b"}], "m": {"n": 5}}, {"query": "r"}]
        frame = self.frame(
            dataset(tmp_path, rows), "context", "response", context="${data.docs.text}", response="${data.m.n}"
        )
        assert frame["context"].to_list() == [["a", "b"], None]
        assert frame["response"].to_list() == ["5", None]

    def test_several_gold_answers_of_a_case_stay_together(self, tmp_path: Path) -> None:
        path = tmp_path / "d.csv"
        path.write_text(
            "question,text,context,file_name,answer_start,answer_end,filters\nWho?,Ann,Ann Bo,,0,3,\nWho?,Bo,Ann Bo,,4,6,\n"
        )
        data, _ = open_dataset(str(path))
        assert self.frame(data, "ground_truth")["ground_truth"].to_list() == [["Ann", "Bo"]]

    def test_what_comes_from_the_target_is_left_out(self, tmp_path: Path) -> None:
        data = dataset(tmp_path, [{"query": "q"}])
        resolution = metric_inputs(data, {}, "m", ["query", "response"], ["response"])
        assert inputs_frame(data, resolution).columns == ["case_id", "query"]

    def test_an_empty_resolution_gives_the_ids(self, tmp_path: Path) -> None:
        assert inputs_frame(dataset(tmp_path, [{"query": "q"}]), Resolution()).columns == ["case_id"]


SDK = """{
  "default": {"column_mapping": {"query": "${data.question}"}},
  "groundedness": {
    "column_mapping": {
      "context": "${data.docs}",
      "response": "${target.response}"
    }
  }
}
"""
CLOUD = """{"testing_criteria": [
  {"type": "azure_ai_evaluator", "name": "g", "evaluator_name": "builtin.groundedness",
   "data_mapping": {"context": "{{item.docs}}",
                    "response": "{{sample.output_text}}"}},
  {"type": "azure_ai_evaluator", "evaluator_name": "builtin.fluency", "data_mapping": {"response": "{{item.text}}"}}
]}
"""
TOML = """query = "question"  # a bare name is a column

[groundedness]
context = "${data.docs}"
"response" = "{{sample.output_text}}"
"""


class TestFiles:
    @pytest.mark.parametrize(
        ("text", "syntax", "entries"),
        [
            (SDK, "sdk", [("query", 2), ("groundedness.context", 5), ("groundedness.response", 6)]),
            (CLOUD, "cloud", [("g.context", 3), ("g.response", 4), ("fluency.response", 5)]),
            (TOML, "toml", [("query", 1), ("groundedness.context", 4), ("groundedness.response", 5)]),
        ],
    )
    def test_all_three_are_read_with_their_lines(
        self, tmp_path: Path, text: str, syntax: str, entries: list[tuple[str, int]]
    ) -> None:
        path = tmp_path / "m"
        path.write_text(text)
        file = read_mapping(path)
        assert (file.syntax, file.fault) == (syntax, None)
        assert [(entry.name, entry.line) for entry in file.entries] == entries
        assert file.mapping().keys() == {name for name, _ in entries}

    ROWS: ClassVar = [
        {"question": "q", "docs": "d", "text": "t", "meta": {"a": "x"}},
        {"question": "q2", "docs": "d", "text": "t", "meta": {}},
    ]

    def told(self, tmp_path: Path, text: str) -> list[tuple[int, str]]:
        path = tmp_path / "mapping"
        path.write_text(text)
        dataset(tmp_path, self.ROWS)
        opened = open_datasets([str(tmp_path / "data.jsonl")], ReadOptions(mapping=path), "table")
        return [(each.line, each.code) for each in opened.findings() if each.code.startswith("MAP")]

    @pytest.mark.parametrize("text", [SDK, CLOUD, TOML])
    def test_sound_mappings_only_say_that_a_target_is_needed(self, tmp_path: Path, text: str) -> None:
        assert {code for _, code in self.told(tmp_path, text)} == {"MAP105"}

    @pytest.mark.parametrize(
        ("text", "findings"),
        [
            ('query = "${data.questoin}"\n', [(1, "MAP101")]),
            ('\n[m]\nquery = "quest"\n', [(3, "MAP101")]),
            ('query = "${dat.question}"\n', [(1, "MAP103")]),
            ("query = 5\n", [(1, "MAP103")]),
            ('query = "${data.meta.a}"\n', [(1, "MAP106")]),
            ('query = "a\n', [(1, "MAP107")]),
            ("", [(0, "MAP107")]),
            ('{"m": {"column_mapping": {\n"query": "{{item.question}}"}}}', [(2, "MAP102")]),
            ('{"m": {"column_mapping": {\n"query": "question"}}}', [(2, "MAP104")]),
            ('{"testing_criteria": [{"data_mapping": {\n"query": "${data.question}"}}]}', [(2, "MAP102")]),
            ('{"m": {"column_mapping": {\n"query": "x"', [(2, "MAP107")]),
        ],
    )
    def test_faults_are_named_with_their_lines(
        self, tmp_path: Path, text: str, findings: list[tuple[int, str]]
    ) -> None:
        assert self.told(tmp_path, text) == findings

    @given(
        text=st.text(max_size=60)
        | st.lists(
            st.sampled_from(["{", "}", '"a"', ":", "[", "]", "=", "\n", '"${data.x}"', "a", "."]), max_size=20
        ).map("".join)
    )
    def test_no_text_raises(self, tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
        path = tmp_path_factory.mktemp("m") / "m"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        read_mapping(path)
