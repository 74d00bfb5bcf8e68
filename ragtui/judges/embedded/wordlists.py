"""The word lists of ``lexicon/``, read once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def toml_list(name: str) -> Mapping[str, Any]:
    """One TOML file of the lexicon."""
    return tomllib.loads(_text(name))


def rows(name: str) -> list[str]:
    """The lines of a text file of the lexicon, without comments."""
    return [line for line in _text(name).splitlines() if line and not line.startswith("#")]


@cache
def word_class(name: str) -> frozenset[str]:
    """One class of words of ``words.toml``."""
    return frozenset(toml_list("words.toml")[name].split())


def _text(name: str) -> str:
    return files("ragtui.judges.embedded").joinpath("lexicon").joinpath(name).read_text("utf-8")
