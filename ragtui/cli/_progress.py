"""The progress of a run on standard error: one line that is rewritten at a terminal, a line now and then in a log."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, NoReturn, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

    from ragtui.experiments.progress import Progress

Done = TypeVar("Done")

_TERMINAL: Final = 0.2  # seconds between two looks
_LOG: Final = 30.0
ROWS: Final = 5


def watched(work: Callable[[], Done], progress: Progress, talk: Console | None) -> Done:
    """Does ``work`` in a thread of its own while this one shows its progress, and gives or raises what comes of it.

    The first interrupt asks the run to stop and waits for it; nothing is lost. The second ends everything at once: what
    is stored is kept, what was in flight is not.
    """
    ended: Future[Done] = Future()
    done = threading.Event()

    def run() -> None:
        try:
            ended.set_result(work())
        except BaseException as error:
            ended.set_exception(error)
        finally:
            done.set()

    threading.Thread(target=run, name="run", daemon=True).start()
    with _interrupted_by_any():
        try:
            _show(progress, done, talk)
        except KeyboardInterrupt:
            try:
                progress.cancel()
                if talk is not None:
                    talk.print("stopping; what is done is kept … (ctrl+c again stops at once)", soft_wrap=True)
                done.wait()
            except KeyboardInterrupt:
                _at_once(progress, talk)
    return ended.result()


def _at_once(progress: Progress, talk: Console | None) -> NoReturn:
    """Ends this process without waiting for its threads, and those that it started, by what it has to say."""
    from ragtui import children
    from ragtui.cli import _streams
    from ragtui.cli._ending import INTERRUPTED
    from ragtui.cli._running import say_how_to_go_on

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    children.end_all()
    if talk is not None:
        with suppress(OSError):
            say_how_to_go_on(progress, talk)
    _streams.abandon()
    os._exit(INTERRUPTED)


@contextmanager
def _interrupted_by_any() -> Iterator[None]:
    """Whoever asks the process to end, or hangs up, interrupts the run as ctrl+c does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    kinds = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {kind: signal.signal(kind, interrupt) for kind in kinds}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def _show(progress: Progress, done: threading.Event, talk: Console | None) -> None:
    if talk is None or not talk.is_terminal:
        _in_a_log(progress, done, talk)
        return
    told = False
    with talk.status("") as line:
        while not done.wait(_TERMINAL):
            if not told and (said_now := _forecast(progress)):
                talk.print(f"after {ROWS} rows: {said_now}", soft_wrap=True)
                told = True
            line.update(said(progress))


def _in_a_log(progress: Progress, done: threading.Event, talk: Console | None) -> None:
    shown = time.monotonic()
    told = False
    while not done.wait(_TERMINAL):
        if talk is not None and not told and (said_now := _forecast(progress)):
            talk.print(f"after {ROWS} rows: {said_now}", soft_wrap=True)
            told = True
        if talk is not None and time.monotonic() - shown > _LOG:
            talk.print(said(progress), soft_wrap=True)
            shown = time.monotonic()


def _forecast(progress: Progress) -> str:
    """What the first rows tell of the whole, once they are judged."""
    from ragtui.experiments.wording import forecast

    found = progress.forecast()
    return "" if found is None else forecast(found)


def said(progress: Progress) -> str:
    """``412/960 scores, 3 errors, 40 in flight, 12,300 tokens, 0.42 USD, about 2 min left``."""
    if not progress.total:
        return "starting"
    errors = sum(n for state, n in progress.states.items() if state.is_error)
    parts = [f"{progress.done}/{progress.total} scores"]
    parts += [f"{errors} error{'' if errors == 1 else 's'}"] if errors else []
    parts += [f"{progress.reused} kept from before"] if progress.reused else []
    parts += [f"{progress.in_flight} in flight"] if progress.in_flight else []
    tokens = progress.prompt_tokens + progress.completion_tokens
    parts += [f"{tokens:,} tokens"] if tokens else []
    parts += [f"{progress.cost:.2f} USD"] if progress.cost else []
    left = _left(progress)
    return ", ".join([*parts, *([left] if left else [])])


def _left(progress: Progress) -> str:
    done, open_ = progress.done - progress.reused, progress.total - progress.done
    if done < 10 or open_ <= 0:
        return ""
    seconds = progress.seconds / done * open_
    return f"about {seconds / 60:.0f} min left" if seconds > 90 else f"about {seconds:.0f} s left"
