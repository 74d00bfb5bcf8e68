"""How one case looks: question, answers, scores with their reasons and claims, the evidence they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ragtui.experiments import wording
from ragtui.experiments.plan import Plan, Side
from ragtui.metrics.score import State
from ragtui.tui.differences import Runs, differing
from ragtui.tui.screens.result_views import STATES
from ragtui.tui.widgets.passage import Passage, Span

if TYPE_CHECKING:
    from ragtui.experiments.results import CaseDetail, Cell, SideDetail
    from ragtui.metrics.score import Evidence

VERDICTS: Final = {"entailed": ("✓", "good"), "contradicted": ("✗", "bad"), "neutral": ("?", "warn")}


def brief(case: CaseDetail, plan: Plan, metric: str, *, reason_first: bool = False) -> Passage:
    """The case beside the table: what was asked and answered, then the selected metric's reason and claims, then the
    others' in a line each. ``reason_first`` is for where there is room for a few lines only."""
    passage = Passage()
    side = case.sides[0] if case.sides else None
    _labels(passage, case, Side.CANDIDATE)
    selected = [each for each in (side.cells if side is not None else ()) if each.metric == metric]
    for cell in selected if reason_first else ():
        _score(passage, cell, plan, claims=False)
    for i, (name, value) in enumerate(case.inputs.items()):
        passage.line(("Q  " if i == 0 else f"{name}  ", "title"), (value, ""), hang=3)
    if side is None:
        return passage
    if side.response is not None or not side.ranking:
        _answer_line(passage, side)
    for value in list(case.expected.values())[:1]:
        passage.line(("E  ", "title"), (value, "dim"), hang=3)
    if side.ranking:
        passage.gap()
        _ranking(passage, side, limit=12)
    passage.gap()
    for cell in selected:
        if reason_first:
            _claims(passage, cell, plan)
        else:
            _score(passage, cell, plan, claims=True)
    _cause(passage, side)
    passage.gap()
    for cell in (each for each in side.cells if each.metric != metric and each.repeat == 1):
        _score(passage, cell, plan, claims=False)
    return passage


def _labels(passage: Passage, case: CaseDetail, side: Side) -> None:
    """What a person said of this side; labels and notes are given to the candidate."""
    for place, label in case.labels.items():
        if place.partition(" ")[0] == side.value:
            passage.line(("✎ ", "accent"), (label, "accent"), (f"  {place.removeprefix(side.value).strip()}", "dim"))
    if case.note and side is Side.CANDIDATE:
        passage.line(("✎ ", "accent"), (case.note, ""), hang=2)
    for said in case.on_other_answers:
        if said.startswith(side.value):
            passage.line(("· ", "dim"), (said, "dim"), hang=2)


def _answer_line(passage: Passage, side: SideDetail) -> None:
    if side.response is None:
        passage.line(("A  ", "title"), (_no_answer(side), "warn"), hang=3)
    else:
        passage.line(("A  ", "title"), (side.response or "(an empty answer)", "" if side.response else "warn"), hang=3)


def _no_answer(side: SideDetail) -> str:
    word = {State.PENDING: "no response was recorded", State.TARGET_ERROR: "the target failed"}.get(
        side.state, side.state.value
    )
    return f"{word}: {side.message}" if side.message else word


def _cause(passage: Passage, side: SideDetail) -> None:
    if side.cause:
        passage.gap()
        passage.line(("cause  ", "title"), (side.cause, "strong"), hang=7)
        if side.cause_evidence:
            passage.line((side.cause_evidence, "dim"), indent=7)


def _score(passage: Passage, cell: Cell, plan: Plan, *, claims: bool, place: str = "") -> None:
    shown, tone = score_words(cell, plan)
    repeat = f" #{cell.repeat}" if plan.repeats > 1 else ""
    reason = cell.reason.partition("\n")[0]  # a traceback is for the case whole
    passage.line((f"{cell.metric}{repeat} ", "strong"), (shown, tone), (f"  {reason}" if reason else "", ""),
                 hang=2, place=place)  # fmt: skip
    if claims:
        _claims(passage, cell, plan)


