"""Whether datasets that ragtui calls ready for a platform load there as meant, and those it refuses do not.

    python benchmarks/consumers/accept.py [--platforms beir,evalscope,…] [--keep DIR] [--all] [--markdown]

Makes sound and damaged datasets in a temporary folder, adds the product's samples and cases and what ragtui itself writes
(damaged sets that its fixes make ready, samples converted), asks ``ragtui check --for PLATFORM``, and lets the platform's
own loader, in an environment made for this, load each. A set is loaded as meant if the ids, texts and grades that come out
are those that went in. Prints a line for each set, and the versions; ends with 1 where ragtui and a platform disagree.
``--keep DIR`` keeps the environments there, for the next time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import case_sets
import retrieval_sets
import written_sets
from environments import PEERS, prepare, versions
from trial import Trial

REPOSITORY: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Verdict:
    """What ragtui says: whether the set is ready, and the codes of its errors."""

    ready: bool
    codes: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    trial: Trial
    verdict: Verdict
    right: bool
    told: str  # what the platform did

    @property
    def agree(self) -> bool:
        return self.verdict.ready == self.right

    @property
    def word(self) -> str:
        if self.agree:
            return "yes"
        return "stricter" if self.trial.stricter and self.right else "NO"


def main() -> int:
    options = _options()
    wanted = options.platforms.split(",")
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(options.keep or temporary)
        made = Path(temporary, "sets")
        trials = [*retrieval_sets.trials(made, REPOSITORY), *case_sets.trials(made, REPOSITORY)]
        trials = [trial for trial in trials if trial.platform in wanted]
        written = written_sets.trials(trials, made, REPOSITORY / "sample_data", carry_out)
        trials += [trial for trial in written if trial.platform in wanted]
        results: list[Result] = []
        told: dict[str, dict[str, str]] = {}
        for platform in wanted:
            mine = [trial for trial in trials if trial.platform == platform]
            command = prepare(PEERS[platform], root)
            told[platform] = versions(PEERS[platform], root)
            loaded = load(command, [trial.path for trial in mine])
            own = read([trial for trial in mine if trial.intended is None])
            for trial, verdict, (error, content) in zip(mine, ask(mine), loaded, strict=True):
                meant = own[trial.path] if trial.intended is None else trial.intended
                results.append(judged(trial, verdict, meant, error, content))
    report(results, told, options.markdown, options.all)
    return int(any(result.word == "NO" for result in results))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platforms", default=",".join(PEERS))
    parser.add_argument("--keep", help="a folder for the environments, kept")
    parser.add_argument("--all", action="store_true", help="list every set, not only where the two disagree")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    return parser.parse_args()


def load(command: list[str], paths: list[Path]) -> list[tuple[str | None, Any]]:
    """The error, or the content, of each path as the platform's loader sees it; one process for as many as it survives."""
    found: list[tuple[str | None, Any]] = []
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    while len(found) < len(paths):
        done = subprocess.run(
            [*command, *map(str, paths[len(found) :])],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=environment,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        if not lines and done.returncode == 1 and done.stderr:
            raise SystemExit(f"{command[1]}: {done.stderr}")
        found += [(line["error"], line["content"]) for line in lines]
        if len(found) < len(paths):
            found.append((f"the process ended with {done.returncode}", None))
    return found


def ask(trials: list[Trial]) -> list[Verdict]:
    """What ``ragtui check`` says of each."""
    asked = "".join(json.dumps([str(trial.path), trial.platform.removesuffix("-rag")]) + "\n" for trial in trials)
    script = Path(__file__).parent / "verdicts.py"
    told = run([sys.executable, str(script)], asked)
    return [Verdict(each["status"] == 0, tuple(each["codes"])) for each in map(json.loads, told)]


def carry_out(commands: list[list[str]]) -> list[int]:
    """The status of each ``ragtui`` command."""
    script = Path(__file__).parent / "commands.py"
    return [int(line) for line in run([sys.executable, str(script)], written_sets.asked(commands))]


def run(command: list[str], given: str) -> list[str]:
    """The lines a script of ragtui's own side prints."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(command, input=given, capture_output=True, text=True, encoding="utf-8", env=environment)
    if done.returncode:
        raise SystemExit(f"{command[1]} ended with {done.returncode}: {done.stderr}")
    return done.stdout.splitlines()


def read(trials: list[Trial]) -> dict[Path, Any]:
    """What ragtui itself reads of each, in the shape of ``Trial.intended``."""
    paths = sorted({trial.path for trial in trials})
    script = Path(__file__).parent / "own_reading.py"
    told = run([sys.executable, str(script), *map(str, paths)], "")
    return dict(zip(paths, map(json.loads, told), strict=True))


def judged(trial: Trial, verdict: Verdict, meant: Any, error: str | None, content: Any) -> Result:
    if error is not None:
        text = error.replace(f"{trial.path}/", "").replace(f"{trial.path.parent}/", "")
        return Result(trial, verdict, False, f"fails: {' '.join(text.split())[:80]}")
    difference = next(differences(meant, content), None)
    return Result(trial, verdict, difference is None, f"loads wrong: {difference}" if difference else "loads")


def differences(meant: Any, found: Any, where: str = "") -> Iterator[str]:
    """What is otherwise, in words, the first thing first. Queries that nobody judged do not count."""
    if isinstance(meant, dict) and isinstance(found, dict):
        if not where and "judgments" in meant and isinstance(found.get("judgments"), dict):
            meant, found = _judged_only(meant), _judged_only(found)
        names = [name for name in meant if name not in found]
        odd = [name for name in found if name not in meant]
        if names or odd:
            yield f"{where or 'content'}: " + "; ".join(
                f"{word} {len(each)} ({', '.join(map(repr, sorted(each)[:2]))})"
                for word, each in (("lacks", names), ("has", odd)) if each
            )  # fmt: skip
        for name in meant:
            if name in found:
                yield from differences(meant[name], found[name], f"{where} {name}".strip())
    elif isinstance(meant, list) and isinstance(found, list):
        if len(meant) != len(found):
            yield f"{where or 'rows'}: {len(found)} instead of {len(meant)}"
        for place, (one, other) in enumerate(zip(meant, found, strict=False), 1):
            yield from differences(one, other, f"{where} {place}".strip())
    elif meant != found:
        yield f"{where} is {_short(found)}, not {_short(meant)}"


def _judged_only(content: dict[str, Any]) -> dict[str, Any]:
    judged = content["judgments"]
    return {**content, "queries": {name: text for name, text in content["queries"].items() if name in judged}}


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 32 else f"{text[:30]}…"


def report(results: Iterable[Result], told: dict[str, dict[str, str]], markdown: bool, everything: bool) -> None:
    """A line for each platform, then what is worth a line of its own."""
    results = list(results)
    heads = (
        "platform",
        "version",
        "sets",
        "ready, loads",
        "refused, fails",
        "refused, loads wrong",
        "stricter",
        "disagree",
    )
    counts = [heads]
    for platform, packages in told.items():
        mine = [result for result in results if result.trial.platform == platform]
        named = ", ".join(f"{package} {version}" for package, version in packages.items())
        kinds = [_kind(result) for result in mine]
        counts.append((platform, named, str(len(mine)), *(str(kinds.count(kind)) for kind in heads[3:])))
    _print(counts, markdown)
    for platform in told:
        mine = [result for result in results if result.trial.platform == platform]
        rows = [_row(result) for result in mine if everything or result.word != "yes"]
        if rows:
            print(f"### {platform}\n" if markdown else f"{platform}\n")
            _print([("set", "ragtui", platform, "agree"), *rows], markdown)


def _kind(result: Result) -> str:
    if not result.agree:
        return "stricter" if result.word == "stricter" else "disagree"
    if result.right:
        return "ready, loads"
    return "refused, fails" if result.told.startswith("fails") else "refused, loads wrong"


def _row(result: Result) -> tuple[str, str, str, str]:
    says = "ready" if result.verdict.ready else f"refuses: {', '.join(result.verdict.codes)}"
    why = f"stricter: {result.trial.stricter}" if result.word == "stricter" else result.word
    return result.trial.name, says, result.told, why


def _print(rows: list[tuple[str, ...]], markdown: bool) -> None:
    rows = [tuple(cell.encode("utf-8", "backslashreplace").decode() for cell in row) for row in rows]
    if markdown:
        head, *body = ([cell.replace("|", "\\|") for cell in row] for row in rows)
        print("\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *body)) + "\n")
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    print("\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
