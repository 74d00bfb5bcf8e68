"""Every command over data that attacks the terminal: no crash, nothing raw on either stream, every report valid."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ragtui.cli import app
from tests.hostile import (
    MARKUP,
    NAME,
    TEXT,
    answers,
    came_through,
    write_all,
    write_names_that_are_no_text,
    write_workspace,
)

ROOT = Path(__file__).parents[2]
METRICS = "groundedness,f1,relevance,correctness"
pytestmark = pytest.mark.xdist_group("hostile commands")


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Place:
    """A workspace with one poisoned dataset per format, and the experiments that were run there."""

    folder: Path
    data: dict[str, Path]
    experiments: dict[str, str]


def ragtui(*arguments: object) -> Done:
    """Runs a command here, on streams as strict as they can be; fails where anything raw comes out of it."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", "strict", write_through=True) for _ in range(2)]
    status = 0
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        try:
            app([str(argument) for argument in arguments])
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 0
    out, err = (stream.buffer.getvalue().decode() for stream in streams)  # type: ignore[attr-defined]
    assert came_through(out) == []
    assert came_through(err) == []
    if status == 2:
        assert len(err.splitlines()) == 1 or err.startswith("Usage:"), err
        assert out == ""
    return Done(status, out, err)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("hostile") / f"work [*] {NAME}"
    folder.mkdir()
    data = write_all(folder / "data")
    here = Path.cwd()
    os.chdir(folder)
    try:
        ragtui("run", data["azure"], "-m", METRICS, "--baseline", f"recorded:{data['answers'].name}")
        ragtui("run", data["beir"], "-m", "nDCG@10,Recall@3", "-c", f"run:{data['run'].name}", "-b", "bm25")
        ragtui("run", data["pinecone"], "-m", METRICS)
        listed = ragtui("show").out
        ids = {
            name: next(line.split()[0] for line in listed.splitlines() if word in line)
            for name, word in (("azure", "answers.jsonl"), ("beir", "bm25"), ("pinecone", "pinecone"))
        }
        yield Place(folder, data, ids)
    finally:
        os.chdir(here)


FORMATS = ("deepset-qa", "deepset-rag", "deepset-retrieval", "azure", "answers", "pinecone", "table", "xlsx", "beir")


# check and rule


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_recognised_and_checked(place: Place, format: str) -> None:
    done = ragtui("check", place.data[format], "--output-format", "json", "--select", "ALL")
    assert done.status in (0, 1)
    found = json.loads(done.out)
    wanted = {"answers": "azure", "xlsx": "table"}.get(format, format)
    assert [each["format"] for each in found["datasets"]] == [wanted]
    codes = {each["code"] for each in found["findings"]}
    assert codes & {"TEXT006", "TEXT007", "JSON006"}  # it is reported, not only survived


@pytest.mark.parametrize("style", ["concise", "full", "json", "github", "junit", "sarif"])
def test_every_output_of_check(place: Place, style: str) -> None:
    done = ragtui("check", "data", "--output-format", style)
    assert done.status == 1
    assert "[@click=app.quit]" in done.out.replace("\\", "")  # shown as it is, not obeyed
    match style:
        case "json":
            assert json.loads(done.out)["summary"]["errors"] > 5
        case "sarif":
            assert json.loads(done.out)["runs"][0]["results"]
        case "junit":
            assert ElementTree.fromstring(done.out).find(".//failure") is not None
        case "github":
            assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in done.out.splitlines())
    written = place.folder / f"findings.{style}"
    assert ragtui("check", "data", "--output-format", style, "-o", written).status == 1
    assert came_through(written.read_bytes()) == []


def test_check_for_platforms_with_files_and_statistics(place: Place) -> None:
    for platform in ("azure", "deepset", "evalscope", "pinecone", "ragas"):
        assert ragtui("check", "data", "--for", platform).status == 1
    assert ragtui("check", "data", "--statistics").status == 1
    listing = place.folder / "names.txt"
    listing.write_text(f"{NAME}.md\nfile {TEXT}.MD\n", "utf-8", newline="")
    assert "FILE" in ragtui("check", place.data["deepset-retrieval"], "--files", place.folder / "data").out
    assert ragtui("check", place.data["deepset-qa"], "--files", listing).status == 1


