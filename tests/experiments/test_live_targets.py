"""Runs that ask live targets: what they are shown and what never, what is asked again, setup scripts, conversations."""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from ragtui import trust
from ragtui.experiments.carried import read_experiment
from ragtui.experiments.plan import Side
from ragtui.experiments.progress import Progress
from ragtui.experiments.store import Store
from ragtui.experiments.wording import forecast
from ragtui.workspace import Workspace
from tests.experiments.command_line import Shell

SECRET = "PLANTED-7731"
ROWS: list[dict[str, Any]] = [
    {"id": f"c{n}", "query": f"Where is room {n}?", "lang": "en", "filters": json.dumps({"floor": n}), "ground_truth": f"{SECRET} {n}",
     "expected_document": SECRET, "topic": "odd" if n % 2 else "even"}
    for n in range(6)
]  # fmt: skip
BOT = """
import json, os, sys
def note(*what):
    with open("seen.txt", "a") as file: file.write(repr(what) + "\\n")
def answer(query, **more):
    note(query, more, dict(os.environ), sys.argv)
    if query.endswith("3?"): raise RuntimeError("no map")
    return {"response": "On floor two.", "contexts": ["Room on floor two."], "cost": 0.5, "mood": "good"}
def ranked(query):
    note(query)
    if "two" in query: raise RuntimeError("index is down")
    return {"retrieved_ids": ["d1", "d2"]}
def chats(query, history): return query + " after " + str([each["content"] for each in history])
if __name__ == "__main__":
    for line in sys.stdin:
        note(line, dict(os.environ), sys.argv)
        case = json.loads(line)
        print(json.dumps({"id": case["id"], "response": "On floor two."}))
"""


