"""Memories on PostgreSQL, under the names that the tests of the facade ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest
from psycopg import sql

from hypermnesia.engine import Engine
from hypermnesia.judge.chain import Chain
from hypermnesia.judge.protocol import Judge
from hypermnesia.memory import Memory
from hypermnesia.models.encoder import Embedder
from hypermnesia.store.postgres.store import PostgresStore
from tests.conftest import OpenMemory
from tests.servers.postgres import Server
from tests.store.bench import EMBEDDER, Bench
from tests.store.embedders import HashEmbedder


@pytest.fixture
def open_memory(postgres_server: Server) -> Iterator[OpenMemory]:
    """Opens memories, each name in a store of its own, as the one on files does."""
    urls: dict[str, str] = {}
    with ExitStack() as stack:

        def open_one(
            name: str = "memory.db",
            *,
            judges: Sequence[Judge] = (),
            embedder: Embedder | None = None,
            wait: float = 10.0,
            **policy: Any,
        ) -> Memory:
            if name not in urls:
                urls[name] = stack.enter_context(postgres_server.store())
            chosen = embedder or HashEmbedder()
            store = PostgresStore(urls[name], chosen.identity, chosen.dimension, wait=wait)
            memory = Memory(Engine(store, chosen, Chain(judges), **policy), "default")
            return stack.enter_context(memory)

        yield open_one


@pytest.fixture
def store(postgres_url: str) -> Iterator[PostgresStore]:
    """An empty store under the hashing encoder."""
    store = PostgresStore(postgres_url, EMBEDDER.identity, EMBEDDER.dimension)
    yield store
    store.close()


@pytest.fixture
def bench(store: PostgresStore) -> Bench:
    """The same on the bench; what it opens again is the store itself."""
    return Bench(store, lambda _embedder: store)


@pytest.fixture
def admin(postgres_url: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection of a superuser whose names are those of the store's schema."""
    server, _, schema = postgres_url.rpartition("schema=")
    with psycopg.connect(server.rstrip("?&"), autocommit=True) as connection:
        path = sql.SQL("SET search_path = {}, public")
        connection.execute(path.format(sql.Identifier(schema)))
        yield connection
