"""Agreement of two lists of words: overlap, n-grams, longest common subsequence. Every function returns 0 to 1."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

Grams = Counter[Any]
"""How often each word, or each sequence of words, occurs."""


ARTICLES = ("a", "an", "the")


def overlap_f1(found: Sequence[str], wanted: Sequence[str]) -> float:
    """Harmonic mean of precision and recall over words, each counted as often as it occurs."""
    return _f1(_shared_words(found, _counts(wanted)), len(found), len(wanted))


def content_f1(found: Sequence[str], wanted: Sequence[str]) -> float:
    """``overlap_f1`` without the English articles, unless one side has no other words."""
    score = bare_f1(found, wanted)
    return overlap_f1(found, wanted) if score is None else score


def bare_f1(found: Sequence[str], wanted: Sequence[str]) -> float | None:
    """``overlap_f1`` without the English articles; ``None`` where one side has no other words."""
    counts = _counts(wanted)
    n_found, n_wanted = len(found), len(wanted)
    for article in ARTICLES:
        n_found -= found.count(article)
        n_wanted -= counts.pop(article, 0)
    if not n_found or not n_wanted:
        return None
    return _f1(_shared_words(found, counts), n_found, n_wanted)


def _counts(words: Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def _shared_words(words: Sequence[str], counts: dict[str, int]) -> int:
    """How many words find a partner in ``counts``, which is used up."""
    shared = 0
    for word in words:
        left = counts.get(word)
        if left:
            shared += 1
            counts[word] = left - 1
    return shared


def ngram_f1(found: Sequence[str], wanted: Sequence[str], n: int) -> float:
    """ROUGE-n: F1 over n-grams; 0 where either side has none."""
    if n == 1:
        return overlap_f1(found, wanted)
    return _f1(_shared(_ngrams(found, n), _ngrams(wanted, n)), max(len(found) - n + 1, 0), max(len(wanted) - n + 1, 0))


def subsequence_f1(found: Sequence[str], wanted: Sequence[str]) -> float:
    """ROUGE-L: F1 over the longest common subsequence."""
    from rapidfuzz.distance import LCSseq

    return _f1(LCSseq.similarity(found, wanted), len(found), len(wanted)) if found and wanted else 0.0


def bleu(found: Sequence[str], wanted: Sequence[str]) -> float:
    """Sentence BLEU of 1 to 4 words against one reference, smoothed as NLTK's method 4 with k = 5.

    An order without a match counts ln(length) / (5 * 2^c) matches, c counting such orders, if the text has more than
    one word; an order that is still 0 is left out of the mean. No shared word is 0.
    """
    precisions: list[float] = []
    misses = 0
    for n in range(1, 5):
        grams = _ngrams(found, n)
        matches: float = _shared(grams, _ngrams(wanted, n))
        if n == 1 and not matches:
            return 0.0
        if not matches and len(found) > 1:
            misses += 1
            matches = math.log(len(found)) / (5 * 2**misses)
        if matches:
            precisions.append(matches / max(1, len(found) - n + 1))
    brevity = min(0.0, 1 - len(wanted) / len(found))
    return math.exp(brevity + math.fsum(math.log(each) / 4 for each in precisions))


def gleu(found: Sequence[str], wanted: Sequence[str]) -> float:
    """Google BLEU: shared n-grams of 1 to 4 words over the larger number of n-grams; 0 where a side is empty."""
    shared = sum(_shared(_ngrams(found, n), _ngrams(wanted, n)) for n in range(1, 5))
    total = max(_count(len(found)), _count(len(wanted)))
    return shared / total if found and wanted else 0.0


def _count(length: int) -> int:
    return sum(max(length - n + 1, 0) for n in range(1, 5))


def _ngrams(words: Sequence[str], n: int) -> Grams:
    if n == 1:
        return Counter(words)
    return Counter(zip(*(words[start:] for start in range(n)), strict=False))


def _shared(left: Grams, right: Grams) -> int:
    common = left.keys() & right.keys()
    return sum([min(left[gram], right[gram]) for gram in common])


def _f1(shared: int, found: int, wanted: int) -> float:
    if not shared:
        return 0.0
    precision, recall = shared / found, shared / wanted
    return 2 * precision * recall / (precision + recall)
