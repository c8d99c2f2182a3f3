"""The reasoning corpus in SQLite: consent, the queue, its batches and its lease."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

import apsw

from hypermnesia.judge.questions import UseCase
from hypermnesia.store.columns import Parameters, micros, moment_of
from hypermnesia.store.leases import beyond
from hypermnesia.store.outbox import KEPT_UPLOADED, Queued, Tally
from hypermnesia.store.sqlite.connection import Connections
from hypermnesia.store.sqlite.rows import fetch_all
from hypermnesia.store.sqlite.transaction import Transaction, scope_id

PAGE = 200
"""Rows of the queue read at a time."""

_ROWS = """SELECT o.key, o.id, s.name, o.use_case, o.created_at, o.body,
    (SELECT json_group_array(m.id) FROM outbox_memory l JOIN memory m ON m.key = l.memory
     WHERE l.row = o.key)
    FROM outbox o JOIN scope s ON s.id = o.scope JOIN consent c ON c.scope = o.scope"""

_COUNT = """INSERT INTO outbox_total (scope, use_case, outcome, rows) VALUES (?, ?, ?, ?)
    ON CONFLICT (scope, use_case, outcome) DO UPDATE SET rows = rows + excluded.rows"""

_PRUNE = """DELETE FROM outbox WHERE state = 'uploaded' AND key <= (SELECT key FROM outbox
    WHERE state = 'uploaded' ORDER BY key DESC LIMIT 1 OFFSET ?)"""

_HOLD = """INSERT INTO outbox_lease (id, holder, until) VALUES (1, :holder, :until)
    ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE holder = excluded.holder OR until <= :now OR until > :beyond"""


class OutboxWrites(Transaction):
    """The queue's verbs of a write transaction; see :class:`~hypermnesia.store.outbox`."""

    erased: bool

    def consent(self, scope: str, *, given: bool) -> int:
        """Allow a scope's judgements to leave, or drop all that are here."""
        number, execute = self._scope(scope), self._connection.execute
        if given:
            execute(
                "INSERT OR IGNORE INTO consent (scope, since) VALUES (?, ?)",
                (number, micros(datetime.now(UTC))),
            )
            return 0
        waiting = Counter[str]()
        for use_case, rows in fetch_all(
            self._connection,
            "SELECT use_case, count(*) FROM outbox WHERE scope = ? AND state <> 'uploaded'"
            " GROUP BY use_case",
            (number,),
        ):
            waiting[use_case] = rows
            execute(_COUNT, (number, use_case, "dropped", rows))
        execute("DELETE FROM outbox WHERE scope = ?", (number,))
        execute("DELETE FROM consent WHERE scope = ?", (number,))
        self.erased = True  # what was dropped must not stay in the write-ahead log either
        return waiting.total()

    def enqueue(self, rows: Sequence[Queued]) -> int:
        """Queue rows of scopes that agreed, whose memories are all there."""
        return enqueue(self._connection, rows)

    def unqueue(self, memory: str) -> None:
        """Remove every row that holds words of a memory."""
        key, _ = self._key(memory)
        self._unqueue(key)

    def hold_queue(self, holder: str, now: datetime, until: datetime) -> bool:
        """Take, or go on holding, the queue."""
        values = {
            "holder": holder,
            "now": micros(now),
            "until": micros(until),
            "beyond": beyond(now),
        }
        self._connection.execute(_HOLD, values)
        return self._connection.changes() > 0

    def release_queue(self, holder: str) -> None:
        """Let the queue go, if this holder still has it."""
        self._connection.execute("DELETE FROM outbox_lease WHERE holder = ?", (holder,))

    def open_batches(self) -> list[str]:
        """Names of batches that were not closed, oldest first."""
        found = fetch_all(self._connection, "SELECT name FROM outbox_batch ORDER BY key")
        return [row[0] for row in found]

    def claim_batch(self, name: str, limit: int, scope: str | None) -> list[Queued]:
        """Put the oldest pending rows that are in no batch into a new one."""
        within, values = ("", ()) if scope is None else (" AND s.name = ?", (scope,))
        found = fetch_all(
            self._connection,
            f"{_ROWS} WHERE o.state = 'pending' AND o.batch IS NULL{within} ORDER BY o.key LIMIT ?",
            (*values, limit),
        )
        if found:
            self._connection.execute("INSERT INTO outbox_batch (name) VALUES (?)", (name,))
            self._connection.execute(
                "UPDATE outbox SET batch = ? WHERE key IN (SELECT value FROM json_each(?))",
                (self._connection.last_insert_rowid(), json.dumps([row[0] for row in found])),
            )
        return [_queued(row) for row in found]

    def batch_rows(self, name: str) -> list[Queued]:
        """What a batch still holds, oldest first."""
        found = fetch_all(
            self._connection,
            f"{_ROWS} JOIN outbox_batch b ON b.key = o.batch"
            " WHERE b.name = ? AND o.state = 'pending' ORDER BY o.key",
            (name,),
        )
        return [_queued(row) for row in found]

    def fail_rows(self, reasons: Mapping[str, str]) -> None:
        """Take rows out of their batch for good."""
        self._connection.executemany(
            "UPDATE outbox SET state = 'error', reason = ?, batch = NULL WHERE id = ?",
            [(reason, row) for row, reason in reasons.items()],
        )

    def close_batch(self, name: str, uploaded: Sequence[str], at: datetime) -> None:
        """Mark these rows of a batch as uploaded and forget the batch."""
        execute = self._connection.execute
        key = execute("SELECT key FROM outbox_batch WHERE name = ?", (name,)).get
        if key is None:
            return
        for scope, use_case, rows in fetch_all(
            self._connection,
            "SELECT scope, use_case, count(*) FROM outbox WHERE batch = ?"
            " AND id IN (SELECT value FROM json_each(?)) GROUP BY scope, use_case",
            (key, json.dumps(list(uploaded))),
        ):
            execute(_COUNT, (scope, use_case, "uploaded", rows))
        execute(
            "UPDATE outbox SET state = 'uploaded' WHERE batch = ?"
            " AND id IN (SELECT value FROM json_each(?))",
            (key, json.dumps(list(uploaded))),
        )
        execute("DELETE FROM outbox_batch WHERE key = ?", (key,))  # sets batch of its rows to null
        execute(_PRUNE, (KEPT_UPLOADED,))
        execute(
            "INSERT INTO setting (name, value) VALUES ('corpus_flushed', ?)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (str(micros(at)),),
        )

    def _unqueue(self, key: int) -> None:
        """Remove every row that holds words of a memory."""
        self._connection.execute(
            "DELETE FROM outbox WHERE key IN (SELECT row FROM outbox_memory WHERE memory = ?)",
            (key,),
        )


