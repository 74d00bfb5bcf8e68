"""``ragtui metrics``: the table everything else reads."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from ragtui.cli import root
from ragtui.metrics.registry import definitions


def ragtui(*arguments: str) -> Result:
    return CliRunner().invoke(root, ["metrics", *arguments])


def test_every_metric_is_listed_by_kind() -> None:
    shown = ragtui().stdout
    for each in definitions().values():
        assert f"  {each.shown_name}" in shown
        assert each.metric.summary in shown
    assert [line for line in shown.splitlines() if line and not line.startswith((" ", "`"))] == [
        "retrieval", "overlap", "judged", "facts", "operational",
    ]  # fmt: skip


def test_one_metric_is_explained() -> None:
    shown = ragtui("f1:azure").stdout
    for part in (
        "# f1:azure",
        "0 to 1, higher is better",
        "≥ 0.5",
        "response, ground_truth",
        "f1:squad",
        "F1ScoreEvaluator = f1:azure",
    ):
        assert part in shown
    assert "# nDCG@k" in ragtui("ndcg").stdout
    assert "# nDCG@7" in ragtui("ndcg@7").stdout
    assert "question facts" in ragtui("alignment").stdout
    assert "lower is better" in ragtui("latency").stdout


def test_json_is_whole() -> None:
    rows = json.loads(ragtui("--output-format", "json").stdout)
    assert [row["name"] for row in rows] == [each.shown_name for each in definitions().values()]
    one = json.loads(ragtui("ndcg@10:exp", "--output-format", "json").stdout)
    assert (one["name"], one["kind"], one["threshold"], one["scale"]) == ("nDCG@10:exp", "retrieval", None, [0, 1])


def test_the_documentation_is_the_table() -> None:
    page = Path(__file__).parents[2] / "docs" / "metrics.md"
    assert page.read_text("utf-8") == ragtui("--output-format", "markdown").stdout, (
        "write it anew with the command it names"
    )


def test_what_is_unknown_is_one_line_and_status_2() -> None:
    for arguments, message in (
        (["groundednes"], "did you mean groundedness?"),
        (["--output-format", "xml"], "unknown output format"),
    ):
        result = ragtui(*arguments)
        assert result.exit_code == 2
        assert message in result.stderr
        assert len(result.stderr.splitlines()) == 1
