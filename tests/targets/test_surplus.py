"""Answers that nobody waits for are said, never taken for another case's; what cannot be an answer is soon told."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from ragtui.targets import line_process
from ragtui.targets.calling import CallFailed
from ragtui.targets.line_process import LineProcess
from ragtui.targets.output import response_from
from ragtui.targets.surplus import Surplus
from ragtui.targets.target import Case, Response

from .live import program, some_cases, states
from .making import opened

READS = "import json, sys, time\nfor line in sys.stdin:\n    case = json.loads(line); q = case['query']\n"


def told(folder: Path, code: str, questions: str, table: str = "") -> tuple[dict[str, Response], tuple[str, ...]]:
    """Each question's response and the target's remarks."""
    program(folder, "bot.py", code)
    (folder / "ragtui.toml").write_text(f'[targets.bot]\ntarget = "command:{sys.executable} bot.py"\n{table}')

    async def all_of_them() -> tuple[list[Response], tuple[str, ...]]:
        target = opened("bot", some_cases(folder), folder)
        try:
            found = [each async for each in target.respond([Case(each, {"query": each}) for each in questions])]
        finally:
            await target.close()
        return found, target.remarks()  # type: ignore[attr-defined]

    found, remarks = asyncio.run(all_of_them())
    assert sorted(each.case_id for each in found) == sorted(questions)
    return {each.case_id: each for each in found}, remarks


def test_two_answers_to_one_id_the_first_is_used_and_both_are_told(tmp_path: Path) -> None:
    found, remarks = told(
        tmp_path,
        READS + "    for n in '12' if q in 'bd' else '1': print(json.dumps({'id': q, 'response': q + n}))",
        "abcd",
    )
    assert [found[each].text for each in "abcd"] == ["a1", "b1", "c1", "d1"]
    assert remarks == ("2 answers came for a case that had one already, of which the first is used (b, d)",)


def test_an_unknown_id_and_an_answer_after_all_are_told(tmp_path: Path) -> None:
    code = READS + "    print(json.dumps({'id': 7, 'response': 'x'})); print(json.dumps({'id': q, 'response': q}))\n"
    found, remarks = told(tmp_path, code + "print(json.dumps({'response': 'one more'}))\n", "abcde")
    assert [each.text for each in found.values()] == list(found)
    assert remarks[0] == "5 answers had an id that no case has: not used (7)"
    assert remarks[1].startswith("1 answer without an id came when no case was open: answers without ids go to")


@pytest.mark.parametrize("ids", [True, False])
def test_an_answer_that_comes_late_is_told_and_is_no_other_cases(tmp_path: Path, ids: bool) -> None:
    code = f"""
        import json, sys, time
        for line in sys.stdin:
            q = json.loads(line)["id"]
            if q == "a": time.sleep(0.4)
            print(json.dumps({{{"'id': q," if ids else ""} "response": q}}), flush=True)
        """
    bot = program(tmp_path, "bot.py", code)

    async def asked() -> tuple[list[object], tuple[str, ...]]:
        surplus = Surplus()
        process = await LineProcess.start([sys.executable, str(bot)], tmp_path, {}, True, surplus)
        first = await process.ask("z", {}, 10.0)
        rest = await asyncio.gather(process.ask("a", {}, 0.1), process.ask("b", {}, 10.0), return_exceptions=True)
        await process.close()
        return [first, *rest], surplus.remarks()

    (first, late, other), remarks = asyncio.run(asked())
    assert (first, other) == ({"response": "z"}, {"response": "b"}), "nobody has another case's answer"
    assert isinstance(late, CallFailed)
    assert remarks == ("1 answer came after its case was given up, and is not used" + (" (a)" if ids else ""),)


@pytest.mark.parametrize("chatter", ["print('loading')\n", ""])
def test_answers_without_ids_after_chatter_reach_their_own_cases(tmp_path: Path, chatter: str) -> None:
    found, remarks = told(tmp_path, chatter + READS + "    print(json.dumps({'response': q}))\n", "abcdefgh")
    assert {name: each.text for name, each in found.items()} == {each: each for each in "abcdefgh"}
    assert remarks == ()


def test_text_in_the_place_of_one_answer_shifts_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_process, "_QUIET", 0.1)
    found, _ = told(tmp_path, READS + "    print('what?' if q == 'b' else json.dumps({'response': q}))\n", "abcdef")
    assert states(found) == {each: "bad_output" if each == "b" else "scored" for each in "abcdef"}
    assert all(each.text in (None, name) for name, each in found.items())


def test_a_broken_line_is_charged_to_the_case_whose_id_it_holds(tmp_path: Path) -> None:
    code = """
        import json, sys
        held = [json.loads(sys.stdin.readline())["id"] for _ in range(3)]
        print('{"id": "' + held[2] + '", "respon')
        for each in held[:2]: print(json.dumps({"id": each, "response": each}))
        """
    found, remarks = told(tmp_path, code, "abc")
    assert (states(found), remarks) == ({"a": "scored", "b": "scored", "c": "bad_output"}, ())


def test_a_program_that_prints_garbage_only_is_given_up_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_process, "_QUIET", 0.1)
    program(tmp_path, "count.txt", "")
    code = "open('count.txt', 'a').write('x')\n" + READS + "    print('garbage', q)\n"
    found, _ = told(tmp_path, code, "abcdefghijklmnopqrstuvwxyz")
    assert set(states(found).values()) == {"bad_output"}
    assert found["a"].message == "printed no JSON line: garbage a"
    assert (tmp_path / "count.txt").read_text() == "x" * 5, "no process is started after five that answered nothing"


def test_one_that_chats_before_each_answer_and_takes_its_time_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_process, "_QUIET", 0.05)
    code = READS + "    print('thinking'); time.sleep(0.15); print(json.dumps({'id': q, 'response': q}))\n"
    found, remarks = told(tmp_path, code, "abcdef")
    assert [each.text for each in found.values()] == list(found)
    assert remarks == ()


def test_a_function_that_ends_the_program_fails_its_case_and_says_how(tmp_path: Path) -> None:
    program(
        tmp_path,
        "bot.py",
        """
        import sys
        def answer(query):
            if query == "b": sys.exit(3)
            if query == "c": raise KeyboardInterrupt
            return query
        async def waits(query):
            sys.exit("no such model") if query == "b" else None
            return query
        """,
    )
    program(tmp_path, "ends.py", "import sys\nsys.exit(4)\n")

    async def asked(spec: str) -> dict[str, Response]:
        target = opened(spec, some_cases(tmp_path), tmp_path)
        try:
            return {e.case_id: e async for e in target.respond([Case(each, {"query": each}) for each in "abcd"])}
        finally:
            await target.close()

    found = asyncio.run(asked("python:bot:answer"))
    assert states(found) == {"a": "scored", "b": "exception", "c": "exception", "d": "scored"}
    assert found["b"].message == "the callable called sys.exit(3) (bot.py:4)"
    assert found["c"].message == "KeyboardInterrupt: (bot.py:5)"
    assert asyncio.run(asked("python:bot:waits"))["b"].message.startswith("the callable called sys.exit('no such mo")
    ended = asyncio.run(asked("python:ends:answer"))
    assert set(states(ended).values()) == {"exception"}
    assert ended["a"].message.endswith("its module called sys.exit(4) (ends.py:2)")


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        ('"prompt_tokens": 99999999999999999999', "prompt_tokens is 1e+20, which no measure of that kind can be"),
        ('"completion_tokens": 1' + "0" * 400, "not a number that can be"),
        ('"latency_ms": -5', "latency_ms is -5, which no measure of that kind can be"),
        ('"cost": NaN', "cost is nan, not a number"),
    ],
)
def test_measures_that_cannot_be_are_bad_output(measure: str, told: str) -> None:
    found = response_from("a", json.loads(f'{{"response": "x", {measure}}}'))
    assert (found.cause, told in found.message) == ("bad_output", True), found.message


def test_an_exception_that_cannot_be_shown_is_told_at_once(tmp_path: Path) -> None:
    program(
        tmp_path,
        "bot.py",
        """
        class Odd(Exception):
            def __str__(self): raise RuntimeError
        def answer(query): raise Odd
        """,
    )

    async def asked() -> list[Response]:
        target = opened("python:bot:answer", some_cases(tmp_path), tmp_path)
        found = [each async for each in target.respond([Case("a", {"query": "q"})])]
        await target.close()
        return found

    (found,) = asyncio.run(asked())
    assert found.message == "Odd: (it cannot be shown) (bot.py:4)"