def test_names_that_are_no_text(tmp_path: Path) -> None:
    paths = write_names_that_are_no_text(tmp_path)
    for path in (*paths, tmp_path):
        for style in ("concise", "full", "json", "junit", "sarif", "github"):
            assert ragtui("check", path, "--select", "ALL", "--output-format", style).status in (0, 1)
    for path in paths:
        assert "is not UTF-8" in ragtui("run", path).err


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", NAME),
        ("check", "data", "--for", NAME),
        ("check", "data", "--format", NAME),
        ("check", "data", "--output-format", NAME),
        ("check", "data", "--files", NAME),
        ("check", "data", "--select", NAME),
        ("rule", NAME),
        ("metrics", NAME),
        ("metrics", f"nDCG@{NAME}"),
        ("judge", NAME),
        ("judge", f"openai:{NAME}@http://{NAME}"),
        ("show", NAME),
        ("show", "last", "--metric", NAME),
        ("show", "last", "--fail-under", f"{NAME}=1"),
        ("compare", NAME, "last"),
        ("export", "last", NAME),
        ("export", "last", f"{NAME}.xyz"),
        ("export", "last", f"no {NAME}/a.md"),
        ("label", "last", NAME, "r"),
        ("label", "last", NAME, NAME),
        ("group", "show", NAME),
        ("group", "add", NAME, "f1"),
        ("group", "add", "fine", NAME),
        ("run", NAME),
        ("run", "data", "-m", "f1"),
        (NAME,),
        (f"--{NAME}",),
        ("run", "x", f"--{NAME}"),
    ],
    ids=lambda each: each[0] if each[0] != NAME else "open",
)
def test_what_cannot_be_done_is_said_in_one_safe_line(place: Place, arguments: tuple[str, ...]) -> None:
    assert ragtui(*arguments).status == 2


# run, show, compare


@pytest.mark.parametrize("format", ["deepset-qa", "deepset-rag", "deepset-retrieval", "table", "xlsx"])
def test_a_set_without_responses_says_so(place: Place, format: str) -> None:
    assert ragtui("run", place.data[format], "-m", "f1").status == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("-m", NAME),
        ("-m", f"f1,{NAME}"),
        ("--group", NAME),
        ("-m", "f1", "--candidate", NAME),
        ("-m", "f1", "--candidate", f"recorded:{NAME}"),
        ("-m", "f1", "--judge", NAME),
        ("-m", "f1", "--map", NAME.replace("=", "")),
        ("-m", "f1", "--map", f"f1.response=${{data.{NAME}}}"),
        ("-m", "f1", "--mapping", NAME),
        ("-m", "f1", "--fail-under", f"{NAME}=1"),
        ("-m", "f1", "--report", NAME),
        ("-m", "f1", "--scores", f"{NAME}/x"),
        ("-m", "f1", "--format", NAME),
        ("-m", "f1", "--split", NAME, "--average", NAME),
    ],
    ids=" ".join,
)
def test_what_cannot_be_run_is_said_in_one_safe_line(place: Place, arguments: tuple[str, ...]) -> None:
    done = ragtui("run", place.data["azure"], *arguments)
    assert done.status == 2
    assert "[@click" in done.err


@pytest.mark.parametrize("name", ["azure", "beir", "pinecone"])
def test_results_are_shown(place: Place, name: str) -> None:
    shown = ragtui("show", place.experiments[name], "--worst", "3")
    assert shown.status == 0
    assert "[/x] [red] [@click=app.quit]x[/] [/] [b" in " ".join(shown.out.split())


def test_the_groundedness_of_a_poisoned_answer_is_judged_all_the_same(place: Place) -> None:
    shown = ragtui("show", place.experiments["azure"], "--metric", "groundedness").out
    assert "costs 12 euros" in " ".join(shown.split())
    assert re.search(r"groundedness +candidate +\d\.\d\d", shown)


