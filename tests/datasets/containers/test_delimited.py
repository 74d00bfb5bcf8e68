"""Delimited files: the fast and the exact reader agree, nothing raises, and each fault is named at its line."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.datasets.containers import Reading, first_rows, head_of, reading_of
from ragtui.datasets.containers import delimited as module
from ragtui.datasets.containers.delimited import read_delimited
from ragtui.datasets.containers.encoding import decode
from ragtui.datasets.containers.table import Table
from ragtui.datasets.findings import Level, Report
from ragtui.datasets.formats import Source

CELLS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12) | st.text(
    'a,;"\n\r\t| é🚢', max_size=8
)


def read(tmp: Path, data: bytes, name: str = "data.csv") -> Reading:
    path = tmp / name
    path.write_bytes(data)
    return read_delimited(Source(path, str(path)))


def table(reading: Reading) -> Table:
    assert reading.table is not None
    return reading.table


def found(reading: Reading) -> list[tuple[str, int]]:
    return [(finding.code, finding.line) for finding in reading.report.findings]


@pytest.fixture(scope="module")
def tmp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("delimited")


class TestAgreement:
    @given(
        rows=st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=8),
        end=st.sampled_from(["\n", "\r\n"]),
        quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
        delimiter=st.sampled_from([",", ";", "\t", "|"]),
    )
    @settings(max_examples=300, deadline=None)
    def test_what_a_writer_wrote_is_what_is_read(
        self, tmp: Path, rows: list[list[str]], end: str, quoting: int, delimiter: str
    ) -> None:
        if any("\r" in cell for row in rows for cell in row):
            quoting = csv.QUOTE_ALL  # Python's writer leaves a lone CR bare
        stream = io.StringIO(newline="")
        writer = csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=quoting)  # type: ignore[arg-type]
        writer.writerow(["one", "two", "three"])
        starts = []
        for row in rows:
            starts.append(stream.getvalue().count("\n") + 1)
            writer.writerow(row)
        reading = read(tmp, stream.getvalue().encode())
        kept = [(line, row) for line, row in zip(starts, rows, strict=True) if any(row)]
        assert table(reading).frame["_line"].to_list() == [line for line, _ in kept]
        assert [list(row) for row in table(reading).frame.select("one", "two", "three").iter_rows()] == [
            row for _, row in kept
        ]
        assert not [
            finding for finding in reading.report.findings if finding.level is Level.ERROR and finding.code != "CSV001"
        ]

    @given(text=st.text('ab,"\n\r', max_size=60))
    @settings(max_examples=500, deadline=None)
    def test_the_fast_reader_sees_what_the_exact_one_sees(self, tmp: Path, text: str) -> None:
        data = ("h,i\n" + text).encode()
        path = tmp / "both.csv"
        path.write_bytes(data)
        source = Source(path, str(path))
        reports = Report("both.csv"), Report("both.csv")
        fast = module._read_fast(data, head_of(source), source, reports[0])
        if fast is None:
            return
        exact = module._read_exact(len(data), decode(data), source, reports[1])
        assert exact is not None
        assert fast.frame.equals(exact.frame)
        assert fast.lines == exact.lines
        assert [(each.code, each.line, each.row) for each in reports[0].findings] == [
            (each.code, each.line, each.row) for each in reports[1].findings
        ]


class TestNothingRaises:
    @given(data=st.binary(max_size=200))
    @settings(max_examples=500, deadline=None)
    def test_any_bytes(self, tmp: Path, data: bytes) -> None:
        read(tmp, data)

    @given(
        text=st.text(max_size=200),
        encoding=st.sampled_from(["utf-8", "utf-16", "utf-16-be", "cp1252", "utf-8-sig", "utf-32"]),
    )
    @settings(max_examples=300, deadline=None)
    def test_any_text_in_any_encoding(self, tmp: Path, text: str, encoding: str) -> None:
        read(tmp, text.encode(encoding, "replace"))

    @given(text=st.text('ab,;"\n\r\t|{}[]: ', max_size=200))
    @settings(max_examples=500, deadline=None)
    def test_any_mess_of_delimiters_and_quotes(self, tmp: Path, text: str) -> None:
        reading = read(tmp, text.encode())
        if reading.table is not None:
            lines = reading.table.frame["_line"].to_list()
            assert lines == sorted(set(lines))
            assert all(0 < line <= reading.table.lines for line in lines)


def sound(rows: int, newlines: bool = True) -> list[str]:
    """A header and sound records, some of several lines, each with its line end."""
    lines = ["question,text,context\n"]
    for row in range(rows):
        inner = "a\nb" if newlines and row % 3 == 2 else "a, b"
        lines.append(f'"Question {row}?","say ""{row}""","{inner}"\n')
    return lines


