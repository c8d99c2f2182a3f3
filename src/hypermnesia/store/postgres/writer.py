"""The verbs of one PostgreSQL write transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from hypermnesia.store.columns import (
    FIELDS,
    fields_of,
    labels_as_stored,
    micros,
    node_of,
)
from hypermnesia.store.postgres.incidence import IncidenceWrites
from hypermnesia.store.postgres.indexing import EMBEDDED, INDEXED, Indexing
from hypermnesia.store.postgres.outbox import OutboxWrites
from hypermnesia.store.postgres.rows import SELECT
from hypermnesia.store.postgres.schema import LOCK
from hypermnesia.store.postgres.statements import Link, execute, run, value
from hypermnesia.store.postgres.transaction import scope_id
from hypermnesia.store.protocol import EventKind, Record
from hypermnesia.types import Node

KEPT_SEARCHES = 10_000
"""Search events kept in a scope's log; older ones are pruned."""

_INSERT = f"""WITH k AS (
        INSERT INTO memory (scope, hash, changed, {", ".join(FIELDS)})
        VALUES (%(scope)s, %(hash)s, %(changed)s, {", ".join(f"%({name})s" for name in FIELDS)})
        RETURNING scope, key),
    {INDEXED},
    {EMBEDDED},
    a AS (
        INSERT INTO access (scope, memory, count, last)
        SELECT k.scope, k.key, %(recalls)s::bigint, %(recalled)s::bigint FROM k
        WHERE %(recalls)s::bigint > 0)
    SELECT 1"""
_UPDATE = f"""UPDATE memory SET changed = %s, {", ".join(f"{name} = %s" for name in FIELDS)}
    WHERE scope = %s AND key = %s"""