def test_a_plan_is_shown(place: Place) -> None:
    assert ragtui("run", place.data["azure"], "-m", METRICS, "--plan").status == 0


def test_two_experiments_are_compared(place: Place) -> None:
    done = ragtui("compare", place.experiments["azure"], place.experiments["azure"], "--worst", "9")
    assert done.status == 0
    assert "groundedness" in done.out
    assert "no case in common" in ragtui("compare", place.experiments["azure"], place.experiments["pinecone"]).err


# label, group, judge, metrics


def test_labels_and_notes(place: Place) -> None:
    experiment, case_id = place.experiments["pinecone"], _first_case(place, "pinecone")
    assert ragtui("label", experiment, case_id, "r", "--note", TEXT, "--author", NAME).status == 0
    listed = ragtui("label", experiment).out
    assert "retrieval fault" in listed
    assert "[@click=app.quit]" in listed
    poisoned = _first_case(place, "azure")
    assert "\x1b" in poisoned
    assert ragtui("label", place.experiments["azure"], poisoned, "m").status == 0
    assert "model fault" in ragtui("label", place.experiments["azure"]).out
    assert ragtui("label", place.experiments["azure"], poisoned, "--remove").status == 0
    assert ragtui("show", place.experiments["azure"]).status == 0


def _first_case(place: Place, name: str) -> str:
    scores = place.folder / f"{name}-ids.jsonl"
    ragtui("export", place.experiments[name], scores)
    return str(json.loads(scores.read_text().splitlines()[0])["case_id"])


def test_a_poisoned_workspace_file(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    for arguments in (
        ("group", "list"),
        ("group", "show", f"g {NAME}"),
        ("judge",),
        ("judge", f"j {NAME}"),
        ("run", place.data["azure"], "--group", f"g {NAME}"),
        ("run", place.data["azure"], "-m", "groundedness", "--judge", f"j {NAME}"),
    ):
        ragtui(*arguments)
    (tmp_path / "ragtui.toml").write_bytes(b'[groups."\x1b]52;c;cHduZWQ=\x07')
    assert ragtui("group", "list").status == 2


def test_metrics_are_proposed_for_every_format(place: Place) -> None:
    for format in FORMATS:
        ragtui("group", "propose", place.data[format])


# The reports


class _Html(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]


def check_report(path: Path) -> None:
    """Fails where a report cannot be read by what it is for, or where the data could do more than be read."""
    data = path.read_bytes()
    text = data.decode("utf-8-sig") if path.suffix not in (".xlsx", ".parquet") else ""
    match path.suffix:
        case ".json":
            assert json.loads(text)["version"] == 1
        case ".jsonl":
            assert len([json.loads(line) for line in text.split("\n")[:-1]]) > 3
        case ".xml":
            assert ElementTree.fromstring(text).findall(".//testcase")
        case ".html":
            page = _Html()
            page.feed(text)
            assert page.tags.count("script") == 2  # the data, as JSON, and what shows it
            assert "img" not in page.tags
            assert not page.handlers
            assert "innerHTML" not in text
        case ".md":
            assert not re.search(r"(?<!\\)<(script|img)", text)
            tables = [block.splitlines() for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)]
            assert tables
            assert all(len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1 for table in tables)
        case ".csv":
            rows = list(csv.reader(io.StringIO(text, newline="")))
            assert len({len(row) for row in rows}) == 1
            assert not [cell for row in rows for cell in row if cell.startswith(("=", "@", "+"))]
            assert re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", text) is None
        case ".xlsx":
            import openpyxl

            book = openpyxl.load_workbook(path)
            cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
            assert not [cell for cell in cells if cell.data_type == "f" or cell.hyperlink]
        case ".parquet":
            import polars as pl

            assert pl.read_parquet(path, glob=False).height
    if path.suffix not in (".xlsx", ".parquet", ".csv"):
        assert came_through(text) == []


@pytest.mark.parametrize("name", ["azure", "beir", "pinecone"])
@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".xml", ".html", ".md", ".csv", ".xlsx", ".parquet"])
def test_every_report_is_valid_and_harmless(place: Place, name: str, suffix: str) -> None:
    path = place.folder / f"{name} {NAME}{suffix}"
    assert ragtui("export", place.experiments[name], path).status == 0
    check_report(path)


