"""The judge judged by people: a blind random sample, agreement beyond chance, and warnings where it means little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from scipy import stats
from typer.testing import CliRunner

from ragtui.cli import root
from ragtui.experiments import blind_sample, labels
from ragtui.experiments.agreement import JudgeAgreement, Pair, agreement, lines
from ragtui.experiments.plan import Side
from ragtui.experiments.progress import Status
from ragtui.experiments.store import Store, StoreError
from ragtui.judges.judge import Verdict
from ragtui.metrics.score import State, scored
from ragtui.targets.target import Response
from tests.experiments.making import F1, GROUNDEDNESS, cases, plan, store

SCORES = [5.0, 5.0, 4.0, 4.0, 3.0, 2.0, 2.0, 1.0, 1.0, 5.0]


def write(opened: Store, scores: Sequence[float | None], *, answers: str = "answer", judge: str = "embedded") -> str:
    made = replace(plan(GROUNDEDNESS, F1), judge=judge)
    ids = [f"c-{at}" for at in range(len(scores))]
    with opened.begin(made, "desk.csv", cases(ids)) as recorder:
        for at, score in enumerate(scores):
            recorder.respond(Side.CANDIDATE, [(at, Response("", text=f"{answers} {at}"))])
            if score is not None:
                verdict = Verdict(State.SCORED, score)
                recorder.judge(
                    Side.CANDIDATE, at, "groundedness", 1, judge, verdict, [("groundedness", scored(score, "because"))]
                )
            recorder.score(Side.CANDIDATE, "f1", [(at, 1, scored(0.5))])
        recorder.end(Status.FINISHED)
    return made.id


def of(pairs: Sequence[tuple[float, float]], **more: object) -> JudgeAgreement:
    found = tuple(Pair(str(n), judge, judge >= 3, person, person >= 3, True) for n, (judge, person) in enumerate(pairs))
    values = {"blind": True, "left_out": 0, "in_sight": 0, **more}
    return JudgeAgreement("groundedness", Side.CANDIDATE, 3.0, "j", found, **values)  # type: ignore[arg-type]


def test_the_sample_is_random_the_same_every_time_and_holds_scored_cases_only(tmp_path: Path) -> None:
    with store(tmp_path) as opened:
        experiment = write(opened, [*([5.0] * 200), None])
        results = opened.results(experiment)
        found = blind_sample.sample(results, "groundedness")
        assert found == blind_sample.sample(opened.results(experiment), "groundedness")
        assert sorted(found) == sorted(f"c-{at}" for at in range(200))
        places = [int(each[2:]) for each in found]
        # Whoever stops anywhere has a random sample: the order does not follow the dataset's.
        assert abs(stats.spearmanr(range(200), places).statistic) < 0.2
        with pytest.raises(StoreError, match="no judge for 'f1'; judged are: groundedness"):
            blind_sample.sample(results, "f1")


def test_blind_labels_count_alone_and_others_are_called_biased(tmp_path: Path) -> None:
    with store(tmp_path) as opened:
        experiment = write(opened, SCORES)
        results = opened.results(experiment)
        for at in range(4):
            labels.give(opened, experiment, f"c-{at}", "w" if at == 3 else "a", metric="groundedness")
        found = agreement(opened, experiment, "groundedness")
        assert (found.n, found.blind, found.table) == (4, False, ((0, 1), (0, 3)))
        assert found.warnings[0].startswith("biased")
        waiting = blind_sample.waiting(opened, results, "groundedness")
        assert len(waiting) == len(SCORES)
        for case_id in waiting[:6]:
            blind_sample.give(opened, results, case_id, "4", "groundedness")
        assert blind_sample.waiting(opened, results, "groundedness") == waiting[6:]
        found = agreement(opened, experiment, "groundedness")
        assert (found.n, found.blind) == (6, True)
        assert found.in_sight == len({f"c-{at}" for at in range(4)} - set(waiting[:6]))
        # Who looks at the score and then changes the label has not labelled blind.
        labels.give(opened, experiment, waiting[0], "1", metric="groundedness")
        assert agreement(opened, experiment, "groundedness").n == 5
        labels.undo(opened)
        assert agreement(opened, experiment, "groundedness").n == 6
        labels.undo(opened)
        assert agreement(opened, experiment, "groundedness").n == 5, "an undone label is none"
        with pytest.raises(StoreError, match="your own score"):
            blind_sample.give(opened, results, waiting[0], "a", "groundedness")


def test_labels_follow_the_response_to_another_judge_and_no_further(tmp_path: Path) -> None:
    with store(tmp_path) as opened:
        first = write(opened, SCORES)
        for at in range(6):
            labels.give(opened, first, f"c-{at}", "4", metric="groundedness")
        labels.give(opened, first, "c-6", "a", metric="groundedness")  # the first judge gave 2: the person fails it
        second = write(opened, [*SCORES[:6], 5.0, *SCORES[7:]], judge="openai:other")
        found = agreement(opened, second, "groundedness")
        assert (found.n, found.left_out) == (7, 0)
        assert found.table == ((0, 1), (1, 5))
        other = write(opened, SCORES, answers="quite another answer", judge="openai:third")
        found = agreement(opened, other, "groundedness")
        assert (found.n, found.left_out) == (0, 7)
        assert "7 labels of other responses" in "\n".join(lines(found))


def test_figures_against_values_worked_out_by_hand() -> None:
    """20 and 15 agreed on, 5 and 10 not: Cohen's own kind of example, kappa 0.4."""
    found = of([*[(5, 5)] * 20, *[(1, 5)] * 5, *[(5, 1)] * 10, *[(1, 1)] * 15])
    assert found.table == ((15, 10), (5, 20))
    assert found.agreement is not None
    assert found.agreement.kappa == pytest.approx(0.4)
    assert found.agreement.observed == pytest.approx(0.7)
    assert (found.base_rate, found.judge_rate) == (0.5, 0.6)
    assert found.of_scores is not None
    assert found.of_scores.kappa == pytest.approx(0.4)
    assert any("moderate" in each for each in found.warnings)
    assert not any("few labels" in each for each in found.warnings)
    assert len(found.differing) == 15


