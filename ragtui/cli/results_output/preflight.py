"""The preflight as print: what will run, what cannot and why, what is sent where, and what it may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui import text
from ragtui.experiments import wording
from ragtui.experiments.plan import Side
from ragtui.experiments.preflight import MetricCheck, Preflight

if TYPE_CHECKING:
    from rich.console import Console


def print_preflight(found: Preflight, console: Console, *, inputs: bool = False) -> None:
    """Prints a preflight; with ``inputs`` also where each input comes from."""
    plan = found.plan
    console.print(
        f"{wording.count(found.cases, 'case')} × {wording.count(len(plan.metrics), 'metric')}, {_sides(found)}",
        soft_wrap=True,
    )
    for check in found.checks:
        for reason, n in check.cannot.items():
            where = "" if plan.baseline is None else f" ({check.side})"
            line = f"{check.metric}{where}: not on {n} of {wording.count(check.of, 'case')}: {reason}"
            console.print(f"  {text.cell(line)}", soft_wrap=True)
    if inputs:
        _print_inputs(found.checks, console)
    for name, reference in found.proposed.items():
        console.print(
            f"  {text.cell(f'{name} is taken from {reference}; another: --map {name}=COLUMN')}", soft_wrap=True
        )
    for note in found.notes:
        console.print(f"  {text.cell(note)}", soft_wrap=True)
    for line in wording.starts(found):
        console.print(f"  {text.cell(line)}", soft_wrap=True)
    for host, n in found.leaving.items():
        console.print(f"  text of {wording.count(n, 'case')} leaves this machine, to {text.cell(host)}", soft_wrap=True)
    if found.calls:
        console.print(
            f"  {wording.count(found.calls, 'question')} to {text.cell(found.judge)}, {cost(found)}", soft_wrap=True
        )
    if found.calls or found.target_calls:
        console.print(f"  {wording.takes(found)}", soft_wrap=True)


def _sides(found: Preflight) -> str:
    plan = found.plan
    against = f" against {text.cell(plan.baseline)}" if plan.baseline else ""
    repeats = f", {plan.repeats} times" if plan.repeats > 1 else ""
    return f"{text.cell(plan.candidate)}{against}, judge {text.cell(found.judge)}{repeats}"


def cost(found: Preflight) -> str:
    """``about 1.20 to 2.75 USD``, or that it is unknown."""
    tokens = f"about {found.tokens:,} tokens"
    if found.cost is None:
        return f"{tokens}, cost unknown (the judge's profile has no price)"
    low, high = found.cost
    return f"{tokens}, {low:.2f} to {high:.2f} USD"


def _print_inputs(checks: tuple[MetricCheck, ...], console: Console) -> None:
    for check in checks:
        if check.side is Side.CANDIDATE and check.origins:
            shown = ", ".join(f"{name} = {each.reference} ({each.how})" for name, each in check.origins.items())
            console.print(f"  {text.cell(check.metric)}: {text.cell(shown)}", soft_wrap=True)
