"""How SQLite finds the rows that reads ask for by their ids or keys."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from hypermnesia.store.protocol import Filter
from hypermnesia.store.sqlite import incidence_reads, talk
from hypermnesia.store.sqlite.rows import NODE_TABLES, condition
from hypermnesia.store.sqlite.store import SqliteStore

IDS = (1, "[]")
KEYS = (1, 2, 1, "active")
KEYED, _ = condition(Filter("any"), 1, keyed=True)
LABELLED, HELD = condition(Filter("any", tags=("rare",)), 1, labelled=True)
CHOSEN, _ = condition(Filter("any", keys=()), 1)
QUERIES = {
    "members": (incidence_reads.MEMBERS, IDS),
    "heads": (incidence_reads.HEADS, IDS),
    "sources": (incidence_reads.SOURCES, IDS),
    "drawn": (incidence_reads.DRAWN, IDS),
    "places": (incidence_reads.PLACES, IDS),
    "days": (incidence_reads.DAYS, IDS),
    "around": (f"{talk.UTTERANCES} WHERE {talk.THESE}", ("any", "[]", 1)),
    "nodes": (f"SELECT m.content FROM {NODE_TABLES} WHERE m.key IN (?, ?) AND {KEYED}", KEYS),
    "labelled": (f"SELECT m.key FROM memory m WHERE {LABELLED}", HELD),
    "chosen": (f"SELECT m.content FROM memory m WHERE {CHOSEN}", ("default", "active", "[]")),
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
    walks = [s for s in steps if "(scope=" in s or s.startswith("SCAN memory")]
    assert not [step for step in walks if not step.startswith("SEARCH l ")]  # labels have its scope
