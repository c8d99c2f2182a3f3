"""The reasoning corpus in PostgreSQL: consent, the queue, its batches and its lease."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from hypermnesia.judge.questions import UseCase
from hypermnesia.store.columns import Parameters, micros, moment_of
from hypermnesia.store.leases import beyond
from hypermnesia.store.outbox import KEPT_UPLOADED, Queued, Tally
from hypermnesia.store.postgres.connection import Connections
from hypermnesia.store.postgres.reading import Reading
from hypermnesia.store.postgres.statements import Link, affected, execute, run, value
from hypermnesia.store.postgres.transaction import Transaction, scope_id

PAGE = 200
"""Rows of the queue read at a time."""

_ROWS = """SELECT o.key, o.id, s.name, o.use_case, o.created_at, o.body,
    ARRAY(SELECT m.id FROM outbox_memory l JOIN memory m ON m.scope = l.scope AND m.key = l.memory
        WHERE l.scope = o.scope AND l.row = o.key)
    FROM outbox o JOIN scope s ON s.id = o.scope JOIN consent c ON c.scope = o.scope"""

_COUNT = """INSERT INTO outbox_total AS t (scope, use_case, outcome, rows) VALUES (%s, %s, %s, %s)
    ON CONFLICT (scope, use_case, outcome) DO UPDATE SET rows = t.rows + excluded.rows"""

_PRUNE = """DELETE FROM outbox WHERE state = 'uploaded' AND key <= (SELECT key FROM outbox
    WHERE state = 'uploaded' ORDER BY key DESC OFFSET %s LIMIT 1)"""

_HOLD = """INSERT INTO outbox_lease AS l (id, holder, until) VALUES (1, %(holder)s, %(until)s)
    ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE l.holder = excluded.holder OR l.until <= %(now)s OR l.until > %(beyond)s"""

_TALLIES = """SELECT s.name, t.use_case, t.outcome, t.rows FROM outbox_total t
        JOIN scope s ON s.id = t.scope
    UNION ALL SELECT s.name, o.use_case, o.state, count(*) FROM outbox o
        JOIN scope s ON s.id = o.scope WHERE o.state <> 'uploaded' GROUP BY 1, 2, 3"""


class OutboxWrites(Transaction):
    """The queue's verbs of a write transaction; see :class:`~hypermnesia.store.outbox`."""

    def consent(self, scope: str, *, given: bool) -> int:
        """Allow a scope's judgements to leave, or drop all that are here."""
        number = self._scope(scope)
        if given:
            execute(
                self._connection,
                "INSERT INTO consent (scope, since) VALUES (%s, %s) ON CONFLICT DO NOTHING",
                (number, micros(datetime.now(UTC))),
            )
            return 0
        # First, so that a recall that is just being queued is waited for, and then dropped.
        execute(self._connection, "DELETE FROM consent WHERE scope = %s", (number,))
        waiting = Counter[str]()
        for use_case, rows in run(
            self._connection,
            "SELECT use_case, count(*) FROM outbox WHERE scope = %s AND state <> 'uploaded'"
            " GROUP BY use_case",
            (number,),
        ):
            waiting[use_case] = rows
            execute(self._connection, _COUNT, (number, use_case, "dropped", rows))
        execute(self._connection, "DELETE FROM outbox WHERE scope = %s", (number,))
        return waiting.total()

    def enqueue(self, rows: Sequence[Queued]) -> int:
        """Queue rows of scopes that agreed, whose memories are all there."""
        return enqueue(self._connection, rows)

    def unqueue(self, memory: str) -> None:
        """Remove every row that holds words of a memory."""
        key, scope = self._key(memory)
        self._unqueue(scope, key)

    def hold_queue(self, holder: str, now: datetime, until: datetime) -> bool:
        """Take, or go on holding, the queue."""
        values = {
            "holder": holder,
            "now": micros(now),
            "until": micros(until),
            "beyond": beyond(now),
        }
        return affected(self._connection, _HOLD, values) > 0

    def release_queue(self, holder: str) -> None:
        """Let the queue go, if this holder still has it."""
        execute(self._connection, "DELETE FROM outbox_lease WHERE holder = %s", (holder,))

    def open_batches(self) -> list[str]:
        """Names of batches that were not closed, oldest first."""
        return [
            row[0] for row in run(self._connection, "SELECT name FROM outbox_batch ORDER BY key")
        ]

    def claim_batch(self, name: str, limit: int, scope: str | None) -> list[Queued]:
        """Put the oldest pending rows that are in no batch into a new one."""
        within, values = ("", ()) if scope is None else (" AND s.name = %s", (scope,))
        found = run(
            self._connection,
            f"{_ROWS} WHERE o.state = 'pending' AND o.batch IS NULL{within}"
            " ORDER BY o.key LIMIT %s",
            (*values, limit),
        )
        if found:
            batch = value(
                self._connection,
                "INSERT INTO outbox_batch (name) VALUES (%s) RETURNING key",
                (name,),
            )
            execute(
                self._connection,
                "UPDATE outbox SET batch = %s WHERE key = ANY(%s::bigint[])",
                (batch, [row[0] for row in found]),
            )
        return [_queued(row) for row in found]

    def batch_rows(self, name: str) -> list[Queued]:
        """What a batch still holds, oldest first."""
        found = run(
            self._connection,
            f"{_ROWS} JOIN outbox_batch b ON b.key = o.batch"
            " WHERE b.name = %s AND o.state = 'pending' ORDER BY o.key",
            (name,),
        )
        return [_queued(row) for row in found]

    def fail_rows(self, reasons: Mapping[str, str]) -> None:
        """Take rows out of their batch for good."""
        for row, reason in reasons.items():
            execute(
                self._connection,
                "UPDATE outbox SET state = 'error', reason = %s, batch = NULL WHERE id = %s",
                (reason, row),
            )

    def close_batch(self, name: str, uploaded: Sequence[str], at: datetime) -> None:
        """Mark these rows of a batch as uploaded and forget the batch."""
        key = value(self._connection, "SELECT key FROM outbox_batch WHERE name = %s", (name,))
        if key is None:
            return
        gone = (key, list(uploaded))
        for scope, use_case, rows in run(
            self._connection,
            "SELECT scope, use_case, count(*) FROM outbox WHERE batch = %s"
            " AND id = ANY(%s::text[]) GROUP BY scope, use_case",
            gone,
        ):
            execute(self._connection, _COUNT, (scope, use_case, "uploaded", rows))
        execute(
            self._connection,
            "UPDATE outbox SET state = 'uploaded' WHERE batch = %s AND id = ANY(%s::text[])",
            gone,
        )
        execute(self._connection, "UPDATE outbox SET batch = NULL WHERE batch = %s", (key,))
        execute(self._connection, "DELETE FROM outbox_batch WHERE key = %s", (key,))
        execute(self._connection, _PRUNE, (KEPT_UPLOADED,))
        execute(
            self._connection,
            "INSERT INTO setting (name, value) VALUES ('corpus_flushed', %s)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (str(micros(at)),),
        )

    def _unqueue(self, scope: int, key: int) -> None:
        """Remove every row that holds words of a memory, which is locked and erased."""
        execute(
            self._connection,
            "DELETE FROM outbox WHERE scope = %s AND key IN"
            " (SELECT row FROM outbox_memory WHERE scope = %s AND memory = %s)",
            (scope, scope, key),
        )


