"""Archives: a .zip with a manifest, the cases, their conversations and traces. Everything is checked before anything is used.

manifest.json                  version, kind, name, columns with roles, fields, and of each member sha256 and size
cases.jsonl                    one object a case: "case_id", "session_id" where it has one, "source", "values" by column
conversations/SESSION.json     {"messages": […]}
traces/SESSION.json            any JSON
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.case_ids import CASE_ID
from ragtui.datasets.containers.table import LINE
from ragtui.datasets.damaged_zip import NO_ZIP
from ragtui.datasets.dataset import Dataset
from ragtui.workspace import replacing

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

VERSION: Final = 1
KIND: Final = "ragtui-archive"
MANIFEST: Final = "manifest.json"
CASES: Final = "cases.jsonl"
MOST_MEMBERS: Final = 20_000
LARGEST_MEMBER: Final = 64 << 20  # bytes, unpacked
LARGEST_TOTAL: Final = 512 << 20
_MEMBER: Final = re.compile(r"(conversations|traces)/[A-Za-z0-9][A-Za-z0-9._-]{0,127}\.json")
_LINK: Final = 0o120000
_TYPE: Final = 0o170000
_CHUNK: Final = 1 << 16
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # equal cases make equal archives
CONVERSATION: Final = "conversation"
TRACES: Final = ("trace", "haystack_trace")
SESSIONS: Final = ("session_id", "session")


class ArchiveError(Exception):
    """An archive is refused; the message is one line that names the member and the reason."""


@dataclass(frozen=True)
class Archive:
    """A checked archive: ``manifest``, ``cases`` in order, and by session ``conversations`` (messages) and ``traces``."""

    manifest: Mapping[str, Any]
    cases: tuple[Mapping[str, Any], ...]
    conversations: Mapping[str, Any]
    traces: Mapping[str, Any]


def is_archive(path: Path) -> bool:
    """Whether a file is a .zip with a manifest; its content is not looked at."""
    try:
        with path.open("rb") as stream:
            if stream.read(4) != b"PK\x03\x04":
                return False
        with zipfile.ZipFile(path) as package:
            names = package.namelist()
    except (*NO_ZIP, OSError):
        return False
    return MANIFEST in names and CASES in names


def is_golden(path: Path) -> bool:
    """Whether a file is an archive that was marked as never to be tuned on."""
    if not path.is_file() or not is_archive(path):
        return False
    try:
        with zipfile.ZipFile(path) as package, package.open(MANIFEST) as stream:
            manifest = json.loads(stream.read(LARGEST_MEMBER))
    except (*NO_ZIP, OSError, ValueError, RecursionError):
        return False  # reading it says why
    return isinstance(manifest, dict) and manifest.get("golden") is True


def export(dataset: Dataset, path: Path, golden: bool = False) -> int:
    """Writes an archive of a dataset of cases; returns how many. ``golden`` marks it as never to be tuned on.

    Raises:
        ArchiveError: it has no cases, or more than an archive takes. OSError: it cannot be written.
    """
    if dataset.cases is None:
        raise ArchiveError(f"{dataset.path}: holds no cases; only cases can be put into an archive")
    members: dict[str, bytes] = {}
    lines = [_line(case) for case in _cases(dataset, members)]
    members[CASES] = b"".join(lines)
    if len(members) + 1 > MOST_MEMBERS:
        raise ArchiveError(f"{dataset.path}: {len(members):,} members; an archive takes {MOST_MEMBERS:,}")
    for name, data in members.items():
        if len(data) > LARGEST_MEMBER:
            raise ArchiveError(f"{dataset.path}: {name} would have {len(data):,} bytes; at most {LARGEST_MEMBER:,}")
    manifest = {
        "version": VERSION,
        "kind": KIND,
        "name": dataset.name,
        "golden": golden,
        "source": {"format": dataset.format, "file": dataset.location.name},
        "columns": [{"name": each.name, "role": each.role.value} for each in dataset.columns],
        "fields": dict(dataset.fields),
        "members": {name: _described(data) for name, data in sorted(members.items())},
    }
    _write(
        path, {MANIFEST: json.dumps(manifest, ensure_ascii=False, indent=1).encode(), **dict(sorted(members.items()))}
    )
    return len(lines)


def read(path: Path) -> Archive:
    """An archive, wholly checked: names, links, sizes, counts, hashes, JSON.

    Raises:
        ArchiveError: it is refused. OSError: it cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as package:
            return _read(path, package)
    except NO_ZIP as error:
        raise ArchiveError(f"{path}: no readable archive: {error}") from error


