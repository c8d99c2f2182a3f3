"""Searching a standby, as long as it has seen every change of the scope that is searched.

The primary is asked for the scope's change number first, one row by its key. A standby whose
snapshot has that number, or a later one, holds all that had been stored when the search began;
one that lags behind, or cannot be reached, is passed over and the primary searched.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Protocol

from hypermnesia.errors import StoreError
from hypermnesia.store.columns import Parameters
from hypermnesia.store.postgres.address import address_of
from hypermnesia.store.postgres.connection import Connections
from hypermnesia.store.postgres.statements import Link, Values, run, value

log = logging.getLogger("hypermnesia")

RETRY_SECONDS = 30
"""How long a standby that could not be reached is left alone."""

_IDENTITY = "SELECT value FROM setting WHERE name = 'corpus_salt'"  # random, made with the store
_CHANGE = "SELECT value FROM change WHERE scope = %s"


class Searching(Protocol):
    """Where a scope is searched."""

    def fetch(self, query: str, values: Values = (), *, scope: int) -> list[Parameters]:
        """All rows of one statement."""
        ...

    def snapshot(self, scope: int) -> AbstractContextManager[Link]:
        """A read transaction."""
        ...


class Replica:
    """Reads of a scope from a standby where it is up to date, else from the primary.

    Args:
        primary: connections to the store.
        url: the standby.
        size: connections to it at most.

    Raises:
        InvalidInput: the URL cannot be read.
    """

    def __init__(self, primary: Connections, url: str, size: int) -> None:
        self._primary = primary
        self._address = address_of(url, connect_timeout=int(primary.wait))
        self._size = size
        self._standby: Connections | None = None
        self._lock = threading.Lock()
        self._next = 0.0

    def fetch(self, query: str, values: Values = (), *, scope: int) -> list[Parameters]:
        """All rows of one statement."""
        with self.snapshot(scope) as connection:
            return run(connection, query, values)

    @contextmanager
    def snapshot(self, scope: int) -> Generator[Link]:
        """A read transaction that sees every change of the scope."""
        with ExitStack() as stack:
            found = self._current(scope, stack)
            yield found or stack.enter_context(self._primary.snapshot(scope))

    def _current(self, scope: int, stack: ExitStack) -> Link | None:
        """A snapshot of the standby, ``None`` when it lacks something."""
        standby = self._opened()
        if standby is None:
            return None
        rows = self._primary.fetch(_CHANGE, (scope,), scope=scope)
        wanted = rows[0][0] if rows else 0
        with ExitStack() as attempt:
            try:
                link = attempt.enter_context(standby.snapshot(scope))
                if (value(link, _CHANGE, (scope,)) or 0) < wanted:
                    return None
            except StoreError as error:
                self._leave_alone(error)
                return None
            stack.push(attempt.pop_all())
            return link

    def _opened(self) -> Connections | None:
        if self._standby is None and time.monotonic() >= self._next:
            with self._lock:
                if self._standby is None:
                    self._open()
        return self._standby if time.monotonic() >= self._next else None

    def _open(self) -> None:
        try:
            standby = Connections(self._address, self._primary.wait, self._size)
        except StoreError as error:
            self._leave_alone(error)
            return
        if standby.fetch(_IDENTITY) != self._primary.fetch(_IDENTITY):
            standby.close()
            raise StoreError(
                f"{self._address.shown} is no standby of {self._primary.place} but another store;"
                " correct or unset postgres_replica"
            )
        self._standby = standby

    def _leave_alone(self, error: StoreError) -> None:
        self._next = time.monotonic() + RETRY_SECONDS
        log.warning("the standby is passed over for %d s: %s", RETRY_SECONDS, error)

    def close(self) -> None:
        """Close the connections to the standby."""
        if self._standby is not None:
            self._standby.close()
