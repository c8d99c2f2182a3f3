"""Threads that carry out what blocks, so that the event loop never does."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, TypeVar

from fastapi import Depends
from starlette.requests import HTTPConnection

from hypermnesia.errors import ServiceError, TimedOut

log = logging.getLogger("hypermnesia.serve")

T = TypeVar("T")

WAITING_PER_THREAD = 16
"""Calls that may wait for each thread; more are turned away rather than left to time out."""


class Workers:
    """A bounded pool with a bounded queue and a bounded wait.

    A call that is no longer waited for, because its client left or its time is up, still runs
    to its end: a write is never cut off half-way, and :meth:`close` waits for it.
    """

    def __init__(self, threads: int, timeout: float) -> None:
        self._pool = ThreadPoolExecutor(threads, "hypermnesia-serve")
        self._most = threads * (1 + WAITING_PER_THREAD)
        self._timeout = timeout
        self._under_way = 0

    @property
    def under_way(self) -> int:
        """Calls that run or wait."""
        return self._under_way

    @property
    def full(self) -> bool:
        """Further calls would be turned away."""
        return self._under_way >= self._most

    async def run(self, work: Callable[[], T], *, patient: bool = False) -> T:
        """Carry out a call in a thread, with the caller's context variables.

        Args:
            work: what to do.
            patient: wait as long as it takes.

        Raises:
            ServiceError: too many calls wait already.
            TimedOut: the call took longer than allowed; it goes on unseen.
        """
        if self.full:
            raise ServiceError("the service has more to do than it can; try again in a moment")
        self._under_way += 1
        future = self._pool.submit(contextvars.copy_context().run, work)
        loop = asyncio.get_running_loop()
        future.add_done_callback(lambda _done: loop.call_soon_threadsafe(self._settle))
        outcome = asyncio.wrap_future(future)
        try:
            async with asyncio.timeout(None if patient else self._timeout):
                return await asyncio.shield(outcome)
        except TimeoutError:
            if future.done():
                raise
            outcome.add_done_callback(_unseen)
            raise TimedOut(
                f"not done after {self._timeout:g} s; a write may still complete"
            ) from None

    def close(self) -> None:
        """Wait until everything that was begun is done."""
        self._pool.shutdown(wait=True)

    def _settle(self) -> None:
        self._under_way -= 1


def _unseen(outcome: asyncio.Future[Any]) -> None:
    """Note the end of a call that nobody waited for."""
    error = None if outcome.cancelled() else outcome.exception()
    if error is not None:
        log.warning("a call that had timed out failed in the end (%s)", type(error).__name__)


def workers_of(connection: HTTPConnection) -> Workers:
    """The threads of an application that is running."""
    workers = connection.app.state.workers
    if not isinstance(workers, Workers):
        raise TypeError("the application is not running")
    return workers


Pool = Annotated[Workers, Depends(workers_of)]
"""A route's argument of this type is where it lets block what blocks."""
