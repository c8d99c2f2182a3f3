"""Searching a standby, as long as it has seen what is known to have changed in the scope.

Known are the changes of this process, those of others that were announced to it, and for a scope
that it has not searched yet the number that the primary tells; see :mod:`.announcements`. A
standby whose snapshot has that change, or a later one, is searched; one that lags behind, or
cannot be reached, is passed over and the primary searched.
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
from hypermnesia.store.postgres.announcements import Announcements
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
        announcements: how far its scopes are.
        url: the standby.
        size: connections to it at most.

    Raises:
        InvalidInput: the URL cannot be read.
    """

    def __init__(
        self, primary: Connections, announcements: Announcements, url: str, size: int
    ) -> None:
        self._primary = primary
        self._announcements = announcements
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
        """A read transaction that sees every change of the scope that is known of here."""
        self._primary.guard()
        with ExitStack() as stack:
            standby = self._opened()
            found = None if standby is None else self._current(standby, scope, stack)
            yield found or stack.enter_context(self._primary.snapshot(scope))

    def _current(self, standby: Connections, scope: int, stack: ExitStack) -> Link | None:
        """A snapshot that is up to date, ``None`` when the standby failed."""
        wanted = self._announcements.latest(scope, lambda: self._ask(scope))
        try:
            with ExitStack() as attempt:
                link = attempt.enter_context(standby.snapshot(scope))
                seen = value(link, _CHANGE, (scope,)) or 0
                if seen >= wanted:
                    stack.push(attempt.pop_all())
        except StoreError as error:
            self._leave_alone(error)
            return None
        if seen < wanted:
            link = stack.enter_context(self._primary.snapshot(scope))
            seen = value(link, _CHANGE, (scope,)) or 0
        self._announcements.note({scope: seen})  # no later search sees less
        return link

    def _ask(self, scope: int) -> int:
        rows = self._primary.fetch(_CHANGE, (scope,), scope=scope)
        return rows[0][0] if rows else 0

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
        self._announcements.forget()  # what is read meanwhile on the primary is not noted
        log.warning("the standby is passed over for %d s: %s", RETRY_SECONDS, error)

    def close(self) -> None:
        """Close the connections to the standby."""
        if self._standby is not None:
            self._standby.close()
