"""Work spread over processes gives what plain calls give, and its failures come home."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragtui.datasets.workers import begin_ahead, spread, start_ahead


def double(number: int) -> int:
    return number * 2


def slow_first(number: int) -> int:
    time.sleep(0.3 if number == 0 else 0)
    return number


def process(_: int) -> int:
    return os.getpid()


def refuse(number: int) -> int:
    if number == 3:
        raise ValueError(f"no {number}")
    return number


def die(number: int) -> int:
    if os.environ.get("RAGTUI_TEST_PARENT") != str(os.getpid()):
        os._exit(9)
    return number


def shout(number: int) -> int:
    print("noise on standard output")
    return number


def test_results_come_in_the_order_of_the_tasks() -> None:
    assert list(spread(double, range(10), 2)) == [number * 2 for number in range(10)]
    assert list(spread(slow_first, range(4), 2)) == [0, 1, 2, 3]


def test_the_work_is_done_elsewhere() -> None:
    assert os.getpid() not in set(spread(process, range(4), 2))


def test_an_exception_is_raised_here() -> None:
    with pytest.raises(ValueError, match="no 3"):
        list(spread(refuse, range(5), 2))


def test_what_lies_in_the_current_folder_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pickle.py").write_text("raise SystemExit(3)")
    (tmp_path / "ragtui").mkdir()
    (tmp_path / "ragtui" / "__init__.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    assert os.getpid() not in set(spread(process, range(4), 2))


def test_a_process_that_dies_costs_nothing_but_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGTUI_TEST_PARENT", str(os.getpid()))
    assert list(spread(die, range(4), 2)) == [0, 1, 2, 3]


def test_what_a_function_prints_does_not_disturb(capfd: pytest.CaptureFixture[str]) -> None:
    assert list(spread(shout, range(3), 1)) == [0, 1, 2]


def test_no_process_is_left_when_results_are_not_taken() -> None:
    results = spread(process, range(4), 2)
    worker = next(results)
    results.close()  # type: ignore[attr-defined]
    assert not Path(f"/proc/{worker}").exists()


def test_a_worker_loads_no_frames() -> None:
    """Polars costs 100 MB and 150 ms in every process; scanning does not need it."""
    import subprocess
    import sys

    program = "import sys, ragtui.datasets.retrieval_lines.scan; print([m for m in ('polars', 'numpy', 'openpyxl') if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
        == "[]"
    )


def test_workers_started_ahead_are_used_and_leave_nothing_behind() -> None:
    """A process that waits for work which never comes would outlive the command."""
    program = (
        "from ragtui.datasets import workers\n"
        "workers.start_ahead(2)\n"
        "ahead = [worker._process.pid for worker in workers._AHEAD]\n"
        "print(*ahead, list(workers.spread(abs, [-1, -2, -3], 1)), len(workers._AHEAD))\n"
    )
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60)
    first, second, rest = told.stdout.split(" ", 2)
    assert rest == "[1, 2, 3] 1\n"
    assert told.stderr == ""
    for process in (first, second):
        with pytest.raises(ProcessLookupError):
            os.kill(int(process), 0)


def test_what_was_begun_ahead_is_not_done_twice(tmp_path: Path) -> None:
    log = tmp_path / "log"
    start_ahead(2)
    begin_ahead(noted, [f"{log} 2", f"{log} 9"])
    assert list(spread(noted, [f"{log} {number}" for number in range(4)], 2)) == ["0", "1", "2", "3"]
    assert sorted(log.read_text().split()) == ["0", "1", "2", "3", "9"]


def noted(task: str) -> str:
    path, number = task.split()
    with Path(path).open("a") as stream:
        stream.write(f"{number}\n")
    return number


COPIES = """
import os, sys, threading
from tests.datasets.test_workers import double, process, refuse
from ragtui.datasets import workers

workers.start_ahead(2)
workers.begin_ahead(double, [4, 5])
assert list(workers.spread(double, range(6), 2)) == [0, 2, 4, 6, 8, 10]
workers.start_ahead(2)
pids = set(workers.spread(process, range(4), 2))
print(len(pids), os.getpid() in pids)
workers.start_ahead(1)
try:
    list(workers.spread(refuse, range(5), 1))
except ValueError as error:
    print(error)
workers.start_ahead(2)
workers.begin_ahead(double, [1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a process is copied on Linux alone")
def test_workers_ahead_are_copies_that_answer_as_fresh_ones_do_and_end_with_the_program() -> None:
    code = "from ragtui.datasets import process_copy\nassert process_copy.can_copy()\n" + COPIES
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=60,
    )
    assert done.stderr == ""
    assert done.stdout.split("\n")[:2] == ["2 False", "no 3"]
