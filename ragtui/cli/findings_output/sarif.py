"""SARIF 2.1.0, for code scanning services."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from ragtui import __version__
from ragtui.cli.findings_output import Style
from ragtui.text import cell

if TYPE_CHECKING:
    from ragtui.datasets.check import Opened
    from ragtui.datasets.findings import Finding
    from ragtui.datasets.rules import Rule

_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}


def render(opened: Opened, style: Style) -> Iterator[str]:
    from ragtui.datasets.rules import rules

    placed = list(opened.placed())
    fired = sorted({finding.code for _, finding in placed})
    known = rules()
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "ragtui",
                        "version": __version__,
                        "rules": [_rule(code, known.get(code)) for code in fired],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(path, finding, fired.index(finding.code)) for path, finding in placed],
            }
        ],
    }
    yield json.dumps(document, indent=1, allow_nan=False) + "\n"


def _rule(code: str, rule: Rule | None) -> dict[str, Any]:
    if rule is None:
        return {"id": code}
    return {
        "id": code,
        "name": rule.name,
        "shortDescription": {"text": rule.name.replace("-", " ")},
        "fullDescription": {"text": rule.explanation},
        "help": {"text": rule.remedy or rule.explanation},
        "defaultConfiguration": {"level": _LEVELS[rule.level.value]},
    }


def _result(path: str, finding: Finding, index: int) -> dict[str, Any]:
    artifact = {"uri": quote(os.fsencode(path.replace("\\", "/")))}
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": artifact}}
    if finding.sheet is not None:
        # A region counts lines of text, which a workbook has none of.
        where = finding.cell or (str(finding.line) if finding.line else "")
        location["logicalLocations"] = [{"fullyQualifiedName": f"{finding.sheet}!{where}" if where else finding.sheet}]
    elif finding.line:
        region = {"startLine": finding.line} | ({"startColumn": finding.column} if finding.column else {})
        location["physicalLocation"]["region"] = region
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.level.value],
        "message": {"text": cell(finding.message)},
        "locations": [location],
    }
    if finding.fixable:
        changes = [
            {
                "deletedRegion": {"byteOffset": edit.start, "byteLength": edit.end - edit.start},
                "insertedContent": {"text": edit.text},
            }
            for edit in finding.fix
        ]
        result["fixes"] = [
            {
                "description": {"text": "safe fix"},
                "artifactChanges": [{"artifactLocation": artifact, "replacements": changes}],
            }
        ]
    return result
