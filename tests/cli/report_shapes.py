"""What SARIF 2.1.0, JUnit XML and GitHub's workflow commands demand of a report, as far as ragtui writes any of it.

Written after the specifications, and strict: a name that the format does not know is a fault as much as one that is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from xml.etree import ElementTree

Faults = Iterator[str]
Check = Callable[[Any, str], Faults]

_URI: Final = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?#\[\]-]|%[0-9A-Fa-f]{2})*")


def text(value: Any, at: str) -> Faults:
    if not isinstance(value, str):
        yield f"{at}: a string is needed, not {value!r}"
    elif re.search("[\ud800-\udfff]", value):
        yield f"{at}: half of a surrogate pair"


def uri(value: Any, at: str) -> Faults:
    yield from text(value, at)
    if isinstance(value, str) and (not _URI.fullmatch(value) or ":" in value.split("/")[0].replace("https:", "")):
        yield f"{at}: {value!r} is no URI reference"


def whole(least: int) -> Check:
    def check(value: Any, at: str) -> Faults:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            yield f"{at}: a whole number of {least} or more is needed, not {value!r}"

    return check


def one_of(*words: str) -> Check:
    def check(value: Any, at: str) -> Faults:
        if value not in words:
            yield f"{at}: {value!r} is none of {', '.join(words)}"

    return check


def each(check: Check, least: int = 0, unique: bool = False) -> Check:
    def check_all(value: Any, at: str) -> Faults:
        if not isinstance(value, list) or len(value) < least:
            yield f"{at}: a list of {least} or more is needed"
            return
        if unique and any(one == other for place, one in enumerate(value) for other in value[:place]):
            yield f"{at}: an item stands twice"
        for place, one in enumerate(value):
            yield from check(one, f"{at}[{place}]")

    return check_all


def having(needed: Mapping[str, Check], allowed: Mapping[str, Check] | None = None) -> Check:
    """An object with all of ``needed``, perhaps some of ``allowed``, and nothing else."""
    known = {**needed, **(allowed or {})}

    def check(value: Any, at: str) -> Faults:
        if not isinstance(value, dict):
            yield f"{at}: an object is needed"
            return
        yield from (f"{at}: {name} is missing" for name in needed if name not in value)
        for name, one in value.items():
            if name in known:
                yield from known[name](one, f"{at}.{name}")
            else:
                yield f"{at}: {name} is unknown"

    return check


_LEVEL: Final = one_of("none", "note", "warning", "error")
_MESSAGE: Final = having({"text": text}, {"markdown": text})
_ARTIFACT: Final = having({"uri": uri}, {"uriBaseId": text, "index": whole(-1)})
_REGION: Final = having(
    {},
    {
        "startLine": whole(1), "startColumn": whole(1), "endLine": whole(1), "endColumn": whole(1),
        "byteOffset": whole(-1), "byteLength": whole(0),
    },
)  # fmt: skip
_LOCATION: Final = having(
    {"physicalLocation": having({"artifactLocation": _ARTIFACT}, {"region": _REGION})},
    {"logicalLocations": each(having({"fullyQualifiedName": text}), 1, unique=True)},
)
_CHANGE: Final = having(
    {
        "artifactLocation": _ARTIFACT,
        "replacements": each(having({"deletedRegion": _REGION}, {"insertedContent": having({"text": text})}), 1),
    }
)
_RULE: Final = having(
    {"id": text},
    {
        "name": text, "shortDescription": _MESSAGE, "fullDescription": _MESSAGE, "help": _MESSAGE, "helpUri": uri,
        "defaultConfiguration": having({}, {"level": _LEVEL}),
    },
)  # fmt: skip
_RESULT: Final = having(
    {"message": _MESSAGE},
    {
        "ruleId": text, "ruleIndex": whole(-1), "level": _LEVEL, "locations": each(_LOCATION),
        "fixes": each(having({"artifactChanges": each(_CHANGE, 1)}, {"description": _MESSAGE}), unique=True),
    },
)  # fmt: skip
_DRIVER: Final = having({"name": text}, {"version": text, "informationUri": uri, "rules": each(_RULE, unique=True)})
_RUN: Final = having(
    {"tool": having({"driver": _DRIVER})},
    {"columnKind": one_of("utf16CodeUnits", "unicodeCodePoints"), "results": each(_RESULT)},
)
_SARIF: Final = having({"version": one_of("2.1.0"), "runs": each(_RUN)}, {"$schema": uri})


def sarif_faults(document: Any) -> list[str]:
    """What is wrong with a SARIF log, and where; also what only the prose demands."""
    faults = list(_SARIF(document, "log"))
    for run in document["runs"] if not faults else ():
        rules = run["tool"]["driver"].get("rules", [])
        ids = [rule["id"] for rule in rules]
        faults += [f"rule {name} is listed twice" for name in set(ids) if ids.count(name) > 1]
        for place, result in enumerate(run.get("results", [])):
            index = result.get("ruleIndex", -1)
            if index >= 0 and (index >= len(ids) or ids[index] != result.get("ruleId")):
                faults.append(f"result {place}: ruleIndex {index} is not rule {result.get('ruleId')}")
            for location in result.get("locations", []):
                region = location["physicalLocation"].get("region", {"startLine": 1})
                if "startLine" not in region and "byteOffset" not in region:
                    faults.append(f"result {place}: a region begins nowhere")
    return faults


_SUITE: Final = {"id", "name", "package", "hostname", "timestamp", "tests", "failures", "errors", "time"}
_CASE: Final = {"name", "classname", "time"}
_INSIDE: Final = {
    "testsuites": r"(testsuite )*",
    "testsuite": r"properties (testcase )*system-out system-err ",
    "testcase": r"((failure|error|skipped) )?",
    "properties": r"(property )*",
}


def junit_faults(root: ElementTree.Element) -> list[str]:
    """What is wrong with a JUnit report by the strict schema that Ant's own writer keeps to, and its counts."""
    faults = [] if root.tag == "testsuites" else [f"the root is {root.tag}"]
    for element in root.iter():
        inside = "".join(f"{child.tag} " for child in element)
        if not re.fullmatch(_INSIDE.get(element.tag, ""), inside):
            faults.append(f"{element.tag} holds {inside or 'nothing'}")
    numbers = []
    for suite in root:
        name = suite.get("name", "?")
        faults += _attributes(suite, _SUITE)
        numbers.append(suite.get("id"))
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp", "")):
            faults.append(f"{name}: the timestamp {suite.get('timestamp')} is none of XML's without zone")
        cases = suite.findall("testcase")
        counts = {"tests": len(cases)}
        counts |= {f"{kind}s": len(suite.findall(f"testcase/{kind}")) for kind in ("failure", "error")}
        faults += [
            f"{name}: {key} is {suite.get(key)}, not {count}"
            for key, count in counts.items()
            if suite.get(key) != str(count)
        ]
        for case in cases:
            faults += _attributes(case, _CASE)
            faults += [
                f"{name}: a failure without type" for failure in case.findall("failure") if not failure.get("type")
            ]
        faults += [
            f"{name}: no number of seconds"
            for each in (suite, *cases)
            if not re.fullmatch(r"\d+(\.\d+)?", each.get("time", ""))
        ]
    if numbers != [str(number) for number in range(len(numbers))]:
        faults.append(f"suites are numbered {numbers}")
    return faults


