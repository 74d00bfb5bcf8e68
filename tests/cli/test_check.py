"""``ragtui check`` as scripts see it: what it prints, in each form, and its status."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock
from xml.etree import ElementTree

import pytest

from ragtui.cli import app

ROOT = Path(__file__).parent.parent.parent
CASES = Path(__file__).parent.parent / "cases"
GOOD = "query,expected_answer\nWho?,Me\n"
BAD = "query,expected_answer\nWho?,Me\n,You\nWhere?,\n"


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


def ragtui(*arguments: str, cwd: Path | None = None, **environment: str) -> Done:
    """Runs the command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(cwd or Path.cwd()),
        mock.patch.dict(os.environ, environment),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as end,
    ):
        app(arguments)
    return Done(int(end.value.code or 0), out.getvalue(), err.getvalue())


def ragtui_process(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(command, shell=True, capture_output=True, encoding="utf-8", env=env, check=False)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "good.csv").write_text(GOOD)
    (tmp_path / "bad.csv").write_text(BAD)
    return tmp_path


class TestStatus:
    def test_0_where_nothing_is_found(self, here: Path) -> None:
        done = ragtui("check", "good.csv", cwd=here)
        assert (done.returncode, done.stdout, done.stderr) == (0, "All checks passed: 1 dataset, 1 case.\n", "")

    def test_1_where_an_error_is_found(self, here: Path) -> None:
        done = ragtui("check", "bad.csv", cwd=here)
        assert done.returncode == 1
        assert done.stdout == (
            "bad.csv:3:1: TBL102 query is empty\n"
            "bad.csv:4:8: TBL103 expected_answer is empty\n"
            "Found 1 error, 1 warning in 1 dataset.\n"
        )

    @pytest.mark.parametrize(("level", "status"), [("error", 0), ("warning", 1), ("info", 1)])
    def test_the_level_that_fails_can_be_named(self, here: Path, level: str, status: int) -> None:
        (here / "bad.csv").write_text("query,expected_answer\nWho?,\n")
        assert ragtui("check", "bad.csv", "--fail-level", level, cwd=here).returncode == status

    @pytest.mark.parametrize(
        "arguments",
        [
            ["nowhere.csv"], ["."], ["good.csv", "--format", "nothing"], ["good.csv", "--for", "nowhere"],
            ["good.csv", "--select", "NOPE1"], ["good.csv", "--output-format", "xml"], ["good.csv", "--fail-level", "bad"],
            ["good.csv", "--files", "nowhere"], ["good.csv", "--no-such-option"], ["good.csv", "--limit", "0"],
            ["good.csv", "--statistics", "--output-format", "json"], ["good.csv", "-o", "good.csv/x"],
        ],
    )  # fmt: skip
    def test_2_where_it_could_not_run(self, here: Path, arguments: list[str]) -> None:
        if arguments == ["."]:
            (here / "empty").mkdir()
            here = here / "empty"
        done = ragtui("check", *arguments, cwd=here)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr
        assert "Traceback" not in done.stderr


