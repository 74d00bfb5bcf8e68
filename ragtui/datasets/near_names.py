"""Names that are nearly right: columns and keys in another case, with spaces, or misspelt."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

_JOINS: Final = re.compile(r"[\s_\-]+")
_INVISIBLE: Final = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")
_VERSION: Final = re.compile(r"(?P<name>.*?)_?(?:v|ver|version)?_?[0-9]+|(?P<other>.*)_[a-z]")
_NEAR: Final = 84  # rapidfuzz's ratio, 0 to 100: one or two letters off in a name of ten


@lru_cache(1 << 15)
def plain_name(name: str) -> str:
    """``name`` without what people vary: case, outer spaces, invisible characters, and how words are joined."""
    return _JOINS.sub("_", _INVISIBLE.sub("", unicodedata.normalize("NFKC", name)).strip().casefold())


def nearest(name: str, wanted: Iterable[str]) -> str | None:
    """The one of ``wanted`` that ``name`` was probably meant to be, ``None`` where nothing is near. A name with a word more
    or less is another name: ``response_v1`` is not ``response``."""
    given = plain_name(name)
    candidates = [each for each in wanted if _as_many_words(given, plain_name(each))]
    exact = next((each for each in candidates if plain_name(each) == given), None)
    if exact is not None or not given:
        return exact
    from rapidfuzz import fuzz, process

    found = process.extractOne(given, [plain_name(each) for each in candidates], scorer=fuzz.ratio, score_cutoff=_NEAR)
    return None if found is None else candidates[found[2]]


def _as_many_words(one: str, other: str) -> bool:
    return one.count("_") == other.count("_") or one.replace("_", "") == other.replace("_", "")


def intended(headers: Sequence[str], names: Sequence[str], wanted: Sequence[str]) -> dict[str, str]:
    """For every one of ``wanted`` that is there: the column (of ``names``) that is it, or was probably meant to be it.

    A header that is exactly right always wins; a header that is another wanted name is never taken for a near one, nor is
    a numbered version (``response_v2``), which is one of several on purpose.
    """
    found = {header: name for header, name in zip(headers, names, strict=True) if header in wanted and header == name}
    rest = [
        (header, name) for header, name in zip(headers, names, strict=True) if header == name and header not in wanted
    ]
    for near in (_same, nearest):
        for header, name in rest:
            if name not in found.values():
                meant = near(header, [each for each in wanted if each not in found])
                if meant is not None and not _is_version(header, meant):
                    found[meant] = name
    return found


def _is_version(header: str, name: str) -> bool:
    found = _VERSION.fullmatch(plain_name(header))
    return found is not None and plain_name(name) in (found["name"], found["other"])


def _same(name: str, wanted: Sequence[str]) -> str | None:
    given = plain_name(name)
    return next((each for each in wanted if plain_name(each) == given), None)
