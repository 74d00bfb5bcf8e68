"""How the command line ends: its status and its one line, whatever it meets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from ragtui.cli import _ending
from tests.experiments.command_line import Shell

ROOT = Path(__file__).parents[2]
FULL = Path("/dev/full")
ANSWERS = "id,question,response,ground_truth\nq1,Who – then?,Me,Me\n"


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    (tmp_path / "answers.csv").write_text(ANSWERS, "utf-8")
    return Shell(tmp_path, capsys, monkeypatch)


def process(command: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """``command`` with RAGTUI standing for the program."""
    line = command.replace("RAGTUI", f"{sys.executable} -m ragtui")
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(["bash", "-c", line], cwd=cwd, capture_output=True, env=env, check=False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "answers.csv", "--limit", "0"], "invalid value for '--limit': 0 is not in the range 1<=x<=1000000000"),
        (["run"], "missing argument 'dataset'"),
        (["run", "answers.csv", "--nonsense"], "no such option: --nonsense"),
        (["check", "--for"], "option '--for' requires an argument"),
        (["nonsense"], "nonsense: no such file or folder, nor a command"),
    ],
)
def test_what_is_typed_wrong_is_one_line_and_2(shell: Shell, arguments: list[str], said: str) -> None:
    ended = shell(*arguments)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"ragtui: {said}")
    assert ended.err.count("\n") == 1


def test_a_command_that_has_only_commands_tells_its_help(shell: Shell) -> None:
    ended = shell("group")
    assert ended.status == 2
    assert "Usage: ragtui group" in ended.err


def raising(error: BaseException) -> int:
    def work() -> None:
        raise error

    return _ending.status_of(work)


def test_an_interrupt_is_130_also_where_a_question_was_asked() -> None:
    assert raising(KeyboardInterrupt()) == 130
    assert raising(typer.Abort()) == 130


def test_a_fault_of_ragtui_itself_never_looks_like_a_failed_gate(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAGTUI_TRACEBACK", raising=False)
    assert raising(ZeroDivisionError("no\nnumber")) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "test_ending.py" in told
    assert "ZeroDivisionError: no⏎number" in told
    monkeypatch.setenv("RAGTUI_TRACEBACK", "1")
    assert raising(ZeroDivisionError("no number")) == 2
    assert "Traceback" in capsys.readouterr().err


def test_a_file_that_fails_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert raising(PermissionError(13, "Permission denied", "data.csv")) == 2
    assert capsys.readouterr().err == "ragtui: data.csv: Permission denied\n"


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("command", ["RAGTUI check answers.csv", "RAGTUI metrics", "RAGTUI show", "RAGTUI --help"])
def test_output_that_cannot_be_written_is_one_line_and_2(shell: Shell, command: str) -> None:
    ended = process(f"{command} > {FULL}", shell.folder)
    assert (ended.returncode, ended.stderr) == (2, b"ragtui: the output cannot be written: No space left on device\n")


@pytest.mark.parametrize("command", ["RAGTUI metrics", "RAGTUI rule", "RAGTUI show last"])
def test_a_reader_that_has_gone_is_no_failed_gate(shell: Shell, command: str) -> None:
    assert shell("run", "answers.csv", "--metrics", "f1").status == 0
    ended = process(f"set -o pipefail; {command} | true", shell.folder)
    assert (ended.returncode, ended.stderr) == (141, b"")


def test_closed_streams_are_no_fault(shell: Shell) -> None:
    ended = process("RAGTUI check answers.csv >&-", shell.folder)
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_small_alphabet_shows_what_it_lacks_as_a_question_mark(shell: Shell, encoding: str) -> None:
    assert shell("run", "answers.csv", "--metrics", "f1").status == 0
    ended = process("RAGTUI show last", shell.folder, PYTHONIOENCODING=encoding)
    assert (ended.returncode, ended.stderr) == (0, b"")
    if encoding == "ascii":
        assert ended.stdout.startswith(b"answers ? candidate recorded ? judge embedded")


def test_links_in_a_circle_are_one_line(shell: Shell) -> None:
    (shell.folder / "loop").symlink_to("loop")
    for line in (("match", "answers.csv", "--files", "loop"), ("convert", "answers.csv", "loop", "--to", "azure")):
        said = shell(*line)
        assert (said.status, said.err.count("\n")) == (2, 1), said.err
        assert "symbolic links" in said.err
        assert "unexpected" not in said.err