class TestForms:
    def test_json_is_the_contract(self, here: Path) -> None:
        document = json.loads(ragtui("check", "bad.csv", "--output-format", "json", cwd=here).stdout)
        assert document["version"] == 1
        assert document["findings"][0] == {
            "file": "bad.csv", "line": 3, "column": 1, "field": "query", "row": 2, "sheet": None, "cell": None,
            "code": "TBL102", "level": "error", "message": "query is empty", "fixable": False, "dataset": 0,
        }  # fmt: skip
        [dataset] = document["datasets"]
        assert {name: dataset[name] for name in ("path", "format", "rows", "columns", "encoding", "delimiter", "header_line")} == {
            "path": "bad.csv", "format": "table", "rows": 3, "columns": 2, "encoding": "utf-8", "delimiter": ",", "header_line": 1,
        }  # fmt: skip
        assert document["summary"] == {
            "errors": 1, "warnings": 1, "infos": 0, "fixable": 0, "fixable_unsafely": 0,
            "by_code": {"TBL102": {"count": 1, "shown": 1}, "TBL103": {"count": 1, "shown": 1}},
        }  # fmt: skip

    def test_a_workbook_names_sheet_and_cell(self) -> None:
        path = CASES / "57-xlsx-formula-without-cached-value" / "uncached.xlsx"
        [finding] = json.loads(ragtui("check", str(path), "--output-format", "json").stdout)["findings"]
        assert (finding["file"], finding["line"], finding["sheet"], finding["cell"]) == (
            "uncached.xlsx",
            3,
            "Cases",
            "C3",
        )
        assert "uncached.xlsx#Cases:3:C3: XLSX003" in ragtui("check", str(path)).stdout

    def test_full_shows_the_line_and_the_place(self, here: Path) -> None:
        told = ragtui("check", "bad.csv", "--output-format", "full", cwd=here).stdout
        assert "4 | Where?,\n  |        ^\n  = remedy: fill the cell" in told

    def test_github_annotations(self, here: Path) -> None:
        (here / "a,b:100%.csv").write_text(BAD)
        told = ragtui("check", "a,b:100%.csv", "--output-format", "github", cwd=here).stdout.splitlines()
        shape = re.compile(r"::(error|warning|notice) title=ragtui \([A-Z]+\d+\),file=[^,:]+,line=\d+,col=\d+::.+")
        assert len(told) == 2
        assert all(shape.fullmatch(line) for line in told)
        assert told[0].startswith(
            "::error title=ragtui (TBL102),file=a%2Cb%3A100%25.csv,line=3,col=1::a,b:100%25.csv:3:1: TBL102"
        )

    def test_junit(self, here: Path) -> None:
        root = ElementTree.fromstring(
            ragtui("check", "bad.csv", "good.csv", "--output-format", "junit", cwd=here).stdout
        )
        assert root.tag == "testsuites"
        assert [(suite.get("tests"), suite.get("failures")) for suite in root] == [("2", "1"), ("1", "0")]
        assert [suite.get("name") for suite in root] == ["bad.csv", "good.csv"]
        assert [len(suite.findall("testcase")) for suite in root] == [2, 1]
        assert len(root.findall(".//failure")) == 1

    def test_sarif(self, here: Path) -> None:
        path = CASES / "21-header-spaces-and-case" / "heads.csv"
        document = json.loads(ragtui("check", str(path), "--output-format", "sarif").stdout)
        [run] = document["runs"]
        assert document["version"] == "2.1.0"
        assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["DS102"]
        result = run["results"][0]
        assert result["level"] == "error"
        assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 1, "startColumn": 1}
        replacement = result["fixes"][0]["artifactChanges"][0]["replacements"][0]
        assert replacement["insertedContent"]["text"] == "question"

    @pytest.mark.parametrize("form", ["json", "github", "junit", "sarif", "full", "concise"])
    def test_a_clean_file_in_every_form(self, here: Path, form: str) -> None:
        done = ragtui("check", "good.csv", "--output-format", form, cwd=here)
        assert done.returncode == 0
        if form == "sarif":
            assert json.loads(done.stdout)["runs"][0]["results"] == []
        if form == "junit":
            assert [suite.get("tests") for suite in ElementTree.fromstring(done.stdout)] == ["1"]
        if form == "github":
            assert done.stdout == ""

    def test_a_report_can_go_to_a_file(self, here: Path) -> None:
        done = ragtui("check", "bad.csv", "--output-format", "json", "-o", "out.json", cwd=here)
        assert (done.returncode, done.stdout) == (1, "")
        assert json.loads((here / "out.json").read_text())["summary"]["errors"] == 1

    def test_statistics_count_the_most_frequent_first(self, here: Path) -> None:
        (here / "bad.csv").write_text("query,expected_answer\n" + "Who?,\n" * 3 + ",a\n")
        told = ragtui("check", "bad.csv", "--statistics", "--ignore", "ID", cwd=here).stdout.splitlines()
        assert told[:2] == ["3\tTBL103\t[ ] expected-empty", "1\tTBL102\t[ ] input-empty"]

    def test_a_star_marks_a_safe_fix(self) -> None:
        told = ragtui("check", str(CASES / "01-bom-csv-deepset")).stdout
        assert "eval.csv:1:0: TEXT001 [*] UTF-8 byte order mark skipped" in told

    def test_the_last_line_says_what_fixes_would_mend(self, here: Path) -> None:
        (here / "b.csv").write_bytes(b"\xef\xbb\xbfquery,expected_answer\nWho?,Me\n")
        path = ROOT / "sample_data" / "broken" / "deepset-qa.csv"
        labels = ("--files", str(ROOT / "sample_data" / "support-desk" / "articles"))
        told = ragtui("check", str(path), *labels).stdout.splitlines()
        document = json.loads(ragtui("check", str(path), *labels, "--output-format", "json").stdout)["summary"]
        safe, unsafe = sum("[*]" in line for line in told[:-1]), document["fixable_unsafely"]
        assert safe == document["fixable"] > 0
        assert unsafe > 0
        assert told[-1] == f"[*] {safe} mended by --fix, {unsafe} more with --unsafe-fixes."
        assert ragtui("check", "b.csv", cwd=here).stdout.splitlines()[-1] == "[*] 1 mended by --fix."
        only = ragtui("check", str(path), *labels, "--select", "FILE102").stdout.splitlines()
        assert only[-1] == f"{len(only) - 2} mended by --fix --unsafe-fixes."

    def test_a_format_that_is_not_loaded_is_named_with_the_way_to_one_that_is(self, here: Path) -> None:
        for platform, way in (("ragas", "ragas`"), ("deepset", "deepset-qa` (or deepset-retrieval, deepset-rag)")):
            told = ragtui("check", "good.csv", "--for", platform, cwd=here).stdout
            assert (
                f"FILE201 {platform} does not load this format (table of test cases); `ragtui convert SRC DST --to {way}"
                in told
            )

    def test_an_id_with_a_space_at_its_end_is_seen(self, tmp_path: Path) -> None:
        (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "x"}\n')
        (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "x"}\n')
        (tmp_path / "qrels.jsonl").write_text('{"query-id": "q1", "corpus-id": "d1 ", "score": 1}\n')
        told = ragtui("check", str(tmp_path)).stdout
        assert 'BEIR202 corpus-id d1· is not in corpus.jsonl; nearest "d1"' in told

    def test_a_fault_that_recurs_is_listed_a_thousand_times_and_counted(self, here: Path) -> None:
        (here / "bad.csv").write_text("query,expected_answer\n" + "x\n" * 5000)
        told = ragtui("check", "bad.csv", cwd=here).stdout.splitlines()
        assert len(told) == 1002
        assert told[-2:] == ["bad.csv: CSV005 … and 4,000 more like it", "Found 5,000 errors in 1 dataset."]
        summary = json.loads(ragtui("check", "bad.csv", "--output-format", "json", cwd=here).stdout)["summary"]
        assert summary["by_code"]["CSV005"] == {"count": 5000, "shown": 1000}