def test_reports_of_a_run(place: Place) -> None:
    paths = [place.folder / f"run{suffix}" for suffix in (".json", ".md", ".xml", ".html", ".csv", ".xlsx")]
    options = [word for path in paths for word in ("--report", path)]
    scores = place.folder / "run.jsonl"
    done = ragtui("run", place.data["azure"], "-m", METRICS, *options, "--scores", scores, "--fail-under", "f1=0.9")
    assert done.status in (1, 3)
    for path in (*paths, scores):
        check_report(path)


# A judge that attacks


class _Hostile(BaseHTTPRequestHandler):
    """Answers as its model says: with a poisoned reason, with a reply that is no JSON, or with a poisoned refusal."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        kind = asked["model"]
        if kind.startswith("refuses"):
            self._send(401, {"error": {"message": TEXT, "type": TEXT, "code": TEXT}})
        elif kind.startswith("bad"):
            self._send(400, {"error": {"message": TEXT, "type": "invalid_request_error"}})
        else:
            reply = (
                TEXT if kind.startswith("babbles") else json.dumps({"reason": TEXT, "score": 2, "status": "completed"})
            )
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}
            self._send(200, {"id": TEXT, "object": "chat.completion", "created": 1, "model": TEXT, "choices": [choice]})

    def _send(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status, "X")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def hostile_judge() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hostile)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()


@pytest.mark.parametrize(("model", "statuses"), [("scores", (0,)), ("babbles", (3,)), ("refuses", (3,)), ("bad", (3,))])
def test_what_a_judge_says_is_data_too(
    place: Place, hostile_judge: str, model: str, statuses: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    judge = f"openai:{model} {MARKUP}@{hostile_judge}"
    done = ragtui("run", place.data["pinecone"], "-m", "relevance", "-j", judge, "--strategy", "rubric")
    assert done.status in statuses
    assert "[@click=app.quit]" in done.out
    assert ragtui("judge", judge, "--claims", "2").status in (0, 1, 2, 3)
    report = place.folder / f"judged-{model}.html"
    ragtui("export", "last", report)
    check_report(report)


# At a terminal, where colours are allowed


def at_a_terminal(folder: Path, *arguments: object) -> tuple[int, bytes]:
    """Runs a command in a process whose streams are a terminal; returns its status and all it sent there."""
    master, slave = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LINES")}
    environment |= {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "ragtui", *map(str, arguments)]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    sent, until = b"", time.monotonic() + 60
    while time.monotonic() < until:
        if select.select([master], [], [], 0.2)[0]:
            try:
                data = os.read(master, 65536)
            except OSError:
                break
            if not data:
                break
            sent += data
        elif process.poll() is not None:
            break
    status = process.wait(10)
    os.close(master)
    return status, sent


@pytest.mark.parametrize("command", ["check", "run", "show", "label"])
def test_at_a_terminal_only_our_own_sequences_arrive(place: Place, command: str) -> None:
    experiment = place.experiments["azure"]
    arguments = {
        "check": ("check", "data", "--output-format", "full"),
        "run": ("run", place.data["azure"], "-m", METRICS, "--new"),
        "show": ("show", experiment),
        "label": ("label", experiment),
    }[command]
    status, sent = at_a_terminal(place.folder, *arguments)
    assert status == (1 if command == "check" else 0), sent.decode(errors="replace")[-2000:]
    assert came_through(sent, ours=True) == []
    if command in ("check", "show"):
        assert b"\x1b[" in sent  # coloured, as at a terminal


def test_the_poison_is_poison() -> None:
    """What the tests above look for is really there, and would be found."""
    text = "".join(answers()[0].values())
    assert len(came_through(text)) > 20
    assert came_through(b"\x1b]52;c;cHduZWQ=\x07", ours=True)
    assert came_through(b"\x1b[1;31mred\x1b[0m", ours=True) == []
    assert came_through("\ud800")