def _attributes(element: ElementTree.Element, wanted: set[str]) -> list[str]:
    found = set(element.keys())
    return [f"{element.tag}: {name} is {'missing' if name in wanted else 'unknown'}" for name in found ^ wanted]


_ESCAPED: Final = r"(?:[^%\r\n:,]|%25|%0D|%0A|%3A|%2C)*"
_COMMAND: Final = re.compile(
    rf"::(error|warning|notice) (\w+={_ESCAPED}(?:,\w+={_ESCAPED})*)::((?:[^%\r\n]|%25|%0D|%0A)+)"
)
_PROPERTIES: Final = ("title", "file", "line", "endLine", "col", "endColumn")


def github_faults(lines: list[str]) -> list[str]:
    """What is wrong with annotations: each is one line ``::level property=value,…::message``, escaped as GitHub unescapes it."""
    faults = []
    for line in lines:
        match = _COMMAND.fullmatch(line)
        if match is None:
            faults.append(f"no annotation: {line}")
            continue
        pairs = [pair.split("=", 1) for pair in match[2].split(",")]
        names = [name for name, _ in pairs]
        values = dict(pairs)
        faults += [f"property {name} is unknown: {line}" for name in names if name not in _PROPERTIES]
        faults += [f"property {name} stands twice: {line}" for name in set(names) if names.count(name) > 1]
        faults += [
            f"{name} is {values[name]}: {line}"
            for name in ("line", "col")
            if name in values and not re.fullmatch("[1-9][0-9]*", values[name])
        ]
        faults += [f"no file: {line}"] if not values.get("file") else []
        faults += [f"a column without a line: {line}"] if "col" in values and "line" not in values else []
    return faults