HOSTILE = "[/x] [red]\x1b]52;c;aGk=\x07\u202e\x00\x9b31m"


@pytest.mark.parametrize("form", ["json", "github", "junit", "sarif", "full", "concise"])
def test_no_control_character_of_the_data_gets_out(here: Path, form: str) -> None:
    header = f'question,text,context,answer_start,answer_end,filters,"{HOSTILE}",Text'
    (here / "bad.csv").write_text(f'{header}\n"{HOSTILE}","{HOSTILE}",no,"{HOSTILE}",0,"{HOSTILE}",x,y\n', "utf-8")
    for arguments in (["check", "bad.csv", "--output-format", form], ["check", "bad.csv", "--statistics"]):
        done = ragtui(*arguments, cwd=here)
        assert done.returncode in (1, 0)
        assert done.stdout
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", done.stdout + done.stderr)


def test_file_names_are_no_more_trusted(here: Path) -> None:
    name = "a\x1b[31m\u202e.csv"
    (here / name).write_text(BAD)
    for form in ("concise", "full", "json", "github", "junit", "sarif"):
        done = ragtui("check", ".", "--output-format", form, cwd=here)
        assert done.returncode == 1
        assert "\x1b" not in done.stdout
        assert "\u202e" not in done.stdout


class TestColour:
    def test_none_in_a_pipe_and_some_where_forced(self, here: Path) -> None:
        assert "\x1b" not in ragtui("check", "bad.csv", cwd=here).stdout
        assert "\x1b[" in ragtui("check", "bad.csv", cwd=here, FORCE_COLOR="1").stdout
        assert "\x1b" not in ragtui("check", "bad.csv", cwd=here, FORCE_COLOR="1", NO_COLOR="1").stdout


