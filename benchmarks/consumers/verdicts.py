"""Asks ``ragtui check PATH --for PLATFORM --output-format json`` for many sets in one process, a line of JSON for each."""

from __future__ import annotations

import contextlib
import io
import json
import sys

from ragtui.__main__ import main


def verdict(path: str, platform: str) -> dict[str, object]:
    """The status, and the codes of what is an error."""
    sys.argv = ["ragtui", "check", path, "--for", platform, "--output-format", "json"]
    out, status = io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        try:
            main()
        except SystemExit as ended:
            status = int(ended.code or 0)
    if status == 2:
        return {"status": status, "codes": ["no dataset"]}
    found = json.loads(out.getvalue())["findings"]
    return {"status": status, "codes": sorted({each["code"] for each in found if each["level"] == "error"})}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(verdict(*json.loads(line))), flush=True)
