"""Every rule the doctor knows. One module a family; a rule is declared once, with its code, explanation and example.

A rule that looks at something whole (a table, a retrieval set) is a function decorated with ``rule(..., on=Kind)`` and is
run by the reader of that kind. A rule that only a parser can see (bad JSON, an open quote) is a function that builds its
findings, called by that parser. Either way its docstring is what ``ragtui rule CODE`` prints.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from ragtui.datasets.findings import Finding, Level, More, Report

Check = TypeVar("Check", bound=Callable[..., Any])


@dataclass(frozen=True)
class Rule:
    """One rule. ``platforms`` refuse the fault as an error whatever ``level`` says; of ``advice``, which is only given on
    request, they are the platforms it is meant for (none: all), and its level stays."""

    code: str
    name: str
    level: Level
    explanation: str
    example: str = ""
    remedy: str = ""
    platforms: tuple[str, ...] = ()
    advice: bool = False
    on: type | None = None
    fix: str = ""  # "safe", "unsafe" (may change a meaning), "either" (each finding knows), or none
    check: Callable[..., Iterable[Finding | More]] | None = None


_RULES: dict[str, Rule] = {}


def rule(
    code: str,
    name: str,
    level: Level = Level.ERROR,
    *,
    example: str = "",
    remedy: str = "",
    platforms: tuple[str, ...] = (),
    advice: bool = False,
    on: type | None = None,
    fix: str = "",
) -> Callable[[Check], Check]:
    """Declares the decorated function as the rule ``code``; its docstring is the explanation.

    ``platforms`` names where the fault is an error whatever ``level`` says elsewhere; for ``advice`` whom it is for. With
    ``on`` the function takes an object of that type and yields findings (and ``More`` for those it only counted). ``fix``
    says whether its findings come with edits.
    """

    def declare(check: Check) -> Check:
        if code in _RULES and _RULES[code].check is not check:
            raise ValueError(f"two rules are called {code}")
        doc = " ".join((check.__doc__ or "").split())
        _RULES[code] = Rule(code, name, level, doc, example, remedy, platforms, advice, on, fix, check)
        return check

    return declare


@cache
def rules() -> dict[str, Rule]:
    """Every rule by its code, in the order of the codes."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(_RULES.items()))


def run_rules(
    subject: object,
    report: Report,
    selected: Callable[[Rule], bool] = lambda rule: not rule.advice,
    threads: int = 1,
) -> None:
    """Runs every selected rule declared for the type of ``subject`` and adds what it yields to ``report``. ``threads`` are
    worth it where rules leave the work to Polars, which lets others go on meanwhile, and list no more than is shown."""
    chosen = [each.check for each in rules().values() if each.on and isinstance(subject, each.on) and selected(each)]
    checks = [check for check in chosen if check is not None]
    if threads == 1:
        for check in checks:
            report.step()
            report.extend(check(subject))
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        for found in pool.map(lambda check: list(check(subject)), checks):
            report.extend(found)
            report.step()
