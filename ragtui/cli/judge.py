"""``ragtui judge [NAME]...``: the judges there are; with names, whether they work and how often they are right."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import typer

from ragtui.cli._numbers import MOST
from ragtui.cli._stop import could_not_run

if TYPE_CHECKING:
    from ragtui.judges.gold_check import GoldReport
    from ragtui.judges.judge import Judge
    from ragtui.judges.profile import Profile
    from ragtui.workspace import Workspace

_CLAIMS = 30


def command(
    names: list[str] = typer.Argument(
        None, metavar="[JUDGE]...", help="Judges to try: embedded, openai:MODEL[@URL], or a name."
    ),
    strategy: str = typer.Option("auto", help="auto, rubric or claims."),
    claims: int = typer.Option(
        _CLAIMS, min=0, max=MOST, help="Gold claims to judge; 0 only asks whether the judge works."
    ),
    part: str = typer.Option("heldout", help="Gold claims of this part: heldout or tuning."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No progress on standard error."),
) -> None:
    """List the judges, or try some: do they work, and how often are they right on gold claims?

    With --strategy auto a model is tried with both, and the better is what auto means for it from then on.
    """
    from ragtui.judges.gold import PARTS
    from ragtui.workspace import Workspace, WorkspaceError

    try:
        workspace = Workspace.open()
    except WorkspaceError as error:
        could_not_run(str(error))
    if part not in PARTS:
        could_not_run(f"there are no gold claims called {part!r}; choose {' or '.join(PARTS)}")
    if not names:
        _list(workspace)
        return
    columns = [each for name in names for each in _try(name, workspace, strategy, claims, part, quiet)]
    if claims:
        typer.echo(_side_by_side([head for head, _ in columns], [report for _, report in columns], part))


def _list(workspace: Workspace) -> None:
    from ragtui.judges.profile import JudgeError, profiles

    rows: list[tuple[str, ...]] = [("judge", "model", "sent to", "strategy", "key")]
    for each in profiles(workspace):
        rows.append(("", str(each), "", "", "") if isinstance(each, JudgeError) else _row(each))
    _print_table(rows)
    typer.echo("\nragtui judge NAME tries one; openai:MODEL@URL and azure:DEPLOYMENT@URL need no profile.")


def _row(profile: Profile) -> tuple[str, ...]:
    if profile.provider == "embedded":
        return profile.name, "a heuristic over words", "nowhere", "-", "none needed"
    variable = profile.key_name
    key = f"{variable} is {'set' if os.environ.get(variable) else 'not set'}"
    if profile.local and profile.key_env is None and not os.environ.get(variable):
        key = "none needed"
    return profile.name, profile.model, profile.host or "", profile.chosen_strategy, key


def _print_table(rows: list[tuple[str, ...]]) -> None:
    from ragtui.text import cell

    safe = [[cell(value) for value in row] for row in rows]
    widths = [max(len(row[column]) for row in safe) for column in range(len(safe[0]))]
    for row in safe:
        typer.echo("  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)).rstrip())


def _try(
    name: str, workspace: Workspace, strategy: str, claims: int, part: str, quiet: bool
) -> list[tuple[str, GoldReport]]:
    """The report of each strategy that is to be tried, with its heading; none where only the probe was asked for."""
    import asyncio
    from dataclasses import replace

    from ragtui.judges.judge import JudgeStopped
    from ragtui.judges.profile import JudgeError, open_judge, profile

    try:
        chosen = profile(name, workspace, strategy=strategy)
        _probe(chosen)
        if not claims:
            return []
        both = chosen.strategy == "auto" and bool(chosen.model)
        wanted = {each: replace(chosen, strategy=each) for each in ("rubric", "claims")} if both else {"": chosen}
        found = {each: asyncio.run(_check(open_judge(tried), claims, part, quiet)) for each, tried in wanted.items()}
    except (JudgeError, JudgeStopped) as error:
        could_not_run(str(error))
    if both:
        _keep(chosen, workspace, found)
    return [(f"{name} {each}".strip(), report) for each, report in found.items()]


def _keep(chosen: Profile, workspace: Workspace, found: dict[str, GoldReport]) -> None:
    from ragtui.judges.strategy_check import check_of, keep
    from ragtui.text import cell

    check = check_of(found)
    typer.echo(cell(f"  {check.said()}"))
    try:
        keep(workspace, chosen, check)
    except OSError as error:
        typer.echo(cell(f"  not remembered: {error.strerror or error}"), err=True)


def _probe(chosen: Profile) -> None:
    """Prints what the endpoint supports, or ends with what is wrong."""
    import asyncio

    from ragtui.judges.probe import probe
    from ragtui.text import cell

    if chosen.provider == "embedded":
        typer.echo(
            f"{cell(chosen.name)}: in this process; a heuristic over words, numbers and negations, weak outside English"
        )
        return
    found = asyncio.run(probe(chosen, chosen.key()))
    if not found.works:
        could_not_run(found.fault)
    parts = [f"{chosen.name}: works, {found.latency_ms or 0:,.0f} ms a call, answers as {found.answer_format}"]
    if found.refused:
        parts.append(f"refuses {', '.join(found.refused)}")
    parts.append(f"strategy {chosen.chosen_strategy}")
    typer.echo(cell("; ".join(parts)))
    if found.note:
        typer.echo(cell(f"  {found.note}"))


async def _check(asked: Judge, claims: int, part: str, quiet: bool) -> GoldReport:
    from ragtui.judges.gold import GoldClaim
    from ragtui.judges.gold_check import check_judge, some_claims
    from ragtui.judges.judge import Verdict

    chosen = some_claims(claims, part)
    done = 0

    def count(_: GoldClaim, __: Verdict) -> None:
        nonlocal done
        done += 1
        if not quiet and asked.host is not None and sys.stderr.isatty():
            typer.echo(f"\r{done}/{len(chosen)} claims", nl=done == len(chosen), err=True)

    try:
        return await check_judge(asked, chosen, count)
    finally:
        await asked.close()


def _side_by_side(names: list[str], found: list[GoldReport], part: str) -> str:
    from ragtui.text import cell

    lines = [
        ("", [cell(name) for name in names]),
        ("supported or not", [_share(each.right, each.judged, each.asked) for each in found]),
        ("kappa", ["-" if each.kappa is None else f"{each.kappa:.2f}" for each in found]),
        ("three-way", ["-" if each.three_way is None else f"{each.three_way:.0%}" for each in found]),
        ("replies usable", [f"{each.parse_rate:.0%}" for each in found]),
        ("claims a second", [f"{each.asked / each.seconds:,.1f}" for each in found]),
        ("calls", [f"{each.calls:,}" for each in found]),
        ("tokens in, out", [_tokens(each) for each in found]),
        ("cost", [_cost(each) for each in found]),
    ]
    width = max(len(value) for _, row in lines for value in row)
    table = [f"{head:<18}" + "  ".join(value.rjust(width) for value in row) for head, row in lines]
    asked = found[0].asked
    about = f"{asked} gold claims ({part}), {found[0].base_rate:.0%} of them supported; always the same"
    doubt = f"read ±{_margin(asked):.0%} into shares of so few" if asked < 100 else "English only"
    return "\n".join([*(line.rstrip() for line in table), "", f"{about}; {doubt}."])


def _share(value: float | None, judged: int, asked: int) -> str:
    if value is None:
        return f"- (0/{asked})"
    return f"{value:.0%} ({round(value * judged)}/{judged})" + (
        f", {asked - judged} without verdict" if judged < asked else ""
    )


def _tokens(report: GoldReport) -> str:
    if report.prompt_tokens is None and report.completion_tokens is None:
        return "-" if not report.calls else "unknown"
    return f"{report.prompt_tokens or 0:,}, {report.completion_tokens or 0:,}"


def _cost(report: GoldReport) -> str:
    if report.cost is None:
        return "unknown" if report.calls else "-"
    return f"${report.cost:.4f}"


def _margin(count: int) -> float:
    """Half the width of a 95 % interval of a share near one half."""
    return float(0.98 / count**0.5)
