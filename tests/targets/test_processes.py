"""Commands and functions: whatever one of them does, each case's state is right, the run ends, and the rest is answered."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from ragtui.targets.target import Case, TargetError

from .live import ask, asked, opened, program, some_cases, states

BOT = """
    import os, sys, time
    print("this is no answer")
    sys.stderr.write("\\x1b[31mleaked\\x1b[0m " * 20_000)
    def answer(query, filters, lang="none"):
        print("nor is this", query)
        if query == "raises": raise ValueError("no luck")
        if query == "dies": os._exit(7)
        if query == "hangs": time.sleep(60)
        if query == "none": return None
        if query == "number": return 3
        return {"response": query.upper(), "contexts": ["one", {"content": "two"}], "cost": 0.25, "seen": [filters, lang],
                "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
"""


def test_a_function_that_raises_dies_hangs_or_returns_nothing_fails_those_cases_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program(tmp_path, "bot.py", BOT)
    (tmp_path / "ragtui.toml").write_text('[targets.bot]\ntarget = "python:bot:answer"\ntimeout = 0.6\n')
    found = asked(tmp_path, "bot", ["fine", "raises", "dies", "well", "hangs", "none", "number", "good"])
    assert states(found) == {
        "fine": "scored", "raises": "exception", "dies": "exception", "well": "scored", "hangs": "timeout",
        "none": "bad_output", "number": "bad_output", "good": "scored",
    }  # fmt: skip
    assert found["raises"].message == "ValueError: no luck (bot.py:7)"
    assert "ended with status 7" in found["dies"].message
    assert found["hangs"].message == "no answer within 0.6 s"
    well = found["well"]
    assert (well.text, well.contexts, well.cost) == ("WELL", ("one", "two"), 0.25)
    assert (well.prompt_tokens, well.completion_tokens) == (7, 2)
    assert well.extra == {"seen": [{}, "none"]}
    assert well.latency_ms is not None
    assert capfd.readouterr() == ("", ""), "nothing is written over the screen"


def test_filters_and_inputs_reach_a_function_by_name(tmp_path: Path) -> None:
    program(tmp_path, "bot.py", BOT)
    case = Case("x", {"query": "hello", "lang": "de"}, {"team": "hr"})
    assert ask(tmp_path, "python:bot:answer", {"x": case})["x"].extra["seen"] == [{"team": "hr"}, "de"]


def test_functions_of_every_kind(tmp_path: Path) -> None:
    program(
        tmp_path,
        "src/kinds.py",
        """
        import asyncio
        from dataclasses import dataclass
        async def waits(question): await asyncio.sleep(0); return "async " + question
        async def streams(text):
            for piece in ("a", "b", text): yield piece
        def yields(prompt):
            yield from ("c", prompt)
        def whole(case): return {"answer": case["query"] + case["case_id"]}
        def rest(**inputs): return "|".join(sorted(inputs))
        @dataclass
        class Answer: response: str
        class Bot:
            def __call__(self, query): return Answer("called " + query)
        bot = Bot()
        def wants(other, more): return "never"
        """,
    )
    said = {
        kind: asked(tmp_path, f"python:src/kinds.py:{kind}", ["q"])["q"]
        for kind in ("waits", "streams", "yields", "whole", "rest", "bot", "wants")
    }
    texts = {kind: each.text for kind, each in said.items()}
    assert texts == {
        "waits": "async q", "streams": "abq", "yields": "cq", "whole": "qid q", "rest": "query", "bot": "called q",
        "wants": None,
    }  # fmt: skip
    assert "no input is called other, more" in said["wants"].message


def test_a_function_runs_in_its_own_environment(tmp_path: Path) -> None:
    program(tmp_path, "bot.py", "import sys, os\ndef answer(q): return sys.executable + os.environ['MINE']\n")
    (tmp_path / "other" / "bin").mkdir(parents=True)
    (tmp_path / "other" / "bin" / "python").symlink_to(sys.executable)
    (tmp_path / "ragtui.toml").write_text(
        '[targets.bot]\ntarget = "python:bot:answer"\npython = "other"\nenv = { MINE = "+1" }\n'
    )
    assert asked(tmp_path, "bot", ["q"])["q"].text == f"{tmp_path / 'other' / 'bin' / 'python'}+1"


def test_a_command_answers_out_of_order_prints_garbage_and_broken_lines(tmp_path: Path) -> None:
    program(
        tmp_path,
        "bot.py",
        """
        import json, sys
        print("loading the model ...")
        held = []
        for line in sys.stdin:
            case = json.loads(line)
            if case["query"] == "broken": print('{"id": "' + case["id"] + '", "respo')
            elif case["query"] == "stranger": print(json.dumps({"id": "nobody", "response": "x"})); held.append(case)
            else: held.append(case)
            if len(held) == 3:
                for each in reversed(held): print(json.dumps({"id": each["id"], "response": each["query"] * 2}))
                held = []
            sys.stderr.write("x" * 100_000)
        """,
    )
    found = asked(tmp_path, f"command:{sys.executable} bot.py", ["a", "broken", "b", "stranger"])
    assert states(found) == {"a": "scored", "broken": "bad_output", "b": "scored", "stranger": "scored"}
    assert [each.text for each in found.values()] == ["aa", None, "bb", "strangerstranger"]


def test_text_in_place_of_an_answer_is_bad_output_once_the_process_ends(tmp_path: Path) -> None:
    program(tmp_path, "bot.py", "import sys\nsys.stdin.readline()\nprint('I am not JSON')\n")
    (tmp_path / "ragtui.toml").write_text(
        f'[targets.bot]\ntarget = "command:{sys.executable} bot.py"\nconcurrency = 1\n'
    )
    found = asked(tmp_path, "bot", ["a", "b"])
    assert states(found) == {"a": "bad_output", "b": "bad_output"}
    assert found["a"].message == "printed no JSON line: I am not JSON"


def test_a_program_that_answers_one_question_and_ends_is_started_for_each(tmp_path: Path) -> None:
    program(
        tmp_path,
        "once.py",
        "import json, sys\ncase = json.loads(input())\nprint(json.dumps({'response': case['query'] + '!'}))\n",
    )
    found = asked(tmp_path, f"command:{sys.executable} once.py", list("abcde"))
    assert [each.text for each in found.values()] == ["a!", "b!", "c!", "d!", "e!"]


def test_a_program_that_reads_all_before_it_answers_gets_the_end_of_its_input(tmp_path: Path) -> None:
    program(
        tmp_path,
        "batch.py",
        "import json, sys\nfor c in map(json.loads, sys.stdin.readlines()): print(json.dumps({'id': c['id'], 'answer': c['query']}))\n",
    )
    (tmp_path / "ragtui.toml").write_text(
        f'[targets.bot]\ntarget = "command:{sys.executable} batch.py"\ntimeout = 0.4\n'
    )
    assert [each.text for each in asked(tmp_path, "bot", list("abc")).values()] == ["a", "b", "c"]


def test_one_that_dies_half_way_loses_only_what_it_was_asked_then(tmp_path: Path) -> None:
    program(
        tmp_path,
        "half.py",
        """
        import json, os, sys
        for n, line in enumerate(sys.stdin):
            case = json.loads(line)
            if case["query"] == "4": os.kill(os.getpid(), 9)
            print(json.dumps({"id": case["id"], "response": "ok"}))
        """,
    )
    found = asked(tmp_path, f"command:{sys.executable} half.py", [str(n) for n in range(12)])
    assert [name for name, each in found.items() if each.text != "ok"] == ["4"]
    assert "ended by SIGKILL" in found["4"].message


def test_one_that_never_answers_is_given_up_and_the_rest_is_told_why(tmp_path: Path) -> None:
    found = asked(
        tmp_path, f"command:{sys.executable} -c 'import sys; sys.exit(\"no such model\")'", [str(n) for n in range(40)]
    )
    assert set(states(found).values()) == {"exception"}
    last = found["39"].message
    assert last == "not asked: 5 processes in a row answered nothing; the process ended with status 1: no such model"
    missing = asked(tmp_path, "command:./no-such-program", ["a", "b"])
    assert "cannot be started" in missing["a"].message
    assert set(states(missing).values()) == {"exception"}


def test_what_it_starts_ends_with_it(tmp_path: Path) -> None:
    program(
        tmp_path,
        "parent.py",
        """
        import json, subprocess, sys
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        case = json.loads(input())
        print(json.dumps({"id": case["id"], "response": str(child.pid)}))
        child.wait()
        """,
    )
    pid = int(asked(tmp_path, f"command:{sys.executable} parent.py", ["a"])["a"].text or 0)
    for _ in range(100):
        if not _runs(pid):
            break
        time.sleep(0.02)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    """Whether a process is there and no mere entry of one that has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        try:
            os.kill(pid, 0)
        except OSError:
            return False
        return not Path("/proc").is_dir()


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("command:", "name the command"),
        ("command:python 'x", "mind the quotes"),
        ("python:bot", "name module and function"),
        ("python:gone.py:answer", "gone.py is not there"),
        ("odd", "a command target takes no option 'timout'; did you mean timeout?"),
        ("low", "concurrency of a command target must be a number from 1 on, not 0"),
        ("env", "env.A must be a text"),
        ("nopy", "neither an interpreter nor an environment"),
        ("notable", "a recorded target takes no options"),
    ],
)
def test_what_cannot_be_used_is_one_line(tmp_path: Path, spec: str, says: str) -> None:
    (tmp_path / "ragtui.toml").write_text(
        '[targets]\nodd = { target = "command:x", timout = 3 }\nlow = { target = "command:x", concurrency = 0 }\n'
        'env = { target = "command:x", env = { A = 1 } }\nnopy = { target = "python:bot:a", python = "gone" }\n'
        'notable = { target = "recorded", timeout = 3 }\n'
    )
    with pytest.raises(TargetError) as refused:
        opened(spec, some_cases(tmp_path), tmp_path)
    assert says in str(refused.value)


def test_a_flood_without_a_line_end_fails_its_case_and_holds_nothing_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragtui.targets.line_process.LONGEST_LINE", 100_000)
    program(tmp_path, "flood.py", "import os, sys\nsys.stdin.readline()\nwhile True: os.write(1, b'z' * 100_000)")
    (tmp_path / "ragtui.toml").write_text(
        f'[targets.flood]\ntarget = "command:{sys.executable} flood.py"\ntimeout = 5\nretries = 0\n'
    )
    started = time.monotonic()
    found = asked(tmp_path, "flood", ["one"])
    assert states(found) == {"one": "bad_output"}
    assert time.monotonic() - started < 20
