"""Archives: what goes in comes out, under new sessions; whatever is not as the manifest says is refused before anything is written."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragtui.datasets.archive import CASES, MANIFEST, ArchiveError, export, import_to, read
from ragtui.datasets.check import open_dataset, open_datasets
from tests.cli.test_check import ragtui

SAMPLES = Path(__file__).parents[2] / "sample_data"
TALK = {"messages": [{"role": "user", "content": "Wo?"}, {"role": "assistant", "content": "Hier é."}]}
TRACE = {"schema_version": "haystack-trace/v1", "traces": [{"span_id": "1", "tags": {}}]}


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    records = [
        {"id": "a", "session_id": "s-1", "conversation": TALK, "trace": TRACE, "ground_truth": "Hier."},
        {"id": "b", "conversation": TALK, "ground_truth": "Da."},
    ]
    path = tmp_path / "talks.jsonl"
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records), "utf-8")
    return path


@pytest.mark.parametrize("name", ["azure.jsonl", "deepset-qa.csv", "cases.csv", "pinecone.json"])
def test_cases_come_out_as_they_went_in(name: str, tmp_path: Path) -> None:
    before = open_dataset(str(SAMPLES / name))[0]
    export(before, tmp_path / "a.zip")
    import_to(tmp_path / "a.zip", tmp_path / "b.zip")
    after = open_dataset(str(tmp_path / "b.zip"))[0]
    assert before.cases is not None
    assert after.cases is not None
    assert after.cases.drop("_line").equals(before.cases.drop("_line").select(after.cases.drop("_line").columns))
    assert [(each.name, each.role) for each in after.columns] == [(each.name, each.role) for each in before.columns]
    assert after.fields == before.fields
    export(before, tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "a.zip").read_bytes()


def test_conversations_and_traces_get_new_sessions_and_stay_readable(talks: Path, tmp_path: Path) -> None:
    before = open_dataset(str(talks))[0]
    assert export(before, tmp_path / "a.zip") == 2
    count, renamed = import_to(tmp_path / "a.zip", tmp_path / "b.zip")
    assert (count, "s-1" in renamed) == (2, True)
    after = read(tmp_path / "b.zip")
    assert set(after.conversations) == set(renamed.values())
    assert after.traces == {renamed["s-1"]: TRACE}
    assert not set(renamed) & set(after.conversations)
    dataset = open_dataset(str(tmp_path / "b.zip"))[0]
    assert dataset.cases is not None
    assert dataset.cases["_case_id"].to_list() == ["a", "b"]
    assert json.loads(dataset.cases["conversation"][0]) == TALK
    assert json.loads(dataset.cases["trace"][0]) == TRACE
    assert dataset.cases["response"].to_list() == ["Hier é.", "Hier é."]


def test_scores_are_the_same_after_a_move(tmp_path: Path) -> None:
    assert ragtui("archive", "export", str(SAMPLES / "azure.jsonl"), "a.zip", cwd=tmp_path).returncode == 0
    other = tmp_path / "other"
    other.mkdir()
    done = ragtui("archive", "import", "../a.zip", cwd=other)
    assert done.stdout == "Copied the archive to a.zip, a dataset of 20 cases.\n"
    assert done.returncode == 0
    scores = []
    for dataset, folder in ((str(SAMPLES / "azure.jsonl"), tmp_path), ("a.zip", other)):
        done = ragtui(
            "run", dataset, "--metrics", "f1,groundedness", "--limit", "5", "--scores", "s.jsonl", "--quiet", cwd=folder
        )
        assert done.returncode == 0, done.stderr
        lines = [json.loads(line) for line in (folder / "s.jsonl").read_text().splitlines()]
        scores.append({(each["case_id"], each["metric"]): (each["state"], each["score"]) for each in lines})
    assert scores[0] == scores[1]


def rewritten(
    path: Path, change: Callable[[dict[str, bytes], dict[str, Any]], list[tuple[zipfile.ZipInfo | str, bytes]] | None]
) -> Path:
    """The archive with its members changed, and hashes that are right again unless the change is about them."""
    with zipfile.ZipFile(path) as package:
        members = {name: package.read(name) for name in package.namelist()}
    manifest = json.loads(members.pop(MANIFEST))
    further = change(members, manifest) or []
    for name in manifest["members"] if manifest.pop("rehash", True) else ():
        if name in members:
            manifest["members"][name]["sha256"] = hashlib.sha256(members[name]).hexdigest()
    target = path.with_name("hostile.zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr(MANIFEST, json.dumps(manifest))
        for member, data in [*members.items(), *further]:
            package.writestr(member, data)
    return target


def listed(name: str) -> Callable[[dict[str, bytes], dict[str, Any]], None]:
    def change(members: dict[str, bytes], manifest: dict[str, Any]) -> None:
        members[name] = b"{}"
        manifest["members"][name] = {"sha256": "", "size": 2}

    return change


def link(members: dict[str, bytes], manifest: dict[str, Any]) -> list[tuple[zipfile.ZipInfo | str, bytes]]:
    info = zipfile.ZipInfo("traces/x.json")
    info.external_attr = 0o120777 << 16
    manifest["members"]["traces/x.json"] = {"sha256": hashlib.sha256(b"/etc/passwd").hexdigest(), "size": 1}
    return [(info, b"/etc/passwd")]


def twice(members: dict[str, bytes], manifest: dict[str, Any]) -> list[tuple[zipfile.ZipInfo | str, bytes]]:
    return [(CASES, members[CASES])]


def altered(members: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["rehash"] = False
    members[CASES] = members[CASES].replace(b"Hier", b"Dort")


def bomb(members: dict[str, bytes], manifest: dict[str, Any]) -> None:
    listed("traces/bomb.json")(members, manifest)
    members["traces/bomb.json"] = b" " * ((64 << 20) + 1)


def newer(members: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["version"] = 2


def unlisted(members: dict[str, bytes], manifest: dict[str, Any]) -> None:
    members["traces/new.json"] = b"{}"


def missing(members: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["members"]["traces/gone.json"] = {"sha256": "", "size": 0}


def odd_values(members: dict[str, bytes], manifest: dict[str, Any]) -> None:
    members[CASES] = b'{"case_id": "a", "values": {"query": 5}}\n'


HOSTILE = {
    "../evil.json": listed("../evil.json"), "/etc/evil.json": listed("/etc/evil.json"), "traces/../x.json": listed("traces/../x.json"),
    "C:\\x.json": listed("C:\\x.json"), "metrics/m.py": listed("metrics/m.py"), "link": link, "twice": twice, "sha256": altered,
    "bomb": bomb, "version": newer, "unlisted": unlisted, "missing": missing, "values": odd_values,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_hostile_is_refused_before_anything_is_written(kind: str, talks: Path, tmp_path: Path) -> None:
    export(open_dataset(str(talks))[0], tmp_path / "a.zip")
    hostile = rewritten(tmp_path / "a.zip", HOSTILE[kind])
    inside = tmp_path / "inside"
    inside.mkdir()
    with pytest.raises(ArchiveError):
        import_to(hostile, inside / "b.zip")
    done = ragtui("archive", "import", "../hostile.zip", cwd=inside)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert list(inside.iterdir()) == []
    assert "ARC101" in ragtui("check", str(hostile)).stdout


def test_what_is_no_archive_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04 broken")
    done = ragtui("archive", "import", "x.zip", "y.zip", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    done = ragtui("archive", "export", str(SAMPLES / "beir"), "y.zip", cwd=tmp_path)
    assert (done.returncode, "holds no cases" in done.stderr) == (2, True)


@pytest.mark.parametrize("golden", [True, False])
def test_an_archive_marked_as_golden_shares_no_question_with_what_is_checked_beside_it(
    golden: bool, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text('{"query": "Which?", "response": "b", "context": "c"}\n')
    (tmp_path / "b.jsonl").write_text('{"query": "Other?", "response": "b", "context": "c"}\n')
    export(open_dataset(str(tmp_path / "a.jsonl"))[0], tmp_path / "gold.zip", golden)
    found = [
        (each.file, each.line, each.message)
        for each in open_datasets([str(tmp_path)]).findings()
        if each.code == "ID301"
    ]
    assert found == ([("a.jsonl", 1, "asks what the golden dataset a asks")] if golden else [])
