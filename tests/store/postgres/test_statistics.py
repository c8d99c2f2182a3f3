"""A store that has just grown is known to the planner before autovacuum comes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing

import psycopg
import pytest

from hypermnesia.errors import StoreBusy
from hypermnesia.store.postgres.address import address_of
from hypermnesia.store.postgres.statistics import SMALL, Statistics
from hypermnesia.store.postgres.store import PostgresStore
from hypermnesia.store.protocol import Filter, Record
from hypermnesia.store.text import identity_hash
from tests.servers.postgres import Server
from tests.store.bench import EMBEDDER, node, vector

TABLES = ("memory", "label", "chunk", "posting")


def add(store: PostgresStore, number: int, first: int = 0) -> None:
    """So many memories in one transaction, each with a label."""
    with store.write() as writer:
        for i in range(first, first + number):
            item = node(f"text {i}", tags=("common",))
            writer.insert(Record(item, identity_hash(item), vector(item.content), b""))


def counted(url: str) -> Mapping[str, float]:
    """Rows of each table as the planner knows them; -1 for a table that was never counted."""
    address = address_of(url, connect_timeout=10)
    with psycopg.connect(address.conninfo) as connection:
        query = (
            "SELECT c.relname, c.reltuples FROM pg_class c JOIN pg_namespace n"
            " ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relname = ANY(%s)"
        )
        return dict(connection.execute(query, (address.schema, list(TABLES))).fetchall())


def test_rows_are_counted_at_every_doubling(store: PostgresStore, postgres_url: str) -> None:
    """Not for a few, then once there are some, and then when there are twice as many."""
    add(store, SMALL - 1)
    assert max(counted(postgres_url).values()) <= 0
    add(store, 1, SMALL)
    assert counted(postgres_url)["memory"] == SMALL
    assert all(number >= SMALL for number in counted(postgres_url).values())
    add(store, SMALL - 1, 2 * SMALL)
    assert counted(postgres_url)["memory"] == SMALL
    add(store, 1, 3 * SMALL)
    assert counted(postgres_url)["memory"] == 2 * SMALL


def test_a_count_that_fails_costs_nothing_that_was_written(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memories were committed before; autovacuum will count them."""

    def busy(_self: Statistics, _written: int) -> float:
        raise StoreBusy("somebody vacuums")

    monkeypatch.setattr(Statistics, "_counted", busy)
    add(store, SMALL)
    assert sum(1 for _ in store.iterate(Filter("a"))) == SMALL


def test_a_store_that_was_counted_is_not_handed_out_again(postgres_server: Server) -> None:
    """The planner of the next test would know the rows of this one."""
    with (
        postgres_server.store() as url,
        closing(PostgresStore(url, EMBEDDER.identity, EMBEDDER.dimension)) as store,
    ):
        add(store, SMALL)
    with postgres_server.store() as another:
        assert counted(url)["memory"] == SMALL
        assert another != url
