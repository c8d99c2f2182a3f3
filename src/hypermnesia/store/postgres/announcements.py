"""Change numbers of scopes, kept fresh by what writers announce.

A writer announces the scopes that it changed when its transaction has committed, in another one.
``NOTIFY`` inside the first would hold a lock of the whole server while the log is flushed, so
that all commits with announcements would follow each other; the second waits for no flush.

An announcement may be lost: its writer dies before it, or cannot send it. That is harmless. A
number only tells how far a standby must be to be searched; what is found there is one snapshot of
the store whatever the number. So without the announcement another process's change is found as
soon as the standby has it, instead of at once, and the next announcement of the scope makes up
for the lost one. What this process wrote is noted without any announcement.
"""

from __future__ import annotations

import hashlib
import logging
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import LiteralString

import psycopg
from psycopg import sql

from hypermnesia.errors import StoreError
from hypermnesia.store.postgres.connection import Connections
from hypermnesia.store.postgres.faults import reason, translated
from hypermnesia.store.postgres.statements import Link

log = logging.getLogger("hypermnesia")

SCOPES = 100_000
"""Scopes whose numbers are kept, those used last."""
RETRY_SECONDS = 5
"""Least time between two attempts to listen."""
TURN_MS = 1_000
"""How long an announcement may wait for other programs' before it is given up."""
UNREAD_SECONDS = 60
"""After which the server ends a connection whose listener does not read, its buffers full: what
it has not read would fill up the server's queue of notifications."""
SILENT_SECONDS = 3_600
"""After which the server ends any listening connection, for the same reason: what a process that
idles leaves unread stays small. One that searches listens anew."""

_UNREAD: LiteralString = "SELECT set_config('tcp_user_timeout', %s, false)"
_SILENT: LiteralString = "SELECT set_config('idle_session_timeout', %s, false)"
_KNOWS_IDLE = 140_000  # the first version of the server that has the latter
_PAYLOAD = re.compile(rb"([0-9]{1,18}) ([0-9]{1,18})")
_ANNOUNCE: LiteralString = (
    "SELECT set_config('synchronous_commit', 'off', true), set_config('lock_timeout', %s, true),"
    " pg_notify(%s, payload) FROM unnest(%s::text[]) AS payload"
)


def channel_of(schema: str) -> str:
    """The channel that a store's changes are announced on: 44 of at most 63 bytes."""
    return f"hypermnesia_{hashlib.sha256(schema.encode()).hexdigest()[:32]}"


@dataclass(slots=True)
class _Number:
    """The latest change number known of a scope, ``asked`` once the primary has been."""

    value: int = 0
    asked: bool = False


