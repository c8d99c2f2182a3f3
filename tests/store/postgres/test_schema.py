"""Opening: what is missing is named, and the schema is made once, whoever comes first."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg import sql

from hypermnesia.errors import EncoderMismatch, InvalidInput, StoreError, StoreVersion
from hypermnesia.memory import Memory
from hypermnesia.store.postgres import schema
from hypermnesia.store.postgres.store import PostgresStore
from hypermnesia.store.protocol import Filter
from tests.servers.postgres import OWN_SERVER, Server
from tests.store.bench import EMBEDDER, Bench, node
from tests.store.incidence_contract import told

Admin = psycopg.Connection[Any]


def opened(url: str, wait: float = 10) -> PostgresStore:
    """A store under the hashing encoder."""
    return PostgresStore(url, EMBEDDER.identity, EMBEDDER.dimension, wait=wait)


def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    """What was tried, and what to check."""
    with pytest.raises(StoreError, match="check the address") as caught:
        opened("postgresql://ann:s3cr3t@127.0.0.1:1/m?connect_timeout=2")
    assert "postgresql://ann@127.0.0.1:1/m" in str(caught.value)
    assert "s3cr3t" not in str(caught.value)


@OWN_SERVER
def test_an_unknown_database_is_named(postgres_server: Server) -> None:
    """The server answers, but has no such database."""
    with pytest.raises(StoreError, match="nowhere"):
        opened(postgres_server.url.replace("/postgres?", "/nowhere?"))


def test_a_database_without_the_extension_gets_it_or_says_what_to_do(
    postgres_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the server does not have it, its package is named; nothing was made."""
    with postgres_server.database() as url:
        monkeypatch.setattr(schema, "EXTENSION", "vector_that_nobody_installed")
        with pytest.raises(StoreError, match=r"pgvector.*install it"):
            opened(url)
        with psycopg.connect(url) as connection:
            found = connection.execute(
                "SELECT 1 FROM pg_namespace WHERE nspname = 'hypermnesia'"
            ).fetchall()
        assert found == []
        monkeypatch.undo()
        store = opened(url)
        assert store.check().ok
        store.close()


@OWN_SERVER
def test_a_user_without_rights_is_told_which(postgres_server: Server) -> None:
    """To switch the extension on, to make tables, to use them; nothing was made or read."""
    with postgres_server.role() as role, postgres_server.database() as url:
        as_role = url.replace("postgres@", f"{role}@")
        with pytest.raises(StoreError, match="CREATE EXTENSION vector"):
            opened(as_role)
        with psycopg.connect(url, autocommit=True) as owner:
            owner.execute("CREATE EXTENSION vector")
            with pytest.raises(StoreError, match="may not create"):
                opened(as_role)
            opened(url).close()
            with pytest.raises(StoreError, match="refuses this user"):
                opened(as_role)
            for right in ("USAGE ON SCHEMA", "SELECT ON ALL TABLES IN SCHEMA"):
                grant = sql.SQL("GRANT {} hypermnesia TO {}")
                owner.execute(grant.format(sql.SQL(right), sql.Identifier(role)))
            reader = opened(as_role)
            assert reader.get([]) == []
            with pytest.raises(StoreError, match="refuses this user"):
                reader.claim_encoder()
            reader.close()


