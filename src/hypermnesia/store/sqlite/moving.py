"""A SQLite store as a move sees it."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

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
from hypermnesia.store.moving_rows import SCOPED, TABLES, Rows
from hypermnesia.store.moving_writes import fields_of_row, link, record_of
from hypermnesia.store.sqlite.connection import Connections
from hypermnesia.store.sqlite.maintenance import adopt_encoder
from hypermnesia.store.sqlite.rows import fetch_all
from hypermnesia.store.sqlite.writer import SqliteWriter
from hypermnesia.types import Matrix

_TOMBSTONE = f"""INSERT INTO memory (scope, changed, {", ".join(FIELDS)})
    VALUES (?, ?, {", ".join("?" * len(FIELDS))})"""


class SqliteMovable(Rows):
    """A :class:`~hypermnesia.store.moving.Movable` in one file.

    Args:
        path: the file; created when missing.
        wait: seconds to wait for another writer.
    """

    scoped = False
    dense = "v.dense"

    def __init__(self, path: Path, wait: float) -> None:
        self._connections = Connections(path, wait)

    @property
    def place(self) -> str:
        """How messages name the store."""
        return str(self._connections.path)

    def fetch(self, query: str) -> list[Parameters]:
        """All rows of a query."""
        with self._connections.snapshot() as connection:
            return fetch_all(connection, query)

    def prepare(
        self, identity: str, encoders: Sequence[tuple[str, int]], current: str | None
    ) -> None:
        """Begin a move to this store."""
        with self._connections.transaction() as connection:
            for table in ("memory", "event", "outbox", *TABLES, *SCOPED):
                if fetch_all(connection, f"SELECT 1 FROM {table} LIMIT 1"):
                    raise Conflict(f"{self.place} is not empty; move to a new store")
            for name, dimension in sorted(encoders, key=lambda each: each[0] == current):
                adopt_encoder(connection, name, dimension)
            target = SqliteTarget(connection)
            target.put("corpus_salt", identity)
            target.note(json.dumps({"source": identity}))

    @contextmanager
    def writing(self) -> Generator[SqliteTarget]:
        """Open a transaction that takes rows over."""
        with self._connections.transaction() as connection:
            yield SqliteTarget(connection)

    def close(self) -> None:
        """Release the file."""
        self._connections.close()


class SqliteTarget(SqliteWriter):
    """A write transaction that takes rows over.

    Args:
        connection: inside a write transaction.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection, 0)
        self._encoders = {
            name: (number, dimension)
            for number, name, dimension in fetch_all(
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
        return self._connection.execute("SELECT value FROM setting WHERE name = 'moving'").get

    def note(self, progress: str | None) -> None:
        """Note how far the move has come."""
        if progress is None:
            self._connection.execute("DELETE FROM setting WHERE name = 'moving'")
        else:
            self.put("moving", progress)

    def put(self, name: str, text: str) -> None:
        """Set a setting."""
        self._connection.execute(
            "INSERT INTO setting (name, value) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (name, text),
        )

    def _memory(self, memory: MovedMemory) -> None:
        if memory.deleted:
            scope = self._scope(memory.row[1])
            values = (scope, self._stamp(), *fields_of_row(memory.row))
            self._connection.execute(_TOMBSTONE, values)
            return
        self._encoder, dimension = self._encoders.get(memory.encoder or "", (0, 1))
        self.insert(record_of(memory, dimension))

    def _embed(self, key: int, dense: Matrix, tokens: bytes) -> None:
        if len(dense):  # what had no vectors stays without
            super()._embed(key, dense, tokens)

    def _queued(self, row: MovedQueued) -> None:
        scope = self._scope(row.scope)
        values = (row.id, scope, row.use_case, row.state, row.reason, row.created_at, row.body)
        self._insert("outbox", "id, scope, use_case, state, reason, created_at, body", values)
        number = self._connection.last_insert_rowid()
        for memory_id in row.memories:
            key, _ = self._key(memory_id)
            self._insert("outbox_memory", "memory, row", (key, number))

    def _insert(self, table: str, columns: str, values: Parameters) -> None:
        marks = ", ".join("?" * len(values))
        self._connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", values)