class PostgresWriter(Indexing, IncidenceWrites, OutboxWrites):
    """Changes rows and everything derived from them; see :class:`~..protocol.Writer`.

    Args:
        connection: inside a write transaction.
        encoder: id of the encoder whose vectors are written.

    Attributes:
        inserted: memories stored so far.
    """

    inserted = 0

    def changed(self, scope: str) -> int:
        """Change number of the scope's latest modification, 0 when it has none."""
        number = self._scope(scope)
        return self._changes.get(number, self._held[number])

    def live(self, scope: str, digest: bytes) -> Node | None:
        """The active or low-signal memory with this content hash."""
        rows = run(
            self._connection,
            f"{SELECT} WHERE m.scope = %s AND m.hash = %s AND m.status IN ('active', 'low_signal')",
            (self._scope(scope), digest),
        )
        return node_of(rows[0]) if rows else None

    def told(self, scope: str, digest: bytes, at: datetime) -> Node | None:
        """The superseded memory with this content hash and event time."""
        rows = run(
            self._connection,
            f"{SELECT} WHERE m.scope = %s AND m.hash = %s"
            " AND m.status = 'superseded' AND m.valid_from = %s LIMIT 1",
            (self._scope(scope), digest, micros(at)),
        )
        return node_of(rows[0]) if rows else None

    def knows(self, memory_id: str) -> bool:
        """Whether a memory has, or had before it was forgotten, this id."""
        # An id is unique in the store, a key of the table only in a scope: whoever asks keeps
        # others from taking the id elsewhere before this transaction ends.
        execute(
            self._connection,
            "SELECT pg_advisory_xact_lock(%s, hashtext(%s))",
            (LOCK + 1, memory_id),
        )
        query = "SELECT EXISTS (SELECT 1 FROM memory WHERE id = %s)"
        return value(self._connection, query, (memory_id,))

    def get(self, memory_id: str) -> Node:
        """The memory as it stands inside this transaction."""
        key, scope = self._key(memory_id)
        return self._node(scope, key)

    def _node(self, scope: int, key: int) -> Node:
        (row,) = run(self._connection, f"{SELECT} WHERE m.scope = %s AND m.key = %s", (scope, key))
        return node_of(row)

    def insert(self, record: Record) -> None:
        """Store a new memory with its lexical index, labels and vectors."""
        node = record.node
        scope = self._scope(node.scope)
        values = {
            **dict(zip(FIELDS, fields_of(node), strict=True)),
            "scope": scope,
            "hash": record.hash,
            "changed": self._stamp(scope),
            "recalls": node.access_count,
            "recalled": micros(node.accessed_at or node.updated_at),
            **self._words(scope, node),
            **self._vectors(record.dense, record.tokens),
        }
        execute(self._connection, _INSERT, values)
        self.inserted += 1

    def rewrite(self, record: Record) -> None:
        """Replace an existing memory's text and everything derived from it."""
        key, scope = self._key(record.node.id)
        self._update(key, scope, record.node)
        execute(
            self._connection,
            "UPDATE memory SET hash = %s WHERE scope = %s AND key = %s",
            (record.hash, scope, key),
        )
        self._unindex(key, scope)
        self._index(key, scope, record.node)
        self._unembed(key, scope)
        self._embed(key, scope, record.dense, record.tokens)

    def amend(self, node: Node) -> None:
        """Replace an existing memory's fields; its text and vectors stay."""
        key, scope = self._key(node.id)
        (labels,) = run(
            self._connection,
            "SELECT memory_type, tags, metadata FROM memory WHERE scope = %s AND key = %s",
            (scope, key),
        )
        self._update(key, scope, node)
        if labels != labels_as_stored(node):  # what is indexed beside the text
            self._unindex(key, scope)
            self._index(key, scope, node)

    def erase(self, ids: Sequence[str]) -> None:
        """Leave a tombstone (id, scope, times) and remove everything else."""
        query = "SELECT scope FROM memory WHERE id = ANY(%s::text[])"
        self._hold(row[0] for row in run(self._connection, query, (list(ids),)))
        for memory_id in ids:
            key, scope = self._key(memory_id)
            # First of all: whoever is just queuing or counting a recall of it is waited for.
            execute(
                self._connection,
                "UPDATE memory SET status = 'deleted', content = '', hash = NULL, tags = '[]',"
                " metadata = '{}', provenance = '{}', salience = NULL, durable = NULL,"
                " changed = %s WHERE scope = %s AND key = %s",
                (self._stamp(scope), scope, key),
            )
            self._detach(scope, key)
            self._unqueue(scope, key)
            self._unindex(key, scope)
            self._unembed(key, scope)
            execute(
                self._connection,
                "DELETE FROM access WHERE scope = %s AND memory = %s",
                (scope, key),
            )
            execute(
                self._connection,
                "UPDATE event SET detail = '{}' WHERE scope = %s AND memory = %s",
                (scope, memory_id),
            )

    def retell(self, memory_id: str, retold: Callable[[Any], Any]) -> None:
        """Replace the details of a memory's logged events by what ``retold`` makes of each."""
        _, scope = self._key(memory_id)
        rows = run(
            self._connection,
            "SELECT key, detail FROM event WHERE scope = %s AND memory = %s",
            (scope, memory_id),
        )
        for key, detail in rows:
            execute(
                self._connection,
                "UPDATE event SET detail = %s WHERE scope = %s AND key = %s",
                (_json(retold(json.loads(detail))), scope, key),
            )

    def scrub(self) -> None:
        """Nothing to do: the server's vacuum overwrites what was replaced."""

    def log(
        self, kind: EventKind, scope: str, memory: str | None, detail: Mapping[str, Any]
    ) -> None:
        """Append an event."""
        execute(
            self._connection,
            "INSERT INTO event (at, kind, scope, memory, detail) VALUES (%s, %s, %s, %s, %s)",
            (micros(datetime.now(UTC)), kind, self._scope(scope), memory, _json(detail)),
        )

    def _update(self, key: int, scope: int, node: Node) -> None:
        values = (self._stamp(scope), *fields_of(node), scope, key)
        execute(self._connection, _UPDATE, values)


def count_recall(
    connection: Link, scope: str, keys: Sequence[int], detail: Mapping[str, Any]
) -> None:
    """Count a recall of these memories and log the search, in a transaction of the caller's."""
    found, now = scope_id(connection, scope), micros(datetime.now(UTC))
    if found is None:
        return
    execute(
        connection,
        "INSERT INTO access AS a (scope, memory, count, last)"
        " SELECT m.scope, m.key, 1, %s FROM memory m WHERE m.scope = %s"
        " AND m.key = ANY(%s::bigint[]) AND m.status <> 'deleted' ORDER BY m.key FOR SHARE"
        " ON CONFLICT (scope, memory) DO UPDATE SET count = a.count + 1, last = excluded.last",
        (now, found, list(keys)),
    )
    key = value(
        connection,
        "INSERT INTO event (at, kind, scope, detail) VALUES (%s, 'search', %s, %s) RETURNING key",
        (now, found, json.dumps(detail)),
    )
    if key % 1000 == 0:
        execute(
            connection,
            "DELETE FROM event WHERE scope = %s AND kind = 'search' AND key <="
            " (SELECT key FROM event WHERE scope = %s AND kind = 'search'"
            "  ORDER BY key DESC OFFSET %s LIMIT 1)",
            (found, found, KEPT_SEARCHES),
        )


def _json(detail: object) -> str:
    return json.dumps(detail, ensure_ascii=False)
