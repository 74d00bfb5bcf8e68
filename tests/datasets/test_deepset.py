"""deepset evaluation CSVs: which of the three kinds, what is wrong, and what each rule says of it."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.cli.findings_output import sizes
from ragtui.datasets.check import open_dataset
from ragtui.datasets.dataset import Dataset, Role
from ragtui.datasets.filters import FiltersError, parse_filters
from ragtui.datasets.findings import Finding, Level
from ragtui.datasets.formats import ReadOptions
from ragtui.datasets.offsets import diagnose

HEADER = ["question", "text", "context", "file_name", "answer_start", "answer_end", "filters"]
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Co", "Cn"]), min_size=1, max_size=12)


def write(path: Path, rows: list[list[str]], header: list[str] = HEADER, **style: Any) -> Path:
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL, **style).writerows([header, *rows])
    path.write_bytes(stream.getvalue().encode())
    return path


def opened(path: Path, format: str | None = None, **options: Any) -> tuple[Dataset, list[Finding]]:
    dataset, report = open_dataset(str(path), format, ReadOptions(**options))
    return dataset, report.findings


def codes(findings: list[Finding]) -> list[tuple[str, int]]:
    return [(finding.code, finding.line) for finding in findings]


@pytest.fixture(scope="module")
def tmp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("deepset")


def label(
    number: int, before: str = "Boats leave at ", answer: str = "ten", after: str = " sharp.\nEvery day."
) -> list[str]:
    """A sound question answering row."""
    context = before + answer + after
    return [f"Question {number}?", answer, context, "a.txt", str(len(before)), str(len(before) + len(answer)), ""]


class TestKinds:
    @pytest.mark.parametrize(
        ("header", "row", "kind"),
        [
            (HEADER, label(1), "deepset-qa"),
            (HEADER, ["Q?", "", "A context.", "", "", "", ""], "deepset-retrieval"),
            (HEADER, ["Q?", "", "", "", "", "", '{"a": 1}'], "deepset-rag"),
            (["question"], ["Q?"], "deepset-rag"),
            (["question", "context"], ["Q?", "A context."], "deepset-retrieval"),
            (["query", *HEADER[1:]], label(1), "deepset-qa"),
        ],
    )
    def test_values_tell_the_kinds_apart(self, tmp_path: Path, header: list[str], row: list[str], kind: str) -> None:
        dataset, _ = opened(write(tmp_path / "data.csv", [row], header))
        assert dataset.format == kind

    @pytest.mark.parametrize(
        "header",
        [
            ["questions", "contexts", "true_answers", "predicted_answers"],
            ["query", "context", "response", "ground_truth"],
            ["question", "answer"],
        ],
    )
    def test_other_tables_are_not_taken_for_deepsets(self, tmp_path: Path, header: list[str]) -> None:
        dataset, _ = opened(write(tmp_path / "data.csv", [["x"] * len(header)], header))
        assert not dataset.format.startswith("deepset")

    def test_the_format_can_be_named(self, tmp_path: Path) -> None:
        dataset, findings = opened(write(tmp_path / "data.csv", [label(1)]), "deepset-retrieval")
        assert dataset.format == "deepset-retrieval"
        assert codes(findings) == [("DS104", 1)]


class TestColumns:
    def test_expected_values_have_a_role_that_never_reaches_a_target(self, tmp_path: Path) -> None:
        dataset, _ = opened(write(tmp_path / "data.csv", [label(1)]))
        assert dataset.columns_with(Role.INPUT) == ["question", "filters"]
        assert dataset.columns_with(Role.EXPECTED) == ["text", "context", "file_name", "answer_start", "answer_end"]
        assert dataset.fields["query"] == "question"
        assert dataset.fields["ground_truth"] == "text"

    def test_missing_columns_are_a_warning_and_an_error_for_deepset(self, tmp_path: Path) -> None:
        path = write(tmp_path / "data.csv", [["Q?"]], ["question"])
        [finding] = opened(path)[1]
        assert (finding.code, finding.line, finding.level) == ("DS103", 1, Level.WARNING)
        assert "text, context, file_name, answer_start, answer_end, filters" in finding.message
        assert opened(path, platform="deepset")[1][0].level is Level.ERROR

    def test_a_filled_column_that_should_be_empty(self, tmp_path: Path) -> None:
        row = ["Q?", "", "", "a.txt", "", "", ""]
        path = write(tmp_path / "data.csv", [row])
        assert codes(opened(path, "deepset-rag")[1]) == [("DS104", 1)]
        assert codes(opened(path, "deepset-rag", files=("a.txt",))[1]) == []

    def test_ignored_columns_are_an_info(self, tmp_path: Path) -> None:
        path = write(tmp_path / "data.csv", [[*label(1), "x", "7"]], [*HEADER, "answer_category", "question_id"])
        dataset, [finding] = opened(path)
        assert (finding.code, finding.level) == ("DS105", Level.INFO)
        assert "answer_category, question_id" in finding.message
        assert dataset.cases is not None
        assert dataset.cases["_case_id"].to_list() == ["7"]


class TestCases:
    def test_rows_of_one_question_and_filters_are_one_case_with_many_gold_answers(self, tmp_path: Path) -> None:
        rows = [label(1, answer="ten"), label(1, answer="noon"), label(2), [*label(1)[:6], '{"a": 1}']]
        dataset, findings = opened(write(tmp_path / "data.csv", rows))
        assert not findings
        assert dataset.cases is not None
        assert dataset.cases["text"].to_list() == [["ten", "noon"], ["ten"], ["ten"]]
        assert dataset.cases["_line"].to_list() == [2, 6, 8]
        assert dataset.cases["_case_id"].n_unique() == 3
        assert dataset.counts["records"] == 4

    def test_ids_do_not_hang_on_the_order_of_rows(self, tmp_path: Path) -> None:
        rows = [label(number) for number in range(5)]
        forth, _ = opened(write(tmp_path / "forth.csv", rows))
        back, _ = opened(write(tmp_path / "back.csv", rows[::-1]))
        assert forth.cases is not None
        assert back.cases is not None
        assert forth.cases["_case_id"].to_list() == back.cases["_case_id"].to_list()[::-1]


class TestOffsets:
    @given(before=WORDS, answer=WORDS, after=WORDS)
    @settings(max_examples=200, deadline=None)
    def test_right_spans_are_silent(self, before: str, answer: str, after: str) -> None:
        assert diagnose(answer, before + answer + after, len(before), len(before + answer)) is None

    @given(before=WORDS, answer=WORDS, after=WORDS, start=st.integers(-5, 40), end=st.integers(-5, 40))
    @settings(max_examples=500, deadline=None)
    def test_what_is_called_right_is_right(self, before: str, answer: str, after: str, start: int, end: int) -> None:
        context = before + answer + after
        found = diagnose(answer, context, start, end)
        if found is None:
            assert context[start:end] == answer
        elif found.right is not None:
            assert context[slice(*found.right)] == answer

    @pytest.mark.parametrize(
        ("context", "answer", "span", "cause"),
        [
            ("The key hangs left.", "left", (14, 17), "inclusive"),
            ("The key hangs left.", "left", (13, 17), "shifted"),
            ("The key hangs left.", "left", (18, 14), "swapped"),
            ("The key hangs left.", "left", (14, 99), "beyond"),
            ("The key hangs left.", "left", (-3, 4), "beyond"),
            ("The key hangs left.", "Left", (14, 18), "spelling"),
            ("The key hangs left.", "right", (14, 18), "absent"),
            ("🚢 The key hangs left.", "left", (17, 21), "utf-16"),
            ("é The key hangs left.", "left", (17, 21), "bytes"),
            ("One.\r\nTwo.\r\nThree", "Three", (10, 15), "crlf"),
        ],
    )
    def test_the_cause_is_told(self, context: str, answer: str, span: tuple[int, int], cause: str) -> None:
        found = diagnose(answer, context, *span)
        assert found is not None
        assert found.cause == cause

    @pytest.mark.parametrize("text", ["Two", "One.\\nTwo", "One.\nTwo"])
    def test_line_ends_written_out_as_two_characters_count_as_one(self, text: str) -> None:
        context = "One.\\nTwo.\\nThree"
        meant = context.replace("\\n", "\n")
        start = meant.index(text.replace("\\n", "\n"))
        assert diagnose(text, context, start, start + len(text.replace("\\n", "\n"))) is None

    @pytest.mark.parametrize(("start", "safe"), [(1, True), (5, False), (13, True), (17, False)])
    def test_of_several_places_only_a_very_near_one_is_safe(self, start: int, safe: bool) -> None:
        found = diagnose("a", "a..........a..........a", start, start + 1)
        assert found is not None
        assert found.right is not None
        assert found.safe is safe

    @given(row=st.integers(0, 29), shift=st.sampled_from([-2, -1, 1, 2]))
    @settings(max_examples=40, deadline=None)
    def test_a_shifted_span_is_found_at_its_line_and_its_fix_repairs_it(self, tmp: Path, row: int, shift: int) -> None:
        rows = [label(number) for number in range(30)]
        rows[row][4] = str(int(rows[row][4]) + shift)
        rows[row][5] = str(int(rows[row][5]) + shift)
        path = write(tmp / "shifted.csv", rows)
        [finding] = opened(path)[1]
        assert (finding.code, finding.line, finding.row, finding.fixable) == ("DS301", 2 + 2 * row, row + 1, True)
        data = path.read_bytes()
        for edit in sorted(finding.fix, key=lambda edit: -edit.start):
            data = data[: edit.start] + edit.text.encode() + data[edit.end :]
        path.write_bytes(data)
        assert opened(path)[1] == []


class TestDamage:
    """One fault in a sound file gives one finding, at the damaged row's line."""

    @given(
        row=st.integers(0, 19),
        damage=st.sampled_from(
            [
                (0, "", "DS201"), (1, " ", "DS202"), (2, "", "DS202"), (4, "five", "DS302"), (5, "", "DS304"),
                (4, "١", "DS302"), (5, "9" * 20, "DS302"),
                (4, "15.0", "DS303"), (6, "{dept: fares}", "DS401"), (6, "[]", "DS401"), (6, '{"a": 1, "a": 2}', "DS402"),
                (1, "nowhere", "DS301"), (1, "caf\ufffd", "DS301"), (0, "CafÃ©", "TEXT005"), (0, "a\x1b[0m", "TEXT006"),
                (3, "c\ufffd", "TEXT007"),
            ]
        ),
    )  # fmt: skip
    @settings(max_examples=150, deadline=None)
    def test_the_line_is_named(self, tmp: Path, row: int, damage: tuple[int, str, str]) -> None:
        column, value, code = damage
        rows = [label(number) for number in range(20)]
        rows[row][column] = value
        found = codes(opened(write(tmp / "damaged.csv", rows))[1])
        assert (code, 2 + 2 * row) in found
        assert {line for _, line in found} == {2 + 2 * row}

    @given(rows=st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=10, unique_by=lambda row: row[0].strip()))
    @settings(max_examples=100, deadline=None)
    def test_sound_files_are_silent(self, tmp: Path, rows: list[tuple[str, str, str]]) -> None:
        written = [
            [
                f"{question}?",
                f"x{answer}",
                f"{before}x{answer}\n.",
                "f.txt",
                str(len(before)),
                str(len(before) + 1 + len(answer)),
                "",
            ]
            for question, answer, before in rows
        ]
        found = [finding for finding in opened(write(tmp / "sound.csv", written))[1] if finding.code[:4] != "TEXT"]
        assert found == []


