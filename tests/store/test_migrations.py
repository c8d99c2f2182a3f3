"""Older files are brought to the current schema with everything that they hold."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hypermnesia.store.protocol import Filter
from hypermnesia.store.sqlite import connection
from hypermnesia.store.sqlite.store import SqliteStore
from hypermnesia.types import STATUSES
from tests.store.bench import EMBEDDER, NOON, Bench, node
from tests.store.incidence_contract import told


def opened(path: Path) -> Bench:
    """A bench on a file."""
    store = SqliteStore(path, EMBEDDER.identity, EMBEDDER.dimension)
    return Bench(store, lambda _embedder: store)


def version(bench: Bench) -> int:
    """The file's schema."""
    assert isinstance(bench.store, SqliteStore)
    return bench.store._connections.reader().execute("PRAGMA user_version").get


def test_a_file_from_before_the_hypergraph_keeps_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memories, chains, counters, tombstones and the log; and a talk can be added to them."""
    migrations = connection._migrations()
    monkeypatch.setattr(connection, "_migrations", lambda: migrations[:1])
    old = opened(tmp_path / "memory.db")
    head, gone = node("alpha head", tags=("t",), metadata={"k": 1.5}), node("alpha gone")
    past = node("alpha past", status="superseded", superseded_by=head.id, valid_until=NOON)
    old.put(head, past, gone)
    with old.store.write() as writer:
        writer.log("add", "a", head.id, {"reason": "why"})
    with connection_of(old).transaction() as file:  # as that version forgot
        file.execute("DELETE FROM label WHERE memory = 3")
        file.execute("DELETE FROM vectors WHERE memory = 3")
        file.execute("DELETE FROM lexical WHERE rowid = 3")
        file.execute(
            "UPDATE memory SET status = 'deleted', content = '', hash = NULL WHERE key = 3"
        )
    old.store.touch("a", [1], {})
    before = list(old.store.iterate(Filter("a", statuses=STATUSES)))
    assert version(old) == 1
    old.store.close()

    monkeypatch.undo()
    new = opened(tmp_path / "memory.db")
    assert version(new) == migrations[-1][0]
    assert list(new.store.iterate(Filter("a", statuses=STATUSES))) == before
    assert replace(before[0], access_count=0, accessed_at=None) == head
    assert [dict(event.detail) for event in new.store.events(head.id)] == [{"reason": "why"}]
    assert new.dense(Filter("a"), "alpha") == new.words(Filter("a"), "alpha") == ["alpha head"]
    assert new.store.check().problems == ()
    told(new)
    assert new.store.check().problems == ()
    new.store.close()


def connection_of(bench: Bench) -> connection.Connections:
    """The connections of a bench's store."""
    assert isinstance(bench.store, SqliteStore)
    return bench.store._connections
