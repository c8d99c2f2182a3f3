"""Damage to the hypergraph is reported, crashes no read, and is mended where it can be."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hypermnesia.store.protocol import Filter
from hypermnesia.store.sqlite.store import SqliteStore
from tests.store.bench import EMBEDDER, Bench
from tests.store.incidence_contract import Talk, keys_of, told


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty store."""
    store = SqliteStore(tmp_path / "store.db", EMBEDDER.identity, EMBEDDER.dimension)
    yield store
    store.close()


def read_everything(store: SqliteStore, talk: Talk) -> None:
    """Every reading verb of the hypergraph; none shows anything but the talk itself."""
    ids = [*talk.ids, *(fact.id for fact in talk.facts), talk.episode.id, talk.topic.id]
    for member in (*store.members("a", ids), *store.heads("a", ids)):
        assert {member.head, member.node} <= set(ids)
    for linked in (*store.sources("a", ids).values(), *store.drawn("a", ids).values()):
        assert set(linked) <= set(ids)
    assert store.dependants(ids) == []
    store.around("a", list(range(1, 20)), 9)
    store.tail("a", "s", 9)
    store.speakers("a")
    store.places("a", ids)
    store.days("a", ids)
    for level in ("turn", "fact", "episode", "topic"):
        store.propagated("a", level, 0.5)


def damage(store: SqliteStore, statement: str) -> None:
    """Change rows behind the store's back, as a faulty disk or another program would."""
    with store._connections.exclusive() as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(statement)
        assert connection.changes() > 0
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA ignore_check_constraints = OFF")


@pytest.mark.parametrize(
    ("statement", "told_of"),
    [
        ("UPDATE member SET node = 999 WHERE node = 6", "1 rows of member"),
        ("UPDATE member SET head = 999 WHERE head = 9", "1 rows of member"),
        ("UPDATE member SET head = 17 WHERE node = 6", "1 rows of member"),
        ("UPDATE member SET node = 15 WHERE node = 6", "1 rows of member"),
        ("UPDATE source SET turn = 12 WHERE turn = 3", "1 rows of source"),
        ("UPDATE source SET fact = 15 WHERE turn = 3", "1 rows of source"),
        ("UPDATE member SET weight = 1.5 WHERE node = 6", "not in [0, 1]"),
        ("UPDATE source SET turn = 999 WHERE turn = 3", "1 rows of source"),
        ("UPDATE source SET fact = 999 WHERE turn = 3", "1 rows of source"),
        ("UPDATE turn SET memory = 999 WHERE memory = 3", "1 rows of turn"),
        ("UPDATE turn SET session = 999 WHERE memory = 3", "1 rows of turn"),
        ("UPDATE day SET memory = 999 WHERE memory = 3", "1 rows of day"),
        ("UPDATE day SET first = 9000000, last = 9000001 WHERE memory = 3", "1 rows of day"),
        ("INSERT INTO session (scope, name) VALUES (1, 'empty')", "1 rows of session"),
    ],
)
def test_a_row_that_lost_an_end_is_reported_and_removed(
    store: SqliteStore, statement: str, told_of: str
) -> None:
    """The rest of the hypergraph stays. Keys 1 to 9 are one scope's, 10 to 18 another's."""
    bench = Bench(store, lambda _embedder: store)
    talk = told(bench)
    told(bench, "b")
    damage(store, statement)
    assert any(told_of in problem.detail for problem in store.check().problems)
    read_everything(store, talk)
    store.reindex(lambda _texts: [], lambda _done, _total: None)
    assert {problem.kind for problem in store.check().problems} <= {"place"}
    assert len(store.members("a", [talk.episode.id])) >= 6
    assert len(store.places("a", talk.ids)) >= 4


def test_a_turn_without_a_place_is_reported(store: SqliteStore) -> None:
    """With its id, and what to do."""
    bench = Bench(store, lambda _embedder: store)
    talk = told(bench)
    damage(store, "DELETE FROM turn WHERE position = 2")
    (problem,) = store.check().problems
    assert (problem.kind, problem.id) == ("place", talk.ids[2])
    assert "forget" in problem.detail


@pytest.mark.parametrize(
    "column", ["content = X'C328'", "content = CAST(X'C328' AS TEXT)", "valid_from = 1e300"]
)
def test_a_damaged_turn_is_left_out_of_those_around(store: SqliteStore, column: str) -> None:
    """The others are read."""
    bench = Bench(store, lambda _embedder: store)
    talk = told(bench)
    keys = keys_of(bench, *talk.turns)
    damage(store, f"UPDATE memory SET {column} WHERE key = {keys[2]}")
    found = store.around("a", [keys[1]], 3)
    assert [turn.key for turn in found] == [keys[0], keys[1], keys[3], keys[4]]
    assert len(store.tail("a", "s", 9)) == 4


def test_damaged_token_vectors_are_left_out(store: SqliteStore) -> None:
    """The turn is there without them."""
    bench = Bench(store, lambda _embedder: store)
    (key,) = keys_of(bench, told(bench).turns[0])
    damage(store, f"UPDATE vectors SET tokens = X'FF00' WHERE memory = {key}")
    assert store.signals(Filter("a"), [key]).tokens == (b"",)
    assert [turn.key for turn in store.around("a", [key], 0)] == [key]