class TestRule:
    def test_every_rule_is_explained(self) -> None:
        documents: list[dict[str, Any]] = json.loads(ragtui("rule", "--output-format", "json").stdout)
        assert len(documents) > 40
        for document in documents:
            assert re.fullmatch(r"[A-Z]+\d{3}", document["code"])
            assert re.fullmatch(r"[a-z0-9-]+", document["name"])
            assert len(document["explanation"]) > 20, document["code"]

    def test_the_list_says_what_its_marks_mean(self) -> None:
        told = ragtui("rule").stdout
        assert "[-] file-name-near" in told
        assert "[-] only with --unsafe-fixes" in told.splitlines()[-1]

    def test_one_rule_says_what_why_example_and_remedy(self) -> None:
        told = ragtui("rule", "csv005").stdout
        assert told.startswith("# CSV005 field-count\n")
        assert "## Example" in told
        assert "## Remedy" in told

    def test_an_unknown_rule_is_2(self) -> None:
        done = ragtui("rule", "CSV999")
        assert done.returncode == 2
        assert "CSV005" in done.stderr


class TestCommandLine:
    @pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["check", "--help"], ["rule", "--help"]])
    def test_help_loads_nothing_heavy(self, arguments: list[str]) -> None:
        script = (
            "import sys\nfrom ragtui.cli import app\n"
            f"try: app({arguments!r})\nexcept SystemExit as end: assert not end.code, end.code\n"
            "heavy = {'polars', 'textual', 'openai', 'numpy', 'rich', 'pydantic'} & {name.split('.')[0] for name in sys.modules}\n"
            "assert not heavy, heavy\n"
        )
        subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.DEVNULL, cwd=ROOT)

    def test_help_costs_under_200_ms_of_cpu(self) -> None:
        def cpu(*command: str) -> float:
            before = os.times()
            subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
            after = os.times()
            return after.children_user + after.children_system - before.children_user - before.children_system

        bare = min(cpu("-c", "pass") for _ in range(5))
        assert min(cpu("-m", "ragtui", "--help") for _ in range(5)) - bare < 0.2

    def test_a_word_that_is_nearly_a_command_says_so(self, here: Path) -> None:
        done = ragtui("chek", cwd=here)
        assert done.returncode == 2
        assert "did you mean 'check'?" in done.stderr

    def test_a_path_named_like_a_command_is_written_with_its_folder(self, here: Path) -> None:
        shutil.copytree(CASES / "01-bom-csv-deepset", here / "check")
        assert ragtui("check", "./check", cwd=here).returncode == 0

    def test_completion_is_offered(self) -> None:
        asked = {"_RAGTUI_COMPLETE": "complete_bash", "COMP_WORDS": "ragtui che", "COMP_CWORD": "1"}
        done = ragtui_process(f"{sys.executable} -m ragtui", **asked)
        assert done.stdout.split() == ["check"]

    def test_a_closed_pipe_is_no_traceback(self, here: Path) -> None:
        (here / "bad.csv").write_text("query,expected_answer\n" + "x\n" * 5000)
        done = ragtui_process(f"{sys.executable} -m ragtui check '{here / 'bad.csv'}' | head -1")
        assert done.stderr == ""


def test_a_folder_with_files_that_nobody_knows_says_so_in_every_place(tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text(GOOD)
    (tmp_path / "faq_eval.csv").write_text("nr,user_said\n1,Who?\n")
    done = ragtui("check", cwd=tmp_path)
    assert done.returncode == 0
    assert "All checks passed: 1 dataset, 1 case; 1 file not read." in done.stdout
    assert "1 file not read: ./faq_eval.csv" in done.stderr
    document = json.loads(ragtui("check", "--output-format", "json", cwd=tmp_path).stdout)
    assert [note.split(" (")[0] for note in document["notes"]] == ["1 file not read: ./faq_eval.csv"]
