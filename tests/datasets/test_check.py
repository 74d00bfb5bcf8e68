"""Opening datasets: what lies at a path, which format it is, and what cannot be opened."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from ragtui.cli.findings_output import summary
from ragtui.datasets.check import CannotOpen, Opened, check_options, open_dataset, open_datasets
from ragtui.datasets.findings import Level
from ragtui.datasets.formats import ReadOptions


def opened_or_refused(path: Path) -> Opened | str:
    try:
        return open_datasets([str(path)])
    except CannotOpen as error:
        return str(error)


CSV = "query,expected_answer\nWho?,Me\n"


def tree(root: Path, **files: str) -> Path:
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


def test_a_folder_is_searched_and_each_file_is_a_dataset(tmp_path: Path) -> None:
    tree(tmp_path, a_dot_csv=CSV, sub__b_dot_csv=CSV, notes_dot_md="# Notes", sub__other_dot_txt="nothing to see\n")
    opened = open_datasets([str(tmp_path)])
    assert [dataset.path for dataset in opened.datasets] == [f"{tmp_path}/a.csv", f"{tmp_path}/sub/b.csv"]


def test_a_search_passes_over_hidden_fixed_and_kept_files(tmp_path: Path) -> None:
    for name in ("a.csv", "a.fixed.csv", "a.csv.orig", ".b.csv", ".ragtui/c.csv", "d.fixed/d.csv", ".git/e.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(CSV)
    assert [dataset.name for dataset in open_datasets([str(tmp_path)]).datasets] == ["a"]
    assert open_dataset(str(tmp_path / "a.fixed.csv"))[0].rows == 1  # named, it is opened


def test_findings_name_files_relative_to_the_folder_and_paths_as_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, data__sub__a_dot_csv="query,expected_answer\n,Me\n")
    monkeypatch.chdir(tmp_path)
    for typed, file, shown in (
        ("data", "sub/a.csv", "data/sub/a.csv"),
        ("./data/", "sub/a.csv", "./data/sub/a.csv"),
        ("data/sub/a.csv", "a.csv", "data/sub/a.csv"),
    ):
        [(path, finding)] = list(open_datasets([typed]).placed())
        assert (finding.file, path, finding.dataset) == (file, shown, 0)


def test_datasets_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    tree(tmp_path, one__a_dot_csv="query,expected_answer\n,Me\n", two__a_dot_csv="query,expected_answer\nQ,\n")
    opened = open_datasets([str(tmp_path / "one" / "a.csv"), str(tmp_path / "two" / "a.csv")])
    assert [(finding.file, finding.dataset) for finding in opened.findings()] == [("a.csv", 0), ("a.csv", 1)]
    assert [path for path, _ in opened.placed()] == [dataset.path for dataset in opened.datasets]


class TestWhatIsNamedSeveralWays:
    """It is opened and counted once, under the name that was typed first."""

    @pytest.fixture
    def here(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.chdir(tmp_path)
        return tree(
            tmp_path, a__qa_dot_csv="query,expected_answer\n,Me\n", a__b_dot_csv=CSV, a__no_dot_csv="x,y\n1,2\n"
        )

    def paths(self, *typed: str) -> list[str]:
        opened = open_datasets(typed)
        assert [finding.dataset for finding in opened.findings()] == [
            place for place, dataset in enumerate(opened.datasets) if dataset.path.endswith("qa.csv")
        ]
        return [dataset.path for dataset in opened.datasets]

    def test_files_folders_and_links(self, here: Path) -> None:
        (here / "a" / "aa.csv").symlink_to("qa.csv")
        (here / "link").symlink_to("a")
        assert self.paths("a/qa.csv", "./a/qa.csv", str(here / "a/../a/qa.csv"), "a") == ["a/qa.csv", "a/b.csv"]
        assert self.paths("./a", "a/qa.csv", "link") == ["./a/b.csv", "./a/qa.csv"]
        opened = open_datasets(["link/aa.csv", "a/qa.csv", "a/b.csv"])
        assert [each.path for each in opened.datasets] == ["link/aa.csv", "a/b.csv"]

    def test_what_was_passed_over_is_told_once_and_still_refused_by_its_name(self, here: Path) -> None:
        opened = open_datasets(["a", "./a"])
        assert opened.unread == ["a/no.csv"]
        assert len(opened.notes) == 1
        with pytest.raises(CannotOpen, match=r"a/no\.csv: not a dataset ragtui knows"):
            open_datasets(["a", "a/no.csv"])

    def test_a_file_of_a_set_belongs_to_the_folder_in_either_order(self, here: Path) -> None:
        tree(
            here,
            set__corpus_dot_jsonl='{"_id": 1, "text": "x"}\n',
            set__queries_dot_jsonl='{"_id": "q", "text": "x"}\n',
        )
        for typed in (["set/corpus.jsonl", "set"], ["set", "set/corpus.jsonl"], ["set/queries.jsonl", "./set", "set"]):
            opened = open_datasets(typed)
            assert len(opened.datasets) == 1
            assert opened.by_code()["BEIR102"] == (1, 1)
        assert len(open_datasets(["set/corpus.jsonl", "set/queries.jsonl"]).datasets) == 2

    def test_sets_that_share_a_file_are_two(self, here: Path) -> None:
        tree(
            here,
            one__corpus_dot_jsonl='{"_id": 1, "text": "x"}\n',
            one__queries_dot_jsonl='{"_id": "q", "text": "x"}\n',
        )
        tree(here, two__queries_dot_jsonl='{"_id": "q", "text": "x"}\n')
        (here / "two" / "corpus.jsonl").symlink_to("../one/corpus.jsonl")
        assert [each.name for each in open_datasets(["one", "two"]).datasets] == ["one", "two"]

    def test_a_sheet_is_a_thing_of_its_own(self, here: Path) -> None:
        book = Workbook()
        for name in ("S#1", "Two"):
            sheet = book.create_sheet(name)
            sheet.append(["query", "expected_answer"])
            sheet.append(["q", "a"])
        book.remove(book.worksheets[0])
        book.save(here / "book.xlsx")
        opened = open_datasets(["./book.xlsx#Two", "book.xlsx", "book.xlsx#S#1", "."])
        assert [each.path for each in opened.datasets][:2] == ["./book.xlsx#Two", "book.xlsx#S#1"]
        assert len(opened.datasets) == 4


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.csv", b"", "the file is empty"),
        ("other.csv", b"a,b\n1,2\n", "not a dataset ragtui knows; its columns are 'a', 'b'"),
        (
            "eval.jsonl",
            b'{\n"rows": [],\n"metrics": 1}\n',
            "line 1: one JSON object .* lines 1 to 3; .* name it .json .*'rows', 'metrics'",
        ),
        ("cut.jsonl", b'{\n "query": "a",\n "response": "', "line 3: the record is cut off"),
        ("list.jsonl", b'["a", "b"]\n["c"]\n', "line 1: the record is a list; an object is needed"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n\x00\x00", "a picture, no dataset"),
        ("blank.csv", b"\xef\xbb\xbf\r\n \n\n", "the file holds nothing but blank lines"),
        ("delimiters.csv", b",,,\n,,\n", "not a dataset ragtui knows: it has no named columns"),
        ("twice.csv", b"query,query,id\na,b,c\n", "more than once in the header: 'query'; rename"),
        ("rows.parquet", b"PAR1\x00\x00", "a Parquet file, which is not read; save the rows as CSV, JSONL or XLSX"),
        ("rows.jsonl.gz", b"\x1f\x8b\x08", "compressed with gzip; unpack it first"),
        (
            "old.xls",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00",
            "of the old .xls kind, or a protected one; save it as .xlsx",
        ),
        ("cut.xlsx", b"PK\x03\x04\x14\x00", "a zip or .xlsx that is damaged or cut off"),
        ("list.json", b"[]\n", "the document is an empty list; a list of records is needed"),
        ("null.json", b"null\n", "the document is null, not a list of records"),
        ("bytes.jsonl", b"\xe3\xff cafe\n\x99 text\n", "line 1: invalid JSON: a value is missing before"),
    ],
)
def test_a_named_file_that_nobody_knows_cannot_be_opened(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CannotOpen, match=says):
        open_datasets([str(tmp_path / name)])


def test_links_that_lead_nowhere_spoil_nothing_else(tmp_path: Path) -> None:
    tree(tmp_path, a_dot_csv=CSV)
    for name, target in (("circle.csv", "circle.csv"), ("gone.csv", "nowhere")):
        (tmp_path / name).symlink_to(target)
        with pytest.raises(CannotOpen, match=f"{name}: a link to {target}, where nothing is"):
            open_datasets([str(tmp_path / name)])
    (tmp_path / "up").symlink_to(".")
    opened = open_datasets([str(tmp_path)])
    assert [each.name for each in opened.datasets] == ["a"]
    assert opened.notes == [f"{tmp_path}/circle.csv: Too many levels of symbolic links"]


def test_nothing_to_check_is_no_success(tmp_path: Path) -> None:
    with pytest.raises(CannotOpen, match="nothing that ragtui can check"):
        open_datasets([str(tmp_path)])
    with pytest.raises(CannotOpen, match="no such file"):
        open_datasets([str(tmp_path / "nowhere")])
    with pytest.raises(CannotOpen):
        open_datasets([])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(CSV)
    path.chmod(0)
    with pytest.raises(CannotOpen, match="no permission"):
        open_datasets([str(path)])


def test_any_table_can_be_read_as_one_when_told_to(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    dataset, report = open_dataset(str(tmp_path / "a.csv"), "table")
    assert (dataset.rows, dataset.format) == (1, "table")
    assert [finding.code for finding in report.findings] == ["TBL101"]


def test_unknown_words_name_the_known_ones() -> None:
    with pytest.raises(CannotOpen, match=r"unknown format 'tabel' \(did you mean 'table'\?\)"):
        check_options(format="tabel")
    with pytest.raises(CannotOpen, match="unknown platform 'depset'"):
        check_options(platform="depset")
    with pytest.raises(CannotOpen, match="no rule begins with 'NOPE'"):
        check_options(select=("NOPE",))
    check_options(select=("CSV", "ALL"), ignore=("DS301",), platform="deepset", format="table")


def test_select_and_ignore_keep_the_counts_right(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,expected_answer\n,\nQ,\n" + "Q,a,b\n" * 3)
    path = str(tmp_path / "a.csv")

    def counted(select: tuple[str, ...] = (), ignore: tuple[str, ...] = ()) -> dict[str, int]:
        opened = open_datasets([path], ReadOptions(select=select, ignore=ignore))
        return {code: count for code, (count, _) in opened.by_code().items()}

    assert counted() == {"CSV005": 3, "CSV010": 1, "TBL103": 1}
    assert counted(select=("CSV005",)) == {"CSV005": 3}
    assert counted(ignore=("CSV",)) == {"TBL103": 1}


def test_a_platform_refuses_formats_it_does_not_load(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(CSV)
    opened = open_datasets([str(tmp_path / "a.csv")], ReadOptions(platform="deepset"))
    assert [finding.code for finding in opened.findings() if finding.level is Level.ERROR] == ["FILE201"]


@given(data=st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_file_is_opened_or_refused_in_one_line(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(data)
    opened = opened_or_refused(path)
    assert not isinstance(opened, str) or "\n" not in opened


@given(
    lines=st.lists(st.text('question,text"{}[]: é\x00\x1b;|', max_size=30), max_size=10),
    header=st.sampled_from(
        ["question", "query,expected_answer", "question,text,context,answer_start,answer_end", '{"question": "x"}']
    ),
)
@settings(max_examples=300, deadline=None)
def test_any_lines_under_a_known_header_are_read(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], header: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "lines.csv"
    path.write_bytes("\n".join([header, *lines]).encode())
    opened = opened_or_refused(path)
    if isinstance(opened, str):
        assert "\n" not in opened
    else:
        assert all(finding.line <= len(lines) + 1 for finding in opened.findings())


def test_an_empty_path_is_no_folder() -> None:
    with pytest.raises(CannotOpen, match="a path is empty"):
        open_datasets([""])


def test_a_file_that_fails_while_it_is_read_is_one_line_and_passed_over_in_a_scan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, a_dot_csv=CSV, b_dot_csv=CSV)
    whole = Path.open

    def failing(path: Path, *arguments: Any, **options: Any) -> Any:
        if path.name == "a.csv":
            raise OSError(5, "Input/output error")
        return whole(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", failing)
    with pytest.raises(CannotOpen, match=r"a\.csv: cannot be read: Input/output error"):
        open_datasets([str(tmp_path / "a.csv")])
    opened = open_datasets([str(tmp_path)])
    assert [dataset.name for dataset in opened.datasets] == ["b"]
    assert [note for note in opened.notes if "a.csv: " in note and "Input/output error" in note] != []


def test_a_search_says_which_files_it_did_not_read(tmp_path: Path) -> None:
    tree(tmp_path, a_dot_csv=CSV, faq_dot_csv="nr,user_said\n1,Who?\n", old_dot_parquet="PAR1", notes_dot_md="# Notes")
    opened = open_datasets([str(tmp_path)])
    assert sorted(opened.unread) == [f"{tmp_path}/faq.csv", f"{tmp_path}/old.parquet"]
    (note,) = opened.notes
    assert note.startswith("2 files not read: ")
    assert "faq.csv" in note
    assert "old.parquet" in note
    assert "notes.md" not in note
    assert "a.csv" not in note


def test_a_search_that_read_everything_says_nothing(tmp_path: Path) -> None:
    opened = open_datasets([str(tree(tmp_path, a_dot_csv=CSV, b_dot_md="# Notes"))])
    assert (opened.unread, opened.notes) == ([], [])


def test_a_search_that_finds_no_dataset_names_what_lies_there(tmp_path: Path) -> None:
    tree(tmp_path, faq_dot_csv="nr,user_said\n1,Who?\n")
    with pytest.raises(CannotOpen, match=r"holds nothing that ragtui can check; 1 file not read: .*faq\.csv"):
        open_datasets([str(tmp_path)])


def test_of_many_unread_files_those_that_look_like_data_are_named_first(tmp_path: Path) -> None:
    tree(tmp_path, a_dot_csv=CSV, zz_dot_csv="nr,user_said\n1,Who?\n", **{f"n{n}_dot_txt": "prose" for n in range(7)})
    (note,) = open_datasets([str(tmp_path)]).notes
    assert note.startswith(f"8 files not read: {tmp_path}/zz.csv, {tmp_path}/n0.txt")
    assert "and 3 more" in note


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("a.json", '{"inputs": 7, "results": {}}', None),
        ("a.json", '{"inputs": {}, "results": true}', None),
        ("a.json", '{"inputs": "{a", "results": "x"}', None),
        ("a.json", '{"inputs": ["a"], "results": [1]}', None),
        ("a.json", '{"inputs": {"question": ["q"], "contexts": [["c"]], "_row": [1], "": ["x"]}, "results": {}}', None),
        ("a.jsonl", '{"input": "q", "target": "t", "output": {"completion": 1}}\n{"output": "{a: 1}"}\n', "inspect"),
        ("a.jsonl", '{"conversation": {"messages": [{"role": {"a": 1}, "content": "x"}]}}\n', None),
        ("a.jsonl", '{"conversation": {"messages": [{"role": ["user"], "content": "x"}]}}\n', "azure"),
        ("a.jsonl", '{"conversation": []}\n{"conversation": ["a", "b"]}\n', None),
        ("a.tsv", "\n\n", "table"),
        ("a.csv", 'user_input,response,retrieved_contexts\nq,r,"[""\\ud83d""]"\n', None),
        ("a.csv", "user_input,response,retrieved_contexts\nq,r,['\\ud83d']\n", None),
        ("a.csv", 'id,input,expected_output\n1,"{""a"": ""\\ud83d""}","{""a"": ""b""}"\n', None),
        (
            "a.csv",
            'question,text,context,file_name,answer_start,answer_end,filters\nq,,,,,,"{""a"": ""\\ud83d""}"\n',
            None,
        ),
    ],
)
def test_values_of_a_kind_that_nobody_meant_stop_nothing(
    tmp_path: Path, name: str, text: str, format: str | None
) -> None:
    (tmp_path / name).write_text(text)
    try:
        open_datasets([str(tmp_path / name)], format=format)
        refused = ""
    except CannotOpen as error:
        refused = str(error)
    assert "\n" not in refused


def test_a_sheet_of_notes_hides_no_finding_of_another_sheet(tmp_path: Path) -> None:
    book = Workbook()
    cases, notes = book.active, book.create_sheet("Old stuff")
    assert cases is not None
    cases.title = "Cases"
    for row in (["query", "expected_answer"], ["q", "a"], ["q", "b"]):
        cases.append(row)
    notes.append(["note"])
    path = str(tmp_path / "book.xlsx")
    book.save(path)
    opened = open_datasets([path])
    assert [(each.path, opened.by_code()) for each in opened.datasets] == [(f"{path}#Cases", {"ID201": (1, 1)})]
    assert opened.notes == [f"1 sheet not read: {path}#Old stuff (no dataset ragtui knows; name one to see why)"]
    assert summary(opened) == "Found 1 warning in 1 dataset; 1 sheet not read."
    with pytest.raises(CannotOpen, match=r"book\.xlsx#Old stuff: not a dataset ragtui knows; its columns are 'note'"):
        open_datasets([f"{path}#Old stuff"])
    del book["Cases"]
    book.save(path)
    with pytest.raises(CannotOpen, match=r"book\.xlsx, sheet 'Old stuff': not a dataset ragtui knows"):
        open_datasets([path])
    book.create_sheet("More").append(["a", "b"])
    book.save(path)
    with pytest.raises(CannotOpen, match=r"none of its 2 sheets is a dataset; sheet 'Old stuff': .*; sheet 'More': "):
        open_datasets([path])
