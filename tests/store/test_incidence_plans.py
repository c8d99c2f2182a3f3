"""How SQLite finds the rows that the hypergraph's reads ask for."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from hypermnesia.store.sqlite import incidence_reads, talk
from hypermnesia.store.sqlite.store import SqliteStore

IDS = (1, "[]")
QUERIES = {
    "members": (incidence_reads.MEMBERS, IDS),
    "heads": (incidence_reads.HEADS, IDS),
    "sources": (incidence_reads.SOURCES, IDS),
    "drawn": (incidence_reads.DRAWN, IDS),
    "places": (incidence_reads.PLACES, IDS),
    "days": (incidence_reads.DAYS, IDS),
    "around": (f"{talk.UTTERANCES} WHERE {talk.THESE}", ("any", "[]", 1)),
}


@pytest.mark.parametrize("name", QUERIES)
def test_a_read_of_a_few_memories_does_not_walk_through_their_scope(
    tmp_path: Path, name: str
) -> None:
    """Its time must not grow with the scope, which has an index by time and one by change."""
    path = tmp_path / "store.db"
    store = SqliteStore(path, "any", 4)
    store.close()
    connection = apsw.Connection(str(path))
    query, values = QUERIES[name]
    steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}", values)]
    connection.close()
    assert steps
    assert not [step for step in steps if "(scope=" in step or step.startswith("SCAN memory")]
