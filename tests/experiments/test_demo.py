"""The demo's workspace: what is copied, what is left alone, and what its experiments show."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragtui.experiments.demo import SAMPLES, DemoError, prepare, run_demo
from ragtui.experiments.plan import Side
from ragtui.experiments.progress import Progress
from ragtui.experiments.results import MetricComparison, Results
from ragtui.experiments.store import Store
from ragtui.workspace import bundled


def shipped() -> dict[str, bytes]:
    source = bundled("sample_data")
    return {
        path.relative_to(source).as_posix(): path.read_bytes()
        for path in source.rglob("*")
        if path.is_file() and ".ragtui" not in path.parts
    }


def test_every_sample_is_copied(tmp_path: Path) -> None:
    workspace = prepare(tmp_path / "demo")
    assert workspace.root == tmp_path / "demo"
    for name, content in shipped().items():
        assert (workspace.root / name).read_bytes() == content


def test_an_empty_folder_may_be_given(tmp_path: Path) -> None:
    assert prepare(tmp_path).table("groups", "support-quality")


def test_a_folder_with_other_things_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("do not touch")
    with pytest.raises(DemoError, match="not empty"):
        prepare(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_copy_that_was_interrupted_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ragtui.experiments import demo

    whole, copied = demo.write_atomically, iter(range(4))

    def interrupted(path: Path, content: str | bytes) -> None:
        if next(copied) == 3:
            raise KeyboardInterrupt
        whole(path, content)

    monkeypatch.setattr(demo, "write_atomically", interrupted)
    with pytest.raises(KeyboardInterrupt):
        prepare(tmp_path / "demo")
    monkeypatch.undo()
    workspace = prepare(tmp_path / "demo")
    assert all((workspace.root / sample.path).exists() for sample in SAMPLES)


def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DemoError, match="--to"):
        prepare(tmp_path / "file" / "demo")


def test_what_the_user_changed_stays_and_what_a_newer_version_changes_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, there = tmp_path / "shipped", tmp_path / "demo"
    source.mkdir()
    monkeypatch.setattr("ragtui.experiments.demo.bundled", lambda name: source)
    for name in ("mine.csv", "yours.csv", "gone.csv"):
        (source / name).write_text("first")
    prepare(there)
    (there / "mine.csv").write_text("changed by the user")
    (there / "gone.csv").unlink()
    for name in ("mine.csv", "yours.csv"):
        (source / name).write_text("second")
    prepare(there)
    assert (there / "mine.csv").read_text() == "changed by the user"
    assert (there / "yours.csv").read_text() == "second"
    assert (there / "gone.csv").read_text() == "first"
    prepare(there)
    assert (there / "mine.csv").read_text() == "changed by the user"


class Watched(Progress):
    """Remembers how far it was whenever it moved on."""

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name in ("done", "total"):
            self.__dict__.setdefault("seen", []).append((self.__dict__.get("done", 0), self.__dict__.get("total", 0)))


@pytest.fixture(scope="module")
def progress() -> Watched:
    return Watched()


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory, progress: Watched) -> Results:
    workspace = prepare(tmp_path_factory.mktemp("demo"))
    experiment = run_demo(workspace, progress)
    store = Store.open(workspace)
    assert len(store.list()) == len(SAMPLES)
    assert run_demo(workspace) == experiment, "called again, it finds what is there"
    return store.results(experiment)


def test_progress_never_passes_its_total_though_two_experiments_are_run(results: Results, progress: Watched) -> None:
    assert [(done, total) for done, total in progress.__dict__["seen"] if done > total] == []
    cells = results.plan.cells_of_a_case * 60 * 2
    assert (progress.done, progress.total, sum(progress.states.values())) == (cells, cells, cells)


def test_version_2_is_surely_better_grounded_and_more_complete_and_about_as_relevant(results: Results) -> None:
    found = {each.metric: figures(each) for each in results.comparisons()}
    for metric in ("groundedness", "response_completeness", "completeness"):
        _, lowest, p = found[metric]
        assert lowest > 0, metric
        assert p < 0.01, metric
    delta, _, p = found["relevance"]
    assert abs(delta) < 0.3
    assert p > 0.05


def figures(found: MetricComparison) -> tuple[float, float, float]:
    """The difference, the lower end of its interval, and p after Holm's correction; all three must be known."""
    assert found.delta is not None
    assert found.ci95 is not None
    assert found.p_holm is not None
    return found.delta, found.ci95[0], found.p_holm


def test_version_2_is_not_perfect(results: Results) -> None:
    candidate = {each.metric: each for each in results.summaries() if each.side is Side.CANDIDATE}
    assert 0.8 < (candidate["groundedness"].pass_rate or 0) < 1
    assert 0.6 < (candidate["completeness"].mean or 0) < 0.95


def test_nothing_is_scored_that_the_embedded_judge_cannot_judge(results: Results) -> None:
    assert {"coherence", "fluency"}.isdisjoint(results.metrics)
    for each in results.summaries():
        assert each.errors == 0
        assert each.n_total == 60


def test_the_planted_faults_come_out_with_their_causes(results: Results) -> None:
    rows = {side: {row["case_id"]: row for row in results.rows(side).iter_rows(named=True)} for side in Side}
    first, second = rows[Side.BASELINE], rows[Side.CANDIDATE]
    causes = {row["cause"] for row in (*first.values(), *second.values())} - {None}
    assert {
        "retrieval miss", "ungrounded", "wrong though grounded", "refused though answerable", "right refusal",
    } <= causes  # fmt: skip
    assert second["desk-030"]["groundedness"] < 3, "14 days where the article has 21"
    assert first["desk-030"]["groundedness"] == 5
    assert first["desk-012"]["groundedness"] < 3, "24 hours where the article has 4"
    assert second["desk-059"]["groundedness"] < 3, "a projector that no article mentions"
    assert first["desk-057"]["groundedness"] is None, "a right refusal has nothing to verify"
