"""How long a run takes, by what earlier runs of this workspace took with the same judge and the same targets: a target
whose files or settings were changed since, or that a name stands for now, is another one and its time not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.experiments.store import Store
from ragtui.judges.profile import Profile
from ragtui.targets.spec import meaning
from ragtui.workspace import Workspace

if TYPE_CHECKING:
    from ragtui.experiments.preflight import Preflight

_CALL = (
    "SELECT avg(latency_ms) FROM (SELECT latency_ms FROM calls JOIN experiments ON experiments.number = experiment "
    "WHERE judge = ? AND NOT cached AND latency_ms IS NOT NULL AND json_extract(plan, '$.judge_model') = ? "
    "ORDER BY calls.id DESC LIMIT 500)"
)
_ANSWER = (
    "SELECT avg(latency_ms) FROM (SELECT latency_ms FROM responses JOIN experiments ON experiments.number = experiment "
    "WHERE latency_ms IS NOT NULL AND json_extract(plan, '$.' || side) = ? "
    "AND coalesce(json_extract(plan, '$.replay'), 'turn') = ? "
    "AND (SELECT value FROM json_each(plan, '$.contents') WHERE key = ?) IS ? ORDER BY experiment DESC LIMIT 500)"
)
_AT_ONCE = 4  # answers of a live target in flight, where nothing else is said


def expected_seconds(found: Preflight, judge: Profile, workspace: Workspace) -> float | None:
    """Seconds for judge and targets, which work side by side: the longer of the two; ``None`` where one is unknown."""
    store = Store.open(workspace)
    parts: list[float | None] = []
    if found.calls:
        mean = store.query(_CALL, found.judge, found.plan.judge_model)[0][0]
        parts.append(None if mean is None else mean / 1000 * found.calls / judge.concurrency)
    for spec, n in found.target_calls.items():
        mean = store.query(_ANSWER, spec, found.plan.replay, spec, found.plan.contents.get(spec))[0][0]
        at_once = int(meaning(spec, workspace)[1].get("concurrency", _AT_ONCE))
        parts.append(None if mean is None else mean / 1000 * n / at_once)
    known = [each for each in parts if each is not None]
    return max(known) if known and len(known) == len(parts) else None
