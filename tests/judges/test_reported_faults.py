"""Every faulty judge reply from public reports, each replayed by a server, with the outcome its case states."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragtui.judges.judge import Question
from ragtui.metrics.score import State
from tests.judges.asking import model_judge, verdicts
from tests.judges.servers import Canned, canned, user_text

CASES = sorted((Path(__file__).parent.parent / "cases").glob("*-judge-*"))
CAUSES = {
    "cut off": "truncated",
    "content filter": "content_filter",
    "out of range": "out_of_range",
    "not an integer": "out_of_range",
    "not a number": "unparsable",
    "no score key": "unparsable",
}


def replies(case: Path) -> Callable[[dict[str, Any], int], Canned]:
    """Each row's canned replies in order; the last one repeats. A row is known by its query's place among equal ones."""
    canned_: dict[str, list[Canned]] = {}
    for line in (case / "judge_replies.jsonl").read_text("utf-8").splitlines():
        each = json.loads(line)
        canned_.setdefault(each["row"], []).append(
            Canned(each["content"], each["finish_reason"], each["http_status"], each.get("error"))
        )
    used = dict.fromkeys(canned_, 0)

    def answer(body: dict[str, Any], _: int) -> Canned:
        row = next(line for line in user_text(body).splitlines() if line.startswith("row "))[4:]
        used[row] += 1
        return canned_[row][min(used[row], len(canned_[row])) - 1]

    return answer


def rows(case: Path) -> dict[str, Question]:
    found = {}
    for line in (case / "dataset.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        inputs = {
            "query": f"row {row['id']}\n{row['query']}",
            "context": (row["context"],),
            "response": row["response"],
        }
        found[row["id"]] = Question("groundedness", inputs)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_outcomes_are_as_the_case_states(case: Path) -> None:
    stated = tomllib.loads((case / "case.toml").read_text("utf-8"))
    async with canned(replies(case)) as server:
        judge = model_judge(server.url, max_tokens=400)
        found = await verdicts(judge, rows(case), in_flight=1)
    for reply in stated["reply"]:
        verdict = found[reply["row"]]
        if reply["status"] == "scored" or (reply["status"] != "unscored" and verdict.state is State.SCORED):
            assert (verdict.state, verdict.score) == (State.SCORED, reply["score"]), reply
        else:
            assert verdict.state is State.JUDGE_ERROR, reply
            assert verdict.score is None
            assert verdict.cause == CAUSES.get(reply.get("cause"), verdict.cause), reply
        assert verdict.score != reply.get("never", -99)
        assert verdict.attempts == reply.get("attempts", verdict.attempts), reply
        assert reply.get("raw", "") in (verdict.reply or "")
    scores = [verdict.score for verdict in found.values() if verdict.score is not None]
    value = stated.get("value", {})
    assert len(scores) == value.get("n", len(scores))
    assert sum(scores) / len(scores) == pytest.approx(value.get("mean", sum(scores) / len(scores)))
    assert len(server.seen) == value.get("requests", len(server.seen))


async def test_all_reported_cases_are_here() -> None:
    assert [case.name[:2] for case in CASES] == ["71", "73", "75", "77", "79", "81"]


async def test_repairs_are_marked_and_the_raw_reply_is_kept() -> None:
    case = next(case for case in CASES if case.name.startswith("71"))
    async with canned(replies(case)) as server:
        found = await verdicts(model_judge(server.url), rows(case), in_flight=1)
    assert [row for row, verdict in found.items() if verdict.repaired] == ["r5", "r6"]
    assert found["r3"].reason == 'It prints {gate} and "nine" only.'
    assert (found["r4"].state, found["r4"].cause) == (State.JUDGE_ERROR, "unparsable")
    assert all(verdict.reply for verdict in found.values())


async def test_refused_parameters_are_remembered_for_the_run() -> None:
    case = next(case for case in CASES if case.name.startswith("79"))
    async with canned(replies(case)) as server:
        judge = model_judge(server.url, max_tokens=400)
        await verdicts(judge, rows(case), in_flight=1)
    assert [("max_tokens" in body, "max_completion_tokens" in body, "temperature" in body) for body in server.seen] == [
        (True, False, True),
        (False, True, True),
        (False, True, False),
        (False, True, False),
        (False, True, False),
    ]
    assert any("temperature" in note for note in judge.notes)


async def test_text_in_another_language_is_sent_whole() -> None:
    case = next(case for case in CASES if case.name.startswith("81"))
    async with canned(replies(case)) as server:
        found = await verdicts(model_judge(server.url), rows(case), in_flight=1)
    assert "九点开门。请走北门。" in user_text(server.seen[0])
    assert found["r1"].reason == "答案正确，但不完整。"
    assert (found["r3"].score, found["r3"].repaired) == (4, True)
    assert (found["r4"].state, found["r4"].cause) == (State.JUDGE_ERROR, "out_of_range")
    assert (found["r5"].score, found["r5"].repaired) == (4, True)
    assert "分数" in found["r6"].reason
