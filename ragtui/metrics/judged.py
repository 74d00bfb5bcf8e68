"""Metrics that a judge scores, and the rubric each is judged by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from ragtui.metrics.metric import Definition, Kind, Metric


@dataclass(frozen=True, slots=True)
class Rubric:
    """What a judge is told for one question: the task, what each score means (lowest first), and rules that prevent the
    usual misjudgements. ``fields`` are the inputs shown to it, in order, with the heading of each; those a case lacks
    are left out. Changing any word is a new version of the metric.
    """

    question: str
    task: str
    levels: Mapping[int, str]
    rules: tuple[str, ...]
    fields: Mapping[str, str]

    @property
    def low(self) -> int:
        return min(self.levels)

    @property
    def high(self) -> int:
        return max(self.levels)


OWN: Final = "own:"
"""What the question of a metric of the user's own begins with; its rubric comes with the question."""

HEADINGS: Final = {
    "query": "QUESTION",
    "context": "CONTEXT",
    "response": "ANSWER",
    "ground_truth": "REFERENCE ANSWER",
    "tool_definitions": "AVAILABLE TOOLS",
    "tool_calls": "TOOL CALLS",
}


def _rubric(question: str, shown: str, task: str, levels: tuple[str, ...], *rules: str, low: int = 1) -> Rubric:
    scale = MappingProxyType(dict(enumerate(levels, start=low)))
    return Rubric(question, task, scale, rules, MappingProxyType({name: HEADINGS[name] for name in shown.split()}))


