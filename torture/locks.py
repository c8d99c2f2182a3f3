"""Who holds the write lock keeps others waiting a bounded time; once dead, not at all."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

from tests.faults.forking import kill, spawn

from hypermnesia.errors import StoreBusy
from torture.opening import SCOPE, open_memory, store_of
from torture.report import Tally

BEFORE = "The search timeout is 10 seconds"
WAIT = 0.5
"""Seconds that the waiting process is configured to wait."""
SLACK = 10.0
"""Seconds beyond, after which a wait is no bounded one, even where machines are busy."""


def write_locks(place: str, tally: Tally) -> None:
    """Wait for a process that holds the lock, then kill it and write."""

    def hold(tell: Callable[[str], None]) -> None:
        with open_memory(place) as memory, store_of(memory).write() as writer:
            writer.changed(SCOPE)  # from here on nobody else writes in it
            tell("held")
            signal.pause()

    with open_memory(place, wait=WAIT) as memory:
        memory.add(BEFORE)
        child, pipe = spawn(hold)
        assert os.read(pipe, 5) == b"held\n"
        try:
            tally.add("a held lock", 1, _refused(lambda: memory.add("to wait for")))
            found = memory.search(BEFORE)
            tally.add("a held lock, search", 1, [] if found else ["a search waits for a writer"])
        finally:
            kill(child)
            os.close(pipe)
    with open_memory(place) as memory:
        added = memory.add("after the holder was killed")
        tally.add("the holder killed", 1, [] if added.id else ["its lock was not taken over"])


def _refused(write: Callable[[], object]) -> list[str]:
    """The wait ends in time with an error that says what to do."""
    began = time.monotonic()
    try:
        write()
    except StoreBusy as error:
        seconds = time.monotonic() - began
        found = [] if "try again" in str(error) else [f"does not say what to do: {error}"]
        return found + ([f"waited {seconds:.1f} s"] if seconds > WAIT + SLACK else [])
    return ["a write went through a lock that another process holds"]
