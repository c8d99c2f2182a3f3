"""How many pages the writer of a SQLite store keeps."""

from __future__ import annotations

from pathlib import Path

import apsw

from hypermnesia.store.sqlite.connection import CACHE_KB, Connections


def test_a_transaction_of_an_ingest_does_not_spill(tmp_path: Path) -> None:
    """What spills is written to the log, and often read again, before the commit."""
    connections = Connections(tmp_path / "a.db", 5.0)
    rows = CACHE_KB // 8  # more than a page of 4 KB each
    with connections.transaction() as writer:
        writer.executemany(
            "INSERT INTO setting (name, value) VALUES (?, ?)",
            [(f"{i:09}", "x" * 1024) for i in range(rows)],
        )
        spilled, _ = writer.status(apsw.SQLITE_DBSTATUS_CACHE_SPILL)
    connections.close()
    assert 4 * rows > 2 * 2000  # twice what SQLite keeps without being told
    assert spilled == 0
