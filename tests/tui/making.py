"""Small workspaces with a finished experiment in them, for the tests of the screens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from ragtui.experiments.plan import Plan, PlannedMetric, Side
from ragtui.experiments.progress import Status
from ragtui.experiments.store import Store
from ragtui.judges.judge import Verdict
from ragtui.metrics.score import Evidence, Outcome, State, not_applicable, scored
from ragtui.targets.target import Response
from ragtui.workspace import Workspace

GROUNDEDNESS = PlannedMetric(
    "groundedness",
    threshold=3.0,
    scale=(1.0, 5.0),
    kind="judged",
    question="groundedness",
    inputs={"context": "${target.context}"},
)
RELEVANCE = PlannedMetric("relevance", threshold=3.0, scale=(1.0, 5.0), kind="judged", question="relevance")
F1 = PlannedMetric("f1", threshold=0.5, kind="overlap")
LATENCY = PlannedMetric("latency", scale=(0.0, None), higher_is_better=False, kind="operational", unit="ms")
NDCG = PlannedMetric("nDCG@3", kind="retrieval", threshold=0.5)

CONTEXTS = (
    "Open My security, choose VPN token and press Reset. The code expires after 10 minutes.",
    "A temporary pass is valid for 4 hours and can be used once.",
)
GOOD = "Open My security and press Reset."
BAD = "Call the help desk. The pass is valid for 30 days."


def case_rows(ids: Sequence[str], text: str = "") -> pl.DataFrame:
    return pl.DataFrame(
        {
            "case_id": list(ids),
            "name": [f"How do I reset my token? {each}{text}" for each in ids],
            "inputs": [json.dumps({"query": f"How do I reset my token? {each}{text}"}) for each in ids],
            "expected": [json.dumps({"ground_truth": f"Press Reset in My security.{text}"}) for each in ids],
            "judgments": [None for _ in ids],
        },
        schema_overrides={"judgments": pl.String},
    )


def write_experiment(
    folder: Path, count: int = 12, *, baseline: bool = True, text: str = "", errors: int = 1, remark: str = ""
) -> str:
    """A finished experiment of ``count`` cases, of which every third is ungrounded; returns its id.

    ``text`` is put into every field that a dataset, a target or a judge can fill.
    """
    workspace = Workspace(folder)
    metrics = (GROUNDEDNESS, RELEVANCE, F1, LATENCY)
    plan = Plan(
        "support.jsonl", "azure", "0" * 8, metrics, baseline="recorded:v1" if baseline else None, group="answers"
    )
    ids = [f"desk-{number:03}" for number in range(1, count + 1)]
    with (
        Store.open(workspace, write=True) as store,
        store.begin(plan, "support.jsonl", case_rows(ids, text)) as recorder,
    ):
        for side, _ in plan.sides:
            for at in range(count):
                bad = at % 3 == 0 if side is Side.CANDIDATE else at % 2 == 0
                answer = (BAD if bad else GOOD) + text
                response = Response("", text=answer, contexts=tuple(c + text for c in CONTEXTS), latency_ms=200.0 + at)
                recorder.respond(side, [(at, response)])
                failed = side is Side.CANDIDATE and count - errors <= at
                for name in ("groundedness", "relevance"):
                    verdict, outcome = _verdict(name, bad, failed, answer, text)
                    recorder.judge(side, at, name, 1, "embedded", verdict, [(name, outcome)])
                recorder.score(side, "f1", [(at, 1, scored(0.25 if bad else 0.8))])
                recorder.score(side, "latency", [(at, 1, scored(200.0 + at))])
        recorder.remark(Side.CANDIDATE, [remark + text] if remark + text else [])
        recorder.end(Status.FINISHED)
    return plan.id


def _verdict(name: str, bad: bool, failed: bool, answer: str, text: str) -> tuple[Verdict, Outcome]:
    if failed:
        reply = '{"score": six}' + text
        verdict = Verdict(State.JUDGE_ERROR, cause="unparsable", prompt=f"Judge this.{text}", reply=reply, attempts=2)
        return verdict, Outcome(State.JUDGE_ERROR, cause="unparsable", reason=f"the reply is no JSON{text}")
    if name == "relevance" and bad:
        return Verdict(State.NOT_APPLICABLE), not_applicable(f"needs a model judge{text}")
    if not bad:
        evidence = (Evidence(GOOD + text, "entailed", 0, 0, 51),)
        reason = f"every sentence is supported{text}"
    else:
        evidence = (
            Evidence("Call the help desk." + text, "neutral"),
            Evidence(
                "The pass is valid for 30 days." + text, "contradicted", 1, 0, 40, "says 30 days, not 4 hours" + text
            ),
        )
        reason = f"cites a policy that is not in the context{text}"
    score = 2.0 if bad else 5.0
    verdict = Verdict(
        State.SCORED, score, reason=reason, evidence=evidence, prompt=f"Judge: {answer}", reply="{}", attempts=1
    )
    return verdict, scored(score, reason, evidence)
