"""A system under comparison in a process of its own, so that its memory is its own, too.

The process does one thing at a time, when it is told to, and times it itself.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias

from hypermnesia.errors import HypermnesiaError
from hypermnesia.evals.adapters.protocol import Adapter, Found, Item

_MEGABYTE = 1_000_000
_WARMING = "The kettle is on."
"""A text that loads models and code before anything is timed."""

_PATIENCE = 10
"""Seconds that a process is given to end by itself."""

_Reply: TypeAlias = tuple[bool, Any, float]
"""Whether it worked; the result or what went wrong; seconds."""


class Stopped(HypermnesiaError):
    """A system under comparison failed; the message names it and gives its own words."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a system takes, in megabytes (10^6 bytes).

    Attributes:
        peak_mb: most resident memory so far, interpreter and models included; ``None`` where the
            platform does not tell.
        disk_mb: size of its files.
    """

    peak_mb: float | None
    disk_mb: float


class Worker:
    """One system on one folder. Close it, or it lives on.

    Raises:
        Stopped: from every method, when the system failed.
    """

    def __init__(self, system: str, folder: Path) -> None:
        self._system = system
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, system, folder), daemon=True)
        self._waiting = True  # for an answer: first for the one that it is open
        with _uninterrupted():
            self._process.start()
        theirs.close()
        try:
            self._answer()
        except BaseException:  # nobody will have it to close
            self.close()
            raise

    def add(self, items: Sequence[Item]) -> tuple[int, float]:
        """How many items it would not take, and the seconds it took for the others."""
        return self._ask("add", list(items))

    def search(self, query: str, k: int) -> tuple[list[Found], float]:
        """The best items, and the seconds it took to find them."""
        return self._ask("search", query, k)

    def delete(self, ids: Sequence[str]) -> float:
        """The seconds it took to forget items."""
        return self._ask("delete", list(ids))[1]

    def usage(self) -> Usage:
        """Memory and disk, now."""
        return self._ask("usage")[0]

    def close(self) -> None:
        """Let the system release its files, and end the process; at once if it is at work."""
        if not self._waiting:
            with suppress(OSError):  # it has gone already
                self._pipe.send(("close",))
            self._process.join(_PATIENCE)
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def _ask(self, verb: str, *given: Any) -> tuple[Any, float]:
        self._waiting = True
        try:
            self._pipe.send((verb, *given))
        except OSError:
            raise self._died() from None
        return self._answer()

    def _answer(self) -> tuple[Any, float]:
        try:
            worked, result, seconds = self._pipe.recv()
        except (EOFError, OSError):
            raise self._died() from None
        self._waiting = False
        if not worked:
            raise Stopped(f"{self._system} failed: {result}")
        return result, seconds

    def _died(self) -> Stopped:
        self._process.join(_PATIENCE)
        return Stopped(f"{self._system} ended with exit status {self._process.exitcode}")


@contextmanager
def _uninterrupted() -> Generator[None]:
    """Keep Ctrl-C from a process that starts: it could only answer with a traceback."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, system: str, folder: Path) -> None:
    """The process: opens the system, warms it up, does what it is told."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when it is over
    os.dup2(sys.stderr.fileno(), 1)  # results go to stdout, what peers print does not
    adapter: Adapter | None = None

    def open_it() -> None:
        nonlocal adapter
        from hypermnesia.evals.adapters.systems import opened  # noqa: PLC0415 - loads the system

        adapter = opened(system, folder)
        _warm(adapter)

    pipe.send(_tried(open_it))
    while adapter is not None:
        try:
            verb, *given = pipe.recv()
        except EOFError:  # the parent has gone
            verb, given = "close", []
        if verb == "close":
            adapter.close()
            return
        work = (lambda: _usage(folder)) if verb == "usage" else getattr(adapter, verb)
        pipe.send(_tried(work, *given))


def _warm(adapter: Adapter) -> None:
    adapter.add([Item("warm", _WARMING)])
    adapter.search(_WARMING, 1)
    adapter.reset()


def _tried(work: Callable[..., Any], *given: Any) -> _Reply:
    begin = perf_counter()
    try:
        result = work(*given)
    except Exception as error:  # noqa: BLE001 - a peer may raise anything; it is told, by name
        return False, f"{type(error).__name__}: {error}", 0.0
    return True, result, perf_counter() - begin


def _usage(folder: Path) -> Usage:
    files = (path for path in folder.rglob("*") if path.is_file())
    return Usage(_peak(), sum(path.stat().st_size for path in files) / _MEGABYTE)


def _peak() -> float | None:
    """Most resident memory of this process, in megabytes."""
    status = Path("/proc/self/status")
    if status.exists():  # getrusage counts what the parent had when it started this process
        for line in status.read_text("ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / _MEGABYTE
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) / _MEGABYTE
