"""Metrics that compare the words of the response with those of the ground truth."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from ragtui.metrics.metric import Definition, Kind, Metric
from ragtui.metrics.score import Inputs, Outcome, not_applicable, scored, texts
from ragtui.metrics.wording import ngrams
from ragtui.metrics.wording.words import is_unspaced, words

Words = Callable[[str], list[str]]
Agreement = Callable[[Sequence[str], Sequence[str]], float]

_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_ARTICLES: Final = frozenset(ngrams.ARTICLES)
_ARTICLE: Final = re.compile(r"\b(a|an|the)\b")
_NOT_ROUGE: Final = re.compile(r"[^a-z0-9]+")


# --- words ---------------------------------------------------------------------------------------------------------


def _squad_words(text: str) -> list[str]:
    """Lower case, ASCII punctuation deleted, English articles dropped, cut at white space."""
    return [word for word in _squad_pieces(text) if word not in _ARTICLES]


def _squad_pieces(text: str) -> list[str]:
    """``_squad_words`` with those articles still there that stand alone between white space."""
    plain = text.lower().translate(_NO_PUNCTUATION)
    return plain.split() if text.isascii() else _ARTICLE.sub(" ", plain).split()


def _rouge_words(text: str) -> list[str]:
    """Lower case; everything but a to z and digits is a space."""
    return _NOT_ROUGE.sub(" ", text.lower()).split()


def _azure_words(text: str) -> list[str]:
    from ragtui.metrics.wording.azure_words import azure_words

    return azure_words(text)


def _lower_azure_words(text: str) -> list[str]:
    return [word.lower() for word in _azure_words(text)]


def _written_words(text: str) -> list[str]:
    """Words and punctuation as written, scripts without spaces by character: sacrebleu's international words."""
    return _international()(_spaced(unicodedata.normalize("NFC", text))).split()


@cache
def _international() -> Callable[[str], str]:
    from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International

    made: Callable[[str], str] = TokenizerV14International()  # type: ignore[no-untyped-call]
    return made


def _spaced(text: str) -> str:
    return text if text.isascii() else "".join(f" {char} " if is_unspaced(char) else char for char in text)


# --- agreement -----------------------------------------------------------------------------------------------------


def _equal(found: Sequence[str], wanted: Sequence[str]) -> float:
    return float(found == wanted)


def _bare_f1(found: Sequence[str], wanted: Sequence[str]) -> float:
    return ngrams.bare_f1(found, wanted) or 0.0


def _meteor(found: Sequence[str], wanted: Sequence[str]) -> float:
    from ragtui.metrics.wording.meteor import meteor

    return meteor(found, wanted)


def _bleu(found: Sequence[str], wanted: Sequence[str]) -> float:
    """sacrebleu's sentence BLEU, over the orders that the shorter text has."""
    score = _sacrebleu().sentence_score(" ".join(found), [" ".join(wanted)]).score
    return min(float(score) / 100, 1.0)


@cache
def _sacrebleu() -> Any:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize="none", effective_order=True)


@cache
def _chrf() -> Any:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF()


def _chrf_score(response: str, truth: str) -> float:
    response, truth = (unicodedata.normalize("NFC", text) for text in (response, truth))
    return min(float(_chrf().sentence_score(response, [truth]).score) / 100, 1.0)


# --- scoring -------------------------------------------------------------------------------------------------------


def _score(compare: Callable[[str, str], float], inputs: Inputs, empty: float | None, note: str = "") -> Outcome:
    """The best agreement with any gold answer. ``empty`` is the score of an empty response (``None``: not
    applicable)."""
    golds = [text for text in texts(inputs, "ground_truth") if text.strip()]
    if not golds:
        return not_applicable("the ground truth is empty" if "ground_truth" in inputs else "no ground truth")
    given = inputs.get("response", "")
    response = given if isinstance(given, str) else " ".join(given)
    if not response or response.isspace():
        return not_applicable("the response is empty") if empty is None else scored(empty, "the response is empty")
    if len(golds) == 1:
        return scored(compare(response, golds[0]), note)
    nearest = f"nearest of {len(golds)} gold answers" + (f"; {note}" if note else "")
    return scored(max(compare(response, gold) for gold in golds), nearest)


def _by_words(cut: Words, agree: Agreement) -> Callable[[str, str], float]:
    """Compares by words; a ground truth without any (only punctuation) must be met exactly."""

    def compare(response: str, gold: str) -> float:
        wanted = cut(gold)
        return agree(cut(response), wanted) if wanted else float(response.strip() == gold.strip())

    return compare


def _azure(cut: Words, agree: Agreement) -> Callable[[str, str], float]:
    """Compares as Azure does: a side without words scores 0, even against itself."""

    def compare(response: str, gold: str) -> float:
        found, wanted = cut(response), cut(gold)
        return agree(found, wanted) if found and wanted else 0.0

    return compare


def _squad(agree: Agreement, inputs: Inputs) -> Outcome:
    """SQuAD's rule for unanswerable questions: without words on one side it is 1 if the other has none either, else
    0."""
    golds = texts(inputs, "ground_truth")
    if not golds:
        return not_applicable("no ground truth")
    found = _squad_words(" ".join(texts(inputs, "response")))
    scores = [
        agree(found, wanted) if found and wanted else float(found == wanted) for wanted in map(_squad_words, golds)
    ]
    return scored(max(scores), f"nearest of {len(golds)} gold answers" if len(golds) > 1 else "")


