"""Rules about TREC files (codes TREC…). What they share with BEIR sets has BEIR's codes."""

from __future__ import annotations

from ragtui.datasets.findings import Finding, Level
from ragtui.datasets.rules import rule


@rule("TREC101", "no-number", example="<DOC> without <DOCNO>", remedy="give it a number")
def no_number(line: int) -> Finding:
    """A document has no <DOCNO>, or a topic no <num>: nothing can refer to it. It is not loaded."""
    return Finding("TREC101", Level.ERROR, "no <DOCNO> or <num>; it is not loaded", line=line)


@rule("TREC102", "not-closed", example="<DOC> without </DOC>", remedy="close it, or fetch the file again")
def not_closed(line: int, tag: str) -> Finding:
    """A document is not closed before another begins or the file ends, as after a broken download. It is not loaded."""
    return Finding("TREC102", Level.ERROR, f"{tag} is not closed; it is not loaded", line=line)


@rule("TREC103", "empty-topic", example="<title> without a text", remedy="write the query, or remove the topic")
def empty_topic(line: int, number: str) -> Finding:
    """A topic has neither title nor description, so there is nothing to search for."""
    return Finding("TREC103", Level.ERROR, f"topic {number} has no text", line=line)
