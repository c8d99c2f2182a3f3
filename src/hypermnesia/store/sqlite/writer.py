"""The verbs of one SQLite write transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import apsw
import numpy as np

from hypermnesia.errors import NotFound
from hypermnesia.store.columns import (
    FIELDS,
    NODE_COLUMNS,
    fields_of,
    labels_as_stored,
    labels_of,
    micros,
    node_of,
)
from hypermnesia.store.lexicon import index_terms
from hypermnesia.store.protocol import EventKind, Record
from hypermnesia.store.sqlite.incidence import End, IncidenceWrites
from hypermnesia.store.sqlite.outbox import OutboxWrites
from hypermnesia.store.sqlite.rows import NODE_TABLES
from hypermnesia.store.sqlite.transaction import scope_id
from hypermnesia.types import Matrix, Node

_INSERT = f"""INSERT INTO memory (scope, hash, changed, {", ".join(FIELDS)})
    VALUES (?, ?, ?, {", ".join("?" * len(FIELDS))})"""
_UPDATE = f"""UPDATE memory SET changed = ?, {", ".join(f"{name} = ?" for name in FIELDS)}
    WHERE key = ?"""

KEPT_SEARCHES = 10_000
"""Search events kept in the log; older ones are pruned."""


class SqliteWriter(IncidenceWrites, OutboxWrites):
    """Changes rows and everything derived from them; see :class:`~..protocol.Writer`.

    Args:
        connection: inside a write transaction.
        encoder: id of the encoder whose vectors are written.
    """

    def __init__(self, connection: apsw.Connection, encoder: int) -> None:
        super().__init__(connection)
        self._encoder = encoder
        self.erased = False

    def changed(self, scope: str) -> int:
        """Change number of the scope's latest modification, 0 when it has none."""
        return latest_change(self._connection, scope)

    def live(self, scope: str, digest: bytes) -> Node | None:
        """The active or low-signal memory with this content hash."""
        row = self._connection.execute(
            f"SELECT {NODE_COLUMNS} FROM {NODE_TABLES} WHERE s.name = ? AND m.hash = ?"
            " AND m.status IN ('active', 'low_signal')",
            (scope, digest),
        ).fetchone()
        return None if row is None else node_of(row)

    def told(self, scope: str, digest: bytes, at: datetime) -> Node | None:
        """The superseded memory with this content hash and event time."""
        row = self._connection.execute(
            f"SELECT {NODE_COLUMNS} FROM {NODE_TABLES} WHERE s.name = ? AND m.hash = ?"
            " AND m.status = 'superseded' AND m.valid_from = ?",
            (scope, digest, micros(at)),
        ).fetchone()
        return None if row is None else node_of(row)

    def knows(self, memory_id: str) -> bool:
        """Whether a memory has, or had before it was forgotten, this id."""
        return (
            self._connection.execute(
                "SELECT EXISTS (SELECT 1 FROM memory WHERE id = ?)", (memory_id,)
            ).get
            == 1
        )

    def get(self, memory_id: str) -> Node:
        """The memory as it stands inside this transaction."""
        row = self._connection.execute(
            f"SELECT {NODE_COLUMNS} FROM {NODE_TABLES} WHERE m.id = ?", (memory_id,)
        ).fetchone()
        if row is None:
            raise NotFound(f"no memory has the id {memory_id!r}")
        return node_of(row)

    def insert(self, record: Record) -> None:
        """Store a new memory with its lexical index, labels and vectors."""
        node = record.node
        scope = self._scope(node.scope)
        self._connection.execute(_INSERT, (scope, record.hash, self._stamp(), *fields_of(node)))
        key = self._connection.last_insert_rowid()
        if node.status != "deleted":
            self._begun(node.id, End(key, scope, node.level))
        self._index(key, scope, node)
        self._embed(key, record.dense, record.tokens)
        if node.access_count:
            self._connection.execute(
                "INSERT INTO access (memory, count, last) VALUES (?, ?, ?)",
                (key, node.access_count, micros(node.accessed_at or node.updated_at)),
            )

    def rewrite(self, record: Record) -> None:
        """Replace an existing memory's text and everything derived from it."""
        key, scope = self._key(record.node.id)
        self._update(key, record.node)
        self._connection.execute("UPDATE memory SET hash = ? WHERE key = ?", (record.hash, key))
        self._unindex(key)
        self._index(key, scope, record.node)
        self._embed(key, record.dense, record.tokens)

    def amend(self, node: Node) -> None:
        """Replace an existing memory's fields; its text and vectors stay."""
        key, scope = self._key(node.id)
        labels = self._connection.execute(
            "SELECT memory_type, tags, metadata FROM memory WHERE key = ?", (key,)
        ).fetchone()
        self._update(key, node)
        if labels != labels_as_stored(node):  # what is indexed beside the text
            self._unindex(key)
            self._index(key, scope, node)

    def erase(self, ids: Sequence[str]) -> None:
        """Leave a tombstone (id, scope, times) and remove everything else."""
        for memory_id in ids:
            key, _ = self._key(memory_id)
            self._detach(key)
            self._unqueue(key)
            for table in ("label", "access", "vectors"):
                self._connection.execute(f"DELETE FROM {table} WHERE memory = ?", (key,))
            self._connection.execute("DELETE FROM lexical WHERE rowid = ?", (key,))
            self._connection.execute(
                "UPDATE event SET detail = '{}' WHERE memory = ?", (memory_id,)
            )
            self._connection.execute(
                "UPDATE memory SET status = 'deleted', content = '', hash = NULL, tags = '[]',"
                " metadata = '{}', provenance = '{}', salience = NULL, durable = NULL,"
                " changed = ? WHERE key = ?",
                (self._stamp(), key),
            )
        if ids:
            self.scrub()

    def retell(self, memory_id: str, retold: Callable[[Any], Any]) -> None:
        """Replace the details of a memory's logged events by what ``retold`` makes of each."""
        rows = self._connection.execute(
            "SELECT key, detail FROM event WHERE memory = ?", (memory_id,)
        ).fetchall()
        self._connection.executemany(
            "UPDATE event SET detail = ? WHERE key = ?",
            [(json.dumps(retold(json.loads(str(d))), ensure_ascii=False), key) for key, d in rows],
        )

    def scrub(self) -> None:
        """See to it that nothing replaced in this transaction is left in the file."""
        # A contentless index only marks deleted rows: merging it is what removes their terms.
        self._connection.execute("INSERT INTO lexical (lexical) VALUES ('optimize')")
        self.erased = True

    def log(
        self, kind: EventKind, scope: str, memory: str | None, detail: Mapping[str, Any]
    ) -> None:
        """Append an event."""
        self._connection.execute(
            "INSERT INTO event (at, kind, scope, memory, detail) VALUES (?, ?, ?, ?, ?)",
            (
                micros(datetime.now(UTC)),
                kind,
                self._scope(scope),
                memory,
                json.dumps(detail, ensure_ascii=False),
            ),
        )

    def restore_labels(self, key: int, scope: int, node: Node) -> None:
        """Rebuild the indexed form of a memory's text, tags and metadata."""
        self._unindex(key)
        self._index(key, scope, node)

    def embed(self, key: int, dense: Matrix, tokens: bytes) -> None:
        """Replace a memory's vectors and let every cache notice."""
        self._embed(key, dense, tokens)
        self._connection.execute(
            "UPDATE memory SET changed = ? WHERE key = ?", (self._stamp(), key)
        )

    def _update(self, key: int, node: Node) -> None:
        self._connection.execute(_UPDATE, (self._stamp(), *fields_of(node), key))

    def _unindex(self, key: int) -> None:
        self._connection.execute("DELETE FROM lexical WHERE rowid = ?", (key,))
        self._connection.execute("DELETE FROM label WHERE memory = ?", (key,))

    def _index(self, key: int, scope: int, node: Node) -> None:
        self._connection.execute(
            "INSERT INTO lexical (rowid, scope, terms, labels) VALUES (?, ?, ?, ?)",
            (
                key,
                scope_term(scope),
                index_terms(node.content),
                _label_terms(" ".join((node.memory_type, *node.tags))),
            ),
        )
        if labels := list(labels_of(node)):
            self._connection.executemany(
                "INSERT OR IGNORE INTO label (scope, field, value, memory) VALUES (?, ?, ?, ?)",
                [(scope, field, value, key) for field, value in labels],
            )

    def _embed(self, key: int, dense: Matrix, tokens: bytes) -> None:
        self._connection.execute(
            "INSERT INTO vectors (memory, encoder, dense, tokens) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (memory) DO UPDATE SET encoder = excluded.encoder,"
            " dense = excluded.dense, tokens = excluded.tokens",
            (key, self._encoder, dense.astype(np.float16).tobytes(), tokens),
        )


@lru_cache(maxsize=256)
def _label_terms(labels: str) -> str:
    """Most memories have no label but their type."""
    return index_terms(labels)


def scope_term(scope: int) -> str:
    """The term that marks a scope's rows in the lexical index."""
    return f"s{scope}"


def latest_change(connection: apsw.Connection, scope: str) -> int:
    """Change number of the scope's latest modification, 0 when it has none."""
    return connection.execute(
        "SELECT coalesce(max(m.changed), 0) FROM memory m JOIN scope s ON s.id = m.scope"
        " WHERE s.name = ?",
        (scope,),
    ).get


def count_recall(
    connection: apsw.Connection, scope: str, keys: Sequence[int], detail: Mapping[str, Any]
) -> None:
    """Count a recall of these memories and log the search, in a transaction of the caller's."""
    found, now = scope_id(connection, scope), micros(datetime.now(UTC))
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