class OutboxReads:
    """The queue's reads; see :class:`~hypermnesia.store.outbox.OutboxReader`."""

    _connections: Connections
    _reading: Reading

    def consents(self, scope: str) -> bool:
        """Whether a scope agreed."""
        number = self._reading.number(scope)
        if number is None:
            return False
        query = "SELECT 1 FROM consent WHERE scope = %s"
        return bool(self._connections.fetch(query, (number,), scope=number))

    def consenting(self) -> Mapping[str, datetime]:
        """The scopes that agreed, and since when."""
        found = self._connections.fetch(
            "SELECT s.name, c.since FROM consent c JOIN scope s ON s.id = c.scope ORDER BY s.name"
        )
        return {name: moment_of(since) for name, since in found}

    def corpus_salt(self) -> str:
        """A random text made with the store."""
        return self._connections.fetch("SELECT value FROM setting WHERE name = 'corpus_salt'")[0][0]

    def queued(self, scope: str | None) -> Iterator[Queued]:
        """Pending and uploaded rows, oldest first, a page in memory at a time."""
        within, values = ("", ()) if scope is None else (" AND s.name = %s", (scope,))
        query = (
            f"{_ROWS} WHERE o.state <> 'error' AND o.key > %s{within} ORDER BY o.key LIMIT {PAGE}"
        )
        last = 0
        while found := self._connections.fetch(query, (last, *values)):
            yield from map(_queued, found)
            last = found[-1][0]

    def tallies(self, scope: str | None) -> Sequence[Tally]:
        """What became of the rows, by scope and use case."""
        counts: dict[tuple[str, UseCase], dict[str, int]] = {}
        for name, use_case, outcome, rows in self._connections.fetch(_TALLIES):
            if scope in (None, name):
                counts.setdefault((name, use_case), {})[outcome] = rows
        return [Tally(*key, **counts[key]) for key in sorted(counts)]

    def flushed_at(self) -> datetime | None:
        """When the last batch was closed."""
        rows = self._connections.fetch("SELECT value FROM setting WHERE name = 'corpus_flushed'")
        return moment_of(int(rows[0][0])) if rows else None


