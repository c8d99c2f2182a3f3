"""Searches read a standby that is up to date, and nobody misses a write that was announced."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import psycopg
import pytest

from hypermnesia.errors import InvalidInput, StoreError, StoreReadOnly
from hypermnesia.store.postgres.address import address_of
from hypermnesia.store.postgres.connection import Connections
from hypermnesia.store.postgres.statements import Link
from hypermnesia.store.postgres.store import PostgresStore
from hypermnesia.store.protocol import Filter
from tests.faults.forking import finish, spawn
from tests.servers.postgres import OWN_SERVER, PATIENCE, Server, standby
from tests.store.bench import EMBEDDER, Bench, node, vector

pytestmark = OWN_SERVER
Admin = psycopg.Connection[Any]
Pair = tuple[PostgresStore, PostgresStore, Bench]


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
def pair(postgres_url: str, replica_url: str) -> Iterator[Pair]:
    """A store with a standby, another of the same rows without one, and a bench of the first."""
    store, other = opened(postgres_url, replica_url), opened(postgres_url)
    yield store, other, Bench(store, lambda _embedder: store)
    store.close()
    other.close()


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


def caught_up(behind: Admin, admin: Admin) -> None:
    """Wait until the standby has all that was stored."""
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
    caught_up(behind, admin)
    before = searches(behind)
    assert bench.words(Filter("a"), "alpha") == ["alpha one"]
    assert bench.dense(Filter("a"), "alpha") == ["alpha one"]
    store.close()
    deadline = time.monotonic() + PATIENCE
    while searches(behind) == before:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def refuse() -> int:
    """The primary must not be asked."""
    raise AssertionError


def heard(store: PostgresStore, scope: str, changes: int) -> None:
    """Wait until the latest of so many changes was announced to a store."""
    number = store._reading.number(scope)
    assert number is not None
    deadline = time.monotonic() + PATIENCE
    while store._announcements.latest(number, refuse) != changes:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def search(store: PostgresStore, scope: str, text: str) -> int:
    """How many memories both channels find, without their rows."""
    words = store.lexical(Filter(scope), [text], 9)
    (dense,) = store.nearest(Filter(scope), vector(text), 9)
    assert sorted(words.keys) == sorted(dense.keys)
    return len(words.keys)


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Generator[list[str]]:
    """The servers that connections are taken to, in order."""
    taken: list[str] = []
    take = Connections._taken

    def spy(self: Connections) -> AbstractContextManager[Link]:
        taken.append(self.place)
        return take(self)

    with monkeypatch.context() as patch:
        patch.setattr(Connections, "_taken", spy)
        yield taken


def test_the_primary_is_not_asked_again(
    pair: Pair,
    replica_url: str,
    behind: Admin,
    admin: Admin,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither after a search, nor after a change of another process, or an own one."""
    store, other, bench = pair
    bench.put(node("alpha one"))
    assert search(store, "a", "alpha") == 1
    Bench(other, lambda _embedder: other).put(node("alpha two"))
    heard(store, "a", 2)
    bench.put(node("alpha three"))
    caught_up(behind, admin)
    with watched(monkeypatch) as taken:
        assert [search(store, "a", "alpha") for _ in range(3)] == [3, 3, 3]
    assert len(taken) == 6
    assert set(taken) == {address_of(replica_url, connect_timeout=1).shown}


def test_a_change_that_was_not_announced_is_found_when_the_standby_has_it(
    pair: Pair, behind: Admin, admin: Admin
) -> None:
    """Or when the primary was searched for another reason; then it is not missed again."""
    store, other, bench = pair
    bench.put(node("alpha one"), node("beta one", scope="b"))
    caught_up(behind, admin)
    assert search(store, "a", "alpha") == search(store, "b", "beta") == 1
    other._announcements._channel = "x" * 64  # no name of a channel has as many bytes
    with paused(behind):
        Bench(other, lambda _embedder: other).put(node("alpha two"), node("beta two", scope="b"))
        assert search(store, "a", "alpha") == search(store, "b", "beta") == 1
        store._announcements.forget([store._reading.number("b") or 0])
        assert [search(store, "b", "beta") for _ in range(2)] == [2, 2]
    caught_up(behind, admin)
    assert search(store, "a", "alpha") == 2