_ALL: Final = (
    _rubric(
        "groundedness",
        "query context response",
        "Judge whether every statement of the answer is supported by the context. Only the context counts as evidence: "
        "what is true in the world but is not said there is unsupported.",
        (
            "Contradicted or made up: the main statement contradicts the context, or nothing in the answer is in it.",
            "Mostly unsupported: some words match, but what the answer mainly states is not in the context.",
            "Partly supported: the main statement is supported, but a further statement that matters is not.",
            "Supported with a small gap: all that matters is supported; a minor detail is not in the context.",
            "Fully supported: each statement follows from the context, with the same numbers, names and conditions.",
        ),
        "Take the answer apart statement by statement and look for each in the context.",
        "A number, date, name or condition that differs from the context contradicts it.",
        "Do not judge whether the answer is useful, complete or well written.",
        "An answer that only says that the context does not hold the information is fully supported if that is so.",
    ),
    _rubric(
        "relevance",
        "query response",
        "Judge how well the answer addresses what the question asks for.",
        (
            "Off topic: it does not deal with the question at all.",
            "Beside the point: it is about the subject, but does not answer what is asked, or refuses without need.",
            "Partial: it answers a part of the question, or buries the answer under much that was not asked.",
            "Direct: it answers the whole question; a helpful point is missing or a little is superfluous.",
            "Complete and to the point: it answers all parts of the question and adds only what helps the asker.",
        ),
        "Do not judge whether the answer is true: a wrong answer to exactly this question is still relevant.",
        "Length is no merit.",
    ),
    _rubric(
        "coherence",
        "query response",
        "Judge whether the answer hangs together: whether its sentences follow from each other in an order that a "
        "reader can follow.",
        (
            "Incoherent: fragments or sentences without any connection.",
            "Poor: most steps do not follow, or the answer contradicts itself in what matters.",
            "Uneven: the line of thought is visible, with jumps, repetition or a small contradiction.",
            "Good: well ordered and easy to follow, with a rough transition at most.",
            "Excellent: each sentence has its place and leads to the next; the reader never has to go back.",
        ),
        "Do not judge truth, completeness or grammar.",
        "A short answer of one clear sentence can be excellent.",
    ),
    _rubric(
        "fluency",
        "response",
        "Judge the language of the answer, in the language it is written in: grammar, choice of words, readability.",
        (
            "Unreadable: errors nearly everywhere; the meaning is lost.",
            "Poor: frequent errors; parts have to be guessed.",
            "Acceptable: understandable, with noticeable errors or clumsy sentences.",
            "Good: correct and readable with at most a slip.",
            "Excellent: correct, natural and varied; reads as if a careful writer had written it.",
        ),
        "Do not judge content, truth or length.",
        "Names, code, numbers and quotations are not errors.",
    ),
    _rubric(
        "retrieval",
        "query context",
        "Judge the retrieved context, not an answer: do the chunks hold what is needed to answer the question, and do "
        "the useful ones come first?",
        (
            "Useless: no chunk helps to answer the question.",
            "Weak: the subject is right, but what is needed to answer is missing.",
            "Partial: a part of what is needed is there, or it comes after chunks that do not help.",
            "Good: what is needed is there and near the top, with some chunks that do not help.",
            "Excellent: the first chunks hold all that is needed; little else was retrieved.",
        ),
        "The chunks are in the order in which they were retrieved.",
        "Do not use knowledge from outside the context.",
    ),
    _rubric(
        "similarity",
        "query ground_truth response",
        "Judge how far the answer means the same as the reference answer to this question.",
        (
            "Different: it means something else or contradicts the reference.",
            "Mostly different: a little of the reference's meaning is there.",
            "Half the same: the main point agrees, other points are missing or differ.",
            "Nearly the same: only details differ that do not change the meaning for the asker.",
            "The same: a reader would learn the same from both, whatever the wording.",
        ),
        "Wording, order and style do not matter; numbers, names and conditions do.",
    ),
    _rubric(
        "response_completeness",
        "query ground_truth response",
        "Judge how much of what the reference answer states is also stated in the answer.",
        (
            "Nothing: no statement of the reference is in the answer.",
            "Little: few statements of the reference are there, or the most important one is missing.",
            "Half: about half is there, among it a part of what matters most.",
            "Most: all that matters is there; a minor statement is missing.",
            "All: every statement of the reference is in the answer, in whatever words.",
        ),
        "List the statements of the reference and look for each in the answer.",
        "A statement that the answer contradicts is missing. Further statements of the answer do not matter.",
    ),
    _rubric(
        "intent_resolution",
        "query tool_definitions response",
        "Judge whether the assistant understood what the user wants and resolved it, as the conversation shows.",
        (
            "Missed: the intent was not understood, or nothing was done about it.",
            "Barely: the intent was touched, but hardly anything that was wanted was done.",
            "Partly: the intent was understood and resolved in part.",
            "Mostly: the intent was resolved; something small is open or unclear.",
            "Resolved: what the user wanted was understood and done completely, or a needed question was asked.",
        ),
        "Judge the outcome for the user, not the way to it.",
        "A refusal resolves the intent only if the request could not or must not be fulfilled and the reply says why.",
    ),
    _rubric(
        "task_adherence",
        "query tool_definitions response",
        "Judge whether the assistant did the task it was given and kept to the instructions and limits it was given.",
        (
            "It did not: the task was not done, or an instruction or limit was broken in a way that matters.",
            "It did: the task was done and every instruction and limit that matters was kept.",
        ),
        "Small differences of style are not a breach.",
        low=0,
    ),
    _rubric(
        "tool_call_accuracy",
        "query tool_definitions tool_calls response",
        "Judge the assistant's tool calls: the right tools, with right parameters, all that were needed and no others.",
        (
            "Wrong: the calls have nothing to do with what is asked, or none was made where one was needed.",
            "Mostly wrong: the subject fits, but tools or parameters are wrong, so that the user cannot be served.",
            "Partly right: a needed call is right, another is missing, wrong or superfluous in a way that matters.",
            "Nearly right: all needed calls are right, with a superfluous call or a failed one that was made good.",
            "Right: exactly the needed calls, each with parameters from the conversation or the tools' own rules.",
        ),
        "A parameter that is made up and stands in no message, result or default is wrong.",
        "If no tool was needed and none was called, the calls are right.",
    ),
)

