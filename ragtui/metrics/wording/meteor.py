"""METEOR: words aligned by form, then by stem, then by meaning where WordNet is on this machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, Final, cast

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5  # Azure's defaults
WITH_WORDNET: Final = "exact, stem and synonym matches (WordNet)"
WITHOUT_WORDNET: Final = "exact and stem matches; no WordNet on this machine"

Match = tuple[int, int]


def meteor(found: Sequence[str], wanted: Sequence[str]) -> float:
    """(1 - γ (chunks / matches)^β) · P R / (α P + (1 - α) R) over lower-case words; 0 without a match."""
    matches = _align(found, wanted)
    if not matches:
        return 0.0
    precision, recall = len(matches) / len(found), len(matches) / len(wanted)
    mean = precision * recall / (ALPHA * precision + (1 - ALPHA) * recall)
    return float((1 - GAMMA * (_chunks(matches) / len(matches)) ** BETA) * mean)


def has_synonyms() -> bool:
    """Whether WordNet is on this machine, so that METEOR's third stage is made."""
    return _wordnet() is not None


def stages() -> str:
    """Which matches ``meteor`` can make on this machine, to be said beside the score."""
    return WITHOUT_WORDNET if _wordnet() is None else WITH_WORDNET


def _align(found: Sequence[str], wanted: Sequence[str]) -> list[Match]:
    """Pairs of positions, each used once: the same word, the same stem, a synonym; the last words are paired first."""
    left, right = dict(enumerate(found)), dict(enumerate(wanted))
    matches = _pair(left, right, lambda word: (word,))
    left, right = _stemmed(left), _stemmed(right)
    matches += _pair(left, right, lambda word: (word,))
    if left and right and _wordnet() is not None:
        matches += _pair(left, right, _synonyms)
    return sorted(matches)


def _pair(left: dict[int, str], right: dict[int, str], near: Callable[[str], Iterable[str]]) -> list[Match]:
    """Takes out of both sides the words that match, from the last word of the left to the first."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place in sorted(right):
        places[right[place]].append(place)
    matches = []
    for place in sorted(left, reverse=True):
        options = [places[word][-1] for word in near(left[place]) if places.get(word)]
        if options:
            other = max(options)
            places[right[other]].pop()
            matches.append((place, other))
    for place, other in matches:
        del left[place], right[other]
    return matches


def _chunks(matches: Sequence[Match]) -> int:
    """How many unbroken stretches, in the same order on both sides, the matches make up."""
    return 1 + sum(after != (place + 1, other + 1) for (place, other), after in pairwise(matches))


def _stemmed(words: dict[int, str]) -> dict[int, str]:
    stem = _stemmer()
    return {place: stem(word) for place, word in words.items()}


@cache
def _stemmer() -> Callable[[str], str]:
    """NLTK's Porter stemmer where WordNet is used, so that all of it is what Azure computes; else Snowball's."""
    if _wordnet() is not None:
        from nltk.stem.porter import PorterStemmer

        return lru_cache(maxsize=100_000)(PorterStemmer().stem)
    import snowballstemmer

    return lru_cache(maxsize=100_000)(snowballstemmer.stemmer("porter").stemWord)


@lru_cache(maxsize=100_000)
def _synonyms(word: str) -> tuple[str, ...]:
    wordnet = cast(Any, _wordnet())
    names = {lemma.name() for synset in wordnet.synsets(word) for lemma in synset.lemmas()}
    return tuple({name for name in names if "_" not in name} | {word})


@cache
def _wordnet() -> object | None:
    """NLTK's WordNet, if NLTK and its data are installed; nothing is ever fetched."""
    try:
        import nltk
        from nltk.corpus import wordnet

        nltk.data.find("corpora/wordnet")
        wordnet.ensure_loaded()
    except (ImportError, LookupError, OSError):
        return None
    return cast(object, wordnet)
