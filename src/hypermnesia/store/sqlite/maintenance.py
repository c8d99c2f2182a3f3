"""Adopting an encoder, checking a store, copying it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import apsw

from hypermnesia.errors import StoreCorrupt, StoreError
from hypermnesia.store.columns import NODE_COLUMNS, labels_of, node_of
from hypermnesia.store.sqlite.connection import Connections, translated
from hypermnesia.store.sqlite.incidence import STRAY_LINKS
from hypermnesia.store.sqlite.place import create_private
from hypermnesia.store.sqlite.rows import NODE_TABLES, fetch_all
from hypermnesia.store.text import identity_hash
from hypermnesia.store.vectors import sound
from hypermnesia.types import Health, Problem

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
    "place": (
        "SELECT m.id FROM memory m LEFT JOIN turn t ON t.memory = m.key"
        " WHERE t.memory IS NULL AND m.level = 'turn' AND m.status <> 'deleted'",
        "is a turn without a place in a conversation; forget it and ingest it again",
    ),
    "weight": (
        "SELECT h.id FROM member e JOIN memory h ON h.key = e.head"
        " WHERE e.weight NOT BETWEEN 0 AND 1",
        "heads a member whose weight is not in [0, 1], which counts for nothing;"
        " run `hypermnesia reindex`",
    ),
    # That a successor is missing is no fault: an export leaves out what was forgotten.
    "chain": (
        "SELECT m.id FROM memory m JOIN memory n ON n.id = m.superseded_by"
        " WHERE n.id = m.id OR n.scope <> m.scope",
        "is superseded by itself or across scopes; `hypermnesia restore` it",
    ),
}
_ORPHANS = {
    "lexical": "SELECT count(*) FROM lexical_docsize WHERE id NOT IN (SELECT key FROM memory)",
    "vectors": "SELECT count(*) FROM vectors WHERE memory NOT IN (SELECT key FROM memory)",
    "label": "SELECT count(*) FROM label WHERE memory NOT IN (SELECT key FROM memory)",
    "access": "SELECT count(*) FROM access WHERE memory NOT IN (SELECT key FROM memory)",
} | {
    table: f"SELECT count(*) FROM {table} WHERE {condition}"
    for table, condition in STRAY_LINKS.items()
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
    try:
        problems, counts = _examined(connections, identity)
    except StoreCorrupt as error:
        problems, counts = [Problem("file", str(error))], {}
    problems += _write_problems(connections)
    return Health(not problems, tuple(problems), counts)


def _examined(connections: Connections, identity: str) -> tuple[list[Problem], dict[str, int]]:
    """What reading alone tells: problems, and rows per structure."""
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
    return problems, counts


def _file_problems(connection: apsw.Connection) -> Iterator[Problem]:
    # The check trusts what this connection remembers of the lexical index, which may be older
    # than the snapshot and then looks corrupt; any query makes it look again.
    connection.execute("SELECT rowid FROM lexical LIMIT 1").fetchall()
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
        sound = identity_hash(node) == row[-1]
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
        "SELECT v.dense, v.tokens, e.dimension FROM vectors v JOIN encoder e ON e.id = v.encoder"
        " WHERE v.memory = ?",
        (key,),
    ).fetchone()
    if row is not None and not sound(*row):  # a missing row is already reported as lost
        yield Problem(
            "vectors", f"the vectors of memory {memory_id} are damaged; run `hypermnesia reindex`",
            memory_id,
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


def backup(connections: Connections, path: Path, progress: Callable[[int, int], None]) -> None:
    """Copy the store to a new file; see :meth:`~..protocol.Store.backup`.

    Raises:
        StoreError: the target exists or cannot be written.
    """
    if path.exists():
        raise StoreError(f"{path} exists already; name a new file for the backup")
    create_private(path)
    with translated(path):
        target = apsw.Connection(str(path))
        try:
            # The snapshot keeps writers from making the copy start over.
            with (
                connections.snapshot() as source,
                target.backup("main", source, "main") as copy,
            ):
                source.execute("SELECT count(*) FROM setting").fetchall()  # it begins here
                while not copy.done:
                    copy.step(1000)
                    progress(copy.page_count - copy.remaining, copy.page_count)
        except BaseException:
            target.close()
            path.unlink(missing_ok=True)  # half a copy is no backup
            raise
        target.close()
