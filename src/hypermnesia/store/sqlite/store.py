"""The SQLite store: one file, any number of processes."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from hypermnesia.errors import EncoderMismatch, InvalidInput, StoreBusy, StoreError, StoreReadOnly
from hypermnesia.store.protocol import Event, Filter, Ranked, Stored
from hypermnesia.store.sqlite import maintenance
from hypermnesia.store.sqlite.connection import Connections, translated
from hypermnesia.store.sqlite.dense import DenseIndex
from hypermnesia.store.sqlite.lexical import rank
from hypermnesia.store.sqlite.rows import (
    NODE_COLUMNS,
    NODE_TABLES,
    Parameters,
    condition,
    micros,
    moment_of,
    node_of,
)
from hypermnesia.store.sqlite.writer import SqliteWriter, latest_change, scope_id
from hypermnesia.types import Health, Matrix, Node, Page

log = logging.getLogger("hypermnesia")

KEPT_SEARCHES = 10_000
"""Search events kept in the log; older ones are pruned."""

_CHAIN = """WITH RECURSIVE
    head (id) AS (
        SELECT :id UNION
        SELECT m.superseded_by FROM memory m JOIN head ON m.id = head.id
        WHERE m.superseded_by IS NOT NULL),
    chain (id) AS (
        SELECT id FROM head UNION
        SELECT m.id FROM memory m JOIN chain ON m.superseded_by = chain.id)
    SELECT id FROM chain"""


class SqliteStore:
    """A :class:`~hypermnesia.store.protocol.Store` in one SQLite file.

    Args:
        path: the file; created when missing.
        identity: the encoder that embeds memories here.
        dimension: length of its vectors.
        wait: seconds to wait for another writer.

    Raises:
        StoreError: the file cannot be opened; the subclass and the message say why.
    """

    def __init__(self, path: Path, identity: str, dimension: int, *, wait: float = 10.0) -> None:
        self.path = path
        self._identity = identity
        self._dimension = dimension
        self._connections = Connections(path, wait)
        self._dense = DenseIndex(identity, dimension)

    # --- writing -------------------------------------------------------------------

    @contextmanager
    def write(self) -> Generator[SqliteWriter]:
        """Open the write transaction; see :class:`~..protocol.Store`."""
        with self._connections.transaction() as connection:
            writer = SqliteWriter(connection, self._claim(connection))
            yield writer
        if writer.erased:
            self._scrub()

    def claim_encoder(self) -> None:
        """Check, and in a new store record, the encoder; see :class:`~..protocol.Store`."""
        with self._connections.snapshot() as connection:
            known = _setting(connection, "encoder")
        if known is None:
            with self._connections.transaction() as connection:
                self._claim(connection)
        elif known != self._identity:
            raise self._mismatch(known)

    def _claim(self, connection: apsw.Connection) -> int:
        known = _setting(connection, "encoder")
        if known is not None and known != self._identity:
            raise self._mismatch(known)
        return maintenance.adopt_encoder(connection, self._identity, self._dimension)

    def _mismatch(self, known: str) -> EncoderMismatch:
        return EncoderMismatch(
            f"{self.path} was embedded by {known}, the configured encoder is {self._identity};"
            " run `hypermnesia reindex` to re-embed it, or configure the former encoder."
            " Until then search is lexical only and nothing can be added"
        )

    def _scrub(self) -> None:
        """Empty the write-ahead log, so that erased text is not left in it."""
        with self._connections.exclusive() as connection:
            blocked, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() or (
                1, 0, 0,
            )  # fmt: skip
        if blocked:
            log.info("erased text leaves the write-ahead log when the last reader is done")

    def touch(self, scope: str, keys: Sequence[int], detail: Mapping[str, Any]) -> None:
        """Count a recall and log the search; skipped when the store is busy or read-only."""
        if self._connections.read_only:
            return
        now = micros(datetime.now(UTC))
        try:
            with self._connections.counting() as connection:
                found = scope_id(connection, scope)
                if found is None:
                    return
                connection.executemany(
                    "INSERT INTO access (memory, count, last) VALUES (?, 1, ?)"
                    " ON CONFLICT (memory) DO UPDATE SET count = count + 1, last = excluded.last",
                    [(key, now) for key in keys],
                )
                connection.execute(
                    "INSERT INTO event (at, kind, scope, detail) VALUES (?, 'search', ?, ?)",
                    (now, found, json.dumps(detail)),
                )
                if connection.last_insert_rowid() % 1000 == 0:
                    connection.execute(
                        "DELETE FROM event WHERE kind = 'search' AND key <="
                        " (SELECT max(key) FROM event WHERE kind = 'search') - ?",
                        (KEPT_SEARCHES,),
                    )
        except (StoreBusy, StoreReadOnly) as error:
            log.info("recall not counted: %s", error)

    # --- ranking -------------------------------------------------------------------

    def changed(self, scope: str) -> int:
        """Change number of the scope's latest modification, 0 when it has none."""
        with self._connections.snapshot() as connection:
            return latest_change(connection, scope)

    def live(self, scope: str, digests: Sequence[bytes]) -> set[bytes]:
        """Those of the content hashes that an active or low-signal memory has."""
        with self._connections.snapshot() as connection:
            found = connection.execute(
                "SELECT m.hash FROM memory m JOIN scope s ON s.id = m.scope WHERE s.name = ?"
                f" AND m.hash IN ({', '.join('?' * len(digests))})"
                " AND m.status IN ('active', 'low_signal')",
                (scope, *digests),
            )
            return {row[0] for row in found}

    def nearest(self, where: Filter, queries: Matrix, limit: int) -> list[Ranked]:
        """Exact cosine ranking; empty while the store waits to be re-embedded."""
        with self._connections.snapshot() as connection:
            scope = _scope_of(connection, where)
            if scope is None:
                return [Ranked((), ()) for _ in queries]
            return self._dense.search(connection, scope, where, queries, limit)

    def lexical(self, where: Filter, terms: Sequence[str], limit: int) -> Ranked:
        """BM25 ranking of what passes and holds at least one term."""
        with self._connections.snapshot() as connection:
            scope = _scope_of(connection, where)
            if scope is None or not terms:
                return Ranked((), ())
            return rank(connection, scope, where, terms, limit)

    def fetch(self, where: Filter, keys: Sequence[int]) -> list[Stored]:
        """Those of the keys that pass; a corrupt row is logged and left out."""
        with self._connections.snapshot() as connection:
            scope = _scope_of(connection, where)
            if scope is None or not keys:
                return []
            clause, values = condition(where, scope)
            rows = _sound_rows(
                connection,
                f"SELECT {NODE_COLUMNS}, v.dense, v.tokens FROM {NODE_TABLES}"
                " LEFT JOIN vectors v ON v.memory = m.key AND v.encoder ="
                " (SELECT id FROM encoder WHERE identity = ?)",
                f"m.key IN ({', '.join('?' * len(keys))}) AND {clause}",
                (self._identity,),
                (*keys, *values),
            )
            return [self._stored(row) for row in rows]

    def _stored(self, row: Parameters) -> Stored:
        dense, tokens = row[-2] or b"", row[-1] or b""
        if len(dense) % (2 * self._dimension):
            log.warning("vectors of memory %s are damaged; run `hypermnesia check`", row[1])
            dense, tokens = b"", b""
        matrix = np.frombuffer(dense, np.float16).astype(np.float32)
        return Stored(row[0], node_of(row), matrix.reshape(-1, self._dimension), tokens)

    # --- reading -------------------------------------------------------------------

    def get(self, ids: Sequence[str], scope: str | None = None) -> list[Node]:
        """The memories with these ids, in the order asked; unknown ids are left out."""
        clause, values = ("", ()) if scope is None else (" AND s.name = ?", (scope,))
        with self._connections.snapshot() as connection:
            found = {
                node.id: node
                for node in map(
                    node_of,
                    _sound_rows(
                        connection,
                        f"SELECT {NODE_COLUMNS} FROM {NODE_TABLES}",
                        f"m.id IN ({', '.join('?' * len(ids))}){clause}",
                        (),
                        (*ids, *values),
                    ),
                )
            }
        return [found[memory_id] for memory_id in ids if memory_id in found]

    def chain(self, memory_id: str) -> list[Node]:
        """Every version linked to this one by supersession, oldest first."""
        with self._connections.snapshot() as connection:
            ids = [row[0] for row in connection.execute(_CHAIN, {"id": memory_id})]
            return sorted(self.get(ids), key=lambda node: (node.valid_from, node.id))

    def superseded_heads(self, scope: str, digest: bytes) -> list[str]:
        """Ids of the live memories that end the chains of superseded rows with this hash."""
        with self._connections.snapshot() as connection:
            found = connection.execute(
                "WITH RECURSIVE link (id) AS ("
                " SELECT m.superseded_by FROM memory m JOIN scope s ON s.id = m.scope"
                "  WHERE s.name = ? AND m.hash = ? AND m.status = 'superseded' UNION"
                " SELECT m.superseded_by FROM memory m JOIN link ON m.id = link.id"
                "  WHERE m.status = 'superseded')"
                " SELECT m.id FROM memory m JOIN link ON m.id = link.id WHERE m.status = 'active'",
                (scope, digest),
            )
            return [row[0] for row in found]

    def list(self, where: Filter, limit: int, cursor: str | None, *, newest: bool = True) -> Page:
        """One page by event time; see :class:`~..protocol.Store`."""
        with self._connections.snapshot() as connection:
            scope = _scope_of(connection, where)
            if scope is None and where.scope is not None:
                return Page((), None)
            clause, values = condition(where, scope)
            if cursor is not None:
                sign = "<" if newest else ">"
                clause += f" AND (m.valid_from, m.key) {sign} (?, ?)"
                values = (*values, *_parse_cursor(cursor))
            order = "DESC" if newest else "ASC"
            rows = _sound_rows(
                connection,
                f"SELECT {NODE_COLUMNS} FROM {NODE_TABLES}",
                clause,
                (),
                values,
                f" ORDER BY m.valid_from {order}, m.key {order} LIMIT {limit + 1}",
            )
        last = rows[limit - 1] if len(rows) > limit else None
        following = None if last is None else f"{last[12]:x}.{last[0]:x}".replace("-", "n")
        return Page(tuple(map(node_of, rows[:limit])), following)

    def salient(self, where: Filter, limit: int) -> list[Node]:
        """Those that pass, the most salient first, newer before older."""
        with self._connections.snapshot() as connection:
            clause, values = condition(where, _scope_of(connection, where))
            rows = _sound_rows(
                connection,
                f"SELECT {NODE_COLUMNS} FROM {NODE_TABLES}",
                clause,
                (),
                values,
                f" ORDER BY m.salience DESC, m.valid_from DESC, m.key DESC LIMIT {limit}",
            )
        return list(map(node_of, rows))

    def iterate(self, where: Filter) -> Iterator[Node]:
        """Everything that passes, oldest row first, a batch in memory at a time."""
        last = 0
        while True:
            with self._connections.snapshot() as connection:
                scope = _scope_of(connection, where)
                if scope is None and where.scope is not None:
                    return
                clause, values = condition(where, scope)
                rows = _sound_rows(
                    connection,
                    f"SELECT {NODE_COLUMNS} FROM {NODE_TABLES}",
                    f"m.key > ? AND {clause}",
                    (),
                    (last, *values),
                    " ORDER BY m.key LIMIT 500",
                )
            if not rows:
                return
            yield from map(node_of, rows)
            last = rows[-1][0]

    def counts(self, scope: str | None) -> Mapping[str, Mapping[str, int]]:
        """How many memories per status, and per type and level of the active ones."""
        where, values = ("1", ()) if scope is None else ("s.name = ?", (scope,))
        with self._connections.snapshot() as connection:
            rows = connection.execute(
                "SELECT m.status, m.memory_type, m.level, count(*) FROM memory m"
                f" JOIN scope s ON s.id = m.scope WHERE {where} GROUP BY 1, 2, 3",
                values,
            ).fetchall()
        counts: dict[str, dict[str, int]] = {"status": {}, "memory_type": {}, "level": {}}
        for status, memory_type, level, number in rows:
            _count(counts["status"], status, number)
            if status == "active":
                _count(counts["memory_type"], memory_type, number)
                _count(counts["level"], level, number)
        return counts

    def scopes(self) -> list[str]:
        """Names of all scopes that hold a memory."""
        with self._connections.snapshot() as connection:
            return [
                row[0]
                for row in connection.execute(
                    "SELECT name FROM scope s WHERE EXISTS (SELECT 1 FROM memory m"
                    " WHERE m.scope = s.id AND m.status <> 'deleted') ORDER BY name"
                )
            ]

    def events(self, memory_id: str) -> list[Event]:
        """The log of one memory, oldest first."""
        with self._connections.snapshot() as connection:
            rows = connection.execute(
                "SELECT e.at, e.kind, s.name, e.memory, e.detail FROM event e"
                " JOIN scope s ON s.id = e.scope WHERE e.memory = ? ORDER BY e.key",
                (memory_id,),
            ).fetchall()
        return [Event(moment_of(at), kind, s, m, json.loads(d)) for at, kind, s, m, d in rows]

    # --- care ----------------------------------------------------------------------

    def check(self) -> Health:
        """Compare rows and indexes, and prove that a write works."""
        return maintenance.check(self._connections, self._identity, self._dimension)

    def reindex(
        self,
        embed: Callable[[Sequence[str]], list[tuple[Matrix, bytes]]],
        progress: Callable[[int, int], None],
    ) -> int:
        """Rebuild the lexical index and re-embed; see :class:`~..protocol.Store`."""
        done = maintenance.reindex(
            self._connections, self._identity, self._dimension, embed, progress
        )
        self._dense.drop()
        return done

    def backup(self, path: Path, progress: Callable[[int, int], None]) -> None:
        """Copy the store to a new file while others read and write.

        Raises:
            StoreError: the target exists or cannot be written.
        """
        if path.exists():
            raise StoreError(f"{path} exists already; name a new file for the backup")
        with translated(path):
            target = apsw.Connection(str(path))
            try:
                with target.backup("main", self._connections.reader(), "main") as copy:
                    while not copy.done:
                        copy.step(1000)
                        progress(copy.page_count - copy.remaining, copy.page_count)
            finally:
                target.close()

    def close(self) -> None:
        """Release every connection."""
        self._connections.close()


