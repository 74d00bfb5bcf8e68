"""What is not the same in two plans, one line each: what a difference between their figures may come from."""

from __future__ import annotations

from ragtui.experiments.plan import Plan


def plan_differences(a: Plan, b: Plan, names: tuple[str, str], targets: bool = False) -> list[str]:
    """Dataset, judge, versions, thresholds and settings that differ; with ``targets`` who answers, too. ``names`` are those
    of the experiments."""
    found = []
    rows = [
        ("dataset", a.dataset, b.dataset),
        ("the dataset's content", a.fingerprint, b.fingerprint),
        ("judge", a.judge_model or a.judge, b.judge_model or b.judge),
        ("the judge's version", *_judge_versions(a, b)),
        ("strategy", a.strategy, b.strategy),
        ("repeats", a.repeats, b.repeats),
        ("average", a.average, b.average),
        ("split", a.split, b.split),
        ("limit", a.limit, b.limit),
        ("setup script", a.setup, b.setup),
        ("a case is a", a.per, b.per),
        ("conversations are replayed by", a.replay, b.replay),
    ]
    if targets:
        rows += [("candidate", a.candidate, b.candidate), ("baseline", a.baseline, b.baseline)]
        rows += [
            (f"what {spec} is made of", a.contents.get(spec), b.contents.get(spec))
            for spec in sorted({*a.contents} & {*b.contents})
        ]
    found += [f"{name} differs: {one or 'none'} and {two or 'none'}" for name, one, two in rows if one != two]
    for metric in b.metrics:
        other = next((each for each in a.metrics if each.spec == metric.spec), None)
        if other is None:
            found.append(f"{metric.spec} is only in {names[1]}")
            continue
        if other.version != metric.version:
            found.append(f"{metric.spec} has version {other.version} and {metric.version}")
        elif other.threshold != metric.threshold:
            found.append(f"{metric.spec} has the threshold {other.threshold} and {metric.threshold}")
        if dict(other.inputs) != dict(metric.inputs):
            changed = sorted({*other.inputs.items()} ^ {*metric.inputs.items()})
            found.append(f"{metric.spec} is scored from other inputs: {', '.join(f'{k} = {v}' for k, v in changed)}")
    specs = [each.spec for each in b.metrics]
    return found + [f"{each.spec} is only in {names[0]}" for each in a.metrics if each.spec not in specs]


def _judge_versions(a: Plan, b: Plan) -> tuple[str, str]:
    """The versions of the judges, which differ only where both were asked something."""
    if not all(any(each.question for each in one.metrics) for one in (a, b)):
        return "", ""
    return a.judge_version or "unknown", b.judge_version or "unknown"
