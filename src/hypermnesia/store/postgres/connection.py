"""The pool of connections to one PostgreSQL database, and the kinds of transaction on it.

Reads are single statements, or snapshots when several belong together. Writes lock what they
change and wait for each other a bounded time.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import LiteralString

import psycopg
from pgvector.psycopg.halfvec import register_halfvec_info
from psycopg import sql
from psycopg_pool import ConnectionPool, PoolTimeout

from hypermnesia.errors import StoreError, StoreReadOnly
from hypermnesia.store.columns import Parameters
from hypermnesia.store.postgres.address import Address
from hypermnesia.store.postgres.faults import reason, translated
from hypermnesia.store.postgres.schema import Prepared, prepare
from hypermnesia.store.postgres.statements import Link, Values, run

# The pool tells of each failed attempt; whoever asks for a connection is told in one error.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())

STATEMENT_SECONDS = 60
"""Longest that one statement of a pipeline may take before the server cancels it."""
TURN_SECONDS = 5
"""Least time to wait for a connection of the pool, however short the wait for a writer is: one may
have to be made."""
IDLE_SECONDS = 300
"""After which the server ends a write transaction whose process hangs, and frees its scopes."""
COUNT_WAIT_MS = 20
"""How long counting a recall may wait for a writer before it is skipped, in milliseconds."""


class Connections:
    """Every connection this process has to one store.

    Args:
        address: the database and schema; the schema is made and migrated when it has to be.
        wait: seconds to wait for another writer, and for a free connection.
        size: connections at most.

    Raises:
        StoreError: the database cannot be used; the message says why.
    """

    def __init__(self, address: Address, wait: float, size: int) -> None:
        self.address = address
        self.wait = wait
        self._process = os.getpid()
        self._prepared = self._prepare()
        self._pool: ConnectionPool[Link] = ConnectionPool(
            address.conninfo,
            kwargs={"autocommit": True},
            min_size=0,
            max_size=size,
            timeout=max(wait, TURN_SECONDS),
            configure=self._configure,
            name="hypermnesia",
            open=True,
        )

    @property
    def place(self) -> str:
        """How messages name the store."""
        return self.address.shown

    @property
    def read_only(self) -> bool:
        """Whether the server is a standby."""
        return self._prepared.read_only

    def _prepare(self) -> Prepared:
        with translated(self.place), self.connect() as connection:
            return prepare(connection, self.address, self.wait)

    def connect(self) -> Link:
        """A connection of its own, outside the pool; the caller closes it.

        Raises:
            StoreError: the server cannot be reached.
        """
        try:
            return psycopg.connect(self.address.conninfo, autocommit=True)
        except psycopg.OperationalError as error:
            raise StoreError(_unreachable(self.address, error)) from None
        except UnicodeError:
            raise StoreError(f"{self.place} is no name that a server can have") from None

    def _configure(self, connection: Link) -> None:
        """What every session of the pool is set to."""
        register_halfvec_info(connection, self._prepared.halfvec)
        path = sql.SQL(", ").join(
            sql.Identifier(name) for name in (self.address.schema, self._prepared.extension)
        )
        connection.execute(sql.SQL("SET search_path = {}").format(path))
        connection.execute(
            "SELECT set_config('lock_timeout', %s, false),"
            " set_config('statement_timeout', %s, false),"
            " set_config('idle_in_transaction_session_timeout', %s, false),"
            " set_config('hnsw.iterative_scan', 'strict_order', false),"
            " set_config('hnsw.max_scan_tuples', '2147483647', false)",
            (
                f"{int(self.wait * 1000)}ms",
                f"{STATEMENT_SECONDS}s",
                f"{IDLE_SECONDS}s",
            ),
        )

    @property
    def inherited(self) -> bool:
        """Whether another process opened this, and was forked since."""
        return os.getpid() != self._process

    def guard(self) -> None:
        """Refuse a store that was carried into a forked process.

        Raises:
            StoreError: connections and model sessions do not survive a fork.
        """
        if self.inherited:
            raise StoreError(
                f"{self.place} was opened before this process was forked;"
                " open it in the new process"
            )

    def fetch(
        self, query: str, values: Values = (), *, scope: int | None = None,
        binary: bool = False,
    ) -> list[Parameters]:  # fmt: skip
        """All rows of one reading statement, which is asked once more if its connection was dead.

        Args:
            query: the statement.
            values: its parameters.
            scope: the scope that it reads; ``None`` = any. Row-level security enforces it.
            binary: ask for columns in their binary form, which is faster for vectors.
        """
        if self._prepared.row_security:
            with self.snapshot(scope) as connection:
                return run(connection, query, values, binary=binary)
        with translated(self.place):
            try:
                with self._taken() as connection:
                    return run(connection, query, values, binary=binary)
            except psycopg.OperationalError as error:
                if not _lost(error):
                    raise
                self._pool.check()
                with self._taken() as connection:
                    return run(connection, query, values, binary=binary)

    @contextmanager
    def snapshot(self, scope: int | None = None) -> Generator[Link]:
        """A read transaction: everything read inside belongs to one moment."""
        with (
            translated(self.place),
            self._begun("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as connection,
            _closing(connection),
        ):
            self._see(connection, scope)
            yield connection

    @contextmanager
    def transaction(
        self, *, unbounded: bool = False, committed: Callable[[Link], None] | None = None
    ) -> Generator[Link]:
        """The write transaction: committed when the block ends, rolled back on an error.

        It is a pipeline: what needs no answer is not waited for, so the server works on one
        statement while the next is made. What such a statement runs into is raised by the next
        that is waited for, at the latest at the end.

        Args:
            unbounded: its statements may take as long as they need.
            committed: called with the connection when the transaction is committed.

        Raises:
            StoreBusy: a lock was not had within the wait.
            StoreReadOnly: the server is a standby.
        """
        self.guard()
        if self.read_only:
            raise StoreReadOnly(f"{self.place} is a standby; name the primary")
        with translated(self.place), self._begun("BEGIN") as connection:
            with _closing(connection), connection.pipeline():
                self._see(connection, None)
                if unbounded:
                    connection.execute("SET LOCAL statement_timeout = 0")
                yield connection
            if committed is not None:
                committed(connection)

    @contextmanager
    def counting(self) -> Generator[Link]:
        """A write transaction for statistics: waits little, and does not wait for the disk."""
        with self.transaction() as connection:
            connection.execute(
                "SELECT set_config('lock_timeout', %s, true),"
                " set_config('synchronous_commit', 'off', true)",
                (f"{COUNT_WAIT_MS}ms",),
            )
            yield connection

    @contextmanager
    def metering(self) -> Generator[Link]:
        """A write transaction for counters that must be right, but may be lost with the power."""
        with self.transaction() as connection:
            connection.execute("SET LOCAL synchronous_commit = off")
            yield connection

    @contextmanager
    def alone(self) -> Generator[Link]:
        """A connection outside a transaction whose statements take as long as they need."""
        self.guard()
        if self.read_only:
            raise StoreReadOnly(f"{self.place} is a standby; name the primary")
        with translated(self.place), self.connect() as connection:
            self._configure(connection)
            connection.execute("SET statement_timeout = 0")
            yield connection

    @contextmanager
    def _begun(self, begin: LiteralString) -> Generator[Link]:
        """A connection that answers, in a transaction that the caller ends."""
        with self._taken() as connection:
            try:
                connection.execute(begin)
            except psycopg.OperationalError as error:
                if not _lost(error):
                    raise
                alive = False
            else:
                alive = True
                yield connection
        if not alive:
            self._pool.check()
            with self._taken() as connection:
                connection.execute(begin)
                yield connection

    @contextmanager
    def _taken(self) -> Generator[Link]:
        """A connection of the pool."""
        self.guard()
        try:
            connection = self._pool.getconn()
        except PoolTimeout:
            self.connect().close()  # tells why, when the server cannot be reached at all
            raise
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    def _see(self, connection: Link, scope: int | None) -> None:
        """Tell row-level security which scope this transaction may see."""
        if self._prepared.row_security:
            seen = "*" if scope is None else str(scope)
            connection.execute("SELECT set_config('hypermnesia.scope', %s, true)", (seen,))

    def close(self) -> None:
        """Close every connection. A second call does nothing."""
        if not self.inherited:
            self._pool.close()


@contextmanager
def _closing(connection: Link) -> Generator[None]:
    """Commit when the block ends, roll back when it fails."""
    try:
        yield
    except BaseException:
        if not connection.closed:
            connection.rollback()
        raise
    connection.commit()


def _lost(error: psycopg.OperationalError) -> bool:
    """Whether it was the connection that failed, and not the statement."""
    cancelled = isinstance(error, psycopg.errors.QueryCanceled)
    return not cancelled and (error.sqlstate is None or error.sqlstate[:2] in {"08", "57"})


def _unreachable(address: Address, error: psycopg.OperationalError) -> str:
    """Why no connection was had; libpq's own words name hosts and users, never a password."""
    if error.sqlstate is not None:
        return f"{address.shown} refuses the connection ({reason(error)}); check user and database"
    words = " ".join(str(error).split())
    return (
        f"no connection to {address.shown} ({words[:300]}); check the address, that the server"
        " runs, and that the user may connect"
    )
