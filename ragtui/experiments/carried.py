"""A whole experiment as one file, to go on with on another machine: ``NAME.ragtui``.

A zip of ``manifest.json`` (what it is, and length and SHA-256 of each member) and Parquet parts of the store's tables. It
holds no code: metrics of one's own are named by version, and run elsewhere only where they are. Nothing of a file is
taken in before all of it was looked at.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from ragtui.datasets.damaged_zip import NO_ZIP
from ragtui.experiments import diagnoses
from ragtui.experiments.database import StoreError, explained, transaction
from ragtui.experiments.finished_frame import write_frame
from ragtui.experiments.frames import unpacked
from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.progress import Status
from ragtui.experiments.recorder import Recorder
from ragtui.experiments.store import Store
from ragtui.metrics.score import State
from ragtui.workspace import replacing

if TYPE_CHECKING:
    import polars as pl

    from ragtui.experiments.stored_results import StoredResults

SUFFIX: Final = ".ragtui"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"
MOST_BYTES: Final = 8 << 30  # of all members, unpacked: what a file may make of this machine's disk
MOST_MANIFEST: Final = 16 << 20
_ROWS: Final = 20_000  # of one part
_TABLES: Final = ("cases", "case_fields", "run_remarks", "responses", "calls", "scores", "score_frames")
_BESIDE: Final = {"remarks": "experiment", "labels": "dataset", "earlier_labels": "dataset"}
_RANKINGS: Final = tuple(f"{side}.ranking.parquet" for side in Side)
_MEMBER: Final = re.compile(
    rf"(?:{'|'.join((*_TABLES, *_BESIDE))})/\d{{5}}\.parquet|{'|'.join(map(re.escape, _RANKINGS))}"
)
_KINDS: Final = {"INTEGER": "Int64", "REAL": "Float64", "TEXT": "String", "BLOB": "Binary"}


@dataclass(frozen=True, slots=True)
class Carried:
    """What was taken in; ``replaced`` says that an older state of the same experiment was there."""

    experiment: str
    cells: int
    status: Status
    replaced: bool


# --- out -----------------------------------------------------------------------------------------------------------


def write_experiment(results: StoredResults, path: Path) -> str:
    """Writes one experiment whole and returns what to say; an older file is replaced.

    Raises:
        StoreError: it runs just now, or the file cannot be written.
    """
    entry, store = results.entry, results.store
    if entry.status is Status.RUNNING:
        raise StoreError(f"experiment {entry.id} is running; stop it first, or wait for its end")
    members: dict[str, dict[str, Any]] = {}
    try:
        with replacing(path) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            for name, data in _members(results):
                members[name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
                archive.writestr(name, data)
            row = store.query("SELECT * FROM experiments WHERE number = ?", results.number)[0]
            told = {name: row[name] for name in ("id", "plan", "source", "message", "cells", "created", "updated")}
            whole = {"version": VERSION, "experiment": {**told, "status": entry.status.value}, "members": members}
            archive.writestr(MANIFEST, json.dumps(whole, indent=1), zipfile.ZIP_DEFLATED)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}; nothing was written") from error
    return f"wrote experiment {entry.id} to {path}; `ragtui import` takes it in"


def _members(results: StoredResults) -> Iterator[tuple[str, bytes]]:
    store = results.store
    keys: dict[str, tuple[str, Any]] = {
        **dict.fromkeys(_TABLES, ("experiment", results.number)),
        "remarks": ("experiment", results.experiment),
        "labels": ("dataset", results.entry.source),
        "earlier_labels": ("dataset", results.entry.source),
    }
    for table, (key, value) in keys.items():
        for number, frame in enumerate(_parts(store, table, key, value)):
            buffer = io.BytesIO()
            frame.write_parquet(buffer, compression="zstd")
            yield f"{table}/{number:05}.parquet", buffer.getvalue()
    for name in _RANKINGS:
        path = store.file(results.experiment, f".{name}")
        if path.is_file():
            yield name, path.read_bytes()


def _parts(store: Store, table: str, key: str, value: Any) -> Iterator[pl.DataFrame]:
    import polars as pl

    schema = _schema(store.connection, table)
    with explained(store.path):
        cursor = store.connection.execute(f"SELECT {', '.join(schema)} FROM {table} WHERE {key} = ?", (value,))
        while rows := cursor.fetchmany(_ROWS):
            yield pl.DataFrame([tuple(row) for row in rows], schema=schema, orient="row")


def _schema(connection: sqlite3.Connection, table: str) -> dict[str, pl.DataType]:
    """The columns of a table as frames hold them, without the experiment's number, which is another elsewhere."""
    import polars as pl

    found = {
        row["name"]: getattr(pl, _KINDS[row["type"]])() for row in connection.execute(f"PRAGMA table_info({table})")
    }
    return {name: kind for name, kind in found.items() if not (name == "experiment" and table in _TABLES)}


