"""Running something in a forked child: cheap, and nothing has to be imported again."""

from __future__ import annotations

import gc
import os
import signal
import traceback
import warnings
from collections.abc import Callable

NOBODY = 65534


def fork() -> int:
    """Fork; the child must end with ``os._exit``.

    Newer Pythons warn that other threads do not survive it. The children here use none, and leave
    alone what the parent left for its collector: to take down what rests on a library's threads,
    where these are gone, can end a process.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        gc.freeze()
    return child


def spawn(work: Callable[[Callable[[str], None]], None], *, bound: bool = False) -> tuple[int, int]:
    """Start a child that tells lines.

    Args:
        work: what the child does, with the function that tells.
        bound: give up root first, so that file permissions bind.

    Returns:
        The child's process id and the pipe that its lines come through.
    """
    reading, writing = os.pipe()
    child = fork()
    if child:
        os.close(writing)
        return child, reading
    status = 1
    try:
        os.close(reading)
        if bound and os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        work(lambda line: _write(writing, line + "\n"))
        status = 0
    except BaseException:  # noqa: BLE001 - the child's outermost frame: tell the parent
        _write(writing, traceback.format_exc())
    finally:
        os._exit(status)


def finish(child: int, reading: int) -> list[str]:
    """Wait for a child to end well and return what it told."""
    with os.fdopen(reading, encoding="utf-8") as pipe:
        lines = pipe.read().splitlines()
    _, status = os.waitpid(child, 0)
    assert status == 0, "\n".join(lines)
    return lines


def kill(child: int) -> None:
    """SIGKILL, and wait until it is gone."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _write(pipe: int, text: str) -> None:
    os.write(pipe, text.encode("utf-8", "backslashreplace"))