def import_to(path: Path, target: Path) -> tuple[int, dict[str, str]]:
    """Writes a copy of a checked archive in which every session has a new id; returns how many cases it has, and the new
    session ids by the old ones. Nothing is written where anything is wrong.

    Raises:
        ArchiveError: it is refused. OSError: it cannot be written.
    """
    archive = read(path)
    sessions = {**archive.conversations, **archive.traces}
    renamed = {old: uuid.uuid4().hex for old in sessions}
    cases = [
        {**case, "session_id": renamed[case["session_id"]]} if case.get("session_id") in renamed else case
        for case in archive.cases
    ]
    members = {f"conversations/{renamed[old]}.json": _document(value) for old, value in archive.conversations.items()}
    members |= {f"traces/{renamed[old]}.json": _document(value) for old, value in archive.traces.items()}
    members[CASES] = b"".join(_line(case) for case in cases)
    manifest = {
        **archive.manifest,
        "imported": True,
        "members": {name: _described(data) for name, data in sorted(members.items())},
    }
    _write(
        target, {MANIFEST: json.dumps(manifest, ensure_ascii=False, indent=1).encode(), **dict(sorted(members.items()))}
    )
    return len(cases), renamed


def _cases(dataset: Dataset, members: dict[str, bytes]) -> Iterator[dict[str, Any]]:
    """The cases as they are kept; conversations and traces go to ``members``."""
    assert dataset.cases is not None
    names = [each.name for each in dataset.columns if each.name in dataset.cases.columns]
    for row in dataset.cases.iter_rows(named=True):
        values = {name: row[name] for name in names if row[name] is not None}
        case: dict[str, Any] = {
            "case_id": row[CASE_ID],
            "source": {"format": dataset.format, "file": dataset.location.name, "line": row[LINE]},
        }
        kept = {
            "conversations": values.get(CONVERSATION),
            "traces": next((values[name] for name in TRACES if name in values), None),
        }
        if any(kept.values()):
            case["session_id"] = _session(values, str(row[CASE_ID]))
        for folder, text in kept.items():
            if text:
                members[f"{folder}/{case['session_id']}.json"] = _document(_parsed(text))
        yield case | {"values": {name: value for name, value in values.items() if name not in (CONVERSATION, *TRACES)}}