# --- in ------------------------------------------------------------------------------------------------------------


def read_experiment(path: Path, store: Store, replace: bool = False) -> Carried:
    """Takes an experiment in; labels that are here already stay as they are.

    Raises:
        StoreError: it is no such file, was damaged or made by a newer ragtui, or the experiment is here already and
            ``replace`` is not given.
    """
    try:
        with path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
            manifest = _manifest(path, archive)
            _check_members(path, archive, manifest["members"])
            plan = _plan(path, manifest["experiment"])
            _check_rows(path, archive, manifest["members"], plan, store)
            return _taken_in(path, archive, manifest, plan, store, replace)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
    except NO_ZIP as error:
        raise StoreError(f"{path}: is no experiment that ragtui exported, or is damaged ({error})") from error


def _manifest(path: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    if MANIFEST not in archive.namelist() or archive.getinfo(MANIFEST).file_size > MOST_MANIFEST:
        raise StoreError(f"{path}: has no {MANIFEST}; only what `ragtui export … FILE{SUFFIX}` wrote can be taken in")
    try:
        manifest = json.loads(archive.read(MANIFEST))
        version, known = manifest["version"], manifest["experiment"]
        sound = isinstance(version, int) and isinstance(manifest["members"], dict)
        sound = sound and all(isinstance(known[name], str) for name in ("id", "plan", "source", "status", "message"))
        sound = sound and all(isinstance(known[name], str) for name in ("created", "updated"))
        sound = sound and isinstance(known["cells"], int) and known["status"] in list(Status)
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{path}: {MANIFEST} cannot be read ({error})") from error
    if not sound:
        raise StoreError(f"{path}: {MANIFEST} is not of the form that ragtui writes")
    if version > VERSION:
        raise StoreError(f"{path}: was written by a newer ragtui (form {version}); upgrade ragtui")
    return dict(manifest)


def _check_members(path: Path, archive: zipfile.ZipFile, members: Mapping[str, Any]) -> None:
    """Every member is one of ours, there once, not too large, and byte for byte what was written."""
    infos = [each for each in archive.infolist() if each.filename != MANIFEST]
    strange = [each.filename for each in infos if _MEMBER.fullmatch(each.filename) is None]
    if strange:
        raise StoreError(f"{path}: holds {strange[0]!r}, which no experiment has; nothing was taken in")
    if sorted(each.filename for each in infos) != sorted(members):
        raise StoreError(f"{path}: does not hold the members that its {MANIFEST} names; nothing was taken in")
    if sum(each.file_size for each in infos) > MOST_BYTES:
        raise StoreError(f"{path}: is more than {MOST_BYTES >> 30} GiB unpacked; nothing was taken in")
    for each in infos:
        with archive.open(each) as stream:
            if hashlib.file_digest(_Plain(stream), "sha256").hexdigest() != (members[each.filename] or {}).get(
                "sha256"
            ):
                raise StoreError(f"{path}: {each.filename} is damaged; export the experiment again")


class _Plain:
    """A stream that ``file_digest`` reads as it is."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _plan(path: Path, told: Mapping[str, Any]) -> Plan:
    try:
        plan = Plan.from_json(told["plan"])
        same = plan.id == told["id"]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreError(f"{path}: the plan in its {MANIFEST} cannot be read ({error})") from error
    if not same:
        raise StoreError(f"{path}: the plan in its {MANIFEST} is not that of experiment {told['id']}")
    return plan


def _check_rows(path: Path, archive: zipfile.ZipFile, members: Mapping[str, Any], plan: Plan, store: Store) -> None:
    """Each part has the columns of its table, and only states, sides and metrics that there are."""
    allowed = {
        "state": [each.value for each in State],
        "side": [side.value for side, _ in plan.sides],
        "metric": [each.spec for each in plan.metrics],
    }
    for name in members:
        table, frame = name.partition("/")[0], _frame(path, archive, name)
        if name in _RANKINGS:
            wanted = {"position", "rank", "doc_id", "score"}
        else:
            schema = _schema(store.connection, table)
            wanted = set(schema)
            off = [each for each, kind in schema.items() if each in frame.columns and frame.schema[each] != kind]
            if off:
                raise StoreError(f"{path}: {name}: column {off[0]} is not of its kind; nothing was taken in")
        if set(frame.columns) != wanted:
            raise StoreError(f"{path}: {name} does not have the columns of {table}; nothing was taken in")
        for column, values in allowed.items() if table in _TABLES else ():
            if column in frame.columns and not frame[column].is_in(values).all():
                raise StoreError(f"{path}: {name} holds a {column} that there is not; nothing was taken in")


def _frame(path: Path, archive: zipfile.ZipFile, name: str) -> pl.DataFrame:
    import polars as pl

    try:
        return unpacked(archive.read(name))
    except pl.exceptions.PolarsError as error:
        raise StoreError(f"{path}: {name} is no Parquet; nothing was taken in") from error


def _taken_in(
    path: Path, archive: zipfile.ZipFile, manifest: Mapping[str, Any], plan: Plan, store: Store, replace: bool
) -> Carried:
    import polars as pl

    told, members = manifest["experiment"], sorted(manifest["members"])
    there = bool(store.query("SELECT 1 FROM experiments WHERE id = ? AND deleted IS NULL", plan.id))
    if there and not replace:
        raise StoreError(f"{path}: experiment {plan.id} is here already; --replace puts this one in its place")
    parts = [_frame(path, archive, name) for name in members if name.startswith("cases/")]
    if not parts:
        raise StoreError(f"{path}: holds no case; nothing was taken in")
    cases = pl.concat(parts).sort("position")
    if cases["position"].to_list() != list(range(cases.height)) or cases["case_id"].n_unique() != cases.height:
        raise StoreError(f"{path}: its cases are not numbered one after the other; nothing was taken in")
    status = Status.INTERRUPTED if told["status"] == Status.RUNNING else Status(told["status"])
    with store.begin(plan, told["source"], cases, fresh=True) as recorder:
        try:
            with explained(store.path), transaction(store.connection):
                _insert(path, archive, members, recorder)
        except BaseException:
            recorder.withdraw()
            raise
        for name in _RANKINGS:
            if name in members:
                recorder.ranking_frame(Side(name.partition(".")[0]), _frame(path, archive, name))
        recorder.end(status, told["message"], told["cells"])
        with explained(store.path):
            store.connection.execute(
                "UPDATE experiments SET created = ? WHERE number = ?", (told["created"], recorder.number)
            )
    if status is Status.FINISHED:
        write_frame(store, recorder.number, plan)
        diagnoses.keep(store.results(plan.id))
    return Carried(plan.id, store.entry(plan.id).done, status, there)


def _insert(path: Path, archive: zipfile.ZipFile, members: list[str], recorder: Recorder) -> None:
    connection = recorder.store.connection
    shift = connection.execute("SELECT coalesce(max(id), 0) FROM calls").fetchone()[0]
    for name in members:
        table = name.partition("/")[0]
        if name in _RANKINGS or table == "cases":
            continue
        frame = _frame(path, archive, name)
        moved = [each for each, of in (("id", "calls"), ("call", "scores")) if of == table]
        frame = frame.with_columns(frame[each] + shift for each in moved)
        columns = frame.columns
        number = [recorder.number] if table in _TABLES else []
        names = ", ".join((*(["experiment"] if number else []), *columns))
        marks = ",".join("?" * (len(number) + len(columns)))
        verb = "INSERT OR IGNORE" if table in _BESIDE else "INSERT OR REPLACE"
        connection.executemany(
            f"{verb} INTO {table} ({names}) VALUES ({marks})", ((*number, *row) for row in frame.iter_rows())
        )