class Announcements:
    """Announces the changes of this process, and knows how far scopes are that it searches.

    No thread waits for announcements: who wants a number first takes in what was delivered.
    Numbers are kept only while this process listens, and each was asked for since it does, so
    nothing falls in between. A process that never asks never listens.

    Args:
        primary: connections to the store that is written to.
    """

    def __init__(self, primary: Connections) -> None:
        self._primary = primary
        self._channel = channel_of(primary.address.schema)
        self._numbers: OrderedDict[int, _Number] = OrderedDict()
        self._connection: Link | None = None
        self._closed = False
        self._next = 0.0
        self._lock = threading.Lock()  # of all the above, and never held while anything is awaited
        self._opening = threading.Lock()

    @contextmanager
    def transaction(self, changes: Mapping[int, int]) -> Generator[Link]:
        """The write transaction; what it changed is noted and announced once it is committed.

        Args:
            changes: change numbers by the number of their scope, filled in by the block.

        Raises:
            StoreBusy: a lock was not had within the wait.
            StoreReadOnly: the server is a standby.
        """
        try:
            with self._primary.transaction(
                committed=lambda link: self._announce(link, changes)
            ) as connection:
                yield connection
        except BaseException:
            if changes:  # a commit that failed may have happened all the same
                self.forget(changes)
            raise

    def latest(self, scope: int, ask: Callable[[], int]) -> int:
        """The change number that a snapshot of the scope must have.

        Args:
            scope: number of the scope.
            ask: asks the primary, when the number is not known or nothing is heard of it.
        """
        self._keep_listening()
        with self._lock:
            number = self._number(scope) if self._take_in() else None
            if number is not None and number.asked:
                return number.value
        answer = ask()
        if number is None:
            return answer
        with self._lock:
            number.value = max(number.value, answer)
            number.asked = True
            return number.value

    def note(self, changes: Mapping[int, int]) -> None:
        """Numbers that scopes have reached. One that is not kept is asked for when it is wanted."""
        with self._lock:
            for scope, number in changes.items():
                self._raise(scope, number)

    def forget(self, scopes: Iterable[int] | None = None) -> None:
        """Ask again for the numbers of these scopes, ``None`` = of all."""
        with self._lock:
            for scope in list(self._numbers) if scopes is None else scopes:
                self._numbers.pop(scope, None)

    def close(self) -> None:
        """Stop listening. A second call does nothing, as one in a forked process does."""
        if self._primary.inherited:
            return
        with self._lock:
            self._closed = True
            self._drop()

    def _announce(self, connection: Link, changes: Mapping[int, int]) -> None:
        """Tell others what is committed. When this fails, the log says so and nothing else."""
        self.note(changes)
        if not changes:
            return
        payloads = [f"{scope} {number}" for scope, number in changes.items()]
        try:
            connection.execute(_ANNOUNCE, (f"{TURN_MS}ms", self._channel, payloads))
        except psycopg.Error as error:
            log.warning("a change is stored, but was not announced: %s", reason(error))

    def _number(self, scope: int) -> _Number:
        number = self._numbers.setdefault(scope, _Number())
        self._numbers.move_to_end(scope)
        if len(self._numbers) > SCOPES:
            self._numbers.popitem(last=False)
        return number

    def _raise(self, scope: int, value: int) -> None:
        number = self._numbers.get(scope)
        if number is not None:
            number.value = max(number.value, value)

    def _take_in(self) -> bool:
        """Read what was delivered, without waiting; false when this process does not listen."""
        if self._connection is None:
            return False
        server = self._connection.pgconn
        try:
            silent = False
            while not silent:
                server.consume_input()
                server.consume_input()  # again: the end is seen only after the server's last words
                silent = True
                while (notice := server.notifies()) is not None:
                    silent = False
                    self._hear(notice.extra)
        except psycopg.Error as error:
            log.info("no longer listening for changes: %s", reason(error))
            self._drop()
            return False
        return True

    def _hear(self, payload: bytes) -> None:
        # Whoever may connect may send. What is no announcement says nothing, and a number that is
        # too high only sends searches to the primary.
        announced = _PAYLOAD.fullmatch(payload)
        if announced is not None:
            self._raise(int(announced[1]), int(announced[2]))

    def _keep_listening(self) -> None:
        """Begin to listen when that is due; other threads do not wait for it but ask."""
        if self._connection is not None or not self._opening.acquire(blocking=False):
            return
        try:
            if self._connection is None and not self._closed and time.monotonic() >= self._next:
                self._next = time.monotonic() + RETRY_SECONDS
                self._begin(self._listening())
        except StoreError as error:
            log.warning("changes are asked for, not listened for: %s", error)
        finally:
            self._opening.release()

    def _begin(self, connection: Link) -> None:
        with self._lock:
            self._connection = connection
            if self._closed:
                self._drop()

    def _listening(self) -> Link:
        """A connection that listens.

        Raises:
            StoreError: it cannot be had.
        """
        connection = self._primary.connect()
        try:
            with translated(self._primary.place):
                connection.execute(_UNREAD, (f"{UNREAD_SECONDS}s",))
                if connection.info.server_version >= _KNOWS_IDLE:
                    connection.execute(_SILENT, (f"{SILENT_SECONDS}s",))
                connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self._channel)))
        except StoreError:
            connection.close()
            raise
        return connection

    def _drop(self) -> None:
        self._numbers.clear()
        if self._connection is not None:
            self._connection.close()
            self._connection = None