def score_words(cell: Cell, plan: Plan) -> tuple[str, str]:
    """A cell in words: ``2 ✗ (below 3)``, ``n/a``, ``judge error: unparsable``."""
    if cell.score is None:
        word = cell.state.value.replace("_", " ") + (f": {cell.cause}" if cell.cause else "")
        return word, STATES.get(cell.state.value, ("", "dim"))[1]
    try:
        text = wording.score(cell.score, plan.metric(cell.metric))
    except KeyError:
        text = wording.number(cell.score)
    if cell.passed is None:
        return text, "strong"
    return (f"{text} ✓", "good") if cell.passed else (f"{text} ✗ (threshold {cell.threshold:g})", "bad")


def _claims(passage: Passage, cell: Cell, plan: Plan) -> None:
    about_contexts = rests_on_contexts(cell.metric, plan)
    for number, each in enumerate(cell.evidence):
        mark, tone = VERDICTS.get(each.verdict, ("·", "dim"))
        if each.chunk is None:
            where = "no chunk" if about_contexts else "not in the answer"
        else:
            where = f"chunk {each.chunk + 1}" if about_contexts else "in the answer"
        note = f"  {each.note}" if each.note else ""
        parts = ((f"{mark} ", tone), (each.claim, ""), (f"  {where}", "dim"), (note, tone))
        passage.line(*parts, indent=2, hang=2, named={1: _place(cell, number)})


def _place(cell: Cell, number: int) -> str:
    return f"{cell.metric} claim {number}"


def rests_on_contexts(metric: str, plan: Plan) -> bool:
    """Whether a metric's claims are held against the contexts; else they are facts looked for in the answer."""
    return any(each.spec == metric and "context" in each.inputs for each in plan.metrics)


# The whole case, on a screen of its own


def answer(case: CaseDetail, side: SideDetail, plan: Plan, against: SideDetail | None = None) -> Passage:
    """One side: question, expected and given answer with the words that differ, every score with its claims.

    ``against`` is the side whose answer the words are compared with; without it, what was expected is.
    """
    passage = Passage()
    _labels(passage, case, side.side)
    passage.heading("Question", case.case_id)
    for name, value in case.inputs.items():
        if len(case.inputs) > 1:
            passage.line((name, "dim"))
        passage.text(value)
    expected = next(iter(case.expected.values()), "")
    other = (against.response or "") if against is not None else expected
    given = side.response
    if given is not None or not side.ranking:
        passage.heading(f"Answer of the {side.side}", plan_target(plan, side.side))
    if given is None and not side.ranking:
        passage.line((_no_answer(side), "warn"))
    elif given is not None:
        marks, _ = differing(given, other)
        passage.text(given or "(an empty answer)", [*_differs(marks), *_facts_in(side.cells, plan)])
    for name, value in case.expected.items():
        passage.heading("Expected", name)
        compared = value == expected and against is None
        passage.text(value, _differs(differing(given or "", value)[1]) if compared else ())
    _figures(passage, [cell for cell in side.cells if not _has_more(cell)], plan)
    for cell in (each for each in side.cells if _has_more(each)):
        repeat = f" #{cell.repeat}" if plan.repeats > 1 else ""
        words, tone = score_words(cell, plan)
        passage.heading(f"{cell.metric}{repeat}", words, tone=tone, place=f"metric {cell.metric}")
        if cell.reason:
            passage.text(cell.reason)
        _claims(passage, cell, plan)
        if took := spent(cell):
            passage.line((took, "dim"))
    _cause(passage, side)
    if side.latency_ms is not None:
        passage.gap()
        passage.line((f"answered in {side.latency_ms:,.0f} ms", "dim"))
    return passage