class TestFaultsAreNamedAtTheirLine:
    @given(row=st.integers(1, 29))
    @settings(max_examples=40, deadline=None)
    def test_a_field_too_many(self, tmp: Path, row: int) -> None:
        records = sound(30)
        records[row] = records[row].rstrip("\n") + ",more\n"
        reading = read(tmp, "".join(records).encode())
        assert found(reading) == [("CSV005", "".join(records[:row]).count("\n") + 1)]
        assert table(reading).height == 29

    @given(row=st.integers(1, 29))
    @settings(max_examples=40, deadline=None)
    def test_a_field_too_few(self, tmp: Path, row: int) -> None:
        records = sound(30)
        records[row] = '"Question?","text"\n'
        reading = read(tmp, "".join(records).encode())
        assert found(reading) == [("CSV005", "".join(records[:row]).count("\n") + 1)]

    @given(row=st.integers(1, 30), field=st.integers(0, 2))
    @settings(max_examples=60, deadline=None)
    def test_a_quote_that_is_not_closed(self, tmp: Path, row: int, field: int) -> None:
        records = sound(30, newlines=False)
        cells = ['"Question?"', '"text"', '"context"']
        cells[field] = cells[field][:-1]
        records[row] = ",".join(cells) + "\n"
        reading = read(tmp, "".join(records).encode())
        assert [line for _, line in found(reading)] == [row + 1]
        assert found(reading)[0][0] in ("CSV006", "CSV007")
        assert table(reading).height == 29

    @given(row=st.integers(1, 29))
    @settings(max_examples=40, deadline=None)
    def test_a_quote_inside_a_bare_field(self, tmp: Path, row: int) -> None:
        records = sound(30)
        records[row] = '5" pipe,text,context\n'
        reading = read(tmp, "".join(records).encode())
        assert found(reading) == [("CSV008", "".join(records[:row]).count("\n") + 1)]
        assert table(reading).height == 30
        [edit] = reading.report.findings[0].fix
        data = "".join(records).encode()
        repaired = data[: edit.start] + edit.text.encode() + data[edit.end :]
        records[row] = '"5"" pipe",text,context\n'
        assert repaired == "".join(records).encode()

    @given(row=st.integers(1, 29), byte=st.sampled_from([0xE9, 0xFF, 0x93]))
    @settings(max_examples=40, deadline=None)
    def test_a_byte_that_is_no_utf8(self, tmp: Path, row: int, byte: int) -> None:
        records = [record.encode() for record in sound(30)]
        records[row] = records[row].replace(b"Question", b"Questi" + bytes([byte]) + b"n")
        reading = read(tmp, b"".join(records))
        assert found(reading) == [("TEXT003", b"".join(records[:row]).count(b"\n") + 1)]
        assert table(reading).height == 30
        assert table(reading).encoding == "cp1252"

    def test_bytes_that_are_no_utf8_in_a_file_that_is(self, tmp: Path) -> None:
        reading = read(tmp, "a,b\né,üöä\n".encode() + b"caf\xe9,x\n" + "ß,à\n".encode() + b"\x96,y\n")
        assert found(reading) == [("TEXT004", 3), ("TEXT004", 5)]
        assert table(reading).frame["a"].to_list() == ["é", "café", "ß", "–"]
        assert [finding.column for finding in reading.report.findings] == [4, 1]