def _built(metric: Metric) -> Metric:
    """Fills in the score of an overlap metric for its variant."""
    base = metric.name.partition(":")[0]
    if metric.variant == "squad":
        agree = ngrams.overlap_f1 if base == "f1" else _equal
        return replace(metric, score=lambda inputs: _squad(agree, inputs))
    compare = _COMPARE[base, metric.variant]
    empty = None if metric.variant == "azure" else 0.0
    if base == "meteor":
        return replace(metric, score=lambda inputs: _score(compare, inputs, empty, _stages()))
    return replace(metric, score=lambda inputs: _score(compare, inputs, empty))


def _stages() -> str:
    from ragtui.metrics.wording.meteor import stages

    return stages()


def _rouge(n: int) -> Agreement:
    return lambda found, wanted: ngrams.ngram_f1(found, wanted, n)


_ROUGE: Final[dict[str, Agreement]] = {f"rouge{n}": _rouge(n) for n in range(1, 6)} | {"rougeL": ngrams.subsequence_f1}

_COMPARE: Final[dict[tuple[str, str | None], Callable[[str, str], float]]] = {
    ("f1", None): _by_words(words, ngrams.content_f1),
    ("f1", "azure"): _azure(_squad_pieces, _bare_f1),
    ("exact_match", None): _by_words(words, _equal),
    ("exact_match", "strict"): lambda response, gold: float(response == gold),
    ("bleu", None): _by_words(_written_words, _bleu),
    ("bleu", "azure"): _azure(_azure_words, ngrams.bleu),
    ("gleu", None): _by_words(_written_words, ngrams.gleu),
    ("gleu", "azure"): _azure(_azure_words, ngrams.gleu),
    ("meteor", None): _by_words(words, _meteor),
    ("meteor", "azure"): _azure(_lower_azure_words, _meteor),
    ("chrf", None): _chrf_score,
    **{(name, None): _by_words(words, agree) for name, agree in _ROUGE.items()},
    **{(name, "azure"): _azure(_rouge_words, agree) for name, agree in _ROUGE.items()},
}

# --- the table -----------------------------------------------------------------------------------------------------

_WORDS: Final = (
    "Words of any language: case, width and Unicode form do not count, Chinese, Japanese and Thai are compared by "
    "character, emoji count. "
)
_EDGES: Final = (
    "An empty response scores 0; without a ground truth not applicable; of several gold answers the best counts. "
    "Context is not looked at."
)
_AZURE: Final = "Azure AI evaluation's numbers (where one side is empty: not applicable, Azure says 0)"


def _definition(
    name: str, summary: str, text: str, source: str, variants: dict[str, str] | None = None, *aliases: str
) -> Definition:
    known = dict.fromkeys(aliases, name)
    if variants and "azure" in variants:
        known |= {f"builtin.{alias}": f"{name}:azure" for alias in aliases}
        known |= {f"{alias.title().replace('_', '')}Evaluator": f"{name}:azure" for alias in aliases}
    made = Metric(
        name,
        Kind.OVERLAP,
        summary,
        inputs=("response", "ground_truth"),
        threshold=0.5,
        definition=f"{text} {_EDGES}",
        source=source,
    )
    return Definition(made, variants=variants or {}, aliases=known, build=_built)


_SQUAD_TEXT: Final = "SQuAD's normalisation and its rule for unanswerable questions (both empty: 1)"
_ROUGE_TEXT: Final = {f"rouge{n}": f"F1 over sequences of {n} words." for n in range(2, 6)} | {
    "rouge1": "F1 over words.",
    "rougeL": "F1 over the longest common sequence of words.",
}

DEFINITIONS: Final = (
    _definition(
        "f1",
        "how many words do response and ground truth share?",
        "Harmonic mean of precision and recall over words, English articles left out. " + _WORDS,
        "SQuAD",
        {"azure": _AZURE, "squad": _SQUAD_TEXT},
        "f1_score",
    ),
    _definition(
        "exact_match",
        "is the response the ground truth?",
        "1 if both are the same words in the same order, else 0. " + _WORDS,
        "SQuAD",
        {"strict": "the same characters, as Haystack compares", "squad": _SQUAD_TEXT},
        "em",
        "AnswerExactMatch",
    ),
    _definition(
        "bleu",
        "how much of the response's wording is in the ground truth?",
        "sacrebleu's sentence BLEU with its international words (case counts; scripts without spaces by character), "
        "over the orders up to 4 that the response has.",
        "Papineni et al. 2002; sacrebleu",
        {"azure": _AZURE},
        "bleu_score",
    ),
    _definition(
        "gleu",
        "shared wording, fair to short texts",
        "Shared sequences of 1 to 4 words over the larger number of such sequences (case counts; scripts without "
        "spaces by character).",
        "Wu et al. 2016",
        {"azure": _AZURE},
        "gleu_score",
    ),
    _definition(
        "meteor",
        "shared words, stems and synonyms, and their order",
        "Words are matched by form, by stem (English), and by synonym where NLTK and WordNet are on this machine; "
        "the reason says which. " + _WORDS,
        "Banerjee and Lavie 2005",
        {"azure": _AZURE},
        "meteor_score",
    ),
    *(
        _definition(
            name,
            "shared wording: " + text.removesuffix("."),
            text + " " + _WORDS,
            "Lin 2004",
            {"azure": _AZURE},
            *(("rouge_score", "rouge") if name in ("rouge1", "rouge2", "rougeL") else ()),
        )
        for name, text in sorted(_ROUGE_TEXT.items())
    ),
    _definition(
        "chrf",
        "shared characters, in short sequences",
        "sacrebleu's chrF: F-score over sequences of 1 to 6 characters, recall weighing twice; case counts, any "
        "script.",
        "Popović 2015; sacrebleu",
    ),
)
