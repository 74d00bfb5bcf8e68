"""What the Metric Groups pane asks of the floors below, beside the workbench's own: own metrics, tries, group files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragtui.workspace import write_atomically

if TYPE_CHECKING:
    from ragtui.experiments.trying import Trial
    from ragtui.metrics.groups import Group
    from ragtui.metrics.metric import Metric
    from ragtui.metrics.own.files import OwnFile
    from ragtui.tui.opened import OpenDataset
    from ragtui.tui.workbench import Workbench


def new_draft(bench: Workbench, name: str, kind: str, group: str) -> Path:
    """A file to write a new metric in.

    Raises:
        MetricError: no metric can be called so, or the group cannot take it.
        OSError: it cannot be written.
    """
    from ragtui.metrics.metric import Kind
    from ragtui.metrics.own import drafts, saving
    from ragtui.metrics.own.files import ending_of

    saving.check_new(bench.workspace, name, group)
    return drafts.draft(bench.workspace, name, ending_of(Kind(kind)), saving.template(Kind(kind), name))


def create(bench: Workbench, name: str, kind: str, draft: Path, group: str) -> None:
    """Makes the metric that a draft defines; raises as ``saving.create``."""
    from ragtui.metrics.metric import Kind
    from ragtui.metrics.own import drafts, saving

    text = _text(draft)
    bench.change_groups(lambda: saving.create(bench.workspace, name, Kind(kind), text, group).workspace)
    drafts.forget(bench.workspace, name)


def draft_of(bench: Workbench, metric: Metric) -> Path:
    """A file to edit a metric in; raises ``OSError``."""
    from ragtui.metrics.own import drafts

    file, _ = bench.own_file(metric)
    assert file is not None
    return drafts.draft(bench.workspace, file.name, file.path.suffix, file.content.decode("utf-8", "replace"))


def save(bench: Workbench, metric: Metric, draft: Path) -> None:
    """Saves what a draft holds as a new version; raises as ``saving.save``."""
    from ragtui.metrics.own import drafts, saving

    text = _text(draft)
    bench.change_groups(lambda: saving.save(bench.workspace, metric.name, text).workspace)
    drafts.forget(bench.workspace, metric.name)


def _text(draft: Path) -> str:
    from ragtui.metrics.spec import MetricError

    try:
        return draft.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise MetricError(f"{draft}: it is not UTF-8 at byte {error.start}") from None


def own_metrics(bench: Workbench) -> dict[str, tuple[str, ...]]:
    """The metrics of the user's own, also those in no group, each with the groups that have it."""
    from ragtui.metrics.groups import holding
    from ragtui.metrics.own.files import own_files

    return {file.name: holding(bench.workspace, file.name) for file in own_files(bench.workspace)}


def delete(bench: Workbench, name: str) -> str:
    """Deletes a metric of the user's own and returns the name of its file.

    Raises:
        MetricError: there is none, or a group has it.
        OSError: it cannot be deleted.
    """
    from ragtui.metrics.own import saving

    return saving.delete(bench.workspace, name).shown


def allow(bench: Workbench, file: OwnFile) -> None:
    """Lets a metric's code run, after the user has seen it and said yes."""
    from ragtui.metrics.own.saving import allow

    allow(bench.workspace, file)


def cases(opened: OpenDataset, most: int) -> list[tuple[str, str]]:
    """The first cases of a dataset, or its queries: id and name."""
    from ragtui.datasets.case_ids import CASE_ID, NAME
    from ragtui.experiments.case_inputs import query_frame

    assert opened.dataset is not None
    if opened.dataset.cases is not None:
        frame = opened.dataset.cases.select(CASE_ID, NAME)
    else:
        frame = query_frame(opened.dataset).select("query_id", "text")
    return [(str(case_id), name or "") for case_id, name in frame.head(most).iter_rows()]


def trial(bench: Workbench, metric: Metric, opened: OpenDataset, case: str, judge: str) -> Trial | str:
    """A metric on one case, or why it cannot be tried. Takes its time: call it in a thread."""
    from ragtui.experiments.trying import TryError, try_metric
    from ragtui.tui.offers import proposed_targets
    from ragtui.tui.running import expected

    assert opened.dataset is not None
    candidate, _ = proposed_targets(opened)
    known: tuple[type[Exception], ...] = (TryError, *expected())
    try:
        return try_metric(metric, opened.dataset, bench.workspace, case_id=case, candidate=candidate, judge=judge)
    except known as error:
        return str(error)


def proposed(opened: OpenDataset) -> tuple[str, ...]:
    """The metrics that fit what a dataset holds."""
    from ragtui.metrics.groups import available_inputs, propose

    assert opened.dataset is not None
    return propose(available_inputs(opened.dataset))


def free_name(bench: Workbench, opened: OpenDataset) -> str:
    """A name for a group that fits a dataset and is not taken."""
    import re

    from ragtui.metrics.groups import group_names

    base = re.sub(r"[^\w .-]", "-", opened.name.rpartition("#")[2]).strip("-_ .")[:50] or "group"
    taken = group_names(bench.workspace)
    return next(name for name in (base, *(f"{base}-{n}" for n in range(2, len(taken) + 3))) if name not in taken)


def set_threshold(bench: Workbench, group: Group, metric: Metric, text: str) -> None:
    """Gives a metric its own threshold in a group; an empty text takes it back.

    Raises:
        MetricError: it is no number on the metric's scale.
    """
    from ragtui.metrics.groups import set_threshold
    from ragtui.metrics.spec import MetricError

    try:
        value = float(text) if text.strip() else None
    except ValueError:
        raise MetricError(f"the threshold {text!r} is no number") from None
    bench.change_groups(lambda: set_threshold(bench.workspace, group.name, metric.name, value))


def export(group: Group, path: Path) -> Path:
    """Writes a group as TOML; raises ``OSError``, also where the file is there already."""
    import tomlkit

    from ragtui.metrics.groups import as_table

    if path.exists():
        raise FileExistsError(17, "it is there already; choose another name", str(path))
    write_atomically(path, tomlkit.dumps({"groups": {group.name: as_table(group)}}))
    return path


def import_from(bench: Workbench, path: Path) -> None:
    """Takes over the groups of a TOML file.

    Raises:
        MetricError: it holds none, or one breaks a rule or is there already.
        OSError: it cannot be read.
    """
    from ragtui.metrics.groups import import_groups
    from ragtui.metrics.spec import MetricError

    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise MetricError(f"{path}: it is not UTF-8 at byte {error.start}") from None
    bench.change_groups(lambda: import_groups(bench.workspace, text, path.name)[0])
