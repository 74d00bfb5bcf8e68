"""Reports for other tools have the shape those demand, whatever is found and however files are called.

The formats' own schemas are not part of the project: ``RAGTUI_SCHEMAS`` names the folder that
``sarif-schema-2.1.0.json`` (OASIS), ``JUnit.xsd`` (windyroad/JUnit-Schema, the format of Ant) and ``junit-10.xsd``
(jenkinsci/xunit-plugin) lie in.
"""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from ragtui.cli.findings_output import Style, render
from ragtui.datasets.check import CannotOpen, Opened, open_datasets
from ragtui.datasets.findings import Finding, Level, Report
from ragtui.datasets.formats import ReadOptions
from tests.cli.report_shapes import github_faults, junit_faults, sarif_faults

ROOT = Path(__file__).parents[2]
HOSTILE = "[/x] \"a\" 'b' <c> & %25 ::error::\x1b]52;c;aGk=\x07\u202e\x00\x9b31m\ud7ff\uffff,;:\r\n]]>"
SCHEMAS = os.environ.get("RAGTUI_SCHEMAS")
NAMES = [
    "a b.csv",
    "a%20b.csv",
    "a:b.csv",
    "a,b.csv",
    "a#b?.csv",
    "größe漢.csv",
    "-o.csv",
    "a'\"b<&>.csv",
    "::error::.csv",
    "a\x1b[31m.csv",
]
BAD = "query,expected_answer\nWho?,\n,This\nWhere?,Here,more\n"


def every_dataset() -> list[Path]:
    cases = [path.parent for path in sorted((ROOT / "tests" / "cases").glob("*/case.toml"))]
    return [*cases, ROOT / "sample_data", ROOT / "sample_data" / "broken"]


@pytest.fixture(scope="module")
def found() -> list[Opened]:
    """What is found in all cases and samples, with everything that is only told when asked for, fixes too."""
    result = []
    for path in every_dataset():
        for options in (ReadOptions(), ReadOptions(select=("ALL",), platform="deepset"), ReadOptions(platform="beir")):
            try:
                result.append(open_datasets([str(path)], options))
            except CannotOpen:
                continue
    assert len({code for opened in result for code in opened.by_code()}) > 60
    assert any(finding.sheet for opened in result for finding in opened.findings())
    assert any(finding.fixable for opened in result for finding in opened.findings())
    return result


@pytest.fixture
def strange(tmp_path: Path) -> Opened:
    """Faults in files of strange names, with strange text in every place that is told."""
    header = f'question,text,context,answer_start,answer_end,filters,"{HOSTILE.replace(chr(34), chr(34) * 2)}",Text'
    for name in NAMES:
        (tmp_path / name).write_text(BAD, "utf-8")
    with suppress(OSError):  # some systems take no such name
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/no text \xff.csv")).write_text(BAD, "utf-8")
    (tmp_path / "hostile.csv").write_text(f'{header}\n"{HOSTILE}",no,"{HOSTILE}",0,x,x,y\n', "utf-8")
    (tmp_path / "hostile.jsonl").write_text(json.dumps({"query": HOSTILE, HOSTILE: 1, "response": 7}) + "\n{", "utf-8")
    return open_datasets([str(tmp_path)])


def written(form: str, opened: Opened, level: Level = Level.ERROR) -> str:
    return "".join(render(form, opened, Style(level)))


