"""Entry point of the ``ragtui`` command and of ``python -m ragtui``."""

import gc
import os


def main() -> None:
    gc.set_threshold(20_000, 20, 20)  # modules are never garbage: to look for some often makes the start a tenth slower
    # A stale COLUMNS/LINES would freeze the app at that size for its whole life.
    os.environ.pop("COLUMNS", None)
    os.environ.pop("LINES", None)
    try:
        from ragtui.cli import app

        app()
    except KeyboardInterrupt:  # while this was still starting
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
