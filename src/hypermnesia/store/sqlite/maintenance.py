"""Adopting an encoder, checking a store, rebuilding what is derived from its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

import apsw
import numpy as np

from hypermnesia.errors import StoreError
from hypermnesia.store.sqlite.connection import Connections
from hypermnesia.store.sqlite.rows import (
    NODE_COLUMNS,
    NODE_TABLES,
    fetch_all,
    labels_of,
    node_of,
)
from hypermnesia.store.sqlite.writer import SqliteWriter
from hypermnesia.store.text import content_hash
from hypermnesia.types import Health, Matrix, Problem

BATCH = 64
"""Memories re-embedded or re-indexed per transaction: small enough to let others write."""

_LOST_ROWS = {
    "lexical": (
        "SELECT m.id FROM memory m LEFT JOIN lexical_docsize d ON d.id = m.key"
        " WHERE d.id IS NULL AND m.status <> 'deleted'",
        "is missing from the lexical index; run `hypermnesia reindex`",
    ),
    "vectors": (
        "SELECT m.id FROM memory m LEFT JOIN vectors v ON v.memory = m.key"
        " WHERE v.memory IS NULL AND m.status <> 'deleted'",
        "has no vectors; run `hypermnesia reindex`",
    ),
    "stale vectors": (
        "SELECT m.id FROM memory m JOIN vectors v ON v.memory = m.key WHERE v.encoder <>"
        " (SELECT e.id FROM encoder e JOIN setting s ON s.value = e.identity"
        "  WHERE s.name = 'encoder')",
        "was embedded by another encoder; run `hypermnesia reindex`",
    ),
    "erased vectors": (
        "SELECT m.id FROM memory m JOIN vectors v ON v.memory = m.key WHERE m.status = 'deleted'",
        "was forgotten but its vectors remain; run `hypermnesia reindex`",
    ),
    "erased lexical": (
        "SELECT m.id FROM memory m JOIN lexical_docsize d ON d.id = m.key"
        " WHERE m.status = 'deleted'",
        "was forgotten but its terms remain; run `hypermnesia reindex`",
    ),
    "chain": (
        "SELECT m.id FROM memory m LEFT JOIN memory n ON n.id = m.superseded_by"
        " WHERE m.superseded_by IS NOT NULL AND n.id IS NULL",
        "is superseded by a memory that does not exist; `hypermnesia restore` it",
    ),
}
_ORPHANS = {
    "lexical": "SELECT count(*) FROM lexical_docsize WHERE id NOT IN (SELECT key FROM memory)",
    "vectors": "SELECT count(*) FROM vectors WHERE memory NOT IN (SELECT key FROM memory)",
    "label": "SELECT count(*) FROM label WHERE memory NOT IN (SELECT key FROM memory)",
    "access": "SELECT count(*) FROM access WHERE memory NOT IN (SELECT key FROM memory)",
}


def adopt_encoder(connection: apsw.Connection, identity: str, dimension: int) -> int:
    """Record the encoder as the store's own and return its id."""
    connection.execute(
        "INSERT INTO setting (name, value) VALUES ('encoder', ?)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE value <> excluded.value",
        (identity,),
    )
    connection.execute(
        "INSERT OR IGNORE INTO encoder (identity, dimension) VALUES (?, ?)", (identity, dimension)
    )
    return connection.execute("SELECT id FROM encoder WHERE identity = ?", (identity,)).get


def check(connections: Connections, identity: str) -> Health:
    """Compare rows, lexical index, labels and vectors, and prove that a write works."""
    with connections.snapshot() as connection:
        problems = [
            *_file_problems(connection),
            *_lost_and_orphaned(connection),
            *_row_problems(connection),
            *_encoder_problems(connection, identity),
        ]
        counts = {
            "memories": connection.execute(
                "SELECT count(*) FROM memory WHERE status <> 'deleted'"
            ).get,
            "erased": connection.execute(
                "SELECT count(*) FROM memory WHERE status = 'deleted'"
            ).get,
            "vectors": connection.execute("SELECT count(*) FROM vectors").get,
            "lexical": connection.execute("SELECT count(*) FROM lexical_docsize").get,
        }
    problems += _write_problems(connections)
    return Health(not problems, tuple(problems), counts)


def _file_problems(connection: apsw.Connection) -> Iterator[Problem]:
    for (line,) in connection.execute("PRAGMA quick_check(20)"):
        if line != "ok":
            yield Problem("file", f"{line}; restore a backup, or export what can be read")


def _lost_and_orphaned(connection: apsw.Connection) -> Iterator[Problem]:
    for kind, (query, detail) in _LOST_ROWS.items():
        for (memory_id,) in connection.execute(query + " LIMIT 100"):
            yield Problem(kind, f"memory {memory_id} {detail}", memory_id)
    for table, query in _ORPHANS.items():
        if number := connection.execute(query).get:
            yield Problem(
                "orphans",
                f"{number} rows of {table} belong to no memory; run `hypermnesia reindex`",
            )


def _row_problems(connection: apsw.Connection) -> Iterator[Problem]:
    last = 0
    while keys := fetch_all(
        connection,
        "SELECT key FROM memory WHERE key > ? AND status <> 'deleted' ORDER BY key LIMIT 1000",
        (last,),
    ):
        for (key,) in keys:
            yield from _one_row_problems(connection, key)
        last = keys[-1][0]