@pytest.fixture
def desk(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A folder with cases and a bot, and a user who has not allowed anything."""
    monkeypatch.setattr(
        "platformdirs.user_state_path", lambda name: shell.folder.parent / f"{shell.folder.name}-home" / name
    )
    monkeypatch.setattr(trust, "_allowed_here", set())
    shell.write("desk.jsonl", ROWS)
    (shell.folder / "bot.py").write_text(BOT)
    return shell


def seen(desk: Shell) -> list[str]:
    path = desk.folder / "seen.txt"
    return path.read_text().splitlines() if path.exists() else []


def results(desk: Shell, name: str = "last") -> Any:
    return Store.open(Workspace.open(desk.folder)).results(name)


def run(desk: Shell, *arguments: str) -> int:
    return desk("run", "desk.jsonl", "--quiet", *arguments).status


def test_a_function_is_shown_inputs_and_filters_and_no_expected_value(desk: Shell) -> None:
    assert run(desk, "--candidate", "python:bot:answer", "--metrics", "f1,latency,cost") == 3
    assert len(seen(desk)) == 6
    assert all(SECRET not in line for line in seen(desk)), "nothing of what is expected"
    assert any("'lang': 'en'" in line for line in seen(desk))
    states = results(desk).rows().select("case_id", "f1 state").rows()
    assert dict(states) == {f"c{n}": "target_error" if n == 3 else "scored" for n in range(6)}
    side = results(desk).detail("c3").side(Side.CANDIDATE)
    assert (side.cells[0].cause, side.message) == ("exception", "RuntimeError: no map (bot.py:7)")
    assert results(desk).detail("c2").side(Side.CANDIDATE).latency_ms > 0


def test_a_command_is_shown_inputs_and_filters_and_no_expected_value(desk: Shell) -> None:
    assert run(desk, "--candidate", f"command:{sys.executable} bot.py", "--metrics", "f1") == 0
    assert len(seen(desk)) == 6
    assert all(SECRET not in line for line in seen(desk)), (
        "not on its input, not in its environment, not in its arguments"
    )
    assert any('"filters": {"floor": 2}' in line for line in seen(desk))


def test_a_server_is_sent_inputs_and_filters_and_no_expected_value(desk: Shell) -> None:
    got: list[tuple[str, str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append((self.path, str(self.headers), self.rfile.read(int(self.headers["Content-Length"])).decode()))
            body = json.dumps({"answer": "On floor two.", "documents": [{"content": "Room on floor two."}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_address[1]}/ask"
        assert run(desk, "--candidate", url, "--metrics", "f1,groundedness") == 0
    finally:
        server.shutdown()
    assert len(got) == 6
    assert all(SECRET not in part for request in got for part in request)
    assert any('"floor": 2' in body and '"lang": "en"' in body for _, _, body in got)
    side = results(desk).detail("c1").side(Side.CANDIDATE)
    assert (side.response, side.contexts) == ("On floor two.", ("Room on floor two.",))


def test_after_five_rows_time_tokens_and_cost_of_the_whole_are_told() -> None:
    progress = Progress(total=1000)
    progress.started -= 10
    for row in range(4):
        progress.called(row, 2, (100, 20), 0.01, paid=True)
        progress.done += 2
    progress.called(3, 2, (100, 20), 0.02, paid=False)
    assert progress.forecast() is None, "four rows, one of them twice"
    progress.called(9, 2, (100, 20), 0.03, paid=True)
    progress.done += 2
    told = progress.forecast()
    assert told is not None
    assert told.tokens == pytest.approx(60_000, rel=0.25)
    assert told.seconds == pytest.approx(1000, rel=0.05)
    assert told.cost is not None
    assert told.cost[0] < 0.014 * 500 < told.cost[1]
    assert "USD" in forecast(told)


def test_only_failed_cells_are_asked_again_and_a_finished_run_asks_anew(desk: Shell) -> None:
    command = ("--candidate", "python:bot:answer", "--metrics", "f1")
    assert run(desk, *command) == 3
    first = results(desk).experiment
    assert run(desk, *command) == 3
    assert (len(seen(desk)), results(desk).experiment) == (7, first), "the failed case alone"
    (desk.folder / "bot.py").write_text(BOT.replace("3?", "nothing"))
    assert run(desk, *command) == 0
    assert len(seen(desk)) == 13
    changed = results(desk).experiment
    assert changed != first, "another program is another experiment"
    said = desk("run", "desk.jsonl", *command, "--worst", "0")
    assert said.status == 0
    assert f"`ragtui show {changed}` has what was said then; live targets are asked anew" in said.err
    assert len(seen(desk)) == 19
    assert results(desk).experiment not in (first, changed), "a live target is asked anew, in a round of its own"


def test_stored_responses_are_scored_anew_without_a_call(desk: Shell) -> None:
    assert run(desk, "--candidate", "python:bot:answer", "--metrics", "f1") == 3
    first, calls = results(desk).experiment, len(seen(desk))
    assert desk("rescore", first, "--metrics", "groundedness,rougeL,cost", "--quiet").status == 3
    assert len(seen(desk)) == calls
    again = results(desk)
    assert again.experiment != first
    assert again.summaries()[2].mean == 0.5
    costs = {entry.id: entry.cost for entry in again.store.list()}
    assert costs == {first: 2.5, again.experiment: None}, "five answers were paid for, once"
    assert dict(again.rows().select("case_id", "rougeL state").rows())["c3"] == "target_error"
    assert again.rows()["rougeL"].count() == 5
    side = again.detail("c1").side(Side.CANDIDATE)
    assert (side.response, side.contexts) == ("On floor two.", ("Room on floor two.",))
    said = desk("compare", first, again.experiment)
    assert said.status == 2
    assert "no metric in common" in said.err


def test_code_of_a_configuration_needs_a_yes_and_what_is_typed_does_not(desk: Shell) -> None:
    (desk.folder / "ragtui.toml").write_text('[targets]\nbot = "python:bot:answer"\n')
    refused = desk("run", "desk.jsonl", "--candidate", "bot", "--metrics", "f1", "--worst", "0")
    assert refused.status == 2
    assert "would run code that you have not allowed yet: python:bot:answer, bot.py" in refused.err
    assert seen(desk) == []
    assert run(desk, "--candidate", "bot", "--metrics", "f1", "--yes") == 3
    assert run(desk, "--candidate", "bot", "--metrics", "f1") == 3, "once said, it holds"
    (desk.folder / "bot.py").write_text(BOT + "# changed\n")
    assert run(desk, "--candidate", "bot", "--metrics", "f1") == 2, "for this content only"
    assert run(desk, "--candidate", "python:bot:answer", "--metrics", "f1") == 3


def test_the_plan_says_who_is_asked_what_is_started_and_sent(desk: Shell) -> None:
    said = desk("run", "desk.jsonl", "--candidate", "python:bot:answer", "--metrics", "f1", "--plan").out
    assert "python:bot:answer is asked for the answers to 6 cases" in said
    assert "starts code: python:bot:answer, bot.py" in said
    assert "time unknown" in said
    said = desk("run", "desk.jsonl", "--candidate", "http:https://desk.example/ask", "--metrics", "f1", "--plan").out
    assert "text of 6 cases leaves this machine, to desk.example" in said
    assert seen(desk) == []
    run(desk, "--candidate", "python:bot:answer", "--metrics", "f1")
    said = desk("run", "desk.jsonl", "--candidate", "python:bot:answer", "--metrics", "f1", "--plan").out
    assert "at the pace of earlier runs" in said
    (desk.folder / "bot.py").write_text(BOT + "# another bot now\n")
    said = desk("run", "desk.jsonl", "--candidate", "python:bot:answer", "--metrics", "f1", "--plan").out
    assert "time unknown" in said


def test_a_setup_script_supplies_inputs_that_win_and_is_shown_no_expected_value(desk: Shell) -> None:
    setups = desk.folder / "setups"
    setups.mkdir()
    script = "def setup(test_case):\n    open('setup.txt', 'a').write(repr(test_case))\n    return {'lang': 'fr', 'user': 7}\n"
    (setups / "french.py").write_text(script)
    (setups / "broken.py").write_text("def setup(test_case):\n    return 1 / 0\n")
    desk.write("desk.jsonl", [{**row, "setup": "broken" if row["id"] == "c1" else None} for row in ROWS])
    refused = desk("run", "desk.jsonl", "--candidate", "python:bot:answer", "--metrics", "f1", "--setup", "french")
    assert refused.status == 2
    assert "setups/broken.py" in refused.err
    assert run(desk, "--candidate", "python:bot:answer", "--metrics", "f1", "--setup", "french", "--yes") == 3
    assert len(seen(desk)) == 5
    assert all("'lang': 'fr'" in line and "'user': '7'" in line and SECRET not in line for line in seen(desk))
    assert SECRET not in (desk.folder / "setup.txt").read_text()
    side = results(desk).detail("c1").side(Side.CANDIDATE)
    assert side.message == "setups/broken: ZeroDivisionError: division by zero (broken.py:2)"
    missing = desk("run", "desk.jsonl", "--candidate", "python:bot:answer", "--metrics", "f1", "--setup", "frensh")
    assert "there is no setup script 'frensh' in setups/; there are broken, french" in missing.err


def conversations(desk: Shell) -> None:
    def said(*texts: str) -> dict[str, Any]:
        roles = ("user", "assistant")
        return {"messages": [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]}

    desk.write("desk.jsonl", [
        {"id": "talk", "conversation": said("one", "ONE", "two", "TWO", "three", "LAST ANSWER"), "ground_truth": "three"},
        {"id": "short", "conversation": said("hi", "HO"), "ground_truth": "hi"},
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), {"talk": "three after ['one', 'ONE', 'two', 'TWO']", "short": "hi after []"}),
        (
            ("--replay", "conversation"),
            {
                "talk": "three after ['one', 'one after []', 'two', \"two after ['one', 'one after []']\"]",
                "short": "hi after []",
            },
        ),
        (
            ("--per", "turn"),
            {
                "talk#1": "one after []",
                "talk#2": "two after ['one', 'ONE']",
                "talk#3": "three after ['one', 'ONE', 'two', 'TWO']",
                "short#1": "hi after []",
            },
        ),
    ],
)
def test_conversations_are_replayed_by_turn_or_whole(
    desk: Shell, options: tuple[str, ...], said: dict[str, str]
) -> None:
    conversations(desk)
    assert run(desk, "--candidate", "python:bot:chats", "--metrics", "f1", *options) == 0
    texts = results(desk).texts()
    assert dict(texts.select("case_id", "response").rows()) == said
    states = dict(results(desk).rows().select("case_id", "f1 state").rows())
    scored = {"talk#3", "short#1"} if "turn" in options else set(said)
    assert {name for name, state in states.items() if state == "scored"} == scored, (
        "expected values are of the last turn"
    )


def test_recorded_conversations_by_turn(desk: Shell) -> None:
    conversations(desk)
    assert run(desk, "--metrics", "f1,answer_length", "--per", "turn") == 0
    assert dict(results(desk).texts().select("case_id", "response").rows()) == {
        "talk#1": "ONE", "talk#2": "TWO", "talk#3": "LAST ANSWER", "short#1": "HO",
    }  # fmt: skip


def test_a_live_target_ranks_for_judged_documents_and_failures_are_no_zeros(desk: Shell) -> None:
    folder = desk.folder / "set"
    for name, rows in {
        "corpus": [{"_id": f"d{n}", "text": "x"} for n in (1, 2, 3)],
        "queries": [{"_id": "q1", "text": "one"}, {"_id": "q2", "text": "two"}, {"_id": "q3", "text": "three"}],
        "qrels": [{"query-id": f"q{n}", "corpus-id": f"d{n}", "score": 1} for n in (1, 2, 3)],
    }.items():
        desk.write(f"set/{name}.jsonl", rows)
    command = ("run", str(folder), "--candidate", "python:bot:ranked", "--metrics", "Recall@2", "--quiet")
    assert desk(*command).status == 3
    states = results(desk).rows().select("case_id", "Recall@2", "Recall@2 state").rows()
    assert states == [("q1", 1.0, "scored"), ("q2", None, "target_error"), ("q3", 0.0, "scored")]
    side = results(desk).detail("q2").side(Side.CANDIDATE)
    assert (side.cells[0].cause, side.cells[0].reason) == ("exception", "RuntimeError: index is down (bot.py:11)")
    assert len(seen(desk)) == 3
    assert desk(*command).status == 3
    assert len(seen(desk)) == 4, "what was answered is not asked again"


def test_a_dataset_of_rows_only_has_no_baseline_of_recorded_answers_and_a_mixed_one_pairs_what_was_recorded(
    desk: Shell,
) -> None:
    desk.write("desk.jsonl", [{**row, "response": None} for row in ROWS])
    command = ("--candidate", "python:bot:answer", "--baseline", "recorded", "--metrics", "answer_length")
    assert run(desk, *command) == 3
    alone = results(desk)
    assert (alone.sides, alone.comparisons()) == ((Side.CANDIDATE,), [])
    desk.write("desk.jsonl", [{**row, "response": "In the cellar." if n < 2 else None} for n, row in enumerate(ROWS)])
    assert run(desk, *command) == 3
    mixed = results(desk)
    (found,) = mixed.comparisons()
    assert (found.n_pairs, found.new, found.missing) == (2, 3, 0)
    assert [(each.side, each.n_scored, each.n_total) for each in mixed.summaries()] == [
        (Side.CANDIDATE, 5, 6), (Side.BASELINE, 2, 2),
    ]  # fmt: skip


def test_answers_too_many_are_said_wherever_the_figures_are_and_go_with_the_experiment(desk: Shell) -> None:
    (desk.folder / "bot.py").write_text(
        BOT.replace(
            """print(json.dumps({"id": case["id"], """, """for _ in "12": print(json.dumps({"id": case["id"], """
        )
    )
    told = (
        "candidate: 6 answers came for a case that had one already, of which the first is used (c0, c1, c2 and 3 more)"
    )
    said = desk(
        "run", "desk.jsonl", "--candidate", f"command:{sys.executable} bot.py", "--metrics", "f1", "--report", "r.md",
        "--report", "r.json", "--report", "r.html",
    )  # fmt: skip
    assert (said.status, said.out.count(told)) == (0, 1)
    assert desk("show", "last").out.count(told) == 1
    assert json.loads((desk.folder / "r.json").read_text())["remarks"] == [told]
    assert all(told in (desk.folder / name).read_text() for name in ("r.md", "r.html"))
    desk("export", "last", "one.ragtui")
    (desk.folder / "other").mkdir()
    with Store.open(Workspace(desk.folder / "other"), write=True) as elsewhere:
        read_experiment(desk.folder / "one.ragtui", elsewhere)
        assert elsewhere.entry("last").remarks == (told,)


def test_a_store_that_is_deleted_while_a_run_goes_on_is_told(desk: Shell) -> None:
    code = "import shutil\ndef answer(query):\n    shutil.rmtree('.ragtui', ignore_errors=True)\n    return query\n"
    (desk.folder / "bot.py").write_text(code)
    said = desk("run", "desk.jsonl", "--candidate", "python:bot:answer", "--metrics", "f1")
    assert said.status == 2
    assert "was deleted while the run went on" in said.err
