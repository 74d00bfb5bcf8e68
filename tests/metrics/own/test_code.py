"""Code metrics: what a file may return, what becomes of everything that goes wrong, and that nothing runs unasked."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ragtui import trust
from ragtui.metrics.metric import Kind
from ragtui.metrics.own.code_score import CodeScore
from ragtui.metrics.own.files import defined, own_file
from ragtui.metrics.score import Inputs, Outcome, State
from ragtui.metrics.spec import MetricError
from ragtui.workspace import Workspace

CASE: Inputs = {
    "query": "Which?",
    "response": "It is Paris.",
    "ground_truth": ("Paris", "paris"),
    "context": ("a", "b"),
}
Score = Callable[..., Outcome]


@pytest.fixture
def score(workspace: Workspace) -> Score:
    """Writes a metric, allows it, and scores one case by it."""

    def scored(code: str, inputs: Inputs = CASE) -> Outcome:
        path = workspace.root / "metrics" / "mine.py"
        path.write_text(code)
        trust.trust(workspace, path)
        compute = metric_of(workspace)
        try:
            return compute(inputs)
        finally:
            compute.close()

    return scored


def metric_of(workspace: Workspace) -> CodeScore:
    file = own_file(workspace, "mine")
    assert file is not None
    compute = defined(file, workspace).metric.score
    assert isinstance(compute, CodeScore)
    return compute


@pytest.mark.parametrize(
    ("body", "state", "cause", "value", "reason"),
    [
        ("return 0.25", "scored", None, 0.25, ""),
        ("return True", "scored", None, 1.0, ""),
        ("return {'score': 0.5, 'reason': 'half'}", "scored", None, 0.5, "half"),
        ("return {'passed': False, 'reason': 'no'}", "scored", None, 0.0, "no"),
        ("return {'score': None, 'reason': 'no gold'}", "not_applicable", None, None, "no gold"),
        ("return None", "metric_error", "bad_return", None, "evaluate returned nothing"),
        ("return 'good'", "metric_error", "bad_return", None, "a str, not a number"),
        ("return [1]", "metric_error", "bad_return", None, "a list, not a number"),
        ("return float('nan')", "metric_error", "bad_return", None, "nan, which is no score"),
        ("return {'scor': 1}", "metric_error", "bad_return", None, "'scor'"),
        ("return {'score': '1'}", "metric_error", "bad_return", None, "text, not a number"),
        ("return {}", "metric_error", "bad_return", None, "an empty dict"),
        ("return 3", "metric_error", "bad_return", None, "3, which is outside its SCALE, 0 to 1"),
        ("return 10**400", "metric_error", "bad_return", None, "int"),
        ("return session['nothing']", "metric_error", "exception", None, "KeyError: 'nothing'"),
        ("import sys; sys.exit(3)", "metric_error", "exception", None, "SystemExit: 3"),
        ("import os; os._exit(7)", "metric_error", "exception", None, "ended its process with status 7"),
        ("import time; time.sleep(9)", "metric_error", "timeout", None, "longer than 0.4 s"),
        ("return len(bytearray(10**9))", "metric_error", "exception", None, "MemoryError (it may take 300 MB)"),
    ],
)
def test_what_is_returned(score: Score, body: str, state: str, cause: str, value: float, reason: str) -> None:
    found = score(f"SCALE = (0, 1)\nTIMEOUT = 0.4\nMEMORY_MB = 300\ndef evaluate(session):\n    {body}\n")
    assert (found.state.value, found.cause, found.score) == (state, cause, value), found.reason
    assert reason in found.reason.partition("\n")[0]


def test_the_session_holds_the_whole_case(score: Score) -> None:
    found = score(
        "def evaluate(session):\n"
        "    case = session['test_case']\n"
        "    assert case['expected']['answer'] == 'Paris' and case['expected']['answers'] == ['Paris', 'paris']\n"
        "    assert case['inputs'] == {'query': 'Which?'} and session['contexts'] == ['a', 'b']\n"
        "    assert session['turns'][0]['answer'] == session['metric_inputs']['response']\n"
        "    return case['expected']['answer'] in session['response']\n"
    )
    assert found.score == 1.0, found.reason


def test_traceback_and_output_are_kept_with_the_cell(score: Score) -> None:
    found = score(
        "import os\ndef inner(text):\n    raise ValueError('no ' + text)\n"
        "def evaluate(session):\n    print('looked at', 3)\n    os.system('echo from a shell')\n    inner('luck')\n"
    )
    first, *rest = found.reason.split("\n")
    assert first == "ValueError: no luck"
    assert any('mine.py", line 3, in inner' in line for line in rest)
    assert "    raise ValueError('no ' + text)" in rest
    assert sorted(found.reason.rpartition("It printed:\n")[2].split("\n")) == ["from a shell", "looked at 3"]
    assert "code_worker" not in found.reason


def test_one_bad_case_does_not_spoil_the_next(workspace: Workspace) -> None:
    path = workspace.root / "metrics" / "mine.py"
    path.write_text(
        "import os, time\nTIMEOUT = 0.4\ndef evaluate(session):\n"
        "    word = session['response']\n"
        "    if word == 'die': os.kill(os.getpid(), 9)\n    if word == 'hang': time.sleep(9)\n"
        "    if word == 'raise': raise RuntimeError\n    return {'score': 1, 'reason': str(os.getpid())}\n"
    )
    trust.trust(workspace, path)
    compute = metric_of(workspace)
    words = ("a", "b", "raise", "c", "die", "d", "hang", "e")
    found = {word: compute({"response": word}) for word in words}
    compute.close()
    assert [found[word].state for word in "abcde"] == [State.SCORED] * 5
    assert (found["die"].cause, found["hang"].cause) == ("exception", "timeout")
    assert "SIGKILL" in found["die"].reason
    processes = [found[word].reason for word in "abcde"]
    assert processes[0] == processes[1] == processes[2]  # kept while all goes well
    assert len({*processes}) == 3


def test_nothing_runs_before_the_user_allows_exactly_this_content(workspace: Workspace, tmp_path: Path) -> None:
    path, trace = workspace.root / "metrics" / "mine.py", tmp_path / "ran"
    path.write_text(f"open({str(trace)!r}, 'w')\ndef evaluate(session): return 1\n")
    found = metric_of(workspace)(CASE)
    assert (found.state, found.score) == (State.NOT_APPLICABLE, None)
    assert "ragtui metrics trust mine" in found.reason
    assert not trace.exists()
    trust.trust(workspace, path)
    compute = metric_of(workspace)
    assert compute(CASE).score == 1
    compute.close()
    path.write_text(path.read_text() + "# changed\n")
    trace.unlink()
    assert metric_of(workspace)(CASE).state is State.NOT_APPLICABLE
    assert not trace.exists()


def test_a_file_is_read_without_running_it(workspace: Workspace) -> None:
    path = workspace.root / "metrics" / "mine.py"
    path.write_text(
        '"""Is it short?\n\nMore of it."""\nraise SystemExit\nSCALE = (0, None)\nTHRESHOLD = 5\nHIGHER_IS_BETTER = False\n'
        "UNIT = 'words'\ndef evaluate(session): return 1\n"
    )
    file = own_file(workspace, "MINE")
    assert file is not None
    metric = defined(file, workspace).metric
    assert (metric.name, metric.kind, metric.summary) == ("mine", Kind.CODE, "Is it short?")
    assert (metric.scale, metric.threshold, metric.higher_is_better, metric.unit) == ((0, None), 5, False, "words")
    assert metric.version == file.version
    assert len(file.version) == 12


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("def evaluate(:", "metrics/mine.py:1: not valid Python"),
        ("x = 1", "there is no `def evaluate(session)`"),
        ("def evaluate(): return 1", "must take one argument"),
        ("def evaluate(a, b): return 1", "must take one argument"),
        ("async def evaluate(session): return 1", "must not be async"),
        ("SCALE = (1, 0)\ndef evaluate(s): return 1", "the lower end comes first"),
        ("SCALE = 5\ndef evaluate(s): return 1", "it must be two numbers"),
        ("SCALE = (0, 1)\nTHRESHOLD = 7\ndef evaluate(s): return 1", "a number on the scale"),
        ("THRESHOLD = max(1, 2)\ndef evaluate(s): return 1", "mine.py:1: THRESHOLD must be a plain value"),
        ("TIMEOUT = 0\ndef evaluate(s): return 1", "TIMEOUT is 0"),
        ("\0", "not valid Python"),
        ("(" * 5000, "not valid Python"),
    ],
)
def test_what_defines_no_metric_says_why_in_one_line(workspace: Workspace, code: str, fault: str) -> None:
    (workspace.root / "metrics" / "mine.py").write_text(code)
    file = own_file(workspace, "mine")
    assert file is not None
    with pytest.raises(MetricError, match=r"^metrics/mine\.py") as caught:
        defined(file, workspace)
    assert fault in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no process groups here")
def test_what_a_metric_starts_ends_with_it(workspace: Workspace, tmp_path: Path) -> None:
    path, note = workspace.root / "metrics" / "mine.py", tmp_path / "pid"
    path.write_text(
        "import subprocess, time\nTIMEOUT = 0.5\ndef evaluate(session):\n"
        f"    child = subprocess.Popen(['sleep', '60'])\n    open({str(note)!r}, 'w').write(str(child.pid))\n    time.sleep(9)\n"
    )
    trust.trust(workspace, path)
    assert metric_of(workspace)(CASE).cause == "timeout"
    stat = Path(f"/proc/{note.read_text()}/stat")
    if Path("/proc/self/stat").exists():
        assert not stat.exists() or stat.read_text().split()[2] in "ZX"


@pytest.mark.parametrize(
    ("settings", "threshold"),
    [
        ("", 0.5),
        ("SCALE = (0, 1)\n", 0.5),
        ("THRESHOLD = 0.8\n", 0.8),
        ("THRESHOLD = None\n", None),
        ("SCALE = (0, 100)\n", None),
    ],
)
def test_true_and_false_pass_and_fail_without_a_threshold_being_set(
    workspace: Workspace, settings: str, threshold: float | None
) -> None:
    (workspace.root / "metrics" / "mine.py").write_text(f"{settings}def evaluate(session):\n    return True\n")
    file = own_file(workspace, "mine")
    assert file is not None
    assert defined(file, workspace).metric.threshold == threshold
