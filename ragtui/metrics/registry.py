"""Every metric by name. A file of this folder that declares ``DEFINITIONS`` is a family; being here is all it takes.

What families are made of lies in the folders beside them and is loaded only when a metric needs it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Final

import ragtui.metrics
from ragtui.metrics.metric import Cut, Definition, Kind, Metric
from ragtui.metrics.spec import MetricError, Spec, folded, parse, split_cut

DEFAULT_CUTS: Final = (1, 3, 5, 10)
_ORDER: Final = list(Kind)

Own = Mapping[str, Definition]
"""A workspace's own metrics by name, as ``own.files.own_metrics`` gives them; functions here take them beside the shipped
ones."""


@cache
def definitions() -> Mapping[str, Definition]:
    """The table: every shipped metric by its bare name, families in the order of ``Kind``."""
    found: list[Definition] = []
    for info in pkgutil.iter_modules(ragtui.metrics.__path__):
        if not info.ispkg:
            found += getattr(importlib.import_module(f"{ragtui.metrics.__name__}.{info.name}"), "DEFINITIONS", ())
    found.sort(key=lambda each: _ORDER.index(each.metric.kind))
    return {each.metric.name: each for each in found}


def metrics(own: Own | None = None) -> tuple[Metric, ...]:
    """Every metric a group can be made of, at 1, 3, 5 and 10 where a cut is needed. Other cuts and variants exist."""
    table = {**definitions(), **(own or {})}
    return tuple(each for name, row in table.items() if not row.problem for each in resolve(name, own))


def variants() -> tuple[tuple[Metric, str], ...]:
    """Every variant of the shipped metrics, with what it does differently; at 10 where a cut is needed, as
    ``nDCG@10:exp``."""
    return tuple(
        (_build(row, Spec(name, str(DEFAULT_CUTS[-1]) if row.cut is Cut.MUST else None, variant)), text)
        for name, row in definitions().items()
        for variant, text in row.variants.items()
    )


def metric(spec: str, own: Own | None = None) -> Metric:
    """The one metric that ``spec`` names, in upper or lower case, or by a usual alias (``P@1``, ``ndcg_cut_10``).

    Raises:
        MetricError: no such metric (the message names the nearest), or the name stands for several (``nDCG``).
    """
    found = resolve(spec, own)
    if len(found) > 1:
        names = ", ".join(each.name for each in found)
        raise MetricError(f"{spec.strip()!r} stands for several metrics ({names}); name one")
    return found[0]


def resolve(spec: str, own: Own | None = None) -> tuple[Metric, ...]:
    """The metrics that one spec stands for: ``nDCG`` is nDCG@1, @3, @5 and @10; ``rouge`` is rouge1, rouge2 and rougeL.

    Raises:
        MetricError: as for ``metric``.
    """
    out: list[Metric] = []
    for each in _canonical(parse(spec), own or {}):
        definition = (own or {}).get(each.base) or definitions()[each.base]
        usual = [str(k) for k in definition.cuts or DEFAULT_CUTS]
        cuts = usual if definition.cut is Cut.MUST and each.cut is None else [each.cut]
        out += [_build(definition, replace(each, cut=cut)) for cut in cuts]
    return tuple(out)


def is_shipped(name: str) -> bool:
    """Whether a metric that comes with ragtui is called so, also by another name of it."""
    return folded(name) in _names()


def definition(metric: Metric, own: Own | None = None) -> Definition:
    """The row of the table that a metric was built from."""
    name = parse(metric.name).base
    return (own or {}).get(name) or definitions()[name]


def resolve_all(specs: str | Iterable[str], own: Own | None = None) -> tuple[Metric, ...]:
    """A list of specs, or one text with commas between them, in order, each metric once.

    Raises:
        MetricError: as for ``metric``, or nothing is named.
    """
    parts = specs.split(",") if isinstance(specs, str) else list(specs)
    found = [each for part in parts if part.strip() for each in resolve(part, own)]
    if not found:
        raise MetricError("no metric is named; `ragtui metrics` lists them")
    return tuple({each.name: each for each in found}.values())


def _build(definition: Definition, spec: Spec) -> Metric:
    base = definition.metric.name
    if definition.problem:
        raise MetricError(definition.problem)
    if spec.cut is not None and definition.cut is Cut.NEVER:
        raise MetricError(f"{spec}: {base} takes no cut; write {replace(spec, cut=None)}")
    variant = spec.variant and spec.variant.lower()
    if variant is not None and variant not in definition.variants:
        known = ", ".join(f"{base}:{each}" for each in definition.variants)
        raise MetricError(f"{spec}: {base} has " + (f"only the variants {known}" if known else "no variants"))
    built = replace(definition.metric, name=str(replace(spec, variant=variant)), k=spec.k, variant=variant)
    return definition.build(built) if definition.build else built


def _canonical(spec: Spec, own: Own) -> list[Spec]:
    """The spec with the base name as the table writes it; aliases may stand for several."""
    names = _names() | {folded(name): [name] for name in own}
    for candidate in (spec, split_cut(spec), _without_platform(spec)):
        meant = candidate and names.get(folded(candidate.base))
        if candidate and meant:
            return [_with(parse(each), candidate) for each in meant]
    raise MetricError(f"there is no metric {spec.base!r}{_nearest(spec.base, own)}; `ragtui metrics` lists them")


def _with(meant: Spec, asked: Spec) -> Spec:
    return Spec(meant.base, asked.cut or meant.cut, asked.variant or meant.variant)


def _without_platform(spec: Spec) -> Spec | None:
    """``builtin.coherence`` and ``CoherenceEvaluator`` as Azure writes them."""
    base = spec.base.removeprefix("builtin.").removesuffix("Evaluator")
    return replace(spec, base=base) if base and base != spec.base else None


@cache
def _names() -> dict[str, list[str]]:
    """Every name and alias, folded, with the specs it means."""
    found: dict[str, list[str]] = {}
    for definition in definitions().values():
        for alias, meant in definition.aliases.items():
            found.setdefault(folded(alias), []).append(meant)
    return found | {folded(name): [name] for name in definitions()}


def _nearest(base: str, own: Own) -> str:
    shown = {folded(name): name for name in [*definitions(), *own]}
    known = {alias: meant[0] for alias, meant in _names().items()} | shown
    import difflib

    near = difflib.get_close_matches(folded(base), known, n=1, cutoff=0.5 if len(base) < 4 else 0.6)
    return f"; did you mean {known[near[0]]}?" if near else ""
