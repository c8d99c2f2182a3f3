"""Searches read a standby that is up to date, and nobody misses a write."""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from hypermnesia.errors import InvalidInput, StoreError, StoreReadOnly
from hypermnesia.store.postgres.store import PostgresStore
from hypermnesia.store.protocol import Filter
from tests.servers.postgres import OWN_SERVER, PATIENCE, Server, standby
from tests.store.bench import EMBEDDER, Bench, node

pytestmark = OWN_SERVER
Admin = psycopg.Connection[Any]


def opened(url: str, replica: str | None = None, wait: float = 10) -> PostgresStore:
    """A store under the hashing encoder."""
    return PostgresStore(url, EMBEDDER.identity, EMBEDDER.dimension, replica=replica, wait=wait)


@pytest.fixture(scope="module")
def follower(postgres_server: Server) -> Iterator[str]:
    """The URL of a standby of the tests' server."""
    with standby(postgres_server.url) as url:
        yield url


@pytest.fixture
def replica_url(postgres_url: str, follower: str) -> str:
    """Where the store of the test lies on the standby."""
    return f"{follower}&schema={postgres_url.rpartition('schema=')[2]}"


@pytest.fixture
def behind(follower: str) -> Iterator[Admin]:
    """A superuser's connection to the standby."""
    with psycopg.connect(follower, autocommit=True) as connection:
        yield connection


@contextmanager
def paused(behind: Admin) -> Generator[None]:
    """The standby does not follow until the block ends."""
    behind.execute("SELECT pg_wal_replay_pause()")
    yield
    behind.execute("SELECT pg_wal_replay_resume()")


def caught_up(bench: Bench, behind: Admin, admin: Admin) -> None:
    """Wait until the standby has all that was stored."""
    del bench
    position = admin.execute("SELECT pg_current_wal_insert_lsn()").fetchone()
    deadline = time.monotonic() + PATIENCE
    query = "SELECT pg_last_wal_replay_lsn() >= %s"
    while behind.execute(query, position).fetchone() != (True,):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def searches(admin: Admin) -> int:
    """Index scans of postings that this server has counted for the store."""
    row = admin.execute(
        "SELECT coalesce(sum(idx_scan), 0)::bigint FROM pg_stat_user_indexes"
        " WHERE indexrelname = 'posting_pkey'"
    ).fetchone()
    assert row is not None
    return row[0]


def test_a_standby_that_is_up_to_date_is_searched(
    postgres_url: str, replica_url: str, behind: Admin, admin: Admin
) -> None:
    """It counts the scans that the primary is spared."""
    store = opened(postgres_url, replica_url)
    bench = Bench(store, lambda _embedder: store)
    bench.put(node("alpha one"))
    caught_up(bench, behind, admin)
    before = searches(behind)
    assert bench.words(Filter("a"), "alpha") == ["alpha one"]
    assert bench.dense(Filter("a"), "alpha") == ["alpha one"]
    store.close()
    deadline = time.monotonic() + PATIENCE
    while searches(behind) == before:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_one_that_lags_behind_is_passed_over(
    postgres_url: str, replica_url: str, behind: Admin, admin: Admin
) -> None:
    """Every write is found by the next search, whoever made it; other scopes go on there."""
    store, other = opened(postgres_url, replica_url), opened(postgres_url)
    bench = Bench(store, lambda _embedder: store)
    bench.put(node("alpha one"), node("beta", scope="b"))
    caught_up(bench, behind, admin)
    with paused(behind):
        bench.put(node("alpha two"))
        Bench(other, lambda _embedder: other).put(node("alpha three"), node("new", scope="c"))
        for find in (bench.words, bench.dense):
            assert sorted(find(Filter("a"), "alpha")) == ["alpha one", "alpha three", "alpha two"]
            assert find(Filter("b"), "beta") == ["beta"]
            assert find(Filter("c"), "new") == ["new"]
    store.close()
    other.close()


def test_one_that_cannot_be_reached_is_passed_over(
    postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says so once, without a password; searches go on."""
    store = opened(postgres_url, "postgresql://ann:s3cr3t@127.0.0.1:1/m?connect_timeout=2")
    bench = Bench(store, lambda _embedder: store)
    bench.put(node("alpha"))
    with caplog.at_level(logging.WARNING, "hypermnesia"):
        for _ in range(3):
            assert bench.words(Filter("a"), "alpha") == ["alpha"]
    (said,) = [record.getMessage() for record in caplog.records if record.name == "hypermnesia"]
    assert "standby" in said
    assert "s3cr3t" not in said
    store.close()


def test_another_store_is_no_standby(postgres_url: str, postgres_server: Server) -> None:
    """Reading it would show somebody else's memories."""
    with postgres_server.store() as elsewhere:
        opened(elsewhere).close()
        store = opened(postgres_url, elsewhere)
        bench = Bench(store, lambda _embedder: store)
        bench.put(node("alpha"))
        with pytest.raises(StoreError, match="another store"):
            bench.words(Filter("a"), "alpha")
        store.close()
    with pytest.raises(InvalidInput, match="cannot be read"):
        opened(postgres_url, "postgresql://ann:s3cr3t%zz@db/m")


def test_a_standby_opens_as_a_store_that_is_read_only(
    postgres_url: str, replica_url: str, behind: Admin, admin: Admin
) -> None:
    """Reads are answered, writes say where to go, and recalls are not counted."""
    store = opened(postgres_url)
    bench = Bench(store, lambda _embedder: store)
    bench.put(node("alpha"))
    caught_up(bench, behind, admin)
    reader = opened(replica_url)
    reading = Bench(reader, lambda _embedder: reader)
    assert reading.words(Filter("a"), "alpha") == ["alpha"]
    reader.touch("a", [1], {})
    with pytest.raises(StoreReadOnly, match="primary"):
        reading.put(node("beta"))
    assert [problem.kind for problem in reader.check().problems] == ["write"]
    reader.close()
    store.close()
