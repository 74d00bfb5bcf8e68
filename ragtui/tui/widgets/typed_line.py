"""A field for one line of text that shows nothing raw, whatever is pasted into it or was stored before."""

from __future__ import annotations

from textual.widgets import Input

from ragtui.text import block


class TypedLine(Input):
    """The stock field draws control characters as they are; this one holds pictures of them. Joiners stay as typed."""

    def validate_value(self, value: str) -> str:
        return block(value).replace("\n", "⏎")
