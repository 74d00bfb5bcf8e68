"""Runs many ``ragtui`` commands in one process: a JSON list of arguments a line in, the status of each out."""

from __future__ import annotations

import contextlib
import io
import json
import sys

from ragtui.__main__ import main


def status(arguments: list[str]) -> int:
    sys.argv = ["ragtui", *arguments]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            main()
        except SystemExit as ended:
            return int(ended.code or 0)
    return 0


if __name__ == "__main__":
    for line in sys.stdin:
        print(status(json.loads(line)), flush=True)