def enqueue(connection: Link, rows: Sequence[Queued]) -> int:
    """Queue rows in a transaction of the caller's; see :class:`~hypermnesia.store.outbox`.

    Consent and memories are locked against withdrawal and erasure until the transaction ends.
    """
    agreed = {scope: _agreed(connection, scope) for scope in sorted({row.scope for row in rows})}
    return sum(_enqueue(connection, row, agreed[row.scope]) for row in rows)


def _agreed(connection: Link, scope: str) -> int | None:
    """The number of a scope that agreed."""
    number = scope_id(connection, scope)
    query = "SELECT scope FROM consent WHERE scope = %s FOR SHARE"
    return value(connection, query, (number,))


def _enqueue(connection: Link, row: Queued, scope: int | None) -> bool:
    if scope is None:
        return False
    if row.body is None:
        execute(connection, _COUNT, (scope, row.use_case, "unredacted", 1))
        return False
    wanted = set(row.memories)
    keys = run(
        connection,
        "SELECT key FROM memory WHERE id = ANY(%s::text[]) AND scope = %s AND status <> 'deleted'"
        " ORDER BY key FOR SHARE",
        (list(wanted), scope),
    )
    if not wanted or len(keys) < len(wanted):
        return False  # forgotten meanwhile, or not stored after all
    number = value(
        connection,
        "INSERT INTO outbox (id, scope, use_case, created_at, body) VALUES (%s, %s, %s, %s, %s)"
        " ON CONFLICT DO NOTHING RETURNING key",
        (row.id, scope, row.use_case, micros(row.created_at), row.body),
    )
    if number is None:
        return False
    execute(
        connection,
        "INSERT INTO outbox_memory (scope, memory, row) SELECT %s, *, %s FROM unnest(%s::bigint[])",
        (scope, number, [key for (key,) in keys]),
    )
    return True


def _queued(row: Parameters) -> Queued:
    _, row_id, scope, use_case, created_at, body, memories = row
    return Queued(row_id, scope, use_case, tuple(memories), moment_of(created_at), body)
