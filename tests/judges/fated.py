"""A server whose every reply is settled beforehand: each case and metric has a fate, and with it one right outcome."""

from __future__ import annotations

import email.utils
import hashlib
import json
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from ragtui.metrics.judged import RUBRICS
from ragtui.metrics.score import State
from tests.judges.servers import Canned, user_text

METRICS: Final = ("groundedness", "relevance", "coherence", "fluency")
NO_ANSWER: Final = 3600.0
ERROR: Final = State.JUDGE_ERROR

OUTCOMES: Final[dict[str, tuple[State, str | None]]] = {
    "plain": (State.SCORED, None), "fenced": (State.SCORED, None), "thinking": (State.SCORED, None),
    "slow": (State.SCORED, None), "429 seconds": (State.SCORED, None), "429 date": (State.SCORED, None),
    "429 milliseconds": (State.SCORED, None), "500": (State.SCORED, None), "503": (State.SCORED, None),
    "dropped": (State.SCORED, None), "garbage once": (State.SCORED, None), "cut off once": (State.SCORED, None),
    "out of range once": (State.SCORED, None), "no text once": (State.SCORED, None),
    "garbage": (ERROR, "unparsable"), "no text": (ERROR, "unparsable"), "cut off": (ERROR, "truncated"),
    "out of range": (ERROR, "out_of_range"), "refused": (ERROR, "refused"), "filtered": (ERROR, "content_filter"),
    "filtered reply": (ERROR, "content_filter"), "two verdicts": (ERROR, "unparsable"), "hangs": (ERROR, "timeout"),
    "null": (State.NOT_APPLICABLE, None),
}  # fmt: skip
_RARE: Final = ("hangs",)


def fate_of(case: int, metric: str) -> str:
    """Three in five go well; the other two of every kind there is."""
    digest = hashlib.sha256(f"{case} {metric}".encode()).digest()
    faults = [each for each in OUTCOMES if each != "plain"]
    if digest[0] < 154:
        return "plain"
    fate = faults[int.from_bytes(digest[1:3], "big") % len(faults)]
    return fate if fate not in _RARE or digest[3] < 50 else "slow"


def score_of(case: int, metric: str) -> int:
    return 1 + hashlib.sha256(f"score {case} {metric}".encode()).digest()[0] % 5


@dataclass
class Fates:
    """Answers for ``servers.canned``. It refuses ``temperature`` and ``max_tokens`` always; ``requests`` counts what came
    in and ``usable`` the replies with a verdict that it gave, each by (case, metric)."""

    requests: Counter[tuple[int, str]] = field(default_factory=Counter)
    usable: Counter[tuple[int, str]] = field(default_factory=Counter)
    _tries: Counter[tuple[int, str]] = field(default_factory=Counter)

    def answer(self, body: dict[str, Any], _: int) -> Canned:
        cell = cell_of(body)
        self.requests[cell] += 1
        for name in ("max_tokens", "temperature"):
            if name in body:
                text = f"Unsupported parameter: '{name}' is not supported with this model."
                return _refusal(400, text, code="unsupported_parameter", param=name)
        self._tries[cell] += 1
        reply = self._reply(cell, self._tries[cell])
        self.usable[cell] += '"score": ' in (reply.content or "") and "!" not in (reply.content or "")
        return reply

    def _reply(self, cell: tuple[int, str], tried: int) -> Canned:
        fate, good = fate_of(*cell), _verdict(score_of(*cell))
        if fate.endswith(" once"):
            return good if tried > 1 else self._fault(fate.removesuffix(" once"), good)
        passing = fate in ("500", "503", "dropped") or fate.startswith("429")
        return good if passing and tried > 1 + (fate == "500") else self._fault(fate, good)

    def _fault(self, fate: str, good: Canned) -> Canned:
        text = good.content or ""
        later = {
            "429 seconds": {"Retry-After": "0"},
            "429 date": {"Retry-After": email.utils.formatdate(time.time(), usegmt=True)},
            "429 milliseconds": {"retry-after-ms": "20"},
        }
        return {
            "fenced": Canned(f"```json\n{text}\n```"),
            "thinking": Canned(f"<think>Perhaps 2? No.</think>\n{text}"),
            "slow": Canned(text, delay=0.1),
            "500": _refusal(500, "boom"),
            "503": _refusal(503, "overloaded"),
            "dropped": Canned(drop=True),
            "garbage": Canned("I would rather not put a number on it."),
            "no text": Canned(""),
            "cut off": Canned(text[: len(text) // 2] + "!", finish="length"),
            "out of range": Canned('{"reason": "splendid!", "score": 9}'),
            "refused": Canned(None, refusal="I can't help with that."),
            "filtered": _refusal(400, "filtered by the content management policy", code="content_filter"),
            "filtered reply": Canned("", finish="content_filter"),
            "two verdicts": Canned('{"reason": "a!", "score": 2} {"reason": "b!", "score": 4}'),
            "hangs": Canned(text + "!", delay=NO_ANSWER),
            "null": Canned('{"reason": "nothing to score!", "score": null}'),
        }.get(fate) or (_refusal(429, "slow down", headers=later[fate]) if fate in later else good)


def cell_of(body: dict[str, Any]) -> tuple[int, str]:
    """The case and the metric that a request is about."""
    system = body["messages"][0]["content"]
    metric = next(name for name in METRICS if RUBRICS[name].task in system)
    match = re.search(r"gate (\d+)", user_text(body))
    assert match is not None
    return int(match[1]), metric


def case(number: int) -> dict[str, Any]:
    """A row that names its case in every text that a metric sees."""
    return {
        "query": f"When does gate {number} open?",
        "context": [f"The gate {number} opens at nine."],
        "response": f"At nine, gate {number} opens.",
    }


def _verdict(value: int) -> Canned:
    return Canned(json.dumps({"reason": f"level {value} fits", "score": value}))


def _refusal(status: int, message: str, headers: dict[str, str] | None = None, **more: str) -> Canned:
    return Canned(status=status, error={"message": message, **more}, headers=headers or {})