class TestFilters:
    def test_values_of_a_repeated_key_are_all_kept(self) -> None:
        parsed = parse_filters('{"key1": "value1", "key1": "value2", "key2": "value3"}')
        assert parsed.values == {"key1": ["value1", "value2"], "key2": "value3"}
        assert parsed.repeated == ("key1",)

    @pytest.mark.parametrize("cell", ["{", "[]", '"a"', "1", "null", "{a: 1}", "[" * 100_000])
    def test_what_is_no_object_says_so(self, cell: str) -> None:
        with pytest.raises(FiltersError):
            parse_filters(cell)

    @pytest.mark.parametrize("cell", ["", "  "])
    def test_an_empty_cell_has_no_filters(self, cell: str) -> None:
        assert parse_filters(cell).values == {}


class TestAdvice:
    def test_short_contexts_are_told_only_where_it_matters(self, tmp_path: Path) -> None:
        path = write(tmp_path / "data.csv", [label(number) for number in range(60)])
        assert codes(opened(path)[1]) == []
        assert {code for code, _ in codes(opened(path, platform="deepset")[1])} == {"DS501"}
        assert {code for code, _ in codes(opened(path, select=("DS501",))[1])} == {"DS501"}

    def test_few_questions(self, tmp_path: Path) -> None:
        path = write(tmp_path / "data.csv", [label(number, after="." * 100) for number in range(49)])
        assert codes(opened(path, platform="deepset")[1]) == [("DS502", 1)]

    def test_a_deepset_dataset_holds_a_hundred_cases(self, tmp_path: Path) -> None:
        rows = [[f"Question {number}?", "yes"] for number in range(101)]
        path = write(tmp_path / "cases.csv", rows, ["query", "expected_answer"])
        assert codes(opened(path)[1]) == []
        assert codes(opened(path, platform="deepset-dataset")[1]) == [("TBL501", 0)]
        assert codes(opened(path, platform="deepset-dataset", limit=100)[1]) == []


