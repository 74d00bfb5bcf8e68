"""Work on large files spread over processes. A worker is a fresh interpreter that loads only what its function needs, or,
started ahead, a copy of this process while that holds little more.

The threads of one process would take turns at the interpreter lock, and would make a screen stutter meanwhile.
"""

from __future__ import annotations

import atexit
import os
import pickle
import queue
import struct
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, Final, TypeVar

from ragtui.datasets.process_copy import ProcessCopy, can_copy

if TYPE_CHECKING:  # a worker needs neither, and should start soon
    import subprocess
    from concurrent.futures import Future, ThreadPoolExecutor

Task = TypeVar("Task")
Result = TypeVar("Result")

_NICE: Final = 5
_HEADER: Final = struct.Struct("<Q")
_PROGRAM: Final = "from ragtui.datasets.workers import serve; serve()"
_AHEAD: Final[list[_Worker]] = []  # started, and not used yet


def start_ahead(processes: int | None = None) -> None:
    """Starts workers that ``spread`` will use. They know what is imported by now; the fewer modules, the sooner they work."""
    if not _AHEAD and sys.executable:
        for _ in range(processes or available_cpus()):
            _AHEAD.append(_Worker(copies=True))
        atexit.register(_close_unused)


def begin_ahead(function: Callable[[Task], Result], tasks: Sequence[Task]) -> None:
    """Gives the workers started ahead a task each, which ``spread`` is expected to want; one it does not is dropped."""
    for worker, task in zip(_AHEAD, tasks, strict=False):
        worker.begin(function, task)


def _close_unused() -> None:
    for worker in _AHEAD:
        worker.close()


def spread(function: Callable[[Task], Result], tasks: Sequence[Task], processes: int | None = None) -> Iterator[Result]:
    """``function`` of each task, in the order of the tasks, computed by up to ``processes`` (default: the CPUs) workers.

    ``function`` lives at the top of a module; tasks and results are picklable. What it raises is raised here. Where no
    process can be started it is called right here. The work begins at once, not when the first result is asked for: when
    this returns every worker has its first task, whatever the caller goes on to do.
    """
    count = min(len(tasks), processes or available_cpus())
    if count < 1 or not sys.executable:
        return map(function, tasks)
    from concurrent.futures import ThreadPoolExecutor

    idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
    workers = [_AHEAD.pop() if _AHEAD else _Worker() for _ in range(count)]
    told = threading.Semaphore(0)

    def work(task: Task, worker: _Worker | None = None) -> Result:
        worker = worker or idle.get()
        try:
            return worker.call(function, task, told.release)  # type: ignore[no-any-return]
        finally:
            idle.put(worker)

    pool = ThreadPoolExecutor(count)
    begun: dict[int, Future[Result]] = {}
    for worker in workers:
        place = next((place for place, task in enumerate(tasks) if worker.has_begun(function, task)), None)
        if place is None or place in begun:
            idle.put(worker)
        else:
            begun[place] = pool.submit(work, tasks[place], worker)
    futures = [begun.get(place) or pool.submit(work, task) for place, task in enumerate(tasks)]
    for _ in range(count):
        told.acquire()
    return _closing(deque(futures), workers, pool)


def _closing(waiting: deque[Future[Result]], workers: Sequence[_Worker], pool: ThreadPoolExecutor) -> Iterator[Result]:
    try:
        while waiting:
            yield waiting.popleft().result()
    finally:
        for worker in workers:
            worker.close()
        pool.shutdown(cancel_futures=True)


def available_cpus() -> int:
    """The CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Worker:
    """One process; it is told to start at once and awaited only when first called."""

    def __init__(self, copies: bool = False) -> None:
        """``copies``: as a copy of this process where that is possible."""
        self._lock = threading.Lock()
        self._closed = False
        self._begun: tuple[object, object] | None = None
        self._process: subprocess.Popen[bytes] | ProcessCopy | None = None
        try:
            self._process = _copy() if copies and can_copy() else _fresh()
        except OSError:
            self._process = None

    @property
    def streams(self) -> list[IO[bytes]]:
        process = self._process
        return [] if process is None else [stream for stream in (process.stdin, process.stdout) if stream is not None]

    def begin(self, function: Callable[[Any], Any], task: object) -> None:
        """Sets the process to work; whoever calls for the same later finds it begun."""
        if self._process is not None and self._process.stdin is not None:
            try:
                _send(self._process.stdin, (function, task))
            except OSError:
                return  # it has died, which its first call will notice
            self._begun = (function, task)

    def has_begun(self, function: Callable[[Any], Any], task: object) -> bool:
        return self._begun == (function, task)

    def call(self, function: Callable[[Any], Any], task: object, told: Callable[[], None] = lambda: None) -> Any:
        """``function`` of ``task`` in the process, which ``told`` hears of at once; right here if it has died."""
        with self._lock:
            process = self._process
            if process is None or process.stdin is None or process.stdout is None:
                told()
                return function(task)
            try:
                reply = self._asked(process.stdin, process.stdout, (function, task), told)
            except (OSError, ValueError):
                reply = None
            if reply is None and self._closed:
                raise RuntimeError("the work was stopped")
            if reply is None:
                self._process = None
                return function(task)
        raised, value = reply
        if raised:
            raise value
        return value

    def _asked(
        self, requests: IO[bytes], replies: IO[bytes], wanted: tuple[object, object], told: Callable[[], None]
    ) -> Any:
        begun, self._begun = self._begun, None
        try:
            if begun is not None and begun != wanted:
                _receive(replies)  # nobody wants it
            if begun != wanted:
                _send(requests, wanted)
        finally:
            told()
        return _receive(replies)

    def close(self) -> None:
        process, self._closed = self._process, True
        if process is None:
            return
        process.kill()
        for stream in self.streams:
            try:
                stream.close()
            except OSError:
                continue
        process.wait()


def _copy() -> ProcessCopy:
    return ProcessCopy(_answer, [stream for worker in _AHEAD for stream in worker.streams])


def _fresh() -> subprocess.Popen[bytes]:
    import subprocess

    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _PROGRAM],  # -P: what lies in the current folder must not be imported
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": paths},
    )


def serve() -> None:
    """What a worker does that is a fresh interpreter: answers calls on standard input until it ends, and prints nothing."""
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr
    _answer(requests, replies)


def _answer(requests: IO[bytes], replies: IO[bytes]) -> None:
    """Calls what is asked for until nothing is any more; errors are sent back."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    if hasattr(os, "nice"):
        os.nice(_NICE)  # the parent, which has a screen to draw and results to put together, goes first
    while (request := _receive(requests)) is not None:
        function, task = request
        try:
            reply = (False, function(task))
        except Exception as error:
            reply = (True, error)
        try:
            _send(replies, reply)
        except BrokenPipeError:
            return


def _send(stream: IO[bytes], value: object) -> None:
    data = pickle.dumps(value, protocol=5)
    stream.write(_HEADER.pack(len(data)))
    stream.write(data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    """The next value, ``None`` at the end of the stream."""
    header = stream.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    (size,) = _HEADER.unpack(header)
    data = stream.read(size)
    return pickle.loads(data) if len(data) == size else None