class OutboxReads:
    """The queue's reads; see :class:`~hypermnesia.store.outbox.OutboxReader`."""

    _connections: Connections

    def consents(self, scope: str) -> bool:
        """Whether a scope agreed."""
        with self._connections.snapshot() as connection:
            return _consents(connection, scope)

    def consenting(self) -> Mapping[str, datetime]:
        """The scopes that agreed, and since when."""
        with self._connections.snapshot() as connection:
            found = fetch_all(
                connection,
                "SELECT s.name, c.since FROM consent c JOIN scope s ON s.id = c.scope"
                " ORDER BY s.name",
            )
        return {name: moment_of(since) for name, since in found}

    def corpus_salt(self) -> str:
        """A random text made with the store."""
        with self._connections.snapshot() as connection:
            return connection.execute("SELECT value FROM setting WHERE name = 'corpus_salt'").get

    def queued(self, scope: str | None) -> Iterator[Queued]:
        """Pending and uploaded rows, oldest first, a page in memory at a time."""
        within, values = ("", ()) if scope is None else (" AND s.name = ?", (scope,))
        query = (
            f"{_ROWS} WHERE o.state <> 'error' AND o.key > ?{within} ORDER BY o.key LIMIT {PAGE}"
        )
        last = 0
        while True:
            with self._connections.snapshot() as connection:
                found = fetch_all(connection, query, (last, *values))
            if not found:
                return
            yield from map(_queued, found)
            last = found[-1][0]

    def tallies(self, scope: str | None) -> Sequence[Tally]:
        """What became of the rows, by scope and use case."""
        query = (
            "SELECT s.name, t.use_case, t.outcome, t.rows FROM outbox_total t"
            " JOIN scope s ON s.id = t.scope UNION ALL"
            " SELECT s.name, o.use_case, o.state, count(*) FROM outbox o"
            " JOIN scope s ON s.id = o.scope WHERE o.state <> 'uploaded' GROUP BY 1, 2, 3"
        )
        with self._connections.snapshot() as connection:
            found = fetch_all(connection, query)
        counts: dict[tuple[str, UseCase], dict[str, int]] = {}
        for name, use_case, outcome, rows in found:
            if scope in (None, name):
                counts.setdefault((name, use_case), {})[outcome] = rows
        return [Tally(*key, **counts[key]) for key in sorted(counts)]

    def flushed_at(self) -> datetime | None:
        """When the last batch was closed."""
        with self._connections.snapshot() as connection:
            value = connection.execute(
                "SELECT value FROM setting WHERE name = 'corpus_flushed'"
            ).get
        return None if value is None else moment_of(int(value))


def enqueue(connection: apsw.Connection, rows: Sequence[Queued]) -> int:
    """Queue rows in a transaction of the caller's; see :class:`~hypermnesia.store.outbox`."""
    agreed = {scope: _consents(connection, scope) for scope in {row.scope for row in rows}}
    return sum(_enqueue(connection, row) for row in rows if agreed[row.scope])


def _enqueue(connection: apsw.Connection, row: Queued) -> bool:
    scope = scope_id(connection, row.scope)
    if row.body is None:
        connection.execute(_COUNT, (scope, row.use_case, "unredacted", 1))
        return False
    wanted = set(row.memories)
    keys = fetch_all(
        connection,
        "SELECT key FROM memory WHERE id IN (SELECT value FROM json_each(?))"
        " AND +scope = ? AND status <> 'deleted'",
        (json.dumps(list(wanted)), scope),
    )
    if not wanted or len(keys) < len(wanted):
        return False  # forgotten meanwhile, or not stored after all
    connection.execute(
        "INSERT OR IGNORE INTO outbox (id, scope, use_case, created_at, body)"
        " VALUES (?, ?, ?, ?, ?)",
        (row.id, scope, row.use_case, micros(row.created_at), row.body),
    )
    if not connection.changes():
        return False
    number = connection.last_insert_rowid()
    connection.executemany(
        "INSERT INTO outbox_memory (memory, row) VALUES (?, ?)", [(key, number) for (key,) in keys]
    )
    return True


def _consents(connection: apsw.Connection, scope: str) -> bool:
    found = connection.execute(
        "SELECT 1 FROM consent c JOIN scope s ON s.id = c.scope WHERE s.name = ?", (scope,)
    )
    return found.fetchone() is not None


def _queued(row: Parameters) -> Queued:
    _, row_id, scope, use_case, created_at, body, memories = row
    return Queued(row_id, scope, use_case, tuple(json.loads(memories)), moment_of(created_at), body)