RUBRICS: Final[Mapping[str, Rubric]] = MappingProxyType({each.question: each for each in _ALL})
"""The rubric of each question by its name."""


def _judged(
    name: str,
    inputs: str,
    optional: str,
    summary: str,
    definition: str,
    *,
    scale: tuple[float, float] = (1.0, 5.0),
    threshold: float = 3.0,
    aliases: dict[str, str] | None = None,
) -> Definition:
    made = Metric(
        name,
        Kind.JUDGED,
        summary,
        tuple(inputs.split()),
        tuple(optional.split()),
        scale,
        threshold=threshold,
        question=name,
        definition=definition,
        source="rubric of ragtui's own, on the scale of Azure AI evaluation",
    )
    return Definition(made, aliases=aliases or {})


_EMPTY: Final = "An empty answer is judged as it stands. "
_NO_REFERENCE: Final = "Not applicable without a ground truth; of several the best counts. "
_LANGUAGES: Final = "Any language the judge knows; the embedded judge is weak outside English and says so."
_MODEL_ONLY: Final = "Needs a model judge: not applicable with the embedded one. "

DEFINITIONS: Final = (
    _judged(
        "groundedness",
        "response context",
        "query",
        "is every statement of the response supported by the retrieved context?",
        "1 (contradicted or made up) to 5 (each statement follows from the context). Not applicable without context or "
        "with an empty response: there is nothing to verify. " + _LANGUAGES,
    ),
    _judged(
        "relevance",
        "query response",
        "",
        "does the response answer what was asked?",
        "1 (off topic) to 5 (answers all parts and nothing else). " + _EMPTY + _LANGUAGES,
    ),
    _judged(
        "coherence",
        "query response",
        "",
        "does the response hang together?",
        "1 (fragments) to 5 (each sentence leads to the next). " + _EMPTY + _MODEL_ONLY + _LANGUAGES,
    ),
    _judged(
        "fluency",
        "response",
        "",
        "is the response well written?",
        "1 (unreadable) to 5 (natural and correct). " + _EMPTY + _MODEL_ONLY + _LANGUAGES,
    ),
    _judged(
        "retrieval",
        "query context",
        "",
        "does the retrieved context hold what is needed, best first?",
        "1 (no chunk helps) to 5 (the first chunks hold all). The response is not looked at. Not applicable without "
        "context. " + _LANGUAGES,
    ),
    _judged(
        "similarity",
        "response ground_truth",
        "query",
        "does the response mean the same as the ground truth?",
        "1 (something else) to 5 (the same meaning). " + _EMPTY + _NO_REFERENCE + _LANGUAGES,
    ),
    _judged(
        "response_completeness",
        "response ground_truth",
        "query",
        "is everything the ground truth states in the response?",
        "1 (nothing of it) to 5 (every statement). Further statements of the response do not matter. "
        + _EMPTY
        + _NO_REFERENCE
        + _LANGUAGES,
    ),
    _judged(
        "intent_resolution",
        "query response",
        "tool_definitions",
        "did the assistant resolve what the user wanted?",
        "1 (missed) to 5 (resolved). " + _EMPTY + _MODEL_ONLY + _LANGUAGES,
    ),
    _judged(
        "task_adherence",
        "query response",
        "tool_definitions",
        "did the assistant do the task and keep to its instructions?",
        "0 (no) or 1 (yes). " + _EMPTY + _MODEL_ONLY + _LANGUAGES,
        scale=(0.0, 1.0),
        threshold=1.0,
    ),
    _judged(
        "tool_call_accuracy",
        "query tool_definitions",
        "tool_calls response",
        "were the right tools called with the right parameters?",
        "1 (wrong calls) to 5 (exactly the needed calls). The calls are read from tool_calls, else from the response; "
        "not applicable where neither is there; an empty one made no call. " + _MODEL_ONLY + _LANGUAGES,
    ),
)