def test_the_best_threshold_is_found_and_said_to_flatter_itself() -> None:
    found = of([(5, 5)] * 20 + [(3, 2)] * 15 + [(1, 1)] * 15)  # the judge's 3 is the person's 2
    assert found.best is not None
    assert (found.best.value, found.best.kappa) == (5.0, 1.0)
    assert "best threshold    ≥ 5: kappa 1.00, on these same labels, in use is 3" in lines(found)


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([(5, 5)] * 5 + [(1, 1)] * 5, "few labels: 10 of the 30"),
        ([(5, 1), (1, 5)] * 20, "kappa is low"),
        ([(5, 5)] * 40, "kappa is undefined"),
        ([(5, 5)] * 60 + [(1, 1)] * 2, "people pass 97%"),
        ([(5, 5)] * 10 + [(1, 1)] * 10 + [(5, 1)] * 2 + [(1, 5)] * 2, "kappa may be as low as"),
    ],
)
def test_warnings(pairs: list[tuple[float, float]], said: str) -> None:
    assert any(each.startswith(said) for each in of(pairs).warnings), of(pairs).warnings


@pytest.mark.parametrize(
    ("pairs", "who"),
    [([(5, 1)], "judge and people"), ([(5, 1), (1, 1)], "people"), ([(5, 5), (5, 1)], "the judge")],
)
def test_kappa_of_one_value_is_undefined_and_says_whose(pairs: list[tuple[float, float]], who: str) -> None:
    told = "\n".join(lines(of(pairs)))
    assert f"Cohen's kappa     undefined: {who} gave one value only" in told
    assert "0.00" not in told
    assert f"kappa is undefined: {who} gave every case the same verdict" in told
    n = len(pairs)
    assert f"against {n} {'label' if n == 1 else 'labels'} of people" in told
    assert f"{n} {'score' if n == 1 else 'scores'}" in told


def test_a_good_judge_gets_no_warning() -> None:
    assert of([(5, 5)] * 50 + [(1, 1)] * 50 + [(5, 1)] * 2).warnings == []


def test_the_command_walks_the_sample_without_a_score_and_tells_the_agreement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store(tmp_path) as opened:
        experiment = write(opened, SCORES)
    monkeypatch.chdir(tmp_path)

    def label(*arguments: str) -> tuple[int, str]:
        found = CliRunner().invoke(root, ["label", experiment, *arguments])
        return found.exit_code, found.output

    assert "no labels yet" in label("--agreement")[1]
    label("c-0", "model fault")
    told = label("--agreement")[1]
    assert "1 row is labelled, but that says why a row fails" in told
    assert f"ragtui label {experiment} CASE agree --metric groundedness" in told
    for _ in SCORES:
        status, shown = label("--blind", "--metric", "groundedness")
        assert status == 0
        case_id = shown.split(" ")[0]
        assert f"response: answer {case_id[2:]}" in shown
        assert f"question {case_id}" in shown
        assert "groundedness: 1 contradicted or made up; 5 fully supported" in shown
        assert "because" not in shown, "the judge's reason is in sight"
        own = "2" if case_id == "c-0" else f"{SCORES[int(case_id[2:])]:g}"
        assert label(case_id, own, "--metric", "groundedness", "--blind")[0] == 0
    assert "all 10 cases" in label("--blind", "--metric", "groundedness")[1]
    status, shown = label("--agreement", "--metric", "groundedness")
    assert status == 0
    for part in ("a blind random sample", "agreement         90% of 10", "Cohen's kappa     0.80",
                 "base rate         people pass 50%, the judge 60%", "person fails                 4             1",
                 "few labels", "they differ on: c-0 (judge 5, person 2)"):  # fmt: skip
        assert part in shown, shown
    assert "biased" not in shown
    for wrong in (["--agreement", "--blind"], ["--blind"], ["c-0", "--blind", "--metric", "groundedness"],
                  ["c-0", "9", "--blind", "--metric", "groundedness"]):  # fmt: skip
        status, shown = label(*wrong)
        assert status == 2, shown
        assert len(shown.strip().splitlines()) == 1
