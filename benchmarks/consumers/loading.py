"""What every ``load_*`` script does: load each path it is given, and print a line of JSON with what came of it."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
from collections.abc import Callable
from typing import Any


def load_each(load: Callable[[str], Any]) -> None:
    """``{"path", "error", "content"}`` a line; whatever the loader itself prints is dropped."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
        for path in sys.argv[1:]:
            content, error = None, None
            with contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
                try:
                    content = load(path)
                except BaseException as caught:
                    while (cause := caught.__cause__) is not None:  # what really happened
                        caught = cause
                    error = f"{type(caught).__name__}: {caught}"
            out.write(json.dumps({"path": path, "error": error, "content": plain(content)}) + "\n")
            out.flush()


def plain(value: Any) -> Any:
    """``value`` as JSON can hold it: keys and odd objects become what Python prints, so that 1 is told from "1"."""
    if isinstance(value, dict):
        return {key if isinstance(key, str) else repr(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return f"the {type(value).__name__} {value!r}"
