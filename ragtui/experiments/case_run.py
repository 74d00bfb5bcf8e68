"""Runs the cases of a dataset: responses arrive, cheap metrics are computed, questions go to the judge."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ragtui.datasets.case_ids import CASE_ID
from ragtui.datasets.dataset import Dataset
from ragtui.experiments.answering import close_target, open_targets
from ragtui.experiments.case_inputs import CaseInputs, InputColumns, origins, target_cases
from ragtui.experiments.code_sessions import CodeSessions
from ragtui.experiments.judging import judge_all
from ragtui.experiments.pinned_metrics import close, planned_metrics
from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.progress import Progress
from ragtui.experiments.recorder import Recorder
from ragtui.experiments.reply_cache import ReplyCache
from ragtui.experiments.rescoring import take_responses
from ragtui.experiments.why_not import why_not
from ragtui.judges.judge import Question, Verdict
from ragtui.judges.profile import open_judge, profile
from ragtui.metrics.metric import Kind, Metric
from ragtui.metrics.own.code_score import SESSION
from ragtui.metrics.score import Inputs, Outcome, State
from ragtui.targets.target import Response, Target
from ragtui.workspace import Workspace

if TYPE_CHECKING:
    from ragtui.experiments.run import RunOptions

WINDOW: Final = 64  # cases that are held in memory at once
LIVE_WINDOW: Final = 8  # the same where answers take their time: what has come is scored soon
_AT_ONCE: Final = 500  # replayed responses of one transaction


@dataclass(frozen=True, slots=True)
class Cell:
    """What a verdict belongs to: one question about one case, and the metrics that are derived from it."""

    side: Side
    position: int
    repeat: int
    question: str
    metrics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CodeCell:
    """A case that a code metric is to score."""

    side: Side
    position: int
    metric: Metric
    response: Response
    inputs: Inputs


class CaseRun:
    """One run over a dataset of cases. ``cells`` is how many there are to do, ``stopped_by`` why it ended early."""

    def __init__(
        self,
        plan: Plan,
        dataset: Dataset,
        workspace: Workspace,
        recorder: Recorder,
        progress: Progress,
        retry_errors: bool,
        options: RunOptions,
    ) -> None:
        self.plan, self.dataset, self.workspace = plan, dataset, workspace
        self.recorder, self.progress, self.options = recorder, progress, options
        self.retry = retry_errors
        chosen = profile(plan.judge, workspace, strategy=plan.strategy)
        self.judge = open_judge(chosen if options.shard is None else options.shard.limited(chosen))
        self.metrics = planned_metrics(plan, workspace)
        self._sessions = CodeSessions(dataset) if any(each.kind is Kind.CODE for each in self.metrics) else None
        self.origins = {each.name: origins(each, dataset, plan.mapping) for each in self.metrics}
        self._columns = InputColumns(self.dataset, self.origins)
        self.cache = ReplyCache(recorder.store, reads=not options.fresh)
        self.stopped_by = ""
        self.size = dataset.rows
        self.positions = self._positions()
        self._answered: dict[Side, set[int]] = {}
        self._arrived = asyncio.Condition()
        self._failed: BaseException | None = None
        self._window = WINDOW

    def _positions(self) -> Sequence[int]:
        """The cases to run: all, or those of a shard."""
        if self.options.shard is None or self.dataset.cases is None:
            return range(self.size)
        return self.options.shard.positions(self.dataset.cases[CASE_ID].to_list())

    @property
    def cells(self) -> int:
        """Cells to be done; the cases that a recorded baseline does not have are none."""
        unanswered = self.recorder.unanswered(Side.BASELINE)
        return (len(self.positions) * len(self.plan.sides) - unanswered) * self.plan.cells_of_a_case

    @property
    def questions_expected(self) -> int:
        """How many questions an offline judge will be asked at most."""
        asked = {each.question for each in self.metrics if each.question and self.judge.refuses(each.question) is None}
        return len(self.positions) * len(self.plan.sides) * len(asked) * self.plan.repeats

    async def run(self, executor: Executor | None) -> None:
        """Does everything that is not stored yet."""
        from ragtui.judges.concurrency import Concurrency

        self.progress.total = self.cells
        for state, n in self.recorder.counts(self.retry).items():
            self._count(state, n, reused=True)
        concurrency = Concurrency(self.options.concurrency) if self.options.concurrency else None
        shared = concurrency or getattr(self.judge, "concurrency", None)
        self.progress._turn = None if shared is None else shared.turn
        self._in_flight = shared
        if self.plan.responses_of is not None:
            take_responses(self.recorder, self.plan, self.size)
        targets = open_targets(self.plan, self.dataset, self.workspace) if self.plan.responses_of is None else {}
        live = not all(target.replays for target in targets.values())
        self._window = LIVE_WINDOW if live else WINDOW
        self._answered = {
            side: self.recorder.answered(side, self.retry and side in targets) for side, _ in self.plan.sides
        }
        tasks = [asyncio.ensure_future(self._answer(side, target)) for side, target in targets.items()]
        try:
            await judge_all(
                self.judge,
                self._questions(),
                on_verdict=self._on_verdict,
                stop=lambda: self.progress.cancelled,
                concurrency=concurrency,
                cache=self.cache,
                executor=executor,
            )
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            close(self.metrics)
            for side, target in targets.items():
                await close_target(target, side, self.recorder)
            await self.judge.close()

    # -- responses -----------------------------------------------------------------------------------------------

    async def _answer(self, side: Side, target: Target) -> None:
        """Asks a target for what is not stored; whoever waits for responses hears of its failure."""
        try:
            missing = [at for at in self.positions if at not in self._answered[side]]
            for start in range(0, len(missing), _AT_ONCE):
                await self._answer_part(side, target, missing[start : start + _AT_ONCE])
        except Exception as error:
            self._failed = error
            async with self._arrived:
                self._arrived.notify_all()

    async def _answer_part(self, side: Side, target: Target, positions: list[int]) -> None:
        cases = target_cases(self.dataset, self.plan.mapping, positions)
        by_id = {case.case_id: at for case, at in zip(cases, positions, strict=True)}
        builder = self._columns.part(positions[0], positions[-1] - positions[0] + 1)
        held: list[tuple[int, Response]] = []
        async for response in target.respond(cases):
            at = by_id[response.case_id]
            held.append((at, builder.seen_by(self.origins.values(), at, response)))
            if not target.replays:
                await self._store(side, held)
                held = []
        await self._store(side, held)

    async def _store(self, side: Side, responses: list[tuple[int, Response]]) -> None:
        self.recorder.respond(side, responses)
        async with self._arrived:
            self._answered[side].update(at for at, _ in responses)
            self._arrived.notify_all()

    async def _wait_for(self, wanted: Sequence[int]) -> None:
        async with self._arrived:
            await self._arrived.wait_for(
                lambda: (
                    self._failed is not None or all(answered.issuperset(wanted) for answered in self._answered.values())
                )
            )
        if self._failed is not None:
            raise self._failed

    # -- scores --------------------------------------------------------------------------------------------------

    async def _questions(self) -> AsyncIterator[tuple[Cell, Question]]:
        """What is left to ask, case by case; what needs no judge is computed and stored on the way."""
        for first in range(0, len(self.positions), self._window):
            part = self.positions[first : first + self._window]
            start, end = part[0], part[-1] + 1
            await self._wait_for(part)
            done = self.recorder.done(start, end, self.retry)
            builder = self._columns.part(start, end - start)
            responses = {side: self.recorder.responses(side, start, end) for side in self._answered}
            self.progress.total = self.cells
            outcomes: dict[tuple[Side, str], list[tuple[int, int, Outcome]]] = {}
            asked: list[tuple[Cell, Question]] = []
            coded: list[CodeCell] = []
            for position in part:
                for side, answers in responses.items():
                    if answers[position].state is not State.PENDING:
                        asked += self._one_case(side, position, answers[position], builder, done, outcomes, coded)
            self._store_outcomes(outcomes)
            await self._run_code(coded)
            for each in asked:
                if self._out_of_budget():
                    return
                yield each

    def _one_case(
        self,
        side: Side,
        position: int,
        response: Response,
        builder: CaseInputs,
        done: set[tuple[str, str, int, int]],
        outcomes: dict[tuple[Side, str], list[tuple[int, int, Outcome]]],
        coded: list[CodeCell],
    ) -> Iterable[tuple[Cell, Question]]:
        """Computes what needs no judge and returns what to ask about one case."""
        to_ask: dict[tuple[str, int], list[Metric]] = {}
        inputs_of: dict[str, Inputs] = {}
        for metric, planned in zip(self.metrics, self.plan.metrics, strict=True):
            open_repeats = [
                n for n in range(1, self.plan.repeats_of(planned) + 1) if (side, metric.name, position, n) not in done
            ]
            if not open_repeats:
                continue
            inputs = builder.inputs(position, response, self.origins[metric.name])
            if metric.kind is Kind.CODE and response.state is not State.TARGET_ERROR:
                coded.append(CodeCell(side, position, metric, response, inputs))
                continue
            outcome = self._without_a_judge(metric, response, inputs)
            if outcome is not None:
                outcomes.setdefault((side, metric.name), []).extend((position, n, outcome) for n in open_repeats)
                continue
            inputs_of[metric.name] = inputs
            for n in open_repeats:
                to_ask.setdefault((metric.question or "", n), []).append(metric)
        for (question, repeat), metrics in to_ask.items():
            for group in _by_inputs(metrics, inputs_of):
                cell = Cell(side, position, repeat, question, tuple(each.name for each in group))
                inputs = {name: value for each in group for name, value in inputs_of[each.name].items()}
                yield cell, Question(question, inputs, group[0].version, repeat, group[0].rubric)

    async def _run_code(self, cells: list[CodeCell]) -> None:
        """Computes code metrics in a thread, so that judges and targets go on meanwhile; each score is stored as it
        lands."""
        for cell in cells:
            if self.progress.cancelled:
                return
            assert self._sessions is not None
            assert cell.metric.score is not None
            session = self._sessions.of(cell.position, cell.response, cell.inputs)
            outcome = await asyncio.to_thread(cell.metric.score, {**cell.inputs, SESSION: session})
            self._store_outcomes({(cell.side, cell.metric.name): [(cell.position, 1, outcome)]})

    def _without_a_judge(self, metric: Metric, response: Response, inputs: Inputs) -> Outcome | None:
        """The outcome of a metric that is computed, or cannot be; ``None`` where the judge must be asked."""
        reason = why_not(metric, response, inputs, self.judge)
        if reason is not None or metric.score is None:
            return reason
        try:
            return metric.score(inputs)
        except Exception as error:
            return Outcome(State.METRIC_ERROR, cause="exception", reason=f"{type(error).__name__}: {error}")

    def _store_outcomes(self, outcomes: Mapping[tuple[Side, str], list[tuple[int, int, Outcome]]]) -> None:
        for (side, metric), found in outcomes.items():
            self.recorder.score(side, metric, found)
            for _, _, outcome in found:
                self._count(outcome.state)

    def _on_verdict(self, cell: Cell, verdict: Verdict) -> None:
        if verdict.state is State.SKIPPED:
            return
        found = [(name, _outcome(self._metric(name), verdict)) for name in cell.metrics]
        reply = self.cache.release(verdict)
        self.recorder.judge(
            cell.side, cell.position, cell.question, cell.repeat, self.judge.name, verdict, found, reply
        )
        for _, outcome in found:
            self._count(outcome.state)
        progress, paid = self.progress, not verdict.cached and self.judge.host is not None
        tokens = (verdict.prompt_tokens or 0, verdict.completion_tokens or 0)
        progress.called(cell.position, len(cell.metrics), tokens, verdict.cost, paid)
        if self._in_flight is not None:
            progress.in_flight, progress.concurrency = self._in_flight.in_flight, self._in_flight.limit

    def _metric(self, name: str) -> Metric:
        return next(each for each in self.metrics if each.name == name)

    def _count(self, state: State, n: int = 1, reused: bool = False) -> None:
        self.progress.states[state] += n
        self.progress.done += n
        self.progress.reused += n if reused else 0

    def _out_of_budget(self) -> bool:
        budget, spent = self.options.budget, self.progress.cost or 0.0
        if budget is None or spent < budget:
            return False
        self.stopped_by = f"the budget of {budget:g} USD is spent ({spent:.4g} USD)"
        return True


def _by_inputs(metrics: list[Metric], inputs: Mapping[str, Inputs]) -> list[list[Metric]]:
    """Metrics of one question that see the same values of what they share, so that one answer serves them all."""
    groups: list[list[Metric]] = []
    for metric in metrics:
        mine = inputs[metric.name]
        for group in groups:
            theirs = [inputs[each.name] for each in group]
            if all(mine.get(name, value) == value for each in theirs for name, value in each.items()):
                group.append(metric)
                break
        else:
            groups.append([metric])
    return groups


def _outcome(metric: Metric, verdict: Verdict) -> Outcome:
    if verdict.state is State.SCORED:
        return metric.from_verdict(verdict.score, verdict.reason, verdict.evidence)
    return Outcome(verdict.state, cause=verdict.cause, reason=verdict.reason, evidence=verdict.evidence)