def _has_more(cell: Cell) -> bool:
    """Whether there is more to say of a cell than its score."""
    return bool(cell.reason or cell.evidence or cell.prompt)


def _figures(passage: Passage, cells: Sequence[Cell], plan: Plan) -> None:
    """Scores that need no explanation, a line each."""
    if cells:
        passage.heading("Figures")
    width = max((len(cell.metric) for cell in cells), default=0) + 2
    for cell in cells:
        words, tone = score_words(cell, plan)
        passage.line((f"{cell.metric:<{width}}", ""), (words, tone), place=f"metric {cell.metric}")


def plan_target(plan: Plan, side: Side) -> str:
    return dict(plan.sides).get(side, "")


def _differs(runs: Runs) -> list[Span]:
    return [Span(start, end, "mark-differs") for start, end in runs]


def _facts_in(cells: Sequence[Cell], plan: Plan) -> list[Span]:
    """Where the answer says what a fact is about: without a tone, so that it shows when one goes there."""
    return [
        Span(each.start, each.end, "", _place(cell, number))
        for cell in cells
        if not rests_on_contexts(cell.metric, plan)
        for number, each in enumerate(cell.evidence)
        if each.start is not None and each.end is not None
    ]


def evidence(side: SideDetail, plan: Plan, texts: Mapping[str, str] | None = None) -> Passage:
    """What the answer rests on: contexts with the parts that support or contradict claims marked, or the ranking."""
    passage = Passage()
    marks = _marks_by_chunk(side.cells, plan)
    for number, context in enumerate(side.contexts):
        mine = marks.get(number, [])
        good, bad = (sum(m.tone == tone for m in mine) for tone in ("mark-good", "mark-bad"))
        note = " · ".join(
            each for each in (f"supports {good}" if good else "", f"contradicts {bad}" if bad else "") if each
        )
        passage.heading(f"Chunk {number + 1}", note, place=f"chunk {number}")
        passage.text(context or "(empty)", mine)
    if side.ranking:
        _ranking(passage, side, texts=texts)
    if not passage.paragraphs:
        passage.line(("no contexts were given or recorded", "dim"))
    return passage


def _marks_by_chunk(cells: Sequence[Cell], plan: Plan) -> dict[int, list[Span]]:
    found: dict[int, list[Span]] = {}
    for cell in (each for each in cells if rests_on_contexts(each.metric, plan)):
        for number, each in enumerate(cell.evidence):
            tone = {"entailed": "mark-good", "contradicted": "mark-bad"}.get(each.verdict)
            if tone and each.chunk is not None and each.start is not None and each.end is not None:
                found.setdefault(each.chunk, []).append(Span(each.start, each.end, tone, _place(cell, number)))
    return found


def claims_of(side: SideDetail, metric: str) -> list[tuple[str, Evidence]]:
    """The claims to step through, (place, evidence), the selected metric's first."""
    cells = sorted(side.cells, key=lambda each: each.metric != metric)
    return [(_place(cell, i), each) for cell in cells for i, each in enumerate(cell.evidence)]


def _ranking(
    passage: Passage, side: SideDetail, *, limit: int | None = None, texts: Mapping[str, str] | None = None
) -> None:
    found = [each for each in side.ranking if each.rank is not None]
    missing = [each for each in side.ranking if each.rank is None]
    if missing:
        passage.line((f"{len(missing)} relevant not found", "bad"))
        for each in missing[:limit]:
            passage.line(("  – ", "bad"), (f"grade {each.grade}  ", "bad"), (each.doc_id, "strong"), hang=4)
            if texts is not None:
                passage.text(texts.get(each.doc_id, "(no such document in the corpus)"), indent=4)
        passage.gap()
    for each in found[:limit]:
        grade, tone = ("·", "dim") if each.grade is None else (f"{each.grade}", "good" if each.grade > 0 else "dim")
        score = "" if each.score is None else f"  {each.score:.4g}"
        passage.line(
            (f"{each.rank:>3} ", "dim"), (f"{grade:>2}  ", tone), (each.doc_id, "strong"), (score, "dim"), hang=8
        )
        if texts is not None and each.rank is not None and each.rank <= 10:
            passage.text(texts.get(each.doc_id, ""), indent=8, tone="dim")
    if limit is not None and len(found) > limit:
        passage.line((f"    … {len(found) - limit:,} more", "dim"))