def _one_row_problems(connection: apsw.Connection, key: int) -> Iterator[Problem]:
    try:
        row = connection.execute(
            f"SELECT {NODE_COLUMNS}, m.hash FROM {NODE_TABLES} WHERE m.key = ?", (key,)
        ).fetchone()
        assert row is not None  # noqa: S101 - same snapshot
        node = node_of(row)
        sound = content_hash(node.scope, node.content) == row[-1]
        labels = set(labels_of(node))
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        yield Problem("row", f"memory row {key} cannot be read ({error}); restore it from a backup")
        return
    if not sound:
        yield Problem(
            "row", f"the text of memory {node.id} does not match its hash; restore a backup",
            node.id,
        )  # fmt: skip
    indexed = set(
        connection.execute("SELECT field, value FROM label WHERE memory = ?", (key,)).fetchall()
    )
    if indexed != labels:
        yield Problem(
            "label", f"tags or metadata of memory {node.id} are not indexed as they are;"
            " run `hypermnesia reindex`", node.id,
        )  # fmt: skip
    yield from _vector_problems(connection, key, node.id)


def _vector_problems(connection: apsw.Connection, key: int, memory_id: str) -> Iterator[Problem]:
    row = connection.execute(
        "SELECT v.dense, e.dimension FROM vectors v JOIN encoder e ON e.id = v.encoder"
        " WHERE v.memory = ?",
        (key,),
    ).fetchone()
    if row is None:
        return  # already reported as lost
    dense, stored_dimension = row
    if not dense or len(dense) % (2 * stored_dimension):
        yield Problem(
            "vectors", f"the vectors of memory {memory_id} are damaged; run `hypermnesia reindex`",
            memory_id,
        )  # fmt: skip
    elif not np.isfinite(np.frombuffer(dense, np.float16)).all():
        yield Problem(
            "vectors", f"the vectors of memory {memory_id} are not numbers;"
            " run `hypermnesia reindex`", memory_id,
        )  # fmt: skip


def _encoder_problems(connection: apsw.Connection, identity: str) -> Iterator[Problem]:
    known = connection.execute("SELECT value FROM setting WHERE name = 'encoder'").get
    if known is not None and known != identity:
        yield Problem(
            "encoder", f"the store was embedded by {known}, the configured encoder is {identity};"
            " run `hypermnesia reindex` or configure the former encoder"
        )  # fmt: skip


def _write_problems(connections: Connections) -> list[Problem]:
    try:
        with connections.transaction() as connection:
            connection.execute("INSERT INTO lexical (lexical, rank) VALUES ('integrity-check', 0)")
            connection.execute(
                "INSERT INTO setting (name, value) VALUES ('checked', ?)"
                " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (datetime.now(UTC).isoformat(),),
            )
    except StoreError as error:
        return [Problem("write", f"a write failed: {error}")]
    return []


def reindex(
    connections: Connections,
    identity: str,
    dimension: int,
    embed: Callable[[Sequence[str]], list[tuple[Matrix, bytes]]],
    progress: Callable[[int, int], None],
) -> int:
    """Rebuild lexical index and labels, then embed whatever lacks this encoder's vectors."""
    with connections.transaction() as connection:
        encoder = adopt_encoder(connection, identity, dimension)
        _clear_derived(connection)
        _rebuild_lexical(connection, encoder)
        total = connection.execute(
            f"SELECT count(*) FROM memory m {_UNEMBEDDED}", (encoder, dimension * 2)
        ).get
    done = 0
    progress(0, total)
    while batch := _unembedded(connections, encoder, dimension):
        vectors = embed([content for _, content in batch])
        with connections.transaction() as connection:
            writer = SqliteWriter(connection, encoder)
            for (key, content), (dense, tokens) in zip(batch, vectors, strict=True):
                if _content_of(connection, key) == content:  # else: changed or erased meanwhile
                    writer.embed(key, dense, tokens)
        done += len(batch)
        progress(done, max(total, done))
    return done


_UNEMBEDDED = (
    "LEFT JOIN vectors v ON v.memory = m.key WHERE m.status <> 'deleted' AND"
    " (v.memory IS NULL OR v.encoder <> ? OR length(v.dense) = 0 OR length(v.dense) % ? <> 0)"
)


def _unembedded(connections: Connections, encoder: int, dimension: int) -> list[tuple[int, str]]:
    with connections.snapshot() as connection:
        rows = connection.execute(
            f"SELECT m.key, m.content FROM memory m {_UNEMBEDDED} ORDER BY m.key LIMIT {BATCH}",
            (encoder, dimension * 2),
        )
        return [(key, content) for key, content in rows]


def _content_of(connection: apsw.Connection, key: int) -> str | None:
    return connection.execute("SELECT content FROM memory WHERE key = ?", (key,)).get


def _clear_derived(connection: apsw.Connection) -> None:
    connection.execute("INSERT INTO lexical (lexical) VALUES ('delete-all')")
    connection.execute("DELETE FROM label")
    for table in ("vectors", "access"):
        connection.execute(
            f"DELETE FROM {table} WHERE memory NOT IN"
            " (SELECT key FROM memory WHERE status <> 'deleted')"
        )


def _rebuild_lexical(connection: apsw.Connection, encoder: int) -> None:
    writer = SqliteWriter(connection, encoder)
    keys = fetch_all(
        connection, "SELECT key, scope FROM memory WHERE status <> 'deleted' ORDER BY key"
    )
    for key, scope in keys:
        row = connection.execute(
            f"SELECT {NODE_COLUMNS} FROM {NODE_TABLES} WHERE m.key = ?", (key,)
        ).fetchone()
        writer.restore_labels(key, scope, node_of(row or ()))
    connection.execute("INSERT INTO lexical (lexical) VALUES ('optimize')")
