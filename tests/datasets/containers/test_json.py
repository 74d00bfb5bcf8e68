"""JSON lines and JSON documents: rows with their true lines, kinds of values, every fault at its place."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragtui.datasets.containers import Reading, reading_of
from ragtui.datasets.containers.table import Table
from ragtui.datasets.formats import Source

RECORDS = [{"query": f"Question {n}?", "response": f"Answer {n}."} for n in range(1, 5)]


def read(tmp_path: Path, content: str | bytes, name: str = "x.jsonl") -> Reading:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return reading_of(Source(path, str(path)))


def table(reading: Reading) -> Table:
    assert reading.table is not None
    return reading.table


def found(reading: Reading) -> list[tuple[int, int, str]]:
    return [(each.line, each.column, each.code) for each in reading.report.findings]


def rows(reading: Reading, *names: str) -> list[tuple[Any, ...]]:
    frame = table(reading).frame
    return frame.select(*(names or table(reading).names)).rows()


def text_of(records: list[Any]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


class TestLines:
    def test_only_a_line_feed_ends_a_line(self, tmp_path: Path) -> None:
        separators = "\u2028 \u2029 \x85 \x0c"
        reading = read(tmp_path, text_of([{"query": separators[:5]}, {"query": "b"}]))
        assert rows(reading) == [(separators[:5],), ("b",)]
        assert table(reading).frame["_line"].to_list() == [1, 2]
        assert found(reading) == []

    def test_blank_lines_are_passed_over_but_counted(self, tmp_path: Path) -> None:
        reading = read(tmp_path, "\n" + text_of(RECORDS[:1]) + "\r\n  \n" + text_of(RECORDS[1:2]))
        assert table(reading).frame.select("_line", "_row").rows() == [(2, 1), (5, 2)]
        assert found(reading) == []

    def test_all_faults_are_told_in_one_pass_and_the_rest_is_read(self, tmp_path: Path) -> None:
        text = '{"query": "a"}\n{"query": "cut\n[]\n"note"\n{"query": "b"}\n{"query": }\n'
        reading = read(tmp_path, text)
        assert found(reading) == [(2, 11, "JSON001"), (3, 1, "JSON002"), (4, 1, "JSON002"), (6, 11, "JSON001")]
        assert table(reading).frame.select("_line", "_row", "query").rows() == [(1, 1, "a"), (5, 5, "b")]

    def test_a_cut_off_last_line_is_told_apart_from_a_missing_line_feed(self, tmp_path: Path) -> None:
        text = text_of(RECORDS[:2])
        assert found(read(tmp_path, text[:-1])) == []
        assert found(read(tmp_path, text[:-5])) == [(2, 38, "JSON008")]

    def test_of_a_key_given_twice_the_last_is_used_and_both_are_told(self, tmp_path: Path) -> None:
        reading = read(tmp_path, '{"query": "old", "n": {"a": 1}, "query": "new"}\n')
        assert rows(reading, "query") == [("new",)]
        [each] = reading.report.findings
        assert (each.code, each.line, each.column, each.field) == ("JSON004", 1, 33, "query")
        assert each.message == 'the key "query" stands 2 times: "old" and "new"; the last is used'

    def test_the_same_key_under_different_parents_is_no_fault(self, tmp_path: Path) -> None:
        assert found(read(tmp_path, '{"query": "q", "m": {"a": {"id": 1}, "b": {"id": 2}}, "id": 3}\n')) == []

    def test_a_key_given_twice_further_down_is_told_too(self, tmp_path: Path) -> None:
        assert found(read(tmp_path, '{"query": "q", "m": {"a": 1, "a": 2}}\n')) == [(1, 21, "JSON004")]

    def test_two_objects_on_a_line_are_both_read(self, tmp_path: Path) -> None:
        reading = read(tmp_path, '{"query": "a"}{"query": "b"}\n{"query": "c"}\n')
        assert found(reading) == [(1, 15, "JSON007")]
        assert table(reading).frame.select("_line", "_row", "query").rows() == [(1, 1, "a"), (1, 2, "b"), (2, 3, "c")]

    @pytest.mark.parametrize(
        ("value", "code", "read_as"),
        [
            ("NaN", "JSON005", None),
            ("-Infinity", "JSON005", None),
            ("123456789012345678901234", "JSON009", "123456789012345678901234"),
            ("1e999", "JSON009", "1e999"),
            ("1" * 5000, "JSON009", "1" * 5000),
            ('"a\\ud800b"', "JSON006", "a\ufffdb"),
            ('{"deep": NaN}', "JSON005", '{"deep": null}'),
        ],
    )
    def test_values_no_reader_agrees_on_are_told(
        self, tmp_path: Path, value: str, code: str, read_as: str | None
    ) -> None:
        reading = read(tmp_path, f'{{"query": "a", "x": {value}}}\n')
        assert [each.code for each in reading.report.findings] == [code]
        assert reading.report.findings[0].field == "x"
        assert rows(reading, "x") == [(read_as,)]

    def test_64_bits_are_enough_for_numbers(self, tmp_path: Path) -> None:
        reading = read(tmp_path, f'{{"a": {2**64 - 1}, "b": {-(2**63)}, "c": 0.1, "d": 1e3}}\n')
        assert found(reading) == []
        assert rows(reading) == [(str(2**64 - 1), str(-(2**63)), "0.1", "1000.0")]

    def test_a_byte_order_mark_is_told_and_skipped(self, tmp_path: Path) -> None:
        reading = read(tmp_path, b"\xef\xbb\xbf" + text_of(RECORDS).encode())
        assert found(reading) == [(1, 1, "JSON013")]
        assert table(reading).headers == ("query", "response")

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
    def test_wide_encodings_are_told_and_read(self, tmp_path: Path, encoding: str) -> None:
        reading = read(tmp_path, text_of([{"query": "Größe?"}]).encode(encoding))
        assert [each.code for each in reading.report.findings] == ["TEXT002"]
        assert rows(reading) == [("Größe?",)]

    def test_an_array_is_one_finding_and_is_read_with_the_lines_of_its_records(self, tmp_path: Path) -> None:
        reading = read(tmp_path, json.dumps(RECORDS, indent=2) + "\n")
        assert found(reading) == [(1, 0, "JSON003")]
        assert table(reading).frame["_line"].to_list() == [2, 6, 10, 14]
        assert rows(reading) == [tuple(record.values()) for record in RECORDS]

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            (json.dumps(RECORDS[0], indent=2), "one JSON object is spread over lines 1 to 4; "),
            ("\n\n" + json.dumps(RECORDS[0], indent=2) + "\n\n", "one JSON object is spread over lines 3 to 6; "),
            (
                "\n".join(json.dumps(each, indent=2) for each in RECORDS),
                "4 JSON objects are spread over lines 1 to 16; ",
            ),
            ('{"a": "1"\n,"b": "2"}\n{"a": "3"\n,"b": "4"}\n', "2 JSON objects are spread over lines 1 to 4; "),
            ('{"data": [\n{"a": "1"},\n{"a": "2"}\n]}', "one JSON object is spread over lines 1 to 4; "),
        ],
    )
    def test_objects_over_several_lines_are_one_finding_and_are_read(
        self, tmp_path: Path, text: str, told: str
    ) -> None:
        reading = read(tmp_path, text)
        (only,) = reading.report.findings
        assert (only.code, only.fixable, only.message.startswith(told)) == ("JSON010", True, True), only
        assert table(reading).frame.height == (1 if told.startswith("one") else int(told[0]))

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ('{"a": "x\n{"a": "y"}\n{"a": "z"}\n', [(1, 7, "JSON001")]),  # a line that is cut off, and sound ones
            ('{"a": [\n{"a": "y"}\n', [(1, 8, "JSON001")]),
            ('{"a": "x"}\n\ufeff{"a": "y"}\n', [(2, 1, "JSON001")]),
            ('{\n  "a": "x",\n  "b": ', [(3, 8, "JSON008")]),  # nothing is whole
            ('{\n  "a": "x"\n}\n{\n  "a": y\n}\n', [(1, 0, "JSON010"), (5, 8, "JSON001")]),
        ],
    )
    def test_a_fault_in_what_goes_on_over_lines_is_told_where_it_is(
        self, tmp_path: Path, text: str, expected: list[tuple[int, int, str]]
    ) -> None:
        assert found(read(tmp_path, text)) == expected

    def test_any_file_of_such_lines_is_read_so(self, tmp_path: Path) -> None:
        assert table(read(tmp_path, text_of(RECORDS), "x.txt")).container == "jsonl"
        assert table(read(tmp_path, text_of(RECORDS), "x.json")).container == "jsonl"


class TestColumns:
    def test_a_key_first_seen_late_is_a_column(self, tmp_path: Path) -> None:
        reading = read(tmp_path, text_of([{"a": "1"}] * 200 + [{"a": "1", "b": "2"}]))
        assert table(reading).headers == ("a", "b")
        assert table(reading).frame["b"].null_count() == 200
        assert table(reading).kinds["b"].cast(str).to_list() == ["absent"] * 200 + ["text"]

    def test_kinds_are_kept(self, tmp_path: Path) -> None:
        values: list[Any] = ["t", 1, 1.5, True, None, ["a"], {"k": "é"}]
        reading = read(tmp_path, text_of([{"x": value} for value in values] + [{}]))
        kinds = ["text", "number", "number", "boolean", "null", "list", "object", "absent"]
        assert table(reading).kinds["x"].cast(str).to_list() == kinds
        assert [row[0] for row in rows(reading)] == ["t", "1", "1.5", "true", None, '["a"]', '{"k": "é"}', None]

    def test_a_column_of_texts_has_no_kinds(self, tmp_path: Path) -> None:
        assert table(read(tmp_path, text_of(RECORDS))).kinds == {}

    def test_lists_of_texts_are_lists(self, tmp_path: Path) -> None:
        reading = read(tmp_path, text_of([{"c": ["a", "b"]}, {"c": []}, {"c": None}, {}]))
        assert [row[0] for row in rows(reading)] == [["a", "b"], [], None, None]

    def test_one_value_of_another_kind_makes_all_of_them_text(self, tmp_path: Path) -> None:
        reading = read(tmp_path, text_of([{"c": ["a", "b"]}, {"c": "x"}]))
        assert [row[0] for row in rows(reading)] == ['["a", "b"]', "x"]

    def test_places_give_columns_and_fixes(self, tmp_path: Path) -> None:
        reading = read(tmp_path, '{"é": "ö", "b": 5}\n{"b": "x"}\n')
        places = table(reading).places
        assert places is not None
        assert (places.column(1, 1), places.column(2, 1), places.column(2, 0)) == (17, 7, 0)
        [edit] = places.edit(1, 1, "5")
        data = (tmp_path / "x.jsonl").read_bytes()
        assert (
            data[: edit.start] + edit.text.encode() + data[edit.end :] == '{"é": "ö", "b": "5"}\n{"b": "x"}\n'.encode()
        )


class TestDocuments:
    @pytest.mark.parametrize(
        "wrap",
        [
            lambda rows: rows,
            lambda rows: {"version": 1, "data": rows},
            lambda rows: {"a": {"results": rows}, "b": [{"x": 1}]},
        ],
    )
    @pytest.mark.parametrize("indent", [None, 2])
    def test_the_longest_list_of_objects_is_the_table(
        self, tmp_path: Path, wrap: Callable[[Any], Any], indent: int | None
    ) -> None:
        text = json.dumps(wrap(RECORDS), indent=indent)
        reading = read(tmp_path, text, "x.json")
        assert found(reading) == []
        assert rows(reading) == [tuple(record.values()) for record in RECORDS]
        starts = [text[: text.index(record["query"])].rindex("{") for record in RECORDS]
        assert table(reading).frame["_line"].to_list() == [text.count("\n", 0, start) + 1 for start in starts]

    def test_the_rest_of_the_document_is_kept(self, tmp_path: Path) -> None:
        reading = read(tmp_path, json.dumps({"version": 1, "data": RECORDS}), "x.json")
        assert table(reading).facts == {"document": {"version": 1}, "records_at": ("data",)}

    def test_a_place_is_found_without_reading_what_follows(self, tmp_path: Path) -> None:
        places = table(read(tmp_path, json.dumps([{"a": "x" * 100}] * 20_000, indent=1), "x.json")).places
        assert places is not None
        places.column(2, 0)
        tracemalloc.start()
        try:
            assert places.edit(3 * 4 - 1, 0, "y")
            assert tracemalloc.get_traced_memory()[1] < 100_000  # of 2,500,000
        finally:
            tracemalloc.stop()

    def test_a_single_object_is_one_record(self, tmp_path: Path) -> None:
        assert rows(read(tmp_path, json.dumps(RECORDS[0], indent=1), "x.json")) == [tuple(RECORDS[0].values())]

    def test_columns_of_values_are_counted_in_the_line(self, tmp_path: Path) -> None:
        places = table(read(tmp_path, ' [{"a": "x"},\n{"a": "y"}]', "x.json")).places
        assert places is not None
        assert (places.column(1, 0), places.column(2, 0)) == (9, 7)

    def test_of_several_records_on_a_line_nobody_can_say_where(self, tmp_path: Path) -> None:
        places = table(read(tmp_path, '[{"a": "x"}, {"a": "y"}]', "x.json")).places
        assert places is not None
        assert places.column(1, 0) == 0

    @pytest.mark.parametrize(
        ("text", "line", "code"),
        [
            ('[{"a": "x"},\n {"a": "y"\n', 3, "JSON008"),
            ('[{"a": "x"},\n {"a": y}]\n', 2, "JSON001"),
            ('{"data": [{"a": "x"},\n {"a" "y"}]}\n', 2, "JSON001"),
            ("[1, 2]\n", 1, "JSON002"),
        ],
    )
    def test_a_broken_document_is_told_with_its_line(self, tmp_path: Path, text: str, line: int, code: str) -> None:
        assert found(read(tmp_path, text, "x.json"))[0][::2] == (line, code)

    @pytest.mark.parametrize("between", ["\n", "", " \r\n "])
    def test_several_documents_in_one_are_all_read(self, tmp_path: Path, between: str) -> None:
        text = between.join(json.dumps(record, indent=1) for record in RECORDS)
        reading = read(tmp_path, text, "x.json")
        assert [each[2] for each in found(reading)] == ["JSON014"]
        assert rows(reading) == [tuple(record.values()) for record in RECORDS]
        cut = read(tmp_path, text[:-9], "x.json")
        assert [each[2] for each in found(cut)] == ["JSON014", "JSON008"]
        assert table(cut).frame.height == 3

    def test_text_after_the_document_is_a_fault(self, tmp_path: Path) -> None:
        reading = read(tmp_path, '{"data": [{"a": "x"}]}\nand more', "x.json")
        assert found(reading) == [(2, 1, "JSON001")]

    def test_records_before_the_fault_are_read(self, tmp_path: Path) -> None:
        assert rows(read(tmp_path, '[{"a": "x"},\n {"a": y}]\n', "x.json")) == [("x",)]


class TestPlacesInOneDocument:
    """A fault is told once, at the character it stands at, however the records are laid out."""

    @pytest.mark.parametrize("indent", [None, 1, 4])
    @pytest.mark.parametrize(  # an object over several lines of JSONL would be one record there
        ("name", "around"), [("x.json", "list"), ("x.json", "rows"), ("x.json", "deep"), ("x.jsonl", "list")]
    )
    def test_every_nan_is_told_where_it_is(self, tmp_path: Path, indent: int | None, around: str, name: str) -> None:
        records = [{"query": "Zürich – wann?", "score": float("nan")}, {"query": "b", "score": float("nan")}]
        whole: Any = {"list": records, "rows": {"a": 1, "rows": records}, "deep": {"r": {"rows": records}}}[around]
        text = json.dumps(whole, indent=indent, ensure_ascii=False)
        expected = [
            (number, place + 1, "JSON005")
            for number, line in enumerate(text.split("\n"), 1)
            for place in range(len(line))
            if line.startswith("NaN", place)
        ]
        assert len(expected) == 2
        assert [each for each in found(read(tmp_path, text, name)) if each[2] == "JSON005"] == expected

    def test_what_lies_beside_the_records_is_told_too(self, tmp_path: Path) -> None:
        text = '{"mean": NaN, "rows": [{"query": "a", "score": 1}], "low": NaN}'
        assert found(read(tmp_path, text, "x.json")) == [(1, 10, "JSON005"), (1, text.rindex("NaN") + 1, "JSON005")]


class TestAnyInput:
    values = st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abé", max_size=3), inner, max_size=3),
        max_leaves=6,
    )  # fmt: skip

    @given(
        records=st.lists(st.dictionaries(st.text("xyzé _", min_size=1, max_size=4), values, max_size=4), max_size=8),
        ascii=st.booleans(),
    )
    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_what_json_writes_is_read_back_in_silence(
        self, tmp_path: Path, records: list[dict[str, Any]], ascii: bool
    ) -> None:
        reading = read(tmp_path, "".join(json.dumps(record, ensure_ascii=ascii) + "\n" for record in records))
        assert found(reading) == []
        frame = table(reading).frame
        assert frame["_line"].to_list() == list(range(1, len(records) + 1))
        for header, name in zip(table(reading).headers, table(reading).names, strict=True):
            for record, cell in zip(records, frame[name].to_list(), strict=True):
                value = record.get(header)
                if isinstance(cell, list) or value is None or isinstance(value, str):
                    assert cell == value
                else:
                    assert json.loads(cell) == value

    @given(data=st.binary(max_size=400), name=st.sampled_from(["x.jsonl", "x.json"]))
    @settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_no_bytes_raise(self, tmp_path: Path, data: bytes, name: str) -> None:
        read(tmp_path, data, name)

    pieces = st.sampled_from(
        [
            "{",
            "}",
            "[",
            "]",
            '"a"',
            ":",
            ",",
            "1",
            "NaN",
            "\n",
            " ",
            "null",
            '"\\ud800"',
            "\ufeff",
            "é",
            "\\",
            '"',
            "{}",
            "1e999",
            "\x00",
        ]
    )

    @given(text=st.lists(pieces, max_size=30).map("".join), name=st.sampled_from(["x.jsonl", "x.json"]))
    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_no_text_raises(self, tmp_path: Path, text: str, name: str) -> None:
        read(tmp_path, text, name)

    @given(place=st.integers(0, 24), cut=st.integers(1, 30))
    @settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_a_cut_line_is_named_and_no_other(self, tmp_path: Path, place: int, cut: int) -> None:
        lines = [json.dumps({"query": f"Größe {n}?", "c": ["x", "y"]}, ensure_ascii=False) for n in range(25)]
        lines[place] = lines[place][:-cut]
        reading = read(tmp_path, "\n".join(lines) + "\n")
        assert [each.line for each in reading.report.findings] == [place + 1]
        assert table(reading).height == 24
