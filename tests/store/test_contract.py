"""Every store keeps the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hypermnesia.store.postgres.store import PostgresStore
from hypermnesia.store.protocol import Store
from hypermnesia.store.sqlite.store import SqliteStore
from tests.store.accounts_contract import ACCOUNTS
from tests.store.bench import EMBEDDER, Bench
from tests.store.contract import CONTRACT
from tests.store.embedders import HashEmbedder
from tests.store.incidence_contract import INCIDENCE
from tests.store.outbox_contract import OUTBOX


def _sqlite(request: pytest.FixtureRequest) -> Callable[[HashEmbedder], Store]:
    folder: Path = request.getfixturevalue("tmp_path")

    def opened(embedder: HashEmbedder) -> Store:
        return SqliteStore(folder / "store.db", embedder.identity, embedder.dimension)

    return opened


def _postgres(request: pytest.FixtureRequest) -> Callable[[HashEmbedder], Store]:
    url: str = request.getfixturevalue("postgres_url")

    def opened(embedder: HashEmbedder) -> Store:
        return PostgresStore(url, embedder.identity, embedder.dimension)

    return opened


@pytest.fixture(params=[_sqlite, _postgres], ids=["sqlite", "postgres"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """An empty store of each kind."""
    opener: Callable[[HashEmbedder], Store] = request.param(request)
    opened: list[Store] = []

    def track(embedder: HashEmbedder) -> Store:
        opened.append(opener(embedder))
        return opened[-1]

    yield Bench(track(EMBEDDER), track)
    for store in opened:
        store.close()


CLAUSES = CONTRACT + INCIDENCE + ACCOUNTS + OUTBOX


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.__name__)
def test_the_store_keeps_its_contract(clause: Callable[[Bench], None], bench: Bench) -> None:
    """One clause of the contract."""
    clause(bench)
