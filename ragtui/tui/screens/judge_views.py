"""How judges look: the list, one with its settings, its probe and its check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ragtui.experiments import wording
from ragtui.judges.profile import JudgeError, Profile
from ragtui.text import cell
from ragtui.tui import judge_work
from ragtui.tui.judge_work import Trial
from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.table_column import Painted, TableColumn

if TYPE_CHECKING:
    import polars as pl

    from ragtui.judges.gold_check import GoldReport
    from ragtui.judges.probe import Probe
    from ragtui.workspace import Workspace


def _dim(values: Sequence[Any]) -> Painted:
    return cell(values[0]), "dim"


def _checked(values: Sequence[Any]) -> Painted:
    text = str(values[0])
    return cell(text), "warn" if "not to be" in text else "good" if "%" in text else "dim"


def _used(values: Sequence[Any]) -> Painted:
    return ("●", "accent") if values[0] else ("", "")


COLUMNS: Final = (
    TableColumn("used", "", paint=_used, width=1, searched=False),
    TableColumn("judge", "judge", most=20),
    TableColumn("model", "model", most=28),
    TableColumn("sent to", "sent to", paint=_dim, most=28),
    TableColumn("strategy", "strategy", most=10),
    TableColumn("check", "check", paint=_checked, most=34),
    TableColumn("key", "key", paint=_dim, most=34),
)


def list_frame(workspace: Workspace) -> pl.DataFrame:
    """A row a judge."""
    import polars as pl

    rows = []
    used = judge_work.picked(workspace)
    for name, found in judge_work.judges(workspace):
        if isinstance(found, JudgeError):
            rows.append((name == used, name, str(found), "", "", "cannot be used", ""))
        else:
            model = found.model or "a heuristic over words"
            check = judge_work.check_words(workspace, found)
            strategy = found.chosen_strategy if found.model else "–"
            where, key = judge_work.address(found), judge_work.key_state(found)
            rows.append((name == used, name, model, where, strategy, check, key))
    names = [each.key for each in COLUMNS]
    kinds = {name: pl.Boolean if name == "used" else pl.String for name in names}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def about(
    workspace: Workspace, name: str, found: Profile | JudgeError, probe: Probe | str | None, trial: Trial | None
) -> Passage:
    """Everything known of one judge."""
    passage = Passage()
    if isinstance(found, JudgeError):
        passage.line((str(found), "bad"), hang=2)
        return passage
    if trial is not None:
        _tried(passage, workspace, found, trial)
    _probed(passage, probe)
    if passage.paragraphs:
        passage.heading("Settings")
    if found.model:
        _settings(passage, found)
    else:
        passage.text(
            "In this process, without a key or a network: it compares words, numbers, names and negations. It does not "
            "reason, is weak outside English, and leaves coherence, fluency and agent metrics to a model."
        )
    if trial is None:
        _tried(passage, workspace, found, None)
    return passage


def _settings(passage: Passage, found: Profile) -> None:
    how = (
        "chosen in ragtui.toml"
        if found.strategy != "auto"
        else "found by its check"
        if found.checked
        else "by its host"
    )
    price = "unknown: cost is unknown too, and a budget cannot stop a run"
    if found.price_in is not None and found.price_out is not None:
        price = f"${found.price_in:g} in, ${found.price_out:g} out, a million tokens"
    rows = [
        ("model", found.model),
        ("address", found.base_url or ""),
        ("strategy", f"{found.chosen_strategy} ({how}; t changes it)"),
        ("in flight", f"{found.concurrency}, at most {found.timeout:g} s a call"),
        ("price", price),
        ("key", judge_work.key_state(found)),
    ]
    for name, value in rows:
        passage.line((f"{name:<11}", "dim"), (value, ""), hang=11)


def _probed(passage: Passage, probe: Probe | str | None) -> None:
    if probe is None:
        return
    passage.heading("Probe", "one tiny question")
    if isinstance(probe, str) or not probe.works:
        passage.line(("✗ ", "bad"), (probe if isinstance(probe, str) else probe.fault, ""), hang=2)
        return
    passage.line(
        ("✓ ", "good"), (f"answers in {probe.latency_ms or 0:,.0f} ms, as {_FORMATS[probe.answer_format]}", "")
    )
    if probe.refused:
        passage.line((f"  refuses {', '.join(probe.refused)}: sent no more", "dim"))
    if probe.note:
        passage.line(("! ", "warn"), (probe.note, ""), hang=2)


_FORMATS: Final[Mapping[str, str]] = {
    "json_schema": "JSON by a schema", "json_object": "JSON", "plain": "plain text"
}  # fmt: skip


def _tried(passage: Passage, workspace: Workspace, found: Profile, trial: Trial | None) -> None:
    from ragtui.judges.strategy_check import known_check

    check = trial.check if trial is not None and trial.check is not None else known_check(workspace, found)
    passage.heading("Check", f"{judge_work.CLAIMS if found.model else 'all'} gold claims, a third of each kind")
    if trial is not None and trial.problem:
        passage.line(("✗ ", "bad"), (trial.problem, ""), hang=2)
    if check is None:
        if trial is None or not trial.problem:
            passage.line(("not checked yet: c tries it", "dim"))
        return
    passage.line(("✓ " if check.trusted else "! ", "good" if check.trusted else "warn"), (check.said(), ""), hang=2)
    margin = "; read ±18 % into shares of so few" if found.model else "; nothing was tuned on them"
    passage.line((f"  {check.at[:16].replace('T', ' ')}{margin}", "dim"))
    for strategy, report in (trial.reports if trial is not None else {}).items():
        _report(passage, strategy, report)


def _report(passage: Passage, strategy: str, report: GoldReport) -> None:
    kappa = "–" if report.kappa is None else f"{report.kappa:.2f}"
    three = "" if report.three_way is None else f", three-way {report.three_way:.0%}"
    cost = "" if report.cost is None else f", ${report.cost:.4f}"
    right = "–" if report.right is None else f"{report.right:.0%}"
    line = (
        f"supported or not {right} of {report.judged}{three}, kappa {kappa}, replies usable {report.parse_rate:.0%}, "
        f"{report.asked / max(report.seconds, 1e-9):,.1f} claims/s, {wording.count(report.calls, 'call')}{cost}"
    )
    passage.line((f"{strategy:<10}", "strong"), (line, ""), hang=10)
