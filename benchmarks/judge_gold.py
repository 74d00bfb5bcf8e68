"""How often the embedded judge is right on the gold claims, and how many claims it judges a second.

    python benchmarks/judge_gold.py [heldout|tuning] [--show]

``--show`` lists the wrong ones; it refuses to for the held-out part, which nobody is to tune on.
"""

from __future__ import annotations

import sys
import time
from collections import Counter

from ragtui.judges.embedded.languages import ENGLISH
from ragtui.judges.embedded.passage import read_passage
from ragtui.judges.embedded.support import Finding, judge_claim
from ragtui.judges.embedded.words import analyse
from ragtui.judges.gold import VERDICTS, GoldClaim, gold_claims
from ragtui.judges.sentences import sentences

SUPPORTED_AT_LEAST, THREE_WAY_AT_LEAST, PER_SECOND_AT_LEAST = 0.80, 0.70, 1000


def main(part: str, show: bool) -> int:
    claims = gold_claims(part)
    found = [_judge(claim) for claim in claims]
    rate = _claims_per_second(claims)
    pairs = Counter((claim.verdict, each.verdict) for claim, each in zip(claims, found, strict=True))
    three = sum(count for (right, got), count in pairs.items() if right == got) / len(claims)
    two = sum(count for (right, got), count in pairs.items() if (right == "entailed") == (got == "entailed")) / len(
        claims
    )
    print(f"{part}: {len(claims)} claims, embedded judge")
    print(f"  supported or not  {two:6.1%}   (promised {SUPPORTED_AT_LEAST:.0%})")
    print(f"  three-way         {three:6.1%}   (promised {THREE_WAY_AT_LEAST:.0%})")
    print(
        f"  speed             {rate:,.0f} claims/s, each with its context read anew   (promised {PER_SECOND_AT_LEAST:,})"
    )
    print(f"  {'right':>14} → " + "".join(f"{name:>14}" for name in VERDICTS))
    for right in VERDICTS:
        print(f"  {right:>14}   " + "".join(f"{pairs[right, got]:>14}" for got in VERDICTS))
    if show and part != "heldout":
        _list_wrong(claims, found)
    kept = two >= SUPPORTED_AT_LEAST and three >= THREE_WAY_AT_LEAST and rate >= PER_SECOND_AT_LEAST
    return 0 if kept or part != "heldout" else 1


def _judge(claim: GoldClaim) -> Finding:
    return judge_claim(claim.claim, read_passage(claim.context, ENGLISH), ENGLISH)


def _claims_per_second(claims: tuple[GoldClaim, ...], rounds: int = 5) -> float:
    """By CPU time, with nothing remembered of any context or sentence, as in a first run over new rows."""
    start = time.process_time()
    for _ in range(rounds):
        for remembered in (read_passage, analyse, sentences):
            remembered.cache_clear()
        for claim in claims:
            _judge(claim)
    return rounds * len(claims) / (time.process_time() - start)


def _list_wrong(claims: tuple[GoldClaim, ...], found: list[Finding]) -> None:
    for claim, each in zip(claims, found, strict=True):
        if claim.verdict != each.verdict:
            print(
                f"\n{claim.passage} {claim.verdict} → {each.verdict} ({each.share:.2f}) {each.fault}\n  {claim.claim}\n  {claim.context}"
            )


if __name__ == "__main__":
    arguments = [each for each in sys.argv[1:] if not each.startswith("-")]
    sys.exit(main(arguments[0] if arguments else "heldout", "--show" in sys.argv))
