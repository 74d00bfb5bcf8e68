"""How often does ``--fail-if-worse`` fail a run that is not worse, and how often does it see one that is?

    nice -n 10 python benchmarks/gate_false_alarms.py [--runs 2000] [--seed 0]

Both sides of each simulated experiment are drawn from one law, for Metric Groups of 1, 3 and 10 metrics that are independent
(the hardest case for a gate over a group) or all rise and fall together. A line fails where more than 5 % of unchanged runs
fail the gate, by more than 2.576 Monte Carlo standard errors. Beside it: how often each metric's own bound would have failed
the run, and how often a real drop of one metric is seen.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import replace
from typing import Final

import numpy as np
from interval_coverage import CASES, Case

from ragtui.experiments import statistics
from ragtui.experiments.gates import worse
from ragtui.experiments.plan import Plan, PlannedMetric
from ragtui.experiments.results import MetricComparison

SIZES: Final = (20, 50, 200)
GROUPS: Final = (1, 3, 10)
LIMIT: Final = 0.05
Z: Final = 2.576
METRIC: Final = PlannedMetric("m", scale=(None, None))
LAWS: Final = [case for case in CASES if "clustered" not in case.name]


def compared(case: Case, n: int, rng: np.random.Generator, drop: float) -> MetricComparison:
    """What the gate looks at of one metric of one experiment; with ``drop`` the candidate is the worse side. It is computed
    as ``tally.comparison`` does, without the p value that the gate does not look at."""
    better, other, _ = case.draw(rng, n, drop)
    candidate, baseline = (other, better) if drop else (better, other)
    estimate = statistics.difference_interval(candidate - baseline)
    assert estimate is not None
    bounds = statistics.one_sided_bounds(estimate)
    rest = {
        "ci95": None,
        "p": None,
        "p_holm": None,
        "test": "",
        "wins": 0,
        "ties": 0,
        "losses": 0,
        "new": 0,
        "missing": 0,
    }
    return MetricComparison(
        "m0", estimate.mean, n_pairs=n, mde=None, worst=bounds[0], best=bounds[1],
        p_worse=statistics.not_lower(estimate), **rest,
    )  # fmt: skip


def alarms(case: Case, n: int, size: int, together: bool, runs: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Runs that fail unchanged, runs in which some metric's own bound would have failed, and runs in which one metric's
    drop is seen."""
    failed = alone = seen = 0
    names = [f"m{at}" for at in range(size)]
    plan = Plan("d", "table", "0", tuple(replace(METRIC, spec=name) for name in names))
    for _ in range(runs):
        first = compared(case, n, rng, 0.0)
        group = [first if together or at == 0 else compared(case, n, rng, 0.0) for at in range(size)]
        named = [replace(each, metric=name) for each, name in zip(group, names, strict=True)]
        failed += bool(worse(named, plan))
        alone += any(each.best is not None and each.best < 0 for each in named)
        dropped = [replace(compared(case, n, rng, case.shift), metric="m0"), *named[1:]]
        seen += "m0" in {each.metric for each in worse(dropped, plan)}
    return failed, alone, seen


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--groups", type=int, nargs="+", default=GROUPS)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    most = LIMIT + Z * math.sqrt(LIMIT * (1 - LIMIT) / asked.runs)
    print(f"{asked.runs:,} unchanged runs each; at most {100 * most:.2f} % may fail")
    failed = 0
    for case in LAWS:
        for n in asked.sizes:
            for size in asked.groups:
                for together in (False, True) if size > 1 else (False,):
                    started = time.process_time()
                    found, alone, seen = (
                        each / asked.runs for each in alarms(case, n, size, together, asked.runs, rng)
                    )
                    failed += found > most
                    print(
                        f"{case.name:24} n {n:3}  {size:2} metrics {'as one' if together else 'apart ':6}"
                        f"  fails {100 * found:5.2f} %{' !' if found > most else '  '}"
                        f"  bounds alone {100 * alone:5.2f} %  a drop of {case.shift:g} seen {100 * seen:5.1f} %"
                        f"  {time.process_time() - started:4.0f} s",
                        flush=True,
                    )
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