class TestDialects:
    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_the_delimiter_is_found(self, tmp: Path, delimiter: str) -> None:
        lines = [["id", "query", "answer"], ["1", "Why, oh why?", "x; y | z"], ["2", "Who?", "a, b"]]
        text = "".join(
            delimiter.join(f'"{cell}"' if delimiter in cell else cell for cell in line) + "\n" for line in lines
        )
        reading = read(tmp, text.encode())
        assert table(reading).delimiter == delimiter
        assert table(reading).frame["answer"].to_list() == ["x; y | z", "a, b"]
        assert [code for code, _ in found(reading)] == ([] if delimiter == "," else ["CSV002"])

    def test_a_column_of_questions_alone_is_not_split_at_its_commas(self, tmp: Path) -> None:
        reading = read(tmp, b'question\n"Why, oh why?"\nWho?\n')
        assert table(reading).headers == ("question",)
        assert table(reading).height == 2

    def test_tabs_in_a_file_that_says_so_are_an_info(self, tmp: Path) -> None:
        reading = read(tmp, b"query\tanswer\na\tb\n", "data.tsv")
        assert [(finding.code, finding.level) for finding in reading.report.findings] == [("CSV002", Level.INFO)]

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_every_line_end(self, tmp: Path, end: str) -> None:
        reading = read(tmp, end.join(["a,b", '1,"2', '3"', "4,5", ""]).encode())
        assert table(reading).frame["_line"].to_list() == [2, 4]
        assert table(reading).frame["b"].to_list() == [f"2{end}3", "5"]
        assert table(reading).lines == 4
        assert not found(reading)

    def test_a_carriage_return_in_the_middle_of_a_row(self, tmp: Path) -> None:
        reading = read(tmp, b"a,b\n1,2\n3\r4,5\n6,7\n")
        assert found(reading) == [("CSV009", 3)]
        assert table(reading).frame["a"].to_list() == ["1", "6"]

    def test_blank_rows_between_rows_are_skipped_aloud_and_trailing_ones_in_silence(self, tmp: Path) -> None:
        reading = read(tmp, b"a,b\n1,2\n\n,\n3,4\n\n,\n\n")
        assert table(reading).frame["_line"].to_list() == [2, 5]
        assert found(reading) == [("CSV010", 3)]

    def test_a_quoted_empty_cell_alone_is_a_row(self, tmp: Path) -> None:
        reading = read(tmp, b'question\n""\nWho?\n')
        assert table(reading).frame["question"].to_list() == ["", "Who?"]


class TestHeaders:
    def test_a_header_used_twice_is_nobodys_name(self, tmp: Path) -> None:
        given_table = table(read(tmp, b"answer,b,answer,\n1,2,3,4\n"))
        assert given_table.names == ("answer#1", "b", "answer#3", "#4")
        assert given_table.repeated() == {"answer": [1, 3]}

    def test_a_name_that_a_reader_would_invent_stays_its_own(self, tmp: Path) -> None:
        assert table(read(tmp, b"a,a,a#1\n1,2,3\n")).names == ("a#1#", "a#2", "a#1")

    def test_names_that_frames_use_themselves(self, tmp: Path) -> None:
        assert table(read(tmp, b"_line,_case_id\n1,2\n")).names == ("_line#1", "_case_id#2")

    def test_a_header_over_two_lines(self, tmp: Path) -> None:
        given_table = table(read(tmp, b'"a\nb",c\n1,2\n'))
        assert given_table.headers == ("a\nb", "c")
        assert given_table.frame["_line"].to_list() == [3]

    @pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"sep=;\n"])
    def test_a_file_without_header_has_no_table(self, tmp: Path, data: bytes) -> None:
        assert read(tmp, data).table is None

    def test_a_header_alone_is_an_error(self, tmp: Path) -> None:
        assert found(read(tmp, b"question,text\n")) == [("CSV001", 1)]


