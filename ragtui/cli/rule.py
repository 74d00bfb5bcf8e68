"""``ragtui rule [CODE]``: what a rule looks for, why it hurts, an example, the remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ragtui.cli._stop import could_not_run

if TYPE_CHECKING:
    from ragtui.datasets.rules import Rule


def command(
    code: Annotated[
        str | None, typer.Argument(help="The rule to explain, as CSV005; all are listed without it.")
    ] = None,
    output_format: Annotated[str, typer.Option(help="text or json.")] = "text",
) -> None:
    """Explain a rule of ragtui check, or list all of them.

    In the list [*] has a fix that --fix makes, [-] one that only --fix --unsafe-fixes makes; advice is given with --for or
    --select.
    """
    from ragtui.datasets.rules import rules

    known = rules()
    if output_format not in ("text", "json"):
        could_not_run(f"unknown output format {output_format!r}; known are text and json")
    if code is not None and code.upper() not in known:
        near = [each for each in known if each.startswith(code.upper().rstrip("0123456789"))]
        could_not_run(
            f"no rule is called {code!r}"
            + (f"; there are {', '.join(near[:12])}" if near else "; ragtui rule lists all")
        )
    chosen = list(known.values()) if code is None else [known[code.upper()]]
    if output_format == "json":
        _print_json(chosen, one=code is not None)
    elif code is None:
        width = max(len(rule.code) for rule in chosen)
        for rule in chosen:
            typer.echo(
                f"{rule.code:<{width}}  {rule.level.value:<7}  {_mark(rule)} {rule.name}{'  (advice)' if rule.advice else ''}"
            )
        typer.echo(_LEGEND)
    else:
        typer.echo(explained(chosen[0]))


def _mark(rule: Rule) -> str:
    """``[*]`` where there is a safe fix, ``[-]`` where there only is an unsafe one."""
    return {"safe": "[*]", "either": "[*]", "unsafe": "[-]"}.get(rule.fix, "   ")


def explained(rule: Rule) -> str:
    """A rule as Markdown."""
    lines = [f"# {rule.code} {rule.name}", "", f"Level: {_levels(rule)}", "", rule.explanation]
    if rule.example:
        lines += ["", "## Example", "", f"    {rule.example}"]
    if rule.remedy:
        lines += ["", "## Remedy", "", f"{rule.remedy[0].upper()}{rule.remedy[1:]}."]
    if rule.fix:
        lines += ["", "## Fix", "", _FIXES[rule.fix]]
    return "\n".join(lines)


_LEGEND = (
    "\n[*] ragtui check --fix mends it; [-] only with --unsafe-fixes, as that may change a meaning; "
    "(advice) is given with --for or --select"
)
_FIXES = {
    "safe": "ragtui check --fix does that; --diff shows it first.",
    "unsafe": "ragtui check --fix --unsafe-fixes does that. It may change a meaning: look at --diff --unsafe-fixes first.",
    "either": "Where it cannot change a meaning, which [*] marks, ragtui check --fix does that; elsewhere --unsafe-fixes "
    "does. --diff shows it first.",
}


def _levels(rule: Rule) -> str:
    if rule.advice:
        whom = f"with --for {' or '.join(rule.platforms)}, or " if rule.platforms else "with --for, or "
        return f"{rule.level.value}; advice, given only {whom}with --select {rule.code}"
    if rule.platforms and rule.level.value != "error":
        return f"{rule.level.value}; error with --for {', '.join(rule.platforms)}"
    return rule.level.value


def _print_json(chosen: list[Rule], one: bool) -> None:
    import json

    documents = [
        {
            "code": rule.code,
            "name": rule.name,
            "level": rule.level.value,
            "explanation": rule.explanation,
            "example": rule.example,
            "remedy": rule.remedy,
            "platforms": list(rule.platforms),
            "advice": rule.advice,
            "fix": rule.fix,
        }
        for rule in chosen
    ]
    typer.echo(json.dumps(documents[0] if one else documents, indent=1))