def test_labels_in_a_workbook_are_read_and_refused_for_deepset(tmp_path: Path) -> None:
    import xlsxwriter

    workbook = xlsxwriter.Workbook(str(tmp_path / "labels.xlsx"))
    sheet = workbook.add_worksheet("Labels")
    sheet.write_row(0, 0, HEADER)
    sheet.write_row(1, 0, [*label(1)[:4], int(label(1)[4]), int(label(1)[5])])
    workbook.close()
    dataset, [finding] = opened(tmp_path / "labels.xlsx")
    assert (dataset.format, finding.code, finding.level) == ("deepset-qa", "DS106", Level.WARNING)
    assert ("DS106", Level.ERROR) in [
        (each.code, each.level) for each in opened(tmp_path / "labels.xlsx", platform="deepset")[1]
    ]


def test_a_label_that_stands_there_twice_is_named_with_both_lines(tmp: Path) -> None:
    other = [label(1)[0], "day.", *label(1)[2:4], "29", "33", ""]
    path = write(tmp / "twice.csv", [label(1), other, label(2), label(1), label(1), ["", *label(1)[1:]]])
    dataset, findings = opened(path)
    told = [(each.line, each.message) for each in findings if each.code == "DS203"]
    assert told == [
        (8, "the same label as in line 2; it counts once"),
        (10, "the same label as in line 2; it counts once"),
    ]
    assert sizes([dataset]) == "3 cases of 6 rows"
    dataset, findings = opened(write(tmp / "once.csv", [label(1), other, label(2)]))
    assert not [each for each in findings if each.code == "DS203"]
    path = write(tmp / "asked.csv", [["Q?"], ["Q?"]], ["question"])
    dataset, findings = opened(path)
    assert codes(findings)[-1] == ("DS203", 3)
    assert sizes([dataset]) == "1 case of 2 rows"
