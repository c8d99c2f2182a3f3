"""How SQLite finds the rows that reads ask for by their ids or keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import apsw
import apsw.ext
import pytest

from hypermnesia.judge.local import LocalJudge
from hypermnesia.models.encoder import OnnxEncoder
from hypermnesia.store.protocol import Filter
from hypermnesia.store.sqlite import incidence_reads, talk
from hypermnesia.store.sqlite.rows import NODE_TABLES, condition
from hypermnesia.store.sqlite.store import SqliteStore
from tests.conftest import OpenMemory

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


WALK = re.compile(r"memory_by_\w+ \(scope=\?\)|SCAN (?:memory|[fhmn])$")
"""A step that goes through all that a scope holds, or through memories by the names they have."""
OF_THE_WHOLE = re.compile(r"max\(|count\(|LIMIT")
"""Statements that tell of a scope as a whole, or give its first rows in the order of an index."""
TALK = [
    {"speaker": "Ann" if i % 2 else "Bo", "content": text, "timestamp": f"2024-{i + 1:02}-03"}
    for i, text in enumerate(
        (
            "My sister Ida bakes rye bread in Bergen.",
            "The kiln of the pottery broke on Monday.",
            "I moved the archive from Kafka to NATS.",
            "We sailed to Lisbon with the old ketch.",
            "Our choir sings Bach in the cathedral now.",
            "The cat had five kittens behind the stove.",
            "Dr. Moreau told me to swim every morning.",
            "I planted forty tulips along the fence.",
        )
    )
]


@pytest.fixture
def asked() -> Iterator[set[str]]:
    """Every statement that any connection runs during a test."""
    statements: set[str] = set()

    def listen(connection: apsw.Connection) -> None:
        connection.set_profile(lambda statement, _: statements.add(statement))

    apsw.connection_hooks.append(listen)
    yield statements
    apsw.connection_hooks.remove(listen)


def _steps(plan: apsw.ext.QueryPlan) -> Iterator[str]:
    yield plan.detail
    for step in plan.sub or ():
        yield from _steps(step)


def test_no_verb_walks_through_a_scope_for_a_few_memories(
    asked: set[str], open_memory: OpenMemory, encoder: OnnxEncoder, tmp_path: Path
) -> None:
    """From some five ids on the planner prefers to, unless it is kept from it."""
    memory = open_memory(embedder=encoder, judges=[LocalJudge()])
    for turn in TALK:
        memory.ingest([turn])
    said = [memory.add(f"{turn['speaker']} said again: {turn['content']}").id for turn in TALK]
    for question in ("Who sails with the old ketch?", "What did Ann say of the cat and Bach?"):
        memory.search(question, k=20)
        memory.context(question)
    store = SqliteStore(tmp_path / "memory.db", encoder.identity, encoder.dimension)
    assert len(store.recall("default", said)) == len(store.get(said, "default")) == len(said)
    store.close()
    memory.forget(ids=said, scope="default")
    connection = apsw.Connection(str(tmp_path / "memory.db"))
    plans = {
        statement: apsw.ext.query_info(connection, statement, explain_query_plan=True).query_plan
        for statement in asked
        if re.match("SELECT|WITH|UPDATE|DELETE", statement)
        and not re.search(r"lexical_|IN \(\)", statement)  # nothing is looked for in no ids
    }
    connection.close()
    walks = [
        statement
        for statement, plan in plans.items()
        if plan and any(WALK.search(step) for step in _steps(plan))
    ]
    assert [statement for statement in walks if not OF_THE_WHOLE.search(statement)] == []
