"""The report page in a real browser: it sorts, searches, opens and prints without a network, and data stays text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.browser import chromium, needs_chromium
from tests.experiments.command_line import Shell
from tests.hostile import NAME, TEXT

pytestmark = [needs_chromium, pytest.mark.xdist_group("chromium")]

DESK = Path(__file__).parents[2] / "sample_data" / "support-desk"
PNG, PDF = b"\x89PNG\r\n\x1a\n", b"%PDF-"
ATTACKS = (
    "</script><script>window.pwned = 1</script>",
    "<img src=x onerror='window.pwned = 2'>",
    "<!-- <script>",
    '"};window.pwned=3;//',
    "<svg onload=window.pwned=4>",
    "javascript:window.pwned=5",
    "${window.pwned=6}`",
    "]]>\u2028\u2029",
    TEXT,
)


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, capsys, monkeypatch)


@pytest.fixture
def desk(shell: Shell) -> Path:
    """The report of the sample: two versions of a support desk."""
    answers = [f"recorded:{DESK / f'answers_{version}.jsonl'}" for version in ("v2", "v1")]
    line = ("run", str(DESK / "support.jsonl"), "--candidate", answers[0], "--baseline", answers[1])
    metrics = "groundedness,relevance,f1,correctness,completeness"
    assert shell(*line, "--metrics", metrics, "--limit", "30", "--report", "desk.html", "-q").status == 0
    return shell.folder / "desk.html"


@pytest.fixture
def attacked(shell: Shell) -> Path:
    """The report of cases whose every field, id and column is an attack."""
    rows = [
        {"id": f"{n} {attack}", "query": f"{attack} q", "response": f"It opens. {attack}", "context": f"It opens. {attack}",
         "ground_truth": attack, f"column {attack}": attack}
        for n, attack in enumerate(ATTACKS)
    ]  # fmt: skip
    shell.write(f"{NAME}.jsonl", rows)
    said = shell("run", f"{NAME}.jsonl", "--metrics", "groundedness,f1,correctness", "--report", "bad.html", "-q")
    assert said.status in (0, 3), said.err
    return shell.folder / "bad.html"


async def test_it_is_sorted_searched_opened_photographed_and_printed(desk: Path) -> None:
    rows = "[...document.querySelectorAll('#cases tr.row')]"
    column = "{}.map(r => r.cells[{}].textContent)"
    async with chromium() as page:
        await page.open(desk)
        assert await page.js("document.title") == await page.js("document.querySelector('h1').textContent")
        headings = await page.js("[...document.querySelectorAll('#cases th')].map(e => e.textContent)")
        assert headings[:2] == ["case", "question"]
        f1 = headings.index("f1")
        assert await page.js(f"{rows}.length") == 30
        assert await page.js("document.querySelectorAll('#figures svg.interval').length") == 10, "an interval a side"
        await page.call("Emulation.setDeviceMetricsOverride", width=1100, height=900, deviceScaleFactor=1, mobile=False)
        widths = await page.js("(e => [e.scrollWidth, e.clientWidth])(document.getElementById('figures'))")
        assert widths[0] <= widths[1], "the figures are cut"
        first = await page.js("document.querySelector('#figures td').textContent")
        assert first == "groundedness1 to 5, passes from 3"
        await page.call("Emulation.clearDeviceMetricsOverride")

        await page.click(f"#cases th:nth-child({f1 + 1})")
        ascending = await page.js(column.format(rows, f1))
        assert ascending == sorted(ascending)
        await page.click(f"#cases th:nth-child({f1 + 1})")
        descending = await page.js(column.format(rows, f1))
        assert descending == sorted(ascending, reverse=True)
        assert descending != ascending

        await page.type("#search", "licence Sea")
        found = await page.js(f"{rows}.map(r => r.cells[0].textContent)")
        assert "desk-030" in found
        assert 0 < len(found) < 10
        assert await page.js("document.getElementById('count').textContent") == f"{len(found)} of 30 cases"
        await page.type("#search", "desk-030")
        await page.click("#cases tr.row")
        more = await page.js("document.querySelector('tr.more').textContent")
        assert "says 14 days where the context has 21 days" in more
        assert "groundedness reason" in more
        assert "contradicted (chunk 1): For a sea trial you can borrow" in more
        seen = await page.screenshot()
        assert seen.startswith(PNG)
        assert len(seen) > 20_000, "the page is blank"
        await page.type("#search", "")
        printed = await page.printed()
        assert printed.startswith(PDF)
        assert printed.count(b"/Type /Page\n") >= 1
        assert page.asked_for == [desk.as_uri()], "it asked for something else than itself"
        assert page.complaints == []
    if folder := os.environ.get("RAGTUI_PICTURES"):
        Path(folder, "report.png").write_bytes(seen)
        Path(folder, "report.pdf").write_bytes(printed)


async def test_hostile_data_is_text_on_the_page_and_nothing_else(attacked: Path) -> None:
    async with chromium() as page:
        await page.open(attacked)
        await page.js("document.querySelectorAll('#cases tr.row').forEach(r => r.click())")
        for heading in range(1, 5):
            await page.click(f"#cases th:nth-child({heading})")
        await page.type("#search", "pwned")
        assert await page.js("document.querySelectorAll('#cases tr.row').length") == 6
        await page.js("document.querySelectorAll('#cases tr.row').forEach(r => r.click())")
        assert await page.js("typeof window.pwned") == "undefined"
        kinds = await page.js("[...new Set([...document.querySelectorAll('*')].map(e => e.tagName.toLowerCase()))]")
        assert not {"img", "iframe", "a", "object", "link", "form"} & set(kinds)
        assert await page.js("document.querySelectorAll('script').length") == 2
        shown = await page.js("document.body.innerText")
        assert "</script><script>window.pwned = 1</script>" in shown
        assert page.asked_for == [attacked.as_uri()]
        assert page.complaints == []
