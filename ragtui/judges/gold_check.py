"""The judge judged: how often is it right on gold claims, how surely does it answer, how fast, at what price?"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ragtui.judges.engine import ask_all
from ragtui.judges.gold import VERDICTS, GoldClaim, gold_claims
from ragtui.judges.judge import Judge, Question, Verdict
from ragtui.metrics.score import State

PASS: Final = 3.0
_UNREADABLE: Final = frozenset(["unparsable", "truncated", "out_of_range"])


@dataclass(frozen=True, slots=True)
class GoldReport:
    """``right`` and ``kappa`` are of supported or not, over the ``judged`` of ``asked`` claims; ``three_way`` is ``None``
    for a judge that gives no verdict per claim. ``base_rate`` is the share of claims that are supported. Tokens and
    ``cost`` (USD) are ``None`` where unknown. ``unreadable`` counts replies that could not be used."""

    asked: int
    judged: int
    right: float | None
    kappa: float | None
    three_way: float | None
    base_rate: float
    unreadable: int
    seconds: float
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    confusion: tuple[tuple[str, str, int], ...]

    @property
    def parse_rate(self) -> float:
        return 1 - self.unreadable / self.asked if self.asked else 1.0


def some_claims(count: int, part: str = "heldout") -> tuple[GoldClaim, ...]:
    """``count`` claims, the same ones every time: a third of each verdict, from as many passages as there are."""
    every = gold_claims(part)
    if count >= len(every):
        return every
    by_verdict = {verdict: [each for each in every if each.verdict == verdict] for verdict in VERDICTS}
    shares = [count // 3 + (place < count % 3) for place in range(3)]
    picked: list[GoldClaim] = []
    for verdict, share in zip(VERDICTS, shares, strict=True):
        found = by_verdict[verdict]
        picked += [found[place * len(found) // share] for place in range(share)]
    return tuple(picked)


class CheckStopped(Exception):
    """A check was stopped before all its claims were judged."""


async def check_judge(
    judge: Judge,
    claims: Sequence[GoldClaim],
    on_claim: Callable[[GoldClaim, Verdict], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> GoldReport:
    """Judges each claim as an answer of one sentence and compares.

    Raises:
        JudgeStopped: the judge cannot go on.
        CheckStopped: ``stop`` was true before it was done.
    """
    found: dict[int, Verdict] = {}

    def keep(place: int, verdict: Verdict) -> None:
        found[place] = verdict
        if on_claim is not None:
            on_claim(claims[place], verdict)

    started = time.perf_counter()
    questions = [(place, _question(claim)) for place, claim in enumerate(claims)]
    await ask_all(judge, questions, on_verdict=keep, stop=stop)
    if len(found) < len(claims):
        raise CheckStopped
    return _report([(claim, found[place]) for place, claim in enumerate(claims)], time.perf_counter() - started)


def _question(claim: GoldClaim) -> Question:
    return Question("groundedness", {"response": claim.claim, "context": claim.context})


def supported(verdict: Verdict) -> bool | None:
    """Whether a verdict calls the claim supported; ``None`` where it says nothing."""
    return None if verdict.state is not State.SCORED or verdict.score is None else verdict.score >= PASS


def _report(pairs: list[tuple[GoldClaim, Verdict]], seconds: float) -> GoldReport:
    said = [(claim.verdict == "entailed", supported(verdict)) for claim, verdict in pairs]
    known = [(right, got) for right, got in said if got is not None]
    three = [(claim.verdict, verdict.evidence[0].verdict) for claim, verdict in pairs if len(verdict.evidence) == 1]
    confusion = Counter(three)
    verdicts = [verdict for _, verdict in pairs]
    return GoldReport(
        len(pairs),
        len(known),
        sum(right == got for right, got in known) / len(known) if known else None,
        kappa(known),
        sum(right == got for right, got in three) / len(three) if three else None,
        sum(right for right, _ in said) / len(said) if said else 0.0,
        sum(verdict.cause in _UNREADABLE for verdict in verdicts),
        seconds,
        sum(verdict.attempts for verdict in verdicts),
        _sum([verdict.prompt_tokens for verdict in verdicts]),
        _sum([verdict.completion_tokens for verdict in verdicts]),
        _cost(verdicts),
        tuple((right, got, count) for (right, got), count in sorted(confusion.items())),
    )


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Cohen's kappa of two yes-or-no opinions; ``None`` where chance alone would agree always."""
    count = len(pairs)
    if not count:
        return None
    agreed = sum(one == two for one, two in pairs) / count
    ones, twos = sum(one for one, _ in pairs) / count, sum(two for _, two in pairs) / count
    chance = ones * twos + (1 - ones) * (1 - twos)
    return None if chance == 1 else (agreed - chance) / (1 - chance)


def _sum(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _cost(verdicts: list[Verdict]) -> float | None:
    known = [verdict.cost for verdict in verdicts if verdict.attempts]
    return None if not known or None in known else sum(each for each in known if each is not None)