def spent(cell: Cell) -> str:
    """What judging a cell took: ``2 attempts · 812 + 64 tokens · $0.0012 · 340 ms``; unknown parts are left out."""
    parts = [f"judge {cell.judge}" if cell.judge else ""]
    parts.append(f"{cell.attempts} attempts" if cell.attempts > 1 else "")
    if cell.prompt_tokens is not None:
        parts.append(f"{cell.prompt_tokens:,} + {cell.completion_tokens or 0:,} tokens")
    parts.append(f"${cell.cost:.4f}" if cell.cost is not None else "")
    parts.append(f"{cell.latency_ms:,.0f} ms" if cell.latency_ms is not None else "")
    return " · ".join(part for part in parts if part)


def prompt_and_reply(side: SideDetail, metric: str, judge: str = "") -> Passage:
    """What the judge was sent and what it said, byte for byte; the selected metric's first. ``judge`` is the plan's."""
    passage = Passage()
    for cell in sorted(side.cells, key=lambda each: each.metric != metric):
        if cell.prompt is None and cell.reply is None:
            continue
        passage.heading(f"{cell.metric}: prompt", spent(cell))
        passage.text(cell.prompt or "(not kept)")
        passage.heading(f"{cell.metric}: raw reply")
        passage.text(cell.reply or "(none)")
    if not passage.paragraphs and judge == "embedded" and any(cell.judge for cell in side.cells):
        passage.text("The embedded judge read this case itself: it is sent no prompt and gives no reply.", tone="dim")
        passage.text("Its reasons and claims stand with the scores; } steps through the claims.", tone="dim")
    elif not passage.paragraphs:
        passage.line(("no judge was asked about this case", "dim"))
    return passage


def as_text(case: CaseDetail, plan: Plan) -> str:
    """The whole case as plain text, nothing left out: for the editor and the pager."""
    lines = [f"case {case.case_id}", ""]
    for name, value in [*case.inputs.items(), *((f"expected {k}", v) for k, v in case.expected.items())]:
        lines += [f"## {name}", value, ""]
    for side in case.sides:
        lines += [f"## {side.side} {plan_target(plan, side.side)}", side.response or _no_answer(side), ""]
        for number, context in enumerate(side.contexts, 1):
            lines += [f"### chunk {number}", context, ""]
        for ranked in side.ranking:
            lines.append(f"{ranked.rank or 'missing':>7}  grade {ranked.grade}  {ranked.doc_id}")
        for cell in side.cells:
            lines += [f"### {cell.metric}: {score_words(cell, plan)[0]}", cell.reason]
            lines += [f"- {each.verdict}: {each.claim} {each.note}".rstrip() for each in cell.evidence] + [""]
    if case.labels or case.note:
        lines += ["## labels", *(f"{place}: {label}" for place, label in case.labels.items()), case.note]
    return "\n".join(lines)


def copies(case: CaseDetail) -> dict[str, str]:
    """The parts of a case that can be copied, by what they are called."""
    found: dict[str, str] = {}
    for side in case.sides:
        name = side.side.value
        if side.response is not None:
            found["answer" if side.side is Side.CANDIDATE else f"answer of the {name}"] = side.response
    found |= {f"{name}": value for name, value in case.inputs.items()}
    found |= {f"expected {name}": value for name, value in case.expected.items()}
    for side in case.sides[:1]:
        found |= {f"reason: {cell.metric}": cell.reason for cell in side.cells if cell.reason}
        if side.contexts:
            found["contexts"] = "\n\n".join(side.contexts)
    return {**found, "case id": case.case_id}
