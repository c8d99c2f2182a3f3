"""Many at once, and connections that break."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from hypermnesia.errors import StoreBusy, StoreError
from hypermnesia.store.postgres import connection
from hypermnesia.store.postgres.store import PostgresStore
from hypermnesia.store.protocol import Filter, Store, Writer
from hypermnesia.store.text import content_hash
from hypermnesia.types import Node
from tests.store.bench import EMBEDDER, Bench, node, record

Admin = psycopg.Connection[Any]
PATIENCE = 120


def opened(url: str, **options: Any) -> PostgresStore:
    """A store under the hashing encoder."""
    return PostgresStore(url, EMBEDDER.identity, EMBEDDER.dimension, **options)


@contextmanager
def writing(store: Store, *items: Node) -> Generator[threading.Event]:
    """Another thread is in the middle of a transaction until the block ends."""
    begun, go_on, over = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        with store.write() as writer:
            for item in items:
                writer.insert(record(item))
            begun.set()
            go_on.wait(PATIENCE)
        over.set()

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(PATIENCE)
    yield go_on
    go_on.set()
    thread.join(PATIENCE)
    assert over.is_set()


def test_writers_of_one_scope_wait_a_bounded_time(postgres_url: str) -> None:
    """Then they are told, and nothing of theirs is stored."""
    store, other = opened(postgres_url), opened(postgres_url, wait=0.2)
    bench = Bench(other, lambda _embedder: other)
    with writing(store, node("alpha")):
        with pytest.raises(StoreBusy, match="try again"):
            bench.put(node("beta"))
        assert bench.words(Filter("a"), "alpha beta") == []
    assert bench.words(Filter("a"), "alpha beta") == ["alpha"]
    bench.put(node("beta"))
    store.close()
    other.close()


def test_writers_of_different_scopes_do_not_wait(postgres_url: str) -> None:
    """Nor do readers of any."""
    store, other = opened(postgres_url), opened(postgres_url, wait=60)
    bench = Bench(other, lambda _embedder: other)
    bench.put(node("before"))
    with writing(store, node("alpha")):
        bench.put(node("beta", scope="b"))
        assert bench.dense(Filter("a"), "before") == ["before"]
        assert bench.words(Filter("b"), "beta") == ["beta"]
    store.close()
    other.close()


def test_a_scope_is_held_from_the_first_look_at_it(postgres_url: str) -> None:
    """What a transaction has read stays as it is until it ends."""
    store, other = opened(postgres_url), opened(postgres_url, wait=0.2)
    one = node("alpha")
    Bench(store, lambda _embedder: store).put(one)
    looks: tuple[Callable[[Writer], object], ...] = (
        lambda writer: writer.changed("a"),
        lambda writer: writer.live("a", content_hash("a", "alpha")),
        lambda writer: writer.get(one.id),
        lambda writer: writer.end("a", "s"),
    )
    for look in looks:
        with store.write() as writer:
            look(writer)
            with pytest.raises(StoreBusy):
                Bench(other, lambda _embedder: other).amend(replace(one, tags=("t",)))
    store.close()
    other.close()


def test_two_that_wait_for_each_other_are_parted(postgres_url: str) -> None:
    """One of them is told to try again; the other goes through."""
    store = opened(postgres_url, wait=60)
    bench = Bench(store, lambda _embedder: store)
    bench.put(node("x", scope="a"), node("y", scope="b"))
    both = threading.Barrier(2)

    def cross(scopes: str) -> str:
        try:
            with store.write() as writer:
                writer.insert(record(node(f"from {scopes}", scope=scopes[0])))
                both.wait(PATIENCE)
                writer.insert(record(node(f"from {scopes}", scope=scopes[1])))
        except StoreBusy:
            return "busy"
        return "done"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(cross, ("ab", "ba"))) == ["busy", "done"]
    assert store.check().problems == ()
    assert len(bench.words(Filter("a"), "from")) == len(bench.words(Filter("b"), "from")) == 1
    store.close()


def test_a_text_is_stored_once_however_many_add_it(postgres_url: str) -> None:
    """Whoever looks, then inserts, is alone in the scope meanwhile; it need not exist before."""
    stores = [opened(postgres_url, wait=60) for _ in range(4)]

    def add(store: PostgresStore) -> bool:
        item = record(node("alpha"))
        with store.write() as writer:
            if writer.live("a", item.hash) is not None:
                return False
            writer.insert(item)
            return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(add, stores)) == 1
    assert stores[0].counts("a")["status"] == {"active": 1}
    for store in stores:
        store.close()


def test_change_numbers_of_a_scope_rise_one_by_one(postgres_url: str) -> None:
    """So that a cache that saw one has missed nothing before it."""
    stores = [opened(postgres_url, wait=60) for _ in range(3)]

    def add(number: int) -> None:
        store = stores[number % 3]
        with store.write() as writer:
            writer.insert(record(node(f"alpha {number}")))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(add, range(18)))
    assert stores[0].changed("a") == 18
    assert stores[0].check().problems == ()
    for store in stores:
        store.close()


def test_a_transaction_whose_connection_is_cut_leaves_nothing(
    postgres_url: str, admin: Admin
) -> None:
    """It says so, and the next one gets a connection that works."""
    store = opened(postgres_url)
    bench = Bench(store, lambda _embedder: store)
    bench.put(node("alpha"))

    def write() -> None:
        with store.write() as writer:
            writer.insert(record(node("beta")))
            cut(admin)
            writer.insert(record(node("gamma")))

    with pytest.raises(StoreError, match="connection"):
        write()
    assert bench.words(Filter("a"), "alpha beta gamma") == ["alpha"]
    assert bench.store.check().problems == ()
    bench.put(node("delta"))
    store.close()


def test_idle_connections_that_were_cut_are_replaced_unseen(
    postgres_url: str, admin: Admin
) -> None:
    """As after a restart of the server: readers and writers go on."""
    store = opened(postgres_url)
    bench = Bench(store, lambda _embedder: store)
    bench.put(node("alpha"))
    for attempt in (
        lambda: bench.words(Filter("a"), "alpha"),
        lambda: bench.dense(Filter("a"), "alpha"),
        lambda: bench.put(node("omega")),
        store.claim_encoder,
    ):
        cut(admin)
        attempt()
    assert store.counts("a")["status"] == {"active": 2}
    store.close()


def cut(admin: Admin) -> None:
    """End every session of the store, as a server that goes down does."""
    admin.execute(
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
        " WHERE application_name = 'hypermnesia' AND pid <> pg_backend_pid()"
    )


def test_a_statement_that_takes_too_long_is_cancelled(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, admin: Admin
) -> None:
    """A lock that somebody else holds, or a server that is too slow: bounded, and told."""
    monkeypatch.setattr(connection, "STATEMENT_SECONDS", 3)
    store = opened(postgres_url, wait=60)
    with admin.transaction():
        admin.execute("LOCK TABLE memory IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(StoreBusy, match="canceled"):
            store.get(["x"])
    assert store.get(["x"]) == []
    store.close()


def test_more_threads_than_connections_take_turns(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within the wait; beyond it they are told that the store is busy."""
    store = opened(postgres_url, size=2, wait=60)
    bench = Bench(store, lambda _embedder: store)
    bench.put(node("alpha"))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(bench.words, [Filter("a")] * 40, ["alpha"] * 40))
    assert found == [["alpha"]] * 40
    store.close()
    monkeypatch.setattr(connection, "TURN_SECONDS", 1)
    small = opened(postgres_url, size=1, wait=0.2)
    with small.write() as writer:
        writer.insert(record(node("beta")))
        with pytest.raises(StoreBusy):
            small.get([])
    small.close()


def test_a_busy_store_skips_counting(postgres_url: str, admin: Admin) -> None:
    """A search that cannot be counted now still answers."""
    store = opened(postgres_url)
    bench = Bench(store, lambda _embedder: store)
    one = node("alpha")
    bench.put(one)
    keys = list(bench.keys(Filter("a"), "alpha").values())
    with admin.transaction():
        admin.execute("LOCK TABLE access IN ACCESS EXCLUSIVE MODE")
        store.touch("a", keys, {})
    assert store.get([one.id])[0].access_count == 0
    store.touch("a", keys, {})
    assert store.get([one.id])[0].access_count == 1
    store.close()


def test_a_closed_store_says_so(postgres_url: str) -> None:
    """Closing twice is no error."""
    store = opened(postgres_url)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.get([])
    with pytest.raises(StoreError, match="closed"), store.write():
        pass