def test_what_was_found_on_the_primary_is_not_missed_later(
    pair: Pair, behind: Admin, admin: Admin
) -> None:
    """A search there sees changes that were not announced; the next one needs them, too."""
    store, other, bench = pair
    bench.put(node("alpha one"))
    assert search(store, "a", "alpha") == 1
    other._announcements._channel = "x" * 64
    with paused(behind):
        bench.put(node("alpha two"))
        Bench(other, lambda _embedder: other).put(node("alpha three"))
        assert search(store, "a", "alpha") == 3
        heard(store, "a", 3)


def test_a_forked_process_reads_nothing_of_its_parent(
    pair: Pair, behind: Admin, admin: Admin
) -> None:
    """What was announced is for the parent, who hears it afterwards."""
    store, other, bench = pair
    bench.put(node("alpha one"))
    caught_up(behind, admin)
    assert search(store, "a", "alpha") == 1
    Bench(other, lambda _embedder: other).put(node("alpha two"))

    def child(_tell: Callable[[str], None]) -> None:
        with pytest.raises(StoreError, match="forked"):
            search(store, "a", "alpha")
        store.close()

    finish(*spawn(child))
    heard(store, "a", 2)


def test_one_that_lags_behind_is_passed_over(pair: Pair, behind: Admin, admin: Admin) -> None:
    """Every write is found by the next search, others' as announced; other scopes go on there."""
    store, other, bench = pair
    bench.put(node("alpha one"), node("beta", scope="b"))
    caught_up(behind, admin)
    with paused(behind):
        bench.put(node("alpha two"))
        assert bench.words(Filter("a"), "alpha") == ["alpha one", "alpha two"]
        Bench(other, lambda _embedder: other).put(node("alpha three"), node("new", scope="c"))
        heard(store, "a", 3)
        for find in (bench.words, bench.dense):
            assert sorted(find(Filter("a"), "alpha")) == ["alpha one", "alpha three", "alpha two"]
            assert find(Filter("b"), "beta") == ["beta"]
            assert find(Filter("c"), "new") == ["new"]


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


def test_one_whose_connection_breaks_is_passed_over(
    postgres_url: str,
    replica_url: str,
    behind: Admin,
    admin: Admin,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Even after it took the transaction; what is known is asked for when it is back."""
    store = opened(postgres_url, replica_url)
    bench = Bench(store, lambda _embedder: store)
    bench.put(node("alpha one"))
    caught_up(behind, admin)
    assert search(store, "a", "alpha") == 1
    assert store._replica is not None
    standby = store._replica._standby
    assert standby is not None
    begin = standby.snapshot

    @contextmanager
    def cut(scope: int) -> Generator[Link]:
        with begin(scope) as link:
            pid = link.info.backend_pid
            behind.execute("SELECT pg_terminate_backend(%s, 60000)", (pid,))
            yield link

    with monkeypatch.context() as patch:
        patch.setattr(standby, "snapshot", cut)
        assert search(store, "a", "alpha") == 1
    assert store._announcements.latest(store._reading.number("a") or 0, lambda: 7) == 7
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
    caught_up(behind, admin)
    reader = opened(replica_url)
    reading = Bench(reader, lambda _embedder: reader)
    assert reading.words(Filter("a"), "alpha") == ["alpha"]
    reader.touch("a", [1], {})
    with pytest.raises(StoreReadOnly, match="primary"):
        reading.put(node("beta"))
    assert [problem.kind for problem in reader.check().problems] == ["write"]
    reader.close()
    store.close()
