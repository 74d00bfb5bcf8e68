"""Mappings in files: Azure's evaluator_config, Foundry's testing criteria, and TOML; read with the line of every entry."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from json import JSONDecodeError
from pathlib import Path
from typing import Any, Final

from ragtui.datasets.containers.json_text import Passage, parse, syntax_fault
from ragtui.datasets.findings import Finding, Level

SDK: Final = "sdk"
CLOUD: Final = "cloud"
TOML: Final = "toml"
_TABLE: Final = re.compile(r"\s*\[\[?\s*(?P<name>[^\]]+?)\s*\]\]?\s*(#.*)?")
_KEY: Final = re.compile(r"""\s*(?P<name>(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART: Final = re.compile(r"""[\w-]+|"([^"]*)"|'([^']*)'""")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a mapping: for which metric (empty: all), which input, the reference as written, and where it stands."""

    metric: str
    input: str
    reference: Any
    line: int
    column: int

    @property
    def name(self) -> str:
        return f"{self.metric}.{self.input}" if self.metric else self.input


@dataclass(frozen=True)
class MappingFile:
    """A mapping file as read: which ``syntax`` it is in (``sdk``, ``cloud`` or ``toml``), its entries, and the fault at which
    reading ended."""

    path: Path
    syntax: str
    entries: tuple[Entry, ...] = ()
    fault: Finding | None = None

    def mapping(self) -> dict[str, str]:
        """``input`` or ``metric.input`` to reference, as ``metric_inputs`` takes it."""
        return {entry.name: entry.reference for entry in self.entries if isinstance(entry.reference, str)}


def read_mapping(path: Path) -> MappingFile:
    """Reads a mapping file by what it holds: JSON of Azure's SDK or of Foundry, else TOML.

    Raises:
        OSError: the file cannot be read.
    """
    text = path.read_bytes().decode("utf-8-sig", "replace")
    start = text.lstrip()
    if start[:1] == "{" or (start[:1] == "[" and not _TABLE.fullmatch(start.split("\n", 1)[0].rstrip())):
        return _read_json(path, text)
    return _read_toml(path, text)


def _read_json(path: Path, text: str) -> MappingFile:
    passage = Passage(text)
    try:
        top = parse(passage)
        if _is_cloud(top.value):
            return MappingFile(path, CLOUD, tuple(_cloud_entries(passage, top.start)))
        return MappingFile(path, SDK, tuple(_sdk_entries(passage, top.start)))
    except JSONDecodeError as error:
        return MappingFile(path, SDK, fault=syntax_fault(passage, error))
    except RecursionError:
        from ragtui.datasets.rules.json import too_deep

        return MappingFile(path, SDK, fault=too_deep(1, 1))


def _is_cloud(value: Any) -> bool:
    if isinstance(value, dict):
        return "testing_criteria" in value or "data_mapping" in value
    return isinstance(value, list) and any(isinstance(each, dict) and "data_mapping" in each for each in value)


def _sdk_entries(passage: Passage, start: int) -> Iterator[Entry]:
    """``{"relevance": {"column_mapping": {...}}}``, also below ``evaluator_config``; ``default`` stands for every metric. A
    plain object of texts maps for all."""
    for name, member in parse(passage, start).members.items():
        if isinstance(member.value, str):
            yield _entry(passage, "", name, member.value, member.start)
        elif isinstance(member.value, dict) and name == "evaluator_config":
            yield from _sdk_entries(passage, member.start)
        elif isinstance(member.value, dict):
            inner = parse(passage, member.start).members
            begin = inner["column_mapping"].start if "column_mapping" in inner else member.start
            for column, reference in parse(passage, begin).members.items():
                yield _entry(passage, "" if name == "default" else name, column, reference.value, reference.start)


def _cloud_entries(passage: Passage, start: int) -> Iterator[Entry]:
    """``testing_criteria``: a list of criteria, each with its ``data_mapping``."""
    text = passage.text
    if text[start] == "{":
        members = parse(passage, start).members
        if "testing_criteria" in members:
            yield from _cloud_entries(passage, members["testing_criteria"].start)
        elif "data_mapping" in members:
            named = members.get("name") or members.get("evaluator_name")
            metric = str(named.value).removeprefix("builtin.") if named else ""
            if isinstance(members["data_mapping"].value, dict):
                for column, reference in parse(passage, members["data_mapping"].start).members.items():
                    yield _entry(passage, metric, column, reference.value, reference.start)
    elif text[start] == "[":
        position = start + 1
        while (match := re.compile(r"[\s,]*").match(text, position)) and text[match.end() : match.end() + 1] == "{":
            position = parse(passage, match.end()).end
            yield from _cloud_entries(passage, match.end())


def _entry(passage: Passage, metric: str, column: str, reference: Any, position: int) -> Entry:
    line, at = passage.at(position)
    return Entry(metric, column, reference, line, at)


def _read_toml(path: Path, text: str) -> MappingFile:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"line (\d+), column (\d+)", str(error))
        line, column = (int(place[1]), int(place[2])) if place else (0, 0)
        message = f"not valid TOML: {str(error).split(' (at')[0]}"
        return MappingFile(path, TOML, fault=Finding("MAP107", Level.ERROR, message, line=line, column=column))
    places = _toml_places(text)
    content = content.get("mapping", content) if isinstance(content.get("mapping", content), dict) else content
    return MappingFile(path, TOML, tuple(_toml_entries(content, (), places)))


def _toml_entries(
    content: dict[str, Any], above: tuple[str, ...], places: dict[tuple[str, ...], tuple[int, int]]
) -> Iterator[Entry]:
    for key, value in content.items():
        if isinstance(value, dict):
            yield from _toml_entries(value, (*above, key), places)
        else:
            path = (*above, key)
            line, column = next((place for known, place in places.items() if known[-len(path) :] == path), (0, 0))
            yield Entry(".".join(above), key, value, line, column)


def _toml_places(text: str) -> dict[tuple[str, ...], tuple[int, int]]:
    """Line and column of every key, by its whole path."""
    places: dict[tuple[str, ...], tuple[int, int]] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), 1):
        if header := _TABLE.fullmatch(line.rstrip("\r")):
            table = _names(header["name"])
        elif key := _KEY.match(line):
            places.setdefault((*table, *_names(key["name"])), (number, key.start("name") + 1))
    return places


def _names(dotted: str) -> tuple[str, ...]:
    return tuple(match[1] or match[2] or match[0] for match in _PART.finditer(dotted))