class TestSarif:
    def test_it_holds_for_everything_there_is_to_find(self, found: list[Opened]) -> None:
        for opened in found:
            assert sarif_faults(json.loads(written("sarif", opened))) == []

    def test_it_holds_for_strange_names_and_texts(self, strange: Opened) -> None:
        document = json.loads(written("sarif", strange))
        assert sarif_faults(document) == []
        uris = {
            location["physicalLocation"]["artifactLocation"]["uri"]
            for result in document["runs"][0]["results"]
            for location in result["locations"]
        }
        assert {Path(unquote(uri)).name for uri in uris} >= set(NAMES)

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda log: log.update(version="2.1"),
            lambda log: log.pop("runs"),
            lambda log: log["runs"][0].update(rules=[]),
            lambda log: log["runs"][0]["tool"]["driver"].pop("name"),
            lambda log: log["runs"][0]["tool"]["driver"]["rules"].append(log["runs"][0]["tool"]["driver"]["rules"][0]),
            lambda log: log["runs"][0]["results"][0].update(level="info"),
            lambda log: log["runs"][0]["results"][0].update(ruleIndex=99),
            lambda log: log["runs"][0]["results"][0].update(message="x"),
            lambda log: log["runs"][0]["results"][0]["locations"][0]["physicalLocation"].update(region={"startLine": 0}),
            lambda log: log["runs"][0]["results"][0]["locations"][0]["physicalLocation"].update(region={}),
            lambda log: log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"].update(uri="a b"),
            lambda log: log["runs"][0]["results"][0].update(fixes=[{"artifactChanges": []}]),
        ],
    )  # fmt: skip
    def test_the_check_itself_finds_faults(self, strange: Opened, spoil: Callable[[Any], object]) -> None:
        document = copy.deepcopy(json.loads(written("sarif", strange)))
        spoil(document)
        assert sarif_faults(document)


class TestJson:
    def test_it_holds_no_half_of_a_surrogate_pair(self, strange: Opened) -> None:
        text = written("json", strange)
        assert "\\ufffd.csv" in text or not any("no text" in each.path for each in strange.datasets)
        json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8")


class TestJunit:
    @pytest.mark.parametrize("level", list(Level))
    def test_it_holds_for_everything_there_is_to_find(self, found: list[Opened], level: Level) -> None:
        for opened in found:
            root = ElementTree.fromstring(written("junit", opened, level))
            assert junit_faults(root) == []
            failing = [each for each in opened.findings() if each.level.rank <= level.rank]
            assert len(root.findall(".//failure")) == len(failing)

    def test_it_holds_for_strange_names_and_texts(self, strange: Opened) -> None:
        assert junit_faults(ElementTree.fromstring(written("junit", strange))) == []

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda root: root[0].set("tests", "99"),
            lambda root: root[0].attrib.pop("hostname"),
            lambda root: root[0].set("skipped", "0"),
            lambda root: root[0].set("timestamp", "2024-05-01T08:00:00Z"),
            lambda root: root[0].remove(root[0].find("properties")),
            lambda root: root[0].find("testcase").set("time", "soon"),
            lambda root: root[0].find("testcase/failure").attrib.pop("type"),
            lambda root: root[0].set("id", "7"),
        ],
    )
    def test_the_check_itself_finds_faults(self, strange: Opened, spoil: Callable[[Any], object]) -> None:
        root = ElementTree.fromstring(written("junit", strange))
        spoil(root)
        assert junit_faults(root)


