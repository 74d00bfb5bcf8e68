"""``ragtui metrics [NAME]``: every metric, or one with its inputs, scale, definition and source; and making one's own."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from ragtui.cli import _own_metrics
from ragtui.cli._stop import could_not_run

if TYPE_CHECKING:
    from ragtui.metrics.metric import Definition, Metric

_WIDTH, _PAGE_WIDTH = 100, 120
_SHOW = "show"
_FORMAT = typer.Option("text", help="text, json or markdown.")


class _Metrics(TyperGroup):
    """A first word that is no command is a metric to explain: ``ragtui metrics nDCG@10``."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            args = [_SHOW, *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Metrics,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="List the metrics a Metric Group can hold, or explain one; make, change and try your own.",
)


@app.callback(invoke_without_command=True, subcommand_metavar="[NAME | COMMAND [ARGS]...]")
def _list(context: typer.Context, output_format: str = _FORMAT) -> None:
    """List the metrics a Metric Group can hold, or explain one; make, change and try your own."""
    _check_format(output_format)
    if context.invoked_subcommand is not None:
        context.obj = output_format
        return
    from ragtui.metrics.registry import definitions

    if output_format == "markdown":
        typer.echo(page(definitions().values()), nl=False)
        return
    own, problems = _own_metrics.found()
    for each in problems:
        typer.echo(f"ragtui: {each}", err=True)
    table = [*definitions().values(), *(each for each in own.values() if not each.problem)]
    table.sort(key=lambda each: list(type(each.metric.kind)).index(each.metric.kind))
    typer.echo(_as_json([_row(each) for each in table]) if output_format == "json" else listed(table))


@app.command(_SHOW)
def show(
    context: typer.Context,
    name: str = typer.Argument(help="The metric to explain, as nDCG@10 or f1:azure."),
    output_format: str = _FORMAT,
) -> None:
    """Explain one metric; `ragtui metrics NAME` does the same."""
    from ragtui.metrics.registry import definition, resolve
    from ragtui.metrics.spec import MetricError

    _check_format(output_format)
    output_format = output_format if output_format != "text" else context.obj or output_format
    own, _ = _own_metrics.found()
    try:
        found = resolve(name, own)
        known = [definition(each, own) for each in found]
    except MetricError as error:
        could_not_run(str(error))
    if output_format == "json":
        rows = [_row(each, of) for each, of in zip(known, found, strict=True)]
        typer.echo(_as_json(rows[0] if len(rows) == 1 else rows))
    elif len({each.metric.name for each in known}) == 1:
        typer.echo(explained(known[0], found[0] if len(found) == 1 else known[0].metric))
    else:
        typer.echo("\n\n".join(explained(each, of) for each, of in zip(known, found, strict=True)))


_own_metrics.add_to(app)


def _check_format(output_format: str) -> None:
    if output_format not in ("text", "json", "markdown"):
        could_not_run(f"unknown output format {output_format!r}; known are text, json and markdown")


def listed(table: Iterable[Definition]) -> str:
    """All metrics by kind, one a line."""
    lines: list[str] = []
    kind = ""
    for each in table:
        if each.metric.kind.value != kind:
            kind = each.metric.kind.value
            lines += ["", kind] if lines else [kind]
        lines.append(f"  {each.shown_name:<22} {each.metric.shown_scale:<12} {each.metric.summary}")
    return "\n".join([*lines, "", "`ragtui metrics NAME` explains one; @k is any number or all."])


def page(table: Iterable[Definition]) -> str:
    """The whole table as a Markdown page: ``docs/metrics.md``."""
    lines = [
        "# Metrics",
        "",
        "Made by `ragtui metrics --output-format markdown`. `ragtui metrics NAME` explains one.",
        "",
    ]
    kind = ""
    for each in table:
        metric = each.metric
        if metric.kind.value != kind:
            kind = metric.kind.value
            lines += [f"## {kind}", ""]
        better = "higher" if metric.higher_is_better else "lower"
        needs = ", ".join(metric.inputs) or "–"
        uses = f"; uses {', '.join(metric.optional)}" if metric.optional else ""
        lines += [f"### {each.shown_name}", "", f"{metric.summary[0].upper()}{metric.summary[1:]}", ""]
        lines += [
            f"{metric.shown_scale}, {better} is better, {_threshold(metric)}. Needs {needs}{uses}. After {metric.source}.",
            "",
        ]
        lines += [fill(metric.definition, _PAGE_WIDTH), ""]
        lines += [f"- `{metric.name}:{variant}` {text}" for variant, text in each.variants.items()]
        lines += [""] if each.variants else []
    return "\n".join(lines)


def explained(definition: Definition, metric: Metric) -> str:
    """One metric as Markdown: everything there is to know before its numbers are trusted."""
    better = "higher is better" if metric.higher_is_better else "lower is better"
    facts = {
        "Kind": metric.kind.value,
        "Scale": f"{metric.shown_scale}, {better}",
        "Passes": _threshold(metric),
        "Needs": ", ".join(metric.inputs) or "–",
        "Uses": ", ".join(metric.optional) or "–",
        "Judged": f"question {metric.question}" if metric.question else "no, computed",
        "Version": metric.version,
        "Source": metric.source,
    }
    name = metric.name if metric.name != definition.metric.name else definition.shown_name
    lines = [f"# {name}", "", metric.summary, ""]
    lines += [f"{label:<8} {text}" for label, text in facts.items()]
    lines += ["", fill(metric.definition, _WIDTH)]
    if metric.rubric is not None:
        levels = [f"{score}: {text}" for score, text in metric.rubric.levels.items()]
        lines += ["", "## What the judge is told", "", metric.rubric.task, "", *levels]
    if definition.variants:
        lines += ["", "## Variants", ""]
        lines += [f"{definition.metric.name}:{variant:<10} {text}" for variant, text in definition.variants.items()]
    if definition.aliases:
        lines += ["", "## Other names", "", *(f"{alias} = {meant}" for alias, meant in definition.aliases.items())]
    return "\n".join(lines)


def _threshold(metric: Metric) -> str:
    if metric.threshold is None:
        return "no threshold"
    return f"{'≥' if metric.higher_is_better else '≤'} {metric.threshold:g}"


def _row(definition: Definition, metric: Metric | None = None) -> dict[str, Any]:
    shown = metric or definition.metric
    return {
        "name": metric.name if metric else definition.shown_name,
        "kind": shown.kind.value,
        "summary": shown.summary,
        "inputs": list(shown.inputs),
        "optional": list(shown.optional),
        "scale": list(shown.scale),
        "unit": shown.unit,
        "higher_is_better": shown.higher_is_better,
        "threshold": shown.threshold,
        "question": shown.question,
        "variants": dict(definition.variants),
        "aliases": dict(definition.aliases),
        "definition": shown.definition,
        "source": shown.source,
        "version": shown.version,
    }


def _as_json(value: Any) -> str:
    import json

    return json.dumps(value, indent=1)