class TestPlaces:
    @given(row=st.integers(0, 9), column=st.integers(0, 2), text=CELLS)
    @settings(max_examples=100, deadline=None)
    def test_an_edit_changes_that_cell_and_no_other(self, tmp: Path, row: int, column: int, text: str) -> None:
        data = "\ufeff".encode() + "".join(sound(10)).encode()
        given_table = table(read(tmp, data))
        assert given_table.places is not None
        [edit] = given_table.places.edit(int(given_table.frame["_line"][row]), column, text)
        after = table(read(tmp, data[: edit.start] + edit.text.encode() + data[edit.end :]))
        expected = [list(each) for each in given_table.frame.drop("_line", "_row").iter_rows()]
        expected[row][column] = text
        assert [list(each) for each in after.frame.drop("_line", "_row").iter_rows()] == expected

    def test_columns_count_code_points_from_one(self, tmp: Path) -> None:
        given_table = table(read(tmp, '🚢é,b,c\n"x\ny",z,w\n'.encode()))
        assert given_table.places is not None
        assert [given_table.places.column(1, position) for position in range(3)] == [1, 4, 6]
        assert [given_table.places.column(2, position) for position in range(3)] == [1, 0, 0]


def test_a_huge_field_is_read_whole(tmp: Path) -> None:
    given_table = table(read(tmp, b'a,b\n"' + b"x" * 300_000 + b'",1" bare\n'))
    assert given_table.frame.select(pl.col("a").str.len_chars()).item() == 300_000


def test_a_million_faults_take_no_more_room_than_a_thousand(tmp: Path) -> None:
    reading = read(tmp, b"a,b\n" + b"1\n" * 200_000)
    assert len(reading.report.findings) == 1000
    assert reading.report.total(Level.ERROR) == 200_000


class TestFirstRows:
    @pytest.mark.parametrize("size", [3, 500, 30_000])
    def test_they_are_those_of_the_whole_file(self, tmp: Path, size: int) -> None:
        path = tmp / "long.csv"
        path.write_bytes(("".join(sound(size)) + '"an open quote').encode())
        source = Source(path, str(path))
        first = first_rows(source, 200)
        assert first is not None
        assert first.frame.equals(table(read_delimited(source)).frame.head(200))

    def test_a_file_that_was_read_is_not_read_again(self, tmp: Path) -> None:
        path = tmp / "read.csv"
        path.write_bytes(b"a\n1\n2\n3\n")
        source = Source(path, str(path))
        reading_of(source)
        path.write_bytes(b"other\n")
        first = first_rows(source, 2)
        assert first is not None
        assert first.frame["a"].to_list() == ["1", "2"]


class TestRewriting:
    @given(
        rows=st.lists(
            st.lists(st.text("a,;\"\n\r é🚢='", min_size=1, max_size=8), min_size=2, max_size=2), min_size=1, max_size=5
        ),
        delimiter=st.sampled_from([";", "\t", "|"]),
        encoding=st.sampled_from(["utf-8", "utf-16", "utf-8-sig"]),
    )
    @settings(max_examples=100, deadline=None)
    def test_the_fix_for_another_delimiter_keeps_every_cell(
        self, tmp: Path, rows: list[list[str]], delimiter: str, encoding: str
    ) -> None:
        stream = io.StringIO(newline="")
        csv.writer(stream, delimiter=delimiter, lineterminator="\r\n", quoting=csv.QUOTE_ALL).writerows(
            [["query", "x"], *rows]
        )
        data = stream.getvalue().encode(encoding)
        reading = read(tmp, data)
        [finding] = [each for each in reading.report.findings if each.code in ("CSV002", "TEXT002")]
        [edit] = finding.fix
        after = read(tmp, data[: edit.start] + edit.text.encode() + data[edit.end :])
        assert after.report.findings == []
        assert table(after).delimiter == ","
        assert table(after).frame.drop("_line").equals(table(reading).frame.drop("_line"))

    def test_no_fix_is_offered_where_a_record_would_be_lost(self, tmp: Path) -> None:
        reading = read(tmp, b"a;b\n1;2\n3\n")
        assert [(finding.code, finding.fixable) for finding in reading.report.findings] == [
            ("CSV005", False),
            ("CSV002", False),
        ]


def test_bytes_of_another_encoding_in_the_header_do_not_move_the_lines(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"\x80\x80query,office,expected_answer\nW\n")
    reading = read_delimited(Source(tmp_path / "a.csv", "a.csv"))
    assert {(each.code, each.line) for each in reading.report.findings} == {("TEXT003", 1), ("CSV005", 2)}