def test_a_server_or_extension_that_is_too_old_is_refused(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With both versions named."""
    monkeypatch.setattr(schema, "LEAST_SERVER", 99)
    with pytest.raises(StoreError, match="at least 99"):
        opened(postgres_url)
    monkeypatch.undo()
    monkeypatch.setattr(schema, "LEAST_VECTOR", (99, 0))
    with pytest.raises(StoreError, match=r"at least 99\.0"):
        opened(postgres_url)


def test_a_newer_schema_is_left_untouched(postgres_url: str, admin: Admin) -> None:
    """By code that does not know it, which says so."""
    opened(postgres_url).close()
    admin.execute("UPDATE setting SET value = '999' WHERE name = 'schema'")
    with pytest.raises(StoreVersion, match="schema 999"):
        opened(postgres_url)
    newest = str(schema.newest())
    admin.execute("UPDATE setting SET value = %s WHERE name = 'schema'", (newest,))


def test_a_running_process_goes_on_while_another_upgrades(
    postgres_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Migrations add; whoever opened the older schema still reads and writes."""
    migrations = schema.migrations()
    added = (migrations[-1][0] + 1, "CREATE TABLE added_later (scope bigint PRIMARY KEY)")
    with postgres_server.database() as url:
        old = Bench(opened(url), lambda _embedder: opened(url))
        old.put(node("alpha one"))
        monkeypatch.setattr(schema, "migrations", lambda: [*migrations, added])
        new = Bench(opened(url), lambda _embedder: opened(url))
        old.put(node("alpha two"))
        assert sorted(new.words(Filter("a"), "alpha")) == ["alpha one", "alpha two"]
        assert old.store.check().problems == new.store.check().problems == ()
        monkeypatch.undo()
        with pytest.raises(StoreVersion):
            opened(url)
        old.store.close()
        new.store.close()


def test_a_migration_that_fails_leaves_the_schema_as_it_was(
    postgres_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it happens, or nothing."""
    migrations = schema.migrations()
    broken = (migrations[-1][0] + 1, "CREATE TABLE half (id integer); SELECT no_such_function()")
    with postgres_server.database() as url:
        opened(url).close()
        monkeypatch.setattr(schema, "migrations", lambda: [*migrations, broken])
        with pytest.raises(StoreError):
            opened(url)
        monkeypatch.undo()
        store = opened(url)
        assert store.check().ok
        store.close()
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT to_regclass('hypermnesia.half')").fetchone() == (
                None,
            )


def test_many_that_open_a_new_database_at_once_make_one_schema(postgres_server: Server) -> None:
    """The others wait for the first, and find it made."""
    with postgres_server.database() as url:

        def use(number: int) -> int:
            store = opened(url, wait=60)
            Bench(store, lambda _embedder: store).put(node(f"alpha {number}"))
            store.close()
            return number

        with ThreadPoolExecutor(6) as pool:
            assert sorted(pool.map(use, range(6))) == list(range(6))
        store = opened(url)
        assert store.counts("a")["status"] == {"active": 6}
        store.close()


def test_two_encoders_cannot_use_one_store(postgres_url: str) -> None:
    """Whoever comes second is refused, and nothing is written, whatever the dimension."""
    first = opened(postgres_url)
    first.claim_encoder()
    for identity, dimension in (("other@32", 32), ("other@64", 64)):
        second = PostgresStore(postgres_url, identity, dimension)
        attempts: tuple[Callable[[], object], ...] = (
            second.claim_encoder,
            lambda second=second: second.write().__enter__(),
        )
        for attempt in attempts:
            with pytest.raises(EncoderMismatch, match="reindex"):
                attempt()
        second.close()
    assert first.counts(None) == {"status": {}, "memory_type": {}, "level": {}}
    first.close()


def test_of_two_that_claim_a_new_store_at_once_one_is_refused(postgres_url: str) -> None:
    """Not both of them."""
    stores = [PostgresStore(postgres_url, f"encoder{i}", 8) for i in range(4)]

    def claim(store: PostgresStore) -> bool:
        try:
            store.claim_encoder()
        except EncoderMismatch:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(claim, stores)) == 1
    for store in stores:
        store.close()


def test_stores_of_one_database_know_nothing_of_each_other(
    postgres_server: Server, bench: Bench
) -> None:
    """Each lies in a schema of its own."""
    told(bench)
    with postgres_server.store() as url:
        other = opened(url)
        assert other.scopes() == []
        assert bench.store.scopes() == ["a"]
        other.close()


def test_a_memory_opens_by_url_and_by_no_other_scheme(postgres_url: str) -> None:
    """And the file's own verbs say what there is instead."""
    with Memory.open(postgres_url, judge="off", scope="s") as memory:
        added = memory.add("We chose NATS over Kafka")
        assert [hit.id for hit in memory.search("nats")] == [added.id]
        with pytest.raises(StoreError, match="pg_dump"):
            memory.backup("copy.db")
    with pytest.raises(InvalidInput, match="postgresql://"):
        Memory.open("mysql://db/m")
    with pytest.raises(InvalidInput, match="cannot be read"):
        Memory.open("postgresql://ann:s3cr3t%zz@db/m")