def _sound_rows(
    connection: apsw.Connection,
    select: str,
    clause: str,
    before: Parameters,
    values: Parameters,
    after: str = "",
) -> list[Parameters]:
    """The rows that can be read as nodes; a damaged one is logged and left out."""
    try:
        rows = connection.execute(f"{select} WHERE {clause}{after}", (*before, *values)).fetchall()
    except ValueError:  # text that is not UTF-8 fails the whole statement: go row by row
        keys = connection.execute(
            f"SELECT m.key FROM {NODE_TABLES} WHERE {clause}{after}", values
        ).fetchall()
        rows = [row for (key,) in keys for row in _one_row(connection, select, before, key)]
    return [row for row in rows if _is_sound(row)]


def _one_row(
    connection: apsw.Connection, select: str, before: Parameters, key: int
) -> list[Parameters]:
    try:
        return connection.execute(f"{select} WHERE m.key = ?", (*before, key)).fetchall()
    except ValueError:
        log.warning("memory row %d is damaged; run `hypermnesia check`", key)
        return []


def _is_sound(row: Parameters) -> bool:
    try:
        node_of(row)
    except (ValueError, TypeError, AttributeError, OverflowError):
        log.warning("memory row %d is damaged; run `hypermnesia check`", row[0])
        return False
    return isinstance(row[4], str)


def _scope_of(connection: apsw.Connection, where: Filter) -> int | None:
    return None if where.scope is None else scope_id(connection, where.scope)


def _setting(connection: apsw.Connection, name: str) -> str | None:
    return connection.execute("SELECT value FROM setting WHERE name = ?", (name,)).get


def _count(counts: dict[str, int], name: str, number: int) -> None:
    counts[name] = counts.get(name, 0) + number


def _parse_cursor(cursor: str) -> tuple[int, int]:
    moment, _, key = cursor.replace("n", "-").partition(".")
    try:
        return int(moment, 16), int(key, 16)
    except ValueError:
        raise InvalidInput(
            f"{cursor!r} is not a cursor of this list; pass back the one the last page returned"
        ) from None
