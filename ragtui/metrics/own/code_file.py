'''A metric of the user's own that is computed: a Python file with ``def evaluate(session)``. Reading it runs nothing.

    """Is the expected answer in the response?"""
    SCALE = (0, 1)
    THRESHOLD = 0.5

    def evaluate(session):
        return session["test_case"]["expected"]["answer"] in session["response"]

``session`` holds ``test_case`` (``id``, ``name``, ``inputs``, ``expected``), ``response``, ``contexts``, ``turns`` (of a
recorded conversation each turn's ``query``, ``answer`` and ``contexts``) and ``metric_inputs`` (each input by ragtui's
name for it). What is returned: a number, ``True`` or ``False``, or a dict with ``score``, ``passed``, ``reason``; a
``score`` of ``None`` says that the metric is not applicable.

``THRESHOLD`` is 0.5 where it is not set and the scale is 0 to 1, or open; None says that nothing passes or fails. ``SCALE``,
``HIGHER_IS_BETTER``, ``UNIT``, ``TIMEOUT`` (seconds, 10) and ``MEMORY_MB`` (2048) may be set to
plain values at the top of the file.
'''

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Final

from ragtui.metrics.metric import Kind, Metric
from ragtui.metrics.own.code_score import CodeScore, Limits
from ragtui.metrics.own.files import OwnFile
from ragtui.metrics.spec import MetricError
from ragtui.workspace import Workspace

FUNCTION: Final = "evaluate"
INPUTS: Final = (
    "query", "response", "context", "ground_truth", "retrieved_ids", "latency_ms", "prompt_tokens", "completion_tokens",
    "cost",
)  # fmt: skip
_KNOWN: Final = ("SCALE", "THRESHOLD", "HIGHER_IS_BETTER", "UNIT", "TIMEOUT", "MEMORY_MB")
_LONGEST: Final = 3600.0
_LARGEST: Final = 1_048_576.0

TEMPLATE: Final = '''\
"""{summary}"""

SCALE = (0, 1)      # worst and best; None for an open end
THRESHOLD = 0.5     # passes from here


def evaluate(session):
    expected = session["test_case"]["expected"].get("answer")
    if expected is None:
        return {{"score": None, "reason": "no expected answer"}}
    return expected.lower() in (session["response"] or "").lower()
'''


def read_code(file: OwnFile, workspace: Workspace) -> Metric:
    """The metric of a Python file, from its text alone.

    Raises:
        MetricError: it defines none; one line with file, line and remedy.
    """
    try:
        module = ast.parse(file.content, file.path.name)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f"{error.lineno}:" if isinstance(error, SyntaxError) and error.lineno else ""
        said = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        raise MetricError(f"{file.shown}:{line} not valid Python: {said}") from None
    function = _function(module, file)
    settings = _settings(module, file)
    text = ast.get_docstring(function) or ast.get_docstring(module) or ""
    first = next((line.strip() for line in text.splitlines() if line.strip()), f"computed by {file.shown}")
    low, high = _scale(settings, file)
    higher = settings.get("HIGHER_IS_BETTER", True)
    if not isinstance(higher, bool):
        raise MetricError(f"{file.shown}: HIGHER_IS_BETTER is {higher!r}; it must be True or False")
    limits = Limits(
        _number(settings, "TIMEOUT", 10.0, _LONGEST, file), int(_number(settings, "MEMORY_MB", 2048, _LARGEST, file))
    )
    return Metric(
        file.name,
        Kind.CODE,
        first,
        optional=INPUTS,
        scale=(low, high),
        higher_is_better=higher,
        threshold=_threshold(settings, low, high, file),
        unit=str(settings.get("UNIT", "")),
        definition=f"{text or first} Computed by {FUNCTION}(session) of {file.shown} in a process of its own, at most "
        f"{limits.seconds:g} s and {limits.megabytes} MB a case. Whatever it raises, an empty response included, is a "
        "metric error with its traceback, never a score; a score of None is not applicable. Any language.",
        source=file.shown,
        version=file.version,
        score=CodeScore(file, workspace, limits, (low, high)),
    )


def _function(module: ast.Module, file: OwnFile) -> ast.FunctionDef:
    found = next((each for each in module.body if getattr(each, "name", "") == FUNCTION), None)
    if isinstance(found, ast.AsyncFunctionDef):
        raise MetricError(f"{file.shown}:{found.lineno}: {FUNCTION} must not be async")
    if not isinstance(found, ast.FunctionDef):
        raise MetricError(f"{file.shown}: there is no `def {FUNCTION}(session)`")
    arguments = found.args
    needed = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    takes = needed or arguments.args or arguments.posonlyargs or arguments.vararg
    if needed > 1 or not takes or None in arguments.kw_defaults:
        raise MetricError(f"{file.shown}:{found.lineno}: {FUNCTION} must take one argument: def {FUNCTION}(session)")
    return found


def _settings(module: ast.Module, file: OwnFile) -> dict[str, Any]:
    """The values of the known names that are set at the top."""
    found: dict[str, Any] = {}
    for statement in module.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
        if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(target, ast.Name) and target.id in _KNOWN:
            try:
                found[target.id] = ast.literal_eval(statement.value) if statement.value is not None else None
            except (ValueError, TypeError):
                raise MetricError(
                    f"{file.shown}:{statement.lineno}: {target.id} must be a plain value, as it is read without running"
                ) from None
    return found


def _scale(settings: Mapping[str, Any], file: OwnFile) -> tuple[float | None, float | None]:
    value = settings.get("SCALE", (None, None))
    if (
        not isinstance(value, tuple | list)
        or len(value) != 2
        or not all(each is None or _plain(each) for each in value)
    ):
        raise MetricError(
            f"{file.shown}: SCALE is {value!r}; it must be two numbers, as (0, 1), or None for an open end"
        )
    low, high = (None if each is None else float(each) for each in value)
    if low is not None and high is not None and low >= high:
        raise MetricError(f"{file.shown}: SCALE is {value!r}; the lower end comes first")
    return low, high


def _threshold(settings: Mapping[str, Any], low: float | None, high: float | None, file: OwnFile) -> float | None:
    value = settings.get("THRESHOLD")
    if value is None:  # what returns True or False, or passed alone, is 1 or 0
        return 0.5 if "THRESHOLD" not in settings and low in (None, 0.0) and high in (None, 1.0) else None
    if not _plain(value) or (low is not None and value < low) or (high is not None and value > high):
        raise MetricError(f"{file.shown}: THRESHOLD is {value!r}; it must be a number on the scale")
    return float(value)


def _number(settings: Mapping[str, Any], name: str, usual: float, most: float, file: OwnFile) -> float:
    value = settings.get(name, usual)
    if not _plain(value) or not 0 < value <= most:
        raise MetricError(f"{file.shown}: {name} is {value!r}; it must be a number above 0, at most {most:g}")
    return float(value)


def _plain(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")
