"""Gathers what is known of the failing rows of an experiment and names the cause of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from ragtui.experiments.cause import Diagnosis, Signals, diagnose, diagnose_ranking
from ragtui.experiments.database import explained
from ragtui.experiments.frames import kept
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.experiments.progress import Status
from ragtui.experiments.recorder import evidence_of
from ragtui.experiments.store import marks
from ragtui.experiments.stored_rankings import rankings

if TYPE_CHECKING:
    from ragtui.experiments.stored_results import StoredResults

SCHEMA: Final = pl.Schema({"position": pl.UInt32(), "cause": pl.String(), "evidence": pl.String()})
LOW_RANKING: Final = 0.5  # mostly a ranking has no threshold; a query below this by the first of these is looked at
_TELLING: Final = ("nDCG", "Recall", "MRR", "MAP", "Hit", "R-precision")
_AT_ONCE: Final = 500


VERSION: Final = 4  # of the rules; causes that others found are found anew


def diagnoses(results: StoredResults, side: Side) -> pl.DataFrame:
    """What explains rows of a side: ``position``, ``cause``, ``evidence``, of failing answers and of low rankings; rows
    that nothing explains are left out.

    A finished experiment's are kept beside its frame.
    """
    known = kept(_kept_at(results, side)) if results.status is Status.FINISHED else None
    return _diagnosed(results, side) if known is None else known


def keep(results: StoredResults) -> None:
    """Finds and keeps the causes of an experiment that has just come to its end."""
    for side in results.sides:
        path = _kept_at(results, side)
        with explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".partial")
            _diagnosed(results, side).write_parquet(partial)
            partial.replace(path)


def _kept_at(results: StoredResults, side: Side) -> Path:
    return results.store.file(results.experiment, f".{side}.causes-{VERSION}.parquet")


def _diagnosed(results: StoredResults, side: Side) -> pl.DataFrame:
    ranked = [each for each in results.plan.metrics if each.kind == "retrieval"]
    found = _of_rankings(results, side, ranked) if ranked else _of_answers(results, side)
    rows = ((position, each.cause.value, each.evidence) for position, each in found if each is not None)
    parts = [pl.DataFrame(part, schema=SCHEMA, orient="row") for part in iter(lambda: list(islice(rows, _AT_ONCE)), [])]
    return pl.concat(parts) if parts else pl.DataFrame(schema=SCHEMA)


def _of_rankings(
    results: StoredResults, side: Side, metrics: list[PlannedMetric]
) -> Iterator[tuple[int, Diagnosis | None]]:
    telling = [each for name in _TELLING for each in metrics if each.spec.split("@")[0] == name]
    if not telling:
        return
    cut = telling[0].spec.partition("@")[2].partition(":")[0]
    first = results.folded(telling[0], side).filter(pl.col("score") < LOW_RANKING)["position"]
    failed = [
        results.folded(each, side).filter(~pl.col("passed"))["position"]
        for each in metrics
        if each.threshold is not None
    ]
    low = pl.concat([first, *failed]).unique().sort().to_list()
    for position, grades, listed in rankings(results, side, low):
        yield position, diagnose_ranking(grades, listed, int(cut) if cut.isdigit() else 10)


def _of_answers(results: StoredResults, side: Side) -> Iterator[tuple[int, Diagnosis | None]]:
    failing = _failing(results, side)
    for part in failing.iter_slices(_AT_ONCE):
        positions = part["position"].to_list()
        texts, claims = _texts(results, side, positions), _claims(results, side, positions)
        for row in part.iter_rows(named=True):
            position = row.pop("position")
            if position in texts:
                passed = {name: verdict for name, verdict in row.items() if verdict is not None}
                yield position, diagnose(_signals(texts[position], claims.get(position), passed))


def _failing(results: StoredResults, side: Side) -> pl.DataFrame:
    """The cases that miss a threshold: ``position``, and by a metric's bare name whether it passed (null where it was
    not scored; where several metrics have a name, the last that was)."""
    verdicts = pl.DataFrame({"position": results.positions(side)})
    for metric in results.plan.metrics:
        if metric.threshold is not None:
            name = _bare(metric.spec)
            mine = results.folded(metric, side).select("position", pl.col("passed").alias("_mine"))
            earlier = pl.col(name) if name in verdicts.columns else pl.lit(None, pl.Boolean)
            verdicts = (
                verdicts.join(mine, on="position", how="left")
                .with_columns(pl.coalesce("_mine", earlier).alias(name))
                .drop("_mine")
            )
    missed = [~pl.col(name) for name in verdicts.columns if name != "position"]
    return verdicts.filter(pl.any_horizontal(missed) if missed else False).sort("position")


def _bare(spec: str) -> str:
    return spec.partition("@")[0].partition(":")[0]


def _signals(row: Any, evidence: str | None, passed: dict[str, bool]) -> Signals:
    from ragtui.judges.refusals import declines

    expected = json.loads(row["expected"])
    gold = expected.get("ground_truth")
    golds = tuple(gold) if isinstance(gold, list) else (gold,) if gold else ()
    claims = evidence_of(evidence)
    unsupported = [each.claim for each in claims if each.verdict != "entailed"]
    response = row["text"] or ""
    return Signals(
        response=response,
        contexts=tuple(json.loads(row["contexts"])) if row["contexts"] is not None else None,
        gold=golds,
        passed=passed,
        claims=len(claims),
        entailed=len(claims) - len(unsupported),
        worst_claim=unsupported[0] if unsupported else "",
        refused=bool(response) and declines(response),
        gold_refuses=bool(golds) and all(declines(each) for each in golds),
    )


def _texts(results: StoredResults, side: Side, positions: list[int]) -> dict[int, Any]:
    found = results.store.query(
        "SELECT position, text, contexts, expected FROM responses JOIN cases USING (experiment, position) "
        f"WHERE experiment = ? AND side = ? AND position IN ({marks(positions)})",
        results.number,
        side,
        *positions,
    )
    return {row["position"]: row for row in found}


def _claims(results: StoredResults, side: Side, positions: list[int]) -> dict[int, str]:
    metrics = [each.spec for each in results.plan.metrics if each.spec.startswith("groundedness")]
    found = results.store.query(
        "SELECT position, evidence FROM scores WHERE experiment = ? AND side = ? AND repeat = 1 "
        f"AND metric IN ({marks(metrics)}) AND position IN ({marks(positions)})",
        results.number,
        side,
        *metrics,
        *positions,
    )
    return {row["position"]: row["evidence"] for row in found}
