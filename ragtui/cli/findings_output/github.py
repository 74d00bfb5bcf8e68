"""Annotations for GitHub Actions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ragtui.cli.findings_output import Style, place_of
from ragtui.text import cell

if TYPE_CHECKING:
    from ragtui.datasets.check import Opened

_COMMANDS: Final = {"error": "error", "warning": "warning", "info": "notice"}


def render(opened: Opened, style: Style) -> Iterator[str]:
    for path, finding in opened.placed():
        properties = {"title": f"ragtui ({finding.code})", "file": cell(path)}
        if finding.line and finding.sheet is None:
            properties["line"] = str(finding.line)
            if finding.column:
                properties["col"] = str(finding.column)
        told = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
        message = f"{place_of(path, finding)}: {finding.code} {cell(finding.message)}"
        yield f"::{_COMMANDS[finding.level.value]} {told}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
