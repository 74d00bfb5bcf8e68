"""Labelling blind in the app: nothing of the judge's is in sight, one digit a case, and the agreement at the end."""

from __future__ import annotations

from pathlib import Path

from ragtui.experiments import labels
from ragtui.experiments.store import Store
from ragtui.workspace import Workspace
from tests.tui.driving import NARROW, press, running, screen_text, type_text
from tests.tui.making import write_experiment


def given(folder: Path, experiment: str) -> dict[str, str]:
    with Store.open(Workspace(folder)) as store:
        found = labels.labels(store, labels.dataset_of(store, experiment))
        return {f"{each.case_id} {each.metric}".strip(): each.value for each in found}


async def test_a_blind_sample_by_digits_and_what_comes_of_it(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path)
    async with running(tmp_path, size=NARROW, experiment=experiment) as (app, pilot):
        await press(app, pilot, "B")
        shown = screen_text(app)
        assert "Blind sample · groundedness" in shown
        assert "0 of 11 labelled" in shown
        assert "is every statement of the response supported by the retrieved context?" in shown
        assert "1 contradicted or made up; 5 fully supported" in shown
        for hidden in ("every sentence is supported", "cites a policy", "✗", "threshold", "ungrounded"):
            assert hidden not in shown, shown
        await press(app, pilot, "9")
        assert "0 of 11 labelled" in screen_text(app)
        await press(app, pilot, "5", "4", "u", "2", ".")
        assert "2 of 11 labelled" in screen_text(app)
        assert sorted(given(tmp_path, experiment).values()) == ["2", "5"]
        await press(app, pilot, "v")
        await type_text(app, pilot, "3.5")
        await press(app, pilot, "enter")
        assert "3 of 11 labelled" in screen_text(app)
        await press(app, pilot, "escape")
        shown = screen_text(app)
        for part in ("judge and people on groundedness", "a blind random sample", "Cohen's kappa", "base rate",
                     "few labels: 3 of the 30", "person fails"):  # fmt: skip
            assert part in shown, shown
        assert "biased" not in shown
        await press(app, pilot, "escape", "B", *"55555555")
        assert "judge and people on groundedness" in screen_text(app), (
            "all are labelled: the figures come by themselves"
        )


async def test_a_score_of_ones_own_is_two_keys_and_is_called_biased(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path)
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "g", "v", "4")
        assert given(tmp_path, experiment) == {"desk-001 groundedness": "4"}
        await press(app, pilot, "v", "escape", "a", "A")
        assert given(tmp_path, experiment) == {"desk-001 groundedness": "agree"}
        assert "biased" in screen_text(app)
        assert "B labels a blind random sample" in screen_text(app)
        await press(app, pilot, "escape", "s")
        await type_text(app, pilot, "f1")
        await press(app, pilot, "enter", "v")
        assert "f1 was not judged" in screen_text(app)
        await press(app, pilot, "B")
        assert "no judge for 'f1'" in screen_text(app)
