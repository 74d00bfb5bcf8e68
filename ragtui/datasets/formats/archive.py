"""Archives of cases with their conversations and traces, as ``ragtui archive export`` writes them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.archive import CONVERSATION, TRACES, Archive, ArchiveError, is_archive, read
from ragtui.datasets.case_ids import CASE_ID, NAME
from ragtui.datasets.containers.table import LINE
from ragtui.datasets.dataset import Column, Dataset, Role, Shape
from ragtui.datasets.formats import ReadOptions, Sniff, Source
from ragtui.datasets.rules.archive import refused

if TYPE_CHECKING:
    import polars as pl

    from ragtui.datasets.findings import Report


class ArchiveFormat:
    """The format of a .zip with a manifest. It is read as it stands; nothing of it is unpacked or run."""

    id = "archive"
    title = "archive of cases"
    platforms = ()

    def sniff(self, source: Source) -> Sniff | None:
        if source.is_folder or not is_archive(source.path):
            return None
        return Sniff(100, "a .zip with a manifest and cases")

    def read(self, source: Source, sniff: Sniff, report: Report, options: ReadOptions) -> list[Dataset]:
        try:
            archive = read(source.path)
        except ArchiveError as error:
            report.add(refused(str(error).removeprefix(f"{source.path}: ")))
            return []
        columns = _columns(archive)
        frame = _frame(archive, columns)
        frame = frame if options.limit is None else frame.head(options.limit)
        there = {each.name for each in columns}
        fields = archive.manifest.get("fields")
        known = fields.items() if isinstance(fields, dict) else ()
        return [
            Dataset(
                name=str(archive.manifest.get("name") or source.path.stem), path=source.shown, location=source.path,
                format=self.id, why=sniff.why, shape=Shape.CASES, cases=frame, columns=columns,
                fields={str(name): column for name, column in known if column in there},
                counts={"records": len(archive.cases), "conversations": len(archive.conversations), "traces": len(archive.traces)},
            )
        ]  # fmt: skip


FORMAT: Final = ArchiveFormat()


def _columns(archive: Archive) -> tuple[Column, ...]:
    """The columns the manifest tells of, then what else cases hold."""
    roles: dict[str, Role] = {}
    told = archive.manifest.get("columns")
    for each in told if isinstance(told, list) else []:
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            word = each.get("role")
            roles[each["name"]] = Role(word) if word in {role.value for role in Role} else Role.IGNORED
    for case in archive.cases:
        roles.update((name, Role.IGNORED) for name in case["values"] if name not in roles)
    if archive.traces and not roles.keys() & set(TRACES):
        roles[TRACES[0]] = Role.IGNORED
    own = (CASE_ID, LINE, NAME)
    names = [name for name in roles if name not in own]
    return tuple(Column(name, roles[name], place, _filled(archive, name)) for place, name in enumerate(names))


def _filled(archive: Archive, name: str) -> int:
    return sum(bool(_value(archive, case, name)) for case in archive.cases)


def _value(archive: Archive, case: Any, name: str) -> Any:
    session = case.get("session_id")
    if name == CONVERSATION and session in archive.conversations:
        return json.dumps(archive.conversations[session], ensure_ascii=False)
    if name in TRACES and session in archive.traces:
        return json.dumps(archive.traces[session], ensure_ascii=False)
    if name == "session_id" and session:
        return session
    return case["values"].get(name)


def _frame(archive: Archive, columns: tuple[Column, ...]) -> pl.DataFrame:
    """``_case_id``, ``_line`` (of ``cases.jsonl``), ``_name``, then the columns."""
    import polars as pl

    made = []
    for column in columns:
        values = [_value(archive, case, column.name) for case in archive.cases]
        lists = any(isinstance(value, list) for value in values)
        if lists:
            values = [value if value is None or isinstance(value, list) else [value] for value in values]
        made.append(pl.Series(column.name, values, dtype=pl.List(pl.String) if lists else pl.String))
    ids = _unique([case["case_id"] for case in archive.cases])
    fields = archive.manifest.get("fields")
    asked = fields.get("query") if isinstance(fields, dict) else None
    names = next((series for series in made if series.name == asked and series.dtype == pl.String), None)
    named = [""] * len(ids) if names is None else names.fill_null("").to_list()
    own = [pl.Series(CASE_ID, ids, dtype=pl.String), pl.Series(LINE, range(1, len(ids) + 1), dtype=pl.UInt32)]
    return pl.DataFrame([*own, pl.Series(NAME, named, dtype=pl.String), *made])


def _unique(ids: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    taken = set(ids)
    found = []
    for each in ids:
        seen[each] = seen.get(each, 0) + 1
        name = each
        while seen[each] > 1 and (name := f"{each}-{seen[each]}") in taken:
            seen[each] += 1
        taken.add(name)
        found.append(name)
    return found
