"""Rules about mappings (codes MAP…): whether every reference leads somewhere in the data, before any judge is called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ragtui.datasets.dataset import Dataset
from ragtui.datasets.findings import Finding, Level, counted
from ragtui.datasets.mapping import columns_of, present, unresolved
from ragtui.datasets.mapping_files import CLOUD, SDK, Entry, MappingFile
from ragtui.datasets.references import TARGET, MappingError, Reference, is_reference, parse_reference
from ragtui.datasets.rules import rule


@dataclass(frozen=True)
class Mapped:
    """A mapping file beside the dataset it is for."""

    file: MappingFile
    dataset: Dataset


@rule(
    "MAP101",
    "unknown-column",
    example='ground_truth = "${data.answer_key}"',
    remedy="name a column that is there",
    on=Mapped,
)
def unknown_column(mapped: Mapped) -> Iterator[Finding]:
    """A reference names a column, or a key inside one, that no row has. The metric would be fed nothing: Azure's run ends
    green without a score, other tools run on empty texts."""
    for entry, reference in _references(mapped):
        why = unresolved(mapped.dataset, reference)
        if why is not None:
            rows = mapped.dataset.rows
            there = ", ".join(columns_of(mapped.dataset)[:12])
            message = f"{entry.name}: {reference} is in 0 of {counted(rows, 'row')}: {why.why}; columns are {there}"
            yield _at(entry, "MAP101", Level.ERROR, message + (f"; nearest: {why.nearest}" if why.nearest else ""))


@rule(
    "MAP102",
    "other-syntax",
    example='"{{item.query}}" in an evaluator_config',
    remedy="write it as this kind of file does",
    on=Mapped,
)
def other_syntax(mapped: Mapped) -> Iterator[Finding]:
    """The two ways Azure writes references do not mix: evaluator_config of the SDK takes ${data.x} and ${target.x}, Foundry's
    testing criteria take {{item.x}} and {{sample.output_text}}. Either is refused in the other with a message that names
    neither the evaluator nor the value."""
    for entry in mapped.file.entries:
        text = entry.reference.strip() if isinstance(entry.reference, str) else ""
        wrong = (mapped.file.syntax == SDK and text.startswith("{{")) or (
            mapped.file.syntax == CLOUD and text.startswith("${")
        )
        if not wrong:
            continue
        try:
            reference = parse_reference(text)
        except MappingError:
            continue
        right = str(reference) if mapped.file.syntax == SDK else reference.cloud()
        where = "the SDK's" if mapped.file.syntax == SDK else "Foundry's"
        yield _at(entry, "MAP102", Level.ERROR, f"{entry.name}: {text} is not {where} syntax; write {right}")


@rule("MAP103", "unreadable-reference", example='"${dat.notes}"', remedy="${data.NAME}, or ${target.NAME}", on=Mapped)
def unreadable(mapped: Mapped) -> Iterator[Finding]:
    """A reference is neither ${data.x}, ${target.x}, {{item.x}} nor {{sample.x}}."""
    for entry in mapped.file.entries:
        if not isinstance(entry.reference, str):
            yield _at(entry, "MAP103", Level.ERROR, f"{entry.name} is no text but {entry.reference!r}")
        elif is_reference(entry.reference) or not entry.reference.strip():
            try:
                parse_reference(entry.reference)
            except MappingError as error:
                yield _at(entry, "MAP103", Level.ERROR, f"{entry.name}: {error}")


@rule("MAP104", "literal", Level.INFO, example='"query": "notes" in an evaluator_config', on=Mapped)
def literal(mapped: Mapped) -> Iterator[Finding]:
    """In Azure's own files a text without ${} or {{}} is no reference but stands for itself: every row gets this very text.
    In ragtui.toml and mapping files a plain name is a column."""
    for entry in mapped.file.entries:
        text = entry.reference
        if mapped.file.syntax in (SDK, CLOUD) and isinstance(text, str) and text.strip() and not is_reference(text):
            hint = f"; for the column write ${{data.{text}}}" if text in columns_of(mapped.dataset) else ""
            yield _at(entry, "MAP104", Level.INFO, f'{entry.name} is the text "{text}" in every row{hint}')


@rule("MAP105", "needs-target", Level.INFO, example='response = "${target.response}"', on=Mapped)
def needs_target(mapped: Mapped) -> Iterator[Finding]:
    """The value comes from what a target answers, so it is there only when one is run."""
    for entry, reference in _references(mapped):
        if reference.source == TARGET:
            yield _at(entry, "MAP105", Level.INFO, f"{entry.name}: {reference} is there only when a target is run")


@rule("MAP106", "partly-missing", Level.WARNING, example="${data.meta.answer} in 3 of 4 rows", on=Mapped)
def partly_missing(mapped: Mapped) -> Iterator[Finding]:
    """The key a reference leads to is missing in some rows; metrics that need it are not applicable there."""
    for entry, reference in _references(mapped):
        if len(reference.path) > 1 and unresolved(mapped.dataset, reference) is None and reference.source != TARGET:
            count, rows = present(mapped.dataset, reference), mapped.dataset.rows
            if count < rows:
                yield _at(
                    entry,
                    "MAP106",
                    Level.WARNING,
                    f"{entry.name}: {reference} is in {count:,} of {counted(rows, 'row')}",
                )


@rule("MAP107", "unreadable-mapping", remedy="repair the file", on=Mapped)
def unreadable_mapping(mapped: Mapped) -> Iterator[Finding]:
    """The mapping file is not valid JSON or TOML, or maps nothing."""
    if mapped.file.fault is not None:
        yield replace(mapped.file.fault, code="MAP107")
    elif not mapped.file.entries:
        yield Finding("MAP107", Level.ERROR, "no mapping in this file")


def _references(mapped: Mapped) -> Iterator[tuple[Entry, Reference]]:
    """The entries that are references in the file's own syntax."""
    for entry in mapped.file.entries:
        if not isinstance(entry.reference, str):
            continue
        text = entry.reference.strip()
        if mapped.file.syntax == SDK and not text.startswith("${"):
            continue
        if mapped.file.syntax == CLOUD and not text.startswith("{{"):
            continue
        try:
            yield entry, parse_reference(text)
        except MappingError:
            continue


def _at(entry: Entry, code: str, level: Level, message: str) -> Finding:
    return Finding(code, level, message, line=entry.line, column=entry.column, field=entry.input)