class TestGithub:
    def test_it_holds_for_everything_there_is_to_find(self, found: list[Opened]) -> None:
        for opened in found:
            lines = written("github", opened).split("\n")[:-1]
            assert len(lines) == len(list(opened.findings()))
            assert github_faults(lines) == []

    def test_it_holds_for_strange_names_and_texts(self, strange: Opened) -> None:
        assert github_faults(written("github", strange).split("\n")[:-1]) == []

    @pytest.mark.parametrize(
        "line",
        [
            "::info file=a::x", "::error file=a,line=0::x", "::error file=a,col=3::x", "::error file=a:b::x", "::error file=a%::x",
            "::error file=a,line=1,line=2::x", "::error file=a,colour=red::x", "::error line=1::x", "::error file=a::", "error: x",
        ],
    )  # fmt: skip
    def test_the_check_itself_finds_faults(self, line: str) -> None:
        assert github_faults([line])

    def test_what_would_end_an_annotation_is_escaped(self) -> None:
        report = Report("a:b,c%0A.csv")
        report.shown = "in/a:b,c%0A.csv"
        report.add(Finding("CSV001", Level.ERROR, "100 %\r\n::error::x, y: \x1b[31m", line=3, column=9))
        report.add(Finding("CSV002", Level.WARNING, "", line=3))
        report.add(Finding("CSV003", Level.INFO, "no line", line=0, column=4))
        report.add(Finding("XLSX001", Level.ERROR, "a cell", line=7, sheet="S,1", cell="B7"))
        place = "file=in/a%3Ab%2Cc%250A.csv"
        assert written("github", Opened(reports=[report])).splitlines() == [
            f"::notice title=ragtui (CSV003),{place}::in/a:b,c%250A.csv:0:4: CSV003 no line",
            f"::warning title=ragtui (CSV002),{place},line=3::in/a:b,c%250A.csv:3:0: CSV002 ",
            f"::error title=ragtui (CSV001),{place},line=3,col=9::in/a:b,c%250A.csv:3:9: CSV001 "
            "100 %25⏎::error::x, y: ␛[31m",
            f"::error title=ragtui (XLSX001),{place}::in/a:b,c%250A.csv#S,1:7:B7: XLSX001 a cell",
        ]


@pytest.mark.skipif(not SCHEMAS, reason="RAGTUI_SCHEMAS is not set")
class TestTheSchemasThemselves:
    """They accept every report; and what they refuse, the checks above refuse too."""

    @pytest.fixture(scope="class")
    def sarif(self) -> Any:
        from jsonschema import Draft4Validator

        schema = json.loads((Path(str(SCHEMAS)) / "sarif-schema-2.1.0.json").read_text("utf-8"))
        return Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER)

    @pytest.fixture(scope="class", params=["JUnit.xsd", "junit-10.xsd"])
    def junit(self, request: pytest.FixtureRequest) -> Any:
        from lxml import etree

        return etree.XMLSchema(etree.parse(Path(str(SCHEMAS)) / request.param))

    def test_sarif(self, sarif: Any, found: list[Opened], strange: Opened) -> None:
        for opened in (*found, strange):
            sarif.validate(json.loads(written("sarif", opened)))

    @pytest.mark.parametrize("level", list(Level))
    def test_junit(self, junit: Any, found: list[Opened], strange: Opened, level: Level) -> None:
        from lxml import etree

        for opened in (*found, strange):
            junit.assertValid(etree.fromstring(written("junit", opened, level).encode()))

    @pytest.mark.parametrize("seed", range(20))
    def test_the_checks_are_as_strict_on_sarif(self, sarif: Any, strange: Opened, seed: int) -> None:
        rng = random.Random(seed)
        whole = json.loads(written("sarif", strange))
        whole["runs"][0]["results"] = rng.sample(whole["runs"][0]["results"], 3)
        for _ in range(20):
            document = copy.deepcopy(whole)
            spoilt(document, rng)
            if not sarif.is_valid(document):
                assert sarif_faults(document), document


def spoilt(document: Any, rng: random.Random) -> None:
    """Puts something else in one place of a document, takes it away, or puts something unknown beside it."""
    places: list[tuple[Any, Any]] = []
    open_ = [document]
    while open_:
        each = open_.pop()
        keys = list(each) if isinstance(each, dict) else range(len(each))
        places += [(each, key) for key in keys]
        open_ += [each[key] for key in keys if isinstance(each[key], dict | list)]
    holder, key = rng.choice(places)
    what = rng.randrange(3)
    if what == 0:
        holder[key] = rng.choice(["", "a b", "a", -1, 0, 1.5, None, True, [], {}, [{}], "2.1.0", "error"])
    elif what == 1:
        del holder[key]
    elif isinstance(holder, dict):
        holder[rng.choice(["x", "text", "id", "region", "uri"])] = rng.choice(["a", 1, {}])
    else:
        holder.append(copy.deepcopy(holder[key]))
