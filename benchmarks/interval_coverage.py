"""Do the intervals hold the truth as often as they say, and are the p values honest where nothing differs?

    nice -n 10 python benchmarks/interval_coverage.py [--runs 5000] [--seed 0]

Paired differences are drawn from distributions with a known mean; counted is how often the 95 % interval holds it, and how
often p ≤ a where the true difference is 0. A line fails where coverage is below 95 %, or the share of p ≤ a above a, by more
than 2.576 Monte Carlo standard errors (99 %).
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ragtui.experiments import statistics

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], tuple[Floats, Floats, "list[int] | None"]]
LEVELS: Final = (0.01, 0.05, 0.10)
SIZES: Final = (20, 50, 200)
Z: Final = 2.576


@dataclass(frozen=True)
class Case:
    """One distribution of pairs. ``shift`` moves the candidate for the coverage runs; ``truth`` is the mean difference it
    makes."""

    name: str
    draw: Callable[[np.random.Generator, int, float], tuple[Floats, Floats, list[int] | None]]
    shift: float
    truth: float


def judged(rng: np.random.Generator, n: int, shift: float) -> tuple[Floats, Floats, None]:
    """Scores 1 to 5 of two sides over one difficulty a case; with ``shift`` a case of the candidate rises by one, where it
    can, with that probability."""
    ease = rng.normal(0, 1.0, n)
    sides = [np.clip(np.round(3 + ease + rng.normal(0, 0.8, n)), 1, 4) for _ in range(2)]
    return sides[0] + (rng.random(n) < shift), sides[1], None


def passed(rng: np.random.Generator, n: int, shift: float) -> tuple[Floats, Floats, None]:
    """Pass or fail: both fail or pass with 70 %, else the two differ; ``shift`` is the difference of the pass rates."""
    kind = rng.random(n)
    better, worse = kind < 0.15 + shift / 2, kind > 0.85 + shift / 2
    same = (rng.random(n) < 0.6).astype(float)
    return np.where(better, 1.0, np.where(worse, 0.0, same)), np.where(better, 0.0, np.where(worse, 1.0, same)), None


def smooth(rng: np.random.Generator, n: int, shift: float) -> tuple[Floats, Floats, None]:
    """F1-like scores between 0 and 1, differences of a bounded law."""
    base = rng.beta(4, 2, n)
    return base + rng.uniform(-0.2, 0.2, n) + shift, base, None


def skewed(rng: np.random.Generator, n: int, shift: float) -> tuple[Floats, Floats, None]:
    """Most cases equal, a few with a large gain or loss: a change that touches one case in five."""
    touched = rng.random(n) < 0.2
    return np.where(touched, rng.normal(shift / 0.2, 1.0, n), 0.0), np.zeros(n), None


def of_documents(rng: np.random.Generator, n: int, shift: float) -> tuple[Floats, Floats, list[int]]:
    """Five questions a document, which rise and fall together."""
    documents = np.repeat(np.arange(n // 5), 5)
    together = rng.normal(0, 1.0, n // 5)[documents]
    return together + rng.normal(0, 1.0, n) + shift, np.zeros(n), documents.tolist()


CASES: Final[Sequence[Case]] = (
    Case("judge, 1 to 5", judged, 0.2, 0.2),
    Case("pass/fail", passed, 0.1, 0.1),
    Case("scores 0 to 1", smooth, 0.05, 0.05),
    Case("one case in five differs", skewed, 0.1, 0.1),
    Case("five questions a document, clustered", of_documents, 0.3, 0.3),
)


def covered(case: Case, n: int, runs: int, rng: np.random.Generator) -> float:
    """How often the 95 % interval holds the true difference."""
    hits = 0
    for _ in range(runs):
        candidate, baseline, clusters = case.draw(rng, n, case.shift)
        found = statistics.difference_interval(candidate - baseline, clusters)
        hits += found is not None and found.low <= case.truth <= found.high
    return hits / runs


def rejected(case: Case, n: int, runs: int, rng: np.random.Generator) -> dict[float, float]:
    """How often p ≤ a where nothing differs."""
    counts = dict.fromkeys(LEVELS, 0)
    for run in range(runs):
        candidate, baseline, clusters = case.draw(rng, n, 0.0)
        p = statistics.paired(candidate, baseline, clusters, seed=run).p
        for level in LEVELS:
            counts[level] += p is not None and p <= level
    return {level: count / runs for level, count in counts.items()}


def slack(share: float, runs: int) -> float:
    """The Monte Carlo error that a share may have."""
    return Z * math.sqrt(share * (1 - share) / runs)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    failed = 0
    print(f"{asked.runs:,} runs each; Monte Carlo error of 95 %: ± {100 * slack(0.95, asked.runs):.1f} points")
    for case in CASES:
        for n in asked.sizes:
            started = time.process_time()
            share = covered(case, n, asked.runs, rng)
            alarms = rejected(case, n, asked.runs, rng)
            low = share < 0.95 - slack(0.95, asked.runs)
            high = [level for level, found in alarms.items() if found > level + slack(level, asked.runs)]
            failed += low or bool(high)
            shown = "  ".join(
                f"p ≤ {level:g}: {found:.4f}{' !' if level in high else ''}" for level, found in alarms.items()
            )
            print(
                f"{case.name:37} n {n:4}  holds {100 * share:5.2f} %{' !' if low else '  '}  {shown}"
                f"  {time.process_time() - started:4.0f} s"
            )
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
