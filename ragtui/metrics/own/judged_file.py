"""A judged metric of the user's own: a TOML file with what the judge is told.

    summary = "is the answer polite?"
    inputs = ["response"]
    scale = [1, 5]
    threshold = 4
    prompt = '''
    Judge how polite the answer is. Do not judge whether it is right.
    '''

    [levels]
    1 = "Rude."
    5 = "Kind from the first word to the last."

``prompt`` is the judge's task. What is judged is never pasted into it: the inputs stand below, each under its heading, as
data. ``{{response}}`` in the prompt names that heading. Scores are whole numbers on ``scale``.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from typing import Any, Final

from ragtui.metrics.judged import HEADINGS, OWN, Rubric
from ragtui.metrics.metric import Kind, Metric
from ragtui.metrics.own.files import OwnFile
from ragtui.metrics.spec import MetricError
from ragtui.workspace import Workspace

MOST_LEVELS: Final = 101
_KEYS: Final = (
    "summary", "prompt", "inputs", "optional", "scale", "threshold", "higher_is_better", "levels", "rules", "source",
)  # fmt: skip
_PLACE: Final = re.compile(r"\{\{\s*(?:item\.|data\.)?(\w+)\s*\}\}|\$\{\s*(?:data\.|target\.)?(\w+)\s*\}")
_INPUT: Final = re.compile(r"[^\W\d]\w*")

TEMPLATE: Final = '''\
# A judged metric. A judge that is a model reads the prompt and gives a whole number on the scale.
summary = "{summary}"
inputs = ["query", "response"]   # also: context, ground_truth, or any column of your data
scale = [1, 5]                   # worst and best, whole numbers
threshold = 3                    # passes from here

prompt = """
Judge how well the answer ...
Do not judge ...
"""

[levels]                         # what a score means; in between may be left out
1 = "Not at all: ..."
3 = "Partly: ..."
5 = "Fully: ..."
'''


_PLACEHOLDERS: Final = ("Judge how well the answer ...", "Not at all: ...", "Partly: ...", "Fully: ...")


def placeholders(metric: Metric) -> tuple[str, ...]:
    """What of the template's text still stands in the place of what a judge is to be told."""
    if metric.rubric is None:
        return ()
    told = {line.strip() for text in (metric.rubric.task, *metric.rubric.levels.values()) for line in text.splitlines()}
    return tuple(each for each in _PLACEHOLDERS if each in told)


def read_judged(file: OwnFile, workspace: Workspace) -> Metric:
    """The metric of a TOML file.

    Raises:
        MetricError: it defines none; one line with the file and what to change.
    """
    try:
        table = tomllib.loads(file.text)
    except tomllib.TOMLDecodeError as error:
        raise MetricError(f"{file.shown}: not valid TOML: {error}") from None
    try:
        return _metric(file, table)
    except ValueError as error:
        raise MetricError(f"{file.shown}: {error}") from None


def _metric(file: OwnFile, table: Mapping[str, Any]) -> Metric:
    for key in table:
        if key not in _KEYS:
            near = difflib.get_close_matches(key, _KEYS, n=1)
            raise ValueError(f"{key!r} is not known here" + (f"; did you mean {near[0]}?" if near else ""))
    prompt = _text(table, "prompt").strip()
    if not prompt:
        raise ValueError("prompt is missing: what the judge is to do")
    named = [first or second for first, second in _PLACE.findall(prompt)]
    inputs = _names(table, "inputs") or tuple(dict.fromkeys(named))
    if not inputs:
        raise ValueError('inputs is missing: what the judge is shown, as inputs = ["query", "response"]')
    optional = tuple(name for name in (*_names(table, "optional"), *named) if name not in inputs)
    low, high = _scale(table)
    better = table.get("higher_is_better", True)
    if not isinstance(better, bool):
        raise ValueError(f"higher_is_better is {better!r}; it must be true or false")
    fields = {name: HEADINGS.get(name, name.upper().replace("_", " ")) for name in dict.fromkeys((*inputs, *optional))}
    task = _PLACE.sub(lambda place: fields[place[1] or place[2]], prompt)
    question = OWN + file.name
    return Metric(
        file.name,
        Kind.JUDGED,
        _text(table, "summary").strip() or " ".join(prompt.split())[:100],
        inputs=inputs,
        optional=tuple(dict.fromkeys(optional)),
        scale=(float(low), float(high)),
        higher_is_better=better,
        threshold=_threshold(table, low, high, better),
        question=question,
        rubric=Rubric(question, task, _levels(table, low, high), _rules(table), fields),
        definition=f"{prompt} A model judge gives a whole number from {low} to {high}; not applicable where one of "
        f"{', '.join(inputs)} is not there, and with the embedded judge, which only compares words.",
        source=_text(table, "source") or file.shown,
        version=file.version,
    )


def _text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise ValueError(f"{key} must be text in quotes, not {value!r}")
    return value


def _names(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) and _INPUT.fullmatch(each) for each in value):
        raise ValueError(f'{key} must be a list of input names, as ["query", "response"]')
    return tuple(dict.fromkeys(value))


def _scale(table: Mapping[str, Any]) -> tuple[int, int]:
    value = table.get("scale", [1, 5])
    whole = isinstance(value, list) and all(isinstance(each, int) and not isinstance(each, bool) for each in value)
    if not whole or len(value) != 2 or not 0 < value[1] - value[0] < MOST_LEVELS:
        raise ValueError(
            f"scale is {value!r}; it must be two whole numbers, the lower first, at most {MOST_LEVELS - 1} apart, as [1, 5]"
        )
    return value[0], value[1]


def _threshold(table: Mapping[str, Any], low: int, high: int, better: bool) -> float:
    """The middle of the scale where the file gives none; of two scores the better one."""
    middle = (low + high) / 2 if high - low > 1 else float(high if better else low)
    value = table.get("threshold", middle)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(f"threshold is {value!r}; it must be a number on the scale, {low} to {high}")
    return float(value)


def _levels(table: Mapping[str, Any], low: int, high: int) -> dict[int, str]:
    value = table.get("levels", {})
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise ValueError('levels must be a table of texts by score, as 1 = "Rude."')
    given: dict[int, str] = {}
    for key, text in value.items():
        if not re.fullmatch(r"-?\d+", key) or not low <= int(key) <= high:
            raise ValueError(f"levels: {key!r} is no whole number on the scale, {low} to {high}")
        given[int(key)] = text
    return dict(sorted({low: "the lowest score", high: "the highest score", **given}.items()))


def _rules(table: Mapping[str, Any]) -> tuple[str, ...]:
    value = table.get("rules", [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError("rules must be a list of texts")
    return tuple(value)
