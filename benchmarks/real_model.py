"""A real model behind a real OpenAI-compatible server as the judge: claims and whole answers, how often right, how fast.

    RAGTUI_TEST_LLM=http://127.0.0.1:18080/v1 python benchmarks/real_model.py [--model qwen] [--strategy claims]

Twenty claims (supported, contradicted, not mentioned) are right if supported-or-not is; ten whole answers are right if a
grounded one has every statement supported, and any other has not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from pathlib import Path

from ragtui.judges.engine import ask_all
from ragtui.judges.judge import Question, Verdict
from ragtui.judges.profile import judge
from ragtui.metrics.score import State
from ragtui.workspace import Workspace

HERE = Path(__file__).parent / "gold"
CLAIMS_AT_LEAST, ANSWERS_AT_LEAST = 0.85, 9
VERDICTS = {"S": "entailed", "C": "contradicted", "U": "neutral", "N": "neutral"}


def claims() -> list[tuple[Question, str]]:
    rows = json.loads((HERE / "dev_claims.json").read_text("utf-8"))
    return [
        (Question("groundedness", {"response": row["sent"], "context": (row["ctx"],)}), VERDICTS[row["label"]])
        for row in rows
    ]


def answers() -> list[tuple[Question, bool]]:
    rows = json.loads((HERE / "whole_answers.json").read_text("utf-8"))
    return [
        (Question("groundedness", {"response": row["answer"], "context": tuple(row["context"])}), row["grounded"])
        for row in rows
    ]


async def ask(spec: str, strategy: str, questions: list[Question]) -> tuple[list[Verdict], float]:
    asked = judge(spec, Workspace(Path.cwd()), strategy=strategy)
    found: dict[int, Verdict] = {}
    started = time.perf_counter()
    await ask_all(asked, list(enumerate(questions)), on_verdict=found.__setitem__)
    await asked.close()
    return [found[at] for at in range(len(questions))], time.perf_counter() - started


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="qwen")
    parser.add_argument("--strategy", default="claims")
    given = parser.parse_args()
    url = os.environ.get("RAGTUI_TEST_LLM")
    if not url:
        print("set RAGTUI_TEST_LLM to the address of an OpenAI-compatible server")
        return 2
    spec = f"openai:{given.model}@{url}"
    wanted, whole = claims(), answers()
    verdicts, seconds = asyncio.run(ask(spec, given.strategy, [question for question, _ in wanted]))
    supported = [verdict.score is not None and verdict.score >= 3 for verdict in verdicts]
    right = sum(got == (label == "entailed") for got, (_, label) in zip(supported, wanted, strict=True))
    three = sum(
        bool(verdict.evidence) and verdict.evidence[0].verdict == label
        for verdict, (_, label) in zip(verdicts, wanted, strict=True)
    )
    calls, errors = sum(each.attempts for each in verdicts), sum(each.state is State.JUDGE_ERROR for each in verdicts)
    print(
        f"{given.model}, {given.strategy}: {len(wanted)} claims in {seconds:.0f} s, {calls} calls, {errors} without verdict"
    )
    print(f"  supported or not  {right}/{len(wanted)}   (promised {CLAIMS_AT_LEAST:.0%})")
    print(f"  three-way         {three}/{len(wanted)}")
    found, seconds = asyncio.run(ask(spec, given.strategy, [question for question, _ in whole]))
    good = sum((verdict.score == 5) == grounded for verdict, (_, grounded) in zip(found, whole, strict=True))
    print(f"  whole answers     {good}/{len(whole)} in {seconds:.0f} s   (promised {ANSWERS_AT_LEAST})")
    for verdict, (question, grounded) in zip(found, whole, strict=True):
        if (verdict.score == 5) != grounded:
            print(
                f"    grounded {grounded}, scored {verdict.score}: {verdict.reason}\n      {question.inputs['response']}"
            )
    return 0 if right >= CLAIMS_AT_LEAST * len(wanted) and good >= ANSWERS_AT_LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
