"""A PostgreSQL store as a move sees it."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from hypermnesia.errors import Conflict
from hypermnesia.store.columns import FIELDS, Parameters
from hypermnesia.store.moving import (
    Moved,
    MovedEvent,
    MovedLinks,
    MovedMemory,
    MovedQueued,
    MovedRow,
)
from hypermnesia.store.moving_rows import FLAGS, SCOPED, TABLES, Rows
from hypermnesia.store.moving_writes import fields_of_row, link, record_of
from hypermnesia.store.postgres.address import address_of
from hypermnesia.store.postgres.connection import Connections
from hypermnesia.store.postgres.encoders import adopt, hold
from hypermnesia.store.postgres.rows import DENSE, native
from hypermnesia.store.postgres.statements import Link, execute, run, value
from hypermnesia.store.postgres.statistics import Statistics
from hypermnesia.store.postgres.writer import PostgresWriter

_TOMBSTONE = f"""INSERT INTO memory (scope, changed, {", ".join(FIELDS)})
    VALUES (%s, %s, {", ".join(["%s"] * len(FIELDS))})"""


class PostgresMovable(Rows):
    """A :class:`~hypermnesia.store.moving.Movable` in one schema of a database.

    Args:
        url: the store; its tables are made when they are missing.
        wait: seconds to wait for another writer.
    """

    scoped = True
    dense = DENSE

    def __init__(self, url: str, wait: float) -> None:
        self._connections = Connections(address_of(url, connect_timeout=int(wait)), wait, 2)
        self._statistics = Statistics(self._connections)

    @property
    def place(self) -> str:
        """How messages name the store."""
        return self._connections.place

    def fetch(self, query: str) -> list[Parameters]:
        """All rows of a query."""
        with self._connections.snapshot() as connection:
            execute(connection, "SET LOCAL statement_timeout = 0")
            return run(connection, query, binary=True)

    def native(self, dense: Any) -> bytes:
        """Vectors in this machine's order of bytes."""
        return native(dense) or b""

    def prepare(
        self, identity: str, encoders: Sequence[tuple[str, int]], current: str | None
    ) -> None:
        """Begin a move to this store."""
        with self._connections.transaction(unbounded=True) as connection:
            hold(connection, alone=True)
            for table in ("memory", "event", "outbox", *TABLES, *SCOPED):
                if run(connection, f"SELECT 1 FROM {table} LIMIT 1"):
                    raise Conflict(f"{self.place} is not empty; move to a new store")
            for name, dimension in sorted(encoders, key=lambda each: each[0] == current):
                adopt(connection, name, dimension)
            target = PostgresTarget(connection)
            target.put("corpus_salt", identity)
            target.note(json.dumps({"source": identity}))

    @contextmanager
    def writing(self) -> Generator[PostgresTarget]:
        """Open a transaction that takes rows over."""
        with self._connections.transaction(unbounded=True) as connection:
            hold(connection)
            target = PostgresTarget(connection)
            yield target
            target.finish()
        self._statistics.grown(target.inserted)

    def close(self) -> None:
        """Release the connections."""
        self._connections.close()


class PostgresTarget(PostgresWriter):
    """A write transaction that takes rows over.

    Args:
        connection: inside a write transaction.
    """

    def __init__(self, connection: Link) -> None:
        super().__init__(connection, 0)
        self._encoders = {
            name: (number, dimension)
            for number, name, dimension in run(
                connection, "SELECT id, identity, dimension FROM encoder"
            )
        }

    def take(self, row: Moved) -> None:
        """Store one row."""
        match row:
            case MovedMemory():
                self._memory(row)
            case MovedLinks():
                link(self, row)
            case MovedEvent(at, kind, scope, memory, detail):
                values = (at, kind, self._scope(scope), memory, detail)
                self._insert("event", "at, kind, scope, memory, detail", values)
            case MovedQueued():
                self._queued(row)
            case MovedRow(table, values, scope) if scope is not None:
                self._insert(table, f"scope, {SCOPED[table][0]}", (self._scope(scope), *values))
            case MovedRow(table, values):
                self._insert(table, TABLES[table][0], values)

    def noted(self) -> str | None:
        """What was noted last."""
        return value(self._connection, "SELECT value FROM setting WHERE name = 'moving'")

    def note(self, progress: str | None) -> None:
        """Note how far the move has come."""
        if progress is None:
            execute(self._connection, "DELETE FROM setting WHERE name = 'moving'")
        else:
            self.put("moving", progress)

    def put(self, name: str, text: str) -> None:
        """Set a setting."""
        execute(
            self._connection,
            "INSERT INTO setting (name, value) VALUES (%s, %s)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (name, text),
        )

    def _memory(self, memory: MovedMemory) -> None:
        if memory.deleted:
            scope = self._scope(memory.row[1])
            values = (scope, self._stamp(scope), *fields_of_row(memory.row))
            execute(self._connection, _TOMBSTONE, values)
            return
        self._encoder, dimension = self._encoders.get(memory.encoder or "", (0, 1))
        self.insert(record_of(memory, dimension))

    def _queued(self, row: MovedQueued) -> None:
        scope = self._scope(row.scope)
        number = value(
            self._connection,
            "INSERT INTO outbox (id, scope, use_case, state, reason, created_at, body)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING key",
            (row.id, scope, row.use_case, row.state, row.reason, row.created_at, row.body),
        )
        for memory_id in row.memories:
            key, _ = self._key(memory_id)
            self._insert("outbox_memory", "scope, memory, row", (scope, key, number))

    def _insert(self, table: str, columns: str, values: Parameters) -> None:
        names = columns.split(", ")
        given = [bool(v) if n in FLAGS else v for n, v in zip(names, values, strict=True)]
        marks = ", ".join(["%s"] * len(values))
        execute(self._connection, f"INSERT INTO {table} ({columns}) VALUES ({marks})", given)
