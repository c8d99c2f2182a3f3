"""Rebuilding what is derived from the rows: lexical index, labels, vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import apsw

from hypermnesia.store.columns import NODE_COLUMNS, node_of
from hypermnesia.store.sqlite.connection import Connections
from hypermnesia.store.sqlite.incidence import STRAY_LINKS
from hypermnesia.store.sqlite.maintenance import adopt_encoder
from hypermnesia.store.sqlite.reading import marks, sound_rows
from hypermnesia.store.sqlite.rows import NODE_TABLES, fetch_all
from hypermnesia.store.sqlite.writer import SqliteWriter
from hypermnesia.store.vectors import sound
from hypermnesia.types import Matrix, Node

BATCH = 64
"""Memories re-embedded per transaction: small enough to let others write."""

_SELECT = f"SELECT {NODE_COLUMNS} FROM {NODE_TABLES}"

_UNEMBEDDED = (
    "FROM memory m LEFT JOIN vectors v ON v.memory = m.key AND v.encoder = ?"
    " WHERE m.status <> 'deleted' AND v.memory IS NULL AND m.key > ?"
)


def reindex(
    connections: Connections,
    identity: str,
    dimension: int,
    embed: Callable[[Sequence[str]], list[tuple[Matrix, bytes]]],
    progress: Callable[[int, int], None],
) -> int:
    """Rebuild lexical index and labels, then embed whatever lacks this encoder's vectors.

    A damaged row is left as it is: there is nothing to rebuild it from.
    """
    with connections.transaction() as connection:
        encoder = adopt_encoder(connection, identity, dimension)
        _clear_derived(connection)
        _rebuild_labels(connection, encoder)
        total: int = connection.execute(f"SELECT count(*) {_UNEMBEDDED}", (encoder, 0)).get
    done = last = 0
    progress(0, total)
    while keys := _unembedded(connections, encoder, last):
        done += _embed(connections, encoder, keys, embed)
        last = keys[-1]
        progress(done, max(total, done))
    return done


def _unembedded(connections: Connections, encoder: int, last: int) -> list[int]:
    with connections.snapshot() as connection:
        query = f"SELECT m.key {_UNEMBEDDED} ORDER BY m.key LIMIT {BATCH}"
        return [row[0] for row in fetch_all(connection, query, (encoder, last))]


def _embed(
    connections: Connections,
    encoder: int,
    keys: Sequence[int],
    embed: Callable[[Sequence[str]], list[tuple[Matrix, bytes]]],
) -> int:
    with connections.snapshot() as connection:
        nodes = _nodes(connection, keys)
    vectors = embed([node.content for node in nodes.values()])
    done = 0
    with connections.transaction() as connection:
        writer = SqliteWriter(connection, encoder)
        current = _nodes(connection, keys)
        for (key, node), (dense, tokens) in zip(nodes.items(), vectors, strict=True):
            # Changed meanwhile: whoever changed it embedded it. Erased meanwhile: so be it.
            if key in current and current[key].content == node.content:
                writer.embed(key, dense, tokens)
                done += 1
    return done


def _nodes(connection: apsw.Connection, keys: Sequence[int]) -> dict[int, Node]:
    """The sound ones among these memories."""
    clause = f"m.key IN ({marks(keys)}) AND m.status <> 'deleted'"
    return {row[0]: node_of(row) for row in sound_rows(connection, _SELECT, clause, keys)}


def _clear_derived(connection: apsw.Connection) -> None:
    connection.execute("INSERT INTO lexical (lexical) VALUES ('delete-all')")
    connection.execute("DELETE FROM label")
    for table in ("vectors", "access"):
        connection.execute(
            f"DELETE FROM {table} WHERE memory NOT IN"
            " (SELECT key FROM memory WHERE status <> 'deleted')"
        )
    for table, stray in STRAY_LINKS.items():
        connection.execute(f"DELETE FROM {table} WHERE {stray}")
    connection.execute("DELETE FROM member WHERE weight NOT BETWEEN 0 AND 1")
    stored = connection.execute(
        "SELECT v.memory, v.dense, v.tokens, e.dimension FROM vectors v"
        " JOIN encoder e ON e.id = v.encoder"
    )
    damaged = [(memory,) for memory, *blobs in stored if not sound(*blobs)]
    connection.executemany("DELETE FROM vectors WHERE memory = ?", damaged)


def _rebuild_labels(connection: apsw.Connection, encoder: int) -> None:
    """Index every sound memory's text, tags and metadata."""
    writer = SqliteWriter(connection, encoder)
    rows = fetch_all(
        connection, "SELECT key, scope FROM memory WHERE status <> 'deleted' ORDER BY key"
    )
    for start in range(0, len(rows), BATCH):
        scopes: dict[int, int] = dict(rows[start : start + BATCH])
        for key, node in _nodes(connection, list(scopes)).items():
            writer.restore_labels(key, scopes[key], node)
    connection.execute("INSERT INTO lexical (lexical) VALUES ('optimize')")