def _session(values: Mapping[str, Any], case_id: str) -> str:
    own = next((str(values[name]) for name in SESSIONS if values.get(name)), "")
    if own and _MEMBER.fullmatch(f"traces/{own}.json"):
        return own
    return hashlib.sha256(case_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _document(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace")


def _line(case: Mapping[str, Any]) -> bytes:
    return json.dumps(case, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _described(data: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}


def _write(path: Path, members: Mapping[str, bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            package.writestr(info, data)


# Reading what somebody else wrote


def _read(path: Path, package: ZipFile) -> Archive:
    infos = _checked_names(path, package)
    if MANIFEST not in infos:
        raise ArchiveError(f"{path}: has no {MANIFEST}")
    manifest = _json(path, MANIFEST, _bytes(path, package, infos[MANIFEST]))
    listed = _listed(path, manifest)
    for name in infos.keys() - listed.keys() - {MANIFEST}:
        raise ArchiveError(f"{path}: {name} is not in the manifest")
    for name in listed.keys() - infos.keys():
        raise ArchiveError(f"{path}: {name} is in the manifest but not in the archive")
    if CASES not in infos:
        raise ArchiveError(f"{path}: has no {CASES}")
    found: dict[str, dict[str, Any]] = {"conversations": {}, "traces": {}}
    cases: tuple[Mapping[str, Any], ...] = ()
    for name, told in listed.items():
        data = _bytes(path, package, infos[name])
        if hashlib.sha256(data).hexdigest() != told:
            raise ArchiveError(f"{path}: {name} is not what the manifest says (sha256 differs)")
        if name == CASES:
            cases = tuple(_case(path, number, raw) for number, raw in enumerate(data.split(b"\n"), 1) if raw.strip())
        else:
            folder, _, file = name.partition("/")
            found[folder][file.removesuffix(".json")] = _json(path, name, data)
    return Archive(manifest, cases, found["conversations"], found["traces"])


def _checked_names(path: Path, package: ZipFile) -> dict[str, ZipInfo]:
    """The members by name, none of which could be written anywhere else or is larger than it may be."""
    infos: dict[str, ZipInfo] = {}
    folded: set[str] = set()  # some file systems do not tell cases apart
    total = 0
    if len(package.infolist()) > MOST_MEMBERS:
        raise ArchiveError(f"{path}: {len(package.infolist()):,} members; at most {MOST_MEMBERS:,}")
    for info in package.infolist():
        name = info.filename
        if name.casefold() in folded:
            raise ArchiveError(f"{path}: {name!r} is there twice")
        if (info.external_attr >> 16) & _TYPE not in (0, 0o100000):
            kind = "a link" if (info.external_attr >> 16) & _TYPE == _LINK else "no plain file"
            raise ArchiveError(f"{path}: {name!r} is {kind}")
        if info.flag_bits & 1:
            raise ArchiveError(f"{path}: {name!r} is encrypted")
        if name not in (MANIFEST, CASES) and not _MEMBER.fullmatch(name):
            raise ArchiveError(f"{path}: {name!r} does not belong into an archive")
        if info.file_size > LARGEST_MEMBER:
            raise ArchiveError(f"{path}: {name!r} has {info.file_size:,} bytes; at most {LARGEST_MEMBER:,}")
        total += info.file_size
        infos[name] = info
        folded.add(name.casefold())
    if total > LARGEST_TOTAL:
        raise ArchiveError(f"{path}: {total:,} bytes unpacked; at most {LARGEST_TOTAL:,}")
    return infos


def _bytes(path: Path, package: ZipFile, info: ZipInfo) -> bytes:
    """What a member holds; never more than it said it would."""
    data = bytearray()
    with package.open(info) as stream:
        while chunk := stream.read(_CHUNK):
            data += chunk
            if len(data) > info.file_size:
                raise ArchiveError(f"{path}: {info.filename!r} holds more than it says")
    return bytes(data)


def _listed(path: Path, manifest: Any) -> dict[str, str]:
    """The members a manifest lists, with their hashes."""
    if not isinstance(manifest, dict) or manifest.get("kind") != KIND:
        raise ArchiveError(f"{path}: {MANIFEST} is no manifest of ragtui")
    if manifest.get("version") != VERSION:
        raise ArchiveError(f"{path}: schema version {manifest.get('version')!r}; this ragtui reads version {VERSION}")
    members = manifest.get("members")
    if not isinstance(members, dict) or not all(
        isinstance(told, dict) and isinstance(told.get("sha256"), str) for told in members.values()
    ):
        raise ArchiveError(f"{path}: {MANIFEST} lists no members")
    return {str(name): told["sha256"] for name, told in members.items()}


def _json(path: Path, name: str, data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"{path}: {name} is not JSON: {error}") from error


def _case(path: Path, number: int, raw: bytes) -> Mapping[str, Any]:
    case = _json(path, f"{CASES}:{number}", raw)
    values = case.get("values") if isinstance(case, dict) else None
    if not isinstance(values, dict) or not isinstance(case.get("case_id"), str) or not case["case_id"]:
        raise ArchiveError(f"{path}: {CASES}:{number} has no case_id or no values")
    if not all(
        isinstance(value, str) or (isinstance(value, list) and all(isinstance(each, str) for each in value))
        for value in values.values()
    ):
        raise ArchiveError(f"{path}: {CASES}:{number}: values are texts or lists of texts")
    found: Mapping[str, Any] = case
    if not isinstance(found.get("session_id", ""), str):
        raise ArchiveError(f"{path}: {CASES}:{number}: session_id is no text")
    return found
